// SPDX-License-Identifier: MIT
// The rows of the Trees picture: strips, cells and blocks; the focused block's neighbours; its card.
#include "base/text.h"
#include "ui/views/trees_state.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float cell_width = 22;

void fill_box(ImDrawList* list, Rect b, Colour colour) {
    list->AddRectFilled({b.x, b.y}, {b.right(), b.bottom()}, colour);
}

const char* blocks_word(const TreesFrame& f, unsigned row, u64 count) {
    const bool leaves = f.s.record(f.s.layout.row(row)[0]).level == 0;
    if (count == 1) return leaves ? "leaf" : "node";
    return leaves ? "leaves" : "nodes";
}

void draw_strip(TreesFrame& f, unsigned r) {
    const Theme& t = theme();
    const RowPlan& row = f.plan.rows[r];
    const TreesStage::State& s = f.s;
    const double from = s.camera.to_unit(0, f.width);
    const double to = s.camera.to_unit(f.width, f.width);
    const Rect line = f.on_screen(0, row.y, f.width, row.height);
    const std::string caption =
        text("1 cell = %s %s · %s %s", grouped(row.per_cell).c_str(), blocks_word(f, r, row.per_cell),
             grouped(s.layout.row(r).size()).c_str(), blocks_word(f, r, s.layout.row(r).size()));
    const float caption_right = f.origin.x + f.width - side_margin;
    float number_end = 0;
    const float caption_left = caption_right - text_width(Font::Caption, caption);
    for (const Cell& cell : s.layout.strip(r, from, to, row.per_cell)) {
        const float left = std::round(f.x_of(cell.begin));
        const float right = std::max(std::round(f.x_of(cell.end)) - 1, left + 1);
        const float height = std::max(std::round(line.h * cell.fill), 1.0F);
        fill_box(f.list, {left, line.y, right - left, line.h - height}, t.panel);
        const State state = cell.bad > 0 ? State::Bad : s.is_log ? State::Log : State::Clean;
        fill_box(f.list, {left, line.bottom() - height, right - left, height}, t.state(state).line);
        if (cell.bad == 0) continue;
        f.list->AddLine({left, line.y}, {right, line.bottom()}, t.text, 1);  // the shape of a bad block
        f.list->AddLine({right, line.y}, {left, line.bottom()}, t.text, 1);
        const std::string number = grouped(cell.bad);
        const float end = left + text_width(Font::Mono12, number);
        if (left < number_end + 6 || (row.caption > 0 && end > caption_left - 8)) continue;
        draw_text(f.list, Font::Mono12, left, line.bottom() + 12, t.state(State::Bad).line, number);
        number_end = end;
    }
    // Beside the path's block where that takes the caption's line.
    const bool beside = row.path_height > 0 && f.path_box(r).right() + 12 < caption_left;
    if (row.caption <= 0 && !beside) return;
    const float y = beside ? f.path_box(r).y + 6 : line.bottom() + 12;
    draw_text(f.list, Font::Caption, caption_right, y, t.text3, caption, Align::Right);
}

// Where the current path and the pointer cross a row of cells.
void mark_cell(TreesFrame& f, unsigned r, u32 record, Colour colour) {
    const RowPlan& row = f.plan.rows[r];
    float left = f.x_of(f.s.layout.begin(record));
    float right = f.x_of(f.s.layout.end(record));
    if (right - left < 3) {
        left = 0.5F * (left + right) - 1.5F;
        right = left + 3;
    }
    if (right < f.origin.x || left > f.origin.x + f.width) return;
    const Rect line = f.on_screen(0, row.y, f.width, row.height);
    f.list->AddRect({left - 2, line.y - 3}, {right + 2, line.bottom() + 3}, colour, 2, 0, 2);
}

void draw_cells(TreesFrame& f, unsigned r) {
    const auto [first, last] = f.visible(r);
    for (u32 rank = first; rank < last; ++rank) {
        const u32 record = f.s.layout.row(r)[rank];
        draw_cell(f.list, f.row_box(r, record), f.s.layout.fill(record), f.look(record));
    }
}

void draw_free(TreesFrame& f, Rect box, u32 record) {
    const inspect::NodeRecord& block = f.s.record(record);
    const Theme& t = theme();
    const float x = box.x + 0.5F * box.w;
    const float y = box.bottom() + 13;
    if (block.bad) {
        draw_text_fit(f.list, Font::Caption, x, y, box.w + 8, t.state(State::Bad).line, "bad", Align::Centre);
        return;
    }
    std::string label = grouped(block.free_bytes) + " B free";
    if (text_width(Font::Caption, label) > box.w + 4) label = grouped(block.free_bytes);
    if (text_width(Font::Caption, label) > box.w + 4) return;
    draw_text(f.list, Font::Caption, x, y, t.text3, label, Align::Centre);
}

void draw_small_block(TreesFrame& f, Rect box, u32 record) {
    const inspect::NodeRecord& block = f.s.record(record);
    BlockLook look = f.look(record);
    if (box.w < 38) {
        draw_cell(f.list, box, f.s.layout.fill(record), look);
        f.s.targets.push_back({Target::Kind::Block, box, record});
        return;
    }
    const auto [first_child, children] = f.s.layout.children(record);
    if (block.level == 0 || children == 0) {
        draw_leaf(f.list, box, block, look);
        f.s.targets.push_back({Target::Kind::Block, box, record});
        return;
    }
    SlotLook slots;
    const auto [first, last] = f.visible(f.s.layout.row_of(record) + 1);
    const u32 begin = std::max(first, first_child);
    const u32 end = std::min(last, first_child + children);
    const auto row = f.s.layout.row(f.s.layout.row_of(record) + 1);
    if (begin < end) {
        slots.lit_first = f.s.record(row[begin]).slot;
        slots.lit_last = f.s.record(row[end - 1]).slot + 1;
    }
    slots.path = f.path_slot(record);
    if (!slots.path) slots.path = f.selected_slot(record);
    if (f.pointed.record == record) slots.hovered = f.pointed.slot;
    if (f.pointed.record != TreeLayout::none && f.s.layout.parent(f.pointed.record) == record) {
        slots.hovered = f.s.record(f.pointed.record).slot;
    }
    draw_node(f.list, box, block, slots, look);
    f.s.targets.push_back({Target::Kind::Node, box, record});
}

void draw_blocks(TreesFrame& f, unsigned r) {
    const RowPlan& row = f.plan.rows[r];
    const auto [first, last] = f.visible(r);
    const bool leaves = r + 1 == f.s.layout.rows();
    const double fade = f.s.fading.progress();
    for (u32 rank = first; rank < last; ++rank) {
        const u32 record = f.s.layout.row(r)[rank];
        const Rect box = f.row_box(r, record);
        if (row.zoom < Zoom::Z2) {
            draw_small_block(f, box, record);
            if (leaves && row.caption > 0 && box.w >= 38) draw_free(f, box, record);
            continue;
        }
        BlockLook look = f.look(record);
        look.card = true;
        draw_frame(f.list, box, look);
        const bool fading = fade < 1 && r == f.plan.focus_row && f.s.zoom == row.zoom;
        if (fading) draw_detail(f, box, record, f.s.zoom_before, static_cast<float>(1 - fade));
        draw_detail(f, box, record, row.zoom, fading ? static_cast<float>(fade) : 1);
        draw_overlay(f.list, box, look);
    }
}

}  // namespace

Rect TreesFrame::on_screen(float x, float y, float w, float h) const {
    const float left = std::round(origin.x + x);
    const float top = std::round(origin.y + y - s.scroll);
    return {left, top, std::round(origin.x + x + w) - left, std::round(origin.y + y + h - s.scroll) - top};
}

float TreesFrame::wanted_width(unsigned row, u32 record) const {
    const RowPlan& p = plan.rows[row];
    if (p.zoom == Zoom::Z0) return cell_width;
    if (p.zoom >= Zoom::Z2 || s.record(record).level == 0) return p.block_w;
    return std::clamp(16 + 23 * static_cast<float>(s.record(record).items), 170.0F, p.block_w);
}

Rect TreesFrame::row_box(unsigned row, u32 record) const {
    const RowPlan& p = plan.rows[row];
    const Span span = block_span(s.layout, s.camera, width, record, wanted_width(row, record));
    return on_screen(span.left, p.y, span.width(), p.height);
}

Rect TreesFrame::path_box(unsigned row) const {
    const RowPlan& p = plan.rows[row];
    const u32 record = path[row];
    const float wanted =
        std::min(std::clamp(16 + 23 * static_cast<float>(s.record(record).items), 170.0F, 640.0F),
                 width - 2 * side_margin);
    const auto centre = static_cast<float>(s.camera.to_x(s.layout.centre(record), width));
    const float left = std::clamp(centre - 0.5F * wanted, side_margin, width - side_margin - wanted);
    return on_screen(left, p.path_y, wanted, p.path_height);
}

Rect TreesFrame::neighbour_box(u32 rank) const {
    const auto [first, last] = neighbours_of(s.layout, s.focus);
    const auto count = static_cast<float>(last - first);
    const float pitch = std::min(pitch_of_z1, (width - 2 * side_margin) / count);
    const float left = 0.5F * (width - pitch * count) + pitch * static_cast<float>(rank - first);
    const float w = block_width(pitch);
    return on_screen(left + 0.5F * (pitch - w), plan.neighbours.y, w, plan.neighbours.height);
}

Rect TreesFrame::seen_box(u32 record) const {
    const unsigned row = s.layout.row_of(record);
    if (record == s.focus && plan.neighbours) return neighbour_box(s.layout.rank_of(record));
    if (plan.rows[row].path_height > 0 && on_path(record)) return path_box(row);
    return row_box(row, record);
}

std::pair<u32, u32> TreesFrame::visible(unsigned row) const {
    return s.layout.visible(row, s.camera.to_unit(0, width), s.camera.to_unit(width, width));
}

bool TreesFrame::on_path(u32 record) const {
    const unsigned row = s.layout.row_of(record);
    return row < path.size() && path[row] == record;
}

std::optional<u32> TreesFrame::path_slot(u32 record) const {
    const unsigned row = s.layout.row_of(record);
    if (!on_path(record) || row + 1 >= path.size()) return {};
    return s.record(path[row + 1]).slot;
}

bool TreesFrame::selected(u32 record) const {
    return session.view.selection.block == s.addr(record);
}

std::optional<u32> TreesFrame::selected_slot(u32 record) const {
    return selected(record) ? session.view.selection.slot : std::nullopt;
}

BlockLook TreesFrame::look(u32 record) const {
    BlockLook look;
    look.state = s.is_log ? State::Log : State::Clean;
    if (s.newer && s.newer->contains(s.addr(record).value)) look.state = State::New;
    if (s.read_now == s.addr(record)) look.state = State::Read;
    look.bad = s.layout.bad(record);
    look.selected = selected(record);
    look.hovered = pointed.record == record || session.view.hover.block == s.addr(record);
    return look;
}

void draw_rows(TreesFrame& f) {
    for (unsigned r = 0; r < f.plan.rows.size(); ++r) {
        const RowPlan& row = f.plan.rows[r];
        if (row.kind == RowPlan::Kind::Strip) draw_strip(f, r);
        if (row.kind == RowPlan::Kind::Cells) draw_cells(f, r);
        if (row.kind == RowPlan::Kind::Blocks) draw_blocks(f, r);
        if (row.zoom != Zoom::Z0) continue;
        const bool pointed = f.pointed.record != TreeLayout::none && f.s.layout.row_of(f.pointed.record) == r;
        if (pointed) mark_cell(f, r, f.pointed.record, theme().text3);
        if (r < f.path.size()) mark_cell(f, r, f.path[r], theme().state(State::Selected).line);
        if (row.path_height > 0 && r < f.path.size()) draw_small_block(f, f.path_box(r), f.path[r]);
    }
}

void draw_neighbours(TreesFrame& f) {
    if (!f.plan.neighbours) return;
    const unsigned row = f.plan.focus_row;
    const auto [first, last] = neighbours_of(f.s.layout, f.s.focus);
    for (u32 rank = first; rank < last; ++rank) {
        const u32 record = f.s.layout.row(row)[rank];
        const Rect box = f.neighbour_box(rank);
        draw_leaf(f.list, box, f.s.record(record), f.look(record));  // nodes too: slots would be too narrow
        f.s.targets.push_back({Target::Kind::Block, box, record});
        draw_free(f, box, record);
    }
}

namespace {

// Left edges of the block's card and of the card of its item, beside it where there is more room.
struct CardPlaces {
    float block = 0;
    std::optional<float> item;
};

CardPlaces place_cards(float stage_width, float wanted_middle, float width) {
    const float first = side_margin;
    const float last = std::max(stage_width - side_margin - width, first);
    CardPlaces places;
    places.block = std::clamp(wanted_middle - 0.5F * width, first, last);
    const float step = width + card_gap;
    if (last - first < step) return places;
    // Where neither side has room the block's card gives way, to the nearer side.
    const float right_most = last - step;
    const float left_most = first + step;
    const bool item_right = places.block - right_most <= left_most - places.block;
    places.block = item_right ? std::min(places.block, right_most) : std::max(places.block, left_most);
    places.item = item_right ? places.block + step : places.block - step;
    return places;
}

}  // namespace

void draw_card(TreesFrame& f) {
    if (!f.plan.card || f.s.focus == TreeLayout::none) return;
    const Theme& t = theme();
    const Rect block = f.seen_box(f.s.focus);
    const float width = std::min(card_width, f.width - 2 * side_margin);
    const float middle = block.x + 0.5F * block.w;
    const CardPlaces places = place_cards(f.width, middle - f.origin.x, width);
    const Rect card = f.band_box(f.plan.card, places.block, width);
    const float from_y =
        block.bottom() + (f.s.record(f.s.focus).level == 0 || f.plan.neighbours ? 22.0F : 2.0F);
    const float x0 = std::clamp(middle, f.origin.x + 6, f.origin.x + f.width - 6);
    const float x1 = std::clamp(x0, card.x + 20, card.right() - 20);
    const float bend = 0.5F * (card.y - from_y);
    f.list->AddBezierCubic({x0, from_y}, {x0, from_y + bend}, {x1, card.y - 5 - bend}, {x1, card.y - 5},
                           t.text2, 2);
    f.list->AddTriangleFilled({x1 - 5, card.y - 8}, {x1 + 5, card.y - 8}, {x1, card.y - 1}, t.text2);
    BlockLook look = f.look(f.s.focus);
    look.card = true;
    draw_frame(f.list, card, look);
    draw_detail(f, card, f.s.focus, Zoom::Z2, 1);
    draw_overlay(f.list, card, look);
    if (places.item) draw_item_card(f, card, f.band_box(f.plan.card, *places.item, width), f.s.focus);
}

}  // namespace glassfs::ui
