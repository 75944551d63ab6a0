// SPDX-License-Identifier: MIT
#include "check/btrfs_space.h"

#include <algorithm>
#include <map>

namespace glassfs::check {

namespace disk = btrfs::disk;

namespace {

struct DevExtent {
    u64 length = 0;
    u64 chunk = 0;  // logical address
    Where where;
    bool used = false;
};

// By (device, physical address).
using DevExtents = std::map<std::pair<u64, u64>, DevExtent>;

void check_block_groups(BlockReader& reader, const std::vector<BlockGroup>& groups) {
    Findings& findings = reader.findings();
    const auto& chunks = reader.volume().chunk_map().chunks();
    for (const BlockGroup& group : groups) {
        auto chunk = chunks.find(group.start);
        Where where{.block = group.start};
        if (chunk == chunks.end()) {
            findings.problem(Cause::BlockGroupBad, where, "no chunk begins here");
        } else if (chunk->second.length != group.length || chunk->second.type != group.flags) {
            findings.problem(Cause::BlockGroupBad, where, "length or type differs from the chunk's");
        }
    }
    for (const auto& [start, chunk] : chunks) {
        bool found =
            std::binary_search(groups.begin(), groups.end(), BlockGroup{start, 0, 0, 0},
                               [](const BlockGroup& a, const BlockGroup& b) { return a.start < b.start; });
        if (!found) findings.problem(Cause::BlockGroupBad, {.block = start}, "the chunk has no block group");
    }
}

DevExtents read_dev_extents(BlockReader& reader) {
    DevExtents extents;
    auto root = reader.volume().tree_root(btrfs::dev_tree_objectid);
    if (!root) {
        reader.findings().problem(std::move(root).error());
        return extents;
    }
    u64 device = 0;
    u64 end = 0;
    for_each_item(reader, *root, [&](const ItemView& item) {
        if (type_of(item.key) != KeyType::DevExtent) return;
        const auto& extent = view<disk::btrfs_dev_extent>(item.data);
        if (item.key.objectid == device && item.key.offset < end) {
            reader.findings().problem(Cause::DevExtentBad, item.where(), say("the one before ends at ", end));
        }
        device = item.key.objectid;
        end = item.key.offset + extent.length;
        extents[{device, item.key.offset}] = {extent.length, extent.chunk_offset, item.where(), false};
    });
    return extents;
}

void check_stripe_device(BlockReader& reader, const btrfs::Stripe& stripe, const Where& where) {
    const auto& items = reader.volume().device_items();
    auto item = items.find(stripe.devid);
    if (item == items.end()) {
        reader.findings().problem(Cause::ChunkBad, where, "a stripe on a device that does not exist");
    } else if (item->second.uuid != stripe.dev_uuid) {
        reader.findings().problem(Cause::ChunkBad, where,
                                  "a stripe names another device by UUID than by number");
    }
}

void check_stripes(BlockReader& reader, DevExtents& extents) {
    Findings& findings = reader.findings();
    for (const auto& [start, chunk] : reader.volume().chunk_map().chunks()) {
        for (const btrfs::Stripe& stripe : chunk.stripes) {
            Where where{.device = stripe.devid, .block = start};
            check_stripe_device(reader, stripe, where);
            auto extent = extents.find({stripe.devid, stripe.physical.value});
            if (extent == extents.end()) {
                findings.problem(Cause::DevExtentBad, where,
                                 say("a stripe without dev extent at ", stripe.physical.value));
                continue;
            }
            extent->second.used = true;
            if (extent->second.length != chunk.stripe_bytes() || extent->second.chunk != start) {
                findings.problem(Cause::DevExtentBad, where, "dev extent of another length or chunk");
            }
        }
    }
    // A leftover costs space, but harms nothing that is there.
    for (const auto& [place, extent] : extents) {
        if (!extent.used)
            findings.warning(Cause::DevExtentBad, extent.where, say("no chunk at ", extent.chunk));
    }
}

void check_devices(BlockReader& reader, const DevExtents& extents) {
    Findings& findings = reader.findings();
    const btrfs::Volume& volume = reader.volume();
    u64 total = 0;
    for (const auto& [devid, item] : volume.device_items()) {
        u64 used = 0;
        total += item.total_bytes;
        Where where{.device = devid};
        for (auto at = extents.lower_bound({devid, 0}); at != extents.end() && at->first.first == devid;
             ++at) {
            used += at->second.length;
            if (at->first.second + at->second.length > item.total_bytes) {
                findings.problem(Cause::DevExtentBad, at->second.where, "lies beyond the end of the device");
            }
        }
        if (used != item.bytes_used) {
            findings.problem(Cause::DeviceSizeWrong, where,
                             say("bytes_used ", item.bytes_used.get(), ", its dev extents have ", used));
        }
        if (volume.is_metadump()) continue;  // it has no devices
        const btrfs::MemberDevice* member = volume.devices().find(devid, item.uuid);
        if (member == nullptr)
            findings.warning(Cause::DeviceMissing, where);
        else if (member->device->size() < item.total_bytes) {
            findings.warning(
                Cause::DeviceSizeWrong, where,
                say("total_bytes ", item.total_bytes.get(), ", the device has ", member->device->size()));
        }
    }
    for (const auto& [place, extent] : extents) {
        if (volume.device_items().contains(place.first)) continue;
        findings.problem(Cause::DevExtentBad, extent.where, "no such device");
    }
    u64 recorded = volume.super().total_bytes;
    if (recorded < total) {
        findings.problem(Cause::DeviceSizeWrong, {},
                         say("superblock total_bytes ", recorded, ", devices have ", total));
    } else if (recorded != total) {
        findings.warning(Cause::DeviceSizeWrong, {},
                         say("superblock total_bytes ", recorded, ", devices have ", total));
    }
}

}  // namespace

void check_chunks(BlockReader& reader, const std::vector<BlockGroup>& groups) {
    check_block_groups(reader, groups);
    DevExtents extents = read_dev_extents(reader);
    check_stripes(reader, extents);
    check_devices(reader, extents);
}

}  // namespace glassfs::check
