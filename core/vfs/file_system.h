// SPDX-License-Identifier: MIT
// What a mounted file system does, whichever format it has: the operations of POSIX on inodes. Paths, open
// files and symlink walking are built on top (path_walk.h, open_file.h). Errors carry Linux's errno for the
// same call.
#pragma once

#include "base/environment.h"
#include "base/error.h"
#include "base/strong.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace glassfs::vfs {

enum class FileType : u8 { Unknown, Regular, Directory, CharDevice, BlockDevice, Fifo, Socket, Symlink };

// "file", "dir", "char", "block", "fifo", "socket", "symlink", "unknown": the words of manifests.
const char* file_type_name(FileType);
// From the type bits of st_mode (Linux's values).
FileType file_type_of_mode(u32 mode);

// An inode of a volume: its subvolume (btrfs tree id; 0 on ext4) and number. Stable while mounted.
struct NodeId {
    u64 tree = 0;
    InodeNo ino;
    friend auto operator<=>(const NodeId&, const NodeId&) = default;
};

// Linux's major and minor of a device node.
struct DeviceNumber {
    u32 major = 0;
    u32 minor = 0;
    friend auto operator<=>(const DeviceNumber&, const DeviceNumber&) = default;
};

struct Attributes {
    NodeId id;
    FileType type = FileType::Unknown;
    u32 mode = 0;  // st_mode: type and permission bits
    u32 uid = 0;
    u32 gid = 0;
    u32 nlink = 0;  // as the kernel's stat shows it (btrfs: 1 for directories)
    u64 size = 0;   // bytes
    u64 bytes = 0;  // occupied on disk: st_blocks * 512
    DeviceNumber rdev;
    TimeSpec atime, mtime, ctime, btime;
    u64 generation = 0;  // that created the inode
    u64 flags = 0;       // the format's own inode flags
    u32 block_size = 4096;
};

struct DirEntry {
    std::string name;  // raw bytes, at most 255
    NodeId id;
    FileType type = FileType::Unknown;
    u64 cookie = 0;  // pass it to readdir() to go on behind this entry
};

struct FileExtent {
    enum class Kind : u8 { Data, Hole, Unwritten, Inline };
    u64 file_offset = 0;  // bytes
    u64 length = 0;       // bytes in the file
    u64 physical = 0;     // btrfs: logical address of the first byte on disk; 0 for holes and inline
    u64 disk_length = 0;  // bytes on disk, less than `length` when compressed
    Kind kind = Kind::Data;
    const char* compression = "none";  // "none", "zlib", "lzo", "zstd"
};

struct StatFs {
    u64 block_size = 0;  // bytes
    u64 total = 0;       // bytes
    u64 used = 0;        // bytes
    u64 free = 0;        // bytes
};

enum class Whence : u8 { Data, Hole };

struct Xattr {
    std::string name;  // with its prefix: "user.comment"
    Buffer value;
};

struct NewInode {
    u32 mode = 0100644;  // st_mode: type and permission bits
    u32 uid = 0;
    u32 gid = 0;
    DeviceNumber rdev = {};  // of character and block devices
    u32 umask = 0;           // permission bits to leave out, unless the directory has a default access list
};

enum class RenameKind : u8 { Replace, NoReplace, Exchange };  // renameat2's flags
enum class XattrMode : u8 { Any, Create, Replace };           // setxattr's flags
enum class SnapshotKind : u8 { Writable, ReadOnly };
enum class FallocateMode : u8 {
    Allocate,  // the file grows
    KeepSize,
    PunchHole,  // with KEEP_SIZE, as Linux demands
    ZeroRange,
    ZeroRangeKeepSize,
    CollapseRange,
    InsertRange,
};

// What is set changes; everything else stays. ctime becomes now.
struct AttributeChange {
    std::optional<u32> mode = {};  // permission bits; the type can't change
    std::optional<u32> uid = {};
    std::optional<u32> gid = {};
    std::optional<TimeSpec> atime = {};
    std::optional<TimeSpec> mtime = {};
};

// Thread-safe. Readers run in parallel.
class FileSystem {
  public:
    virtual ~FileSystem() = default;

    virtual NodeId root() const = 0;  // of the subvolume that was asked for at mount
    virtual Result<Attributes> getattr(NodeId) = 0;
    // One name in one directory; never "." or "..". Cause::NotFound, Cause::NotADirectory.
    virtual Result<NodeId> lookup(NodeId dir, std::string_view name) = 0;
    virtual Result<NodeId> parent(NodeId dir) = 0;  // of the root: itself
    // Entries behind `cookie` (0: from the first) in the format's own order, without "." and "..", until
    // `visit` returns false.
    virtual Result<void> readdir(NodeId dir, u64 cookie,
                                 const std::function<bool(const DirEntry&)>& visit) = 0;
    // Fills from byte `at`; returns less than out.size() only at the end of the file.
    virtual Result<std::size_t> read(NodeId, u64 at, MutBytes out) = 0;
    virtual Result<std::string> readlink(NodeId) = 0;
    virtual Result<std::vector<Xattr>> xattrs(NodeId) = 0;  // sorted by name
    // The next byte at or after `at` that is data, or a hole. Cause::NoDataBehind as Linux's ENXIO.
    virtual Result<u64> seek(NodeId, u64 at, Whence) = 0;
    // All extents in file order, holes included, until `visit` returns false.
    virtual Result<void> extents(NodeId, const std::function<bool(const FileExtent&)>& visit) = 0;
    virtual Result<StatFs> statfs() = 0;

    // The writing half. A file system that can't write keeps these: they fail with Cause::ReadOnly, but for
    // fsync() and sync(), which have nothing to do, as on Linux. Names are one component; "." and ".." and
    // names longer than 255 bytes are refused as Linux refuses them. Permissions aren't checked: the caller
    // is root. Every operation is whole or not at all, also across a crash; it is durable after sync().

    // Any type but a symlink. mkdir is a create with the type bits of a directory. Cause::Exists.
    virtual Result<NodeId> create(NodeId dir, std::string_view name, const NewInode&);
    // Cause::NameTooLong for a target that doesn't fit (btrfs: what an inline extent holds).
    virtual Result<NodeId> symlink(NodeId dir, std::string_view name, std::string_view target,
                                   const NewInode&);
    // O_TMPFILE: a regular file without a name, held once for the caller; link() may give it one.
    virtual Result<NodeId> tmpfile(NodeId dir, const NewInode&);
    virtual Result<void> link(NodeId, NodeId dir, std::string_view name);
    virtual Result<void> unlink(NodeId dir, std::string_view name);
    virtual Result<void> rmdir(NodeId dir, std::string_view name);
    virtual Result<void> rename(NodeId from_dir, std::string_view from, NodeId to_dir, std::string_view to,
                                RenameKind);

    // Returns what was written: less than data.size() only when the volume is full.
    virtual Result<std::size_t> write(NodeId, u64 at, Bytes data);
    virtual Result<void> truncate(NodeId, u64 size);
    virtual Result<void> fallocate(NodeId, FallocateMode, u64 at, u64 length);
    // Makes [to_at, to_at + length) of `to` share the extents of `from` (FICLONERANGE); length 0: up to the
    // end of `from`.
    virtual Result<void> clone_range(NodeId from, u64 from_at, u64 length, NodeId to, u64 to_at);
    virtual Result<void> setattr(NodeId, const AttributeChange&);
    // The format's own inode flags (chattr), as Attributes::flags has them.
    virtual Result<void> set_flags(NodeId, u64 flags);
    virtual Result<void> set_xattr(NodeId, std::string_view name, Bytes value, XattrMode);
    virtual Result<void> remove_xattr(NodeId, std::string_view name);

    virtual Result<void> fsync(NodeId);
    virtual Result<void> sync();
    // Does a piece of the work that deletions have left for later; true: there is more. A sync() does a piece
    // as well, and so do other changes.
    virtual Result<bool> clean_up() { return false; }

    // An inode that is held (an open file) lives on when its last name goes, until the last release().
    virtual void hold(NodeId);
    virtual Result<void> release(NodeId);

    // Subvolumes, where the format has them (else Cause::NoSuchOperation).
    virtual Result<NodeId> create_subvolume(NodeId dir, std::string_view name, const NewInode&);
    // Of the subvolume whose root directory is `source`.
    virtual Result<NodeId> snapshot(NodeId source, NodeId dir, std::string_view name, SnapshotKind);
    virtual Result<void> delete_subvolume(NodeId dir, std::string_view name);
};

}  // namespace glassfs::vfs
