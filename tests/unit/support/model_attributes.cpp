// SPDX-License-Identifier: MIT
// The model's attributes: modes, owners, times, chattr's flags, extended attributes.
#include "support/model_fs.h"
#include "support/model_rules.h"

namespace glassfs::support {

using vfs::AttributeChange;
using vfs::FileType;
using vfs::XattrMode;
using Lock = std::lock_guard<std::mutex>;

namespace {

bool is_plain(FileType type) {
    return type == FileType::Regular || type == FileType::Directory;
}

bool is_compression(std::string_view value) {
    return value == "zlib" || value.starts_with("zlib:") || value == "lzo" || value == "zstd" ||
           value.starts_with("zstd:") || value == "no" || value == "none" || value.empty();
}

}  // namespace

Result<void> ModelFs::setattr(NodeId id, const AttributeChange& change) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    vfs::Attributes& stat = inode->stat;
    if (stat.flags & (flag_immutable | flag_append)) return fail(Cause::NotPermitted);
    if (change.mode && stat.type == FileType::Symlink) return fail(Cause::NotSupported);
    if (read_only(id)) return fail(Cause::ReadOnly);
    if (change.mode) stat.mode = (stat.mode & mode_type) | (*change.mode & mode_permissions);
    if (auto list = inode->xattrs.find(vfs::acl_access_xattr); change.mode && list != inode->xattrs.end()) {
        vfs::Acl acl = TRY(vfs::parse_acl(list->second));
        vfs::apply_mode_to_acl(acl, *change.mode);
        list->second = vfs::acl_value(acl);
    }
    if (change.uid) stat.uid = *change.uid;
    if (change.gid) stat.gid = *change.gid;
    if (change.atime) stat.atime = *change.atime;
    if (change.mtime) stat.mtime = *change.mtime;
    stat.ctime = environment_.now();
    return {};
}

// What is compressed can't be written in place: the flags exclude each other, also the new ones the old ones.
Result<void> ModelFs::set_flags(NodeId id, u64 flags) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    vfs::Attributes& stat = inode->stat;
    if (!is_plain(stat.type) || id.ino.value == empty_dir_inode) return fail(Cause::NoSuchOperation);
    constexpr u64 compression = flag_compress | flag_nocompress;
    if (read_only(id)) return fail(Cause::ReadOnly);
    if (flags & ~(flags_settable | flag_nodatasum)) return fail(Cause::NotSupported);
    flags &= flags_settable;
    if ((flags & compression) == compression || ((flags & flag_nodatacow) && (flags & flag_compress)) ||
        ((stat.flags & flag_nodatacow) && (flags & compression)) ||
        ((flags & flag_nodatacow) && (stat.flags & compression))) {
        return fail(Cause::InvalidArgument);
    }
    u64 kept = stat.flags & ~flags_settable;
    if (stat.type == FileType::Regular) {
        flags &= ~flag_dirsync;
        if (inode->blocks.size() == 0) {
            kept = (flags & flag_nodatacow) ? kept | flag_nodatasum : kept & ~flag_nodatasum;
        } else {  // it has data of its kind already
            flags = (flags & ~flag_nodatacow) | (stat.flags & flag_nodatacow);
        }
    }
    u64 changed = (stat.flags ^ flags) & compression;
    stat.flags = kept | flags;
    if (flags & flag_compress) {
        if (changed) inode->xattrs[compression_xattr] = {'z', 'l', 'i', 'b'};
    } else {
        inode->xattrs.erase(compression_xattr);
    }
    stat.ctime = environment_.now();
    return {};
}

Result<std::vector<vfs::Xattr>> ModelFs::xattrs(NodeId id) {
    Lock lock(mutex_);
    std::vector<vfs::Xattr> out;
    for (const auto& [name, value] : TRY(find(id))->xattrs) out.push_back({name, value});
    return out;
}

// What setting and removing have in common.
Result<void> ModelFs::check_xattr(NodeId id, std::string_view name) {
    const Inode& inode = *TRY(find(id));
    if (inode.stat.flags & (flag_immutable | flag_append)) return fail(Cause::NotPermitted);
    bool user = name.starts_with("user."), compression = name.starts_with("btrfs.");
    if (name.starts_with("system.")) return fail(Cause::NotSupported);
    if (user && !is_plain(inode.stat.type)) return fail(Cause::NotPermitted);
    bool privileged = name.starts_with("trusted.") || name.starts_with("security.");
    // Linux's general check passes these over; the file system's own comes after the name's.
    if (read_only(id) && !privileged) return fail(Cause::ReadOnly);
    if (!(user || compression || privileged) || id.ino.value == empty_dir_inode)
        return fail(Cause::NotSupported);
    if (name.ends_with('.') && name.find('.') == name.size() - 1) return fail(Cause::InvalidArgument);
    if (compression && name != compression_xattr) return fail(Cause::InvalidArgument);
    if (read_only(id)) return fail(Cause::ReadOnly);
    return {};
}

Result<void> ModelFs::set_acl(NodeId id, vfs::AclKind kind, Bytes value) {
    vfs::Acl acl = TRY(vfs::parse_acl(value));
    Inode& inode = *TRY(find(id));
    if (inode.stat.flags & (flag_immutable | flag_append)) return fail(Cause::NotPermitted);
    const bool stand_in = id.ino.value == empty_dir_inode;
    if (inode.stat.type == FileType::Symlink || stand_in) return fail(Cause::NotSupported);
    if (kind == vfs::AclKind::Default && inode.stat.type != FileType::Directory) {
        if (acl.empty()) return {};
        return fail(Cause::AccessDenied);
    }
    TRY(vfs::check_acl(acl));
    const std::string name(vfs::acl_xattr(kind));
    const u32 mode = kind == vfs::AclKind::Access ? vfs::mode_of_acl(acl, inode.stat.mode) : inode.stat.mode;
    if (kind == vfs::AclKind::Access && vfs::is_only_mode(acl)) acl.clear();
    Buffer stored = vfs::acl_value(acl);
    if (name.size() + stored.size() > options_.node_size - leaf_overhead - dir_item_head) {
        return fail(Cause::NoSpace);
    }
    if (acl.empty())
        inode.xattrs.erase(name);
    else
        inode.xattrs.insert_or_assign(name, std::move(stored));
    inode.stat.mode = mode;
    inode.stat.ctime = environment_.now();
    return {};
}

Result<void> ModelFs::set_compression(NodeId id, Bytes value) {
    Inode& inode = at(id);
    std::string_view wanted = as_text(value);
    if (!is_plain(inode.stat.type) || !is_compression(wanted)) return fail(Cause::InvalidArgument);
    if (inode.stat.flags & flag_nodatacow) return fail(Cause::InvalidArgument);
    inode.stat.flags &= ~(flag_compress | flag_nocompress);
    if (wanted.empty()) {
        inode.xattrs.erase(compression_xattr);
    } else {
        inode.stat.flags |= wanted.starts_with("no") ? flag_nocompress : flag_compress;
        inode.xattrs[compression_xattr] = Buffer(value.begin(), value.end());
    }
    inode.stat.ctime = environment_.now();
    return {};
}

Result<void> ModelFs::set_xattr(NodeId id, std::string_view name, Bytes value, XattrMode mode) {
    Lock lock(mutex_);
    if (name.empty() || name.size() > name_bytes_max) return fail(Cause::ResultTooSmall);
    if (value.size() > xattr_bytes_max) return fail(Cause::ArgumentTooBig);
    if (auto kind = vfs::acl_kind(name)) return set_acl(id, *kind, value);
    TRY(check_xattr(id, name));
    Inode& inode = at(id);
    if (name == compression_xattr) return set_compression(id, value);
    if (name.size() + value.size() > options_.node_size - leaf_overhead - dir_item_head) {
        return fail(Cause::NoSpace);
    }
    auto found = inode.xattrs.find(name);
    if (found != inode.xattrs.end() && mode == XattrMode::Create) return fail(Cause::Exists);
    if (found == inode.xattrs.end() && mode == XattrMode::Replace) return fail(Cause::NoAttribute);
    inode.xattrs.insert_or_assign(std::string(name), Buffer(value.begin(), value.end()));
    inode.stat.ctime = environment_.now();
    return {};
}

Result<void> ModelFs::remove_xattr(NodeId id, std::string_view name) {
    Lock lock(mutex_);
    if (name.empty() || name.size() > name_bytes_max) return fail(Cause::ResultTooSmall);
    if (auto kind = vfs::acl_kind(name)) return set_acl(id, *kind, {});
    TRY(check_xattr(id, name));
    if (name == compression_xattr) return set_compression(id, {});
    Inode& inode = at(id);
    auto found = inode.xattrs.find(name);
    if (found == inode.xattrs.end()) return fail(Cause::NoAttribute);
    inode.xattrs.erase(found);
    inode.stat.ctime = environment_.now();
    return {};
}

}  // namespace glassfs::support
