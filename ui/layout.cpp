// SPDX-License-Identifier: MIT
#include "ui/layout.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {
constexpr float top_height = 48;
constexpr float headline_height = 86;
constexpr float timeline_height = 146;
constexpr float console_height = 36;
constexpr float console_open_height = 234;
constexpr float rail_width = 48;
constexpr float sheet_closed_height = 40;
constexpr float stage_height_min = 200;
}  // namespace

Layout lay_out(float width, float height, const LayoutChoices& choices) {
    Layout l;
    l.reader = width < 700;
    l.rail = !l.reader && width < 1280;
    l.sheet = !l.reader && width < 1100;
    l.top = {0, 0, width, top_height};

    float bottom = height;
    if (!l.reader) {
        float wanted = choices.console_open ? console_open_height : console_height;
        float room = height - top_height - headline_height - stage_height_min;
        bool timeline = choices.timeline && room >= timeline_height + console_height;
        if (timeline) room -= timeline_height;
        float console = std::max(console_height, std::min(wanted, room));
        l.console = {0, height - console, width, console};
        bottom = l.console.y;
        if (timeline) {
            bottom -= timeline_height;
            l.timeline = {0, bottom, width, timeline_height};
        }
    }
    float left = 0;
    float right = width;
    if (!l.reader) {
        left = l.rail ? rail_width : navigator_widths[static_cast<unsigned>(choices.navigator)];
        l.navigator = {0, top_height, left, bottom - top_height};
        if (l.rail && choices.navigator_over) {
            l.overlay = {left, top_height, navigator_widths[1], bottom - top_height};
            left += l.overlay.w;
        }
        if (!l.sheet) {
            float w = inspector_widths[static_cast<unsigned>(choices.inspector)];
            right = width - w;
            l.inspector = {right, top_height, w, bottom - top_height};
        }
    }
    l.headline = {left, top_height, right - left, headline_height};
    float stage_top = top_height + headline_height;
    if (l.sheet) {
        float room = bottom - stage_top - stage_height_min;
        float open = std::max(sheet_closed_height, std::min(std::round((bottom - stage_top) * 0.42F), room));
        constexpr float useful = 120;  // less shows nothing worth the room
        float sheet = choices.sheet_open && open >= useful ? open : sheet_closed_height;
        l.inspector = {left, bottom - sheet, right - left, sheet};
        bottom -= sheet;
    }
    l.stage = {left, stage_top, right - left, std::max(0.0F, bottom - stage_top)};
    return l;
}

PanelSize snapped(const float (&widths)[3], float width) {
    unsigned best = 0;
    for (unsigned i = 1; i < 3; ++i) {
        if (std::abs(widths[i] - width) < std::abs(widths[best] - width)) best = i;
    }
    return static_cast<PanelSize>(best);
}

}  // namespace glassfs::ui
