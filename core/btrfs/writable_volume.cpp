// SPDX-License-Identifier: MIT
// Opening for writing, steps, and what a step does to blocks and their references. Committing is in
// commit.cpp.
#include "btrfs/writable_volume.h"

#include "btrfs/block_edit.h"
#include "btrfs/csum_tree.h"
#include "btrfs/cursor.h"
#include "btrfs/extent_tree.h"
#include "btrfs/free_space_tree.h"
#include "btrfs/tree_edit.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u64 header_reloc = 2, mixed_backref_revision = 1ULL << 56;
constexpr u64 writable_compat_ro =
    compat_ro_free_space_tree | compat_ro_free_space_tree_valid | compat_ro_block_group_tree;
constexpr u64 unwritable_incompat =
    incompat_raid56 | incompat_raid_stripe_tree | incompat_simple_quota | incompat_zoned;

ExtentRef tree_ref(u64 root) {
    ExtentRef ref;
    ref.type = KeyType::TreeBlockRef;
    ref.root = root;
    return ref;
}

}  // namespace

bool Tree::can_be_shared() const {
    return id() == fs_tree_objectid || (id() >= first_free_objectid && id() <= last_free_objectid);
}

// ---- Transaction

Transaction::Transaction(WritableVolume& store, std::unique_lock<std::mutex> writer)
    : store_(&store),
      writer_(std::move(writer)),
      blocks_(store.volume_.blocks_mutex_),
      changes_before_(store.changes_) {}

Transaction::Transaction(Transaction&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)),
      writer_(std::move(other.writer_)),
      blocks_(std::move(other.blocks_)),
      changes_before_(other.changes_before_),
      done_(other.done_) {}

Transaction::~Transaction() {
    if (store_ == nullptr || done_) return;
    store_->shadows_.end_step();
    if (store_->changes_ != changes_before_) store_->abort({});
}

void Transaction::done() {
    done_ = true;
    store_->shadows_.end_step();
    if (blocks_.owns_lock()) blocks_.unlock();
    if (writer_.owns_lock()) writer_.unlock();
}

void Transaction::keep() {
    changes_before_ = store_->changes_;
}

Volume& Transaction::volume() const {
    return store_->volume_;
}
const Geometry& Transaction::geometry() const {
    return store_->volume_.geometry();
}
Generation Transaction::generation() const {
    return store_->generation_;
}
TimeSpec Transaction::now() const {
    return store_->environment_.now();
}

Result<Tree*> Transaction::tree(u64 id) {
    auto known = store_->trees_.find(id);
    if (known != store_->trees_.end()) return known->second.get();
    return store_->load_tree(id);
}

void Transaction::set_root(Tree& tree, const TreeBlock& root) {
    tree.root.bytenr = root.addr();
    tree.root.level = root.level();
    tree.root.generation = root.generation();
    store_->volume_.set_live_root(tree.root);
    store_->trace([&] {
        return trace::TreeRootMoved{tree.id(), tree.root.bytenr, tree.root.level, tree.root.generation};
    });
}

Result<WritableBlock> Transaction::make_writable(Tree& tree, const BlockPtr& block,
                                                 const WritableBlock& parent, u32 parent_slot) {
    ++store_->changes_;
    auto& changed = store_->volume_.changed_blocks_;
    if (auto known = changed.find(block->addr().value); known != changed.end()) {
        store_->shadows_.touch(known->second);
        return known->second;
    }
    WritableBlock copy = TRY(store_->copy_block(*this, tree, block));
    if (parent == nullptr)
        set_root(tree, *copy);
    else
        node_set_pointer(*parent, parent_slot, copy->addr(), copy->generation());
    ExtentRef ref = tree_ref(tree.id());
    TRY(store_->refs_.modify(block->addr(), block->size(), ExtentKind::TreeBlock, block->level(), ref, -1));
    tree.item.bytes_used = tree.item.bytes_used - block->size();
    return copy;
}

Result<WritableBlock> Transaction::writable_at(Tree& tree, LogicalAddr addr, const BlockExpectation& expect,
                                               const WritableBlock& parent, u32 parent_slot) {
    auto& changed = store_->volume_.changed_blocks_;
    auto known = changed.find(addr.value);
    if (known == changed.end()) {
        return make_writable(tree, TRY(store_->volume_.read_block(addr, expect)), parent, parent_slot);
    }
    TRY(check_expectation(*known->second, expect));
    ++store_->changes_;
    store_->shadows_.touch(known->second);
    return known->second;
}

Result<WritableBlock> Transaction::allocate_block(Tree& tree, u8 level, Bytes content) {
    ++store_->changes_;
    const u32 size = geometry().node_size;
    u64 type = tree.id() == chunk_tree_objectid ? block_group_system : block_group_metadata;
    auto room = TRY(store_->groups_.allocate(type, size, size, geometry().sector_size));
    if (!room) return fail(Cause::NoSpace, {.tree = tree.id()}, "no room for a tree block");
    auto block = std::make_shared<TreeBlock>(
        room->addr, content.empty() ? Buffer(size) : Buffer(content.begin(), content.end()));
    disk::btrfs_header& header = header_of(*block);
    const u32 items = header.nritems;
    header = {};
    header.nritems = items;
    header.fsid = geometry().metadata_fsid;
    header.bytenr = room->addr.value;
    header.flags = mixed_backref_revision;
    header.chunk_tree_uuid = store_->chunk_tree_uuid_;
    header.generation = generation().value;
    header.owner = tree.id();
    header.level = level;
    store_->volume_.cache_.drop(room->addr.value);
    store_->volume_.changed_blocks_[room->addr.value] = block;
    store_->shadows_.touch(block);
    TRY(store_->refs_.allocated(room->addr, size, ExtentKind::TreeBlock, level));
    TRY(store_->refs_.modify(room->addr, size, ExtentKind::TreeBlock, level, tree_ref(tree.id()), +1));
    tree.item.bytes_used = tree.item.bytes_used + size;
    tree.item_changed = true;
    store_->trace([&] {
        BlockGroup* group = store_->groups_.find(room->addr);
        return trace::ExtentAlloc{room->addr, size, group->start, group->flags};
    });
    return block;
}

Result<void> Transaction::free_block(Tree& tree, const TreeBlock& block) {
    ++store_->changes_;
    const LogicalAddr addr = block.addr();
    const u32 size = block.size();
    tree.item.bytes_used = tree.item.bytes_used - size;
    tree.item_changed = true;
    TRY(store_->refs_.modify(addr, size, ExtentKind::TreeBlock, block.level(), tree_ref(tree.id()), -1));
    store_->volume_.changed_blocks_.erase(addr.value);
    store_->shadows_.drop(addr);
    const RefHead* head = store_->refs_.find(addr);
    if (head != nullptr && head->is_new && head->changes.empty()) {  // it never came to the disk
        store_->refs_.take(addr);
        store_->groups_.return_reserved(addr, size);
        store_->trace([&] { return trace::ExtentFree{addr, size, 0}; });
    }
    return {};
}

// ---- WritableVolume: opening

WritableVolume::WritableVolume(Volume& volume, Environment& environment, const Options& options,
                               trace::Tracer tracer)
    : volume_(volume), environment_(environment), options_(options), trace_(tracer), chunks_(volume, tracer) {
    super_ = volume.super();
    generation_ = Generation{super_.generation + 1};
    chunks_.groups_ = &groups_;
    chunks_.dev_extents().set_mode(options.chunk_search);
}

Result<std::unique_ptr<WritableVolume>> WritableVolume::open(Volume& volume, Environment& environment,
                                                             const Options& options, trace::Tracer tracer) {
    std::unique_ptr<WritableVolume> out(new WritableVolume(volume, environment, options, tracer));
    TRY(out->check_writable());
    TRY(out->load());
    return out;
}

Result<void> WritableVolume::check_writable() const {
    const auto& super = volume_.super();
    if (volume_.is_metadump()) return fail(Cause::ReadOnly, "a metadata dump");
    if (u64 unknown = super.compat_ro_flags & ~writable_compat_ro; unknown != 0) {
        return fail(Cause::ReadOnly,
                    "features that allow reading only: " + flags_text(unknown, compat_ro_names));
    }
    if (u64 features = super.incompat_flags & unwritable_incompat; features != 0) {
        return fail(Cause::ReadOnly, "writing isn't there for " + flags_text(features, incompat_names));
    }
    if (volume_.log_pending()) return fail(Cause::ReadOnly, "a log is pending, which must be replayed first");
    if (!volume_.open_errors().empty()) return fail(volume_.open_errors().front());
    if (!volume_.devices().foreign().empty()) return fail(Cause::ReadOnly, "it has a seed device");
    for (const auto& [devid, item] : volume_.device_items()) {
        const MemberDevice* member = volume_.devices().find(devid, item.uuid);
        if (member == nullptr) return fail(Cause::ReadOnly, {.device = devid}, "a device is missing");
        if (member->generation != super.generation) {
            return fail(Cause::ReadOnly, {.device = devid}, "the device is older than the rest");
        }
        if (member->device->read_only()) return fail(Cause::ReadOnly, member->device->name());
        if (member->device->size() < item.total_bytes) {
            return fail(Cause::BeyondDeviceEnd, {.device = devid}, member->device->name() + " is too short");
        }
    }
    return {};
}

Result<void> WritableVolume::load() {
    for (TreeRoot root : {volume_.root_tree(), volume_.chunk_tree()}) {
        auto tree = std::make_unique<Tree>();
        tree->root = tree->committed = root;
        trees_[root.id] = std::move(tree);
    }
    BlockPtr root = TRY(volume_.read_block(volume_.chunk_tree().bytenr, volume_.chunk_tree().expectation()));
    chunk_tree_uuid_ = root->header().chunk_tree_uuid;
    groups_.set_loader([this](const BlockGroup& group) -> Result<std::vector<FreeRange>> {
        bool has_tree = (super_.compat_ro_flags & compat_ro_free_space_tree) != 0;
        u64 id = has_tree ? free_space_tree_objectid : extent_tree_objectid;
        auto known = trees_.find(id);
        Tree* tree = known != trees_.end() ? known->second.get() : TRY(load_tree(id));
        auto ranges = has_tree ? TRY(read_free_space(volume_, tree->committed, group))
                               : TRY(read_gaps(volume_, tree->committed, group));
        const Chunk* chunk = volume_.chunk_map().find(LogicalAddr{group.start});
        if (chunk == nullptr) return fail(Cause::ChunkMissing, {.block = group.start});
        return without_ranges(ranges, ranges_under_superblocks(*chunk));
    });
    TRY(load_block_groups());
    return chunks_.load();
}

Result<void> WritableVolume::load_block_groups() {
    bool own_tree = (super_.compat_ro_flags & compat_ro_block_group_tree) != 0;
    TreeRoot root = TRY(volume_.tree_root(own_tree ? block_group_tree_objectid : extent_tree_objectid));
    Cursor cursor(volume_, root);
    for (const auto& [logical, chunk] : volume_.chunk_map().chunks()) {
        Key key = make_key(logical, KeyType::BlockGroupItem, chunk.length);
        if (!TRY(cursor.seek(key)) || cursor.key() != key) {
            return fail(Cause::ItemMissing, {.key = key, .tree = root.id}, "a chunk without a block group");
        }
        TRY(cursor.check());
        const auto& item = view<disk::btrfs_block_group_item>(cursor.data());
        BlockGroup group;
        group.start = logical;
        group.length = chunk.length;
        group.flags = item.flags;
        group.used = group.item_used = item.used;
        for (const FreeRange& range : ranges_under_superblocks(chunk)) group.super_bytes += range.length;
        if (group.used > group.length) return fail(Cause::UsedBytesWrong, cursor.where());
        group.super_bytes = std::min(group.super_bytes, group.length - group.used);
        groups_.add(std::move(group));
    }
    return {};
}

Result<Tree*> WritableVolume::load_tree(u64 id) {
    Cursor cursor(volume_, volume_.root_tree());
    bool found = TRY(cursor.seek_back(make_key(id, KeyType::RootItem, ~0ULL)));
    if (!found || cursor.key().objectid != id || type_of(cursor.key()) != KeyType::RootItem) {
        return fail(Cause::RootMissing, {.tree = id}, objectid_name(id));
    }
    auto tree = std::make_unique<Tree>();
    tree->item = TRY(volume_.root_item(id));
    tree->root = tree->committed = TRY(volume_.tree_root(id));
    tree->root_key_offset = cursor.key().offset;
    auto& place = trees_[id];
    place = std::move(tree);
    return place.get();
}

// ---- Steps

u64 WritableVolume::dirty_bytes() const {
    return volume_.changed_blocks_.size() * u64{volume_.geometry().node_size};
}

// What a commit may still have to write to the trees that describe space, and to the root tree: each
// reference that waits touches a leaf of the extent tree and one of the free space tree, but there are only
// as many as the trees have.
u64 WritableVolume::commit_reserve_bytes() const {
    const u64 node = volume_.geometry().node_size;
    u64 blocks = 0;
    for (u64 id : {extent_tree_objectid, free_space_tree_objectid, csum_tree_objectid,
                   block_group_tree_objectid, dev_tree_objectid}) {
        if (auto tree = trees_.find(id); tree != trees_.end()) blocks += tree->second->item.bytes_used / node;
    }
    u64 waiting = refs_.size() * 3;
    return (std::min(blocks, waiting) + refs_.size() / 8 + 48) * node;
}

Result<bool> WritableVolume::ensure_room(Transaction& tx, Need need) {
    const u64 node = volume_.geometry().node_size;
    u64 levels = 2;
    for (const auto& [id, tree] : trees_) levels = std::max<u64>(levels, tree->root.level + 2U);
    u64 wanted = commit_reserve_bytes() + need.items * levels * node / (need.room == Room::Frees ? 4 : 1);
    while (groups_.free_bytes(block_group_metadata) < wanted) {
        if (TRY(chunks_.allocate(tx, block_group_metadata))) continue;
        if (TRY(remove_empty_groups(tx)) || groups_.anything_pinned()) return false;
        // What frees may use the last of it: without, a full volume could never become less full.
        u64 least = need.items * levels * node / 4 + 16 * node;
        if (need.room == Room::Frees && groups_.free_bytes(block_group_metadata) >= least) return true;
        return fail(Cause::NoSpace, "metadata is full");
    }
    return true;
}

Result<Transaction> WritableVolume::begin(Need need) {
    std::unique_lock writer(writer_mutex_);
    if (aborted_) return fail(abort_error());
    if (dirty_bytes() > options_.dirty_bytes_max) TRY(commit_locked());
    for (int tries = 0; tries < 3; ++tries) {
        Transaction tx(*this, std::move(writer));
        if (refs_.size() > 1U << 16) TRY(run_delayed_refs(tx));
        auto room = ensure_room(tx, need);
        if (!room && room.error().cause != Cause::NoSpace) return fail(room.error());
        if (!room) {
            tx.done();
            return fail(room.error());
        }
        if (*room) {
            tx.changes_before_ = changes_;
            return tx;
        }
        writer = std::move(tx.writer_);
        tx.done();
        TRY(commit_locked());
    }
    return fail(Cause::NoSpace, "metadata is full");
}

u64 WritableVolume::data_bytes_free() {
    auto lock = volume_.reading();
    return groups_.free_bytes(block_group_data) + groups_.pinned_bytes() +
           chunks_.bytes_possible(block_group_data);
}

// ---- Blocks

Result<WritableBlock> WritableVolume::copy_block(Transaction& tx, Tree& tree, const BlockPtr& old) {
    WritableBlock copy = TRY(tx.copy_into_new(tree, *old));
    TRY(update_refs_for_copy(tx, tree, *old, *copy));
    ++counters_.cow_blocks;
    trace([&] { return trace::CowBlock{tree.id(), old->level(), old->addr(), copy->addr()}; });
    return copy;
}

// A block that other trees use too stays as it is, and what it points to is now referred to by it and by the
// copy. The references that it implied as its owner's block are written down as its own (full backrefs) when
// the owner leaves.
Result<void> WritableVolume::update_refs_for_copy(Transaction& tx, Tree& tree, const TreeBlock& old,
                                                  const TreeBlock& copy) {
    bool may_be_shared =
        tree.can_be_shared() && old.addr() != tree.root.bytenr &&
        (old.generation() <= tree.last_snapshot() || (old.header().flags & header_reloc) != 0);
    if (!may_be_shared) return {};
    ExtentInfo info = TRY(extent_info(tx, old.addr(), old.level()));
    if (info.refs == 0) {
        return fail(Cause::RefMissing, Where{.block = old.addr().value, .tree = tree.id()});
    }
    bool full = (info.flags & extent_flag_full_backref) != 0;
    if (info.refs > 1) {
        if (old.owner() != tree.id() || full) return modify_child_refs(tx, copy, RefKind::Tree, +1);
        TRY(modify_child_refs(tx, old, RefKind::FullBackref, +1));
        return refs_.set_flags(old.addr(), old.size(), old.level(), extent_flag_full_backref);
    }
    if (!full) return {};
    TRY(modify_child_refs(tx, copy, RefKind::Tree, +1));
    return modify_child_refs(tx, old, RefKind::FullBackref, -1);
}

Result<void> WritableVolume::modify_child_refs(Transaction& tx, const TreeBlock& block, RefKind kind,
                                               s32 change) {
    ++changes_;
    const bool full = kind == RefKind::FullBackref;
    ExtentRef ref;
    ref.root = full ? 0 : block.owner();
    ref.parent = full ? block.addr().value : 0;
    for (u32 slot = 0; slot < block.nritems(); ++slot) {
        if (block.level() > 0) {
            ref.type = full ? KeyType::SharedBlockRef : KeyType::TreeBlockRef;
            LogicalAddr child{block.pointer(slot).blockptr};
            u8 level = static_cast<u8>(block.level() - 1);
            TRY(refs_.modify(child, block.size(), ExtentKind::TreeBlock, level, ref, change));
            continue;
        }
        Key key = block.key(slot);
        if (type_of(key) != KeyType::ExtentData) continue;
        TRY(check_item(tx.geometry(), block, slot));
        if (view<disk::btrfs_file_extent_item>(block.data(slot)).type == file_extent_inline) continue;
        const auto& extent = view<disk::btrfs_file_extent_item>(block.data(slot));
        if (extent.disk_bytenr == 0) continue;
        ref.type = full ? KeyType::SharedDataRef : KeyType::ExtentDataRef;
        ref.objectid = full ? 0 : key.objectid;
        ref.offset = full ? 0 : key.offset - extent.offset;
        TRY(refs_.modify(LogicalAddr{extent.disk_bytenr}, extent.disk_num_bytes, ExtentKind::Data, 0, ref,
                         change));
    }
    return {};
}

Result<WritableVolume::ExtentInfo> WritableVolume::extent_info(Transaction& tx, LogicalAddr addr, u8 level) {
    ExtentInfo info;
    if (auto item = TRY(read_extent_item(tx, addr, level))) info = {item->refs, item->flags};
    if (const RefHead* head = refs_.find(addr)) {
        info.refs += static_cast<u64>(head->total());
        info.flags |= head->set_flags;
    }
    return info;
}

Result<void> WritableVolume::run_delayed_refs(Transaction& tx) {
    for (LogicalAddr at{0}; !refs_.empty();) {
        auto head = refs_.take_next(at);
        if (!head) {
            at = LogicalAddr{0};
            continue;
        }
        at = head->addr + 1;
        if (!head->changes.empty() || (head->set_flags != 0 && !head->is_new)) {
            TRY(apply_ref_head(tx, *head));
        } else if (head->is_new) {  // nobody wants it after all
            if (head->kind == ExtentKind::Data) TRY(erase_checksums(tx, head->addr, head->length));
            groups_.return_reserved(head->addr, head->length);
        }
    }
    return {};
}

DevExtentSearchMode WritableVolume::chunk_search() {
    std::lock_guard lock(writer_mutex_);
    return chunks_.dev_extents().mode();
}

void WritableVolume::set_chunk_search(DevExtentSearchMode mode) {
    std::lock_guard lock(writer_mutex_);
    chunks_.dev_extents().set_mode(mode);
}

// ---- File data

Result<DataExtent> WritableVolume::allocate_data(Transaction& tx, u64 wanted, u64 least) {
    const u64 sector = volume_.geometry().sector_size;
    GLASSFS_ASSERT(wanted % sector == 0 && least % sector == 0 && least > 0 && least <= wanted);
    auto room = TRY(groups_.allocate(block_group_data, wanted, wanted, sector));
    if (!room && TRY(chunks_.allocate(tx, block_group_data))) {
        room = TRY(groups_.allocate(block_group_data, wanted, wanted, sector));
    }
    if (!room) room = TRY(groups_.allocate(block_group_data, wanted, least, sector));
    if (!room) return fail(Cause::NoSpace, "no room for file data");
    ++changes_;
    trace([&] {
        BlockGroup* group = groups_.find(room->addr);
        return trace::ExtentAlloc{room->addr, room->length, group->start, group->flags};
    });
    return DataExtent{room->addr, room->length};
}

void WritableVolume::return_data(Transaction&, const DataExtent& extent) {
    groups_.return_reserved(extent.addr, extent.length);
}

namespace {
ExtentRef data_ref(u64 root, InodeNo inode, u64 offset) {
    ExtentRef ref;
    ref.type = KeyType::ExtentDataRef;
    ref.root = root;
    ref.objectid = inode.value;
    ref.offset = offset;
    return ref;
}
}  // namespace

Result<void> WritableVolume::add_data_ref(Transaction&, const DataExtent& extent, u64 root, InodeNo inode,
                                          u64 offset, u32 count) {
    ++changes_;
    ExtentRef ref = data_ref(root, inode, offset);
    return refs_.modify(extent.addr, extent.length, ExtentKind::Data, 0, ref, count);
}

Result<void> WritableVolume::add_new_data(Transaction& tx, const DataExtent& extent, u64 root, InodeNo inode,
                                          u64 offset) {
    TRY(refs_.allocated(extent.addr, extent.length, ExtentKind::Data, 0));
    return add_data_ref(tx, extent, root, inode, offset);
}

Result<void> WritableVolume::drop_data_ref(Transaction&, const DataExtent& extent, u64 root, InodeNo inode,
                                           u64 offset, u32 count) {
    ++changes_;
    ExtentRef ref = data_ref(root, inode, offset);
    return refs_.modify(extent.addr, extent.length, ExtentKind::Data, 0, ref, -static_cast<s64>(count));
}

Result<void> WritableVolume::write_data(LogicalAddr addr, Bytes data) {
    return volume_.devices_.write(volume_.chunk_map_, addr, data);
}

// ---- Trees

Result<Tree*> WritableVolume::create_tree(Transaction& tx, u64 id, const disk::btrfs_root_item& item) {
    auto& place = trees_[id];
    GLASSFS_ASSERT(place == nullptr);
    place = std::make_unique<Tree>();
    Tree& tree = *place;
    tree.root.id = id;
    tree.item = item;
    tree.item.bytes_used = 0;
    WritableBlock root = TRY(tx.allocate_block(tree, 0));
    tx.set_root(tree, *root);
    tree.committed = tree.root;
    TRY(write_root_item(tx, tree));
    return &tree;
}

Result<Tree*> WritableVolume::copy_tree(Transaction& tx, Tree& source, u64 id,
                                        const disk::btrfs_root_item& item) {
    BlockPtr old = TRY(volume_.read_block(source.root.bytenr, source.root.expectation()));
    GLASSFS_ASSERT(!volume_.changed_blocks_.contains(old->addr().value));
    auto& place = trees_[id];
    GLASSFS_ASSERT(place == nullptr);
    place = std::make_unique<Tree>();
    Tree& tree = *place;
    tree.root.id = id;
    tree.item = item;
    tree.root_key_offset = generation_.value;
    WritableBlock copy = TRY(tx.copy_into_new(tree, *old));
    tx.set_root(tree, *copy);
    tree.committed = tree.root;
    TRY(modify_child_refs(tx, *copy, RefKind::Tree, +1));
    source.item.last_snapshot = generation_.value;
    source.item_changed = true;
    tree.item.last_snapshot = generation_.value;
    TRY(write_root_item(tx, tree));
    return &tree;
}

void WritableVolume::forget_tree(u64 id) {
    trees_.erase(id);
    volume_.drop_live_root(id);
    volume_.forget_root_item(id);
}

}  // namespace glassfs::btrfs
