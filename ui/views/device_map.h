// SPDX-License-Identifier: MIT
// A device as a grid of equal cells in reading order: what is allocated, what a search looked at, where the
// hint is. The same picture in Space and in the Lab.
#pragma once

#include "trace/event.h"
#include "ui/widgets.h"

#include <optional>
#include <vector>

namespace glassfs::ui {

struct MapGrid {
    Rect area;        // of the cells
    float right = 0;  // of the room: words may go so far
    int columns = 0;
    int rows = 0;
    float step = 0;
    std::size_t cells() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
    Rect cell(std::size_t i) const;
    // The cell under a point.
    std::optional<std::size_t> at(float x, float y) const;
};
// So many cells, as large as the room allows; the labels' column is left of them. Powers of two make cells of
// round sizes.
MapGrid map_grid(Rect room, int columns, int rows);
// The same for as many cells in fewer, longer rows where these become larger.
MapGrid widest_grid(Rect room, int columns, int rows);
inline constexpr float map_labels_width = 78;

struct MapCell {
    float fill = 0;  // 0 to 1: how much of it is allocated
    Colour colour = 0;
    bool fresh = false;  // of the operation that runs
};

struct DeviceMap {
    u64 device_bytes = 0;
    std::vector<MapCell> cells;  // as many as the grid has
    std::optional<u64> hint;
    std::optional<trace::DevExtentSearch> search;  // painted from its begin to what it found
    std::optional<u64> marked;                     // a place with a ring
    bool search_is_now = false;                    // it is the step that one stands on: in full colour
};
void draw_device_map(const MapGrid&, const DeviceMap&);

// Counters in a row: number above words.
struct MapCounter {
    std::string number;
    std::string words;
    Colour colour = 0;
};
void draw_counters(Rect, const std::vector<MapCounter>&);

// The flag of a hint with its mast's foot at (x, y).
void draw_flag(float x, float y, float height, Colour);

}  // namespace glassfs::ui
