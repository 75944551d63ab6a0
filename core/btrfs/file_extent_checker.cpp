// SPDX-License-Identifier: MIT
// A file's contents: EXTENT_DATA says where bytes of a file are, EXTENT_CSUM what checksums they have.

#include "btrfs/item_checker.h"

namespace glassfs::btrfs::checker {

namespace {

constexpr u8 compression_max = 3;

// The first byte of the file behind an extent; the item has passed check_file_extent().
u64 file_end(const ItemContext& item, const Key& key, Bytes data) {
    const auto& extent = view<disk::btrfs_file_extent_item>(data);
    if (extent.type != file_extent_inline) return key.offset + extent.num_bytes;
    u64 sector = item.geometry.sector_size;
    return (extent.ram_bytes + sector - 1) / sector * sector;
}

Result<void> check_inline_extent(const ItemContext& item) {
    u64 ram_bytes = view<disk::btrfs_file_extent_item>(item.data).ram_bytes;
    u64 stored = item.data.size() - disk::file_extent_inline_at;
    bool compressed = view<disk::btrfs_file_extent_item>(item.data).compression != 0;
    if (item.key.offset != 0)
        return item.bad(Cause::FileExtentBad, say("inline at file offset ", item.key.offset));
    if (!compressed && ram_bytes != stored) {
        return item.bad(Cause::FileExtentBad, say("ram_bytes ", ram_bytes, " of ", stored, " inline bytes"));
    }
    // Linux makes inline extents of at most one sector.
    if (compressed && ram_bytes > item.geometry.sector_size) {
        return item.bad(Cause::FileExtentBad, say("ram_bytes ", ram_bytes, " of a compressed inline extent"));
    }
    return {};
}

Result<void> check_ordinary_extent(const ItemContext& item) {
    TRY(item.exactly(sizeof(disk::btrfs_file_extent_item)));
    const auto& extent = view<disk::btrfs_file_extent_item>(item.data);
    struct Number {
        std::string_view name;
        u64 value;
    };
    const Number numbers[] = {{"ram_bytes", extent.ram_bytes},
                              {"disk_bytenr", extent.disk_bytenr},
                              {"disk_num_bytes", extent.disk_num_bytes},
                              {"offset", extent.offset},
                              {"num_bytes", extent.num_bytes}};
    for (const Number& number : numbers) {
        if (item.sector_aligned(number.value)) continue;
        return item.bad(Cause::FileExtentBad, say(number.name, " ", number.value, " is not aligned"));
    }
    if (sum_overflows(item.key.offset, extent.num_bytes) || sum_overflows(extent.offset, extent.num_bytes) ||
        sum_overflows(extent.disk_bytenr, extent.disk_num_bytes)) {
        return item.bad(Cause::FileExtentBad, "a range overflows");
    }
    if (extent.disk_bytenr == 0) return {};  // a hole
    u64 whole = extent.compression == 0 ? extent.disk_num_bytes : extent.ram_bytes;
    if (extent.offset + extent.num_bytes > whole) {
        return item.bad(Cause::FileExtentBad, say("offset ", extent.offset.get(), " and num_bytes ",
                                                  extent.num_bytes.get(), " of ", whole, " bytes"));
    }
    return {};
}

// Only against the item before in this leaf; across leaves it is the file system check that sees it.
Result<void> check_no_overlap(const ItemContext& item) {
    if (item.in_log_tree() || !item.follows_same_type()) return {};
    Key before = item.leaf.key(item.slot - 1);
    if (before.objectid != item.key.objectid) return {};
    Bytes data = item.leaf.data(item.slot - 1);
    bool whole =
        data.size() >= disk::file_extent_inline_at &&
        (view<u8>(data, 20) == file_extent_inline || data.size() == sizeof(disk::btrfs_file_extent_item));
    if (!whole) return {};  // reported at its own slot
    u64 end = file_end(item, before, data);
    if (end > item.key.offset) {
        return item.bad(Cause::FileExtentOverlap, say("the extent before ends at ", end));
    }
    return {};
}

}  // namespace

Result<void> check_file_extent(const ItemContext& item) {
    if (!is_inode_number(item.key.objectid)) {
        return item.bad(Cause::KeyBad, say(item.key.objectid, " is no inode number"));
    }
    if (!item.sector_aligned(item.key.offset)) {
        return item.bad(Cause::KeyBad, say("file offset ", item.key.offset, " is not aligned"));
    }
    TRY(item.at_least(disk::file_extent_inline_at));
    // Only the fields up to `type` are known to be there.
    u8 compression = item.data[16];
    u8 encryption = item.data[17];
    u8 type = item.data[20];
    if (compression > compression_max)
        return item.bad(Cause::CompressionUnknown, say("compression ", compression));
    if (encryption != 0) return item.bad(Cause::FileExtentBad, say("encryption ", encryption));
    if (type > file_extent_prealloc) return item.bad(Cause::FileExtentBad, say("type ", type));
    if (type == file_extent_inline) {
        TRY(check_inline_extent(item));
    } else {
        TRY(check_ordinary_extent(item));
    }
    return check_no_overlap(item);
}

Result<void> check_csum(const ItemContext& item) {
    if (item.key.objectid != extent_csum_objectid)
        return item.bad(Cause::KeyBad, "objectid is not EXTENT_CSUM");
    if (!item.sector_aligned(item.key.offset)) {
        return item.bad(Cause::KeyBad, say("logical address ", item.key.offset, " is not aligned"));
    }
    std::size_t csum_size = checksum_size(item.geometry.csum_type);
    TRY(item.array_of(csum_size));
    u64 covered = item.data.size() / csum_size * item.geometry.sector_size;
    if (sum_overflows(item.key.offset, covered)) return item.bad(Cause::CsumItemBad, "the range overflows");
    if (!item.follows_same_type()) return {};
    u64 before = item.leaf.key(item.slot - 1).offset;
    u64 end = before + item.leaf.data(item.slot - 1).size() / csum_size * item.geometry.sector_size;
    if (end > item.key.offset) return item.bad(Cause::CsumItemBad, say("the item before covers up to ", end));
    return {};
}

}  // namespace glassfs::btrfs::checker
