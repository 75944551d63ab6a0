// SPDX-License-Identifier: MIT
#include "ui/views/device_map.h"

#include "base/text.h"
#include "ui/model/headline.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float cell_gap = 1;
constexpr float note_height = 20;  // below and above the cells, for the flags' words

std::size_t cell_of(const MapGrid& grid, const DeviceMap& map, u64 byte) {
    if (map.device_bytes == 0 || grid.cells() == 0) return 0;
    const u64 cell_bytes = std::max<u64>(1, (map.device_bytes + grid.cells() - 1) / grid.cells());
    return std::min<std::size_t>(grid.cells() - 1, static_cast<std::size_t>(byte / cell_bytes));
}

void draw_cells(const MapGrid& grid, const DeviceMap& map) {
    const Theme& t = theme();
    const std::size_t count = std::min(grid.cells(), map.cells.size());
    std::size_t seen_from = count, seen_to = 0;
    if (map.search) {
        seen_from = cell_of(grid, map, map.search->start.value);
        seen_to = cell_of(grid, map, map.search->found.value);
    }
    const Colour seen = t.state(State::Read).line;
    // Plain rectangles alone, a border being one below another: rounded ones and lines have so many vertices
    // that two maps would not fit into the 65,536 of a draw list.
    for (std::size_t i = 0; i < count; ++i) {
        const MapCell& cell = map.cells[i];
        const Rect r = grid.cell(i);
        // What a search looked at has a border, as all that is read; in cells this small, a thick one.
        const bool looked_at = i >= seen_from && i <= seen_to && map.search && map.search->visited > 0;
        const bool empty = cell.fill <= 0;
        float border = looked_at ? (grid.step >= 9 ? 2.0F : 1.5F) : empty && grid.step >= 9 ? 1.0F : 0;
        if (border > 0) fill(r, looked_at ? with_alpha(seen, map.search_is_now ? 1.0F : 0.6F) : t.line);
        const Rect inner = r.inset(border, border);
        fill(inner, t.state(State::Free).background);
        if (empty) continue;
        const float strength = 0.3F + 0.7F * std::min(1.0F, cell.fill);
        fill(inner, with_alpha(cell.fresh ? t.state(State::New).line : cell.colour, strength));
        if (cell.fresh) fill({r.x, r.y, r.w, std::min(3.0F, r.h / 3)}, t.state(State::New).line);
    }
}

void draw_labels(const MapGrid& grid, const DeviceMap& map) {
    const Theme& t = theme();
    int every = 1;
    while (static_cast<float>(every) * grid.step < 34) every *= 2;
    for (int row = 0; row < grid.rows; row += every) {
        const double part = static_cast<double>(row) / static_cast<double>(grid.rows);
        const u64 at = static_cast<u64>(part * static_cast<double>(map.device_bytes));
        draw_text(canvas(), Font::Mono12, grid.area.x - 10,
                  grid.area.y + (static_cast<float>(row) + 0.5F) * grid.step, t.text3,
                  row == 0 ? "0" : size_text(at), Align::Right);
    }
}

// Words beside a flag, on the side where there is room.
void draw_note(const MapGrid& grid, float x, float y, Colour colour, const std::string& words) {
    const float width = text_width(Font::CaptionBold, words);
    const bool right = x + 14 + width <= grid.right;
    const float left = right ? x + 14 : x - 6 - width;
    fill({left - 3, y - 8, width + 6, 16}, with_alpha(theme().app, 0.85F), 3);
    draw_text(canvas(), Font::CaptionBold, left, y, colour, words);
}

}  // namespace

Rect MapGrid::cell(std::size_t i) const {
    const auto column = static_cast<float>(i % static_cast<std::size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<std::size_t>(columns));
    return {area.x + column * step, area.y + row * step, step - cell_gap, step - cell_gap};
}

std::optional<std::size_t> MapGrid::at(float x, float y) const {
    if (!area.contains(x, y) || columns == 0) return std::nullopt;
    const auto column = static_cast<std::size_t>((x - area.x) / step);
    const auto row = static_cast<std::size_t>((y - area.y) / step);
    const std::size_t i = row * static_cast<std::size_t>(columns) + column;
    if (column >= static_cast<std::size_t>(columns) || i >= cells()) return std::nullopt;
    return i;
}

MapGrid map_grid(Rect room, int columns, int rows) {
    MapGrid grid;
    const float width = room.w - map_labels_width, height = room.h - 2 * note_height;
    // Half of the rows where there is no room for all.
    while (rows > 4 && height / static_cast<float>(rows) < 6) rows /= 2;
    grid.step = std::floor(std::min(width / static_cast<float>(columns), height / static_cast<float>(rows)));
    if (grid.step < 4) return {};
    grid.right = room.right();
    grid.columns = columns;
    grid.rows = rows;
    grid.area = {room.x + map_labels_width, room.y + note_height, static_cast<float>(columns) * grid.step,
                 static_cast<float>(rows) * grid.step};
    return grid;
}

MapGrid widest_grid(Rect room, int columns, int rows) {
    MapGrid best = map_grid(room, columns, rows);
    for (; rows > 4; columns *= 2, rows /= 2) {
        const MapGrid grid = map_grid(room, columns, rows);
        if (grid.rows == rows && (grid.step > best.step || best.rows * best.columns < columns * rows))
            best = grid;
    }
    return best;
}

void draw_flag(float x, float y, float height, Colour colour) {
    vline(x, y - height, y, colour);
    vline(x + 1, y - height, y, colour);
    triangle(x, y - height, x + 11, y - height + 5, x, y - height + 10, colour);
}

void draw_device_map(const MapGrid& grid, const DeviceMap& map) {
    if (grid.cells() == 0) return;
    const Theme& t = theme();
    draw_cells(grid, map);
    draw_labels(grid, map);
    if (map.marked)
        outline(grid.cell(cell_of(grid, map, *map.marked)).inset(-2, -2), t.state(State::Selected).line, 2,
                2);
    if (map.search && map.search->visited > 0) {
        const Rect begin = grid.cell(cell_of(grid, map, map.search->start.value));
        draw_flag(begin.x, begin.y, 14, t.state(State::Read).line);
        draw_note(grid, begin.x, begin.y - 10, t.state(State::Read).line,
                  "search begins here, ends " + plural(map.search->visited, "dev extent") + " later");
    }
    if (!map.hint) return;
    const Rect at = grid.cell(cell_of(grid, map, *map.hint));
    const float foot = at.bottom() + 16;
    vline(at.x, at.y, foot, t.state(State::Hint).line);
    triangle(at.x, foot - 10, at.x + 11, foot - 5, at.x, foot, t.state(State::Hint).line);
    draw_note(grid, at.x, foot - 5, t.state(State::Hint).line, "hint: " + size_text(*map.hint));
}

void draw_counters(Rect r, const std::vector<MapCounter>& counters) {
    const Theme& t = theme();
    const float width = r.w / static_cast<float>(std::max<std::size_t>(1, counters.size()));
    float x = r.x;
    for (const MapCounter& counter : counters) {
        const Colour colour = counter.colour != 0 ? counter.colour : t.text;
        const Font font = text_width(Font::Counter, counter.number) <= width - 8 ? Font::Counter : Font::Card;
        draw_text(canvas(), font, x, r.y + 16, colour, counter.number);
        draw_text_fit(canvas(), Font::Caption, x, r.y + 42, width - 8, t.text3, counter.words);
        x += width;
    }
}

}  // namespace glassfs::ui
