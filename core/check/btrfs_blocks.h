// SPDX-License-Identifier: MIT
// Reading tree blocks for a check: every copy of a block is verified when it is met first, and every item of
// a leaf; what is wrong is reported once. Walking a tree goes on behind a block that can't be read. Internal
// to the check layer.
#pragma once

#include "btrfs/volume.h"
#include "check/findings.h"

#include <functional>
#include <set>
#include <unordered_map>

namespace glassfs::check {

using btrfs::BlockPtr;
using btrfs::Key;
using btrfs::KeyType;
using btrfs::TreeBlock;
using btrfs::TreeRoot;
using btrfs::type_of;

// Trees that hold files: the top level, subvolumes and snapshots.
inline bool is_subvolume(u64 tree) {
    return tree == btrfs::fs_tree_objectid ||
           (tree >= btrfs::first_free_objectid && tree <= btrfs::last_free_objectid);
}

class BlockReader {
  public:
    BlockReader(btrfs::Volume& volume, Findings& findings) : volume_(volume), findings_(findings) {}

    // Null when no copy fits; that has been reported.
    BlockPtr read(LogicalAddr addr, const btrfs::BlockExpectation& expect, u64 tree);
    // Whether the item's typed views are safe.
    bool item_usable(const TreeBlock& leaf, u32 slot) const {
        return bad_items_.empty() || !bad_items_.contains({leaf.addr().value, slot});
    }
    btrfs::Volume& volume() { return volume_; }
    Findings& findings() { return findings_; }

  private:
    void verify_copies(LogicalAddr addr, const btrfs::BlockExpectation& expect, u64 tree);
    void verify_items(const TreeBlock& leaf, u64 tree);

    btrfs::Volume& volume_;
    Findings& findings_;
    std::unordered_map<u64, bool> seen_;  // address -> can be used
    std::set<std::pair<u64, u32>> bad_items_;
};

// How far a subvolume's deletion has come: everything before `progress` is gone. Nodes at `level` and above
// still point to some of it.
struct DropState {
    Key progress;
    u8 level = 0;
};

// True when what the pointer leads to is already deleted.
bool is_dropped(const TreeBlock& node, u32 slot, const std::optional<DropState>& drop);

// Calls `visit(block)` for each block of a tree, parents first, in key order; its result says whether to
// descend. Each block is reached at most once: a child must lie in the range of keys that its parent's
// pointers leave to it.
void walk_tree(BlockReader&, const TreeRoot&, const std::optional<DropState>&,
               const std::function<bool(const BlockPtr&)>& visit);

struct ItemView {
    const TreeBlock& leaf;
    u32 slot;
    Key key;
    Bytes data;
    u64 tree;
    Where where() const { return {.block = leaf.addr().value, .slot = slot, .key = key, .tree = tree}; }
};

// Calls `visit` for each usable item of a tree in key order.
void for_each_item(BlockReader&, const TreeRoot&, const std::function<void(const ItemView&)>& visit);
// The usable items of one leaf.
void for_each_item(BlockReader&, const TreeBlock& leaf, u64 tree,
                   const std::function<void(const ItemView&)>& visit);

}  // namespace glassfs::check
