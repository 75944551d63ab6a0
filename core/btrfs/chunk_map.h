// SPDX-License-Identifier: MIT
// From logical addresses to devices. A chunk maps a range of the logical address space onto stripes, each a
// range of one device (a dev extent); its profile says how. A logical byte has one or more mirrors: copies
// that can be read in place of each other. On RAID5/6 mirror 0 is the data stripe itself, 1 and 2 are rebuilt
// from parity.
#pragma once

#include "btrfs/tree_checker.h"

#include <map>
#include <vector>

namespace glassfs::btrfs {

struct Stripe {
    u64 devid = 0;
    PhysicalAddr physical;  // begin on the device
    Uuid dev_uuid = {};
};

struct Chunk {
    LogicalAddr logical;
    u64 length = 0;      // logical bytes
    u64 type = 0;        // block group type and profile flags
    u64 stripe_len = 0;  // bytes
    u16 sub_stripes = 0;
    std::vector<Stripe> stripes;

    u32 parity_stripes() const;  // 0, 1 (RAID5) or 2 (RAID6)
    u32 data_stripes() const { return static_cast<u32>(stripes.size()) - parity_stripes(); }
    u32 mirrors() const;           // ways to read one byte
    u64 stripe_bytes() const;      // bytes that each stripe takes on its device: the dev extent's length
    u32 failures_allowed() const;  // devices that may be missing without losing data
    LogicalAddr end() const { return logical + length; }
};

// Where one piece of a range lies: inside of a single stripe element of one chunk.
struct Mapping {
    const Chunk* chunk = nullptr;
    u32 stripe = 0;         // index in chunk->stripes
    PhysicalAddr physical;  // on that stripe's device
    u64 length = 0;         // bytes up to the end of the stripe element, chunk or request
    u32 row = 0;            // RAID5/6: which full stripe
    u32 data_index = 0;     // RAID5/6: which data stripe of the row
};

class ChunkMap {
  public:
    // Adds a chunk item that passed check_chunk(). The same chunk again is fine (the superblock's array
    // repeats some); Cause::ChunkOverlap when it covers part of another.
    Result<void> add(const Key&, Bytes item);
    void remove(LogicalAddr begin) { by_logical_.erase(begin.value); }
    const Chunk* find(LogicalAddr) const;  // the chunk that holds this byte, or null
    const std::map<u64, Chunk>& chunks() const { return by_logical_; }
    // The piece at `addr`, at most `length` bytes. Cause::ChunkMissing, or Cause::InvalidArgument
    // when `mirror` is not below the chunk's mirrors().
    Result<Mapping> map(LogicalAddr addr, u64 length, u32 mirror) const;

  private:
    std::map<u64, Chunk> by_logical_;
};

// Copies a chunk item that passed check_chunk() out of its bytes.
Chunk parse_chunk(const Key&, Bytes item);

}  // namespace glassfs::btrfs
