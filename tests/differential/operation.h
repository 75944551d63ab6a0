// SPDX-License-Identifier: MIT
// One random operation, the same for both file systems: inodes are named by paths (or by the number of a held
// inode), so that it means the same on either side.
#pragma once

#include "vfs/file_system.h"

namespace glassfs::differential {

// X(Name, "word", weight)
#define GLASSFS_OPERATIONS(X)                  \
    X(Create, "create", 90)                    \
    X(CreateMany, "create-many", 3)            \
    X(MakeDirectory, "mkdir", 55)              \
    X(MakeNode, "mknod", 20)                   \
    X(Symlink, "symlink", 30)                  \
    X(Tmpfile, "tmpfile", 12)                  \
    X(Link, "link", 60)                        \
    X(LinkMany, "link-many", 3)                \
    X(Unlink, "unlink", 70)                    \
    X(UnlinkMany, "unlink-many", 4)            \
    X(RemoveDirectory, "rmdir", 45)            \
    X(Rename, "rename", 120)                   \
    X(Write, "write", 150)                     \
    X(Truncate, "truncate", 55)                \
    X(Fallocate, "fallocate", 80)              \
    X(Clone, "clone", 70)                      \
    X(SetAttributes, "setattr", 50)            \
    X(SetFlags, "flags", 8)                    \
    X(ClearFlags, "clear-flags", 16)           \
    X(SetXattr, "set-xattr", 60)               \
    X(RemoveXattr, "remove-xattr", 20)         \
    X(Read, "read", 40)                        \
    X(Seek, "seek", 20)                        \
    X(List, "list", 15)                        \
    X(Parent, "parent", 5)                     \
    X(Hold, "hold", 15)                        \
    X(Release, "release", 18)                  \
    X(Fsync, "fsync", 15)                      \
    X(Sync, "sync", 4)                         \
    X(CreateSubvolume, "subvolume", 6)         \
    X(Snapshot, "snapshot", 6)                 \
    X(DeleteSubvolume, "delete-subvolume", 12) \
    X(WriteZero, "write-zero", 0)

enum class OperationKind : u8 {
#define GLASSFS_OPERATION_ENUM(name, word, weight) name,
    GLASSFS_OPERATIONS(GLASSFS_OPERATION_ENUM)
#undef GLASSFS_OPERATION_ENUM
};

// The words of the command line: "create", "link-many".
const char* operation_word(OperationKind);
std::optional<OperationKind> operation_of(std::string_view word);
unsigned operation_weight(OperationKind);
inline constexpr std::size_t operation_kinds = 0
#define GLASSFS_OPERATION_COUNT(name, word, weight) +1
    GLASSFS_OPERATIONS(GLASSFS_OPERATION_COUNT)
#undef GLASSFS_OPERATION_COUNT
    ;

inline constexpr std::size_t handle_count = 8;  // inodes held at a time, each in a numbered place

struct NodeRef {
    std::vector<std::string> path;           // from the root
    std::optional<std::size_t> handle = {};  // instead of a path
};

struct Operation {
    OperationKind kind = OperationKind::Sync;
    NodeRef node;      // what it works on; for names: the directory
    std::string name;  // in `node`, or of an xattr
    NodeRef other;     // the second directory or file
    std::string other_name;
    std::string target;  // of a symlink; the value of an xattr that can't be any bytes
    vfs::NewInode inode = {};
    u64 at = 0;
    u64 length = 0;  // of xattr values and data too
    u64 to_at = 0;
    u64 count = 0;      // of the operations on many names
    u64 data_seed = 0;  // of written bytes
    u64 flags = 0;
    std::size_t handle = 0;  // the place that hold and tmpfile fill and release empties
    vfs::RenameKind rename = vfs::RenameKind::Replace;
    vfs::FallocateMode fallocate = vfs::FallocateMode::Allocate;
    vfs::XattrMode xattr = vfs::XattrMode::Any;
    vfs::SnapshotKind snapshot = vfs::SnapshotKind::Writable;
    vfs::Whence whence = vfs::Whence::Data;
    vfs::AttributeChange change = {};
};

std::string describe(const Operation&);
// Bytes from a seed; every second seed's compress well.
Buffer make_data(u64 seed, u64 length);
// Bytes for messages: printable ones as they are, others as %XX, long ones cut.
std::string shown(std::string_view raw);

// The names that the operations on many names use.
std::string numbered_name(const std::string& stem, u64 number);

}  // namespace glassfs::differential
