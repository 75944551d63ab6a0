// SPDX-License-Identifier: MIT
// Going through a recording: where one is, and where the next step, operation or end is.
#pragma once

#include "ui/model/session.h"

namespace glassfs::ui {

struct Moment {
    std::shared_ptr<const Timeline> timeline;  // never null
    std::size_t step = Timeline::none;         // the one that was made last
    std::size_t operation = 0;                 // that it belongs to, or that comes next
};
// Nothing where there is no recording, or nothing in it.
std::optional<Moment> moment_of(Session&);

// Shows the volume at this position, and in it the block that the step is about.
void show_moment(Session&, u64 position);
// Runs a command, or where the past is shown keeps it in view.line_in_past: work goes on only at the end.
void run_or_ask(Session&, std::string line);
// Then: in the present after all.
void run_at_end(Session&);

u64 position_of_step(const Moment&, std::ptrdiff_t by);       // so many steps on
u64 position_of_operation(const Moment&, std::ptrdiff_t by);  // behind the operation so many on

}  // namespace glassfs::ui
