// SPDX-License-Identifier: MIT
// Keeping the free space tree exact. Each block group has a FREE_SPACE_INFO with the number of its free
// ranges, and those as FREE_SPACE_EXTENT items (all in the key) or, when there are too many, as bitmaps of
// 256 bytes with a bit per sector. Volumes without the tree: all of this does nothing.
#pragma once

#include "btrfs/block_groups.h"
#include "btrfs/transaction.h"

namespace glassfs::btrfs {

Result<void> free_space_removed(Transaction&, BlockGroup&, LogicalAddr, u64 length);  // allocated
Result<void> free_space_added(Transaction&, BlockGroup&, LogicalAddr, u64 length);    // freed
Result<void> free_space_begin(Transaction&, BlockGroup&);  // all of it is free
Result<void> free_space_end(Transaction&, const BlockGroup&);    // the group goes
// The free ranges of a block group in a tree, in order.
Result<std::vector<FreeRange>> read_free_space(Volume&, const TreeRoot& free_space_tree, const BlockGroup&);
// The same from the gaps between the extents of an extent tree, for volumes without a free space tree.
Result<std::vector<FreeRange>> read_gaps(Volume&, const TreeRoot& extent_tree, const BlockGroup&);

}  // namespace glassfs::btrfs
