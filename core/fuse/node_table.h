// SPDX-License-Identifier: MIT
// The kernel calls inodes by numbers that we give out (nodeids). It counts how often it was given each, and
// says how many of those it forgets; at zero the number means nothing any more and is never used again.
//
// What the kernel knows it may still be asked for when the last name is gone: open files, working
// directories. So an inode that loses a name is held (vfs::FileSystem::hold) until the kernel forgets it.
#pragma once

#include "vfs/file_system.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace glassfs::fuse {

using Nodeid = u64;
inline constexpr Nodeid root_nodeid = 1;  // FUSE's; never forgotten

// Thread-safe.
class NodeTable {
  public:
    explicit NodeTable(vfs::NodeId root);

    // Gives the inode's number out once more.
    Nodeid enter(vfs::NodeId node);
    // A number of its own, whoever else has one for this inode.
    Nodeid enter_alone(vfs::NodeId node);
    // Takes `count` of the times back. Returns the inode when that was the last and it is held: release it.
    std::optional<vfs::NodeId> forget(Nodeid nodeid, u64 count);
    // Whether the kernel knows the inode and nobody has called this for it before: hold it.
    bool hold(vfs::NodeId node);
    // What is held and not forgotten, at the end: release it.
    std::vector<vfs::NodeId> take_held();
    // Cause::NotFound: it isn't given out.
    Result<vfs::NodeId> node(Nodeid nodeid) const;
    std::size_t size() const;

  private:
    struct Hash {
        std::size_t operator()(vfs::NodeId node) const noexcept;
    };
    struct Entry {
        vfs::NodeId node;
        u64 count = 0;
        bool alone = false;
        bool held = false;
    };

    mutable std::shared_mutex mutex_;
    std::unordered_map<Nodeid, Entry> entries_;
    std::unordered_map<vfs::NodeId, Nodeid, Hash> nodeids_;  // but for those entered alone
    Nodeid next_ = root_nodeid + 1;
};

// The inode number that programs see. Inodes of the tree `root` (of the mounted subvolume) keep theirs;
// others get their tree's id in the bits from 40 on: unique as long as inode numbers have 40 bits and tree
// ids 24.
inline u64 shown_ino(vfs::NodeId node, u64 root) {
    return node.tree == root ? node.ino.value : node.ino.value + (node.tree << 40);
}

}  // namespace glassfs::fuse
