// SPDX-License-Identifier: MIT
// Pointers between the rows: each leaves from the slot that holds it and ends at the block it points to.
// Where a row is too small for single pointers, a pale wedge shows which part of the next row lies below a
// block.
#include "ui/views/trees_state.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr u32 wedges_max = 120;

void wedge(TreesFrame& f, float left, float right, float y, float to_left, float to_right, float to_y,
           float alpha) {
    const Theme& t = theme();
    const float edge_left = f.origin.x - 8;
    const float edge_right = f.origin.x + f.width + 8;
    to_left = std::clamp(to_left, edge_left, edge_right);
    to_right = std::clamp(to_right, edge_left, edge_right);
    if (to_right <= to_left) return;
    // Filled only on the current path: large pale areas are what a frame costs without a graphics card.
    if (alpha >= 1)
        f.list->AddQuadFilled({left, y}, {right, y}, {to_right, to_y}, {to_left, to_y},
                              with_alpha(t.line, 0.35F));
    f.list->AddLine({left, y}, {to_left, to_y}, with_alpha(t.line_strong, 0.6F * alpha));
    f.list->AddLine({right, y}, {to_right, to_y}, with_alpha(t.line_strong, 0.6F * alpha));
}

void pointer(TreesFrame& f, float x0, float y0, float x1, float y1, Colour colour, float thickness,
             int segments) {
    const float bend = std::min(0.64F * (y1 - y0), 46.0F);
    f.list->AddBezierCubic({x0, y0}, {x0, y0 + bend}, {x1, y1 - bend}, {x1, y1}, colour, thickness, segments);
}

void arrow_head(TreesFrame& f, float x, float y, Colour colour) {
    f.list->AddTriangleFilled({x - 5, y - 8}, {x + 5, y - 8}, {x, y - 1}, colour);
}

// The part of the next row below a block, as a wedge.
void wedge_below(TreesFrame& f, Rect from, u32 record, float alpha) {
    const unsigned row = f.s.layout.row_of(record);
    const RowPlan& next = f.plan.rows[row + 1];
    const float top = f.on_screen(0, next.y, 1, 1).y - 3;
    wedge(f, from.x, from.right(), from.bottom() + 1, f.x_of(f.s.layout.begin(record)),
          f.x_of(f.s.layout.end(record)), top, alpha);
}

// The way of the current path out of a node.
void path_pointer(TreesFrame& f, Rect from, u32 record) {
    const unsigned row = f.s.layout.row_of(record);
    if (row + 1 >= f.path.size()) return;
    const u32 child = f.path[row + 1];
    const RowPlan& next = f.plan.rows[row + 1];
    const Rect child_box = f.row_box(row + 1, child);
    const float edge_left = f.origin.x + 8;
    const float x1 = std::clamp(child_box.x + 0.5F * child_box.w, edge_left, f.origin.x + f.width - 8);
    const float top = f.on_screen(0, next.y, 1, 1).y;
    const u32 slots = f.s.record(record).items;
    const float x0 = from.w >= 38 ? slot_x(from, f.s.record(child).slot, slots) : from.x + 0.5F * from.w;
    const Colour colour = theme().text2;
    pointer(f, x0, from.bottom(), x1, top - 6, colour, 2, 24);
    arrow_head(f, x1, top - (next.zoom == Zoom::Z0 ? 4.0F : 1.0F), colour);
}

// All children of a node that are on the stage.
void pointers_below(TreesFrame& f, Rect from, u32 record) {
    const unsigned row = f.s.layout.row_of(record);
    const auto [first_child, children] = f.s.layout.children(record);
    const auto [visible_first, visible_last] = f.visible(row + 1);
    const u32 first = std::max(first_child, visible_first);
    const u32 last = std::min(first_child + children, visible_last);
    const Theme& t = theme();
    const int segments = last > first + 100 ? 10 : 18;
    for (u32 rank = first; rank < last; ++rank) {
        const u32 child = f.s.layout.row(row + 1)[rank];
        if (f.on_path(child)) continue;
        const Rect box = f.row_box(row + 1, child);
        const float x0 = slot_x(from, f.s.record(child).slot, f.s.record(record).items);
        const bool hovered = f.pointed.record == child;
        const Colour colour = hovered ? t.text : with_alpha(t.text3, last > first + 60 ? 0.45F : 0.8F);
        pointer(f, x0, from.bottom(), box.x + 0.5F * box.w, box.y, colour, hovered ? 2.0F : 1.2F, segments);
    }
}

void pointers_of_row(TreesFrame& f, unsigned r) {
    const RowPlan& row = f.plan.rows[r];
    const RowPlan& next = f.plan.rows[r + 1];
    const auto [first, last] = f.visible(r);
    const bool readable = row.kind == RowPlan::Kind::Blocks;
    const bool single = readable && next.kind != RowPlan::Kind::Strip;
    for (u32 rank = first; rank < last; ++rank) {
        const u32 record = f.s.layout.row(r)[rank];
        const Rect box = f.row_box(r, record);
        if (single && box.w >= 38)
            pointers_below(f, box, record);
        else if (row.kind != RowPlan::Kind::Strip && last - first <= wedges_max)
            wedge_below(f, box, record, f.on_path(record) ? 1 : readable ? 0.8F : 0.5F);
    }
    if (r >= f.path.size()) return;
    const u32 record = f.path[r];
    if (row.path_height > 0) {
        // From its cell to the block below it, and on from there.
        const Rect box = f.path_box(r);
        const Rect line = f.on_screen(0, row.y, f.width, row.height);
        wedge(f, std::max(f.x_of(f.s.layout.begin(record)), f.origin.x - 8),
              std::min(f.x_of(f.s.layout.end(record)), f.origin.x + f.width + 8), line.bottom() + 3, box.x,
              box.right(), box.y, 1);
        wedge_below(f, box, record, 1);
        path_pointer(f, box, record);
    } else {
        path_pointer(f, f.row_box(r, record), record);
    }
}

// From the focused row's cells to its neighbours, drawn larger below.
void neighbours_wedge(TreesFrame& f) {
    if (!f.plan.neighbours) return;
    const unsigned r = f.plan.focus_row;
    const auto [first, last] = neighbours_of(f.s.layout, f.s.focus);
    const auto row = f.s.layout.row(r);
    const Rect line = f.on_screen(0, f.plan.rows[r].y, f.width, f.plan.rows[r].height);
    const Rect left = f.neighbour_box(first);
    const Rect right = f.neighbour_box(last - 1);
    wedge(f, std::clamp(f.x_of(f.s.layout.begin(row[first])), f.origin.x - 8, f.origin.x + f.width + 8),
          std::clamp(f.x_of(f.s.layout.end(row[last - 1])), f.origin.x - 8, f.origin.x + f.width + 8),
          line.bottom() + 3, left.x, right.right(), left.y - 4, 1);
}

}  // namespace

void draw_pointers(TreesFrame& f) {
    for (unsigned r = 0; r + 1 < f.plan.rows.size(); ++r) pointers_of_row(f, r);
    neighbours_wedge(f);
}

}  // namespace glassfs::ui
