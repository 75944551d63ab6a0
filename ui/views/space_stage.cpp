// SPDX-License-Identifier: MIT
// The Space stage: a device as a map, with the hint and the last search on it, and below it the surroundings
// of one place, logical chunks above the dev extents that they lie in.
#include "base/text.h"
#include "imgui.h"
#include "ui/draw_block.h"
#include "ui/views/device_map.h"
#include "ui/views/space_view.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

using inspect::SpaceMap;

namespace {

constexpr int map_columns = 64, map_rows = 16;
constexpr float box_width = 58;
constexpr float box_height = 42;
constexpr u64 chunk_tree = 3, device_tree = 4;
constexpr u8 chunk_item = 228, dev_extent = 204;

const SpaceMap::Device* find_device(const SpaceMap& map, u64 id) {
    for (const SpaceMap::Device& device : map.devices) {
        if (device.id == id) return &device;
    }
    return map.devices.empty() ? nullptr : &map.devices.front();
}

// "copy 2" of a chunk with several stripes, else what it holds.
std::string piece_word(const SpaceMap& map, const SpaceMap::DevExtent& extent) {
    if (!extent.chunk) return "?";
    const SpaceMap::Chunk& chunk = map.chunks[*extent.chunk];
    if (chunk.stripe_count == 1) return space_kind_name(chunk.kind);
    for (u32 i = 0; i < chunk.stripe_count; ++i) {
        const SpaceMap::Stripe& stripe = map.stripes[chunk.first_stripe + i];
        if (stripe.device == extent.device && stripe.physical == extent.start) {
            const bool copies = chunk.profile == "DUP" || chunk.profile.starts_with("RAID1");
            return (copies && chunk.profile != "RAID10" ? "copy " : "stripe ") + std::to_string(i + 1);
        }
    }
    return space_kind_name(chunk.kind);
}

std::string chunk_tip(const SpaceMap::Chunk& chunk) {
    std::string out = std::string(space_kind_name(chunk.kind)) + " chunk, " + std::string(chunk.profile) +
                      "\n" + "logical " + std::to_string(chunk.logical.value) + ", " +
                      size_text(chunk.length);
    if (chunk.used) out += ", " + size_text(*chunk.used) + " used";
    return out + "\nShow its CHUNK_ITEM";
}

void choose(Ui& ui, u64 tree, KeyRef key) {
    ui.view().selection.tree = tree;
    ui.view().wanted_key = {tree, key};
}

// The picture of a device at this moment.
DeviceMap picture_of(const std::vector<SpaceCell>& cells, const SpaceMap::Device& device,
                     const SpaceMoment& now, std::optional<u64> focus) {
    DeviceMap out;
    out.device_bytes = device.size;
    const u64 cell_bytes =
        std::max<u64>(1, (device.size + cells.size() - 1) / std::max<std::size_t>(1, cells.size()));
    for (const SpaceCell& cell : cells) {
        const float share = static_cast<float>(cell.allocated) / static_cast<float>(cell_bytes);
        out.cells.push_back({cell.allocated == 0 ? 0 : std::max(0.1F, share),
                             space_colour(cell.kind.value_or(SpaceMap::Kind::Data)), cell.fresh});
    }
    if (auto hint = now.hints.find(device.id); hint != now.hints.end()) out.hint = hint->second;
    if (now.search && now.search->device == device.id) out.search = now.search;
    out.search_is_now = now.searching;
    out.marked = focus;
    return out;
}

void draw_map(Ui& ui, Rect r, const SpaceMap& map, const SpaceMap::Device& device, const SpaceMoment& now) {
    const Theme& t = theme();
    draw_text(canvas(), Font::Card, r.x, r.y + 12, t.text, "Device " + std::to_string(device.id));
    const float after = r.x + text_width(Font::Card, "Device " + std::to_string(device.id)) + 12;
    draw_text_fit(canvas(), Font::Caption, after, r.y + 12, r.right() - after, t.text3,
                  size_text(device.size) + ", " + size_text(device.allocated) + " in " +
                      plural(device.dev_extents, "dev extent") + (device.missing ? ", missing" : ""));
    const MapGrid grid = map_grid({r.x, r.y + 22, r.w, r.h - 22}, map_columns, map_rows);
    if (grid.cells() == 0) return;
    const auto& cells = cells_now(ui, map, device.id, grid.cells());
    draw_device_map(grid, picture_of(cells, device, now, ui.space.focus));
    Touch touch = area("space-map", grid.area);
    const ImVec2 mouse = ImGui::GetMousePos();
    const auto cell = grid.at(mouse.x, mouse.y);
    if (!cell) return;
    const u64 cell_bytes = std::max<u64>(1, (device.size + grid.cells() - 1) / grid.cells());
    const u64 at = std::min(device.size - 1, *cell * cell_bytes);
    tooltip_if(touch.hovered, size_text(at) + " on, a cell is " + size_text(cell_bytes) + "\nLook closer");
    if (touch.clicked) ui.space.focus = at;
}

struct Box {
    Rect rect;
    SpacePiece piece;
};

void draw_physical(Ui& ui, const SpaceMap& map, u64 device, const std::vector<Box>& boxes,
                   const SpaceMoment& now) {
    const Theme& t = theme();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto& [r, piece] = boxes[i];
        Touch touch = area(static_cast<int>(3000 + i), r);
        std::string tip = size_text(piece.length) + " at " + std::to_string(piece.start);
        if (!piece.dev_extent) {
            fill(r, t.state(State::Free).background, 4);
            outline(r, touch.hovered ? t.line_strong : t.line, 4);
            draw_text_fit(canvas(), Font::Caption, r.x + 4, r.centre_y(), r.w - 8, t.text3, "free");
            tooltip_if(touch.hovered, tip + ", free");
            if (touch.clicked) ui.space.focus = piece.start;
            continue;
        }
        const SpaceMap::DevExtent& extent = map.dev_extents[*piece.dev_extent];
        const SpaceMap::Chunk* chunk = extent.chunk ? &map.chunks[*extent.chunk] : nullptr;
        const bool fresh = chunk != nullptr && now.new_chunks.contains(chunk->logical.value);
        const Colour colour = space_colour(chunk != nullptr ? chunk->kind : SpaceMap::Kind::Data);
        fill(r, fresh ? t.state(State::New).line : colour, 4);
        if (fresh) fill({r.x, r.y, r.w, 6}, t.state(State::New).line, 4);
        if (ui.space.focus == piece.start) outline(r.inset(-3, -3), t.state(State::Selected).line, 5, 2);
        draw_text_fit(canvas(), Font::CaptionBold, r.x + 4, r.centre_y(), r.w - 8, t.app,
                      piece_word(map, extent));
        tooltip_if(touch.hovered, "dev extent, " + tip + "\nShow its DEV_EXTENT");
        if (touch.clicked) {
            ui.space.focus = piece.start;
            choose(ui, device_tree, {device, dev_extent, piece.start});
        }
    }
}

// A chunk stands above its first stripe that is in the window; a link goes to each of them.
void draw_logical(Ui& ui, const SpaceMap& map, const std::vector<Box>& boxes, float y,
                  const SpaceMoment& now) {
    const Theme& t = theme();
    std::set<u32> drawn;
    for (const Box& box : boxes) {
        if (!box.piece.dev_extent) continue;
        const auto number = map.dev_extents[*box.piece.dev_extent].chunk;
        if (!number || !drawn.insert(*number).second) continue;
        const SpaceMap::Chunk& chunk = map.chunks[*number];
        float left = box.rect.x, right = box.rect.right();
        u32 here = 0;
        for (const Box& other : boxes) {
            if (!other.piece.dev_extent || map.dev_extents[*other.piece.dev_extent].chunk != number) continue;
            right = other.rect.right();
            ++here;
        }
        const Rect r{(left + right - box.rect.w) / 2, y, box.rect.w, box_height};
        const bool fresh = now.new_chunks.contains(chunk.logical.value);
        const Colour colour = fresh ? t.state(State::New).line : space_colour(chunk.kind);
        for (const Box& other : boxes) {
            if (!other.piece.dev_extent || map.dev_extents[*other.piece.dev_extent].chunk != number) continue;
            link(r.x + r.w / 2, r.bottom(), other.rect.x + other.rect.w / 2, other.rect.y, colour, 1.5F);
        }
        Touch touch = area(static_cast<int>(4000 + *number % 1000000), r);
        fill(r, colour, 4);
        if (fresh) fill({r.x, r.y, r.w, 6}, t.state(State::New).line, 4);
        draw_text_fit(canvas(), Font::CaptionBold, r.x + 4, r.y + 14, r.w - 8, t.app,
                      space_kind_name(chunk.kind));
        draw_text_fit(canvas(), Font::Caption, r.x + 4, r.y + 30, r.w - 8, t.app,
                      here < chunk.stripe_count ? text("%u of %u", here, chunk.stripe_count)
                                                : std::string(chunk.profile));
        tooltip_if(touch.hovered, chunk_tip(chunk));
        if (touch.clicked) choose(ui, chunk_tree, {256, chunk_item, chunk.logical.value});
    }
}

void draw_surroundings(Ui& ui, Rect r, const SpaceMap& map, const SpaceMap::Device& device,
                       const SpaceMoment& now) {
    const Theme& t = theme();
    const auto hint = now.hints.find(device.id);
    const u64 at = ui.space.focus ? *ui.space.focus : hint != now.hints.end() ? hint->second : 0;
    const char* title = ui.space.focus || hint == now.hints.end() ? "Around this place" : "Around the hint";
    draw_text(canvas(), Font::Card, r.x, r.y + 10, t.text, title);
    const float after = r.x + text_width(Font::Card, title) + 12;
    draw_text_fit(canvas(), Font::Caption, after, r.y + 10, r.right() - after - 90, t.text3,
                  "logical chunks above, dev extents of device " + std::to_string(device.id) + " below");
    if (ui.space.focus && hint != now.hints.end() &&
        text_button("to-hint", "To the hint", r.right(), r.y + 10, Align::Right)) {
        ui.space.focus.reset();
    }
    const float left = r.x + map_labels_width;
    const auto count = static_cast<std::size_t>(std::max(1.0F, (r.right() - left) / (box_width + 4)));
    std::vector<Box> boxes;
    const float logical = r.y + 34, physical = r.y + std::clamp(r.h - box_height - 44, 96.0F, 150.0F);
    for (const SpacePiece& piece : pieces_around(map, device.id, at, count)) {
        const float x = left + static_cast<float>(boxes.size()) * (box_width + 4);
        boxes.push_back({{x, physical, box_width, box_height}, piece});
    }
    draw_text(canvas(), Font::BodyBold, r.x, logical + 14, t.text, "Logical");
    draw_text(canvas(), Font::Caption, r.x, logical + 31, t.text3, "chunk tree");
    draw_text(canvas(), Font::BodyBold, r.x, physical + 14, t.text, "Physical");
    draw_text(canvas(), Font::Caption, r.x, physical + 31, t.text3, "device tree");
    draw_logical(ui, map, boxes, logical, now);
    draw_physical(ui, map, device.id, boxes, now);
    if (boxes.empty()) return;
    const float below = physical + box_height + 14;
    draw_text(canvas(), Font::Mono12, boxes.front().rect.x, below, t.text3,
              size_text(boxes.front().piece.start));
    if (hint == now.hints.end()) return;
    for (const Box& box : boxes) {
        if (hint->second < box.piece.start || hint->second >= box.piece.start + box.piece.length) continue;
        const Colour colour = t.state(State::Hint).line;
        vline(box.rect.x - 2, box.rect.y - 8, below + 6, colour);
        triangle(box.rect.x - 2, below - 4, box.rect.x + 9, below + 1, box.rect.x - 2, below + 6, colour);
        const std::string words = "hint " + std::to_string(hint->second);
        const bool fits = box.rect.x + 13 + text_width(Font::CaptionBold, words) <= r.right();
        draw_text(canvas(), Font::CaptionBold, fits ? box.rect.x + 13 : box.rect.x - 8, below, colour, words,
                  fits ? Align::Left : Align::Right);
    }
}

void draw_legend(Rect r) {
    const Theme& t = theme();
    float x = r.x;
    const float y = r.centre_y();
    auto words = [&](float at, const char* label) {
        draw_text(canvas(), Font::Caption, at, y, t.text2, label);
        x = at + text_width(Font::Caption, label) + 16;
    };
    for (auto kind : {SpaceMap::Kind::Data, SpaceMap::Kind::Metadata, SpaceMap::Kind::System}) {
        fill({x, y - 6, 12, 12}, space_colour(kind), 2);
        words(x + 18, space_kind_name(kind));
    }
    for (State state : {State::Read, State::New, State::Hint, State::Free}) {
        draw_swatch(canvas(), x, y, state);
        words(x + 18, state == State::Read   ? "looked at by the search"
                      : state == State::New  ? "new in this operation"
                      : state == State::Hint ? "hint"
                                             : "free");
    }
}

std::vector<MapCounter> counters_of(const SpaceMap& map, const SpaceMap::Device& device,
                                    const SpaceMoment& now) {
    const Theme& t = theme();
    std::vector<MapCounter> out = {
        {grouped(device.dev_extents), "dev extents", 0},
        {grouped(map.device_tree_leaves), "device tree leaves", 0},
        {size_text(device.size - std::min(device.size, device.allocated)), "not allocated", 0}};
    if (now.search) {
        out.push_back({grouped(now.search->visited), "last search looked at", t.state(State::Read).line});
    }
    return out;
}

}  // namespace

Colour space_colour(SpaceMap::Kind kind) {
    switch (kind) {
        case SpaceMap::Kind::Data:
            return theme().item(inspect::ItemClass::Extent);
        case SpaceMap::Kind::Metadata:
        case SpaceMap::Kind::Mixed:
            return theme().item(inspect::ItemClass::DirIndex);
        case SpaceMap::Kind::System:
            return theme().item(inspect::ItemClass::Csum);
    }
    return theme().text3;
}

const SpaceMoment& space_now(Ui& ui) {
    const auto key = std::tuple(ui.session.epoch(), ui.session.revision(), ui.session.position());
    if (key != ui.space.moment_of) {
        ui.space.moment = space_moment(ui.session);
        ui.space.moment_of = key;
    }
    return ui.space.moment;
}

const std::vector<SpaceCell>& cells_now(Ui& ui, const SpaceMap& map, u64 device, std::size_t count) {
    const SpaceMoment& now = space_now(ui);
    const auto key = std::tuple(static_cast<const void*>(&map), device, count, ui.space.moment_of);
    if (key != ui.space.cells_of) {
        ui.space.cells = space_cells(map, device, count, now.new_chunks);
        ui.space.cells_of = key;
    }
    return ui.space.cells;
}

const KindCounts& kinds_now(Ui& ui, const SpaceMap& map) {
    if (ui.space.kinds_of != &map) {
        ui.space.kinds = count_kinds(map);
        ui.space.kinds_of = &map;
    }
    return ui.space.kinds;
}

void draw_space_stage(Ui& ui) {
    const Theme& t = theme();
    const Rect stage = ui.layout.stage;
    fill(stage, t.app);
    auto space = ui.session.space();
    if (const Error* error = space.error()) {
        draw_text_fit(canvas(), Font::Body, stage.x + 20, stage.y + 30, stage.w - 40,
                      t.state(State::Bad).line, "Space can't be shown: " + error->message());
        return;
    }
    const SpaceMap::Device* device = space ? find_device(*space, ui.space.device) : nullptr;
    if (device == nullptr) {
        draw_text(canvas(), Font::Body, stage.x + 20, stage.y + 30, t.text2,
                  space ? "This volume has no devices." : "Chunks and dev extents are being read.");
        return;
    }
    ImGui::PushID("space");
    const SpaceMoment& now = space_now(ui);
    const Rect inner = stage.inset(20, 12);
    const float legend = 28;
    const float around = std::clamp(inner.h * 0.36F, 150.0F, 240.0F);
    // In a low stage first the counters give way, then the map.
    constexpr float map_least = 100, counters_full = 60, between = 20;
    const float left = inner.h - legend - around - between;
    const float counters = left >= map_least + counters_full || left < map_least ? counters_full : 0;
    const float map_height = std::max(0.0F, left - counters);
    const bool with_map = map_height >= map_least;
    float y = inner.y;
    if (with_map) {
        draw_map(ui, {inner.x, y, inner.w, map_height}, *space, *device, now);
        y += map_height;
    }
    if (counters > 0 && (with_map || left >= counters_full)) {
        draw_counters({inner.x, y, inner.w, counters}, counters_of(*space, *device, now));
        y += counters;
    }
    if (y > inner.y) {
        hline(stage.x, stage.right(), y + 6, t.line);
        y += between;
    }
    draw_surroundings(ui, {inner.x, y, inner.w, around}, *space, *device, now);
    draw_legend({inner.x, stage.bottom() - legend - 4, inner.w, legend});
    ImGui::PopID();
}

}  // namespace glassfs::ui
