// SPDX-License-Identifier: MIT
// Whole volumes through the check: fresh ones are clean, and a change of one number is found as what it is.
#include "block/ram_device.h"
#include "btrfs/leaf_builder.h"
#include "btrfs/mkfs.h"
#include "check/btrfs_check.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::btrfs;

namespace {

using Devices = std::vector<std::shared_ptr<block::Device>>;

Devices fresh_volume(std::size_t count, const MkfsOptions& options) {
    Devices devices;
    for (std::size_t i = 0; i < count; ++i) {
        devices.push_back(std::make_shared<block::RamDevice>(u64{256} << 20));
    }
    SeededEnvironment environment(1);
    REQUIRE(mkfs(devices, options, environment));
    return devices;
}

check::Report checked(const Devices& devices) {
    auto volume = Volume::open(devices, {});
    REQUIRE(volume);
    auto report = check::check_btrfs(**volume, {}, [](double) { return true; });
    REQUIRE(report);
    return std::move(*report);
}

std::vector<Cause> causes(const Devices& devices) {
    std::vector<Cause> out;
    for (const check::Issue& issue : checked(devices).issues) {
        bool known = std::find(out.begin(), out.end(), issue.error.cause) != out.end();
        if (!known) out.push_back(issue.error.cause);
    }
    return out;
}

// Changes the data of the first item of a type in a tree of one leaf, in all copies, checksum made right.
template <class T, class F>
void change_item(const Devices& devices, u64 tree, KeyType type, F&& change) {
    auto volume = Volume::open(devices, {});
    REQUIRE(volume);
    LogicalAddr addr = (*volume)->tree_root(tree)->bytenr;
    auto raw = (*volume)->read_raw_block(addr, 0);
    REQUIRE(raw);
    TreeBlock block(addr, *raw);
    u32 slot = 0;
    while (slot < block.nritems() && type_of(block.key(slot)) != type) ++slot;
    REQUIRE(slot < block.nritems());
    change(*reinterpret_cast<T*>(raw->data() + block.data_at(slot)));
    seal_block((*volume)->geometry().csum_type, *raw);
    for (u32 mirror = 0; mirror < (*volume)->mirrors(addr); ++mirror) {
        auto mapping = (*volume)->chunk_map().map(addr, raw->size(), mirror);
        REQUIRE(mapping);
        auto devid = static_cast<std::size_t>(mapping->chunk->stripes[mapping->stripe].devid);
        REQUIRE(devices[devid - 1]->write(mapping->physical.value, *raw));
    }
}

bool found(const Devices& devices, Cause cause) {
    std::vector<Cause> all = causes(devices);
    return std::find(all.begin(), all.end(), cause) != all.end();
}

}  // namespace

TEST_CASE("check/volume: a fresh volume of each shape is clean, and every block of it was read") {
    MkfsOptions raid;
    raid.metadata_profile = block_group_raid1;
    raid.data_profile = block_group_raid10;
    CHECK(checked(fresh_volume(4, raid)).issues.empty());
    MkfsOptions old;
    old.no_holes = old.free_space_tree = false;
    old.node_size = 4096;
    CHECK(checked(fresh_volume(1, old)).issues.empty());
    MkfsOptions newest;
    newest.block_group_tree = true;
    newest.node_size = 65536;
    newest.checksum = ChecksumType::Sha256;
    check::Report report = checked(fresh_volume(1, newest));
    CHECK(report.issues.empty());
    CHECK(report.clean());
    CHECK(report.blocks_read >= 10);
}

TEST_CASE("check/volume: a block group that counts its used bytes wrongly is found") {
    Devices devices = fresh_volume(1, {});
    change_item<disk::btrfs_block_group_item>(devices, extent_tree_objectid, KeyType::BlockGroupItem,
                                              [](auto& group) { group.used = group.used + 4096; });
    CHECK(found(devices, Cause::UsedBytesWrong));
}

TEST_CASE("check/volume: a reference count that is one too many is found") {
    Devices devices = fresh_volume(1, {});
    change_item<disk::btrfs_extent_item>(devices, extent_tree_objectid, KeyType::MetadataItem,
                                         [](auto& extent) { extent.refs = 2; });
    CHECK_FALSE(checked(devices).clean());
}

TEST_CASE("check/volume: free space that is counted wrongly is found") {
    Devices devices = fresh_volume(1, {});
    change_item<disk::btrfs_free_space_info>(devices, free_space_tree_objectid, KeyType::FreeSpaceInfo,
                                             [](auto& info) { info.extent_count = 7; });
    CHECK(causes(devices) == std::vector<Cause>{Cause::FreeSpaceWrong});
}

TEST_CASE("check/volume: a dev extent of another length than its chunk's stripes is found") {
    Devices devices = fresh_volume(1, {});
    change_item<disk::btrfs_dev_extent>(devices, dev_tree_objectid, KeyType::DevExtent,
                                        [](auto& extent) { extent.length = extent.length / 2; });
    CHECK(found(devices, Cause::DevExtentBad));
}

TEST_CASE("check/volume: a device that counts its used bytes wrongly is found") {
    Devices devices = fresh_volume(1, {});
    change_item<disk::btrfs_dev_item>(devices, chunk_tree_objectid, KeyType::DevItem,
                                      [](auto& item) { item.bytes_used = item.bytes_used + 65536; });
    CHECK_FALSE(checked(devices).clean());
}

TEST_CASE("check/volume: a directory with more links than names is found") {
    Devices devices = fresh_volume(1, {});
    change_item<disk::btrfs_inode_item>(devices, fs_tree_objectid, KeyType::InodeItem,
                                        [](auto& inode) { inode.nlink = 2; });
    CHECK_FALSE(checked(devices).clean());
}

TEST_CASE("check/volume: a check that is cancelled says so") {
    auto volume = Volume::open(fresh_volume(1, {}), {});
    REQUIRE(volume);
    auto report = check::check_btrfs(**volume, {}, [](double) { return false; });
    REQUIRE_FALSE(report);
    CHECK(report.error().cause == Cause::Cancelled);
}
