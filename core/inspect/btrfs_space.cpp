// SPDX-License-Identifier: MIT
// Chunks, dev extents and devices of a btrfs volume.
#include "btrfs/cursor.h"
#include "inspect/btrfs_inspector.h"

#include <algorithm>

namespace glassfs::inspect {

using namespace btrfs;

namespace {

// With more chunks than this, looking up what is used of each takes longer than all the rest.
constexpr std::size_t chunks_with_use_max = 20000;

SpaceMap::Kind kind_of(u64 flags) {
    const bool data = (flags & block_group_data) != 0, metadata = (flags & block_group_metadata) != 0;
    if (data && metadata) return SpaceMap::Kind::Mixed;
    if (data) return SpaceMap::Kind::Data;
    return metadata ? SpaceMap::Kind::Metadata : SpaceMap::Kind::System;
}

std::string_view profile_of(u64 flags) {
    for (const ValueName& name : block_group_flag_names) {
        if ((flags & block_group_profile_mask & name.value) != 0) return name.name;
    }
    return "single";
}

}  // namespace

const char* space_kind_name(SpaceMap::Kind kind) {
    static constexpr const char* names[] = {"data", "metadata", "system", "mixed"};
    return names[static_cast<std::size_t>(kind)];
}

Result<SpaceMap> BtrfsInspector::space() {
    auto hold = volume_.reading();
    SpaceMap map;
    for (const auto& [logical, chunk] : volume_.chunk_map().chunks()) {
        SpaceMap::Chunk out{chunk.logical, chunk.length, kind_of(chunk.type), profile_of(chunk.type)};
        out.first_stripe = static_cast<u32>(map.stripes.size());
        out.stripe_count = static_cast<u32>(chunk.stripes.size());
        out.stripe_bytes = chunk.stripe_bytes();
        for (const auto& stripe : chunk.stripes) map.stripes.push_back({stripe.devid, stripe.physical});
        map.chunks.push_back(out);
    }
    for (const auto& [devid, item] : volume_.device_items()) {
        const bool missing = !volume_.is_metadump() && volume_.devices().find(devid, item.uuid) == nullptr;
        map.devices.push_back({devid, item.total_bytes, 0, 0, missing});
    }
    TRY(add_dev_extents(map));
    if (map.chunks.size() <= chunks_with_use_max) TRY(add_used(map));
    return map;
}

Result<void> BtrfsInspector::add_dev_extents(SpaceMap& map) {
    TreeRoot root = TRY(root_of(dev_tree_objectid));
    LogicalAddr leaf{~u64{0}};
    auto visit = [&](const Cursor& at) -> Result<bool> {
        if (at.path().back().block->addr() != leaf) {
            leaf = at.path().back().block->addr();
            ++map.device_tree_leaves;
        }
        if (type_of(at.key()) != KeyType::DevExtent) return true;
        TRY(at.check());
        const auto& item = view<disk::btrfs_dev_extent>(at.data());
        SpaceMap::DevExtent out{at.key().objectid, PhysicalAddr{at.key().offset}, item.length};
        auto chunk = std::lower_bound(
            map.chunks.begin(), map.chunks.end(), item.chunk_offset.get(),
            [](const SpaceMap::Chunk& one, u64 logical) { return one.logical.value < logical; });
        if (chunk != map.chunks.end() && chunk->logical.value == item.chunk_offset) {
            out.chunk = static_cast<u32>(chunk - map.chunks.begin());
        }
        auto device = std::find_if(map.devices.begin(), map.devices.end(),
                                   [&](const auto& one) { return one.id == out.device; });
        if (device != map.devices.end()) {
            device->allocated += out.length;
            ++device->dev_extents;
        }
        map.dev_extents.push_back(out);
        return true;
    };
    return for_each_item(volume_, root, make_key(0, KeyType::Untyped, 0),
                         make_key(~0ULL, KeyType::DevExtent, ~0ULL), visit);
}

// What block group items say. A chunk that has none yet (its commit is to come) has no number either.
Result<void> BtrfsInspector::add_used(SpaceMap& map) {
    const bool own_tree = (volume_.super().compat_ro_flags & compat_ro_block_group_tree) != 0;
    TreeRoot root = TRY(root_of(own_tree ? block_group_tree_objectid : extent_tree_objectid));
    Cursor cursor(volume_, root);
    for (SpaceMap::Chunk& chunk : map.chunks) {
        const Key key = make_key(chunk.logical.value, KeyType::BlockGroupItem, chunk.length);
        const bool found = TRY(cursor.seek(key));
        if (!found || cursor.key() != key) continue;
        TRY(cursor.check());
        chunk.used = view<disk::btrfs_block_group_item>(cursor.data()).used;
    }
    return {};
}

}  // namespace glassfs::inspect
