// SPDX-License-Identifier: MIT
#include "ui/layout.h"

#include <doctest/doctest.h>

using namespace glassfs::ui;

namespace {
bool overlap(const Rect& a, const Rect& b) {
    if (a.empty() || b.empty()) return false;
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}
}  // namespace

TEST_CASE("ui/layout: at 1600 x 1000 the panels have the design's sizes") {
    Layout l = lay_out(1600, 1000, {});
    CHECK(l.top == Rect{0, 0, 1600, 48});
    CHECK(l.navigator == Rect{0, 48, 236, 916});
    CHECK(l.headline == Rect{236, 48, 1012, 86});
    CHECK(l.inspector == Rect{1248, 48, 352, 916});
    CHECK(l.stage == Rect{236, 134, 1012, 830});
    CHECK(l.console == Rect{0, 964, 1600, 36});
}

TEST_CASE("ui/layout: panels cover the window without overlapping, at every size") {
    for (bool console : {false, true}) {
        for (float w = 480; w <= 2600; w += 53) {
            for (float h = 480; h <= 1600; h += 97) {
                Layout l = lay_out(w, h, {.console_open = console});
                const Rect parts[] = {l.top, l.navigator, l.headline, l.stage, l.inspector, l.console};
                double area = 0;
                for (const Rect& a : parts) {
                    area += a.empty() ? 0 : double(a.w) * double(a.h);
                    for (const Rect& b : parts) {
                        if (&a != &b) CHECK_FALSE(overlap(a, b));
                    }
                }
                CHECK(area == doctest::Approx(double(w) * double(h)));
                CHECK(l.stage.h >= 100);
            }
        }
    }
}

TEST_CASE("ui/layout: narrow windows fold the navigator, then the inspector, then both") {
    CHECK_FALSE(lay_out(1280, 800, {}).rail);
    CHECK(lay_out(1279, 800, {}).rail);
    CHECK(lay_out(1279, 800, {}).navigator.w == 48);
    CHECK_FALSE(lay_out(1100, 800, {}).sheet);
    CHECK(lay_out(1099, 800, {}).sheet);
    CHECK(lay_out(1099, 800, {}).inspector.bottom() == lay_out(1099, 800, {}).console.y);
    CHECK(lay_out(699, 800, {}).reader);
    CHECK(lay_out(699, 800, {}).inspector.empty());
}

TEST_CASE("ui/layout: the console leaves the stage room") {
    Layout l = lay_out(1024, 640, {.console_open = true});
    CHECK(l.console.h <= 234);
    CHECK(l.stage.h >= 100);
}

TEST_CASE("ui/layout: a dragged edge snaps to the nearest of three widths") {
    CHECK(snapped(navigator_widths, 0) == PanelSize::Narrow);
    CHECK(snapped(navigator_widths, 230) == PanelSize::Normal);
    CHECK(snapped(navigator_widths, 1000) == PanelSize::Wide);
}
