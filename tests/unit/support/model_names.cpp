// SPDX-License-Identifier: MIT
// The model's names: creating, linking, removing and renaming.
#include "support/model_fs.h"
#include "support/model_rules.h"

namespace glassfs::support {

using vfs::FileType;
using vfs::NewInode;
using vfs::RenameKind;
using Lock = std::lock_guard<std::mutex>;

namespace {

bool is_dots(std::string_view name) {
    return name == "." || name == "..";
}

}  // namespace

// Whether what is in this directory, or this inode itself, may change at all.
Result<void> ModelFs::may_change(NodeId id) {
    if (at(id).stat.flags & flag_immutable) return fail(Cause::NotPermitted);
    if (read_only(id)) return fail(Cause::ReadOnly);
    return {};
}

// Whether `dir` can get this new name. Up to here every way to make a name fails alike.
Result<void> ModelFs::may_name(NodeId dir, std::string_view name, WhatFor what) {
    if (name.empty() && what == WhatFor::Inode) return fail(Cause::NotFound);
    Inode* inode = TRY(directory(dir));
    bool stand_in = dir.ino.value == empty_dir_inode;
    if (stand_in && what == WhatFor::Subvolume) return fail(Cause::NoSuchOperation);
    if (is_dots(name)) return fail(Cause::Exists);
    if (name.empty()) return fail(Cause::AccessDenied);
    if (inode->stat.nlink == 0) return fail(Cause::NotFound);
    if (name.size() > name_bytes_max) return fail(Cause::NameTooLong);
    if (inode->entries.contains(name)) return fail(Cause::Exists);
    TRY(may_change(dir));
    if (stand_in) return fail(Cause::NotPermitted);
    return {};
}

// A new inode of `dir`'s subvolume with what it inherits from `dir`. A `dir` without a number: a root.
vfs::NodeId ModelFs::add_inode(NodeId dir, const NewInode& wanted) {
    Tree& tree = trees_.at(dir.tree);
    NodeId id{dir.tree, InodeNo{tree.next_inode++}};
    Inode& made = tree.inodes[id.ino.value];
    vfs::Attributes& stat = made.stat;
    stat.type = vfs::file_type_of_mode(wanted.mode);
    stat.mode = wanted.mode;
    stat.uid = wanted.uid;
    stat.gid = wanted.gid;
    stat.nlink = 1;
    stat.btime = stat.atime = stat.mtime = stat.ctime = environment_.now();
    if (stat.type == FileType::CharDevice || stat.type == FileType::BlockDevice) stat.rdev = wanted.rdev;
    if (stat.type == FileType::Directory) {
        made.parent = dir;
        stat.mode &= ~u32{06000};  // as mkdir() does
    }
    if (dir.ino.value == 0) {
        made.parent = id;
        return id;
    }
    const Inode& above = at(dir);
    if (above.stat.mode & mode_sgid) {
        stat.gid = above.stat.gid;
        if (stat.type == FileType::Directory) stat.mode |= mode_sgid;
    }
    bool plain = stat.type == FileType::Directory || stat.type == FileType::Regular;
    stat.flags = above.stat.flags & (flag_nodatacow | flag_nocompress | flag_compress);
    if (stat.type == FileType::Regular && (stat.flags & flag_nodatacow)) stat.flags |= flag_nodatasum;
    const auto default_list = above.xattrs.find(vfs::acl_default_xattr);
    const bool takes_list = stat.type != FileType::Symlink && default_list != above.xattrs.end();
    if (takes_list) {
        vfs::Acl acl = vfs::parse_acl(default_list->second).value();
        if (stat.type == FileType::Directory) made.xattrs.insert(*default_list);
        stat.mode = vfs::inherit_acl(acl, stat.mode);
        if (!vfs::is_only_mode(acl)) {
            made.xattrs.insert_or_assign(std::string(vfs::acl_access_xattr), vfs::acl_value(acl));
        }
    }
    auto property = above.xattrs.find(compression_xattr);
    if (plain && property != above.xattrs.end()) made.xattrs.insert(*property);
    return id;
}

void ModelFs::add_entry(NodeId dir, std::string_view name, Entry entry) {
    Inode& inode = at(dir);
    entry.index = inode.next_index++;
    inode.order[entry.index] = name;
    inode.entries.insert_or_assign(std::string(name), entry);
}

void ModelFs::drop_entry(NodeId dir, std::string_view name) {
    Inode& inode = at(dir);
    auto found = inode.entries.find(name);
    inode.order.erase(found->second.index);
    inode.entries.erase(found);
}

void ModelFs::drop_link(NodeId id) {
    Inode& inode = at(id);
    inode.stat.nlink -= 1;
    inode.stat.ctime = environment_.now();
    evict_unused(id);
}

Result<vfs::NodeId> ModelFs::create(NodeId dir, std::string_view name, const NewInode& wanted) {
    Lock lock(mutex_);
    FileType type = vfs::file_type_of_mode(wanted.mode);
    if (type == FileType::Unknown || type == FileType::Symlink) return fail(Cause::InvalidArgument);
    auto allowed = may_name(dir, name, WhatFor::Inode);
    // mknod() of a regular file where the directory has no operation to create one.
    if (!allowed && allowed.error().cause == Cause::NotPermitted && type == FileType::Regular &&
        dir.ino.value == empty_dir_inode) {
        return fail(Cause::AccessDenied);
    }
    TRY(allowed);
    NodeId id = add_inode(dir, wanted);
    add_entry(dir, name, {Leads::ToInode, id.ino.value, 0});
    touch(dir, at(id).stat.mtime);
    return id;
}

Result<vfs::NodeId> ModelFs::symlink(NodeId dir, std::string_view name, std::string_view target,
                                     const NewInode& wanted) {
    Lock lock(mutex_);
    if (target.empty()) return fail(Cause::NotFound);
    if (target.size() > path_bytes_max) return fail(Cause::NameTooLong);
    TRY(may_name(dir, name, WhatFor::Inode));
    if (target.size() > options_.node_size - leaf_overhead - inline_extent_head) {
        return fail(Cause::NameTooLong);
    }
    NewInode link = wanted;
    link.mode = mode_symlink | 0777;
    NodeId id = add_inode(dir, link);
    at(id).target = target;
    add_entry(dir, name, {Leads::ToInode, id.ino.value, 0});
    touch(dir, at(id).stat.mtime);
    return id;
}

// Works in a directory that has been removed, too.
Result<vfs::NodeId> ModelFs::tmpfile(NodeId dir, const NewInode& wanted) {
    Lock lock(mutex_);
    TRY(directory(dir));
    TRY(may_change(dir));
    if (dir.ino.value == empty_dir_inode) return fail(Cause::NotSupported);
    NewInode file = wanted;
    file.mode = mode_regular | (wanted.mode & mode_permissions);
    NodeId id = add_inode(dir, file);
    Inode& inode = at(id);
    inode.stat.nlink = 0;
    inode.linkable = Linkable::Yes;
    inode.holds = 1;
    return id;
}

Result<void> ModelFs::link(NodeId id, NodeId dir, std::string_view name) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    auto allowed = may_name(dir, name, WhatFor::Inode);
    bool stand_in =
        !allowed && dir.ino.value == empty_dir_inode && allowed.error().cause == Cause::NotPermitted;
    if (!stand_in) TRY(allowed);
    if (inode->stat.flags & (flag_append | flag_immutable)) return fail(Cause::NotPermitted);
    TRY(allowed);
    if (inode->stat.type == FileType::Directory) return fail(Cause::NotPermitted);
    if (inode->stat.nlink == 0 && inode->linkable == Linkable::No) return fail(Cause::NotFound);
    if (id.tree != dir.tree) return fail(Cause::CrossDevice);
    inode->linkable = Linkable::No;
    inode->stat.nlink += 1;
    add_entry(dir, name, {Leads::ToInode, id.ino.value, 0});
    inode->stat.ctime = environment_.now();
    touch(dir, inode->stat.ctime);
    return {};
}

// Whether the name of `victim` can be taken from `dir`.
Result<void> ModelFs::may_remove(NodeId dir, NodeId victim) {
    TRY(may_change(dir));
    if (at(dir).stat.flags & flag_append) return fail(Cause::NotPermitted);
    if (at(victim).stat.flags & (flag_append | flag_immutable)) return fail(Cause::NotPermitted);
    return {};
}

Result<void> ModelFs::unlink(NodeId dir, std::string_view name) {
    Lock lock(mutex_);
    if (name.empty()) return fail(Cause::NotFound);
    TRY(directory(dir));
    if (is_dots(name)) return fail(Cause::IsADirectory);
    NodeId victim = leads_to(dir, TRY(existing(dir, name)));
    TRY(may_remove(dir, victim));
    if (at(victim).stat.type == FileType::Directory) return fail(Cause::IsADirectory);
    drop_entry(dir, name);
    touch(dir, environment_.now());
    drop_link(victim);
    return {};
}

Result<void> ModelFs::rmdir(NodeId dir, std::string_view name) {
    Lock lock(mutex_);
    if (name.empty()) return fail(Cause::NotFound);
    TRY(directory(dir));
    if (name == ".") return fail(Cause::InvalidArgument);
    if (name == "..") return fail(Cause::NotEmpty);
    Entry entry = TRY(existing(dir, name));
    NodeId victim = leads_to(dir, entry);
    TRY(may_remove(dir, victim));
    const Inode& inode = at(victim);
    if (inode.stat.type != FileType::Directory) return fail(Cause::NotADirectory);
    if (!inode.entries.empty()) return fail(Cause::NotEmpty);
    drop_entry(dir, name);
    touch(dir, environment_.now());
    if (entry.leads == Leads::ToInode) drop_link(victim);
    if (entry.leads == Leads::ToSubvolume) trees_.erase(entry.target);
    return {};
}

Result<void> ModelFs::rename(NodeId from_dir, std::string_view from, NodeId to_dir, std::string_view to,
                             RenameKind kind) {
    Lock lock(mutex_);
    Move wanted{from_dir, from, to_dir, to, kind};
    TRY(check_move_names(wanted));
    TRY(check_move_ancestry(wanted));
    if (wanted.target == wanted.source) return {};  // two names of one inode: not even a time changes
    TRY(check_move_access(wanted));
    TRY(check_move_subvolumes(wanted));
    if (kind == RenameKind::Exchange) {
        exchange(wanted);
    } else {
        move(wanted);
    }
    return {};
}

Result<void> ModelFs::check_move_names(Move& wanted) {
    if (wanted.from.empty()) return fail(Cause::NotFound);
    TRY(directory(wanted.from_dir));
    if (wanted.to.empty()) return fail(Cause::NotFound);
    TRY(directory(wanted.to_dir));
    if (is_dots(wanted.from)) return fail(Cause::Busy);
    if (is_dots(wanted.to)) {
        return fail(wanted.kind == RenameKind::NoReplace ? Cause::Exists : Cause::Busy);
    }
    wanted.source = leads_to(wanted.from_dir, TRY(existing(wanted.from_dir, wanted.from)));
    auto target = existing(wanted.to_dir, wanted.to);
    if (target) {
        wanted.target = leads_to(wanted.to_dir, *target);
        if (wanted.kind == RenameKind::NoReplace) return fail(Cause::Exists);
    } else if (target.error().cause != Cause::NotFound || wanted.kind == RenameKind::Exchange ||
               at(wanted.to_dir).stat.nlink == 0) {
        return fail(target.error());
    }
    return {};
}

bool ModelFs::is_at_or_below(NodeId dir, NodeId ancestor) {
    while (dir != ancestor) {
        NodeId above = dir.ino.value == root_inode ? trees_.at(dir.tree).parent : at(dir).parent;
        if (above == dir) return false;
        dir = above;
    }
    return true;
}

Result<void> ModelFs::check_move_ancestry(const Move& wanted) {
    if (wanted.from_dir == wanted.to_dir) return {};
    if (is_at_or_below(wanted.to_dir, wanted.source)) return fail(Cause::InvalidArgument);
    if (wanted.target && is_at_or_below(wanted.from_dir, *wanted.target)) {
        return fail(wanted.kind == RenameKind::Exchange ? Cause::InvalidArgument : Cause::NotEmpty);
    }
    return {};
}

Result<void> ModelFs::check_move_access(const Move& wanted) {
    bool exchanging = wanted.kind == RenameKind::Exchange;
    bool moving_dir = at(wanted.source).stat.type == FileType::Directory;
    TRY(may_remove(wanted.from_dir, wanted.source));
    if (wanted.target) {
        TRY(may_remove(wanted.to_dir, *wanted.target));
        bool over_dir = at(*wanted.target).stat.type == FileType::Directory;
        if (!exchanging && moving_dir && !over_dir) return fail(Cause::NotADirectory);
        if (!exchanging && !moving_dir && over_dir) return fail(Cause::IsADirectory);
    } else {
        TRY(may_change(wanted.to_dir));
    }
    if (wanted.from_dir == wanted.to_dir) return {};
    // ".." of a directory that moves changes.
    if (moving_dir) TRY(may_change(wanted.source));
    if (exchanging && at(*wanted.target).stat.type == FileType::Directory) TRY(may_change(*wanted.target));
    return {};
}

// Subvolumes move freely; everything else stays inside of one. In Linux 6.18, an exchange with a stand-in
// fails half-way and the volume becomes read-only; here it is refused.
Result<void> ModelFs::check_move_subvolumes(const Move& wanted) {
    bool exchanging = wanted.kind == RenameKind::Exchange;
    auto number = [](NodeId id) { return id.ino.value; };
    if (number(wanted.to_dir) == empty_dir_inode) return fail(Cause::NotPermitted);
    if (wanted.from_dir.tree != wanted.to_dir.tree &&
        (number(wanted.source) != root_inode || (exchanging && number(*wanted.target) != root_inode))) {
        return fail(Cause::CrossDevice);
    }
    if (number(wanted.source) == empty_dir_inode) return fail(Cause::NotEmpty);
    if (!wanted.target) return {};
    if (exchanging) {
        if (number(*wanted.target) == empty_dir_inode) return fail(Cause::NotEmpty);
        return {};
    }
    if (number(*wanted.target) == root_inode) return fail(Cause::NotEmpty);
    const Inode& target = at(*wanted.target);
    if (target.stat.type == FileType::Directory && !target.entries.empty()) return fail(Cause::NotEmpty);
    return {};
}

// What an inode, or a subvolume, knows of the directory that it has come to.
void ModelFs::moved(NodeId id, NodeId dir, std::string_view name, TimeSpec now) {
    at(id).stat.ctime = now;
    if (id.ino.value == root_inode) {
        trees_.at(id.tree).parent = dir;
        trees_.at(id.tree).name = name;
    } else if (at(id).stat.type == FileType::Directory) {
        at(id).parent = dir;
    }
}

void ModelFs::move(const Move& wanted) {
    TimeSpec now = environment_.now();
    Entry entry = at(wanted.from_dir).entries.find(wanted.from)->second;
    drop_entry(wanted.from_dir, wanted.from);
    if (wanted.target) {
        drop_entry(wanted.to_dir, wanted.to);
        if (wanted.target->ino.value != empty_dir_inode) drop_link(*wanted.target);
    }
    add_entry(wanted.to_dir, wanted.to, entry);
    moved(wanted.source, wanted.to_dir, wanted.to, now);
    touch(wanted.from_dir, now);
    touch(wanted.to_dir, now);
}

// Both names get new places in the order of their directories, that in to_dir first.
void ModelFs::exchange(const Move& wanted) {
    TimeSpec now = environment_.now();
    Entry source = at(wanted.from_dir).entries.find(wanted.from)->second;
    Entry target = at(wanted.to_dir).entries.find(wanted.to)->second;
    drop_entry(wanted.from_dir, wanted.from);
    drop_entry(wanted.to_dir, wanted.to);
    add_entry(wanted.to_dir, wanted.to, source);
    add_entry(wanted.from_dir, wanted.from, target);
    moved(wanted.source, wanted.to_dir, wanted.to, now);
    moved(*wanted.target, wanted.from_dir, wanted.from, now);
    touch(wanted.from_dir, now);
    touch(wanted.to_dir, now);
}

}  // namespace glassfs::support
