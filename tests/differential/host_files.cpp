// SPDX-License-Identifier: MIT
// What HostFs does with one inode: attributes, data, extended attributes.
#include "host_errors.h"
#include "host_fs.h"

#include <algorithm>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace glassfs::differential {

using vfs::Attributes;
using vfs::FallocateMode;
using vfs::FileExtent;
using vfs::FileType;

namespace {

constexpr long syscall_fchmodat2 = 452;  // newer than the C library's header

struct FlagPair {
    u64 inode;  // btrfs's bit in an inode
    u64 ioctl;  // Linux's bit for chattr
};
constexpr FlagPair flag_pairs[] = {
    {1 << 1, FS_NOCOW_FL},     {1 << 3, FS_NOCOMP_FL},   {1 << 5, FS_SYNC_FL},
    {1 << 6, FS_IMMUTABLE_FL}, {1 << 7, FS_APPEND_FL},   {1 << 8, FS_NODUMP_FL},
    {1 << 9, FS_NOATIME_FL},   {1 << 10, FS_DIRSYNC_FL}, {1 << 11, FS_COMPR_FL},
};

TimeSpec time_of(const struct statx_timestamp& time) {
    return {time.tv_sec, time.tv_nsec};
}

std::string by_path(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

s64 as_offset(u64 at) {
    return static_cast<s64>(at);
}

constexpr u32 extents_at_once = 512;

FileExtent::Kind kind_of(const struct fiemap_extent& extent) {
    if (extent.fe_flags & FIEMAP_EXTENT_UNWRITTEN) return FileExtent::Kind::Unwritten;
    if (extent.fe_flags & FIEMAP_EXTENT_DATA_INLINE) return FileExtent::Kind::Inline;
    return FileExtent::Kind::Data;
}

int fallocate_flags(FallocateMode mode) {
    switch (mode) {
        case FallocateMode::Allocate:
            return 0;
        case FallocateMode::KeepSize:
            return FALLOC_FL_KEEP_SIZE;
        case FallocateMode::PunchHole:
            return FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
        case FallocateMode::ZeroRange:
            return FALLOC_FL_ZERO_RANGE;
        case FallocateMode::ZeroRangeKeepSize:
            return FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE;
        case FallocateMode::CollapseRange:
            return FALLOC_FL_COLLAPSE_RANGE;
        case FallocateMode::InsertRange:
            return FALLOC_FL_INSERT_RANGE;
    }
    return -1;
}

struct timespec time_to_set(const std::optional<TimeSpec>& wanted) {
    struct timespec out {};
    out.tv_nsec = UTIME_OMIT;
    if (wanted) {
        out.tv_sec = wanted->seconds;
        out.tv_nsec = wanted->nanos;
    }
    return out;
}

}  // namespace

Result<u64> HostFs::read_flags(NodeId id) {
    auto opened = reopen(id, O_RDONLY);
    if (!opened) return u64{0};
    long flags = 0;
    if (::ioctl(opened->number(), FS_IOC_GETFLAGS, &flags) != 0) return u64{0};
    u64 out = 0;
    for (const auto& pair : flag_pairs) {
        if (static_cast<u64>(flags) & pair.ioctl) out |= pair.inode;
    }
    return out;
}

Result<FileType> HostFs::type_of(NodeId id) {
    struct stat found {};
    if (::fstat(TRY(path_of(id)), &found) != 0) return last_error();
    return vfs::file_type_of_mode(found.st_mode);
}

Result<Attributes> HostFs::getattr(NodeId id) {
    struct statx found {};
    constexpr unsigned wanted = STATX_BASIC_STATS | STATX_BTIME;
    if (::statx(TRY(path_of(id)), "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, wanted, &found) != 0) {
        return last_error();
    }
    Attributes out;
    out.id = id;
    out.type = vfs::file_type_of_mode(found.stx_mode);
    out.mode = found.stx_mode;
    out.uid = found.stx_uid;
    out.gid = found.stx_gid;
    out.nlink = found.stx_nlink;
    out.size = found.stx_size;
    out.bytes = found.stx_blocks * 512;
    out.rdev = {found.stx_rdev_major, found.stx_rdev_minor};
    out.atime = time_of(found.stx_atime);
    out.mtime = time_of(found.stx_mtime);
    out.ctime = time_of(found.stx_ctime);
    out.btime = time_of(found.stx_btime);
    out.block_size = found.stx_blksize;
    if (out.type == FileType::Regular || out.type == FileType::Directory) out.flags = TRY(read_flags(id));
    return out;
}

Result<std::size_t> HostFs::read(NodeId id, u64 at, MutBytes out) {
    Descriptor opened = TRY(reopen(id, O_RDONLY));
    std::size_t total = 0;
    do {
        ssize_t bytes =
            ::pread(opened.number(), out.data() + total, out.size() - total, as_offset(at + total));
        if (bytes < 0) return last_error();
        if (bytes == 0) break;
        total += static_cast<std::size_t>(bytes);
    } while (total < out.size());
    return total;
}

Result<std::string> HostFs::readlink(NodeId id) {
    std::string target(8192, '\0');
    ssize_t bytes = ::readlinkat(TRY(path_of(id)), "", target.data(), target.size());
    if (bytes < 0) return host_error(errno == ENOENT ? EINVAL : errno);  // ENOENT: not a symlink
    target.resize(static_cast<std::size_t>(bytes));
    return target;
}

Result<std::vector<vfs::Xattr>> HostFs::xattrs(NodeId id) {
    std::string path = by_path(TRY(path_of(id)));
    std::string names(65536, '\0');
    ssize_t bytes = ::listxattr(path.c_str(), names.data(), names.size());
    if (bytes < 0) return last_error();
    std::vector<vfs::Xattr> out;
    for (std::size_t at = 0; at < static_cast<std::size_t>(bytes);) {
        vfs::Xattr xattr;
        xattr.name = names.c_str() + at;
        at += xattr.name.size() + 1;
        xattr.value.resize(65536);
        ssize_t length = ::getxattr(path.c_str(), xattr.name.c_str(), xattr.value.data(), xattr.value.size());
        if (length < 0) return last_error();
        xattr.value.resize(static_cast<std::size_t>(length));
        out.push_back(std::move(xattr));
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return out;
}

Result<u64> HostFs::seek(NodeId id, u64 at, vfs::Whence whence) {
    if (as_offset(at) < 0) return fail(Cause::NoDataBehind);
    Descriptor opened = TRY(reopen(id, O_RDONLY));
    off_t found =
        ::lseek(opened.number(), as_offset(at), whence == vfs::Whence::Data ? SEEK_DATA : SEEK_HOLE);
    if (found < 0) return last_error();
    if (whence == vfs::Whence::Data) return static_cast<u64>(found);
    return first_hole(id, at, static_cast<u64>(found));
}

// Linux 6.18 takes a file for one without holes when it occupies as many bytes as it has and was never itself
// given unwritten extents; it may have got them from another file by cloning. FIEMAP knows them.
Result<u64> HostFs::first_hole(NodeId id, u64 at, u64 found) {
    Attributes stat = TRY(getattr(id));
    if (found != stat.size || stat.bytes != stat.size) return found;
    TRY(extents(id, [&](const FileExtent& extent) {
        if (extent.kind != FileExtent::Kind::Unwritten || extent.file_offset + extent.length <= at)
            return true;
        found = std::min(found, std::max(at, extent.file_offset));
        return false;
    }));
    return found;
}

Result<void> HostFs::extents(NodeId id, const std::function<bool(const FileExtent&)>& visit) {
    Descriptor opened = TRY(reopen(id, O_RDONLY));
    std::vector<u64> room((sizeof(struct fiemap) + extents_at_once * sizeof(struct fiemap_extent)) / 8);
    auto* request = reinterpret_cast<struct fiemap*>(room.data());
    u64 at = 0;
    for (bool last = false; !last;) {
        std::fill(room.begin(), room.end(), 0);
        request->fm_start = at;
        request->fm_length = ~u64{0} - at;
        request->fm_extent_count = extents_at_once;
        if (::ioctl(opened.number(), FS_IOC_FIEMAP, request) != 0) return last_error();
        last = request->fm_mapped_extents < extents_at_once;
        for (u32 i = 0; i < request->fm_mapped_extents; ++i) {
            const auto& found = request->fm_extents[i];
            FileExtent extent;
            if (found.fe_logical > at) {
                extent.file_offset = at;
                extent.length = found.fe_logical - at;
                extent.kind = FileExtent::Kind::Hole;
                if (!visit(extent)) return {};
            }
            extent.file_offset = found.fe_logical;
            extent.length = found.fe_length;
            extent.physical = found.fe_physical;
            extent.kind = kind_of(found);
            if (!visit(extent)) return {};
            at = found.fe_logical + found.fe_length;
            last = last || (found.fe_flags & FIEMAP_EXTENT_LAST);
        }
    }
    return {};
}

Result<vfs::StatFs> HostFs::statfs() {
    struct statfs found {};
    Descriptor opened = TRY(reopen(root_, O_RDONLY | O_DIRECTORY));
    if (::fstatfs(opened.number(), &found) != 0) return last_error();
    u64 unit = static_cast<u64>(found.f_bsize);
    return vfs::StatFs{unit, found.f_blocks * unit, (found.f_blocks - found.f_bfree) * unit,
                       found.f_bfree * unit};
}

Result<std::size_t> HostFs::write(NodeId id, u64 at, Bytes data) {
    Descriptor opened = TRY(reopen(id, O_WRONLY));
    std::size_t total = 0;
    do {
        ssize_t bytes =
            ::pwrite(opened.number(), data.data() + total, data.size() - total, as_offset(at + total));
        if (bytes < 0) return last_error();
        if (bytes == 0) break;
        total += static_cast<std::size_t>(bytes);
    } while (total < data.size());
    return total;
}

// ftruncate(), which always sets the times; truncate() by path doesn't when the size stays.
Result<void> HostFs::truncate(NodeId id, u64 size) {
    if (TRY(type_of(id)) != FileType::Regular) {
        return done(::truncate(by_path(TRY(path_of(id))).c_str(), as_offset(size)));
    }
    Descriptor opened = TRY(reopen(id, O_WRONLY));
    return done(::ftruncate(opened.number(), as_offset(size)));
}

Result<void> HostFs::fallocate(NodeId id, FallocateMode mode, u64 at, u64 length) {
    Descriptor opened = TRY(reopen(id, O_WRONLY));
    return done(::fallocate(opened.number(), fallocate_flags(mode), as_offset(at), as_offset(length)));
}

Result<void> HostFs::clone_range(NodeId from, u64 from_at, u64 length, NodeId to, u64 to_at) {
    Descriptor target = TRY(reopen(to, O_WRONLY));
    Descriptor source = TRY(reopen(from, O_RDONLY));
    struct file_clone_range request {};
    request.src_fd = source.number();
    request.src_offset = from_at;
    request.src_length = length;
    request.dest_offset = to_at;
    return done(::ioctl(target.number(), FICLONERANGE, &request));
}

Result<void> HostFs::set_mode(NodeId id, u32 mode) {
    return done(::syscall(syscall_fchmodat2, TRY(path_of(id)), "", mode & 07777, AT_EMPTY_PATH));
}

// chown() takes S_ISUID and S_ISGID from what isn't a directory, which is a matter of the system call and not
// of the file system: the interface says that everything else stays.
Result<void> HostFs::set_owner(NodeId id, const vfs::AttributeChange& change) {
    Attributes before = TRY(getattr(id));
    uid_t uid = change.uid ? *change.uid : static_cast<uid_t>(-1);
    gid_t gid = change.gid ? *change.gid : static_cast<gid_t>(-1);
    TRY(done(::fchownat(TRY(path_of(id)), "", uid, gid, AT_EMPTY_PATH)));
    if (TRY(getattr(id)).mode != before.mode) return set_mode(id, before.mode);
    return {};
}

Result<void> HostFs::setattr(NodeId id, const vfs::AttributeChange& change) {
    if (change.mode) TRY(set_mode(id, *change.mode));
    if (change.uid || change.gid) TRY(set_owner(id, change));
    if (change.atime || change.mtime) {
        const struct timespec times[] = {time_to_set(change.atime), time_to_set(change.mtime)};
        return done(::utimensat(AT_FDCWD, by_path(TRY(path_of(id))).c_str(), times, 0));
    }
    return {};
}

Result<void> HostFs::set_flags(NodeId id, u64 flags) {
    auto type = TRY(type_of(id));
    if (type != FileType::Regular && type != FileType::Directory) return host_error(ENOTTY);
    Descriptor opened = TRY(reopen(id, O_RDONLY));
    long wanted = 0;
    for (const auto& pair : flag_pairs) {
        if (flags & pair.inode) wanted |= static_cast<long>(pair.ioctl);
    }
    return done(::ioctl(opened.number(), FS_IOC_SETFLAGS, &wanted));
}

Result<void> HostFs::set_xattr(NodeId id, std::string_view name, Bytes value, vfs::XattrMode mode) {
    int flags = mode == vfs::XattrMode::Create    ? XATTR_CREATE
                : mode == vfs::XattrMode::Replace ? XATTR_REPLACE
                                                  : 0;
    return done(::setxattr(by_path(TRY(path_of(id))).c_str(), std::string(name).c_str(), value.data(),
                           value.size(), flags));
}

Result<void> HostFs::remove_xattr(NodeId id, std::string_view name) {
    return done(::removexattr(by_path(TRY(path_of(id))).c_str(), std::string(name).c_str()));
}

Result<void> HostFs::fsync(NodeId id) {
    auto type = TRY(type_of(id));
    if (type != FileType::Regular && type != FileType::Directory) return {};
    Descriptor opened = TRY(reopen(id, O_RDONLY));
    return done(::fsync(opened.number()));
}

Result<void> HostFs::sync() {
    Descriptor opened = TRY(reopen(root_, O_RDONLY | O_DIRECTORY));
    return done(::syncfs(opened.number()));
}

}  // namespace glassfs::differential
