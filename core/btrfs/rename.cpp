// SPDX-License-Identifier: MIT
// Renaming, in one step: the new way back is made first (it is what may have no room), then the old name
// goes, then the one that is replaced, then the new name comes. Directories' positions in the list of names
// are new ones.
#include "btrfs/file_system.h"
#include "btrfs/name_edit.h"
#include "btrfs/writable_volume.h"

namespace glassfs::btrfs {

using vfs::NodeId;
using vfs::RenameKind;

namespace {

bool is_dot_name(std::string_view name) {
    return name == "." || name == "..";
}

// Two names of one inode, or one name. Lost subvolumes all look alike and are different ones.
bool is_same(const Entry& a, const Entry& b) {
    if (a.kind == EntryKind::LostSubvolume && b.kind == a.kind) return a.dir == b.dir && a.name == b.name;
    return a.target == b.target;
}

Result<void> check_writable_dir(const Tree& tree, const Inode& dir) {
    if ((dir.item.flags & inode_immutable) != 0) return fail(Cause::NotPermitted, "an immutable directory");
    if ((tree.item.flags & root_subvol_rdonly) != 0) return fail(Cause::ReadOnly, "a read-only subvolume");
    return {};
}

}  // namespace

// Is `dir` this directory or somewhere below it?
Result<bool> FileSystem::is_within(NodeId dir, NodeId ancestor) {
    constexpr u32 depth_max = 1U << 20;
    for (u32 depth = 0; depth < depth_max; ++depth) {
        if (dir == ancestor) return true;
        NodeId up = TRY(parent_of(dir));
        if (up == dir) return false;
        dir = up;
    }
    return fail(Cause::DepthExceeded, {.tree = dir.tree}, "a directory is its own ancestor");
}

Result<void> FileSystem::check_ancestors(const Renaming& work) {
    const NodeId from_dir = work.from.dir->id, to_dir = work.to_dir->id;
    if (from_dir == to_dir) return {};
    if (work.from.is_directory() && TRY(is_within(to_dir, work.from.target)))
        return fail(Cause::InvalidArgument);
    if (!work.to || !work.to->is_directory()) return {};
    if (!TRY(is_within(from_dir, work.to->target))) return {};
    return fail(work.kind == RenameKind::Exchange ? Cause::InvalidArgument : Cause::NotEmpty);
}

// Why nothing can be moved into the empty directory that stands for a lost subvolume.
Error FileSystem::refusal_to_empty_subvol(Transaction& tx, const Entry& from) {
    if (auto removable = check_removable(from); !removable) return removable.error();
    if (from.is_directory() && from.inode != nullptr) {
        auto tree = tx.tree(from.target.tree);
        auto writable = tree ? check_writable_dir(**tree, *from.inode) : fail(std::move(tree).error());
        if (!writable) return writable.error();
    }
    return {Cause::NotPermitted};
}

// What the virtual file system checks, then what btrfs does.
Result<void> FileSystem::check_rename(Transaction& tx, const Renaming& work) {
    const bool exchange = work.kind == RenameKind::Exchange;
    const Entry& from = work.from;
    TRY(check_removable(from));
    if (!work.to) {
        TRY(check_writable_dir(*work.to_tree, *work.to_dir));
    } else {
        TRY(check_removable(*work.to));
        if (!exchange && from.is_directory() && !work.to->is_directory()) return fail(Cause::NotADirectory);
        if (!exchange && !from.is_directory() && work.to->is_directory()) return fail(Cause::IsADirectory);
    }
    if (from.dir != work.to_dir) {
        // A directory that moves has a new "..": it must be writable itself.
        for (const Entry* entry : {&from, exchange ? &*work.to : nullptr}) {
            if (entry == nullptr || !entry->is_directory() || entry->inode == nullptr) continue;
            TRY(check_writable_dir(*TRY(tx.tree(entry->target.tree)), *entry->inode));
        }
    }
    const bool same_tree = from.tree == work.to_tree;
    if (!same_tree && from.kind != EntryKind::Subvolume) return fail(Cause::CrossDevice);
    if (!same_tree && exchange && work.to->kind != EntryKind::Subvolume) return fail(Cause::CrossDevice);
    if (from.kind == EntryKind::LostSubvolume) return fail(Cause::NotEmpty);
    if (exchange) return work.to->kind == EntryKind::LostSubvolume ? fail(Cause::NotEmpty) : Result<void>{};
    if (work.to) {
        if (work.to->kind == EntryKind::Subvolume) return fail(Cause::NotEmpty);
        bool full = work.to->inode != nullptr && work.to->inode->item.size != 0;
        if (from.is_directory() && full) return fail(Cause::NotEmpty);
    } else if (!has_room_for_name(volume_.geometry(), work.to_place, work.to_name)) {
        return fail(Cause::ValueOverflow, "too many names with the same hash");
    }
    return {};
}

// `what` gets a name in `dir`, to which its way back leads already.
Result<void> FileSystem::add_moved_name(Transaction& tx, Tree& tree, Inode& dir, std::string_view name,
                                        const Entry& what, u64 index) {
    const u64 dir_number = dir.id.ino.value;
    HashedEntry place = TRY(find_hashed(volume_, tree.root, dir_number, KeyType::DirItem, name));
    TRY(add_dir_entry(tx, tree, dir_number, name, place, index, {what.place.location, what.place.type}));
    if (what.kind != EntryKind::Subvolume) return {};
    return add_root_ref(tx, {what.target.tree, tree.id(), dir_number, name}, index);
}

Result<InodePtr> FileSystem::replace_name(Transaction& tx, Renaming& work, TimeSpec now) {
    Entry& from = work.from;
    InodePtr left;
    const EntryTarget target{from.place.location, from.place.type};
    const u64 to_dir = work.to_dir->id.ino.value;
    const u64 index = TRY(take_dir_index(tx, *work.to_dir));
    if (from.kind == EntryKind::Inode) {
        const u64 number = from.target.ino.value;
        InodeRef ref = TRY(place_inode_ref(volume_, from.tree->root, number, to_dir, work.to_name));
        TRY(add_inode_ref(tx, *from.tree, number, to_dir, work.to_name, ref, index));
    }
    TRY(erase_entry(tx, from));
    if (from.kind == EntryKind::Inode) {
        TRY(erase_inode_ref(tx, *from.tree, from.target.ino.value, from.dir_number(), from.name, from.ref));
    }
    touch_directory(*from.dir, from.name, -1, now);
    if (work.to) {
        TRY(erase_entry(tx, *work.to));
        touch_directory(*work.to_dir, work.to_name, -1, now);
        if (work.to->kind == EntryKind::Inode) {
            work.to->inode->last_parent = work.to_dir->id;
            if (TRY(drop_name(tx, *work.to, now))) left = work.to->inode;
        }
    }
    from.place.location = target.location;
    from.place.type = target.type;
    TRY(add_moved_name(tx, *work.to_tree, *work.to_dir, work.to_name, from, index));
    touch_directory(*work.to_dir, work.to_name, +1, now);
    // A subvolume's own root directory doesn't learn of it (it may be read-only).
    if (from.kind == EntryKind::Inode) touch_inode(*from.inode, now);
    return left;
}

Result<void> FileSystem::exchange_names(Transaction& tx, Renaming& work, TimeSpec now) {
    Entry& a = work.from;
    Entry& b = *work.to;
    const u64 index_a = TRY(take_dir_index(tx, *b.dir));  // a goes where b is
    const u64 index_b = TRY(take_dir_index(tx, *a.dir));
    InodeRef ref_a, ref_b;
    if (a.kind == EntryKind::Inode) {
        ref_a = TRY(place_inode_ref(volume_, a.tree->root, a.target.ino.value, b.dir_number(), b.name));
    }
    if (b.kind == EntryKind::Inode) {
        ref_b = TRY(place_inode_ref(volume_, b.tree->root, b.target.ino.value, a.dir_number(), a.name));
        TRY(add_inode_ref(tx, *b.tree, b.target.ino.value, a.dir_number(), a.name, ref_b, index_b));
    }
    if (a.kind == EntryKind::Inode) {
        TRY(add_inode_ref(tx, *a.tree, a.target.ino.value, b.dir_number(), b.name, ref_a, index_a));
    }
    for (Entry* entry : {&a, &b}) {
        TRY(erase_entry(tx, *entry));
        if (entry->kind != EntryKind::Inode) continue;
        TRY(erase_inode_ref(tx, *entry->tree, entry->target.ino.value, entry->dir_number(), entry->name,
                            entry->ref));
    }
    TRY(add_moved_name(tx, *b.tree, *b.dir, b.name, a, index_a));
    TRY(add_moved_name(tx, *a.tree, *a.dir, a.name, b, index_b));
    for (Entry* entry : {&a, &b}) {
        touch_directory(*entry->dir, entry->name, 0, now);
        if (entry->kind == EntryKind::Inode) touch_inode(*entry->inode, now);
    }
    return {};
}

Result<void> FileSystem::rename(NodeId from_dir, std::string_view from, NodeId to_dir, std::string_view to,
                                RenameKind kind) {
    auto op = trace_.span("rename", [&] { return escaped(from) + " " + escaped(to); });
    InodePtr left;
    {
        auto tx = TRY(begin(from_dir.tree, {.items = 16}));
        if (from.empty() || to.empty()) return fail(Cause::NotFound, "an empty name");
        TRY(require_directory(from_dir));
        TRY(require_directory(to_dir));
        if (is_dot_name(from)) return fail(Cause::Busy);
        if (is_dot_name(to)) return fail(kind == RenameKind::NoReplace ? Cause::Exists : Cause::Busy);
        Renaming work;
        work.kind = kind;
        work.to_name = to;
        work.from = TRY(existing_name(tx, from_dir, from));
        auto found = existing_name(tx, to_dir, to);
        if (found) {
            if (kind == RenameKind::NoReplace) return fail(Cause::Exists, escaped(to));
            work.to = std::move(*found);
        } else {
            bool absent = found.error().cause == Cause::NotFound && kind != RenameKind::Exchange;
            if (!absent) return fail(std::move(found).error());
        }
        if (to_dir.ino.value == empty_subvol_dir_objectid) {
            if (work.from.is_directory() && TRY(is_within(to_dir, work.from.target)))
                return fail(Cause::InvalidArgument);
            return fail(refusal_to_empty_subvol(tx, work.from));
        }
        work.to_dir = TRY(directory(to_dir));
        if (work.to_dir->item.nlink == 0) return fail(Cause::NotFound, "the directory was removed");
        work.to_tree = TRY(tx.tree(to_dir.tree));
        work.to_place = TRY(find_hashed(volume_, work.to_tree->root, to_dir.ino.value, KeyType::DirItem, to));
        TRY(check_ancestors(work));
        if (work.to && is_same(work.from, *work.to)) return {};
        TRY(check_rename(tx, work));
        TRY(find_way_back(work.from));
        if (work.to) TRY(find_way_back(*work.to));
        const TimeSpec now = tx.now();
        if (kind == RenameKind::Exchange)
            TRY(exchange_names(tx, work, now));
        else
            left = TRY(replace_name(tx, work, now));
        tx.done();
    }
    return left == nullptr ? Result<void>{} : evict_now_or_later(left);
}

}  // namespace glassfs::btrfs
