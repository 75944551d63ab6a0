// SPDX-License-Identifier: MIT
// Names that go, and inodes whose last name went. Such an inode is deleted in the same step when that is
// little work and nobody has it open. Otherwise the step leaves an ORPHAN_ITEM, so that whoever mounts the
// volume after a crash knows of it, and evict() deletes it with the last hold, in as many steps as it takes.
#include "btrfs/file_system.h"
#include "btrfs/file_write.h"
#include "btrfs/name_edit.h"
#include "btrfs/writable_volume.h"

namespace glassfs::btrfs {

using vfs::NodeId;

namespace {

constexpr u32 extents_at_once = 16;    // in the step that removes the name
constexpr u32 extents_per_step = 256;  // afterwards

Key orphan_key(u64 inode) {
    return make_key(orphan_objectid, KeyType::OrphanItem, inode);
}

// Has the file at most `count` extent items?
Result<bool> few_extents(Volume& volume, const TreeRoot& root, u64 inode, u32 count) {
    Cursor cursor(volume, root);
    bool more = TRY(cursor.seek(make_key(inode, KeyType::ExtentData, 0)));
    for (u32 seen = 0; more && cursor.key() <= make_key(inode, KeyType::ExtentData, ~0ULL); ++seen) {
        if (seen == count) return false;
        more = TRY(cursor.next());
    }
    return true;
}

// Drops at most `count` extent items from the file's begin on. False: there are more.
Result<bool> erase_extents(Transaction& tx, Tree& tree, u64 inode, u32 count) {
    const Key first = make_key(inode, KeyType::ExtentData, 0);
    std::optional<Key> last;
    Cursor cursor(tx.volume(), tree.root);
    bool more = TRY(cursor.seek(first));
    u32 seen = 0;
    for (; more && seen < count && cursor.key() <= make_key(inode, KeyType::ExtentData, ~0ULL); ++seen) {
        TRY(cursor.check());
        last = cursor.key();
        const auto& head = view<disk::btrfs_file_extent_item>(cursor.data());
        if (head.type != file_extent_inline && head.disk_bytenr != 0) {
            DataExtent extent{LogicalAddr{head.disk_bytenr}, head.disk_num_bytes};
            TRY(tx.store().drop_data_ref(tx, extent, tree.id(), InodeNo{inode}, last->offset - head.offset));
        }
        more = TRY(cursor.next());
    }
    if (last) TRY(erase_items(tx, tree, first, *last));
    return seen < count;
}

}  // namespace

// ---- Names

Result<Entry> FileSystem::existing_name(Transaction& tx, NodeId dir, std::string_view name) {
    if (name.empty()) return fail(Cause::NotFound, "an empty name");
    const bool empty_subvol = dir.ino.value == empty_subvol_dir_objectid;
    Entry out;
    if (!empty_subvol) out.dir = TRY(directory(dir));
    if (!empty_subvol && out.dir->item.nlink == 0) return fail(Cause::NotFound, "the directory was removed");
    if (name.size() > name_len_max) return fail(Cause::NameTooLong);
    if (empty_subvol) return fail(Cause::NotFound, escaped(name));
    out.tree = TRY(tx.tree(dir.tree));
    out.name = name;
    out.place = TRY(find_hashed(volume_, out.tree->root, dir.ino.value, KeyType::DirItem, name));
    if (!out.place.found()) return fail(Cause::NotFound, escaped(name));
    out.target = TRY(resolve_location(dir, name, out.place.location));
    if (type_of(out.place.location) == KeyType::RootItem) {
        bool lost = out.target.ino.value == empty_subvol_dir_objectid;
        out.kind = lost ? EntryKind::LostSubvolume : EntryKind::Subvolume;
    }
    if (out.kind != EntryKind::LostSubvolume) out.inode = TRY(inodes_.get(out.target));
    return out;
}

Result<void> FileSystem::check_removable(const Entry& entry) {
    constexpr u64 fixed = inode_immutable | inode_append;
    if ((entry.dir->item.flags & inode_immutable) != 0)
        return fail(Cause::NotPermitted, "an immutable directory");
    if ((entry.tree->item.flags & root_subvol_rdonly) != 0)
        return fail(Cause::ReadOnly, "a read-only subvolume");
    if ((entry.dir->item.flags & inode_append) != 0)
        return fail(Cause::NotPermitted, "an append-only directory");
    if (entry.inode != nullptr && (entry.inode->item.flags & fixed) != 0) return fail(Cause::NotPermitted);
    return {};
}

Result<void> FileSystem::find_way_back(Entry& entry) {
    const NodeId dir = entry.dir->id;
    std::optional<u64> index;
    switch (entry.kind) {
        case EntryKind::Inode:
            entry.ref = TRY(
                find_inode_ref(volume_, entry.tree->root, entry.target.ino.value, dir.ino.value, entry.name));
            if (entry.ref.found()) index = entry.ref.index;
            break;
        case EntryKind::Subvolume:
            index = TRY(find_root_ref(volume_, entry.root_ref()));
            break;
        case EntryKind::LostSubvolume:
            index = TRY(search_dir_index(volume_, entry.tree->root, dir.ino.value, entry.name));
            break;
    }
    if (!index) return fail(Cause::DirItemUnpaired, {.tree = dir.tree}, escaped(entry.name));
    entry.index = *index;
    return {};
}

Result<void> FileSystem::erase_entry(Transaction& tx, Entry& entry) {
    TRY(find_way_back(entry));
    // Edits before this one may have moved it.
    entry.place =
        TRY(find_hashed(volume_, entry.tree->root, entry.dir_number(), KeyType::DirItem, entry.name));
    TRY(erase_dir_entry(tx, *entry.tree, entry.dir_number(), entry.name, entry.place, entry.index));
    if (entry.kind == EntryKind::Subvolume) TRY(erase_root_ref(tx, entry.root_ref()));
    return {};
}

// ---- Inodes

Result<bool> FileSystem::erase_inode_part(Transaction& tx, Tree& tree, const InodePtr& inode,
                                          u32 extents_max) {
    const u64 number = inode->id.ino.value;
    if (inode->type() == vfs::FileType::Regular || inode->type() == vfs::FileType::Symlink) {
        writer_->forget(*inode);
        if (!TRY(erase_extents(tx, tree, number, extents_max))) return false;
    }
    TRY(erase_items(tx, tree, {number, 0, 0}, {number, 0xff, ~0ULL}));
    if (inode->orphan) TRY(erase_item(tx, tree, orphan_key(number)));
    inodes_.drop(inode->id);
    return true;
}

Result<bool> FileSystem::drop_name(Transaction& tx, const Entry& entry, TimeSpec now) {
    const InodePtr& inode = entry.inode;
    const u64 number = inode->id.ino.value;
    Tree& tree = *entry.tree;
    const u32 names = inode->item.nlink;
    inode->item.nlink = names == 0 ? 0 : names - 1;
    touch_inode(*inode, now);
    if (names <= 1 && inode->holds == 0) {
        // Not to be waited for in a step: whoever has it may wait for the step.
        std::unique_lock lock(inode->lock, std::try_to_lock);
        if (lock.owns_lock() && TRY(few_extents(volume_, tree.root, number, extents_at_once))) {
            TRY(erase_inode_part(tx, tree, inode, extents_at_once + 1));
            return false;
        }
    }
    TRY(erase_inode_ref(tx, tree, number, entry.dir_number(), entry.name, entry.ref));
    if (names > 1) return false;
    TRY(insert_item(tx, tree, orphan_key(number), Bytes{}));
    inode->orphan = true;
    return inode->holds == 0;
}

Result<void> FileSystem::evict(const InodePtr& inode) {
    auto op = trace_.span("evict", [&] { return std::to_string(inode->id.ino.value); });
    std::unique_lock lock(inode->lock);
    for (bool finished = false; !finished;) {
        auto tx = TRY(store_->begin({.items = 16, .room = Room::Frees}));
        if (inode->gone || !inode->orphan || inode->holds != 0) return {};
        Tree* tree = TRY(tx.tree(inode->id.tree));
        finished = TRY(erase_inode_part(tx, *tree, inode, extents_per_step));
        tx.done();
    }
    return {};
}

// The name is gone, and with it the operation is done: what is left of the inode may have to wait.
Result<void> FileSystem::evict_now_or_later(const InodePtr& inode) {
    auto done = evict(inode);
    if (done || store_->aborted()) return done;
    if (auto tx = store_->begin({.items = 0, .room = Room::Frees})) orphans_cleaned_.erase(inode->id.tree);
    return {};
}

Result<std::vector<u64>> FileSystem::find_orphans(Transaction& tx, u64 id) {
    std::vector<u64> out;
    Tree* tree = TRY(tx.tree(id));
    TRY(for_each_item(volume_, tree->root, orphan_key(0), orphan_key(~0ULL),
                      [&](const Cursor& at) -> Result<bool> {
                          out.push_back(at.key().offset);
                          return true;
                      }));
    return out;
}

// Inodes that a crash or another system left behind. One that has names after all only loses the note.
Result<void> FileSystem::clean_orphans(u64 tree_id, const std::vector<u64>& inodes) {
    auto op = trace_.span("clean_orphans", [&] { return objectid_name(tree_id); });
    for (u64 number : inodes) {
        InodePtr inode;
        {
            auto tx = TRY(store_->begin({.items = 4, .room = Room::Frees}));
            Tree* tree = TRY(tx.tree(tree_id));
            auto found = inodes_.get({tree_id, InodeNo{number}});
            if (!found && found.error().cause != Cause::NotFound) return fail(std::move(found).error());
            if (found && (*found)->item.nlink == 0) {
                inode = *found;
                inode->orphan = true;
            } else {
                TRY(erase_item(tx, *tree, orphan_key(number)));
            }
            tx.done();
        }
        if (inode != nullptr) TRY(evict(inode));
    }
    return {};
}

// ---- Operations

Result<void> FileSystem::unlink(NodeId dir, std::string_view name) {
    auto op = trace_.span("unlink", [&] { return escaped(name); });
    if (name == "." || name == "..") return fail(Cause::IsADirectory);
    InodePtr left;
    {
        auto tx = TRY(begin(dir.tree, {.items = 10, .room = Room::Frees}));
        Entry entry = TRY(existing_name(tx, dir, name));
        TRY(check_removable(entry));
        if (entry.is_directory()) return fail(Cause::IsADirectory);
        TRY(erase_entry(tx, entry));
        const TimeSpec now = tx.now();
        touch_directory(*entry.dir, name, -1, now);
        if (TRY(drop_name(tx, entry, now))) left = entry.inode;
        tx.done();
    }
    return left == nullptr ? Result<void>{} : evict_now_or_later(left);
}

Result<void> FileSystem::rmdir(NodeId dir, std::string_view name) {
    auto op = trace_.span("rmdir", [&] { return escaped(name); });
    if (name == ".") return fail(Cause::InvalidArgument);
    if (name == "..") return fail(Cause::NotEmpty);
    InodePtr left;
    {
        auto tx = TRY(begin(dir.tree, {.items = 12, .room = Room::Frees}));
        Entry entry = TRY(existing_name(tx, dir, name));
        TRY(check_removable(entry));
        if (!entry.is_directory()) return fail(Cause::NotADirectory);
        if (entry.inode != nullptr && entry.inode->item.size != 0) return fail(Cause::NotEmpty);
        if (entry.kind == EntryKind::Subvolume) TRY(check_subvolume_removable(tx, entry));
        TRY(erase_entry(tx, entry));
        const TimeSpec now = tx.now();
        touch_directory(*entry.dir, name, -1, now);
        if (entry.kind == EntryKind::Subvolume) {
            TRY(kill_subvolume(tx, entry.target.tree));
        } else if (entry.kind == EntryKind::Inode) {
            entry.inode->last_parent = dir;
            if (TRY(drop_name(tx, entry, now))) left = entry.inode;
        }
        tx.done();
    }
    return left == nullptr ? Result<void>{} : evict_now_or_later(left);
}

void FileSystem::hold(NodeId id) {
    if (store_ == nullptr || id.ino.value == empty_subvol_dir_objectid) return;
    auto lock = reading();
    if (auto inode = inodes_.get(id)) ++(*inode)->holds;
}

Result<void> FileSystem::release(NodeId id) {
    if (store_ == nullptr || id.ino.value == empty_subvol_dir_objectid) return {};
    InodePtr inode;
    bool last = false;
    bool deleted_subvolume = false;
    {
        auto lock = reading();
        inode = inodes_.find(id);
        if (inode == nullptr || inode->holds == 0) return {};
        last = --inode->holds == 0;
        deleted_subvolume = last && dead_subvolumes_.contains(id.tree);
    }
    if (deleted_subvolume) {
        auto tx = TRY(store_->begin({.items = 1, .room = Room::Frees}));
        retire_subvolume(id.tree);
        return {};
    }
    return last && inode->orphan ? evict_now_or_later(inode) : Result<void>{};
}

}  // namespace glassfs::btrfs
