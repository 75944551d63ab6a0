// SPDX-License-Identifier: MIT
#include "block/recording_device.h"

#include "block/ram_device.h"

#include <doctest/doctest.h>
#include <set>

using namespace glassfs;
using namespace glassfs::block;

namespace {

Buffer state(const RecordingDevice& device, std::size_t cut, Unflushed unflushed, u64 seed = 0) {
    auto result = device.state_at(cut, unflushed, seed);
    REQUIRE(result);
    Buffer bytes((*result)->size());
    REQUIRE((*result)->read(0, bytes));
    return bytes;
}

}  // namespace

TEST_CASE("block/recording: flushed writes survive any cut, later ones as chosen") {
    auto base = std::make_shared<RamDevice>(4);
    RecordingDevice device(base);
    REQUIRE(device.write(0, Buffer{1}));  // entry 0
    REQUIRE(device.flush());              // entry 1
    REQUIRE(device.write(1, Buffer{2}));  // entry 2
    REQUIRE(device.write(0, Buffer{3}));  // entry 3
    REQUIRE(device.flush());              // entry 4
    CHECK(device.entry_count() == 5);
    CHECK(state(device, 0, Unflushed::Kept) == Buffer{0, 0, 0, 0});
    CHECK(state(device, 1, Unflushed::Lost) == Buffer{0, 0, 0, 0});
    CHECK(state(device, 1, Unflushed::Kept) == Buffer{1, 0, 0, 0});
    CHECK(state(device, 4, Unflushed::Lost) == Buffer{1, 0, 0, 0});
    CHECK(state(device, 4, Unflushed::Kept) == Buffer{3, 2, 0, 0});
    CHECK(state(device, 5, Unflushed::Lost) == Buffer{3, 2, 0, 0});
    Buffer untouched(4);
    REQUIRE(base->read(0, untouched));
    CHECK(untouched == Buffer{0, 0, 0, 0});
}

TEST_CASE(
    "block/recording: scattered writes are torn at 512 bytes only, and a seed gives the same state again") {
    RecordingDevice device(std::make_shared<RamDevice>(4096));
    REQUIRE(device.write(0, Buffer(1024, 1)));
    REQUIRE(device.flush());
    REQUIRE(device.write(100, Buffer(2000, 2)));  // ends inside of a sector
    std::set<Buffer> seen;
    for (u64 seed = 0; seed < 64; ++seed) {
        Buffer bytes = state(device, 3, Unflushed::Scattered, seed);
        CHECK(bytes == state(device, 3, Unflushed::Scattered, seed));
        seen.insert(bytes);
        for (std::size_t at = 0; at < 4096; at += 512) {
            std::size_t begin = std::max<std::size_t>(at, 100);
            std::size_t end = std::min<std::size_t>(at + 512, 2100);
            for (std::size_t i = begin; i + 1 < end; ++i) REQUIRE((bytes[i] == 2) == (bytes[i + 1] == 2));
            for (std::size_t i = end < at ? at : end; i < at + 512; ++i) REQUIRE(bytes[i] == 0);
        }
        CHECK(bytes[0] == 1);  // flushed
    }
    CHECK(seen.size() > 16);  // 5 pieces: at most 32 states
    CHECK(seen.size() <= 32);
}

TEST_CASE(
    "block/recording: of two unflushed writes to one place the first may remain, never a mixture backwards") {
    RecordingDevice device(std::make_shared<RamDevice>(512));
    REQUIRE(device.write(0, Buffer(512, 1)));
    REQUIRE(device.write(0, Buffer(512, 2)));
    std::set<u8> seen;
    for (u64 seed = 0; seed < 64; ++seed) seen.insert(state(device, 2, Unflushed::Scattered, seed)[0]);
    CHECK(seen == std::set<u8>{0, 1, 2});
}

TEST_CASE("block/recording: a discard takes effect in its order") {
    RecordingDevice device(std::make_shared<RamDevice>(4096));
    REQUIRE(device.write(0, Buffer(4096, 7)));
    REQUIRE(device.flush());
    REQUIRE(device.discard(0, 1024));
    CHECK(state(device, 3, Unflushed::Lost) == Buffer(4096, 7));
    CHECK(state(device, 3, Unflushed::Kept)[1023] == 0);
    CHECK(state(device, 3, Unflushed::Kept)[1024] == 7);
    CHECK(device.entries()[2].kind == RecordingDevice::Entry::Kind::Discard);
}
