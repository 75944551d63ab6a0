// SPDX-License-Identifier: MIT
// The profiles' address arithmetic. `n` stripes, elements of stripe_len bytes, element `e` of the chunk:
//
//   SINGLE, DUP, RAID1*   every stripe holds the whole chunk
//   RAID0                 element e: stripe e % n, row e / n
//   RAID10                groups of sub_stripes copies: group e % (n / sub), row e / (n / sub)
//   RAID5, RAID6          d = n - parity data elements a row; element e: row r = e / d, position (e % d + r)
//   % n;
//                         P at position (d + r) % n, Q behind it
#include "btrfs/chunk_map.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {
constexpr u64 mirrored = block_group_dup | block_group_raid1 | block_group_raid1c3 | block_group_raid1c4;
constexpr u64 parity_profiles = block_group_raid5 | block_group_raid6;
}  // namespace

u32 Chunk::parity_stripes() const {
    return (type & block_group_raid5) != 0 ? 1 : (type & block_group_raid6) != 0 ? 2 : 0;
}

u32 Chunk::mirrors() const {
    if ((type & mirrored) != 0) return static_cast<u32>(stripes.size());
    if ((type & block_group_raid10) != 0) return sub_stripes;
    return 1 + parity_stripes();
}

u64 Chunk::stripe_bytes() const {
    u64 n = stripes.size();
    if ((type & block_group_raid0) != 0) return length / n;
    if ((type & block_group_raid10) != 0) return length / (n / sub_stripes);
    if ((type & parity_profiles) != 0) return length / data_stripes();
    return length;
}

u32 Chunk::failures_allowed() const {
    if ((type & (block_group_raid1 | block_group_raid10 | block_group_raid5)) != 0) return 1;
    if ((type & (block_group_raid1c3 | block_group_raid6)) != 0) return 2;
    return (type & block_group_raid1c4) != 0 ? 3 : 0;
}

Chunk parse_chunk(const Key& key, Bytes item) {
    const auto& head = view<disk::btrfs_chunk>(item);
    Chunk chunk{LogicalAddr{key.offset}, head.length, head.type, head.stripe_len, head.sub_stripes, {}};
    for (u32 i = 0; i < head.num_stripes; ++i) {
        const auto& stripe = view<disk::btrfs_stripe>(item, sizeof head + i * sizeof(disk::btrfs_stripe));
        chunk.stripes.push_back({stripe.devid, PhysicalAddr{stripe.offset}, stripe.dev_uuid});
    }
    return chunk;
}

Result<void> ChunkMap::add(const Key& key, Bytes item) {
    Chunk chunk = parse_chunk(key, item);
    auto next = by_logical_.lower_bound(chunk.logical.value);
    if (next != by_logical_.end() && next->first == chunk.logical.value &&
        next->second.length == chunk.length) {
        next->second = std::move(chunk);  // the chunk tree is newer than the superblock's array
        return {};
    }
    bool overlaps_next = next != by_logical_.end() && next->first < chunk.end().value;
    bool overlaps_previous = next != by_logical_.begin() && std::prev(next)->second.end() > chunk.logical;
    if (overlaps_next || overlaps_previous) {
        return fail(Cause::ChunkOverlap, {.key = key}, "length " + std::to_string(chunk.length));
    }
    by_logical_.emplace(chunk.logical.value, std::move(chunk));
    return {};
}

const Chunk* ChunkMap::find(LogicalAddr addr) const {
    auto next = by_logical_.upper_bound(addr.value);
    if (next == by_logical_.begin()) return nullptr;
    const Chunk& chunk = std::prev(next)->second;
    return addr < chunk.end() ? &chunk : nullptr;
}

Result<Mapping> ChunkMap::map(LogicalAddr addr, u64 length, u32 mirror) const {
    const Chunk* chunk = find(addr);
    if (chunk == nullptr) return fail(Cause::ChunkMissing, "logical " + std::to_string(addr.value));
    // A range may go on into a chunk that has fewer copies than the one it began in.
    if (mirror >= chunk->mirrors()) {
        return fail(Cause::InvalidArgument, {.block = addr.value},
                    "mirror " + std::to_string(mirror) + " of " + std::to_string(chunk->mirrors()));
    }
    u64 within = addr - chunk->logical;
    u64 piece = std::min(length, chunk->end() - addr);
    u32 n = static_cast<u32>(chunk->stripes.size());
    Mapping mapping{chunk, 0, {}, piece, 0, 0};
    bool striped = (chunk->type & (block_group_raid0 | block_group_raid10 | parity_profiles)) != 0;
    if (!striped) {
        mapping.stripe = (chunk->type & mirrored) != 0 ? mirror : 0;
        mapping.physical = chunk->stripes[mapping.stripe].physical + within;
        return mapping;
    }
    u64 element = within / chunk->stripe_len;
    u64 in_element = within % chunk->stripe_len;
    u64 row = 0;
    if ((chunk->type & block_group_raid0) != 0) {
        mapping.stripe = static_cast<u32>(element % n);
        row = element / n;
    } else if ((chunk->type & block_group_raid10) != 0) {
        u32 groups = n / chunk->sub_stripes;
        mapping.stripe = static_cast<u32>(element % groups) * chunk->sub_stripes + mirror;
        row = element / groups;
    } else {
        u32 data = chunk->data_stripes();
        row = element / data;
        mapping.data_index = static_cast<u32>(element % data);
        mapping.stripe = static_cast<u32>((mapping.data_index + row) % n);
    }
    mapping.row = static_cast<u32>(row);
    mapping.length = std::min(piece, chunk->stripe_len - in_element);
    mapping.physical = chunk->stripes[mapping.stripe].physical + (row * chunk->stripe_len + in_element);
    return mapping;
}

}  // namespace glassfs::btrfs
