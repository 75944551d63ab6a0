// SPDX-License-Identifier: MIT
// Subvolumes that begin and end. A subvolume is a tree with a root item, a name in a directory of another
// subvolume (with ROOT_REF and ROOT_BACKREF), and an entry in the UUID tree.
#include "btrfs/cleaner.h"
#include "btrfs/file_system.h"
#include "btrfs/file_write.h"
#include "btrfs/name_edit.h"
#include "btrfs/writable_volume.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::NodeId;

namespace {

constexpr u32 directory_type = 040000, subvolume_mode_mask = 01777;
constexpr u32 blocks_per_step = 512;

Key uuid_key(KeyType type, const Uuid& uuid) {
    return make_key(load<Le64>(uuid), type, load<Le64>(uuid, 8));
}

// The tree is missing on volumes from before there was one: whoever makes it fills it from the root items.
Result<Tree*> uuid_tree(Transaction& tx) {
    auto tree = tx.tree(uuid_tree_objectid);
    if (!tree && tree.error().cause == Cause::RootMissing) return nullptr;
    return tree;
}

Result<void> add_uuid(Transaction& tx, KeyType type, const Uuid& uuid, u64 subvolume) {
    Tree* tree = TRY(uuid_tree(tx));
    if (tree == nullptr || uuid == Uuid{}) return {};
    Buffer ids = TRY(find_item(tx, *tree, uuid_key(type, uuid))).value_or(Buffer{});
    disk::btrfs_uuid_entry entry{subvolume};
    Bytes added = bytes_of(entry);
    ids.insert(ids.end(), added.begin(), added.end());
    return put_item(tx, *tree, uuid_key(type, uuid), Bytes(ids));
}

Result<void> erase_uuid(Transaction& tx, KeyType type, const Uuid& uuid, u64 subvolume) {
    Tree* tree = TRY(uuid_tree(tx));
    if (tree == nullptr || uuid == Uuid{}) return {};
    auto ids = TRY(find_item(tx, *tree, uuid_key(type, uuid)));
    if (!ids) return {};
    constexpr std::size_t size = sizeof(disk::btrfs_uuid_entry);
    for (std::size_t at = 0; at + size <= ids->size(); at += size) {
        if (view<disk::btrfs_uuid_entry>(*ids, at).subvol_id != subvolume) continue;
        auto begin = ids->begin() + static_cast<std::ptrdiff_t>(at);
        ids->erase(begin, begin + size);
        if (ids->empty()) return erase_item(tx, *tree, uuid_key(type, uuid));
        return put_item(tx, *tree, uuid_key(type, uuid), Bytes(*ids));
    }
    return {};
}

disk::btrfs_root_item new_root_item(const Transaction& tx, TimeSpec now) {
    disk::btrfs_root_item item{};
    item.inode.generation = 1;
    item.inode.size = 3;
    item.inode.nlink = 1;
    item.inode.nbytes = tx.geometry().node_size;
    item.inode.mode = 040755;
    item.inode.flags = inode_root_item_init;
    item.root_dirid = first_free_objectid;
    item.refs = 1;
    item.uuid = tx.store().environment().uuid();
    item.ctransid = item.otransid = tx.generation().value;
    item.ctime = item.otime = to_disk_time(now);
    return item;
}

// A snapshot begins as its source is; what says where a received subvolume came from holds only while it
// can't change.
disk::btrfs_root_item snapshot_root_item(const Transaction& tx, const Tree& source, vfs::SnapshotKind kind,
                                         TimeSpec now) {
    disk::btrfs_root_item item = source.item;
    item.uuid = tx.store().environment().uuid();
    item.parent_uuid = source.item.uuid;
    item.otime = to_disk_time(now);
    item.otransid = tx.generation().value;
    if (kind == vfs::SnapshotKind::ReadOnly) {
        item.flags = item.flags | root_subvol_rdonly;
        return item;
    }
    item.flags = item.flags & ~root_subvol_rdonly;
    item.received_uuid = {};
    item.stransid = item.rtransid = 0;
    item.stime = item.rtime = {};
    return item;
}

}  // namespace

Result<void> FileSystem::add_subvolume_name(Transaction& tx, const NewName& place, u64 id,
                                            u64 location_offset, TimeSpec now) {
    const u64 index = TRY(take_dir_index(tx, *place.dir));
    TRY(add_root_ref(tx, {id, place.tree->id(), place.dir_number(), place.name}, index));
    EntryTarget target{make_key(id, KeyType::RootItem, location_offset), ft_dir};
    TRY(add_dir_entry(tx, *place.tree, place.dir_number(), place.name, place.place, index, target));
    touch_directory(*place.dir, place.name, +1, now);
    return {};
}

Result<NodeId> FileSystem::create_subvolume(NodeId dir, std::string_view name, const vfs::NewInode& wanted) {
    auto op = trace_.span("create_subvolume", [&] { return escaped(name); });
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoSuchOperation);
    if (name.empty()) return fail(Cause::AccessDenied);
    auto tx = TRY(begin(dir.tree, {.items = 16}));
    NewName place = TRY(new_name(tx, dir, name, Cause::NoSuchOperation));
    Tree* roots = TRY(tx.tree(root_tree_objectid));
    const u64 id = TRY(take_inode_number(tx, *roots));
    const TimeSpec now = tx.now();
    disk::btrfs_root_item root_item = new_root_item(tx, now);
    Tree* tree = TRY(store_->create_tree(tx, id, root_item));
    inodes_.begin_tree(id);
    disk::btrfs_inode_item top{};
    top.generation = top.transid = tx.generation().value;
    top.nlink = 1;
    top.uid = wanted.uid;
    top.gid = wanted.gid;
    top.mode = directory_type | (wanted.mode & subvolume_mode_mask);
    top.atime = top.ctime = top.mtime = top.otime = to_disk_time(now);
    // It takes after the subvolume that it is in, not after the directory.
    InodePtr above = TRY(inodes_.get({dir.tree, InodeNo{first_free_objectid}}));
    if (TRY(inherit_compression(tx, *tree, *above, first_free_objectid))) top.flags = inode_compress;
    TRY(insert_inode(tx, *tree, first_free_objectid, top, first_free_objectid, "..", 0));
    TRY(add_uuid(tx, KeyType::UuidKeySubvol, root_item.uuid, id));
    TRY(add_subvolume_name(tx, place, id, 0, now));
    orphans_cleaned_.insert(id);
    tx.done();
    return NodeId{id, InodeNo{first_free_objectid}};
}

// Everything of the source must be on the disk, since its tree's blocks are what the snapshot is made of.
// Others may change it again before this step has begun: then once more.
Result<NodeId> FileSystem::snapshot(NodeId source, NodeId dir, std::string_view name,
                                    vfs::SnapshotKind kind) {
    auto op = trace_.span("snapshot", [&] { return escaped(name); });
    constexpr u32 tries_max = 100;
    if (store_ == nullptr) return fail(Cause::ReadOnly);
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoSuchOperation);
    TRY(write_back(source.tree));
    for (u32 tries = 0; tries < tries_max; ++tries) {
        // Nothing is on its way to a place that the snapshot is going to share.
        auto paused = writer_->pause();
        auto done = TRY(try_snapshot(source, dir, name, kind));
        paused.unlock();
        if (!done) {
            TRY(write_back(source.tree));
            TRY(store_->commit());
            continue;
        }
        TRY(store_->commit());
        std::vector<u64> orphans;
        {
            auto tx = TRY(store_->begin({.room = Room::Frees}));
            orphans_cleaned_.insert(done->tree);
            orphans = TRY(find_orphans(tx, done->tree));
        }
        TRY(clean_orphans(done->tree, orphans));
        return *done;
    }
    return fail(Cause::Busy, "the source keeps changing");
}

// Nothing: the source has changes that aren't on the disk.
Result<std::optional<NodeId>> FileSystem::try_snapshot(NodeId source, NodeId dir, std::string_view name,
                                                       vfs::SnapshotKind kind) {
    auto tx = TRY(begin(dir.tree, {.items = 24}));
    auto top = subvolume_root(source.tree);
    if (!top || *top != source) return fail(Cause::InvalidArgument, "not a subvolume");
    if (name.empty()) return fail(Cause::AccessDenied);
    NewName place = TRY(new_name(tx, dir, name, Cause::NoSuchOperation));
    Tree* tree = TRY(tx.tree(source.tree));
    bool clean = tree->root.generation < tx.generation() && !inodes_.any_changed(source.tree);
    if (!clean) return std::optional<NodeId>{};
    Tree* roots = TRY(tx.tree(root_tree_objectid));
    const u64 id = TRY(take_inode_number(tx, *roots));
    const TimeSpec now = tx.now();
    disk::btrfs_root_item item = snapshot_root_item(tx, *tree, kind, now);
    TRY(store_->copy_tree(tx, *tree, id, item));
    inodes_.begin_tree(id);
    TRY(add_uuid(tx, KeyType::UuidKeySubvol, item.uuid, id));
    TRY(add_uuid(tx, KeyType::UuidKeyReceivedSubvol, item.received_uuid, id));
    TRY(add_subvolume_name(tx, place, id, ~0ULL, now));
    tx.done();
    return std::optional(NodeId{id, source.ino});
}

// ---- Deleting

Result<void> FileSystem::check_subvolume_removable(Transaction& tx, const Entry& entry) {
    const u64 id = entry.target.tree;
    if (TRY(default_subvolume()) == id) return fail(Cause::NotPermitted, "it is the default subvolume");
    if (entry.target == root_) return fail(Cause::Busy, "it is mounted");
    const Tree* roots = TRY(tx.tree(root_tree_objectid));
    Cursor cursor(volume_, roots->root);
    const Key last = make_key(id, KeyType::RootRef, ~0ULL);
    bool found = TRY(cursor.seek_back(last));
    if (found && cursor.key().objectid == id && type_of(cursor.key()) == KeyType::RootRef) {
        return fail(Cause::NotEmpty, "it has a subvolume inside");
    }
    return {};
}

Result<void> FileSystem::kill_subvolume(Transaction& tx, u64 id) {
    Tree* tree = TRY(tx.tree(id));
    Tree* roots = TRY(tx.tree(root_tree_objectid));
    TRY(erase_uuid(tx, KeyType::UuidKeySubvol, tree->item.uuid, id));
    TRY(erase_uuid(tx, KeyType::UuidKeyReceivedSubvol, tree->item.received_uuid, id));
    tree->item.refs = 0;
    tree->item.flags = tree->item.flags | root_subvol_dead;
    tree->item.drop_progress = {};
    tree->item.drop_level = 0;
    TRY(store_->write_root_item(tx, *tree));
    TRY(insert_item(tx, *roots, make_key(orphan_objectid, KeyType::OrphanItem, id), Bytes{}));
    dead_subvolumes_.insert(id);
    return {};
}

Result<void> FileSystem::delete_subvolume(NodeId dir, std::string_view name) {
    auto op = trace_.span("delete_subvolume", [&] { return escaped(name); });
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoSuchOperation);
    if (name.empty() || name == ".") return fail(Cause::AccessDenied);
    if (name == "..") return fail(Cause::InvalidArgument);
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoSuchOperation);
    u64 id = 0;
    {
        auto tx = TRY(begin(dir.tree, {.items = 16, .room = Room::Frees}));
        Entry entry = TRY(existing_name(tx, dir, name));
        TRY(check_removable(entry));
        if (!entry.is_directory()) return fail(Cause::NotADirectory);
        if (entry.kind != EntryKind::Subvolume) return fail(Cause::InvalidArgument, "not a subvolume");
        TRY(check_subvolume_removable(tx, entry));
        id = entry.target.tree;
        TRY(erase_entry(tx, entry));
        touch_directory(*entry.dir, name, -1, tx.now());
        TRY(kill_subvolume(tx, id));
        tx.done();
    }
    return clean_subvolume(id);
}

// Data that was never written, of files that go without being deleted one by one.
Result<void> FileSystem::forget_data(u64 tree) {
    for (const InodePtr& inode : inodes_.with_pages()) {
        if (inode->id.tree != tree) continue;
        std::unique_lock lock(inode->lock);
        auto tx = TRY(store_->begin({.room = Room::Frees}));
        if (inode->holds == 0) writer_->forget(*inode);
        tx.done();
    }
    return {};
}

Result<void> FileSystem::clean_subvolume(u64 id) {
    auto op = trace_.span("clean_subvolume", [&] { return objectid_name(id); });
    TRY(forget_data(id));
    {
        auto tx = TRY(store_->begin({.room = Room::Frees}));
        if (!dead_subvolumes_.contains(id) || inodes_.any_held(id)) return {};
        dead_subvolumes_.erase(id);
        inodes_.drop_tree(id);
        next_inode_number_.erase(id);
    }
    TRY(store_->commit());
    TreeDropper dropper(id);
    for (bool finished = false; !finished;) {
        auto tx = TRY(store_->begin({.items = 16, .room = Room::Frees}));
        finished = TRY(dropper.step(tx, blocks_per_step));
        tx.done();
    }
    return {};
}

// What was being deleted when the volume was last used.
Result<void> FileSystem::clean_after_crash() {
    DeletedTrees deleted;
    {
        auto tx = TRY(store_->begin({.items = 8, .room = Room::Frees}));
        deleted = TRY(find_deleted_trees(tx));
        Tree* roots = TRY(tx.tree(root_tree_objectid));
        for (u64 id : deleted.stale) {
            TRY(erase_item(tx, *roots, make_key(orphan_objectid, KeyType::OrphanItem, id)));
        }
        dead_subvolumes_.insert(deleted.trees.begin(), deleted.trees.end());
        tx.done();
    }
    for (u64 id : deleted.trees) TRY(clean_subvolume(id));
    TRY(begin(root_.tree, {.room = Room::Frees}));  // and the orphans of the subvolume that is mounted
    return {};
}

// ---- Making durable

Result<void> FileSystem::sync() {
    auto op = trace_.span("sync");
    if (store_ == nullptr) return {};
    TRY(write_back({}));
    return store_->commit();
}

Result<void> FileSystem::fsync(NodeId id) {
    auto op = trace_.span("fsync");
    if (store_ == nullptr || id.ino.value == empty_subvol_dir_objectid) return {};
    InodePtr inode;
    {
        auto lock = reading();
        inode = TRY(inodes_.get(id));
    }
    TRY(writer_->write_back(inode));
    return store_->commit();
}

Result<void> FileSystem::write_back(std::optional<u64> tree) {
    return tree ? writer_->write_back_tree(*tree) : writer_->write_back_all();
}

}  // namespace glassfs::btrfs
