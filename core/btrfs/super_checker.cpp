// SPDX-License-Identifier: MIT
// The superblock's fields, as far as they can be judged alone. What is checked here is what everything else
// divides by, shifts by, or uses as an address.

#include "btrfs/item_checker.h"

namespace glassfs::btrfs {

using checker::say;

namespace {

Failure bad_field(u64 offset, std::string_view field, u64 value, std::string_view rule) {
    return fail(Cause::SuperblockFieldBad, Where{.block = offset}, say(field, " ", value, ", ", rule));
}

Result<void> check_identity(const disk::btrfs_super_block& super, u64 offset) {
    if (super.magic != super_magic)
        return fail(Cause::SuperblockBad, Where{.block = offset}, "no magic number");
    if (super.bytenr != offset) return bad_field(offset, "bytenr", super.bytenr, say("expected ", offset));
    if (!checksum_type(super.csum_type)) return bad_field(offset, "csum_type", super.csum_type, "at most 3");
    bool own_uuid = (super.incompat_flags & incompat_metadata_uuid) != 0;
    const Uuid& fsid = own_uuid ? super.metadata_uuid : super.fsid;
    if (super.dev_item.fsid != fsid) {
        return fail(Cause::SuperblockFieldBad, Where{.block = offset},
                    say("dev_item.fsid ", uuid_text(super.dev_item.fsid), ", expected ", uuid_text(fsid)));
    }
    return {};
}

Result<void> check_sizes(const disk::btrfs_super_block& super, u64 offset) {
    u32 sector = super.sectorsize;
    u32 node = super.nodesize;
    if (!std::has_single_bit(sector) || sector < 4096 || sector > node_size_max) {
        return bad_field(offset, "sectorsize", sector, "expected a power of two from 4096 to 65536");
    }
    if (!std::has_single_bit(node) || node < sector || node > node_size_max) {
        return bad_field(offset, "nodesize", node, "expected a power of two from the sector size to 65536");
    }
    if (super.leafsize != node) return bad_field(offset, "leafsize", super.leafsize, say("expected ", node));
    if (!std::has_single_bit(super.stripesize.get())) {
        return bad_field(offset, "stripesize", super.stripesize, "expected a power of two");
    }
    // A new volume has six blocks: its root, extent, chunk, device, csum and fs tree.
    if (super.bytes_used < u64{6} * node) {
        return bad_field(offset, "bytes_used", super.bytes_used, say("at least ", u64{6} * node));
    }
    if (super.num_devices == 0) return bad_field(offset, "num_devices", 0, "at least 1");
    u32 array_size = super.sys_chunk_array_size;
    u32 array_min = sizeof(disk::btrfs_disk_key) + sizeof(disk::btrfs_chunk) + sizeof(disk::btrfs_stripe);
    if (array_size < array_min || array_size > sizeof(disk::SysChunkArray)) {
        return bad_field(offset, "sys_chunk_array_size", array_size, say("expected ", array_min, " to 2048"));
    }
    return {};
}

Result<void> check_root_pointers(const disk::btrfs_super_block& super, u64 offset) {
    struct RootPointer {
        std::string_view name;
        u64 bytenr;
        u8 level;
    };
    const RootPointer roots[] = {{"root", super.root, super.root_level},
                                 {"chunk_root", super.chunk_root, super.chunk_root_level},
                                 {"log_root", super.log_root, super.log_root_level}};
    for (const RootPointer& root : roots) {
        if (root.level >= max_level)
            return bad_field(offset, say(root.name, "_level"), root.level, "at most 7");
        if (root.bytenr % super.sectorsize != 0) {
            return bad_field(offset, root.name, root.bytenr, "expected a multiple of the sector size");
        }
    }
    return {};
}

}  // namespace

Result<void> check_superblock(const disk::btrfs_super_block& super, u64 offset) {
    TRY(check_identity(super, offset));
    TRY(check_sizes(super, offset));
    TRY(check_root_pointers(super, offset));
    u64 ro = super.compat_ro_flags;
    if ((ro & compat_ro_block_group_tree) != 0 && (ro & compat_ro_free_space_tree) == 0) {
        return bad_field(offset, "compat_ro_flags", ro, "a block group tree needs a free space tree");
    }
    return {};
}

}  // namespace glassfs::btrfs
