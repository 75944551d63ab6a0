// SPDX-License-Identifier: MIT
// Dropping the tree of a deleted subvolume, block by block, in steps that can be interrupted.
//
// A block that only this tree uses goes, and before it everything that it alone points to. A block that
// snapshots use too stays, and only this tree's reference to it goes. The difficulty is what lies below such
// a block: a reference to an extent names either the tree that owns the referring block ("tree 300 uses
// this"), or, once the owner may be gone, the referring block itself (a full backref). This tree is going. So
// below a shared block that it owns all references in its name are rewritten as full backrefs first:
//
//        dying root                      dying root                      snapshot's root
//           |      \                        |                                |
//        own node   \   snapshot        (dropped)       snapshot          shared node   FULL_BACKREF
//        (refs 1)    \   /        ->                      /       ->         |          parent = shared node
//                   shared node                  shared node                leaf        FULL_BACKREF
//                   (refs 2, owner: dying)       (converted, refs 2)         |          parent = leaf
//                      |   tree = dying                                     data
//                     leaf
//
// Blocks with a generation not above the one at which the tree began as a snapshot are its origin's, not its
// own, so they and all below need no rewriting. Rewriting a block twice is not possible: it carries a flag
// afterwards.
//
// Progress is kept in the root item as Linux keeps it: drop_progress is the key, in the node of level
// drop_level, of the first child that is still there. So either side goes on where the other one stopped.
#pragma once

#include "btrfs/transaction.h"
#include "btrfs/writable_volume.h"

namespace glassfs::btrfs {

class TreeDropper {
  public:
    // The tree must not have changed since the last commit, and never changes again.
    explicit TreeDropper(u64 tree) : id_(tree) {}
    u64 tree() const { return id_; }

    // Handles about `blocks_max` blocks. True: the tree, its root item and the note that it must go are gone.
    Result<bool> step(Transaction&, u32 blocks_max);

  private:
    struct Frame {
        BlockPtr block;
        u32 slot = 0;       // of the next child
        bool full = false;  // refers to its children by full backrefs
    };
    // A pointer to a block, and where it stands. No parent: the root.
    struct Child {
        LogicalAddr addr;
        u8 level = 0;
        BlockExpectation expect;
        const Frame* parent = nullptr;
    };

    Result<void> begin(Transaction&, Tree&);
    Result<bool> drop_child(Transaction&, Tree&, const Child&);
    Result<void> drop_ref(Transaction&, const Child&);
    Result<void> convert(Transaction&, Tree&);
    Result<void> convert_block(Transaction&, const BlockPtr&, u64 flags);
    Result<void> leave_finished(Transaction&, Tree&);
    Result<void> finish(Transaction&, Tree&);
    static Child root_of(const Tree&);
    static Child child_at(const Frame&, u32 slot);

    u64 id_;
    bool begun_ = false;
    bool root_dropped_ = false;
    u32 left_ = 0;             // blocks that this step may still handle
    std::vector<Frame> path_;  // nodes that only this tree uses, root first; a slot's child is still there
    std::vector<Frame> converting_;              // nodes below a shared child of the last one
    std::optional<LogicalAddr> converted_ = {};  // that shared child, when all below is converted
};

// The trees that the root tree notes as deleted. Notes without a tree are collected in `stale`.
struct DeletedTrees {
    std::vector<u64> trees;
    std::vector<u64> stale;
};
Result<DeletedTrees> find_deleted_trees(Transaction&);

}  // namespace glassfs::btrfs
