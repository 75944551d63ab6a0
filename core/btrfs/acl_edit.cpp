// SPDX-License-Identifier: MIT
// Access control lists. They are extended attributes that change with the mode, and the mode with them.
#include "btrfs/file_system.h"
#include "btrfs/name_edit.h"
#include "btrfs/tree_edit.h"
#include "btrfs/xattr_edit.h"
#include "vfs/posix_acl.h"

namespace glassfs::btrfs {

using vfs::Acl;
using vfs::AclKind;
using vfs::FileType;
using vfs::NodeId;

namespace {

constexpr u32 permissions = 0777;

Result<void> put_acl(Transaction& tx, Tree& tree, u64 inode, AclKind kind, const HashedEntry& found,
                     const Acl& acl) {
    const std::string_view name = vfs::acl_xattr(kind);
    if (acl.empty()) return found.found() ? erase_xattr(tx, tree, inode, found, name) : Result<void>();
    return put_xattr(tx, tree, inode, found, name, vfs::acl_value(acl));
}

}  // namespace

// As Linux looks: the value's form, the inode, who may have such a list, whether the list makes sense. It
// doesn't ask whether the subvolume is read-only (Linux 6.18), so neither does this.
Result<void> FileSystem::set_acl(NodeId id, AclKind kind, Bytes value) {
    Acl acl = TRY(vfs::parse_acl(value));
    auto tx = TRY(begin(id.tree, {.items = 4, .room = acl.empty() ? Room::Frees : Room::Grows}));
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::NotSupported);
    InodePtr inode = TRY(inodes_.get(id));
    Tree* tree = TRY(tx.tree(id.tree));
    if ((inode->item.flags & (inode_immutable | inode_append)) != 0) return fail(Cause::NotPermitted);
    if (inode->type() == FileType::Symlink) return fail(Cause::NotSupported, "access list of a symlink");
    if (kind == AclKind::Default && inode->type() != FileType::Directory) {
        if (acl.empty()) return {};
        return fail(Cause::AccessDenied, "default access list of what is no directory");
    }
    TRY(vfs::check_acl(acl));
    u32 mode = inode->item.mode;
    if (kind == AclKind::Access && !acl.empty()) {
        mode = vfs::mode_of_acl(acl, mode);
        if (vfs::is_only_mode(acl)) acl.clear();
    }
    const std::string_view name = vfs::acl_xattr(kind);
    HashedEntry found = TRY(find_xattr(volume_, tree->root, id.ino.value, name));
    if (!acl.empty() && !has_room_for_xattr(volume_.geometry(), found, name, vfs::acl_value(acl))) {
        return fail(Cause::NoSpace, "an access list too long for an item");
    }
    TRY(put_acl(tx, *tree, id.ino.value, kind, found, acl));
    if (kind == AclKind::Default) inode->has_default_acl = !acl.empty();
    inode->item.mode = mode;
    touch_inode(*inode, tx.now());
    tx.done();
    return {};
}

Result<void> FileSystem::apply_mode_to_acl(Transaction& tx, Tree& tree, const Inode& inode, u32 mode) {
    HashedEntry found = TRY(find_xattr(volume_, tree.root, inode.id.ino.value, vfs::acl_access_xattr));
    if (!found.found()) return {};
    Acl acl = TRY(vfs::parse_acl(found.value));
    vfs::apply_mode_to_acl(acl, mode);
    return put_acl(tx, tree, inode.id.ino.value, AclKind::Access, found, acl);
}

Result<InheritedAcl> FileSystem::inherit_acl(Inode& dir, const vfs::NewInode& wanted) {
    InheritedAcl out{wanted.mode & ~(wanted.umask & permissions), {}, {}};
    if (dir.has_default_acl == false) return out;
    TreeRoot root = TRY(volume_.tree_root(dir.id.tree));
    HashedEntry found = TRY(find_xattr(volume_, root, dir.id.ino.value, vfs::acl_default_xattr));
    Acl acl = TRY(vfs::parse_acl(found.value));
    dir.has_default_acl = !acl.empty();
    if (acl.empty()) return out;
    if (vfs::file_type_of_mode(wanted.mode) == FileType::Directory) out.defaults = vfs::acl_value(acl);
    out.mode = vfs::inherit_acl(acl, wanted.mode);
    if (!vfs::is_only_mode(acl)) out.access = vfs::acl_value(acl);
    return out;
}

Result<void> FileSystem::put_inherited_acl(Transaction& tx, Tree& tree, u64 inode,
                                           const InheritedAcl& inherited) {
    for (AclKind kind : {AclKind::Default, AclKind::Access}) {
        const Buffer& value = kind == AclKind::Default ? inherited.defaults : inherited.access;
        const std::string_view name = vfs::acl_xattr(kind);
        if (value.empty()) continue;
        HashedEntry found = TRY(find_xattr(volume_, tree.root, inode, name));
        TRY(put_xattr(tx, tree, inode, found, name, value));
    }
    return {};
}

}  // namespace glassfs::btrfs
