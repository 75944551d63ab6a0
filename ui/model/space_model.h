// SPDX-License-Identifier: MIT
// What the Space workspace shows beside the map of chunks and dev extents: where each device's hint is, what
// the running operation has searched and allocated. All of it from the recording's events.
#pragma once

#include "ui/model/moment.h"

#include <array>
#include <set>

namespace glassfs::ui {

struct HintMove {
    u64 device = 0;
    u64 from = 0;
    u64 to = 0;        // bytes from the device's begin
    u8 reason = 0;     // btrfs::HintMove
    u64 position = 0;  // of the step, for Session::go_to()
    std::string operation;
};
std::string hint_move_words(const HintMove&);  // "+1 GiB: the chunk took the hole that it pointed to"

struct SpaceMoment {
    std::map<u64, u64> hints;                      // by device, as far as the recording has told
    std::optional<trace::DevExtentSearch> search;  // the last one of this operation, up to the moment
    bool searching = false;                        // it is the step that one stands on
    std::set<u64> new_chunks;                      // logical addresses, of this operation
    std::vector<HintMove> moves;                   // newest first, a few
};
SpaceMoment space_moment(Session&);

// One row of the window around a place of a device: a dev extent, or a hole between two.
struct SpacePiece {
    u64 start = 0;
    u64 length = 0;                      // bytes
    std::optional<u32> dev_extent = {};  // index in SpaceMap::dev_extents; nothing: free
};
// The pieces of a device from `at` on and before it, `count` at most, in order.
std::vector<SpacePiece> pieces_around(const inspect::SpaceMap&, u64 device, u64 at, std::size_t count);

// The dev extent at or before this byte of the device; nothing if it is free.
std::optional<u32> dev_extent_at(const inspect::SpaceMap&, u64 device, u64 byte);

// How much of each of `cells` equal parts of a device is in dev extents, and what kind has the most of it.
struct SpaceCell {
    u64 allocated = 0;  // bytes
    std::optional<inspect::SpaceMap::Kind> kind = {};
    bool fresh = false;  // a chunk of the running operation is in it
};
std::vector<SpaceCell> space_cells(const inspect::SpaceMap&, u64 device, std::size_t cells,
                                   const std::set<u64>& new_chunks);

// All chunks, by kind.
struct KindCount {
    u64 chunks = 0;
    u64 stripes = 0;
    std::string_view profile = {};  // "several profiles" where they differ; a literal
};
using KindCounts = std::array<KindCount, 4>;  // by SpaceMap::Kind
KindCounts count_kinds(const inspect::SpaceMap&);

}  // namespace glassfs::ui
