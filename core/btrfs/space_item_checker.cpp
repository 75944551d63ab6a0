// SPDX-License-Identifier: MIT
// Items that say how space is divided up: block groups and their free space, devices and the chunks on them.

#include "btrfs/item_checker.h"

namespace glassfs::btrfs::checker {

namespace {

// (begin, type, length) as block groups and free space have it.
Result<void> check_range_key(const ItemContext& item) {
    bool good = item.key.offset != 0 && item.sector_aligned(item.key.objectid) &&
                item.sector_aligned(item.key.offset) && !sum_overflows(item.key.objectid, item.key.offset);
    if (!good)
        return item.bad(Cause::KeyBad, say("range of ", item.key.offset, " bytes at ", item.key.objectid));
    return {};
}

}  // namespace

Result<void> check_block_group(const ItemContext& item) {
    TRY(check_range_key(item));
    TRY(item.exactly(sizeof(disk::btrfs_block_group_item)));
    const auto& group = view<disk::btrfs_block_group_item>(item.data);
    if (group.chunk_objectid != first_chunk_tree_objectid && !item.geometry.has(incompat_extent_tree_v2)) {
        return item.bad(Cause::BlockGroupBad,
                        say("chunk_objectid ", group.chunk_objectid.get(), ", expected 256"));
    }
    if (group.used > item.key.offset) {
        return item.bad(Cause::BlockGroupBad,
                        say("used ", group.used.get(), " of ", item.key.offset, " bytes"));
    }
    std::string wrong = wrong_block_group_type(group.flags, item.geometry.has(incompat_mixed_groups));
    if (!wrong.empty()) return item.bad(Cause::BlockGroupBad, wrong);
    return {};
}

Result<void> check_free_space_info(const ItemContext& item) {
    TRY(check_range_key(item));
    TRY(item.exactly(sizeof(disk::btrfs_free_space_info)));
    u32 flags = view<disk::btrfs_free_space_info>(item.data).flags;
    if ((flags & ~free_space_using_bitmaps) != 0)
        return item.bad(Cause::FreeSpaceBad, say("flags ", hex(flags)));
    return {};
}

Result<void> check_free_space_extent(const ItemContext& item) {
    TRY(check_range_key(item));
    return item.exactly(0);
}

// One bit for each sector, set where it is free.
Result<void> check_free_space_bitmap(const ItemContext& item) {
    TRY(check_range_key(item));
    u64 bits = item.key.offset / item.geometry.sector_size;
    return item.exactly((bits + 7) / 8);
}

// (device, DEV_EXTENT, physical): that part of the device belongs to that chunk.
Result<void> check_dev_extent(const ItemContext& item) {
    TRY(item.exactly(sizeof(disk::btrfs_dev_extent)));
    const auto& extent = view<disk::btrfs_dev_extent>(item.data);
    if (extent.chunk_tree != chunk_tree_objectid) {
        return item.bad(Cause::DevExtentBad, say("chunk_tree ", extent.chunk_tree.get(), ", expected 3"));
    }
    if (extent.chunk_objectid != first_chunk_tree_objectid) {
        return item.bad(Cause::DevExtentBad,
                        say("chunk_objectid ", extent.chunk_objectid.get(), ", expected 256"));
    }
    if (!item.sector_aligned(extent.chunk_offset) || !item.sector_aligned(item.key.offset)) {
        return item.bad(Cause::DevExtentBad, say("chunk at ", extent.chunk_offset.get(), " is not aligned"));
    }
    u64 length = extent.length;
    if (length == 0 || !item.sector_aligned(length) || sum_overflows(item.key.offset, length)) {
        return item.bad(Cause::DevExtentBad, say("length ", length));
    }
    if (!item.follows_same_type()) return {};
    Key before = item.leaf.key(item.slot - 1);
    Bytes data = item.leaf.data(item.slot - 1);
    if (before.objectid != item.key.objectid || data.size() != sizeof(disk::btrfs_dev_extent)) return {};
    u64 end = before.offset + view<disk::btrfs_dev_extent>(data).length;
    if (end > item.key.offset)
        return item.bad(Cause::DevExtentBad, say("the dev extent before ends at ", end));
    return {};
}

Result<void> check_dev_item(const ItemContext& item) {
    if (item.key.objectid != dev_items_objectid) return item.bad(Cause::KeyBad, "objectid is not DEV_ITEMS");
    TRY(item.exactly(sizeof(disk::btrfs_dev_item)));
    const auto& device = view<disk::btrfs_dev_item>(item.data);
    if (device.devid != item.key.offset) {
        return item.bad(Cause::DevItemBad,
                        say("devid ", device.devid.get(), ", the key has ", item.key.offset));
    }
    if (device.bytes_used > device.total_bytes) {
        return item.bad(Cause::DevItemBad,
                        say("bytes_used ", device.bytes_used.get(), " of ", device.total_bytes.get()));
    }
    return {};
}

Result<void> check_chunk_item(const ItemContext& item) {
    Result<void> checked = check_chunk(item.geometry, item.key, item.data);
    if (!checked) return item.bad(checked.error().cause, checked.error().detail);
    return {};
}

// (logical, RAID_STRIPE, length): where each copy is on a zoned or raid-stripe volume.
Result<void> check_raid_stripe(const ItemContext& item) {
    if (!item.geometry.has(incompat_raid_stripe_tree)) {
        return item.bad(Cause::ChunkBad, "RAID_STRIPE without RAID_STRIPE_TREE");
    }
    TRY(check_range_key(item));
    return item.array_of(sizeof(disk::btrfs_raid_stride));
}

}  // namespace glassfs::btrfs::checker
