// SPDX-License-Identifier: MIT
// The navigator of Space: devices, what is allocated on the chosen one, chunks by type, the way of searching.
#include "base/text.h"
#include "imgui.h"
#include "ui/views/space_view.h"

#include <algorithm>
#include <array>

namespace glassfs::ui {

using inspect::SpaceMap;

namespace {

// Draws downwards from `y`.
struct Column {
    Rect panel;
    float y = 0;
    float left() const { return panel.x + 16; }
    float right() const { return panel.right() - 17; }

    void head(const char* title, const std::string& value = "") {
        const Theme& t = theme();
        draw_text(canvas(), Font::BodyBold, left(), y + 12, t.text, title);
        draw_text(canvas(), Font::Caption, right(), y + 12, t.text3, value, Align::Right);
        y += 28;
    }
    void fact(const char* name, const std::string& value, Colour colour = 0) {
        const Theme& t = theme();
        draw_text(canvas(), Font::Body, left(), y + 11, t.text2, name);
        draw_text(canvas(), Font::Mono12, right(), y + 11, colour != 0 ? colour : t.text, value,
                  Align::Right);
        y += 23;
    }
    void rule() {
        hline(left(), right(), y + 8, theme().line);
        y += 18;
    }
};

void draw_device(Ui& ui, Column& c, const SpaceMap::Device& device) {
    const Theme& t = theme();
    Rect r{c.panel.x + 8, c.y, c.panel.w - 17, 48};
    Touch touch = area(static_cast<int>(100 + device.id), r);
    const bool on = ui.space.device == device.id;
    if (on || touch.hovered) fill(r, on ? t.accent_background : t.hover, 5);
    draw_text(canvas(), Font::Mono13Bold, r.x + 10, r.y + 16, t.text, "devid " + std::to_string(device.id));
    draw_text(canvas(), Font::Mono12, r.right() - 10, r.y + 16,
              device.missing ? t.state(State::Bad).line : t.text2,
              device.missing ? "missing" : size_text(device.size), Align::Right);
    Rect bar{r.x + 10, r.y + 31, r.w - 20, 7};
    fill(bar, t.line, 3.5F);
    const float share =
        device.size == 0
            ? 0
            : static_cast<float>(static_cast<double>(device.allocated) / static_cast<double>(device.size));
    if (share > 0)
        fill({bar.x, bar.y, std::max(4.0F, bar.w * std::min(1.0F, share)), bar.h},
             space_colour(SpaceMap::Kind::Data), 3.5F);
    if (touch.clicked && !on) {
        ui.space.device = device.id;
        ui.space.focus.reset();
    }
    c.y += 52;
}

void draw_kinds(Ui& ui, Column& c, const SpaceMap& map) {
    const Theme& t = theme();
    c.head("Chunks by type", grouped(map.chunks.size()));
    const KindCounts& kinds = kinds_now(ui, map);
    for (auto kind :
         {SpaceMap::Kind::Data, SpaceMap::Kind::Metadata, SpaceMap::Kind::System, SpaceMap::Kind::Mixed}) {
        const KindCount& one = kinds[static_cast<std::size_t>(kind)];
        if (one.chunks == 0) continue;
        fill({c.left(), c.y + 5, 11, 11}, space_colour(kind), 2);
        draw_text(canvas(), Font::Body, c.left() + 19, c.y + 11, t.text, space_kind_name(kind));
        draw_text(canvas(), Font::Mono12, c.right(), c.y + 11, t.text, grouped(one.chunks), Align::Right);
        draw_text_fit(canvas(), Font::Caption, c.left() + 19, c.y + 28, c.right() - c.left() - 19, t.text3,
                      std::string(one.profile) + ", " + plural(one.stripes, "stripe"));
        c.y += 42;
    }
}

// The switch of the experiment, as the console's command.
void draw_switch(Ui& ui, Column& c) {
    const Theme& t = theme();
    auto experiments = ui.session.experiments();
    if (!experiments) return;
    for (const mount::Experiment& one : *experiments) {
        if (std::string_view(one.name) != "chunkalloc") continue;
        c.rule();
        c.head("Finding room for a chunk");
        for (std::size_t i = 0; i < one.modes.size(); ++i) {
            const char* mode = one.modes[i];
            const bool on = std::string_view(mode) == one.mode;
            Rect r{c.panel.x + 8, c.y, c.panel.w - 17, 26};
            Touch touch = area(static_cast<int>(200 + i), r);
            if (touch.hovered && !on) fill(r, t.hover, 5);
            canvas()->AddCircle({c.left() + 7, r.centre_y()}, 6, on ? t.accent : t.line_strong, 20, 1.5F);
            if (on) canvas()->AddCircleFilled({c.left() + 7, r.centre_y()}, 3.5F, t.accent, 16);
            const char* words = i == 0 ? "scan: from the begin" : "hint: from the flag";
            draw_text_fit(canvas(), Font::Body, c.left() + 22, r.centre_y(), c.right() - c.left() - 22,
                          on ? t.text : t.text2, words);
            if (touch.clicked && !on) ui.session.run_command("experiment chunkalloc " + std::string(mode));
            c.y += 28;
        }
    }
}

void draw_moves(Ui& ui, Column& c) {
    const Theme& t = theme();
    const SpaceMoment& now = space_now(ui);
    if (now.moves.empty()) return;
    c.rule();
    c.head("Hint history");
    int id = 300;
    for (const HintMove& move : now.moves) {
        Rect r{c.panel.x + 8, c.y, c.panel.w - 17, 38};
        Touch touch = area(id++, r);
        if (touch.hovered) fill(r, t.hover, 5);
        draw_text_fit(canvas(), Font::Mono12, c.left(), c.y + 10, c.right() - c.left(),
                      t.state(State::Hint).line,
                      "devid " + std::to_string(move.device) + "  " + size_text(move.to));
        draw_text_fit(canvas(), Font::Caption, c.left(), c.y + 27, c.right() - c.left(), t.text3,
                      hint_move_words(move));
        tooltip_if(touch.hovered,
                   printable(move.operation) + "\n" + hint_move_words(move) + "\nGo to this step");
        if (touch.clicked) show_moment(ui.session, move.position);
        c.y += 40;
    }
}

}  // namespace

void draw_space_navigator(Ui& ui, Rect panel) {
    auto space = ui.session.space();
    panel_head(panel, "Devices", space ? grouped(space->devices.size()) : "");
    if (!space) return;
    ImGui::PushID("space-navigator");
    {
        Scroll scroll("space", {panel.x, panel.y + 37, panel.w - 1, panel.h - 37});
        Column c{panel, scroll.top()};
        for (const SpaceMap::Device& device : space->devices) draw_device(ui, c, device);
        for (const SpaceMap::Device& device : space->devices) {
            if (device.id != ui.space.device) continue;
            c.y += 6;
            c.fact("Allocated", size_text(device.allocated));
            c.fact("Free", size_text(device.size - std::min(device.size, device.allocated)));
            c.fact("Dev extents", grouped(device.dev_extents));
            const auto& hints = space_now(ui).hints;
            if (auto hint = hints.find(device.id); hint != hints.end()) {
                c.fact("Hint", size_text(hint->second), theme().state(State::Hint).line);
            }
        }
        c.rule();
        draw_kinds(ui, c, *space);
        draw_switch(ui, c);
        draw_moves(ui, c);
        scroll.content_height(c.y - scroll.top() + 8);
    }
    ImGui::PopID();
}

}  // namespace glassfs::ui
