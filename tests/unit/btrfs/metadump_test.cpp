// SPDX-License-Identifier: MIT
#include "btrfs/metadump.h"

#include "base/compression.h"
#include "base/endian.h"
#include "block/ram_device.h"

#include <doctest/doctest.h>

using namespace glassfs;

namespace {

constexpr u64 magic_v0 = 0xbd5c25e27295668bULL;

void put64(Buffer& out, std::size_t at, u64 value) {
    Le64 field = value;
    std::memcpy(out.data() + at, &field, 8);
}
void put32(Buffer& out, std::size_t at, u32 value) {
    Le32 field = value;
    std::memcpy(out.data() + at, &field, 4);
}

struct DumpItem {
    u64 logical;
    Buffer stored;
};

// One cluster at byte `at` of a dump.
Buffer cluster(u64 at, const std::vector<DumpItem>& items, u8 compress) {
    Buffer out(1024);
    put64(out, 0, magic_v0);
    put64(out, 8, at);
    put32(out, 16, static_cast<u32>(items.size()));
    out[20] = compress;
    for (std::size_t i = 0; i < items.size(); ++i) {
        put64(out, 21 + 12 * i, items[i].logical);
        put32(out, 21 + 12 * i + 8, static_cast<u32>(items[i].stored.size()));
    }
    for (const DumpItem& item : items) out.insert(out.end(), item.stored.begin(), item.stored.end());
    out.resize((out.size() + 1023) / 1024 * 1024);
    return out;
}

std::shared_ptr<block::Device> device_of(const Buffer& bytes) {
    auto device = std::make_shared<block::RamDevice>(bytes.size());
    REQUIRE(device->write(0, bytes));
    return device;
}

Buffer pattern(std::size_t size, u8 seed) {
    Buffer out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<u8>(i * 7 + i / 256 + seed);
    return out;
}

}  // namespace

TEST_CASE("btrfs/metadump: items are read at their logical address, across neighbours") {
    Buffer a = pattern(8192, 1), b = pattern(4096, 2), c = pattern(4096, 3);
    Buffer file = cluster(0, {{65536, a}, {65536 + 8192, b}}, 0);
    Buffer second = cluster(file.size(), {{1 << 30, c}}, 0);
    file.insert(file.end(), second.begin(), second.end());
    auto dump = btrfs::MetadumpDevice::open(device_of(file));
    REQUIRE(dump);
    Buffer out(6000);
    REQUIRE((*dump)->read(65536 + 4192, out));
    CHECK(std::equal(out.begin(), out.begin() + 4000, a.begin() + 4192));
    CHECK(std::equal(out.begin() + 4000, out.end(), b.begin()));
    out.resize(4096);
    REQUIRE((*dump)->read(1 << 30, out));
    CHECK(out == c);
}

TEST_CASE("btrfs/metadump: what is not in the dump says so") {
    Buffer file = cluster(0, {{65536, pattern(4096, 1)}}, 0);
    auto dump = btrfs::MetadumpDevice::open(device_of(file));
    REQUIRE(dump);
    Buffer out(4096);
    CHECK((*dump)->read(0, out).error().cause == Cause::DataNotInDump);
    CHECK((*dump)->read(65537, out).error().cause == Cause::DataNotInDump);
    CHECK((*dump)->read(1 << 20, out).error().cause == Cause::DataNotInDump);
    CHECK((*dump)->write(65536, out).error().cause == Cause::ReadOnly);
}

TEST_CASE("btrfs/metadump: compressed items are unpacked one by one") {
    Buffer plain = pattern(16384, 9);
    Buffer packed(20000);
    auto length = compress(Compression::Zlib, 3, plain, packed, 4096);
    REQUIRE(length);
    packed.resize(*length);
    Buffer file = cluster(0, {{65536, packed}}, 1);
    auto dump = btrfs::MetadumpDevice::open(device_of(file));
    REQUIRE(dump);
    Buffer out(1000);
    REQUIRE((*dump)->read(65536 + 15384, out));
    CHECK(std::equal(out.begin(), out.end(), plain.begin() + 15384));
    CHECK_FALSE((*dump)->read(65536 + 15385, out));
}

TEST_CASE("btrfs/metadump: each damaged header field is refused") {
    const Buffer good = cluster(0, {{65536, pattern(4096, 1)}}, 0);
    REQUIRE(btrfs::MetadumpDevice::open(device_of(good)));
    auto refused = [&](auto&& damage) {
        Buffer bad = good;
        damage(bad);
        auto dump = btrfs::MetadumpDevice::open(device_of(bad));
        return !dump && dump.error().cause == Cause::MetadumpBad;
    };
    CHECK(refused([](Buffer& b) { b[0] ^= 1; }));                  // magic
    CHECK(refused([](Buffer& b) { put64(b, 8, 1024); }));          // own position
    CHECK(refused([](Buffer& b) { put32(b, 16, 84); }));           // one item more than fits
    CHECK(refused([](Buffer& b) { put32(b, 16, 0); }));            // nothing at all
    CHECK(refused([](Buffer& b) { b[20] = 2; }));                  // compression
    CHECK(refused([](Buffer& b) { put32(b, 29, 0); }));            // empty item
    CHECK(refused([](Buffer& b) { put32(b, 29, 4097 + 1024); }));  // beyond the file
    CHECK(refused([](Buffer& b) { put64(b, 21, ~0ULL - 100); }));  // beyond every address
    CHECK(refused([](Buffer& b) { b.resize(1023); }));
}
