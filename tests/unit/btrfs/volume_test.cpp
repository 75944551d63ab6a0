// SPDX-License-Identifier: MIT
#include "btrfs/volume.h"

#include "block/faulty_device.h"
#include "block/ram_device.h"
#include "btrfs/cursor.h"
#include "btrfs/file_system.h"
#include "btrfs/mkfs.h"
#include "trace/recorder.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::btrfs;

namespace {

constexpr u64 M = u64{1} << 20;

using Devices = std::vector<std::shared_ptr<block::Device>>;

Devices fresh_volume(std::size_t count, const MkfsOptions& options = {}, u64 size = 256 * M) {
    Devices devices;
    for (std::size_t i = 0; i < count; ++i) {
        devices.push_back(std::make_shared<block::RamDevice>(size, "ram" + std::to_string(i)));
    }
    SeededEnvironment environment(count);
    REQUIRE(mkfs(devices, options, environment));
    return devices;
}

std::unique_ptr<Volume> opened(const Devices& devices) {
    auto volume = Volume::open(devices, {});
    REQUIRE(volume);
    return std::move(*volume);
}

// Where a logical address lies: the device's index and the byte on it.
std::pair<std::size_t, u64> place(const Volume& volume, LogicalAddr addr, u32 mirror) {
    auto mapping = volume.chunk_map().map(addr, 1, mirror);
    REQUIRE(mapping);
    u64 devid = mapping->chunk->stripes[mapping->stripe].devid;
    return {static_cast<std::size_t>(devid - 1), mapping->physical.value};
}

void spoil(const Devices& devices, std::pair<std::size_t, u64> where) {
    u8 byte = 0;
    REQUIRE(devices[where.first]->read(where.second, {&byte, 1}));
    byte = static_cast<u8>(byte ^ 0x10);
    REQUIRE(devices[where.first]->write(where.second, {&byte, 1}));
}

}  // namespace

TEST_CASE("btrfs/volume: an empty volume of each profile, node size and checksum opens and verifies") {
    struct Variant {
        std::size_t devices;
        u64 metadata, data;
        u32 node_size;
        ChecksumType checksum;
        u64 dev_extents;
    };
    const Variant variants[] = {
        {1, 0, 0, 4096, ChecksumType::Crc32c, 3},
        {1, block_group_dup, block_group_dup, 16384, ChecksumType::Xxhash64, 6},
        {2, block_group_raid1, block_group_raid0, 32768, ChecksumType::Sha256, 6},
        {3, block_group_raid1c3, 0, 65536, ChecksumType::Blake2b, 7},
        {4, block_group_raid1c4, block_group_raid10, 16384, ChecksumType::Crc32c, 12},
    };
    for (const Variant& v : variants) {
        MkfsOptions options;
        options.metadata_profile = v.metadata;
        options.data_profile = v.data;
        options.node_size = v.node_size;
        options.checksum = v.checksum;
        auto volume = opened(fresh_volume(v.devices, options));
        CHECK(volume->open_errors().empty());
        CHECK(volume->notes().empty());
        CHECK(volume->geometry().node_size == v.node_size);
        CHECK(volume->geometry().csum_type == v.checksum);
        CHECK(volume->verify_counters().dev_extents == v.dev_extents);
        CHECK(volume->verify_counters().device_lookups == v.devices);
        auto files = FileSystem::open(*volume, nullptr, "", {});
        REQUIRE(files);
        CHECK((*files)->root() == vfs::NodeId{5, InodeNo{256}});
        auto root = (*files)->getattr((*files)->root());
        REQUIRE(root);
        CHECK(root->mode == 040755);
        CHECK((*files)->lookup((*files)->root(), "x").error().cause == Cause::NotFound);
    }
}

TEST_CASE("btrfs/volume: a damaged copy of a tree block is replaced by the other") {
    Devices devices = fresh_volume(1);
    LogicalAddr root = opened(devices)->root_tree().bytenr;
    spoil(devices, place(*opened(devices), root + 5000, 0));
    CHECK(opened(devices)->read_block(root));
    spoil(devices, place(*opened(devices), root + 7000, 1));
    auto volume = Volume::open(devices, {});
    REQUIRE_FALSE(volume);
    CHECK(volume.error().cause == Cause::BlockChecksum);
    CHECK(volume.error().where.block == root.value);
}

TEST_CASE("btrfs/volume: a copy that missed a write is passed over, though its checksum is good") {
    Devices devices = fresh_volume(2);
    auto volume = opened(devices);
    TreeRoot root = volume->root_tree();
    auto [device, physical] = place(*volume, root.bytenr, 0);
    auto raw = volume->read_raw_block(root.bytenr, 0);
    REQUIRE(raw);
    Buffer block = std::move(*raw);
    reinterpret_cast<disk::btrfs_header*>(block.data())->generation = 0;
    Checksum sum = checksum(ChecksumType::Crc32c, Bytes(block).subspan(32));
    std::copy(sum.bytes.begin(), sum.bytes.end(), block.begin());
    REQUIRE(devices[device]->write(physical, block));
    auto again = opened(devices);
    auto read = again->read_block(root.bytenr, root.expectation());
    REQUIRE(read);
    CHECK((*read)->generation() == Generation{1});
}

TEST_CASE("btrfs/volume: the newest valid superblock wins and damage of the others is noted") {
    Devices devices = fresh_volume(1);
    spoil(devices, {0, super_offsets[0] + 100});
    auto found = read_superblock(*devices[0]);
    REQUIRE(found);
    CHECK(found->mirror == 1);
    CHECK(found->notes.size() == 1);
    CHECK(opened(devices)->notes().size() == 1);
    spoil(devices, {0, super_offsets[1] + 100});
    CHECK(read_superblock(*devices[0]).error().cause == Cause::SuperblockBad);
    CHECK(Volume::open(devices, {}).error().cause == Cause::SuperblockBad);
}

TEST_CASE("btrfs/volume: no superblock at all is another file system") {
    Devices devices{std::make_shared<block::RamDevice>(256 * M)};
    CHECK(Volume::open(devices, {}).error().cause == Cause::UnknownFileSystem);
    CHECK_FALSE(probe(*devices[0]));
    Devices empty{std::make_shared<block::RamDevice>(0)};
    CHECK(Volume::open(empty, {}).error().cause == Cause::UnknownFileSystem);
}

TEST_CASE("btrfs/volume: RAID1 does without either device, RAID0 says what is missing") {
    MkfsOptions options;
    options.data_profile = block_group_raid1;
    Devices both = fresh_volume(2, options);
    for (std::size_t kept : {0U, 1U}) {
        auto volume = opened({both[kept]});
        CHECK(volume->open_errors().empty());
        CHECK(volume->notes() ==
              std::vector<std::string>{kept == 0 ? "device 2 is missing" : "device 1 is missing"});
        CHECK(volume->tree_root(fs_tree_objectid));
    }
    options.data_profile = block_group_raid0;
    auto half = opened({fresh_volume(2, options)[0]});
    REQUIRE(half->open_errors().size() == 1);
    CHECK(half->open_errors()[0].cause == Cause::DevicesMissing);
}

TEST_CASE("btrfs/volume: a device of another volume, or one given twice, is refused") {
    Devices one = fresh_volume(1);
    Devices two = fresh_volume(2);
    CHECK(Volume::open({two[0], one[0]}, {}).error().cause == Cause::DeviceForeign);
    CHECK(Volume::open({one[0], one[0]}, {}).error().cause == Cause::DeviceForeign);
    CHECK(Volume::open({two[1], two[0]}, {}));
}

TEST_CASE("btrfs/volume: an unknown incompatible feature is refused by its number") {
    Devices devices = fresh_volume(1);
    for (u64 offset : {super_offsets[0], super_offsets[1]}) {
        Buffer bytes(super_size);
        REQUIRE(devices[0]->read(offset, bytes));
        auto super = load<disk::btrfs_super_block>(bytes);
        super.incompat_flags = super.incompat_flags | (u64{1} << 40);
        super.csum = superblock_checksum(super).bytes;
        REQUIRE(devices[0]->write(offset, {reinterpret_cast<const u8*>(&super), sizeof super}));
    }
    auto volume = Volume::open(devices, {});
    REQUIRE_FALSE(volume);
    CHECK(volume.error().cause == Cause::UnsupportedFeature);
    CHECK(volume.error().detail == "0x10000000000");
}

TEST_CASE("btrfs/volume: every read that fails once while opening leaves a volume or an error") {
    Devices devices = fresh_volume(1);
    auto faulty = std::make_shared<block::FaultyDevice>(devices[0]);
    REQUIRE(Volume::open({faulty}, {}));
    const u64 reads = faulty->calls(block::Access::Read);
    u64 opened_all_the_same = 0;
    for (u64 skip = 0; skip < reads; ++skip) {
        auto fresh = std::make_shared<block::FaultyDevice>(devices[0]);
        fresh->add({.access = block::Access::Read, .skip = skip});
        auto volume = Volume::open({fresh}, {});
        CHECK(fresh->faults_hit() == 1);
        if (volume)
            ++opened_all_the_same;
        else
            CHECK(volume.error().cause == Cause::InjectedFault);
    }
    CHECK(opened_all_the_same == reads);  // every block and superblock has a second copy
}

TEST_CASE("btrfs/volume: blocks from the cache are not read again, those from a device are traced") {
    Devices devices = fresh_volume(1);
    trace::Recorder recorder;
    auto volume = Volume::open(devices, {.tracer = recorder.tracer()});
    REQUIRE(volume);
    u64 before = recorder.count<trace::TreeBlockRead>();
    CHECK(before > 0);
    LogicalAddr root = (*volume)->root_tree().bytenr;
    REQUIRE((*volume)->read_block(root));
    CHECK(recorder.count<trace::TreeBlockRead>() == before);
    REQUIRE((*volume)->read_block((*volume)->tree_root(fs_tree_objectid)->bytenr));
    CHECK(recorder.count<trace::TreeBlockRead>() == before + 1);
}

TEST_CASE("btrfs/cursor: seeks land on the item, behind it or before it") {
    auto volume = opened(fresh_volume(1));
    Cursor cursor(*volume, *volume->tree_root(fs_tree_objectid));
    REQUIRE(cursor.seek({0, 0, 0}));
    CHECK(cursor.key() == make_key(256, KeyType::InodeItem, 0));
    CHECK(cursor.seek(make_key(256, KeyType::InodeItem, 1)) == true);
    CHECK(cursor.key() == make_key(256, KeyType::InodeRef, 256));
    CHECK(cursor.next() == false);
    CHECK_FALSE(cursor.valid());
    CHECK(cursor.seek(make_key(257, KeyType::InodeItem, 0)) == false);
    CHECK(cursor.seek_back(make_key(257, KeyType::InodeItem, 0)) == true);
    CHECK(cursor.key() == make_key(256, KeyType::InodeRef, 256));
    CHECK(cursor.previous() == true);
    CHECK(cursor.previous() == false);
    CHECK(cursor.seek_back({0, 0, 0}) == false);
}

TEST_CASE("btrfs/mkfs: the same seed gives the same bytes") {
    auto image = [](u64 seed) {
        auto device = std::make_shared<block::RamDevice>(128 * M);
        SeededEnvironment environment(seed);
        REQUIRE(mkfs({device}, {}, environment));
        Buffer bytes(64 * M);
        REQUIRE(device->read(0, bytes));
        return bytes;
    };
    CHECK(image(7) == image(7));
    CHECK(image(7) != image(8));
}

TEST_CASE("btrfs/mkfs: impossible options are named, nothing is written") {
    auto refused = [](std::size_t devices, u64 size, auto&& change) {
        MkfsOptions options;
        change(options);
        Devices all;
        for (std::size_t i = 0; i < devices; ++i) all.push_back(std::make_shared<block::RamDevice>(size));
        SeededEnvironment environment(1);
        auto made = mkfs(all, options, environment);
        REQUIRE_FALSE(made);
        CHECK(std::static_pointer_cast<block::RamDevice>(all[0])->allocated() == 0);
        return made.error().cause;
    };
    CHECK(refused(1, 256 * M, [](auto& o) { o.node_size = 2048; }) == Cause::InvalidArgument);
    CHECK(refused(1, 256 * M, [](auto& o) { o.node_size = 12288; }) == Cause::InvalidArgument);
    CHECK(refused(1, 256 * M, [](auto& o) { o.node_size = 131072; }) == Cause::InvalidArgument);
    CHECK(refused(1, 256 * M, [](auto& o) { o.label.assign(256, 'x'); }) == Cause::InvalidArgument);
    CHECK(refused(1, 256 * M, [](auto& o) { o.data_profile = block_group_raid1; }) == Cause::InvalidArgument);
    CHECK(refused(2, 256 * M, [](auto& o) { o.data_profile = block_group_raid5; }) == Cause::InvalidArgument);
    CHECK(refused(1, mkfs_device_bytes_min({}, 1) - 1, [](auto&) {}) == Cause::NoSpace);
}
