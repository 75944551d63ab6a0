// SPDX-License-Identifier: MIT
// Changing a btrfs. Tree blocks are never overwritten: the first change of a block in a transaction copies it
// to new space (copy on write), and so its parent, up to the root. A commit writes all new blocks, flushes,
// then writes the superblocks that point to the new roots, and flushes again:
//
//   steps ...            in memory: changed blocks, delayed references, block group counters
//   commit   1. delayed references, block group items and root items, round after round until none is left
//            2. changed blocks to the devices    flush       a crash up to here leaves the last commit whole
//            3. superblocks                      flush       from here on the new state is the volume
//            4. what the old state alone used becomes free
//
// A Transaction is one operation's share (a step) of the running transaction: it holds the one writer's lock,
// so steps never mix, and shuts readers out only while it changes blocks in memory. Blocks become writable
// only through it. Ended without done(), it has failed: if it had changed something, the volume in memory is
// neither old nor new, so it goes read-only (Cause::VolumeAborted) and the last commit is what remains.
#pragma once

#include "base/environment.h"
#include "btrfs/volume.h"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace glassfs::btrfs {

class WritableVolume;

using WritableBlock = std::shared_ptr<TreeBlock>;

// A tree and where its root is now.
struct Tree {
    TreeRoot root;
    TreeRoot committed;            // as the last commit left it
    disk::btrfs_root_item item{};  // of trees that have one: all but root tree and chunk tree
    u64 root_key_offset = 0;       // of its ROOT_ITEM's key: the transaction that made a snapshot, else 0
    bool item_changed = false;     // `item` must go to the root tree although the root stayed
    // A subvolume's blocks may be shared with snapshots; those of other trees never are.
    bool can_be_shared() const;
    u64 id() const { return root.id; }
    Generation last_snapshot() const { return Generation{item.last_snapshot}; }
};

// How much room a step may take at most; what frees may go deeper into the reserve.
enum class Room : u8 { Grows, Frees };
struct Need {
    u32 items = 8;  // tree items inserted, changed or deleted
    Room room = Room::Grows;
};

class Transaction {
  public:
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();

    // The step is whole, and its locks are released; it becomes durable with the next commit.
    void done();

    // What the step has done so far is whole by itself: it may still end here without harm.
    void keep();

    WritableVolume& store() const { return *store_; }
    Volume& volume() const;
    const Geometry& geometry() const;
    Generation generation() const;
    TimeSpec now() const;

    // The tree with this id. Cause::RootMissing.
    Result<Tree*> tree(u64 id);
    // A tree's block, to change. `block` is the root or the child at `parent_slot` of `parent` (which is
    // writable); on the first change in this transaction it is copied, and parent or root point to the copy.
    Result<WritableBlock> make_writable(Tree&, const BlockPtr& block, const WritableBlock& parent,
                                        u32 parent_slot);
    // The same for the block at an address, which is read if need be.
    Result<WritableBlock> writable_at(Tree&, LogicalAddr, const BlockExpectation&,
                                      const WritableBlock& parent, u32 parent_slot);
    // A new block without items. The caller puts it into the tree.
    Result<WritableBlock> allocate_block(Tree& tree, u8 level) { return allocate_block(tree, level, {}); }
    // The same with the items of another one.
    Result<WritableBlock> copy_into_new(Tree& tree, const TreeBlock& from) {
        return allocate_block(tree, from.level(), from.bytes());
    }
    // The block leaves the tree.
    Result<void> free_block(Tree&, const TreeBlock&);
    void set_root(Tree&, const TreeBlock& root);

  private:
    friend class WritableVolume;
    Transaction(WritableVolume& store, std::unique_lock<std::mutex> writer);

    // `content`: a block's bytes, of which all but the header stay; or none.
    Result<WritableBlock> allocate_block(Tree&, u8 level, Bytes content);

    WritableVolume* store_;
    std::unique_lock<std::mutex> writer_;  // of none while a commit, which holds it itself, takes a step
    std::unique_lock<std::shared_mutex> blocks_;
    u64 changes_before_ = 0;
    bool done_ = false;
};

}  // namespace glassfs::btrfs
