// SPDX-License-Identifier: MIT
// For each block group the free space tree has one FREE_SPACE_INFO, and behind it either FREE_SPACE_EXTENT
// items or bitmaps of a bit per sector. Together they are exactly what no extent covers.
#include "check/btrfs_space.h"

#include <algorithm>

namespace glassfs::check {

namespace disk = btrfs::disk;

namespace {

struct Info {
    Range group;
    u32 extent_count = 0;
    Where where;
    std::vector<Range> free;
    u32 items = 0;  // FREE_SPACE_EXTENT items
    bool bitmaps = false;
};

void append(std::vector<Range>& ranges, Range range) {
    if (!ranges.empty() && ranges.back().end == range.begin)
        ranges.back().end = range.end;
    else
        ranges.push_back(range);
}

void append_bitmap(std::vector<Range>& ranges, const ItemView& item, u64 sector) {
    auto bits = static_cast<std::size_t>(item.key.offset / sector);  // as many as the item has
    for (std::size_t bit = 0; bit < bits; ++bit) {
        if ((item.data[bit / 8] & (1U << (bit % 8))) == 0) continue;
        u64 begin = item.key.objectid + u64{bit} * sector;
        append(ranges, {begin, begin + sector});
    }
}

std::vector<Range> complement(Range group, const std::vector<ExtentRecord>& extents) {
    std::vector<Range> free;
    auto at = std::lower_bound(extents.begin(), extents.end(), group.begin,
                               [](const ExtentRecord& extent, u64 wanted) { return extent.start < wanted; });
    u64 begin = group.begin;
    for (; at != extents.end() && at->start < group.end; ++at) {
        if (at->start > begin) free.push_back({begin, at->start});
        begin = at->end();
    }
    if (begin < group.end) free.push_back({begin, group.end});
    return free;
}

void compare(Findings& findings, const Info& info, const std::vector<ExtentRecord>& extents) {
    std::vector<Range> expected = complement(info.group, extents);
    auto [mine, theirs] = std::mismatch(expected.begin(), expected.end(), info.free.begin(), info.free.end());
    if (mine != expected.end() || theirs != info.free.end()) {
        std::string is = theirs == info.free.end() ? "nothing" : say(theirs->begin, "..", theirs->end);
        std::string should = mine == expected.end() ? "nothing" : say(mine->begin, "..", mine->end);
        findings.problem(Cause::FreeSpaceWrong, info.where, say("free ", is, ", expected ", should));
    }
    u64 count = info.bitmaps ? info.free.size() : info.items;
    if (count != info.extent_count) {
        findings.problem(Cause::FreeSpaceWrong, info.where,
                         say("extent_count ", info.extent_count, ", has ", count));
    }
}

std::vector<Info> read_free_space(BlockReader& reader, const TreeRoot& root) {
    std::vector<Info> infos;
    u64 sector = reader.volume().geometry().sector_size;
    for_each_item(reader, root, [&](const ItemView& item) {
        Range range{item.key.objectid, item.key.objectid + item.key.offset};
        if (type_of(item.key) == KeyType::FreeSpaceInfo) {
            const auto& info = view<disk::btrfs_free_space_info>(item.data);
            bool bitmaps = (info.flags & btrfs::free_space_using_bitmaps) != 0;
            infos.push_back({range, info.extent_count, item.where(), {}, 0, bitmaps});
            return;
        }
        bool bitmap = type_of(item.key) == KeyType::FreeSpaceBitmap;
        if (!bitmap && type_of(item.key) != KeyType::FreeSpaceExtent) return;
        bool inside =
            !infos.empty() && range.begin >= infos.back().group.begin && range.end <= infos.back().group.end;
        if (!inside || infos.back().bitmaps != bitmap) {
            reader.findings().problem(Cause::FreeSpaceWrong, item.where(), "fits to no block group");
            return;
        }
        Info& info = infos.back();
        if (bitmap) return append_bitmap(info.free, item, sector);
        append(info.free, range);
        ++info.items;
    });
    return infos;
}

}  // namespace

void check_free_space(BlockReader& reader, const ExtentCheck& extent_check) {
    constexpr u64 valid = btrfs::compat_ro_free_space_tree | btrfs::compat_ro_free_space_tree_valid;
    Findings& findings = reader.findings();
    if ((reader.volume().super().compat_ro_flags & valid) != valid) return;
    auto root = reader.volume().tree_root(btrfs::free_space_tree_objectid);
    if (!root) return findings.problem(std::move(root).error());
    std::vector<Info> infos = read_free_space(reader, *root);
    if (!extent_check.complete()) return;
    const std::vector<BlockGroup>& groups = extent_check.block_groups();
    u64 groups_end = groups.empty() ? 0 : groups.back().end();
    // mkfs.btrfs leaves the items of its first, temporary block groups behind, and Linux passes over them.
    for (const Info& info : infos) {
        if (info.group.begin < groups_end) continue;
        findings.problem(Cause::FreeSpaceWrong, info.where, "no such block group");
    }
    auto info = infos.begin();
    for (const BlockGroup& group : groups) {
        while (info != infos.end() && info->group.begin < group.start) ++info;
        if (info == infos.end() || info->group != Range{group.start, group.end()}) {
            findings.problem(Cause::FreeSpaceWrong, {.block = group.start},
                             "the block group has no free space info");
            continue;
        }
        compare(findings, *info, extent_check.extents());
        ++info;
    }
}

}  // namespace glassfs::check
