// SPDX-License-Identifier: MIT
#include "btrfs/space_use.h"

#include "btrfs/cursor.h"
#include "btrfs/profile_shape.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

// Of all block groups; on the devices, where not said otherwise.
struct Sums {
    u64 used = 0;
    u64 data_free = 0;
    u64 metadata_free = 0;
    u64 data_profiles = 0, metadata_profiles = 0;  // bits
    u32 data_copies = 1;

    void add(u64 flags, u64 length, u64 group_used) {
        const u64 copies = shape_of(flags).copies;
        const u64 free = (length - std::min(length, group_used)) * copies;
        used += group_used * copies;
        if ((flags & block_group_data) != 0) {
            data_free += free;
            data_profiles |= flags & block_group_profile_mask;
            data_copies = std::max(data_copies, static_cast<u32>(copies));
        } else if ((flags & block_group_metadata) != 0) {
            metadata_free += free;
            metadata_profiles |= flags & block_group_profile_mask;
        }
    }
};

Result<Sums> read_sums(Volume& volume, const disk::btrfs_super_block& super) {
    Sums sums;
    bool own_tree = (super.compat_ro_flags & compat_ro_block_group_tree) != 0;
    TreeRoot root = TRY(volume.tree_root(own_tree ? block_group_tree_objectid : extent_tree_objectid));
    Cursor cursor(volume, root);
    for (const auto& [logical, chunk] : volume.chunk_map().chunks()) {
        Key key = make_key(logical, KeyType::BlockGroupItem, chunk.length);
        if (!TRY(cursor.seek(key)) || cursor.key() != key) return fail(Cause::ItemMissing, {.key = key});
        TRY(cursor.check());
        const auto& item = view<disk::btrfs_block_group_item>(cursor.data());
        sums.add(item.flags, chunk.length, item.used);
    }
    return sums;
}

// What Linux keeps back: as much as the trees that every commit changes take, within limits; at least what
// removing a name may change, twice where the free space tree must follow.
u64 global_reserve(Volume& volume, const disk::btrfs_super_block& super) {
    constexpr u64 most = 512ULL << 20, unlink_units = 6, levels = 8, delayed_units = 12;
    u64 used = 0, trees = 1;
    bool free_space_tree = false;
    for (u64 id :
         {extent_tree_objectid, csum_tree_objectid, free_space_tree_objectid, block_group_tree_objectid}) {
        auto item = volume.root_item(id);
        if (!item) continue;
        used += item->bytes_used;
        ++trees;
        free_space_tree |= id == free_space_tree_objectid;
    }
    u64 units = 2 * (trees + unlink_units) + delayed_units * (free_space_tree ? 2 : 1);
    return std::min(most, std::max(used, units * levels * super.nodesize));
}

}  // namespace

Result<vfs::StatFs> space_use(Volume& volume, const disk::btrfs_super_block& super,
                              const BlockGroups* groups) {
    constexpr u64 metadata_least = 4ULL << 20;
    Sums sums;
    if (groups == nullptr) {
        sums = TRY(read_sums(volume, super));
    } else {
        for (const auto& [start, group] : groups->all()) {
            sums.add(group.flags, group.length, group.used + group.reserved);
        }
    }
    const u64 reserve = global_reserve(volume, super);
    const u64 total = super.total_bytes / sums.data_copies;
    const ProfileShape& shape = safest_shape(volume, sums.data_profiles);
    u64 available = sums.data_free / sums.data_copies + unallocated_bytes(volume, shape);
    bool mixed = (super.incompat_flags & incompat_mixed_groups) != 0;
    bool metadata_full = unallocated_bytes(volume, safest_shape(volume, sums.metadata_profiles)) == 0;
    if (!mixed && metadata_full && sums.metadata_free < metadata_least + reserve) available = 0;
    return vfs::StatFs{super.sectorsize, total, std::min(total, sums.used / sums.data_copies + reserve),
                       available};
}

}  // namespace glassfs::btrfs
