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
constexpr u32 blocks_beside = 8;  // of deleted trees, that an operation drops in passing
constexpr u32 blocks_per_piece = 256;

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
    // Of a default access list Linux gives a subvolume the mode only.
    const u32 mode = TRY(inherit_acl(*place.dir, wanted)).mode;
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
    top.mode = directory_type | (mode & subvolume_mode_mask);
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
        // It is there. What else there is to do can be done later, if it must.
        auto rest = store_->commit();
        if (rest) rest = clean_new_snapshot(done->tree);
        if (!rest && store_->aborted()) return fail(std::move(rest).error());
        return *done;
    }
    return fail(Cause::Busy, "the source keeps changing");
}

// Open files without a name are the source's alone.
Result<void> FileSystem::clean_new_snapshot(u64 tree) {
    TRY(begin(tree, {.room = Room::Frees}));
    return {};
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

// ---- By id

Result<NodeId> FileSystem::subvolume(u64 id) {
    auto lock = reading();
    return subvolume_root(id);
}

// The entry "default" of the root tree's directory, which mkfs has made; a feature flag tells of it once it
// isn't the top level.
Result<void> FileSystem::set_default_subvolume(u64 id) {
    auto op = trace_.span("set_default_subvolume");
    auto tx = TRY(begin(fs_tree_objectid, {.items = 4}));
    TRY(subvolume_root(id));
    Tree* roots = TRY(tx.tree(root_tree_objectid));
    const Key key = make_key(root_tree_dir_objectid, KeyType::DirItem, name_hash("default"));
    auto item = TRY(find_item(tx, *roots, key));
    if (!item) return fail(Cause::ItemMissing, {.key = key, .tree = root_tree_objectid});
    bool found = false;
    for (const NamedEntry& entry : parse_entries(*item)) {
        if (entry.name != "default") continue;
        const auto at = reinterpret_cast<const u8*>(entry.head) - item->data();
        auto& head = *reinterpret_cast<disk::btrfs_dir_item*>(item->data() + at);
        head.location = to_disk_key(make_key(id, KeyType::RootItem, TRY(tx.tree(id))->root_key_offset));
        found = true;
    }
    if (!found) return fail(Cause::ItemMissing, {.key = key, .tree = root_tree_objectid});
    TRY(put_item(tx, *roots, key, Bytes(*item)));
    auto& super = store_->super();
    super.incompat_flags = super.incompat_flags | incompat_default_subvol;
    tx.done();
    return {};
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
    retire_subvolume(id);
    return {};
}

// In a step. Nothing changes the tree from here on. Data that was never written goes with its inodes.
void FileSystem::retire_subvolume(u64 id) {
    if (!dead_subvolumes_.contains(id) || inodes_.any_held(id)) return;
    dead_subvolumes_.erase(id);
    inodes_.drop_tree(id);
    next_inode_number_.erase(id);
    dying_.emplace_back(id);
    dying_count_ = dying_.size();
}

Result<void> FileSystem::delete_subvolume(NodeId dir, std::string_view name) {
    auto op = trace_.span("delete_subvolume", [&] { return escaped(name); });
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoSuchOperation);
    if (name.empty() || name == ".") return fail(Cause::AccessDenied);
    if (name == "..") return fail(Cause::InvalidArgument);
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoSuchOperation);
    auto tx = TRY(begin(dir.tree, {.items = 16, .room = Room::Frees}));
    Entry entry = TRY(existing_name(tx, dir, name));
    TRY(check_removable(entry));
    if (!entry.is_directory()) return fail(Cause::NotADirectory);
    if (entry.kind != EntryKind::Subvolume) return fail(Cause::InvalidArgument, "not a subvolume");
    TRY(check_subvolume_removable(tx, entry));
    TRY(erase_entry(tx, entry));
    touch_directory(*entry.dir, name, -1, tx.now());
    TRY(kill_subvolume(tx, entry.target.tree));
    tx.done();
    return {};
}

// A tree is dropped as a commit left it: one that has changed since waits for the next.
Result<bool> FileSystem::must_wait(Transaction& tx, const TreeDropper& dropper) {
    return TRY(tx.tree(dropper.tree()))->root.generation == tx.generation();
}

// Drops some blocks of deleted trees, oldest first.
Result<void> FileSystem::drop_some(u32 blocks) {
    if (dying_count_ == 0) return {};
    auto tx = TRY(store_->begin({.items = 16, .room = Room::Frees}));
    if (dying_.empty()) return {};
    TreeDropper& dropper = dying_.front();
    auto op = trace_.span("drop_subvolume", [&] { return objectid_name(dropper.tree()); });
    auto wait = must_wait(tx, dropper);
    if (wait && *wait) return {};
    auto finished = wait ? dropper.step(tx, blocks) : wait;
    if (!finished || *finished) {  // what can't be dropped stays as it is, until the next mount
        dying_.pop_front();
        dying_count_ = dying_.size();
    }
    if (!finished) return fail(std::move(finished).error());
    tx.done();
    return {};
}

// A step of an operation must not wait for more than a few blocks, and doesn't fail for want of room for
// them.
Result<void> FileSystem::drop_in_passing() {
    auto done = drop_some(blocks_beside);
    return !done && done.error().cause == Cause::NoSpace ? Result<void>{} : done;
}

Result<bool> FileSystem::clean_up() {
    if (dying_count_ == 0) return false;
    bool waits = false;
    {
        auto tx = TRY(store_->begin({.items = 1, .room = Room::Frees}));
        waits = !dying_.empty() && must_wait(tx, dying_.front()).value_or(false);
    }
    if (waits) TRY(store_->commit());
    TRY(drop_some(blocks_per_piece));
    return dying_count_ != 0;
}

Result<void> FileSystem::clean_up_all() {
    while (TRY(clean_up())) {
    }
    return {};
}

// What was being deleted when the volume was last used goes on.
Result<void> FileSystem::clean_after_crash() {
    {
        auto tx = TRY(store_->begin({.items = 8, .room = Room::Frees}));
        DeletedTrees deleted = TRY(find_deleted_trees(tx));
        Tree* roots = TRY(tx.tree(root_tree_objectid));
        for (u64 id : deleted.stale) {
            TRY(erase_item(tx, *roots, make_key(orphan_objectid, KeyType::OrphanItem, id)));
        }
        for (u64 id : deleted.trees) dying_.emplace_back(id);
        dying_count_ = dying_.size();
        tx.done();
    }
    TRY(begin(root_.tree, {.room = Room::Frees}));  // and the orphans of the subvolume that is mounted
    return {};
}

// ---- Making durable

Result<void> FileSystem::sync() {
    auto op = trace_.span("sync");
    if (store_ == nullptr) return {};
    TRY(write_back({}));
    TRY(drop_some(blocks_per_piece));
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
