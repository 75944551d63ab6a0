// SPDX-License-Identifier: MIT
#include "ui/model/space_model.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace glassfs::ui {

namespace {

constexpr std::size_t moves_max = 6;

using inspect::SpaceMap;

// Indices of the device's dev extents: [first, last).
std::pair<std::size_t, std::size_t> range_of(const SpaceMap& map, u64 device) {
    auto by_device = [](const SpaceMap::DevExtent& one, u64 id) { return one.device < id; };
    auto first = std::lower_bound(map.dev_extents.begin(), map.dev_extents.end(), device, by_device);
    auto last = std::lower_bound(first, map.dev_extents.end(), device + 1, by_device);
    return {static_cast<std::size_t>(first - map.dev_extents.begin()),
            static_cast<std::size_t>(last - map.dev_extents.begin())};
}

u64 size_of_device(const SpaceMap& map, u64 device) {
    for (const SpaceMap::Device& one : map.devices) {
        if (one.id == device) return one.size;
    }
    return 0;
}

// The first of the device's dev extents that ends behind `byte`, as an index; the range's end: none.
std::size_t first_behind(const SpaceMap& map, std::pair<std::size_t, std::size_t> range, u64 byte) {
    auto at = map.dev_extents.begin();
    auto found = std::partition_point(
        at + static_cast<std::ptrdiff_t>(range.first), at + static_cast<std::ptrdiff_t>(range.second),
        [&](const SpaceMap::DevExtent& one) { return one.start.value + one.length <= byte; });
    return static_cast<std::size_t>(found - at);
}

struct Gather {
    SpaceMoment out;
    const TimelineStep* step = nullptr;
    const TimelineOperation* operation = nullptr;
    bool current = false;  // the step is of the operation that is looked at

    void operator()(const trace::AllocHintMoved& e) {
        out.hints[e.device] = e.to.value;
        out.moves.push_back({e.device, e.from.value, e.to.value, e.reason, step->position, operation->name});
    }
    void operator()(const trace::DevExtentSearch& e) {
        if (current) out.search = e;
    }
    void operator()(const trace::ChunkAlloc& e) {
        if (current) out.new_chunks.insert(e.logical);
    }
    void operator()(const auto&) {}
};

}  // namespace

std::string hint_move_words(const HintMove& move) {
    static constexpr std::array<const char*, 5> why = {"read at mount", "a search walked past",
                                                       "a chunk took its hole", "a hole was freed before it",
                                                       "the device changed"};
    std::string way = move.to >= move.from ? "+" + size_text(move.to - move.from)
                                           : "\xe2\x88\x92" + size_text(move.from - move.to);
    return way + ", " + (move.reason < why.size() ? why[move.reason] : "set anew");
}

SpaceMoment space_moment(Session& session) {
    Gather gather;
    auto moment = moment_of(session);
    if (!moment) {
        // Nothing has been done yet.
        if (auto timeline = session.timeline()) gather.out.hints = timeline->first_hints;
        return gather.out;
    }
    const Timeline& line = *moment->timeline;
    gather.out.hints = line.first_hints;
    for (std::size_t i = 0; i < line.steps.size(); ++i) {
        const TimelineStep& step = line.steps[i];
        if (moment->step == Timeline::none || i > moment->step) break;
        gather.step = &step;
        gather.operation = &line.operations[step.operation];
        gather.current = step.operation == moment->operation;
        std::visit(gather, step.event);
        gather.out.searching =
            i == moment->step && std::holds_alternative<trace::DevExtentSearch>(step.event);
    }
    auto& moves = gather.out.moves;
    std::reverse(moves.begin(), moves.end());
    if (moves.size() > moves_max) moves.resize(moves_max);
    return gather.out;
}

std::optional<u32> dev_extent_at(const SpaceMap& map, u64 device, u64 byte) {
    const auto range = range_of(map, device);
    const std::size_t at = first_behind(map, range, byte);
    if (at == range.second || map.dev_extents[at].start.value > byte) return std::nullopt;
    return static_cast<u32>(at);
}

std::vector<SpacePiece> pieces_around(const SpaceMap& map, u64 device, u64 at, std::size_t count) {
    const auto range = range_of(map, device);
    const std::size_t middle = first_behind(map, range, at);
    const std::size_t first = std::max(range.first, middle > count ? middle - count : 0);
    const std::size_t last = std::min(range.second, middle + count);
    std::vector<SpacePiece> all;
    std::size_t centre = 0;
    u64 end = first == range.first ? 0 : map.dev_extents[first].start.value;
    auto add = [&](SpacePiece piece) {
        if (piece.start <= at) centre = all.size();
        all.push_back(piece);
    };
    for (std::size_t i = first; i < last; ++i) {
        const SpaceMap::DevExtent& extent = map.dev_extents[i];
        if (extent.start.value > end) add({end, extent.start.value - end});
        add({extent.start.value, extent.length, static_cast<u32>(i)});
        end = extent.start.value + extent.length;
    }
    const u64 size = size_of_device(map, device);
    if (last == range.second && size > end) add({end, size - end});
    // Two thirds of the window lie before the place.
    const std::size_t before = count * 2 / 3;
    std::size_t from = centre > before ? centre - before : 0;
    from = std::min(from, all.size() > count ? all.size() - count : 0);
    const std::size_t to = std::min(all.size(), from + count);
    return {all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to)};
}

KindCounts count_kinds(const SpaceMap& map) {
    KindCounts out;
    for (const SpaceMap::Chunk& chunk : map.chunks) {
        KindCount& kind = out[static_cast<std::size_t>(chunk.kind)];
        kind.profile = kind.chunks == 0 || kind.profile == chunk.profile ? chunk.profile : "several profiles";
        kind.stripes += chunk.stripe_count;
        ++kind.chunks;
    }
    return out;
}

std::vector<SpaceCell> space_cells(const SpaceMap& map, u64 device, std::size_t cells,
                                   const std::set<u64>& new_chunks) {
    std::vector<SpaceCell> out(cells);
    const u64 size = size_of_device(map, device);
    if (cells == 0 || size == 0) return out;
    const u64 cell_bytes = std::max<u64>(1, (size + cells - 1) / cells);
    std::vector<std::array<u64, 4>> by_kind(cells);
    const auto range = range_of(map, device);
    for (std::size_t i = range.first; i < range.second; ++i) {
        const SpaceMap::DevExtent& extent = map.dev_extents[i];
        const SpaceMap::Chunk* chunk = extent.chunk ? &map.chunks[*extent.chunk] : nullptr;
        const bool fresh = chunk != nullptr && new_chunks.contains(chunk->logical.value);
        const u64 end = extent.start.value + extent.length;
        for (u64 at = extent.start.value; at < end && at / cell_bytes < cells;) {
            const auto cell = static_cast<std::size_t>(at / cell_bytes);
            const u64 here = std::min(end, (u64{cell} + 1) * cell_bytes) - at;
            out[cell].allocated += here;
            out[cell].fresh |= fresh;
            if (chunk != nullptr) by_kind[cell][static_cast<std::size_t>(chunk->kind)] += here;
            at += here;
        }
    }
    for (std::size_t i = 0; i < cells; ++i) {
        const auto most = std::max_element(by_kind[i].begin(), by_kind[i].end());
        if (*most != 0) out[i].kind = static_cast<SpaceMap::Kind>(most - by_kind[i].begin());
    }
    return out;
}

}  // namespace glassfs::ui
