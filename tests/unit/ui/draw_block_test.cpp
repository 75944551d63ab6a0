// SPDX-License-Identifier: MIT
// The glyphs, judged by the triangles they leave in a draw list: states by their shapes with all colour taken
// away, bars by their heights, rows by what is found at a point.
#include "ui/draw_block.h"

#include "ui/fonts.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::ui;

namespace {

// An ImGui without a window; drawing goes into `list`.
class Canvas {
  public:
    Canvas() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {2000, 1200};
        build_fonts(1);
        ImGui::NewFrame();
        list = ImGui::GetForegroundDrawList();
        use_theme(ThemeChoice::Dark);
    }
    ~Canvas() {
        ImGui::EndFrame();
        ImGui::DestroyContext();
    }
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;

    // Places of all vertices that `draw` adds; no colours.
    template <class Draw>
    std::vector<std::pair<float, float>> shape_of(const Draw& draw) {
        const int begin = list->VtxBuffer.Size;
        draw();
        std::vector<std::pair<float, float>> shape;
        for (int i = begin; i < list->VtxBuffer.Size; ++i) {
            shape.emplace_back(list->VtxBuffer[i].pos.x, list->VtxBuffer[i].pos.y);
        }
        return shape;
    }

    ImDrawList* list = nullptr;
};

inspect::NodeRecord leaf() {
    inspect::NodeRecord record;
    record.addr = LogicalAddr{5316608};
    record.bytes_of[std::size_t(inspect::ItemClass::Inode)] = 1000;
    record.bytes_of[std::size_t(inspect::ItemClass::Inline)] = 2000;
    record.free_bytes = 1000;
    record.items = 20;
    return record;
}

std::vector<State> all_states() {
    std::vector<State> states;
    for (std::size_t i = 0; i < state_count; ++i) states.push_back(static_cast<State>(i));
    return states;
}

template <class Draw>
void all_differ(Canvas& canvas, const Draw& draw) {
    for (State a : all_states()) {
        for (State b : all_states()) {
            if (a >= b) continue;
            CAPTURE(state_name(a));
            CAPTURE(state_name(b));
            CHECK(canvas.shape_of([&] { draw(a); }) != canvas.shape_of([&] { draw(b); }));
        }
    }
}

}  // namespace

TEST_CASE("ui/draw_block: without any colour, each state of a leaf still looks different") {
    Canvas canvas;
    all_differ(canvas, [&](State state) {
        BlockLook look;
        look.state = state;
        draw_leaf(canvas.list, {100, 100, 86, 100}, leaf(), look);
    });
}

TEST_CASE("ui/draw_block: without any colour, each state of a Z0 cell still looks different") {
    Canvas canvas;
    all_differ(canvas, [&](State state) {
        BlockLook look;
        look.state = state;
        draw_cell(canvas.list, {100, 100, 22, 30}, 0.5F, look);
    });
}

TEST_CASE("ui/draw_block: without any colour, each state of the legend still looks different") {
    Canvas canvas;
    all_differ(canvas, [&](State state) { draw_swatch(canvas.list, 100, 100, state); });
}

TEST_CASE("ui/draw_block: a bad block is crossed and a selected one has its ring, whatever their state") {
    Canvas canvas;
    for (State state : all_states()) {
        CAPTURE(state_name(state));
        BlockLook plain, bad, chosen;
        plain.state = bad.state = chosen.state = state;
        bad.bad = true;
        chosen.selected = true;
        const auto draw = [&](const BlockLook& look) {
            return canvas.shape_of([&] { draw_leaf(canvas.list, {100, 100, 86, 100}, leaf(), look); });
        };
        if (state != State::Bad) CHECK(draw(bad).size() > draw(plain).size());
        if (state != State::Selected) CHECK(draw(chosen).size() > draw(plain).size());
    }
}

TEST_CASE("ui/draw_block: bars are as tall as their bytes, from the bottom up") {
    Canvas canvas;
    const int begin = canvas.list->VtxBuffer.Size;
    draw_leaf(canvas.list, {100, 100, 86, 434}, leaf(), {});
    const auto extent = [&](inspect::ItemClass item) {
        float top = 1e9F, bottom = 0;
        for (int i = begin; i < canvas.list->VtxBuffer.Size; ++i) {
            const ImDrawVert& vertex = canvas.list->VtxBuffer[i];
            if ((vertex.col & 0xffffff) != (theme().item(item) & 0xffffff)) continue;
            top = std::min(top, vertex.pos.y);
            bottom = std::max(bottom, vertex.pos.y);
        }
        return std::pair(top, bottom);
    };
    const auto [inode_top, inode_bottom] = extent(inspect::ItemClass::Inode);
    const auto [inline_top, inline_bottom] = extent(inspect::ItemClass::Inline);
    CHECK(inode_bottom - inode_top == doctest::Approx(100).epsilon(0.01));  // 400 pixels are 4,000 bytes
    CHECK(inline_bottom - inline_top == doctest::Approx(200).epsilon(0.01));
    CHECK(inline_bottom <= inode_top);
    CHECK(inode_bottom == doctest::Approx(529).epsilon(0.01));
}

TEST_CASE("ui/draw_block: a pointer leaves from the slot that a click on that place selects") {
    const Rect node{100, 50, 268, 62};
    for (u32 slots : {1U, 7U, 11U, 121U, 493U}) {
        for (u32 slot = 0; slot < slots; ++slot)
            CHECK(slot_at(node, slots, {slot_x(node, slot, slots), 95}) == slot);
    }
    CHECK_FALSE(slot_at(node, 11, {200, 60}).has_value());
    CHECK_FALSE(slot_at(node, 0, {200, 95}).has_value());
}

TEST_CASE("ui/draw_block: every item of a block can be listed, and what isn't is counted") {
    for (float height : {10.0F, 46.0F, 130.0F, 300.0F}) {
        const Rect box{0, 100, 300, height};
        for (u32 items : {0U, 1U, 5U, 12U, 13U, 14U, 200U}) {
            for (u32 first = 0; first < items + 3; ++first) {
                const ItemRows rows = item_rows(box, items, first);
                CHECK(rows.above + rows.count + rows.below == items);
                if (items == 0) continue;
                CHECK(rows.count > 0);
                const u32 lines = rows.count + (rows.above > 0 ? 1 : 0) + (rows.below > 0 ? 1 : 0);
                if (height > 3 * ItemRows::row_height) CHECK(float(lines) * ItemRows::row_height <= height);
                CHECK(rows.slot_at(rows.row_centre(rows.first)) == rows.first);
            }
            for (u32 slot = 0; slot < items; ++slot) {
                const ItemRows rows = item_rows(box, items, first_to_show(box, items, 0, slot));
                CHECK(rows.first <= slot);
                CHECK(slot < rows.first + rows.count);
            }
        }
    }
}

TEST_CASE("ui/draw_block: going on from the last row listed reaches the end") {
    const Rect box{0, 0, 300, 140};
    u32 first = 0;
    u32 pages = 0;
    for (; pages < 100; ++pages) {
        const ItemRows rows = item_rows(box, 57, first);
        CHECK(rows.first <= first);
        if (rows.below == 0) break;
        CHECK(rows.more_at(rows.row_centre(rows.first + rows.count)) == 1);
        first = rows.first + rows.count;
    }
    CHECK(pages < 20);
}

TEST_CASE("ui/draw_block: each byte of the hex is found where it is drawn, and its narrowest field with it") {
    const Rect box{40, 60, 360, 240};
    const ByteRange range{700, 61};
    u32 found = 0;
    for (float y = 60; y < 300; y += 4) {
        for (float x = 40; x < 260; x += 4) {
            const auto byte = byte_at(box, range, 0, {x, y});
            if (!byte) continue;
            ++found;
            CHECK(range.contains(*byte));
        }
    }
    CHECK(found > 300);
    CHECK(byte_at(box, range, 0, {40 + 60, 60 + 12}) == 700);
    CHECK(byte_at(box, range, 2, {40 + 60, 60 + 12}) == 716);
    CHECK_FALSE(byte_at(box, range, 8, {40 + 60, 60 + 12}).has_value());
    const std::vector<inspect::Field> fields = {{"timespec", 700, 12, "", "", 0}, {"sec", 700, 8, "", "", 1}};
    CHECK(field_of_byte(fields, 703)->name == "sec");
    CHECK(field_of_byte(fields, 709)->name == "timespec");
    CHECK(field_of_byte(fields, 720) == nullptr);
}

TEST_CASE("ui/draw_block: hostile sizes draw nothing outside of the bytes that are there") {
    Canvas canvas;
    const Buffer raw(64, 7);
    draw_hex(canvas.list, {0, 0, 500, 300}, raw, {4000000000U, 4000000000U}, {}, {}, 1);
    draw_hex(canvas.list, {0, 0, 500, 300}, raw, {60, 4000000000U}, {}, {}, 1);
    FieldLook far;
    far.first_row = 4000000000U;
    draw_hex(canvas.list, {0, 0, 500, 300}, raw, {0, 64}, {}, far, 1);
    inspect::NodeRecord record = leaf();
    record.items = 4000000000U;  // claimed by a damaged header
    const auto shape = canvas.shape_of([&] { draw_node(canvas.list, {0, 0, 600, 62}, record, {}, {}); });
    CHECK(shape.size() < 20000);
    CHECK(shape.size() > 100);
}

TEST_CASE("ui/draw_block: a stage full of Z0 cells stays within the 65,535 vertices of a WebGL draw list") {
    Canvas canvas;
    const auto shape = canvas.shape_of([&] {
        for (u32 i = 0; i < cells_from; ++i) draw_cell(canvas.list, {float(i) * 7, 0, 6, 30}, 0.5F, {});
    });
    CHECK(shape.size() < 20000);
}
