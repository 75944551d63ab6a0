// SPDX-License-Identifier: MIT
// Where the panels stand. Fixed, so that people learn the places once: only widths snap, and small windows
// fold panels away. Layout units; no ImGui.
//
//     +--------------------------- top bar 48 ---------------------------+
//     | navigator |  headline 86                          |  inspector   |
//     |    236    |---------------------------------------|     352      |
//     |           |  stage                                |              |
//     +-------------------- timeline 146, with a recording --------------+
//     +---------------------------- console 36 or 234 -------------------+
//
// Below 1280 the navigator is a rail of icons; below 1100 the inspector is a sheet below the stage; below 700
// only headline and stage are left.
#pragma once

#include "base/bytes.h"

namespace glassfs::ui {

struct Rect {
    float x = 0;
    float y = 0;
    float w = 0;
    float h = 0;
    float right() const { return x + w; }
    float bottom() const { return y + h; }
    float centre_y() const { return y + h / 2; }
    bool empty() const { return w <= 0 || h <= 0; }
    bool contains(float px, float py) const { return px >= x && py >= y && px < right() && py < bottom(); }
    Rect inset(float dx, float dy) const { return {x + dx, y + dy, w - 2 * dx, h - 2 * dy}; }
    friend bool operator==(const Rect&, const Rect&) = default;
};

enum class PanelSize : u8 { Narrow, Normal, Wide };
inline constexpr float navigator_widths[] = {188, 236, 320};
inline constexpr float inspector_widths[] = {304, 352, 480};

struct LayoutChoices {
    PanelSize navigator = PanelSize::Normal;
    PanelSize inspector = PanelSize::Normal;
    bool console_open = false;
    bool timeline = false;        // there is a recording
    bool navigator_over = false;  // shown beside the rail
    bool sheet_open = true;       // the inspector's sheet is unfolded
};

struct Layout {
    Rect top;
    Rect navigator;  // empty in reader mode; the rail's when `rail`
    Rect headline;
    Rect stage;
    Rect inspector;
    Rect timeline;  // empty without a recording, and where there is no room
    Rect console;
    Rect overlay;  // of the navigator beside its rail, while it is open
    bool rail = false;
    bool sheet = false;
    bool reader = false;
};

Layout lay_out(float width, float height, const LayoutChoices&);
// The size whose width is nearest to what a drag asks for.
PanelSize snapped(const float (&widths)[3], float width);

}  // namespace glassfs::ui
