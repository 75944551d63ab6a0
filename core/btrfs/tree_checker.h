// SPDX-License-Identifier: MIT
// Validates what came from a disk before anything uses it: the superblock, a chunk, a tree block's structure
// (after which its accessors are safe) and each item's content (after which its typed views are safe).
// Every failure names its cause with block, slot and key. The rules are those of the on-disk format and of
// what Linux accepts; where Linux is lenient so is this, or a well-formed volume would be refused.
#pragma once

#include "base/checksum.h"
#include "btrfs/tree_block.h"

#include <vector>

namespace glassfs::btrfs {

// What the superblock says that blocks and items are checked against.
struct Geometry {
    u32 node_size = 0;
    u32 sector_size = 0;
    ChecksumType csum_type = ChecksumType::Crc32c;
    u64 incompat = 0;
    u64 generation = 0;                 // newest committed; a log tree's blocks are one newer
    Uuid metadata_fsid = {};            // what block headers carry
    std::vector<Uuid> seed_fsids = {};  // what older ones may carry in a volume grown from a seed
    bool has(u64 incompat_flag) const { return (incompat & incompat_flag) != 0; }
};

// Magic, sizes, alignments, levels, checksum type, sys_chunk_array_size... `offset`: where it was read,
// bytes. The checksum is verified by the caller. Cause::SuperblockBad, or Cause::SuperblockFieldBad with
// field and value.
Result<void> check_superblock(const disk::btrfs_super_block&, u64 offset);

// A chunk item with its stripes: type and profile, stripe counts, lengths, alignment, no overflow.
// Cause::ChunkBad, Cause::ItemSize.
Result<void> check_chunk(const Geometry&, const Key&, Bytes chunk);

// Header and item table: bytenr, fsid, level, item count, key order, item offsets and sizes inside the block,
// no overlap; in nodes: pointers aligned and not zero. After success TreeBlock's accessors can't leave the
// block. The block's checksum is verified by the caller.
Result<void> check_structure(const Geometry&, const TreeBlock&);

// One item of a leaf that passed check_structure(): key and content for every item type.
// Item types that are not known are Cause::ItemTypeUnknown.
Result<void> check_item(const Geometry&, const TreeBlock& leaf, u32 slot);

}  // namespace glassfs::btrfs
