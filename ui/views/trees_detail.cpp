// SPDX-License-Identifier: MIT
// A block from Z2 on: its items, the fields of one of them, its hex. The session reads blocks in the
// background; until one is there its Z1 content stands in its place.
#include "base/text.h"
#include "ui/views/trees_state.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float list_width_min = 232;
constexpr float list_width_max = 300;
constexpr float hex_width = 348;

void draw_failed(TreesFrame& f, Rect box, u32 record, const Error& error, float alpha) {
    const Theme& t = theme();
    const float x = box.x + 12;
    draw_text_fit(f.list, Font::Mono13Bold, x, box.y + 20, box.w - 24, with_alpha(t.text, alpha),
                  text("%llu", static_cast<unsigned long long>(f.s.addr(record).value)));
    draw_text_fit(f.list, Font::BodyBold, x, box.y + 56, box.w - 24,
                  with_alpha(t.state(State::Bad).line, alpha), "This block can't be read.");
    draw_text_fit(f.list, Font::Caption, x, box.y + 78, box.w - 24, with_alpha(t.text2, alpha),
                  error.message());
}

void draw_error_line(TreesFrame& f, Rect box, const inspect::BlockView& view, float alpha) {
    if (!view.error) return;
    draw_text_fit(f.list, Font::Caption, box.x + 12, box.bottom() - 48, box.w - 24,
                  with_alpha(theme().state(State::Bad).line, alpha), view.error->message());
}

bool takes_pointer(float alpha) {
    return alpha >= 0.5F;
}

void draw_list(TreesFrame& f, Rect box, u32 record, const inspect::BlockView& view, Usage usage,
               float alpha) {
    ItemLook items;
    const auto found = f.s.listed.find(view.addr);
    items.first = found == f.s.listed.end() ? 0 : found->second;
    items.selected = f.selected_slot(record);
    if (f.pointed.record == record) items.hovered = f.pointed.slot;
    if (!items.hovered && f.session.view.hover.block == view.addr) items.hovered = f.session.view.hover.slot;
    BlockLook look = f.look(record);
    look.alpha = alpha;
    draw_items(f.list, box, view, items, look, usage);
    if (usage == Usage::Inside && view.error) draw_error_line(f, box, view, alpha);
    if (!takes_pointer(alpha)) return;
    Target target{Target::Kind::Items, items_box(box, usage), record};
    target.first = items.first;
    f.s.targets.push_back({Target::Kind::Block, box, record});
    f.s.targets.push_back(target);
}

FieldLook field_look(const TreesFrame& f, const inspect::BlockView& view, u32 first_row) {
    FieldLook look;
    look.first_row = first_row;
    const ViewState& v = f.session.view;
    if (v.selection.block == view.addr) look.selected = v.selection.bytes;
    // Others may hover bytes without naming the block: then it is the selected one.
    const bool here = v.hover.block ? v.hover.block == view.addr : v.selection.block == view.addr;
    if (here) look.hovered = v.hover.bytes;
    return look;
}

// Key at the left, slot at the right.
void draw_item_header(TreesFrame& f, Rect box, const inspect::BlockView& view, u32 slot,
                      const std::string& right, float alpha) {
    const Theme& t = theme();
    const inspect::Item& item = view.items[slot];
    f.list->AddRectFilled({box.x + 12, box.y + 12}, {box.x + 16, box.y + 28},
                          with_alpha(t.item(item.item_class), alpha), 1);
    const float width = draw_text(f.list, Font::Caption, box.right() - 12, box.y + 20,
                                  with_alpha(t.text2, alpha), right, Align::Right);
    draw_text_fit(f.list, Font::Mono13Bold, box.x + 24, box.y + 20, box.w - 48 - width,
                  with_alpha(t.text, alpha), item.key_text);
    f.list->AddLine({box.x, box.y + header_height}, {box.right(), box.y + header_height},
                    with_alpha(t.line, alpha));
}

std::string slot_text(const inspect::BlockView& view, u32 slot) {
    return "slot " + grouped(slot) + " of " + grouped(view.items.size());
}

// Fields that don't fit are counted: nothing is left out silently.
void draw_field_pane(TreesFrame& f, Rect pane, u32 record, const inspect::BlockView& view, u32 slot,
                     float alpha) {
    const Theme& t = theme();
    const auto fields = f.session.item_fields(view.addr, slot);
    if (fields.error()) {
        draw_text_fit(f.list, Font::Caption, pane.x + 14, pane.y + 14, pane.w - 28,
                      with_alpha(t.state(State::Bad).line, alpha), fields.error()->message());
    }
    if (!fields) return;
    const u32 fitting = rows_that_fit(pane, field_height);
    const auto all = static_cast<u32>(fields->size());
    const u32 first = std::min(f.s.detail_row, all - std::min(all, fitting));
    Rect rows = pane;
    const bool more = first + fitting < all;
    if (more) rows.h -= field_height;
    draw_fields(f.list, rows, *fields, field_look(f, view, first), alpha);
    if (more) {
        const u32 shown = rows_that_fit(rows, field_height);
        draw_text(f.list, Font::Caption, pane.x + 14, rows.bottom() + 12, with_alpha(t.text3, alpha),
                  grouped(all - first - shown) + " more below");
    }
    if (!takes_pointer(alpha)) return;
    Target target{Target::Kind::Fields, rows, record, slot};
    target.first = first;
    f.s.targets.push_back(target);
}

void draw_hex_pane(TreesFrame& f, Rect pane, u32 record, const inspect::BlockView& view, u32 slot,
                   float alpha) {
    if (!view.raw) return;
    const inspect::Item& item = view.items[slot];
    const ByteRange range{item.data_offset, item.data_size};
    const u32 rows = (range.size + hex_per_row - 1) / hex_per_row;
    const u32 fitting = rows_that_fit(pane, field_height);
    const u32 first = std::min(f.s.detail_row, rows - std::min(rows, fitting));
    const auto fields = f.session.item_fields(view.addr, slot);
    const std::span<const inspect::Field> named =
        fields ? std::span(*fields) : std::span<const inspect::Field>{};
    draw_hex(f.list, pane, *view.raw, range, named, field_look(f, view, first), alpha);
    if (!takes_pointer(alpha)) return;
    Target target{Target::Kind::Hex, pane, record, slot};
    target.first = first;
    target.raw = view.raw;
    target.range = range;
    f.s.targets.push_back(target);
}

void draw_z3(TreesFrame& f, Rect box, u32 record, const inspect::BlockView& view, float alpha) {
    const u32 slot = f.current_slot(record, view);
    Rect pane = box;
    const float list_width = std::clamp(box.w - 380, list_width_min, list_width_max);
    if (box.w >= list_width_min + 240) {
        draw_list(f, {box.x, box.y, list_width, box.h}, record, view, Usage::Inside, alpha);
        pane = {box.x + list_width, box.y, box.w - list_width, box.h};
        f.list->AddLine({pane.x, box.y + 1}, {pane.x, box.bottom() - 1}, with_alpha(theme().line, alpha));
    }
    if (view.items.empty()) return;
    draw_item_header(f, pane, view, slot, slot_text(view, slot), alpha);
    draw_field_pane(f, {pane.x, pane.y + header_height + 8, pane.w, pane.h - header_height - 14}, record,
                    view, slot, alpha);
}

void draw_z4(TreesFrame& f, Rect box, u32 record, const inspect::BlockView& view, float alpha) {
    const u32 slot = f.current_slot(record, view);
    Rect pane = box;
    const float list_width = std::clamp(box.w - hex_width - 320, list_width_min, list_width_max);
    const bool with_list = box.w >= list_width_min + hex_width + 220;
    if (with_list) {
        draw_list(f, {box.x, box.y, list_width, box.h}, record, view, Usage::Inside, alpha);
        pane = {box.x + list_width, box.y, box.w - list_width, box.h};
        f.list->AddLine({pane.x, box.y + 1}, {pane.x, box.bottom() - 1}, with_alpha(theme().line, alpha));
    }
    if (view.items.empty()) return;
    const inspect::Item& item = view.items[slot];
    const std::string where = text("%s · %s bytes at +0x%x", slot_text(view, slot).c_str(),
                                   grouped(item.data_size).c_str(), item.data_offset);
    draw_item_header(f, pane, view, slot, where, alpha);
    const float top = pane.y + header_height + 8;
    const float height = pane.h - header_height - 14;
    const float hex = std::min(hex_width, 0.62F * pane.w);
    draw_hex_pane(f, {pane.x, top, hex, height}, record, view, slot, alpha);
    draw_field_pane(f, {pane.x + hex, top, pane.w - hex, height}, record, view, slot, alpha);
}

}  // namespace

u32 TreesFrame::current_slot(u32 record, const inspect::BlockView& view) const {
    if (view.items.empty()) return 0;
    const auto last = static_cast<u32>(view.items.size() - 1);
    return std::min(selected_slot(record).value_or(0), last);
}

void draw_detail(TreesFrame& f, Rect box, u32 record, Zoom zoom, float alpha) {
    if (zoom == Zoom::Z0 || alpha <= 0) return;
    const auto block = f.session.block(f.s.addr(record));
    if (zoom == Zoom::Z1 || block.pending()) {
        BlockLook look = f.look(record);
        look.alpha = alpha;
        look.selected = false;
        draw_leaf(f.list, box, f.s.record(record), look);
        if (takes_pointer(alpha)) f.s.targets.push_back({Target::Kind::Block, box, record});
        return;
    }
    if (block.error()) return draw_failed(f, box, record, *block.error(), alpha);
    f.list->PushClipRect({box.x, box.y}, {box.right(), box.bottom()}, true);
    if (zoom == Zoom::Z2) draw_list(f, box, record, *block, Usage::Inside, alpha);
    if (zoom == Zoom::Z3) draw_z3(f, box, record, *block, alpha);
    if (zoom == Zoom::Z4) draw_z4(f, box, record, *block, alpha);
    f.list->PopClipRect();
}

void draw_item_card(TreesFrame& f, Rect block_card, Rect card, u32 record) {
    const auto block = f.session.block(f.s.addr(record));
    if (!block || block->items.empty()) return;
    const u32 slot = f.current_slot(record, *block);
    const Theme& t = theme();
    // From the item's row to its fields.
    const auto found = f.s.listed.find(block->addr);
    const ItemRows rows =
        item_rows(items_box(block_card, Usage::Inside), static_cast<u32>(block->items.size()),
                  found == f.s.listed.end() ? 0 : found->second);
    if (slot >= rows.first && slot < rows.first + rows.count) {
        const bool right = card.x > block_card.x;
        const float way = right ? 1.0F : -1.0F;
        const float x0 = right ? block_card.right() + 4 : block_card.x - 4;
        const float x1 = right ? card.x - 2 : card.right() + 2;
        const float y0 = rows.row_centre(slot);
        const float y1 = card.y + 20;
        f.list->AddBezierCubic({x0, y0}, {x0 + 30 * way, y0}, {x1 - 34 * way, y1}, {x1 - 5 * way, y1},
                               t.text2, 2);
        f.list->AddTriangleFilled({x1 - 7 * way, y1 - 5}, {x1 - 7 * way, y1 + 5}, {x1, y1}, t.text2);
    }
    BlockLook look = f.look(record);
    look.selected = false;
    look.bad = false;
    look.card = true;
    draw_frame(f.list, card, look);
    f.list->PushClipRect({card.x, card.y}, {card.right(), card.bottom()}, true);
    draw_item_header(f, card, *block, slot, slot_text(*block, slot), 1);
    draw_field_pane(f, {card.x, card.y + header_height + 8, card.w, card.h - header_height - 14}, record,
                    *block, slot, 1);
    f.list->PopClipRect();
}

}  // namespace glassfs::ui
