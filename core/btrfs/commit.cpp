// SPDX-License-Identifier: MIT
// The commit (see transaction.h for its order). Rounds: applying references changes the extent tree, whose
// copied blocks need references; block group items and root items change trees, which need both. Each block
// is copied once a transaction, so each round has less to do than the one before, and the rounds end.
#include "btrfs/block_edit.h"
#include "btrfs/cursor.h"
#include "btrfs/leaf_builder.h"
#include "btrfs/superblock.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u64 header_written = 1;
constexpr u64 rounds_max = 64;  // more means that they don't end: our own bug
constexpr std::size_t write_bytes_max = 1U << 20;

// Blocks are checked again before they reach a disk: what a bug or bad memory did to them must not get there.
Result<void> check_whole(const Geometry& geometry, const TreeBlock& block) {
    TRY(check_structure(geometry, block));
    if (!block.is_leaf()) return {};
    for (u32 slot = 0; slot < block.nritems(); ++slot) TRY(check_item(geometry, block, slot));
    return {};
}

}  // namespace

Result<void> WritableVolume::commit() {
    std::unique_lock writer(writer_mutex_);
    if (aborted_) return fail(abort_error());
    return commit_locked();
}

Result<void> WritableVolume::commit_for_room(u64 type) {
    std::unique_lock writer(writer_mutex_);
    if (aborted_) return fail(abort_error());
    bool useful = false;
    {
        Transaction tx(*this, {});
        TRY(run_delayed_refs(tx));  // only now is known what they free
        useful = groups_.commit_makes_room(type) || chunks_.dev_extents().anything_freed();
        tx.done();
    }
    return useful ? commit_locked() : Result<void>{};
}

void WritableVolume::abort(std::string reason) {
    std::lock_guard lock(abort_mutex_);
    aborted_ = true;
    if (abort_reason_.empty()) abort_reason_ = std::move(reason);
}

Error WritableVolume::abort_error() const {
    std::lock_guard lock(abort_mutex_);
    return {Cause::VolumeAborted, {}, abort_reason_};
}

// Needs the writer's lock.
Result<void> WritableVolume::commit_locked() {
    auto done = try_commit();
    if (!done && aborted_) abort("commit: " + done.error().message());
    return done;
}

Result<void> WritableVolume::try_commit() {
    auto op = trace_.span("commit");
    std::vector<WritableBlock> blocks;
    {
        Transaction tx(*this, {});
        if (flush_) TRY(flush_(tx));
        if (volume_.changed_blocks_.empty() && refs_.empty()) {
            tx.done();
            return {};
        }
        TRY(before_first_commit(tx));
        TRY(remove_empty_groups(tx));
        TRY(settle(tx));
        prepare_superblock();
        blocks = TRY(seal_blocks(tx));
        trace([&] { return trace::TransactionCommit{generation_, rounds_, blocks.size()}; });
        tx.done();
    }
    // From here to finish_commit() nothing changes the blocks, and readers may use them.
    Result<void> written = write_blocks(blocks);
    if (written) written = flush_devices();
    if (written) written = write_superblocks();
    if (!written) {
        aborted_ = true;
        return written;
    }
    finish_commit(blocks);
    discard_freed();
    return {};
}

// True: some went. Their devices' space can be used after the commit.
Result<bool> WritableVolume::remove_empty_groups(Transaction& tx) {
    std::vector<u64> empty = groups_.removable();
    for (u64 start : empty) TRY(chunks_.remove(tx, start));
    return !empty.empty();
}

// What others have written down about the volume, and what isn't kept up to date here, must not be believed
// any more: free space caches of the old kind, which are files of the root tree, and the numbers of quotas.
Result<void> WritableVolume::before_first_commit(Transaction& tx) {
    if (first_commit_prepared_) return {};
    std::vector<Key> headers;
    TRY(for_each_item(volume_, volume_.root_tree(), make_key(free_space_objectid, KeyType::Untyped, 0),
                      make_key(free_space_objectid, KeyType::Untyped, ~0ULL),
                      [&](const Cursor& at) -> Result<bool> {
                          TRY(at.check());
                          headers.push_back(at.key());
                          return true;
                      }));
    for (const Key& key : headers) TRY(drop_old_space_cache(tx, key));
    bool has_tree = (super_.compat_ro_flags & compat_ro_free_space_tree) != 0;
    if (!has_tree) super_.cache_generation = ~0ULL;
    TRY(mark_quotas(tx));
    first_commit_prepared_ = true;
    return {};
}

Result<void> WritableVolume::mark_quotas(Transaction& tx) {
    auto quota = tx.tree(quota_tree_objectid);
    if (!quota) return quota.error().cause == Cause::RootMissing ? Result<void>{} : fail(quota.error());
    EditPath path;
    if (!TRY(find_for_change(tx, **quota, make_key(0, KeyType::QgroupStatus, 0), 0, path))) return {};
    TRY(check_item(tx.geometry(), path.leaf(), path.slot()));
    auto& status = *reinterpret_cast<disk::btrfs_qgroup_status_item*>(path.changed_data().data());
    constexpr u64 inconsistent = 4;
    status.flags = status.flags | inconsistent;
    return {};
}

Result<void> WritableVolume::drop_old_space_cache(Transaction& tx, const Key& header_key) {
    Tree* roots = TRY(tx.tree(root_tree_objectid));
    auto header = TRY(find_item(tx, *roots, header_key));
    if (!header) return fail(Cause::ItemMissing, {.key = header_key});
    Key location = to_key(view<disk::btrfs_free_space_header>(*header).location);
    u64 inode = location.objectid;
    TRY(for_each_item(volume_, roots->root, make_key(inode, KeyType::ExtentData, 0),
                      make_key(inode, KeyType::ExtentData, ~0ULL), [&](const Cursor& at) -> Result<bool> {
                          TRY(at.check());
                          const auto& extent = view<disk::btrfs_file_extent_item>(at.data());
                          if (extent.type == file_extent_inline || extent.disk_bytenr == 0) return true;
                          DataExtent data{LogicalAddr{extent.disk_bytenr}, extent.disk_num_bytes};
                          TRY(drop_data_ref(tx, data, root_tree_objectid, InodeNo{inode},
                                            at.key().offset - extent.offset));
                          return true;
                      }));
    TRY(erase_items(tx, *roots, make_key(inode, KeyType::InodeItem, 0),
                    make_key(inode, KeyType::ExtentData, ~0ULL)));
    return erase_item(tx, *roots, header_key);
}

// A hint to the devices: that one of them doesn't take it is no failure.
void WritableVolume::discard_freed() {
    for (const FreeRange& range : std::exchange(discards_, {})) {
        (void)volume_.devices_.discard(volume_.chunk_map_, range.addr, range.length);
    }
}

Result<void> WritableVolume::settle(Transaction& tx) {
    for (rounds_ = 0;; ++rounds_) {
        if (rounds_ == rounds_max) return fail(Cause::DepthExceeded, "the commit's rounds don't end");
        TRY(run_delayed_refs(tx));
        bool groups_changed = TRY(write_block_group_items(tx));
        bool roots_changed = TRY(write_root_items(tx));
        if (!groups_changed && !roots_changed && refs_.empty()) return {};
    }
}

Result<bool> WritableVolume::write_block_group_items(Transaction& tx) {
    bool own_tree = (super_.compat_ro_flags & compat_ro_block_group_tree) != 0;
    Tree* tree = TRY(tx.tree(own_tree ? block_group_tree_objectid : extent_tree_objectid));
    bool any = false;
    while (!groups_.changed().empty()) {
        BlockGroup& group = groups_.all().at(*groups_.changed().begin());
        groups_.changed().erase(groups_.changed().begin());
        if (group.has_item && group.item_used == group.used) continue;
        any = true;
        group.item_used = group.used;
        group.has_item = true;
        disk::btrfs_block_group_item item{group.used, first_chunk_tree_objectid, group.flags};
        TRY(put_item(tx, *tree, make_key(group.start, KeyType::BlockGroupItem, group.length), item));
    }
    return any;
}

Result<void> WritableVolume::write_root_item(Transaction& tx, Tree& tree) {
    Tree* roots = TRY(tx.tree(root_tree_objectid));
    // Before the item is written, as writing it may change the tree again (root tree and its references).
    tree.item_changed = false;
    tree.item.bytenr = tree.root.bytenr.value;
    tree.item.level = tree.root.level;
    tree.item.generation = tree.item.generation_v2 = tree.root.generation.value;
    TRY(put_item(tx, *roots, make_key(tree.id(), KeyType::RootItem, tree.root_key_offset), tree.item));
    volume_.forget_root_item(tree.id());
    return {};
}

Result<bool> WritableVolume::write_root_items(Transaction& tx) {
    bool any = false;
    for (auto& [id, tree] : trees_) {
        if (id == root_tree_objectid || id == chunk_tree_objectid) continue;
        if (!tree->item_changed && tree->item.bytenr == tree->root.bytenr.value) continue;
        any = true;
        TRY(write_root_item(tx, *tree));
    }
    return any;
}

void WritableVolume::prepare_superblock() {
    const TreeRoot& root = trees_.at(root_tree_objectid)->root;
    const TreeRoot& chunk_root = trees_.at(chunk_tree_objectid)->root;
    const u64 previous = super_.generation;
    super_.generation = generation_.value;
    super_.root = root.bytenr.value;
    super_.root_level = root.level;
    super_.chunk_root = chunk_root.bytenr.value;
    super_.chunk_root_level = chunk_root.level;
    super_.chunk_root_generation = chunk_root.generation.value;
    if (super_.uuid_tree_generation == previous) super_.uuid_tree_generation = generation_.value;

    disk::btrfs_root_backup* backups[] = {&super_.super_roots_0, &super_.super_roots_1, &super_.super_roots_2,
                                          &super_.super_roots_3};
    auto* oldest =
        *std::min_element(std::begin(backups), std::end(backups),
                          [](const auto* a, const auto* b) { return a->tree_root_gen < b->tree_root_gen; });
    disk::btrfs_root_backup backup{};
    backup.tree_root = root.bytenr.value;
    backup.tree_root_gen = generation_.value;
    backup.tree_root_level = root.level;
    backup.chunk_root = chunk_root.bytenr.value;
    backup.chunk_root_gen = chunk_root.generation.value;
    backup.chunk_root_level = chunk_root.level;
    auto put = [&](u64 id, Le64& bytenr, Le64& generation, u8& level) {
        auto tree = volume_.tree_root(id);
        if (!tree) return;
        bytenr = tree->bytenr.value;
        generation = tree->generation.value;
        level = tree->level;
    };
    put(extent_tree_objectid, backup.extent_root, backup.extent_root_gen, backup.extent_root_level);
    put(fs_tree_objectid, backup.fs_root, backup.fs_root_gen, backup.fs_root_level);
    put(dev_tree_objectid, backup.dev_root, backup.dev_root_gen, backup.dev_root_level);
    put(csum_tree_objectid, backup.csum_root, backup.csum_root_gen, backup.csum_root_level);
    backup.total_bytes = super_.total_bytes;
    backup.bytes_used = super_.bytes_used;
    backup.num_devices = super_.num_devices;
    *oldest = backup;
}

// In order of address. Each gets its checksum.
Result<std::vector<WritableBlock>> WritableVolume::seal_blocks(Transaction& tx) {
    std::vector<WritableBlock> blocks;
    blocks.reserve(volume_.changed_blocks_.size());
    for (const auto& entry : volume_.changed_blocks_) blocks.push_back(entry.second);
    std::sort(blocks.begin(), blocks.end(),
              [](const auto& a, const auto& b) { return a->addr() < b->addr(); });
    for (const WritableBlock& block : blocks) {
        shadows_.touch(block);
        header_of(*block).flags = header_of(*block).flags | header_written;
        TRY(check_whole(tx.geometry(), *block));
        seal_block(tx.geometry().csum_type, block->bytes_to_change());
    }
    return blocks;
}

// Neighbours go out in one write.
Result<void> WritableVolume::write_blocks(const std::vector<WritableBlock>& blocks) {
    for (std::size_t i = 0; i < blocks.size();) {
        const LogicalAddr begin = blocks[i]->addr();
        std::size_t end = i + 1;
        u64 bytes = blocks[i]->size();
        for (; end < blocks.size() && blocks[end]->addr() == begin + bytes && bytes < write_bytes_max; ++end)
            bytes += blocks[end]->size();
        if (end - i == 1) {
            TRY(write_data(begin, blocks[i++]->bytes()));
            continue;
        }
        run_.clear();
        run_.reserve(static_cast<std::size_t>(bytes));
        for (; i < end; ++i) run_.insert(run_.end(), blocks[i]->bytes().begin(), blocks[i]->bytes().end());
        TRY(write_data(begin, run_));
    }
    counters_.blocks_written += blocks.size();
    return {};
}

Result<void> WritableVolume::flush_devices() {
    for (const MemberDevice& member : volume_.devices_.members()) TRY(member.device->flush());
    return {};
}

Result<void> WritableVolume::write_superblocks() {
    for (const MemberDevice& member : volume_.devices_.members()) {
        auto item = volume_.device_items_.find(member.devid);
        if (item == volume_.device_items_.end()) continue;
        super_.dev_item = item->second;
        for (u64 offset : super_offsets) {
            if (offset + super_size > item->second.total_bytes) break;
            super_.bytenr = offset;
            super_.csum = superblock_checksum(super_).bytes;
            TRY(member.device->write(offset, bytes_of(super_)));
        }
    }
    return flush_devices();
}

void WritableVolume::finish_commit(const std::vector<WritableBlock>& blocks) {
    std::unique_lock lock(volume_.blocks_mutex_);
    for (const WritableBlock& block : blocks) {
        volume_.cache_.put(block->addr().value, block, block->size());
        shadows_.drop(block->addr());
    }
    volume_.changed_blocks_.clear();
    super_.bytenr = super_offsets[0];
    volume_.super_ = super_;
    volume_.geometry_.generation = generation_.value;
    for (auto& entry : trees_) entry.second->committed = entry.second->root;
    generation_ = generation_ + 1;
    groups_.unpin([&](LogicalAddr addr, u64 length) {
        if (options_.discard) discards_.push_back({addr, length});
        if (freed_) freed_(addr, length);
    });
    chunks_.committed();
    ++counters_.commits;
    counters_.rounds += rounds_;
}

}  // namespace glassfs::btrfs
