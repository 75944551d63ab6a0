// SPDX-License-Identifier: MIT
// Inodes in memory. There is one Inode for each inode in use, so that everybody sees the same lock, the same
// inode item, and the same file data that isn't on disk yet.
//
// Locks: `lock` is Linux's inode lock (shared: reading data and seeking; exclusive: changing the file). It is
// taken before the writer's and the blocks' lock; of several inodes in the order of their ids. Names need no
// such lock: an operation on names is one step, and steps are alone. Everything in an Inode but `pages` and
// `holds` is read under Volume::reading() or in a step, and changed in steps only. Changing an inode's item
// in memory is cheap: it goes to its tree with the next commit at the latest.
//
// Whoever waited for `lock` looks at `gone` in its step before it changes anything: the inode may have been
// deleted meanwhile, and nothing must be put into the tree for it again.
#pragma once

#include "btrfs/transaction.h"
#include "vfs/file_system.h"

#include <array>
#include <atomic>
#include <list>
#include <set>

namespace glassfs::btrfs {

class FilePages;  // file_pages.h: data written to the file that has no extents yet

struct Inode;

// That an inode's item is newer than the tree's: a bool that keeps the table's list of such inodes.
class ChangedMark {
  public:
    explicit ChangedMark(Inode* inode) : inode_(inode) {}
    ChangedMark(const ChangedMark&) = delete;
    ChangedMark& operator=(const ChangedMark&) = delete;
    ChangedMark& operator=(bool changed);
    operator bool() const { return changed_; }

  private:
    friend class InodeTable;
    bool changed_ = false;
    Inode* inode_;
    std::vector<Inode*>* list_ = nullptr;
};

struct Inode {
    vfs::NodeId id;
    std::shared_mutex lock;
    disk::btrfs_inode_item item{};
    ChangedMark changed{this};                 // set it when `item` changes
    bool orphan = false;                       // no name is left: it goes with the last hold
    bool linkable = false;                     // made without a name: link() may give it the first one
    bool gone = false;                         // deleted
    std::atomic<u32> holds = 0;                // open files; changed under Volume::reading() or in steps
    std::optional<u64> next_index = {};        // of a directory: what its next DIR_INDEX gets, once known
    std::optional<bool> has_default_acl = {};  // of a directory, once known
    vfs::NodeId last_parent = {};              // of a removed directory that is still held: where ".." leads
    std::shared_ptr<FilePages> pages = {};     // null: nothing is dirty; under `lock`

    vfs::FileType type() const { return vfs::file_type_of_mode(item.mode); }
};
using InodePtr = std::shared_ptr<Inode>;

class InodeTable {
  public:
    explicit InodeTable(Volume& volume) : volume_(volume) {}

    // Needs Volume::reading() or a step. Cause::NotFound when there is no such inode item.
    Result<InodePtr> get(vfs::NodeId);
    // The same, if it is in memory; else null.
    InodePtr find(vfs::NodeId);
    // A new one, whose item is in the tree already (or goes there as `changed`).
    InodePtr add(vfs::NodeId, const disk::btrfs_inode_item&);
    void drop(vfs::NodeId);    // deleted
    void drop_tree(u64 tree);  // the subvolume is deleted: its inodes are not found any more
    void begin_tree(u64 tree) { dropped_trees_.erase(tree); }  // another subvolume has this id now
    // Writes the items that are newer than their trees.
    Result<void> flush(Transaction&);
    Result<void> flush(Transaction&, Inode&);
    // How many there are, and whether there is one in this tree.
    std::size_t changed_count() const { return changed_.size(); }
    bool any_changed(u64 tree) const;
    bool any_held(u64 tree);
    // Those with dirty data, for sync(). Takes their locks one by one: call it with none held.
    std::vector<InodePtr> with_pages();

  private:
    static constexpr std::size_t shard_count = 16;
    static constexpr std::size_t kept_max = 16384;  // clean ones that nobody uses, beyond it the oldest go

    struct Hash {
        std::size_t operator()(const vfs::NodeId& id) const {
            u64 mixed = (id.ino.value ^ (id.tree << 40)) * 0x9e3779b97f4a7c15ULL;
            return static_cast<std::size_t>(mixed >> 32);
        }
    };
    struct Shard {
        std::mutex mutex;
        std::list<InodePtr> by_use;  // the last used one first
        std::unordered_map<vfs::NodeId, std::list<InodePtr>::iterator, Hash> by_id;
    };

    Shard& shard(vfs::NodeId id) { return shards_[Hash{}(id) % shard_count]; }
    InodePtr find(Shard&, vfs::NodeId);
    Result<disk::btrfs_inode_item> read_item(vfs::NodeId);
    Result<void> apply_stored_compression(const TreeRoot&, vfs::NodeId, disk::btrfs_inode_item&);
    InodePtr make(vfs::NodeId, const disk::btrfs_inode_item&);
    static void put(Shard&, const InodePtr&);
    static bool disposable(const InodePtr&);
    std::vector<InodePtr> all();

    Volume& volume_;
    std::array<Shard, shard_count> shards_;
    std::set<u64> dropped_trees_;  // until their ids are used again; read and changed as Inode::item is
    std::vector<Inode*> changed_;  // in steps only; they stay in memory for as long as they are changed
};

}  // namespace glassfs::btrfs
