// SPDX-License-Identifier: MIT
// The inspector: decoded fields beside their bytes. Fields, hex and the stage share one hover, so that
// pointing at a field lights its bytes and the other way round. A click on any value copies it.
#include "base/text.h"
#include "imgui.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float row_height = 24;
constexpr float hex_height = 22;
constexpr float step_height = 26;

using Tone = InspectorRow::Tone;

// Where the next thing goes; a column of the panel.
struct Column {
    Ui& ui;
    Scroll& scroll;
    float x;  // text edges
    float w;
    float y;  // top of the next thing
    int id = 0;
    float right() const { return x + w; }
    bool sees(float height) const { return scroll.sees(y, height); }
};

Colour tone_colour(Tone tone) {
    const Theme& t = theme();
    switch (tone) {
        case Tone::Normal:
            return t.text;
        case Tone::Dim:
            return t.text3;
        case Tone::Good:
            return t.good;
        case Tone::Bad:
            return t.state(State::Bad).line;
    }
    return t.text;
}

bool hovers(const std::optional<ByteRange>& range, Ui& ui) {
    const auto& hovered = ui.view().hover.bytes;
    return range && hovered && hovered->offset < range->offset + range->size &&
           range->offset < hovered->offset + hovered->size;
}

LogicalAddr shown_block(Ui& ui) {
    return ui.view().selection.block.value_or(LogicalAddr{});
}

void hover_bytes(Ui& ui, ByteRange range) {
    ui.view().next_hover.bytes = range;
    if (ui.view().selection.kind == Selection::Kind::Block) {
        ui.view().next_hover.block = shown_block(ui);
        ui.view().next_hover.slot = ui.view().selection.slot;
    }
}

std::string row_tip(const InspectorRow& row) {
    std::string tip = row.name + ": " + row.value;
    if (!row.meaning.empty()) tip += "\n" + row.meaning;
    if (row.bytes)
        tip +=
            text("\n%u byte%s at 0x%x", row.bytes->size, row.bytes->size == 1 ? "" : "s", row.bytes->offset);
    if (row.position) return row.name + "\n" + row.value + "\nGo to this step";
    return tip + "\nClick to copy";
}

void draw_row(Column& c, const InspectorRow& row) {
    const Theme& t = theme();
    int id = ++c.id;
    if (c.sees(row_height)) {
        float y = c.y + row_height / 2;
        Rect r{c.x - 8, c.y + 1, c.w + 16, row_height - 2};
        Touch touch = area(id, r);
        bool selected = row.bytes && c.ui.view().selection.bytes == row.bytes;
        if (selected)
            fill(r, t.accent_background, 4);
        else if (touch.hovered || hovers(row.bytes, c.ui))
            fill(r, t.hover, 4);
        float indent = std::min<float>(row.depth, 4) * 12;
        float name_max = c.w * (row.meaning.empty() ? 0.55F : 0.45F) - indent;
        float name_width = std::min(text_width(Font::Body, row.name), name_max);
        draw_text_fit(canvas(), Font::Body, c.x + indent, y, name_max, t.text2, row.name);
        float room = c.w - indent - name_width - 12;
        float value_width = std::min(text_width(Font::Mono13, row.value), room);
        float meaning_room = room - value_width - 10;
        // The meaning stands before the value, so that values stay in one column at the right edge.
        if (!row.meaning.empty() && meaning_room > 36) {
            draw_text_fit(canvas(), Font::Caption, c.right() - value_width - 10, y, meaning_room, t.text3,
                          row.meaning, Align::Right);
        }
        draw_text_fit(canvas(), Font::Mono13, c.right(), y, room, tone_colour(row.tone), row.value,
                      Align::Right);
        tooltip_if(touch.hovered, row_tip(row));
        if (touch.hovered && row.bytes) hover_bytes(c.ui, *row.bytes);
        if (touch.clicked && row.position) {
            show_moment(c.ui.session, *row.position);
        } else if (touch.clicked) {
            copy_with_toast(row.value, row.value);
            if (row.bytes) c.ui.view().select_bytes(*row.bytes);
        }
    }
    c.y += row_height;
}

void divider(Column& c) {
    if (c.y == c.scroll.top()) return;  // the first thing of a column
    c.y += 8;
    hline(c.x, c.right(), c.y, theme().line);
    c.y += 6;
}

void section_head(Column& c, const std::string& title, const std::string& note) {
    const Theme& t = theme();
    float note_width = text_width(Font::Caption, note);
    draw_text_fit(canvas(), Font::BodyBold, c.x, c.y + 14, c.w - note_width - 12, t.text, title);
    draw_text(canvas(), Font::Caption, c.right(), c.y + 14, t.text3, note, Align::Right);
    c.y += 30;
}

void draw_section(Column& c, const InspectorSection& section) {
    if (!section.title.empty()) {
        divider(c);
        section_head(c, section.title, section.note);
    }
    for (const InspectorRow& row : section.rows) draw_row(c, row);
}

// The names of the ranges that begin in this row, or that cover all of it from before.
std::string names_in_row(const HexView& hex, u32 at, u32 count) {
    std::string names;
    for (const InspectorRow& row : hex.names) {
        if (row.bytes->offset < at || row.bytes->offset >= at + count) continue;
        names += (names.empty() ? "" : ", ") + row.name;
    }
    return names;
}

void draw_hex_row(Column& c, const HexView& hex, u32 at, u32 count, float y) {
    const Theme& t = theme();
    const auto& selected = c.ui.view().selection.bytes;
    const auto& hovered = c.ui.view().hover.bytes;
    float cell = text_width(Font::Mono12, "00 ");
    float x = c.x + 44;
    draw_text(canvas(), Font::Mono12, c.x, y, t.text3, text("%03x", at));
    Touch touch = area(static_cast<int>(100'000 + at), {x - 3, y - hex_height / 2, cell * 8, hex_height});
    if (touch.hovered) {
        float column = (ImGui::GetMousePos().x - x + 3) / cell;
        u32 byte = at + std::min(count - 1, static_cast<u32>(std::max(0.0F, column)));
        const InspectorRow* name = hex.name_at(byte);
        hover_bytes(c.ui, name ? *name->bytes : ByteRange{byte, 1});
        if (touch.clicked) c.ui.view().select_bytes(name ? *name->bytes : ByteRange{byte, 1});
        if (name)
            tooltip_if(true,
                       name->name + ": " + name->value + (name->meaning.empty() ? "" : "\n" + name->meaning));
    }
    bool row_lit = false;
    for (u32 i = 0; i < count; ++i) {
        u32 byte = at + i;
        bool is_selected = selected && selected->contains(byte);
        bool is_hovered = hovered && hovered->contains(byte);
        float left = x + static_cast<float>(i) * cell;
        if (is_selected || is_hovered)
            fill({left - 3, y - 10, cell, 20}, is_selected ? t.accent_background : t.hover, 2);
        row_lit |= is_selected || is_hovered;
        u8 value = (*hex.raw)[byte];
        Colour ink = is_selected ? t.text : value == 0 ? t.text3 : t.text;
        draw_text(canvas(), Font::Mono12, left, y, ink, text("%02x", value));
    }
    float names_x = x + cell * 8 + 6;
    if (c.w > 420) {
        draw_text(canvas(), Font::Mono12, names_x, y, t.text3,
                  hex_row_text(Bytes(*hex.raw).subspan(at, count)));
        names_x += text_width(Font::Mono12, "00000000") + 10;
    }
    std::string names = names_in_row(hex, at, count);
    draw_text_fit(canvas(), Font::Caption, c.right(), y, c.right() - names_x, row_lit ? t.text : t.text3,
                  names, Align::Right);
}

void draw_hex_rows(Column& c, const HexView& hex) {
    std::size_t count = hex.rows();
    auto [first, last] = c.scroll.visible(count, hex_height, c.y);
    for (std::size_t i = first; i < last; ++i) {
        u32 at = hex.range.offset + static_cast<u32>(i) * HexView::row_bytes;
        u32 bytes = std::min(HexView::row_bytes, hex.range.offset + hex.range.size - at);
        draw_hex_row(c, hex, at, bytes, c.y + static_cast<float>(i) * hex_height + hex_height / 2);
    }
    c.y += static_cast<float>(count) * hex_height;
}

void draw_hex(Column& c, const HexView& hex) {
    if (!hex.raw || hex.range.size == 0) return;
    divider(c);
    section_head(c, hex.title, hex.note);
    draw_hex_rows(c, hex);
}

void go_to_step(Ui& ui, const inspect::PathStep& step) {
    if (!step.block) {
        ui.view().select_superblock();
        return;
    }
    ui.view().workspace = Workspace::Trees;
    if (step.slot)
        ui.view().select_slot(*step.block, *step.slot);
    else
        ui.view().select_block(*step.block);
}

void draw_path(Column& c, const std::vector<inspect::PathStep>& path) {
    if (path.empty()) return;
    const Theme& t = theme();
    divider(c);
    section_head(c, "How to reach its bytes", "");
    for (std::size_t i = 0; i < path.size(); ++i) {
        bool last = i + 1 == path.size();
        float y = c.y + step_height / 2;
        Touch touch = area(++c.id, {c.x - 8, c.y, c.w + 16, step_height});
        if (touch.hovered) fill({c.x - 8, c.y + 1, c.w + 16, step_height - 2}, t.hover, 4);
        canvas()->AddCircleFilled({c.x + 6, y}, 4, last ? t.text : t.text3, 16);
        if (!last) line(c.x + 6, y + 5, c.x + 6, y + 21, t.line_strong, 1.5F);
        float name_width = text_width(Font::Body, path[i].what);
        draw_text_fit(canvas(), last ? Font::BodyBold : Font::Body, c.x + 22, y, c.w * 0.45F,
                      last ? t.text : t.text2, path[i].what);
        float room = c.w - 22 - std::min(name_width, c.w * 0.45F) - 14;
        draw_text_fit(canvas(), Font::Mono12, c.right(), y, room, t.text, path[i].place, Align::Right);
        tooltip_if(touch.hovered, path[i].what + " " + path[i].place + "\nClick to go there");
        if (touch.clicked) go_to_step(c.ui, path[i]);
        c.y += step_height;
    }
}

void draw_text_part(Column& c, const InspectorModel& m) {
    // The Files stage shows it already, and more of it.
    if (m.text.empty() || c.ui.view().workspace == Workspace::Files) return;
    divider(c);
    section_head(c, m.text_title, "");
    for (const std::string& line_text : m.text) {
        if (c.sees(21)) draw_text_fit(canvas(), Font::Mono12, c.x, c.y + 10, c.w, theme().text2, line_text);
        c.y += 21;
    }
}

void draw_file_buttons(Column& c, const InspectorModel& m) {
    if (!m.node) return;
    float y = c.y + 18;
    float x = c.x;
    Ui& ui = c.ui;
    const char* extract = m.is_directory ? "Extract as tar" : "Extract";
    if (button("extract", extract, x, y, {.height = 30})) ui.extract_wanted = ui.view().selection.path;
    x += button_width(extract) + 8;
    bool can_go = !m.path.empty();
    if (button("show", "Show in tree", x, y, {.disabled = !can_go, .height = 30})) {
        for (const inspect::PathStep& step : m.path) {
            if (step.block && step.slot && step.what.find("leaf") != std::string::npos) go_to_step(ui, step);
        }
        ui.view().selection.tree = m.node->tree;
    }
    x += button_width("Show in tree") + 8;
    if (!m.is_directory && x + button_width("Hex") <= c.right()) {
        if (button("hex", ui.hex_preview ? "Text" : "Hex", x, y, {.height = 30}))
            ui.hex_preview = !ui.hex_preview;
    }
    c.y += 44;
}

void draw_title(Column& c, const InspectorModel& m) {
    const Theme& t = theme();
    draw_text_fit(canvas(), Font::Object, c.x, c.y + 14, c.w, t.text, m.title);
    draw_text_fit(canvas(), Font::Caption, c.x, c.y + 37, c.w, t.text2, m.loading ? "reading" : m.subtitle);
    c.y += 54;
    if (!m.trouble.empty()) {
        c.y += draw_wrapped(Font::Body, c.x, c.y, c.w, 20, t.state(State::Bad).line, m.trouble) + 8;
    }
}

// Which block is shown changed: begin at its top again.
void reset_scroll(Ui& ui) {
    static Selection shown;
    const Selection& now = ui.view().selection;
    bool same = shown.kind == now.kind && shown.block == now.block && shown.slot == now.slot &&
                shown.node == now.node;
    if (!same) ImGui::SetScrollY(0);
    shown = now;
}

void draw_two_columns(Ui& ui, Rect body, const InspectorModel& m) {
    float half = std::floor(body.w / 2);
    {
        Scroll scroll("left", {body.x, body.y, half, body.h});
        reset_scroll(ui);
        Column c{ui, scroll, body.x + 16, half - 40, scroll.top()};
        draw_title(c, m);
        draw_file_buttons(c, m);
        for (const InspectorSection& section : m.sections) draw_section(c, section);
        scroll.content_height(c.y - scroll.top() + 12);
    }
    Scroll scroll("right", {body.x + half, body.y, half, body.h});
    Column c{ui, scroll, body.x + half + 16, half - 40, scroll.top(), 5000};
    draw_path(c, m.path);
    draw_hex(c, m.hex);
    draw_text_part(c, m);
    scroll.content_height(c.y - scroll.top() + 12);
}

// Bytes keep a place of their own below the fields, so that both are seen at once.
Rect hex_pane(Rect body, const HexView& hex) {
    if (!hex.raw || hex.range.size == 0) return {};
    float wanted = static_cast<float>(hex.rows()) * hex_height + 56;
    float height = std::min(wanted, std::floor(body.h * 0.42F));
    return {body.x, body.bottom() - height, body.w, height};
}

void draw_hex_pane(Ui& ui, Rect r, const InspectorModel& m) {
    const Theme& t = theme();
    const auto& selected = ui.view().selection.bytes;
    hline(r.x + 15, r.right() - 16, r.y, t.line);
    draw_text(canvas(), Font::BodyBold, r.x + 15, r.y + 20, t.text, m.hex.title);
    draw_text(canvas(), Font::Caption, r.right() - 16, r.y + 20, t.text3, m.hex.note, Align::Right);
    Scroll scroll("bytes", {r.x, r.y + 38, r.w, r.h - 38});
    if (selected && ui.bytes_revealed != selected && selected->offset >= m.hex.range.offset) {
        float row = static_cast<float>((selected->offset - m.hex.range.offset) / HexView::row_bytes);
        scroll.reveal(scroll.top() + row * hex_height, hex_height);
    }
    ui.bytes_revealed = selected;
    Column c{ui, scroll, r.x + 15, r.w - 31, scroll.top(), 5000};
    draw_hex_rows(c, m.hex);
    scroll.content_height(c.y - scroll.top() + 12);
}

void draw_one_column(Ui& ui, Rect body, const InspectorModel& m) {
    Scroll scroll("inspector", body);
    reset_scroll(ui);
    Column c{ui, scroll, body.x + 15, body.w - 31, scroll.top()};
    draw_title(c, m);
    draw_file_buttons(c, m);
    for (const InspectorSection& section : m.sections) draw_section(c, section);
    draw_path(c, m.path);
    draw_text_part(c, m);
    scroll.content_height(c.y - scroll.top() + 16);
}

}  // namespace

void draw_right_ground(const Ui& ui) {
    const Theme& t = theme();
    const Rect panel = ui.layout.inspector;
    fill(panel, t.panel);
    if (ui.layout.sheet)
        hline(panel.x, panel.right(), panel.y, t.line);
    else
        vline(panel.x, panel.y, panel.bottom(), t.line);
}

void draw_inspector(Ui& ui) {
    const Theme& t = theme();
    Rect panel = ui.layout.inspector;
    if (panel.empty()) return;
    draw_right_ground(ui);
    const InspectorModel& m = ui.inspected;
    panel_head(panel, "Inspector", "");
    float right = panel.right() - 16;
    if (ui.layout.sheet) {
        if (text_button("fold", ui.choices.sheet_open ? "Fold" : "Unfold", right, panel.y + 20,
                        Align::Right)) {
            ui.choices.sheet_open = !ui.choices.sheet_open;
        }
        right -= text_width(Font::CaptionBold, "Unfold") + 20;
    }
    if (m.title.empty()) {
        draw_text(canvas(), Font::Body, panel.x + 16, panel.y + 52, t.text3,
                  fit_text(Font::Body, m.hint, panel.w - 32));
        return;
    }
    if (text_button("copy", "Copy as text", right, panel.y + 20, Align::Right)) {
        copy_with_toast(inspector_text(m), m.title + " as text");
    }
    right -= text_width(Font::CaptionBold, "Copy as text") + 16;
    draw_text(canvas(), Font::Caption, right, panel.y + 20, t.text3, m.kind, Align::Right);
    Rect body{panel.x + 1, panel.y + 36, panel.w - 1, panel.h - 36};
    if (ui.layout.sheet) {
        if (panel.h > 60) draw_two_columns(ui, body, m);
        return;
    }
    Rect bytes = hex_pane(body, m.hex);
    body.h -= bytes.h;
    draw_one_column(ui, body, m);
    if (bytes.h > 0) draw_hex_pane(ui, bytes, m);
}

}  // namespace glassfs::ui
