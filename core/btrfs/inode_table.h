// SPDX-License-Identifier: MIT
// Inodes in memory. There is one Inode for each inode in use, so that everybody sees the same lock, the same inode
// item, and the same file data that isn't on disk yet.
//
// Locks: `lock` is Linux's inode lock (shared: reading data and seeking; exclusive: changing the file, or names in a
// directory). It is taken before the writer's and the blocks' lock; of several inodes in the order of their ids, as
// lock_inodes() does. `item`, `changed`, `next_index` and `orphan` are read under Volume::reading() and changed inside of
// steps only. Changing an inode's item in memory is cheap: it goes to its tree with the next commit at the latest.
#pragma once

#include "btrfs/transaction.h"
#include "vfs/file_system.h"

namespace glassfs::btrfs {

class FilePages;  // file_pages.h: data written to the file that has no extents yet

struct Inode {
    vfs::NodeId id;
    std::shared_mutex lock;
    disk::btrfs_inode_item item{};
    bool changed = false;                 // `item` is newer than the tree's
    bool orphan = false;                  // no name is left: it goes with the last hold
    u32 holds = 0;                        // open files; changed inside of steps
    std::optional<u64> next_index = {};   // of a directory: what its next DIR_INDEX gets, once known
    std::shared_ptr<FilePages> pages = {};  // null: nothing is dirty; under `lock`
};
using InodePtr = std::shared_ptr<Inode>;

class InodeTable {
  public:
    explicit InodeTable(Volume& volume) : volume_(volume) {}

    // Needs Volume::reading() or a step. Cause::NotFound when there is no such inode item.
    Result<InodePtr> get(vfs::NodeId);
    // A new one, whose item is in the tree already (or goes there as `changed`).
    InodePtr add(vfs::NodeId, const disk::btrfs_inode_item&);
    void drop(vfs::NodeId);        // deleted
    void drop_tree(u64 tree);      // the subvolume is deleted
    // Writes the items that are newer than their trees.
    Result<void> flush(Transaction&);
    Result<void> flush(Transaction&, Inode&);
    // Those with dirty data, for sync().
    std::vector<InodePtr> with_pages();

  private:
    static constexpr std::size_t kept_max = 16384;  // clean ones that nobody uses, beyond it the oldest go

    Volume& volume_;
    std::mutex mutex_;
    std::map<vfs::NodeId, InodePtr> inodes_;
};

}  // namespace glassfs::btrfs
