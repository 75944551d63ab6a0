// SPDX-License-Identifier: MIT
// The Lab workspace: stage (both sides), navigator (what to run), compare panel; and the card of a tour,
// which lies over any stage.
#pragma once

#include "ui/views/views.h"

namespace glassfs::ui {

void draw_lab_stage(Ui&);
void draw_lab_navigator(Ui&, Rect panel);
void draw_lab_compare(Ui&);
void draw_tour_card(Ui&);

// What can be run by one press, in the navigator and by tests.
struct LabChoice {
    const char* id;     // "4T"
    const char* words;  // "4 TiB, both to the end"
    LabModel::Plan plan;
};
std::span<const LabChoice> lab_choices();

}  // namespace glassfs::ui
