// SPDX-License-Identifier: MIT
// The model's inodes and lookups, and what has to do with whole subvolumes.
#include "support/model_fs.h"

#include "support/model_rules.h"

namespace glassfs::support {

using vfs::Attributes;
using vfs::FileType;
using vfs::NewInode;
using Lock = std::lock_guard<std::mutex>;

ModelFs::ModelFs(const ModelOptions& options) : options_(options), environment_(options.seed) {
    add_tree(top_tree, {}, "");
    trees_[top_tree].parent = root();
    NewInode top;
    top.mode = mode_directory | 0755;
    trees_[top_tree].next_inode = root_inode;
    add_inode({top_tree, {}}, top);
}

vfs::NodeId ModelFs::root() const {
    return {top_tree, InodeNo{root_inode}};
}

// Cause::NotFound for an inode that is gone.
Result<ModelFs::Inode*> ModelFs::find(NodeId id) {
    auto tree = trees_.find(id.tree);
    if (tree == trees_.end()) return fail(Cause::NotFound);
    auto inode = tree->second.inodes.find(id.ino.value);
    if (inode == tree->second.inodes.end()) return fail(Cause::NotFound);
    return &inode->second;
}

ModelFs::Inode& ModelFs::at(NodeId id) {
    return trees_.at(id.tree).inodes.at(id.ino.value);
}

Result<ModelFs::Inode*> ModelFs::directory(NodeId id) {
    Inode* inode = TRY(find(id));
    if (inode->stat.type != FileType::Directory) return fail(Cause::NotADirectory);
    return inode;
}

// The stand-in for a nested subvolume isn't of the read-only subvolume that it is in.
bool ModelFs::read_only(NodeId id) const {
    return id.ino.value != empty_dir_inode && trees_.at(id.tree).access == Access::ReadOnly;
}

vfs::NodeId ModelFs::leads_to(NodeId dir, const Entry& entry) const {
    switch (entry.leads) {
        case Leads::ToInode:
            return {dir.tree, InodeNo{entry.target}};
        case Leads::ToSubvolume:
            return {entry.target, InodeNo{root_inode}};
        case Leads::ToNothing:
            break;
    }
    return {dir.tree, InodeNo{empty_dir_inode}};
}

Result<ModelFs::Entry> ModelFs::existing(NodeId dir, std::string_view name) {
    Inode* inode = TRY(directory(dir));
    if (inode->stat.nlink == 0) return fail(Cause::NotFound);
    if (name.size() > name_bytes_max) return fail(Cause::NameTooLong);
    auto found = inode->entries.find(name);
    if (found == inode->entries.end()) return fail(Cause::NotFound);
    return found->second;
}

Result<Attributes> ModelFs::getattr(NodeId id) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    Attributes stat = inode->stat;
    stat.id = id;
    if (stat.type == FileType::Regular) {
        stat.size = inode->blocks.size();
        stat.bytes = inode->blocks.allocated();
    } else if (stat.type == FileType::Symlink) {
        stat.size = inode->target.size();
        stat.bytes = ModelBlocks::block;
    } else {
        for (const auto& [name, entry] : inode->entries) stat.size += 2 * name.size();
    }
    return stat;
}

Result<vfs::NodeId> ModelFs::lookup(NodeId dir, std::string_view name) {
    Lock lock(mutex_);
    return leads_to(dir, TRY(existing(dir, name)));
}

Result<vfs::NodeId> ModelFs::parent(NodeId dir) {
    Lock lock(mutex_);
    Inode* inode = TRY(directory(dir));
    if (dir.ino.value == root_inode) return trees_.at(dir.tree).parent;
    return inode->parent;
}

Result<void> ModelFs::readdir(NodeId dir, u64 cookie,
                              const std::function<bool(const vfs::DirEntry&)>& visit) {
    std::vector<vfs::DirEntry> found;
    {
        Lock lock(mutex_);
        Inode* inode = TRY(directory(dir));
        if (inode->stat.nlink == 0) return fail(Cause::NotFound);
        for (auto place = inode->order.upper_bound(cookie); place != inode->order.end(); ++place) {
            const Entry& entry = inode->entries.at(place->second);
            NodeId id = leads_to(dir, entry);
            found.push_back({place->second, id, at(id).stat.type, place->first});
        }
    }
    for (const auto& entry : found) {
        if (!visit(entry)) break;
    }
    return {};
}

Result<std::string> ModelFs::readlink(NodeId id) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    if (inode->stat.type != FileType::Symlink) return fail(Cause::InvalidArgument);
    return inode->target;
}

Result<vfs::StatFs> ModelFs::statfs() {
    return vfs::StatFs{ModelBlocks::block, 0, 0, 0};
}

void ModelFs::hold(NodeId id) {
    Lock lock(mutex_);
    if (auto inode = find(id)) (*inode)->holds += 1;
}

Result<void> ModelFs::release(NodeId id) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    if (inode->holds > 0) inode->holds -= 1;
    evict_unused(id);
    return {};
}

void ModelFs::evict_unused(NodeId id) {
    const Inode& inode = at(id);
    if (inode.stat.nlink == 0 && inode.holds == 0) trees_.at(id.tree).inodes.erase(id.ino.value);
}

void ModelFs::touch(NodeId id, TimeSpec now) {
    Inode& inode = at(id);
    inode.stat.mtime = inode.stat.ctime = now;
}

void ModelFs::add_tree(u64 id, NodeId dir, std::string_view name) {
    Tree& tree = trees_[id];
    tree.parent = dir;
    tree.name = name;
    Inode empty;
    empty.stat.type = FileType::Directory;
    empty.stat.mode = mode_directory | 0755;
    empty.stat.nlink = 1;
    tree.inodes[empty_dir_inode] = empty;
    tree.inodes[empty_dir_inode].parent = {id, InodeNo{root_inode}};
}

// Whether a live subvolume has its name in this one.
bool ModelFs::has_subvolumes(u64 tree) const {
    for (const auto& [id, other] : trees_) {
        if (id != top_tree && other.parent.tree == tree) return true;
    }
    return false;
}

Result<vfs::NodeId> ModelFs::create_subvolume(NodeId dir, std::string_view name, const NewInode& wanted) {
    Lock lock(mutex_);
    TRY(may_name(dir, name, WhatFor::Subvolume));
    u64 id = next_tree_++;
    add_tree(id, dir, name);
    trees_[id].next_inode = root_inode;
    NewInode top = wanted;
    top.mode = mode_directory | (wanted.mode & 0777);
    const Inode& above = at(dir);
    if (auto list = above.xattrs.find(vfs::acl_default_xattr); list != above.xattrs.end()) {
        vfs::Acl acl = TRY(vfs::parse_acl(list->second));
        top.mode = vfs::inherit_acl(acl, top.mode);
    }
    NodeId made = add_inode({id, {}}, top);  // takes nothing from the directory, not even a SGID's group
    add_entry(dir, name, {Leads::ToSubvolume, id, 0});
    touch(dir, environment_.now());
    return made;
}

Result<vfs::NodeId> ModelFs::snapshot(NodeId source, NodeId dir, std::string_view name,
                                      vfs::SnapshotKind kind) {
    Lock lock(mutex_);
    TRY(directory(dir));
    if (dir.ino.value == empty_dir_inode) return fail(Cause::NoSuchOperation);
    if (name == "." || name == "..") return fail(Cause::Exists);
    TRY(find(source));
    if (source.ino.value != root_inode) return fail(Cause::InvalidArgument);
    TRY(may_name(dir, name, WhatFor::Subvolume));
    u64 id = next_tree_++;
    add_tree(id, dir, name);
    Tree& copy = trees_[id];
    copy.access = kind == vfs::SnapshotKind::ReadOnly ? Access::ReadOnly : Access::ReadWrite;
    copy.next_inode = trees_.at(source.tree).next_inode;
    for (const auto& [number, inode] : trees_.at(source.tree).inodes) {
        if (inode.stat.nlink == 0 || number == empty_dir_inode) continue;
        Inode& made = copy.inodes[number] = inode;
        made.holds = 0;
        made.parent.tree = id;
        for (auto& [entry_name, entry] : made.entries) {
            if (entry.leads != Leads::ToInode) entry = {Leads::ToNothing, 0, entry.index};
        }
    }
    add_entry(dir, name, {Leads::ToSubvolume, id, 0});
    touch(dir, environment_.now());
    return NodeId{id, InodeNo{root_inode}};
}

Result<void> ModelFs::delete_subvolume(NodeId dir, std::string_view name) {
    Lock lock(mutex_);
    TRY(directory(dir));
    if (dir.ino.value == empty_dir_inode) return fail(Cause::NoSuchOperation);
    if (name == "." || name.empty()) return fail(Cause::AccessDenied);
    if (name == "..") return fail(Cause::InvalidArgument);
    Entry entry = TRY(existing(dir, name));
    NodeId victim = leads_to(dir, entry);
    TRY(may_remove(dir, victim));
    if (at(victim).stat.type != FileType::Directory) return fail(Cause::NotADirectory);
    if (entry.leads != Leads::ToSubvolume) return fail(Cause::InvalidArgument);
    if (has_subvolumes(entry.target)) return fail(Cause::NotEmpty);
    drop_entry(dir, name);
    trees_.erase(entry.target);
    touch(dir, environment_.now());
    return {};
}

}  // namespace glassfs::support
