// SPDX-License-Identifier: MIT
// Names as the operations of a file system see them in a step: one that is to come, one that is there.
#pragma once

#include "btrfs/directory_edit.h"
#include "btrfs/inode_table.h"

namespace glassfs::btrfs {

// A name that isn't there yet and may be made.
struct NewName {
    Tree* tree = nullptr;
    InodePtr dir;
    std::string_view name;
    HashedEntry place;
    u64 dir_number() const { return dir->id.ino.value; }
};

enum class EntryKind : u8 {
    Inode,
    Subvolume,      // its root directory
    LostSubvolume,  // of a snapshot's origin: the name remains, Linux shows an empty directory
};

struct Entry {
    Tree* tree = nullptr;
    InodePtr dir;
    std::string_view name;
    HashedEntry place;
    EntryKind kind = EntryKind::Inode;
    vfs::NodeId target;
    InodePtr inode;     // null for a lost subvolume
    InodeRef ref = {};  // of an inode
    u64 index = 0;      // of the DIR_INDEX
    u64 dir_number() const { return dir->id.ino.value; }
    bool is_directory() const { return inode == nullptr || inode->type() == vfs::FileType::Directory; }
    RootRefPlace root_ref() const { return {target.tree, tree->id(), dir_number(), name}; }
};

// What a new inode takes from the default access list of its directory.
struct InheritedAcl {
    u32 mode = 0;          // st_mode
    Buffer access = {};    // values of attributes; empty: it gets none
    Buffer defaults = {};  // of a new directory
};

// A rename as far as it is known before anything changes.
struct Renaming {
    vfs::RenameKind kind = vfs::RenameKind::Replace;
    Entry from;
    std::optional<Entry> to = {};  // what has the new name already
    Tree* to_tree = nullptr;
    InodePtr to_dir = {};
    std::string_view to_name = {};
    HashedEntry to_place = {};
};

inline disk::btrfs_timespec to_disk_time(TimeSpec time) {
    return {static_cast<u64>(time.seconds), time.nanos};
}

// A name came (+1) or went (-1), or changed (0).
void touch_directory(Inode& dir, std::string_view name, s64 names, TimeSpec now);
// ctime and version.
void touch_inode(Inode&, TimeSpec now);

}  // namespace glassfs::btrfs
