// SPDX-License-Identifier: MIT
#include "check/btrfs_extents.h"

#include <algorithm>
#include <tuple>

namespace glassfs::check {

namespace disk = btrfs::disk;

void ExtentCheck::read_recorded() {
    auto root = reader_.volume().tree_root(btrfs::extent_tree_objectid);
    if (!root) return findings_.problem(std::move(root).error());
    u64 issues_before = findings_.report().issues_total;
    for_each_item(reader_, *root, [&](const ItemView& item) {
        switch (type_of(item.key)) {
            case KeyType::ExtentItem:
            case KeyType::MetadataItem:
                return read_extent_item(item);
            case KeyType::TreeBlockRef:
            case KeyType::SharedBlockRef:
            case KeyType::ExtentDataRef:
            case KeyType::SharedDataRef:
                return read_keyed_ref(item);
            case KeyType::BlockGroupItem:
                return read_block_group(item);
            default:
                return;
        }
    });
    complete_ = findings_.report().issues_total == issues_before;
    bool own_tree = (reader_.volume().super().compat_ro_flags & btrfs::compat_ro_block_group_tree) != 0;
    if (!own_tree) return;
    auto group_root = reader_.volume().tree_root(btrfs::block_group_tree_objectid);
    if (!group_root) return findings_.problem(std::move(group_root).error());
    for_each_item(reader_, *group_root, [&](const ItemView& item) {
        if (type_of(item.key) == KeyType::BlockGroupItem) read_block_group(item);
    });
}

void ExtentCheck::read_block_group(const ItemView& item) {
    const auto& group = view<disk::btrfs_block_group_item>(item.data);
    BlockGroup record{item.key.objectid, item.key.offset, group.used, group.flags};
    if (!groups_.empty() && groups_.back().end() > record.start) {
        findings_.problem(Cause::BlockGroupBad, item.where(), "overlaps the block group before");
        return;
    }
    groups_.push_back(record);
}

void ExtentCheck::read_extent_item(const ItemView& item) {
    const auto& extent = view<disk::btrfs_extent_item>(item.data);
    bool skinny = type_of(item.key) == KeyType::MetadataItem;
    ExtentRecord record{item.key.objectid, item.key.offset, extent.refs, extent.flags, 0};
    constexpr u64 flags_known =
        btrfs::extent_flag_data | btrfs::extent_flag_tree_block | btrfs::extent_flag_full_backref;
    if ((record.flags & ~flags_known) != 0) {
        findings_.problem(Cause::ExtentItemBad, item.where(), say("flags ", hex(record.flags)));
    }
    if (skinny) {
        record.length = reader_.volume().geometry().node_size;
        record.level = static_cast<u8>(item.key.offset);
    } else if (!record.is_data() &&
               item.data.size() >= sizeof(extent) + sizeof(disk::btrfs_tree_block_info)) {
        record.level = view<disk::btrfs_tree_block_info>(item.data, sizeof(extent)).level;
    }
    if (!extents_.empty() && extents_.back().end() > record.start) {
        findings_.problem(Cause::ExtentOverlap, item.where(),
                          say("the extent before ends at ", extents_.back().end()));
        return;
    }
    check_place(record, item.where());
    extents_.push_back(record);
    btrfs::InlineRefs refs(item.key, item.data);
    while (auto ref = refs.next()) {
        if (ref->type == KeyType::ExtentOwnerRef) continue;
        recorded_.push_back({record.start, ref->type, ref->parent != 0 ? ref->parent : ref->root,
                             ref->objectid, ref->offset, ref->count});
    }
}

void ExtentCheck::read_keyed_ref(const ItemView& item) {
    KeyType type = type_of(item.key);
    if (type == KeyType::ExtentDataRef) {
        for (std::size_t at = 0; at < item.data.size(); at += sizeof(disk::btrfs_extent_data_ref)) {
            const auto& ref = view<disk::btrfs_extent_data_ref>(item.data, at);
            recorded_.push_back({item.key.objectid, type, ref.root, ref.objectid, ref.offset, ref.count});
        }
        return;
    }
    u32 count = type == KeyType::SharedDataRef ? view<disk::btrfs_shared_data_ref>(item.data).count.get() : 1;
    recorded_.push_back({item.key.objectid, type, item.key.offset, 0, 0, count});
}

// An extent lies inside of one chunk, and that chunk holds its kind.
void ExtentCheck::check_place(const ExtentRecord& extent, const Where& where) {
    if (reader_.volume().is_metadump()) return;
    const btrfs::Chunk* chunk = reader_.volume().chunk_map().find(LogicalAddr{extent.start});
    if (chunk == nullptr) return findings_.problem(Cause::ChunkMissing, where);
    if (extent.end() > chunk->end().value) {
        return findings_.problem(Cause::ExtentItemBad, where, "reaches beyond its chunk");
    }
    u64 wanted =
        extent.is_data() ? btrfs::block_group_data : btrfs::block_group_metadata | btrfs::block_group_system;
    if ((chunk->type & wanted) == 0) {
        findings_.problem(Cause::ExtentItemBad, where, say("lies in a chunk of type ", hex(chunk->type)));
    }
}

const ExtentRecord* ExtentCheck::find(u64 start) const {
    auto at = std::lower_bound(extents_.begin(), extents_.end(), start,
                               [](const ExtentRecord& extent, u64 wanted) { return extent.start < wanted; });
    return at != extents_.end() && at->start == start ? &*at : nullptr;
}

bool ExtentCheck::covers(Range range) const {
    auto at = std::upper_bound(extents_.begin(), extents_.end(), range.begin,
                               [](u64 wanted, const ExtentRecord& extent) { return wanted < extent.start; });
    if (at != extents_.begin() && std::prev(at)->end() > range.begin) return true;
    return at != extents_.end() && at->start < range.end;
}

u64 ExtentCheck::tree_blocks_recorded() const {
    return static_cast<u64>(std::count_if(extents_.begin(), extents_.end(),
                                          [](const ExtentRecord& extent) { return !extent.is_data(); }));
}

bool ExtentCheck::refers_by_address(const TreeBlock& block) const {
    if (block.owner() == btrfs::tree_reloc_objectid) return true;
    const ExtentRecord* extent = find(block.addr().value);
    return extent != nullptr && (extent->flags & btrfs::extent_flag_full_backref) != 0;
}

void ExtentCheck::note_tree(const TreeRoot& root, const std::optional<DropState>& drop) {
    u64 addr = root.bytenr.value;
    bool reloc = root.id == btrfs::tree_reloc_objectid;
    // The root of a relocation tree refers to itself.
    if (reloc)
        found_.push_back({addr, KeyType::SharedBlockRef, addr, 0, 0, 1});
    else
        found_.push_back({addr, KeyType::TreeBlockRef, root.id, 0, 0, 1});
    walk_tree(reader_, root, drop, [&](const BlockPtr& block) {
        if (!visited_.insert(block->addr().value).second) return false;
        note_block(block, drop, root);
        findings_.advance(visited_.size(), extents_.size());
        return true;
    });
}

// Snapshots share what is below their roots, never the root itself; a relocation tree is a copy of another
// tree.
void ExtentCheck::check_owner(const TreeBlock& block, const TreeRoot& root) {
    auto shares = [](u64 tree) {
        return is_subvolume(tree) || tree == btrfs::tree_reloc_objectid ||
               tree == btrfs::data_reloc_tree_objectid;
    };
    u64 owner = block.owner();
    bool may_share = block.addr() != root.bytenr || root.id == btrfs::tree_reloc_objectid;
    if (owner == root.id || (may_share && shares(root.id) && shares(owner))) return;
    findings_.problem(Cause::BlockOwner, {.block = block.addr().value, .tree = root.id},
                      say("owner ", owner));
}

void ExtentCheck::check_tree_block_record(const TreeBlock& block, u64 tree) {
    const ExtentRecord* extent = find(block.addr().value);
    if (extent == nullptr) return;  // told by compare_refs()
    Where where{.block = block.addr().value, .tree = tree};
    if (extent->is_data())
        return findings_.problem(Cause::ExtentItemBad, where, "a tree block recorded as data");
    if (extent->level != block.level()) {
        findings_.problem(Cause::ExtentItemBad, where,
                          say("level ", extent->level, " recorded, the block has ", block.level()));
    }
}

void ExtentCheck::note_block(const BlockPtr& pointer, const std::optional<DropState>& drop,
                             const TreeRoot& root) {
    const TreeBlock& block = *pointer;
    check_owner(block, root);
    check_tree_block_record(block, root.id);
    bool by_address = refers_by_address(block);
    if (block.is_leaf()) {
        for (u32 slot = 0; slot < block.nritems(); ++slot) {
            if (type_of(block.key(slot)) == KeyType::ExtentData && reader_.item_usable(block, slot)) {
                note_file_extent(block, slot, by_address);
            }
        }
        return;
    }
    for (u32 slot = 0; slot < block.nritems(); ++slot) {
        if (is_dropped(block, slot, drop)) continue;
        u64 child = block.pointer(slot).blockptr;
        if (by_address)
            found_.push_back({child, KeyType::SharedBlockRef, block.addr().value, 0, 0, 1});
        else
            found_.push_back({child, KeyType::TreeBlockRef, block.owner(), 0, 0, 1});
    }
}

void ExtentCheck::note_file_extent(const TreeBlock& leaf, u32 slot, bool by_address) {
    Bytes data = leaf.data(slot);
    if (data.size() < sizeof(disk::btrfs_file_extent_item)) return;  // inline
    const auto& extent = view<disk::btrfs_file_extent_item>(data);
    if (extent.type == btrfs::file_extent_inline || extent.disk_bytenr == 0) return;
    Key key = leaf.key(slot);
    if (by_address) {
        found_.push_back({extent.disk_bytenr, KeyType::SharedDataRef, leaf.addr().value, 0, 0, 1});
    } else {
        found_.push_back({extent.disk_bytenr, KeyType::ExtentDataRef, leaf.owner(), key.objectid,
                          key.offset - extent.offset, 1});
    }
    const ExtentRecord* record = find(extent.disk_bytenr);
    if (record == nullptr) return;
    if (record->length == extent.disk_num_bytes && record->is_data()) return;
    findings_.problem(
        Cause::FileExtentBad, {.block = leaf.addr().value, .slot = slot, .key = key, .tree = leaf.owner()},
        say("disk_num_bytes ", extent.disk_num_bytes.get(), ", the extent has ", record->length));
}

// Sorts and adds up what has the same identity.
void ExtentCheck::merge_equal(std::vector<Ref>& refs) {
    std::sort(refs.begin(), refs.end(),
              [](const Ref& a, const Ref& b) { return a.identity() < b.identity(); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < refs.size(); ++i) {
        if (kept > 0 && refs[kept - 1].identity() == refs[i].identity())
            refs[kept - 1].count += refs[i].count;
        else
            refs[kept++] = refs[i];
    }
    refs.resize(kept);
}

void ExtentCheck::report_difference(const Ref* found, const Ref* recorded) {
    const Ref& ref = found != nullptr ? *found : *recorded;
    std::string what = btrfs::key_type_name(static_cast<u8>(ref.type)) + " ";
    bool shared = ref.type == KeyType::SharedBlockRef || ref.type == KeyType::SharedDataRef;
    what += shared ? say("parent ", ref.root_or_parent) : "root " + btrfs::objectid_name(ref.root_or_parent);
    if (ref.type == KeyType::ExtentDataRef) what += say(" inode ", ref.objectid, " offset ", ref.offset);
    Where where{.block = ref.extent, .tree = btrfs::extent_tree_objectid};
    if (recorded == nullptr) return findings_.problem(Cause::RefMissing, where, what);
    if (found == nullptr) return findings_.problem(Cause::RefStale, where, what);
    findings_.problem(Cause::RefCountWrong, where,
                      say(what, " count ", recorded->count, " recorded, ", found->count, " found"));
}

void ExtentCheck::compare_refs() {
    merge_equal(recorded_);
    merge_equal(found_);
    check_ref_sums();
    auto found = found_.begin();
    auto recorded = recorded_.begin();
    while (found != found_.end() || recorded != recorded_.end()) {
        bool only_found = recorded == recorded_.end() ||
                          (found != found_.end() && found->identity() < recorded->identity());
        bool only_recorded =
            !only_found && (found == found_.end() || recorded->identity() < found->identity());
        if (only_found)
            report_difference(&*found, nullptr);
        else if (only_recorded)
            report_difference(nullptr, &*recorded);
        else if (found->count != recorded->count)
            report_difference(&*found, &*recorded);
        if (!only_recorded) ++found;
        if (!only_found) ++recorded;
    }
    found_ = {};
    recorded_ = {};
}

// `refs` of an extent item is the sum of its references; both lists are sorted by extent.
void ExtentCheck::check_ref_sums() {
    auto ref = recorded_.begin();
    for (const ExtentRecord& extent : extents_) {
        while (ref != recorded_.end() && ref->extent < extent.start) ++ref;
        u64 sum = 0;
        for (; ref != recorded_.end() && ref->extent == extent.start; ++ref) sum += ref->count;
        if (sum == extent.refs) continue;
        findings_.problem(Cause::RefCountWrong, {.block = extent.start, .tree = btrfs::extent_tree_objectid},
                          say("refs ", extent.refs, ", its references add up to ", sum));
    }
}

void ExtentCheck::check_used_bytes() {
    u64 total = 0;
    auto extent = extents_.begin();
    for (const BlockGroup& group : groups_) {
        while (extent != extents_.end() && extent->start < group.start) {
            findings_.problem(Cause::BlockGroupBad, {.block = extent->start},
                              "the extent lies in no block group");
            ++extent;
        }
        u64 used = 0;
        for (; extent != extents_.end() && extent->start < group.end(); ++extent) used += extent->length;
        total += used;
        if (used == group.used) continue;
        findings_.problem(Cause::UsedBytesWrong, {.block = group.start},
                          say("block group used ", group.used, ", its extents have ", used));
    }
    u64 recorded = reader_.volume().super().bytes_used;
    if (recorded != total) {
        findings_.problem(Cause::UsedBytesWrong, {},
                          say("superblock bytes_used ", recorded, ", extents have ", total));
    }
}

}  // namespace glassfs::check
