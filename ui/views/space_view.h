// SPDX-License-Identifier: MIT
// What the parts of the Space workspace share: navigator, stage.
#pragma once

#include "ui/views/views.h"
#include "ui/widgets.h"

namespace glassfs::ui {

Colour space_colour(inspect::SpaceMap::Kind);
// Of the moment that is shown; made anew when it changes.
const SpaceMoment& space_now(Ui&);
// Of the map that is shown, made anew when it or the moment is another.
const std::vector<SpaceCell>& cells_now(Ui&, const inspect::SpaceMap&, u64 device, std::size_t count);
const KindCounts& kinds_now(Ui&, const inspect::SpaceMap&);

}  // namespace glassfs::ui
