// SPDX-License-Identifier: MIT
// The Lab's stage: side A left, side B right, on the same scale, each a device with its counters.
#include "base/text.h"
#include "imgui.h"
#include "ui/draw_block.h"
#include "ui/views/device_map.h"
#include "ui/views/lab_view.h"
#include "ui/widgets.h"

#include <algorithm>
#include <array>

namespace glassfs::ui {

namespace {

constexpr int map_side = 32;
constexpr std::array<const char*, 2> letters = {"A", "B"};
constexpr std::array<const char*, 2> titles = {"Baseline", "Improved"};

// The snapshot's fine cells, gathered into those of the grid.
DeviceMap picture_of(const LabSnapshot& lab, const LabSide& side, std::size_t cells, bool with_hint) {
    const Theme& t = theme();
    DeviceMap out;
    out.device_bytes = lab.device_bytes;
    std::vector<u64> sums(cells);
    const u64 wide = std::max<u64>(1, (lab.device_bytes + cells - 1) / cells);
    for (std::size_t i = 0; i < side.picture.allocated.size(); ++i) {
        const std::size_t cell = static_cast<std::size_t>(i * side.picture.cell_bytes / wide);
        if (cell < cells) sums[cell] += side.picture.allocated[i];
    }
    for (u64 bytes : sums) {
        const float share = static_cast<float>(static_cast<double>(bytes) / static_cast<double>(wide));
        out.cells.push_back(
            {bytes == 0 ? 0 : std::max(0.08F, share), t.item(inspect::ItemClass::Extent), false});
    }
    if (with_hint) out.hint = side.picture.hint;
    if (side.picture.search.wanted != 0) out.search = side.picture.search;
    out.search_is_now = true;
    return out;
}

std::string state_of(const LabSnapshot& lab, const LabSide& side) {
    if (side.full) return "full";
    if (side.waits) return "waits: its cost grows with the square";
    if (lab.running) return "running";
    return lab.cancelled ? "stopped, partial" : "";
}

void draw_side(const LabSnapshot& lab, std::size_t i, Rect r) {
    const Theme& t = theme();
    const LabSide& side = lab.sides[i];
    Rect badge{r.x, r.y + 2, 22, 22};
    fill(badge, i == 0 ? t.hover : t.text, 5);
    draw_text(canvas(), Font::BodyBold, badge.x + 11, badge.centre_y(), i == 0 ? t.text : t.app, letters[i],
              Align::Centre);
    draw_text(canvas(), Font::Card, r.x + 32, badge.centre_y(), t.text, titles[i]);
    const float after = r.x + 32 + text_width(Font::Card, titles[i]) + 10;
    draw_text_fit(canvas(), Font::Caption, after, badge.centre_y(), r.right() - after, t.text3,
                  (i == 0 ? "scan: from 1 MiB on" : "hint: from where room may be") +
                      (state_of(lab, side).empty() ? std::string() : " \xc2\xb7 " + state_of(lab, side)));
    const float counters = r.h >= 190 ? 112.0F : r.h >= 100 ? 56.0F : 0.0F;  // two rows, one, none
    const MapGrid grid = widest_grid({r.x, r.y + 30, r.w, r.h - 30 - counters}, map_side, map_side);
    draw_device_map(grid, picture_of(lab, side, grid.cells(), i == 1));
    const trace::DevExtentSearch& search = side.picture.search;
    const Colour colour = t.state(i == 0 ? State::Read : State::Hint).line;
    if (counters > 0)
        draw_counters({r.x, r.bottom() - counters + 4, r.w, 52},
                      {{grouped(search.visited), "last search looked at", colour},
                       {grouped(side.visited), "all searches looked at", 0},
                       {grouped(side.leaves_read), "device tree leaves", 0}});
    if (counters > 60)
        draw_counters({r.x, r.bottom() - counters + 58, r.w, 52},
                      {{size_text(side.bytes), "in the file", 0},
                       {grouped(side.picture.dev_extents), "dev extents", 0},
                       {size_text(side.memory_bytes), "of memory", 0}});
}

void draw_nothing(Ui& ui, Rect r) {
    const Theme& t = theme();
    draw_text_fit(canvas(), Font::Object, r.x, r.y + 20, r.w, t.text,
                  "Two volumes, the same workload, one difference.");
    draw_wrapped(
        Font::Reason, r.x, r.y + 44, std::min(r.w, 640.0F), 21, t.text2,
        "fallocate fills a sparse device, chunk by chunk. Before each chunk the device tree is searched for "
        "a free dev extent: on side A from the device's begin, on side B from a hint. Both are real "
        "volumes in memory; all numbers are counted while they work.");
    float x = r.x;
    for (const Tour& tour : tours()) {
        if (tour.id != "chunk-allocation") continue;
        if (button("tour", "Take the tour", x, r.y + 140, {.primary = true})) ui.tour_wanted = tour.id;
        x += button_width("Take the tour") + 8;
    }
    if (button("run", "Run 4 TiB", x, r.y + 140)) ui.lab().start(lab_choices().front().plan);
}

}  // namespace

void draw_lab_stage(Ui& ui) {
    const Theme& t = theme();
    const Rect stage = ui.layout.stage;
    fill(stage, t.app);
    ImGui::PushID("lab");
    const auto lab = ui.lab_snapshot();
    const Rect inner = stage.inset(20, 14);
    if (lab->device_bytes == 0) {
        draw_nothing(ui, inner);
        ImGui::PopID();
        return;
    }
    const float foot = 40;
    const float half = (inner.w - 32) / 2;
    for (std::size_t i = 0; i < 2; ++i) {
        draw_side(*lab, i, {inner.x + static_cast<float>(i) * (half + 32), inner.y, half, inner.h - foot});
    }
    vline(inner.x + half + 16, stage.y, stage.bottom() - foot - 8, t.line);
    const Rect line{inner.x, inner.bottom() - foot, inner.w, foot};
    if (lab->error) {
        draw_text_fit(canvas(), Font::Body, line.x, line.centre_y(), line.w, t.state(State::Bad).line,
                      lab->error->message());
    } else if (ui.lab().busy()) {
        Rect bar{line.x, line.centre_y() - 3, line.w - 230, 6};
        fill(bar, t.line, 3);
        fill({bar.x, bar.y, bar.w * static_cast<float>(std::clamp(lab->fraction, 0.0, 1.0)), bar.h}, t.accent,
             3);
        draw_text_fit(canvas(), Font::Caption, bar.right() + 12, line.centre_y(), 130, t.text2,
                      text("%d %%, %.0f s left", static_cast<int>(lab->fraction * 100), lab->seconds_left()));
        if (button("cancel", "Cancel", line.right() - button_width("Cancel"), line.centre_y(),
                   {.height = 26})) {
            ui.lab().cancel();
        }
    } else {
        float x = line.x;
        if (button("one", "One more chunk", x, line.centre_y(), {.height = 26}))
            ui.lab().go_on(1ULL << 30, 1);
        x += button_width("One more chunk") + 8;
        if (button("many", "100 more", x, line.centre_y(), {.height = 26})) ui.lab().go_on(1ULL << 30, 100);
        x += button_width("100 more") + 16;
        draw_swatch(canvas(), x, line.centre_y(), State::Read);
        draw_text(canvas(), Font::Caption, x + 18, line.centre_y(), t.text2, "looked at by the last search");
        x += 18 + text_width(Font::Caption, "looked at by the last search") + 14;
        draw_swatch(canvas(), x, line.centre_y(), State::Hint);
        draw_text(canvas(), Font::Caption, x + 18, line.centre_y(), t.text2, "hint");
    }
    ImGui::PopID();
}

}  // namespace glassfs::ui
