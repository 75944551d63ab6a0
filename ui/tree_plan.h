// SPDX-License-Identifier: MIT
// How much of a tree is shown, and how: the camera over a TreeLayout, and the plan of a picture: which zoom
// level each row has, how tall it is, and whether there is room for the neighbours and for the card of the
// focused block. Pure geometry in design pixels (the UI scale comes in when drawing).
//
// From the top: a row for each level; then, where the focused row is too small to read, the focused block
// with its eight neighbours at Z1; then the focused block as a card at Z2. From Z2 on the focused row takes
// that room.
#pragma once

#include "ui/tree_layout.h"

#include <vector>

namespace glassfs::ui {

enum class Zoom : u8 { Z0, Z1, Z2, Z3, Z4 };

struct PictureSize {
    float width = 0, height = 0;  // without the band of legend and minimap
};

// Block widths at which the zoom levels begin. A narrow stage has Z3 and Z4 earlier, so that they can be
// reached.
struct ZoomLimits {
    float z1 = 40, z2 = 140, z3 = 400, z4 = 800;
    static ZoomLimits of(float stage_width);
    Zoom zoom_of(float block_width) const;
};

// Looks at `centre` (units) with `pitch` pixels a unit.
struct Camera {
    double centre = 0.5;
    double pitch = 1;
    friend bool operator==(const Camera&, const Camera&) = default;

    double to_x(double unit, float width) const { return (unit - centre) * pitch + 0.5 * double(width); }
    double to_unit(double x, float width) const { return (x - 0.5 * double(width)) / pitch + centre; }
};

inline constexpr float side_margin = 22;  // left and right of the picture
inline constexpr float pitch_of_z1 = 98;  // the design's leaf: 86 wide, 12 apart
inline constexpr u32 cells_from = 400;    // more visible blocks than this make a row a strip

float block_width(double pitch);            // of a leaf, gaps taken off
double pitch_for_width(float block_width);  // its inverse
double pitch_min(const TreeLayout&, float width);
double pitch_max(float width);

Camera fit(const TreeLayout&, float width);
// Keeps the unit below `x` where it is.
Camera zoomed_at(Camera, double factor, float x, const TreeLayout&, float width);
Camera clamped(Camera, const TreeLayout&, float width);
// The next closer look at a block: first its whole span, then each zoom level in turn.
Camera closer(Camera, const TreeLayout&, u32 record, float width);
// Moves as little as possible so that the block is inside.
Camera reveal(Camera, const TreeLayout&, u32 record, float width);
// Between two cameras, t from 0 to 1: zooms evenly (by factors), eased out.
Camera between(Camera from, Camera to, double t);

struct RowPlan {
    enum class Kind : u8 { Strip, Cells, Blocks };
    Kind kind = Kind::Blocks;
    Zoom zoom = Zoom::Z1;
    float y = 0, height = 0;            // of the blocks, captions excluded
    float caption = 0;                  // height of the line below them
    float path_y = 0, path_height = 0;  // of the current path's block, drawn at Z1 below its cell; 0: none
    u32 per_cell = 1;                   // blocks in a cell of a strip
    float block_w = 0;                  // widest a block of this row may get
    float bottom() const { return path_height > 0 ? path_y + path_height : y + height + caption; }
};

struct Band {
    float y = 0, height = 0;
    explicit operator bool() const { return height > 0; }
};

struct PicturePlan {
    std::vector<RowPlan> rows;
    unsigned focus_row = 0;
    Zoom zoom = Zoom::Z1;      // of the focused row
    Band neighbours;           // nine blocks at Z1
    Band card;                 // the focused block at Z2
    float content_height = 0;  // more than the picture's: it scrolls
};

// `focus` is a record, or TreeLayout::none.
PicturePlan plan_picture(const TreeLayout&, Camera, PictureSize, u32 focus);

// The ranks around the focused block, at most `most`, clipped to its row.
std::pair<u32, u32> neighbours_of(const TreeLayout&, u32 record, u32 most = 9);

struct Span {
    float left = 0, right = 0;
    float width() const { return right - left; }
    float centre() const { return 0.5F * (left + right); }
};
// Where a block of a row stands: above the middle of its children, but on the stage as long as any of them
// is, so that the current path never leaves the picture. `wanted` is the width it would like.
Span block_span(const TreeLayout&, Camera, float stage_width, u32 record, float wanted);

}  // namespace glassfs::ui
