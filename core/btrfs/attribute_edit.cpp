// SPDX-License-Identifier: MIT
// Attributes: mode, owner, times, flags and extended attributes. Checks come in Linux's order.
#include "btrfs/file_pages.h"
#include "btrfs/file_system.h"
#include "btrfs/name_edit.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"
#include "btrfs/xattr_edit.h"
#include "vfs/posix_acl.h"

namespace glassfs::btrfs {

using vfs::FileType;
using vfs::NodeId;
using vfs::XattrMode;

namespace {

constexpr u32 mode_type = 0170000;
constexpr u64 fixed_flags = inode_immutable | inode_append;
constexpr std::size_t xattr_name_max = 255, xattr_value_max = 65536;

bool is_read_only(const Tree& tree) {
    return (tree.item.flags & root_subvol_rdonly) != 0;
}

// Which of chattr's flags may go together, and with those that the inode has. Flags that chattr doesn't have
// stay as they are, whatever is wanted: so what getattr() says can be given back.
Result<void> check_flags(u64 old, u64 wanted) {
    constexpr u64 compression = inode_compress | inode_nocompress;
    if ((wanted & compression) == compression) return fail(Cause::InvalidArgument);
    const bool at_once = (wanted & inode_nodatacow) != 0 && (wanted & inode_compress) != 0;
    const bool after_no_cow = (old & inode_nodatacow) != 0 && (wanted & compression) != 0;
    const bool after_compression = (old & compression) != 0 && (wanted & inode_nodatacow) != 0;
    if (at_once || after_no_cow || after_compression) {
        return fail(Cause::InvalidArgument, "compression and no copy on write exclude each other");
    }
    return {};
}

u64 changed_flags(const Inode& inode, u64 wanted) {
    constexpr u64 plain = inode_sync | inode_immutable | inode_append | inode_nodump | inode_noatime;
    u64 flags = inode.item.flags & ~(plain | inode_dirsync | inode_compress | inode_nocompress);
    flags |= wanted & (plain | inode_compress | inode_nocompress);
    if (inode.type() == FileType::Directory) {
        flags &= ~inode_nodatacow;
        return flags | (wanted & (inode_dirsync | inode_nodatacow));
    }
    // What has extents, or data that will get some, keeps its ways.
    constexpr u64 no_cow = inode_nodatacow | inode_nodatasum;
    if (size_of(inode) != 0) return flags;
    return (wanted & inode_nodatacow) != 0 ? flags | no_cow : flags & ~no_cow;
}

// Which attributes a file system of Linux has.
enum class XattrKind : u8 { User, Trusted, Security, System, Btrfs, Unknown };
XattrKind xattr_kind(std::string_view name) {
    if (name.starts_with("user.")) return XattrKind::User;
    if (name.starts_with("trusted.")) return XattrKind::Trusted;
    if (name.starts_with("security.")) return XattrKind::Security;
    if (name.starts_with("system.")) return XattrKind::System;
    if (name.starts_with("btrfs.")) return XattrKind::Btrfs;
    return XattrKind::Unknown;
}

Result<void> check_xattr_change(const Inode& inode, const Tree& tree, std::string_view name) {
    const XattrKind kind = xattr_kind(name);
    const bool has_content = inode.type() == FileType::Regular || inode.type() == FileType::Directory;
    if ((inode.item.flags & fixed_flags) != 0) return fail(Cause::NotPermitted);
    if (kind == XattrKind::User && !has_content)
        return fail(Cause::NotPermitted, "user attributes of a special file");
    if (kind == XattrKind::System) return fail(Cause::NotSupported, escaped(name));
    const bool only_prefix = name.find('.') + 1 == name.size() && kind != XattrKind::Unknown;
    if (only_prefix && (kind == XattrKind::Trusted || kind == XattrKind::Security)) {
        return fail(Cause::InvalidArgument, escaped(name));
    }
    if (is_read_only(tree)) return fail(Cause::ReadOnly, "a read-only subvolume");
    if (kind == XattrKind::Unknown) return fail(Cause::NotSupported, escaped(name));
    if (only_prefix) return fail(Cause::InvalidArgument, escaped(name));
    if (kind == XattrKind::Btrfs && name != compression_xattr)
        return fail(Cause::InvalidArgument, escaped(name));
    return {};
}

bool can_compress(const Inode& inode) {
    return (inode.item.flags & (inode_nodatacow | inode_nodatasum)) == 0;
}

// btrfs.compression says what chattr says.
void apply_compression(WritableVolume& store, Inode& inode, CompressionWish wish) {
    u64 flags = inode.item.flags & ~(inode_compress | inode_nocompress);
    if (wish == CompressionWish::None) flags |= inode_nocompress;
    if (wish != CompressionWish::None && wish != CompressionWish::Default) flags |= inode_compress;
    inode.item.flags = flags;
    u64 feature = 0;
    if (wish == CompressionWish::Lzo) feature = incompat_compress_lzo;
    if (wish == CompressionWish::Zstd) feature = incompat_compress_zstd;
    store.super().incompat_flags = store.super().incompat_flags | feature;
}

}  // namespace

Result<void> FileSystem::setattr(NodeId id, const vfs::AttributeChange& change) {
    auto op = trace_.span("setattr");
    auto tx = TRY(begin(id.tree, {.items = 4}));
    // Linux changes these in memory only, until the directory is forgotten: nothing that would last.
    if (id.ino.value == empty_subvol_dir_objectid) return {};
    InodePtr inode = TRY(inodes_.get(id));
    Tree* tree = TRY(tx.tree(id.tree));
    if ((inode->item.flags & fixed_flags) != 0) return fail(Cause::NotPermitted);
    if (change.mode && inode->type() == FileType::Symlink) return fail(Cause::NotSupported);
    if (is_read_only(*tree)) return fail(Cause::ReadOnly, "a read-only subvolume");
    auto& item = inode->item;
    if (change.mode) TRY(apply_mode_to_acl(tx, *tree, *inode, *change.mode));
    if (change.mode) item.mode = (item.mode & mode_type) | (*change.mode & ~mode_type & 07777);
    if (change.uid) item.uid = *change.uid;
    if (change.gid) item.gid = *change.gid;
    if (change.atime) item.atime = to_disk_time(*change.atime);
    if (change.mtime) item.mtime = to_disk_time(*change.mtime);
    touch_inode(*inode, tx.now());
    tx.done();
    return {};
}

Result<void> FileSystem::set_flags(NodeId id, u64 wanted) {
    auto op = trace_.span("set_flags");
    if (store_ == nullptr) return fail(Cause::ReadOnly);
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoSuchOperation);
    InodePtr inode = TRY(file_inode(id));
    std::unique_lock data(inode->lock);  // its size counts
    auto tx = TRY(begin(id.tree, {.items = 4}));
    if (inode->gone) return fail(Cause::NotFound);
    Tree* tree = TRY(tx.tree(id.tree));
    const bool is_file = inode->type() == FileType::Regular;
    if (!is_file && inode->type() != FileType::Directory) return fail(Cause::NoSuchOperation);
    if (is_read_only(*tree)) return fail(Cause::ReadOnly, "a read-only subvolume");
    TRY(check_flags(inode->item.flags, wanted));
    HashedEntry found = TRY(find_xattr(volume_, tree->root, id.ino.value, compression_xattr));
    if ((wanted & inode_compress) != 0) {
        if (!has_room_for_xattr(volume_.geometry(), found, compression_xattr, as_bytes("zlib"))) {
            return fail(Cause::NoSpace);
        }
        TRY(put_xattr(tx, *tree, id.ino.value, found, compression_xattr, as_bytes("zlib")));
    } else if (found.found()) {
        TRY(erase_xattr(tx, *tree, id.ino.value, found, compression_xattr));
    }
    inode->item.flags = changed_flags(*inode, wanted);
    touch_inode(*inode, tx.now());
    tx.done();
    return {};
}

Result<void> FileSystem::set_xattr(NodeId id, std::string_view name, Bytes value, XattrMode mode) {
    auto op = trace_.span("setxattr", [&] { return escaped(name); });
    if (name.empty() || name.size() > xattr_name_max) return fail(Cause::ResultTooSmall);
    if (value.size() > xattr_value_max) return fail(Cause::ArgumentTooBig);
    if (auto kind = vfs::acl_kind(name)) return set_acl(id, *kind, value);
    const bool compression = name == compression_xattr;
    if (compression && value.empty()) return erase_attribute(id, name, mode);
    auto tx = TRY(begin(id.tree, {.items = 4}));
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::NotSupported);
    InodePtr inode = TRY(inodes_.get(id));
    Tree* tree = TRY(tx.tree(id.tree));
    TRY(check_xattr_change(*inode, *tree, name));
    std::optional<CompressionWish> wish;
    if (compression) {
        if (!can_compress(*inode)) return fail(Cause::InvalidArgument, "without copy on write or checksums");
        wish = compression_wish(as_text(value));
        if (!wish) return fail(Cause::InvalidArgument, "no method of compression");
        if (inode->type() != FileType::Regular && inode->type() != FileType::Directory) return {};
    }
    const Geometry& geometry = volume_.geometry();
    if (name.size() + value.size() > xattr_bytes_max(geometry))
        return fail(Cause::NoSpace, "too long for an item");
    HashedEntry found = TRY(find_xattr(volume_, tree->root, id.ino.value, name));
    if (mode == XattrMode::Create && found.found()) return fail(Cause::Exists, escaped(name));
    if (mode == XattrMode::Replace && !found.found()) return fail(Cause::NoAttribute, escaped(name));
    if (!has_room_for_xattr(geometry, found, name, value))
        return fail(Cause::NoSpace, "too many with the same hash");
    TRY(put_xattr(tx, *tree, id.ino.value, found, name, value));
    if (wish) apply_compression(*store_, *inode, *wish);
    touch_inode(*inode, tx.now());
    tx.done();
    return {};
}

Result<void> FileSystem::remove_xattr(NodeId id, std::string_view name) {
    auto op = trace_.span("removexattr", [&] { return escaped(name); });
    if (name.empty() || name.size() > xattr_name_max) return fail(Cause::ResultTooSmall);
    if (auto kind = vfs::acl_kind(name)) return set_acl(id, *kind, {});
    return erase_attribute(id, name, XattrMode::Replace);
}

// An empty value of btrfs.compression takes it away as well. Replace: it must be there.
Result<void> FileSystem::erase_attribute(NodeId id, std::string_view name, XattrMode mode) {
    auto tx = TRY(begin(id.tree, {.items = 3, .room = Room::Frees}));
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::NotSupported);
    InodePtr inode = TRY(inodes_.get(id));
    Tree* tree = TRY(tx.tree(id.tree));
    TRY(check_xattr_change(*inode, *tree, name));
    const bool compression = name == compression_xattr;
    const bool has_content = inode->type() == FileType::Regular || inode->type() == FileType::Directory;
    if (compression && !has_content) return {};
    HashedEntry found = TRY(find_xattr(volume_, tree->root, id.ino.value, name));
    if (!found.found() && mode == XattrMode::Replace) return fail(Cause::NoAttribute, escaped(name));
    if (found.found()) TRY(erase_xattr(tx, *tree, id.ino.value, found, name));
    if (compression) apply_compression(*store_, *inode, CompressionWish::Default);
    touch_inode(*inode, tx.now());
    tx.done();
    return {};
}

}  // namespace glassfs::btrfs
