// SPDX-License-Identifier: MIT
// Moving bytes inside of and between tree blocks. No tree, no transaction: callers have made sure of the room
// (asserted) and see to parents' keys.
#pragma once

#include "btrfs/tree_block.h"

namespace glassfs::btrfs {

inline disk::btrfs_header& header_of(TreeBlock& block) {
    return *reinterpret_cast<disk::btrfs_header*>(block.bytes_to_change().data());
}

// Leaves. Bytes of items include their headers.
u32 leaf_item_bytes(const TreeBlock& leaf, u32 first, u32 end);
inline u32 leaf_used_bytes(const TreeBlock& leaf) {
    return TreeBlock::capacity(leaf.size()) - leaf.free_bytes();
}
MutBytes leaf_data(TreeBlock& leaf, u32 slot);
MutBytes leaf_insert(TreeBlock& leaf, u32 slot, const Key&, u32 size);  // zeroed data
void leaf_erase(TreeBlock& leaf, u32 slot, u32 count);
MutBytes leaf_resize(TreeBlock& leaf, u32 slot, u32 size);  // keeps the front of the data; zeros behind
// The items from slot `first` on to the front of `right`; the `count` first items to the end of `left`.
void leaf_move_tail(TreeBlock& leaf, u32 first, TreeBlock& right);
void leaf_move_head(TreeBlock& leaf, u32 count, TreeBlock& left);

// Nodes.
inline u32 node_pointers_max(u32 node_size) {
    return TreeBlock::capacity(node_size) / TreeBlock::pointer_size;
}
void node_insert(TreeBlock& node, u32 slot, const Key&, LogicalAddr child, Generation);
void node_erase(TreeBlock& node, u32 slot);
void node_set_pointer(TreeBlock& node, u32 slot, LogicalAddr child, Generation);
void node_move_tail(TreeBlock& node, u32 first, TreeBlock& right);
void node_move_head(TreeBlock& node, u32 count, TreeBlock& left);

void set_key(TreeBlock&, u32 slot, const Key&);

}  // namespace glassfs::btrfs
