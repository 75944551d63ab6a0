// SPDX-License-Identifier: MIT
// Requests that change the volume.
#include "fuse/copy_range.h"
#include "fuse/server.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <time.h>

namespace glassfs::fuse {

namespace {

using vfs::NodeId;

vfs::NewInode new_inode(fuse_req_t request, mode_t mode, dev_t rdev = 0) {
    const fuse_ctx* caller = fuse_req_ctx(request);
    return {mode, caller->uid, caller->gid, {major(rdev), minor(rdev)}, caller->umask};
}

// Makes a name by make(dir) and answers with its inode.
template <class F>
void answer_new_name(fuse_req_t request, const char* what, fuse_ino_t dir, F&& make) {
    answer(request, what, [&](Server& server) -> Result<void> {
        NodeId node = TRY(make(server, TRY(server.nodes().node(dir))));
        server.note_change();
        return reply_with_entry(request, server, node);
    });
}

void on_mknod(fuse_req_t request, fuse_ino_t dir, const char* name, mode_t mode, dev_t rdev) {
    answer_new_name(request, "mknod", dir, [&](Server& server, NodeId parent) {
        return server.files().create(parent, name, new_inode(request, mode, rdev));
    });
}

void on_mkdir(fuse_req_t request, fuse_ino_t dir, const char* name, mode_t mode) {
    answer_new_name(request, "mkdir", dir, [&](Server& server, NodeId parent) {
        return server.files().create(parent, name, new_inode(request, (mode & 07777U) | S_IFDIR));
    });
}

void on_symlink(fuse_req_t request, const char* target, fuse_ino_t dir, const char* name) {
    answer_new_name(request, "symlink", dir, [&](Server& server, NodeId parent) {
        return server.files().symlink(parent, name, target, new_inode(request, S_IFLNK | 0777U));
    });
}

void on_link(fuse_req_t request, fuse_ino_t ino, fuse_ino_t dir, const char* name) {
    answer_new_name(request, "link", dir, [&](Server& server, NodeId parent) -> Result<NodeId> {
        NodeId node = TRY(server.nodes().node(ino));
        TRY(server.files().link(node, parent, name));
        return node;
    });
}

void on_create(fuse_req_t request, fuse_ino_t dir, const char* name, mode_t mode, fuse_file_info* file) {
    answer(request, "create", [&](Server& server) -> Result<void> {
        NodeId parent = TRY(server.nodes().node(dir));
        vfs::NewInode inode = new_inode(request, (mode & 07777U) | S_IFREG);
        NodeId node = TRY(server.files().create(parent, name, inode));
        server.note_change();
        fuse_entry_param entry = TRY(server.entry(node));
        file->keep_cache = 1;
        if (fuse_reply_create(request, &entry, file) != 0) server.give_back(entry);
        return {};
    });
}

void on_unlink(fuse_req_t request, fuse_ino_t dir, const char* name) {
    change(request, "unlink", [&](Server& server) -> Result<void> {
        NodeId parent = TRY(server.nodes().node(dir));
        server.hold_victim(parent, name);
        return server.files().unlink(parent, name);
    });
}

void on_rmdir(fuse_req_t request, fuse_ino_t dir, const char* name) {
    change(request, "rmdir", [&](Server& server) -> Result<void> {
        NodeId parent = TRY(server.nodes().node(dir));
        server.hold_victim(parent, name);
        return server.files().rmdir(parent, name);
    });
}

Result<vfs::RenameKind> rename_kind(unsigned flags) {
    switch (flags) {
        case 0:
            return vfs::RenameKind::Replace;
        case RENAME_NOREPLACE:
            return vfs::RenameKind::NoReplace;
        case RENAME_EXCHANGE:
            return vfs::RenameKind::Exchange;
        default:
            return fail(Cause::InvalidArgument);  // RENAME_WHITEOUT
    }
}

void on_rename(fuse_req_t request, fuse_ino_t from_dir, const char* from, fuse_ino_t to_dir, const char* to,
               unsigned flags) {
    change(request, "rename", [&](Server& server) -> Result<void> {
        vfs::RenameKind kind = TRY(rename_kind(flags));
        NodeId here = TRY(server.nodes().node(from_dir));
        NodeId there = TRY(server.nodes().node(to_dir));
        if (kind == vfs::RenameKind::Replace) server.hold_victim(there, to);
        return server.files().rename(here, from, there, to, kind);
    });
}

void on_write(fuse_req_t request, fuse_ino_t ino, const char* data, std::size_t size, off_t at,
              fuse_file_info*) {
    answer(request, "write", [&](Server& server) -> Result<void> {
        Bytes bytes(reinterpret_cast<const u8*>(data), size);
        NodeId node = TRY(server.nodes().node(ino));
        std::size_t written = TRY(server.files().write(node, static_cast<u64>(at), bytes));
        server.note_change();
        fuse_reply_write(request, written);
        return {};
    });
}

TimeSpec now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return {time.tv_sec, static_cast<u32>(time.tv_nsec)};
}

TimeSpec from_timespec(const timespec& time) {
    return {time.tv_sec, static_cast<u32>(time.tv_nsec)};
}

// The size first, as Linux does: the times that are asked for are those that remain.
Result<void> set_attributes(Server& server, NodeId node, const struct stat& wanted, int which) {
    if (which & FUSE_SET_ATTR_SIZE) {
        if (wanted.st_size < 0) return fail(Cause::InvalidArgument);
        TRY(server.files().truncate(node, static_cast<u64>(wanted.st_size)));
    }
    vfs::AttributeChange change;
    if (which & FUSE_SET_ATTR_MODE) change.mode = wanted.st_mode & 07777U;
    if (which & FUSE_SET_ATTR_UID) change.uid = wanted.st_uid;
    if (which & FUSE_SET_ATTR_GID) change.gid = wanted.st_gid;
    if (which & FUSE_SET_ATTR_ATIME) change.atime = from_timespec(wanted.st_atim);
    if (which & FUSE_SET_ATTR_MTIME) change.mtime = from_timespec(wanted.st_mtim);
    if (which & FUSE_SET_ATTR_ATIME_NOW) change.atime = now();
    if (which & FUSE_SET_ATTR_MTIME_NOW) change.mtime = now();
    bool more = change.mode || change.uid || change.gid || change.atime || change.mtime;
    if (!more) return {};
    return server.files().setattr(node, change);
}

void on_setattr(fuse_req_t request, fuse_ino_t ino, struct stat* wanted, int which, fuse_file_info*) {
    answer(request, "setattr", [&](Server& server) -> Result<void> {
        NodeId node = TRY(server.nodes().node(ino));
        TRY(set_attributes(server, node, *wanted, which));
        server.note_change();
        struct stat attributes = TRY(server.stat_of(node));
        fuse_reply_attr(request, &attributes, server.attributes_timeout());
        return {};
    });
}

Result<vfs::FallocateMode> fallocate_mode(int mode) {
    switch (mode) {
        case 0:
            return vfs::FallocateMode::Allocate;
        case FALLOC_FL_KEEP_SIZE:
            return vfs::FallocateMode::KeepSize;
        case FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE:
            return vfs::FallocateMode::PunchHole;
        case FALLOC_FL_ZERO_RANGE:
            return vfs::FallocateMode::ZeroRange;
        case FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE:
            return vfs::FallocateMode::ZeroRangeKeepSize;
        case FALLOC_FL_COLLAPSE_RANGE:
            return vfs::FallocateMode::CollapseRange;
        case FALLOC_FL_INSERT_RANGE:
            return vfs::FallocateMode::InsertRange;
        default:
            return fail(Cause::NotSupported);
    }
}

void on_fallocate(fuse_req_t request, fuse_ino_t ino, int mode, off_t at, off_t length, fuse_file_info*) {
    change(request, "fallocate", [&](Server& server) -> Result<void> {
        vfs::FallocateMode how = TRY(fallocate_mode(mode));
        if (at < 0 || length <= 0) return fail(Cause::InvalidArgument);
        NodeId node = TRY(server.nodes().node(ino));
        return server.files().fallocate(node, how, static_cast<u64>(at), static_cast<u64>(length));
    });
}

void on_copy_file_range(fuse_req_t request, fuse_ino_t from, off_t from_at, fuse_file_info*, fuse_ino_t to,
                        off_t to_at, fuse_file_info*, std::size_t length, int flags) {
    answer(request, "copy_file_range", [&](Server& server) -> Result<void> {
        if (flags != 0 || from_at < 0 || to_at < 0) return fail(Cause::InvalidArgument);
        CopyRange range{TRY(server.nodes().node(from)), static_cast<u64>(from_at),
                        TRY(server.nodes().node(to)), static_cast<u64>(to_at), length};
        u64 copied = TRY(copy_range(server.files(), range));
        server.note_change();
        fuse_reply_write(request, copied);
        return {};
    });
}

void on_setxattr(fuse_req_t request, fuse_ino_t ino, const char* name, const char* value, std::size_t size,
                 int flags) {
    change(request, "setxattr", [&](Server& server) -> Result<void> {
        auto mode = vfs::XattrMode::Any;
        if (flags == XATTR_CREATE) mode = vfs::XattrMode::Create;
        if (flags == XATTR_REPLACE) mode = vfs::XattrMode::Replace;
        Bytes bytes(reinterpret_cast<const u8*>(value), size);
        return server.files().set_xattr(TRY(server.nodes().node(ino)), name, bytes, mode);
    });
}

void on_removexattr(fuse_req_t request, fuse_ino_t ino, const char* name) {
    change(request, "removexattr", [&](Server& server) -> Result<void> {
        return server.files().remove_xattr(TRY(server.nodes().node(ino)), name);
    });
}

// Data only or all: the volume makes no difference. Of directories: the same.
void on_fsync(fuse_req_t request, fuse_ino_t ino, int, fuse_file_info*) {
    answer(request, "fsync", [&](Server& server) -> Result<void> {
        TRY(server.files().fsync(TRY(server.nodes().node(ino))));
        fuse_reply_err(request, 0);
        return {};
    });
}

}  // namespace

void add_writing(fuse_lowlevel_ops& operations) {
    operations.mknod = on_mknod;
    operations.mkdir = on_mkdir;
    operations.symlink = on_symlink;
    operations.link = on_link;
    operations.create = on_create;
    operations.unlink = on_unlink;
    operations.rmdir = on_rmdir;
    operations.rename = on_rename;
    operations.write = on_write;
    operations.setattr = on_setattr;
    operations.fallocate = on_fallocate;
    operations.copy_file_range = on_copy_file_range;
    operations.setxattr = on_setxattr;
    operations.removexattr = on_removexattr;
    operations.fsync = on_fsync;
    operations.fsyncdir = on_fsync;
}

}  // namespace glassfs::fuse
