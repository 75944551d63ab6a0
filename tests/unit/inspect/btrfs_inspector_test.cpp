// SPDX-License-Identifier: MIT
#include "inspect/btrfs_inspector.h"

#include "block/ram_device.h"
#include "btrfs/mkfs.h"
#include "support/crafted_volume.h"

using namespace glassfs;
using namespace glassfs::btrfs;
using support::CraftedVolume;

TEST_CASE("inspect/btrfs: the way to a file ends at its inode when what follows is no extent") {
    CraftedVolume crafted;
    constexpr u64 number = 4096;
    auto items = crafted.items(fs_tree_objectid);
    // Read as an extent item this one, which has no data, would lie in the inode item; where it comes first
    // in a leaf, behind the block's end.
    items[make_key(number, KeyType::InodeItem, 0)] = support::inode_bytes(0100644, 10);
    items[make_key(number, KeyType::FreeSpaceExtent, 4096)] = {};
    crafted.set_items(fs_tree_objectid, items);
    auto volume = crafted.open();
    auto files = FileSystem::open(*volume, nullptr, "", {});
    REQUIRE(files);
    inspect::BtrfsInspector inspector(*volume, **files);
    auto path = inspector.path_to({fs_tree_objectid, InodeNo{number}});
    REQUIRE(path);
    CHECK(path->size() == 3);  // superblock, root tree, the subvolume's leaf
    CHECK(path->back().what == "FS_TREE");
}

TEST_CASE("inspect/btrfs: nodes that share their children are walked once, not once for each way") {
    CraftedVolume crafted;
    auto items = crafted.items(fs_tree_objectid);
    Key first = items.begin()->first;
    auto later = [&](u64 i) { return i == 0 ? first : make_key(orphan_objectid, KeyType::OrphanItem, i); };
    // Each level has `width` blocks; block i of a level points to the blocks i, i + 1, ... of the one below.
    constexpr u64 width = 40;
    std::vector<LogicalAddr> below;
    for (u64 i = 0; i < width; ++i) {
        below.push_back(crafted.take_block());
        crafted.write_leaf(below.back(), fs_tree_objectid,
                           i == 0 ? items : CraftedVolume::Items{{later(i), {}}});
    }
    for (u8 level = 1; level < max_level; ++level) {
        std::vector<LogicalAddr> here;
        for (u64 i = 0; i < width; ++i) {
            std::vector<std::pair<Key, LogicalAddr>> children;
            for (u64 child = i; child < width; ++child)
                children.emplace_back(later(child), below[static_cast<std::size_t>(child)]);
            here.push_back(crafted.take_block());
            crafted.write_node(here.back(), fs_tree_objectid, level, children);
        }
        below = here;
    }
    crafted.set_root(fs_tree_objectid, below[0], max_level - 1);

    auto volume = crafted.open();
    auto files = FileSystem::open(*volume, nullptr, "", {});
    REQUIRE(files);
    inspect::BtrfsInspector inspector(*volume, **files);
    u64 good = 0, bad = 0;
    CHECK(inspector.walk_tree(fs_tree_objectid, [&](const inspect::NodeRecord& record) {
        ++(record.bad ? bad : good);
        return good + bad < 100000;
    }));
    CHECK(good == max_level + width - 1);  // the first way down, and the other leaves
    CHECK(bad > 0);
    CHECK(good + bad < 1000);
    Cursor cursor(*volume, *volume->tree_root(fs_tree_objectid));
    CHECK(cursor.seek({}) == true);
    u64 steps = 0;
    Result<bool> more = true;
    while (steps < 100000 && (more = cursor.next()) && *more) ++steps;
    CHECK(more.error().cause == Cause::KeyOrder);
}

TEST_CASE("inspect/btrfs: space is what chunk tree, device tree and block group items say") {
    for (u64 profile : {block_group_dup, block_group_raid1}) {
        CAPTURE(profile);
        std::vector<std::shared_ptr<block::Device>> devices;
        for (u64 i = 0; i < (profile == block_group_raid1 ? 2U : 1U); ++i) {
            devices.push_back(std::make_shared<block::RamDevice>(512ULL << 20));
        }
        SeededEnvironment environment(3);
        MkfsOptions options;
        options.metadata_profile = profile;
        REQUIRE(mkfs(devices, options, environment));
        auto volume = Volume::open(devices, {});
        REQUIRE(volume);
        auto files = FileSystem::open(**volume, nullptr, "", {});
        REQUIRE(files);
        inspect::BtrfsInspector inspector(**volume, **files);
        auto space = inspector.space();
        REQUIRE(space);
        REQUIRE(space->devices.size() == devices.size());
        u64 used = 0, on_devices = 0, stripe_bytes = 0;
        for (const auto& chunk : space->chunks) {
            REQUIRE(chunk.used);
            used += *chunk.used;
            stripe_bytes += chunk.stripe_bytes * chunk.stripe_count;
        }
        CHECK(used == inspector.info().used);
        for (const auto& device : space->devices) {
            on_devices += device.allocated;
            CHECK(device.size == 512ULL << 20);
            CHECK(device.allocated == inspector.info().devices[device.id - 1].used);
        }
        CHECK(stripe_bytes == on_devices);
        CHECK(space->dev_extents.size() == space->stripes.size());
        for (const auto& extent : space->dev_extents) {
            REQUIRE(extent.chunk);
            const auto& chunk = space->chunks[*extent.chunk];
            CHECK(extent.length == chunk.stripe_bytes);
            bool found = false;
            for (u32 i = 0; i < chunk.stripe_count; ++i) {
                const auto& stripe = space->stripes[chunk.first_stripe + i];
                found |= stripe.device == extent.device && stripe.physical == extent.start;
            }
            CHECK(found);
        }
        CHECK(space->device_tree_leaves == 1);
    }
}
