// SPDX-License-Identifier: MIT
// Tables are built here byte by byte from the specifications, so that each test can damage exactly one thing.
#include "block/partition.h"

#include "base/endian.h"
#include "block/ram_device.h"

#include <cstring>
#include <doctest/doctest.h>
#include <zlib.h>

using namespace glassfs;
using namespace glassfs::block;

namespace {

template <class T>
void put(Buffer& bytes, std::size_t at, T value) {
    Le<T> stored(value);
    std::memcpy(bytes.data() + at, &stored, sizeof(T));
}

u32 crc(Bytes bytes) {
    return static_cast<u32>(::crc32_z(0, bytes.data(), bytes.size()));
}

void put_mbr_entry(Buffer& disk, u64 sector, u32 index, u8 type, u32 lba, u32 sectors) {
    std::size_t at = sector * 512 + 446 + index * 16;
    disk[at + 4] = type;
    put<u32>(disk, at + 8, lba);
    put<u32>(disk, at + 12, sectors);
    put<u16>(disk, sector * 512 + 510, 0xaa55);
}

// 0FC63DAF-8483-4772-8E79-3D69D8477DE4, "Linux filesystem data", as it is stored.
constexpr u8 linux_type[16] = {0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47,
                               0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4};

struct Gpt {
    u64 sector = 512;
    Buffer disk = Buffer(1 << 20);
    u64 last_lba() const { return disk.size() / sector - 1; }

    void entry(u32 index, u64 first, u64 last, std::u16string_view name) {
        for (u64 base : {2 * sector, entries_copy()}) {
            std::size_t at = base + index * 128;
            std::memcpy(disk.data() + at, linux_type, 16);
            put<u64>(disk, at + 32, first);
            put<u64>(disk, at + 40, last);
            for (std::size_t i = 0; i < name.size(); ++i)
                put<u16>(disk, at + 56 + 2 * i, static_cast<u16>(name[i]));
        }
        seal();
    }
    u64 entries_copy() const { return (last_lba() - 32) * sector; }

    void seal() {
        put_mbr_entry(disk, 0, 0, 0xee, 1, 0xffffffff);
        header(1, last_lba(), 2);
        header(last_lba(), 1, last_lba() - 32);
    }
    void header(u64 lba, u64 other, u64 entries, u32 count = 128, u32 entry_size = 128) {
        std::size_t at = lba * sector;
        put<u64>(disk, at, 0x5452415020494645);
        put<u32>(disk, at + 8, 0x10000);
        put<u32>(disk, at + 12, 92);
        put<u64>(disk, at + 24, lba);
        put<u64>(disk, at + 32, other);
        put<u64>(disk, at + 72, entries);
        put<u32>(disk, at + 80, count);
        put<u32>(disk, at + 84, entry_size);
        u64 bytes = u64{count} * entry_size;
        if (entries < disk.size() / sector && bytes <= disk.size() - entries * sector) {
            put<u32>(disk, at + 88, crc(Bytes(disk).subspan(entries * sector, bytes)));
        }
        put<u32>(disk, at + 16, 0);
        put<u32>(disk, at + 16, crc(Bytes(disk).subspan(at, 92)));
    }
};

Result<std::vector<Partition>> read_table(const Buffer& disk) {
    RamDevice device(disk.size(), "disk");
    REQUIRE(device.write(0, disk));
    return partitions(device);
}

void check_bad(const Buffer& disk, const char* detail) {
    auto table = read_table(disk);
    REQUIRE(!table);
    CHECK(table.error().cause == Cause::PartitionTableBad);
    CHECK(table.error().detail == detail);
}

}  // namespace

TEST_CASE("block/partition: a device without a table has no partitions") {
    CHECK(read_table(Buffer(100)).value().empty());
    CHECK(read_table(Buffer(1 << 16)).value().empty());
}

TEST_CASE("block/partition: a file system's boot sector is not taken for a table") {
    Buffer disk(1 << 16, 0x90);  // code where the entries would be
    put<u16>(disk, 510, 0xaa55);
    CHECK(read_table(disk).value().empty());
}

TEST_CASE("block/partition: primary and logical MBR partitions are found with Linux's numbers") {
    Buffer disk(1 << 20);
    put_mbr_entry(disk, 0, 0, 0x83, 8, 92);
    put_mbr_entry(disk, 0, 2, 0x05, 200, 400);
    put_mbr_entry(disk, 200, 0, 0x83, 2, 50);     // relative to this sector
    put_mbr_entry(disk, 200, 1, 0x05, 100, 100);  // relative to 200
    put_mbr_entry(disk, 300, 0, 0x82, 1, 10);
    auto table = read_table(disk);
    REQUIRE(table);
    std::vector<Partition> expected = {{1, 8 * 512, 92 * 512, "0x83", ""},
                                       {5, 202 * 512, 50 * 512, "0x83", ""},
                                       {6, 301 * 512, 10 * 512, "0x82", ""}};
    CHECK(*table == expected);
}

TEST_CASE("block/partition: an extended chain that loops, leaves its partition or breaks off is refused") {
    Buffer disk(1 << 20);
    put_mbr_entry(disk, 0, 0, 0x05, 200, 400);
    check_bad(disk, "an extended partition's chain is broken");
    put_mbr_entry(disk, 200, 1, 0x05, 0, 100);
    check_bad(disk, "an extended partition's chain leaves it or loops");
    put_mbr_entry(disk, 200, 1, 0x05, 400, 100);
    check_bad(disk, "an extended partition's chain leaves it or loops");
    put_mbr_entry(disk, 0, 0, 0x05, 200, 0xffffffff);
    check_bad(disk, "the extended partition ends outside of the device");
    put_mbr_entry(disk, 0, 0, 0x05, 200, 400);
    put_mbr_entry(disk, 0, 1, 0x0f, 700, 400);
    put_mbr_entry(disk, 200, 1, 0, 0, 0);
    check_bad(disk, "two extended partitions");
}

TEST_CASE("block/partition: MBR partitions outside of the device or over each other are refused") {
    Buffer disk(1 << 20);  // 2048 sectors
    put_mbr_entry(disk, 0, 0, 0x83, 8, 2041);
    check_bad(disk, "partition 1 ends outside of the device");
    put_mbr_entry(disk, 0, 0, 0x83, 8, 2040);
    CHECK(read_table(disk).value().size() == 1);
    put_mbr_entry(disk, 0, 3, 0x83, 2000, 1);
    check_bad(disk, "partitions 1 and 4 overlap");
}

TEST_CASE("block/partition: a GPT gives types and names, and its copy stands in when the first is damaged") {
    Gpt gpt;
    gpt.entry(0, 40, 99, u"root \u00e9\u20ac\U0001f41f");
    gpt.entry(5, 100, 100, u"");
    std::vector<Partition> expected = {{1, 40 * 512, 60 * 512, "0fc63daf-8483-4772-8e79-3d69d8477de4",
                                        "root \xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f"},
                                       {6, 100 * 512, 512, "0fc63daf-8483-4772-8e79-3d69d8477de4", ""}};
    CHECK(read_table(gpt.disk).value() == expected);
    gpt.disk[512 + 40] ^= 1;  // header
    CHECK(read_table(gpt.disk).value() == expected);
    gpt.disk[512 + 40] ^= 1;
    gpt.disk[1024 + 33] ^= 1;  // entries
    CHECK(read_table(gpt.disk).value() == expected);
    gpt.disk[gpt.last_lba() * 512 + 24] ^= 1;  // and the copy
    check_bad(gpt.disk, "both copies of the GPT are damaged");
}

TEST_CASE("block/partition: a GPT in sectors of 4096 bytes is found") {
    Gpt gpt;
    gpt.sector = 4096;
    gpt.entry(0, 40, 49, u"big");
    std::vector<Partition> expected = {
        {1, 40 * 4096, 10 * 4096, "0fc63daf-8483-4772-8e79-3d69d8477de4", "big"}};
    CHECK(read_table(gpt.disk).value() == expected);
}

TEST_CASE("block/partition: GPT numbers that a valid checksum covers are still not believed") {
    Gpt gpt;
    gpt.entry(0, 40, ~u64{0}, u"");
    check_bad(gpt.disk, "partition 1 ends outside of the device");
    gpt.entry(0, 99, 40, u"");
    check_bad(gpt.disk, "partition 1 ends outside of the device");
    gpt.entry(0, 40, 99, u"");
    gpt.entry(1, 99, 120, u"");
    check_bad(gpt.disk, "partitions 1 and 2 overlap");

    auto both = [&](u64 entries, u32 count, u32 entry_size) {
        gpt.header(1, gpt.last_lba(), entries, count, entry_size);
        gpt.header(gpt.last_lba(), 1, entries, count, entry_size);
        check_bad(gpt.disk, "both copies of the GPT are damaged");
    };
    both(2, 0xffffffff, 128);         // gigabytes of entries
    both(2, 0xffffffff, 0xffffffff);  // a product beyond 64 bits of anything
    both(2, 128, 64);                 // smaller than an entry
    both(2, 0, 0);
    both(~u64{0}, 128, 128);         // outside
    both(gpt.last_lba(), 128, 128);  // reaches beyond the end
}

TEST_CASE("block/partition: an unpaired surrogate in a name becomes a replacement character") {
    Gpt gpt;
    char16_t name[] = {0xd83d, u'x', 0xdc1f};
    gpt.entry(0, 40, 99, std::u16string_view(name, 3));
    CHECK(read_table(gpt.disk).value()[0].name == "\xef\xbf\xbdx\xef\xbf\xbd");
}

TEST_CASE("block/partition: a partition opens as a device of its own") {
    auto disk = std::make_shared<RamDevice>(1 << 20, "disk");
    REQUIRE(disk->write(4096, Buffer{1, 2, 3}));
    auto device = partition_device(disk, {3, 4096, 8192, "0x83", ""});
    REQUIRE(device);
    CHECK((*device)->name() == "diskp3");
    Buffer bytes(3);
    REQUIRE((*device)->read(0, bytes));
    CHECK(bytes == Buffer{1, 2, 3});
}
