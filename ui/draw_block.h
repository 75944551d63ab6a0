// SPDX-License-Identifier: MIT
// The glyph of a metadata block at every zoom level, and every state with its colour and its shape. The same
// outline, header and colours at each level:
//
//     Z0  one cell, its fill as a height            Z3  fields of one item, beside the list of items
//     Z1  address, bars by item type                Z4  hex of one item beside its fields
//     Z2  slot, key, name, size of each item
//
// Bars grow upward and are true to bytes. Only these functions draw states, so that none is drawn without its
// shape.
#pragma once

#include "imgui.h"
#include "inspect/inspector.h"
#include "ui/layout.h"
#include "ui/theme.h"
#include "ui/tree_plan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace glassfs::ui {

struct BlockLook {
    State state = State::Clean;
    bool bad = false;       // checksum or content: crossed dashes, in addition to the state
    bool selected = false;  // outer ring
    bool hovered = false;
    bool card = false;  // large enough to be read: drawn like a panel
    float alpha = 1;    // of the content; outline and fill stay: for the cross-fade between zoom levels
};

void dashed_line(ImDrawList*, ImVec2 from, ImVec2 to, Colour, float thickness, float dash, float gap);
void dashed_box(ImDrawList*, Rect, Colour, float thickness, float dash, float gap);

// Fill, outline and the shape of the state; nothing inside.
void draw_frame(ImDrawList*, Rect, const BlockLook&);
// What lies over the content: the crossed dashes, the strike, the ring of the selection.
void draw_overlay(ImDrawList*, Rect, const BlockLook&);
// The state as a legend's swatch, 12 x 12 around `y`.
void draw_swatch(ImDrawList*, float x, float y, State);

// Z0: without text. `fill` 0 to 1.
void draw_cell(ImDrawList*, Rect, float fill, const BlockLook&);

// Z1 of a leaf: the address, and a bar for each type of item.
void draw_leaf(ImDrawList*, Rect, const inspect::NodeRecord&, const BlockLook&);

// Z1 of a node: address, level, generation, and its slots.
struct SlotLook {
    u32 lit_first = 0, lit_last = 0;  // slots whose children are on the stage
    std::optional<u32> path;          // the slot of the current path
    std::optional<u32> hovered;
};
void draw_node(ImDrawList*, Rect, const inspect::NodeRecord&, const SlotLook&, const BlockLook&);
// Where the pointer of a slot leaves the node's lower edge.
float slot_x(Rect, u32 slot, u32 slots);
// The slot at a point of the node, if its row of slots is there.
std::optional<u32> slot_at(Rect, u32 slots, ImVec2);

// Which items of a block are listed: a window of rows. Where items are left out above or below, a row says
// how many.
struct ItemRows {
    static constexpr float row_height = 23;
    u32 first = 0, count = 0;  // slots
    u32 above = 0, below = 0;  // left out
    bool counted = false;      // a row says so; a very low box has no room for that
    float y = 0;               // of the first item's row
    Rect box;                  // of all rows
    // The slot whose row is at this height.
    std::optional<u32> slot_at(float y) const;
    float row_centre(u32 slot) const { return y + row_height * (float(slot - first) + 0.5F); }
    // Over the row that says how many are left out: -1 above, 1 below, else 0.
    int more_at(float y) const;
};
ItemRows item_rows(Rect, u32 items, u32 first);
// The window's first slot, moved as little as possible so that `slot` is listed.
u32 first_to_show(Rect, u32 items, u32 first, u32 slot);

struct ItemLook {
    u32 first = 0;  // first slot listed
    std::optional<u32> selected;
    std::optional<u32> hovered;
};
// Header with address, generation and number of items.
void draw_header(ImDrawList*, Rect, const inspect::BlockView&, const BlockLook&);
inline constexpr float header_height = 38;
// Z2: header and items. With a bar for the free space where `usage` says so.
enum class Usage : u8 { Inside, None };
void draw_items(ImDrawList*, Rect, const inspect::BlockView&, const ItemLook&, const BlockLook&, Usage);
Rect items_box(Rect block, Usage);  // where its rows are
// The bar of used and free bytes, with both numbers: 30 high.
void draw_usage(ImDrawList*, Rect, const inspect::BlockView&, float alpha);

struct FieldLook {
    u32 first_row = 0;
    std::optional<ByteRange> selected;
    std::optional<ByteRange> hovered;
};
inline constexpr float field_height = 24;
inline constexpr u32 hex_per_row = 8;
// Z3: an item's fields. Rows behind the last that fits are left out.
void draw_fields(ImDrawList*, Rect, std::span<const inspect::Field>, const FieldLook&, float alpha);
// The field of the row at a point.
const inspect::Field* field_at(Rect, std::span<const inspect::Field>, u32 first_row, ImVec2);
// Z4: bytes [begin, begin + size) of the block, eight a row, each row with the fields that begin there.
void draw_hex(ImDrawList*, Rect, Bytes block, ByteRange, std::span<const inspect::Field>, const FieldLook&,
              float alpha);
// The byte (from the begin of the block) at a point.
std::optional<u32> byte_at(Rect, ByteRange, u32 first_row, ImVec2);
u32 rows_that_fit(Rect, float row_height);

// The narrowest field that holds this byte; null when none does.
const inspect::Field* field_of_byte(std::span<const inspect::Field>, u32 byte);

// The reference sheet: every zoom level, state and item type, on one picture of 1600 x 1000.
void draw_glyph_sheet(ImDrawList*, ImVec2 origin);

}  // namespace glassfs::ui
