// SPDX-License-Identifier: MIT
#include "ui/model/moment.h"

#include <algorithm>
#include <utility>

namespace glassfs::ui {

std::optional<Moment> moment_of(Session& session) {
    Moment moment{session.timeline()};
    if (!moment.timeline || moment.timeline->operations.empty()) return std::nullopt;
    const Timeline& t = *moment.timeline;
    const u64 position = session.position();
    moment.step = t.step_at(position);
    // Behind its last step an operation is over, but still the one that is looked at.
    auto behind = std::ranges::find_if(t.operations, [&](const auto& o) { return o.end >= position; });
    if (behind == t.operations.end()) --behind;
    moment.operation = static_cast<std::size_t>(behind - t.operations.begin());
    return moment;
}

void show_moment(Session& session, u64 position) {
    session.go_to(position);
    auto moment = moment_of(session);
    if (!moment || moment->step == Timeline::none || !session.in_past()) return;
    auto about = step_block(moment->timeline->steps[moment->step]);
    if (!about) return;
    session.view.select_tree(about->tree);
    session.view.select_block(about->block);
}

void run_or_ask(Session& session, std::string line) {
    if (session.in_past())
        session.view.line_in_past = std::move(line);
    else
        session.run_command(std::move(line));
}

void run_at_end(Session& session) {
    auto line = std::exchange(session.view.line_in_past, std::nullopt);
    auto timeline = session.timeline();
    if (!line || !timeline) return;
    session.go_to(timeline->end);
    session.run_command(std::move(*line));
}

u64 position_of_step(const Moment& moment, std::ptrdiff_t by) {
    const Timeline& t = *moment.timeline;
    const auto count = static_cast<std::ptrdiff_t>(t.steps.size());
    std::ptrdiff_t at = moment.step == Timeline::none ? -1 : static_cast<std::ptrdiff_t>(moment.step);
    at += by;
    if (at < 0) return t.first;
    if (at >= count) return t.end;
    return t.steps[static_cast<std::size_t>(at)].position;
}

u64 position_of_operation(const Moment& moment, std::ptrdiff_t by) {
    const Timeline& t = *moment.timeline;
    const auto at = static_cast<std::ptrdiff_t>(moment.operation) + by;
    if (at < 0) return t.first;
    if (at >= static_cast<std::ptrdiff_t>(t.operations.size())) return t.end;
    return t.operations[static_cast<std::size_t>(at)].end;
}

}  // namespace glassfs::ui
