// SPDX-License-Identifier: MIT
// What the Trees stage keeps between frames, and what it knows within one. Private to trees_*.cpp.
#pragma once

#include "ui/draw_block.h"
#include "ui/fonts.h"
#include "ui/tree_layout.h"
#include "ui/tree_plan.h"
#include "ui/views/trees_stage.h"

#include <array>
#include <chrono>
#include <unordered_map>

namespace glassfs::ui {

inline constexpr float band_height = 58;  // of legend and minimap
inline constexpr float minimap_width = 240;
inline constexpr float minimap_height = 40;
inline constexpr float card_width = 386;
inline constexpr float card_gap = 60;  // between a block's card and its item's

// Something on the screen that can be pointed at. Later ones lie on top.
struct Target {
    enum class Kind : u8 { Block, Node, Items, Fields, Hex };
    Kind kind = Kind::Block;
    Rect box;
    u32 record = TreeLayout::none;
    u32 slot = 0;                            // of Fields and Hex: whose
    u32 first = 0;                           // first row that is drawn
    std::shared_ptr<const Buffer> raw = {};  // of Hex
    ByteRange range = {};                    // of Hex
};

struct Pointed {  // what the pointer is over
    u32 record = TreeLayout::none;
    std::optional<u32> slot;
    std::optional<ByteRange> bytes;
    int more = 0;         // the row "12 more below" (1) or above (-1)
    bool on_map = false;  // the minimap
    const Target* target = nullptr;
};

// A camera's or a glyph's change under way.
class Transition {
  public:
    void start(double seconds) {
        begin_ = now();
        length_ = seconds;
    }
    void stop() { length_ = 0; }
    bool running() const { return length_ > 0 && now() < begin_ + length_; }
    // 0 to 1.
    double progress() const { return length_ <= 0 ? 1 : std::min(1.0, (now() - begin_) / length_); }

  private:
    static double now() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    double begin_ = 0, length_ = 0;
};

struct TreesStage::State {
    u64 epoch = 0, tree = 0;
    std::shared_ptr<const TreeMap> map;
    std::size_t map_size = 0;
    TreeLayout layout;
    std::vector<Cell> minimap;
    std::array<u64, inspect::item_class_count> bytes_of{};  // in the whole tree
    u64 items = 0;
    u32 bad = 0;
    bool is_log = false;
    std::shared_ptr<const std::map<u64, u64>> newer = {};  // blocks that no commit has written yet
    std::optional<LogicalAddr> read_now = {};              // by the step that is shown

    Camera camera;  // what is drawn
    Camera from, to;
    Transition moving;
    bool moved = false;  // by hand: not fitted to a growing tree any more
    float last_width = 0;
    float scroll = 0;  // when the plan is taller than the stage
    Zoom zoom = Zoom::Z1, zoom_before = Zoom::Z1;
    Transition fading;

    u32 focus = TreeLayout::none;
    Selection seen;                               // to notice what others select
    std::unordered_map<LogicalAddr, u32> listed;  // first slot listed of blocks at Z2 and closer
    u32 detail_row = 0;                           // first row of the fields or hex
    std::vector<Target> targets;
    bool dragging = false, dragging_map = false;
    float dragged_rows = 0;

    const inspect::NodeRecord& record(u32 i) const { return (*map)[i]; }
    LogicalAddr addr(u32 i) const { return record(i).addr; }
    void go(Camera camera, bool tween);
};

// One frame: the state, and where and what is drawn in it.
struct TreesFrame {
    TreesStage::State& s;
    Session& session;
    ImDrawList* list;
    ImVec2 origin;  // of the stage, on the screen
    float width, height;
    PicturePlan plan;
    std::vector<u32> path;  // root to focus
    Pointed pointed = {};

    float picture_height() const { return height - band_height; }
    // From picture to screen, on whole pixels.
    Rect on_screen(float x, float y, float w, float h) const;
    Rect band_box(const Band& band, float x, float w) const { return on_screen(x, band.y, w, band.height); }
    Rect row_box(unsigned row, u32 record) const;  // of a block in its row
    Rect path_box(unsigned row) const;             // of the path's block below a row of cells
    Rect neighbour_box(u32 rank) const;
    // The box that a block of the path, or a child, is seen in: where pointers end.
    Rect seen_box(u32 record) const;
    float wanted_width(unsigned row, u32 record) const;
    float x_of(double unit) const { return origin.x + static_cast<float>(s.camera.to_x(unit, width)); }
    std::pair<u32, u32> visible(unsigned row) const;
    bool on_path(u32 record) const;
    std::optional<u32> path_slot(u32 record) const;  // of a node on the path: the slot that leads on
    bool selected(u32 record) const;
    std::optional<u32> selected_slot(u32 record) const;
    BlockLook look(u32 record) const;
    u32 current_slot(u32 record, const inspect::BlockView&) const;  // whose fields are shown
};

// trees_draw.cpp
void draw_rows(TreesFrame&);
void draw_neighbours(TreesFrame&);
void draw_card(TreesFrame&);
// trees_pointers.cpp
void draw_pointers(TreesFrame&);
// trees_detail.cpp: a block from Z2 on, its content
void draw_detail(TreesFrame&, Rect, u32 record, Zoom, float alpha);
// The fields of the block's chosen item, beside the block's card.
void draw_item_card(TreesFrame&, Rect block_card, Rect card, u32 record);
// trees_band.cpp
void draw_band(TreesFrame&);
Rect minimap_box(const TreesFrame&);
// trees_input.cpp
Pointed point_at(const TreesFrame&, ImVec2);
void handle_pointer(TreesFrame&);
void handle_keys(TreesFrame&);
void select_record(TreesFrame&, u32 record);

}  // namespace glassfs::ui
