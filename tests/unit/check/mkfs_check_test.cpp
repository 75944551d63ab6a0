// SPDX-License-Identifier: MIT
// Fresh volumes of every size and shape: no tree block where a superblock is, and nothing for check to find.
#include "block/ram_device.h"
#include "btrfs/mkfs.h"
#include "btrfs/volume.h"
#include "check/btrfs_check.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::btrfs;

namespace {

using Devices = std::vector<std::shared_ptr<block::Device>>;
constexpr u64 KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30, TiB = GiB << 10, PiB = TiB << 10;

Devices ram_devices(const std::vector<u64>& sizes) {
    Devices devices;
    for (u64 size : sizes) devices.push_back(std::make_shared<block::RamDevice>(size));
    return devices;
}

std::unique_ptr<Volume> made(const Devices& devices, const MkfsOptions& options = {}) {
    SeededEnvironment environment(1);
    auto done = mkfs(devices, options, environment);
    CAPTURE(done ? "" : done.error().message());
    REQUIRE(done);
    auto volume = Volume::open(devices, {});
    REQUIRE(volume);
    REQUIRE((*volume)->open_errors().empty());
    return std::move(*volume);
}

std::vector<LogicalAddr> tree_blocks(Volume& volume) {
    std::vector<LogicalAddr> blocks = {volume.root_tree().bytenr, volume.chunk_tree().bytenr};
    for (u64 id : {extent_tree_objectid, dev_tree_objectid, fs_tree_objectid, csum_tree_objectid,
                   uuid_tree_objectid, free_space_tree_objectid, data_reloc_tree_objectid}) {
        auto root = volume.tree_root(id);
        REQUIRE(root);
        blocks.push_back(root->bytenr);
    }
    return blocks;
}

// Copies of tree blocks that cover a byte of the 64 KiB that Linux keeps free around a superblock.
std::size_t blocks_on_superblocks(Volume& volume) {
    std::size_t count = 0;
    for (LogicalAddr block : tree_blocks(volume)) {
        for (u32 mirror = 0; mirror < volume.mirrors(block); ++mirror) {
            auto to = volume.chunk_map().map(block, volume.geometry().node_size, mirror);
            REQUIRE(to);
            u64 begin = to->physical.value;
            for (u64 super : {64 * KiB, 64 * MiB, 256 * GiB}) {
                if (begin < super + 64 * KiB && super < begin + to->length) ++count;
            }
        }
    }
    return count;
}

void check_clean(const Devices& devices, const MkfsOptions& options = {}) {
    auto volume = made(devices, options);
    CHECK(blocks_on_superblocks(*volume) == 0);
    auto report = check::check_btrfs(*volume, {}, [](double) { return true; });
    REQUIRE(report);
    for (const check::Issue& issue : report->issues) MESSAGE(issue.error.message());
    CHECK(report->clean());
}

}  // namespace

TEST_CASE("btrfs/mkfs: no tree block lies where a copy of the superblock does") {
    for (u32 node_size : {4096U, 16384U, 65536U}) {
        CAPTURE(node_size);
        MkfsOptions options;
        options.node_size = node_size;
        for (u64 size = 936 * MiB; size < 946 * MiB; size += 320 * KiB) {
            CAPTURE(size);
            check_clean(ram_devices({size}), options);
        }
    }
}

TEST_CASE("btrfs/mkfs: a chunk whose second copy begins at a superblock begins its blocks behind it") {
    Devices devices = ram_devices({940 * MiB});
    auto volume = made(devices);
    const Chunk& metadata = std::next(volume->chunk_map().chunks().begin())->second;
    REQUIRE(metadata.stripes[1].physical.value == 64 * MiB);
    CHECK(volume->root_tree().bytenr == metadata.logical + 64 * KiB);
    check_clean(devices);
}

TEST_CASE("btrfs/mkfs: the root tree takes two leaves where one of 4 KiB is too small") {
    MkfsOptions options;
    options.node_size = 4096;
    options.block_group_tree = true;
    auto volume = made(ram_devices({256 * MiB}), options);
    CHECK(volume->super().root_level == 1);
    check_clean(ram_devices({256 * MiB}), options);
    options.node_size = 8192;
    CHECK(made(ram_devices({256 * MiB}), options)->super().root_level == 0);
}

TEST_CASE("btrfs/mkfs: sizes from the smallest that mkfs.btrfs takes up to a pebibyte") {
    for (u64 size : {114294784 * u64{1}, 128 * MiB, GiB, 50 * GiB, 300 * GiB, 5 * TiB, PiB}) {
        CAPTURE(size);
        Devices devices = ram_devices({size});
        check_clean(devices);
        CHECK(std::static_pointer_cast<block::RamDevice>(devices[0])->allocated() < 2 * MiB);
    }
    check_clean(ram_devices({114294784 + 4095}));
    MkfsOptions single;
    single.metadata_profile = 0;
    check_clean(ram_devices({47185920}), single);
    MkfsOptions dup;
    dup.data_profile = block_group_dup;
    check_clean(ram_devices({240123904}), dup);
}

TEST_CASE("btrfs/mkfs: devices of unequal size, as far as the smallest one reaches") {
    check_clean(ram_devices({72351744, 72351744}));
    check_clean(ram_devices({100 * GiB, 72351744}));
    check_clean(ram_devices({72351744, PiB, 200 * MiB}));
    MkfsOptions raid0;
    raid0.metadata_profile = raid0.data_profile = block_group_raid0;
    check_clean(ram_devices({100 * GiB, 131072000, 300 * GiB}), raid0);
    MkfsOptions raid10;
    raid10.metadata_profile = raid10.data_profile = block_group_raid10;
    check_clean(ram_devices({131072000, 131072000, GiB, TiB, 131072000}), raid10);
    MkfsOptions raid1c4;
    raid1c4.metadata_profile = raid1c4.data_profile = block_group_raid1c4;
    check_clean(ram_devices({131072000, TiB, GiB, TiB}), raid1c4);
}

TEST_CASE("btrfs/mkfs: more devices than a leaf or the superblock can name are refused, nothing is written") {
    Devices devices = ram_devices(std::vector<u64>(60, 256 * MiB));
    SeededEnvironment environment(1);
    MkfsOptions options;
    options.node_size = 4096;
    auto done = mkfs(devices, options, environment);
    REQUIRE_FALSE(done);
    CHECK(done.error().cause == Cause::InvalidArgument);
    CHECK(done.error().detail == "60 devices are too many for node size 4096");
    CHECK(std::static_pointer_cast<block::RamDevice>(devices[0])->allocated() == 0);
    options.node_size = 65536;
    check_clean(devices, options);
    options.metadata_profile = block_group_raid0;
    Devices more = ram_devices(std::vector<u64>(64, 256 * MiB));
    CHECK_FALSE(mkfs(more, options, environment));
}

TEST_CASE("btrfs/mkfs: the volume has the UUID that was asked for") {
    MkfsOptions options;
    options.uuid = Uuid{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    auto volume = made(ram_devices({256 * MiB}), options);
    CHECK(volume->super().fsid == *options.uuid);
}

TEST_CASE("btrfs/mkfs: signatures at both ends of a device go") {
    Devices devices = ram_devices({256 * MiB});
    Buffer rubbish(512, 0xa5);
    REQUIRE(devices[0]->write(512, rubbish));
    REQUIRE(devices[0]->write(256 * MiB - 512, rubbish));
    made(devices);
    Buffer read(512);
    REQUIRE(devices[0]->read(512, read));
    CHECK(read == Buffer(512, 0));
    REQUIRE(devices[0]->read(256 * MiB - 512, read));
    CHECK(read == Buffer(512, 0));
}
