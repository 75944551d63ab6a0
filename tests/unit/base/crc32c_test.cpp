// SPDX-License-Identifier: MIT
// CRC-32C against published values, a bit-at-a-time model, and the two implementations against each other.
#include "base/crc32c.h"

#include "samples.h"

#include <doctest/doctest.h>

using namespace glassfs;
using samples::noise;
using samples::pattern;

namespace {

u32 bit_at_a_time(u32 crc, Bytes bytes) {
    for (const u8 byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    }
    return crc;
}

}  // namespace

TEST_CASE("base/crc32c: the values published in RFC 3720 come out") {
    CHECK(crc32c(as_bytes("123456789")) == 0xe3069283);
    CHECK(crc32c(Buffer(32, 0x00)) == 0x8a9136aa);
    CHECK(crc32c(Buffer(32, 0xff)) == 0x62a8ab43);
    Buffer ascending(32);
    for (u8 i = 0; i < 32; ++i) ascending[i] = i;
    CHECK(crc32c(ascending) == 0x46dd794e);
    CHECK(crc32c(Bytes{}) == 0);
}

TEST_CASE("base/crc32c: btrfs's hash of a name is the bare register started at ~1") {
    CHECK(crc32c_raw(~u32{1}, as_bytes("default")) == 2378154706);  // DIR_ITEM of every btrfs's root tree
    CHECK(crc32c(~u32{1}, as_bytes("foo")) == 0x957ac39c);
}

TEST_CASE("base/crc32c: sizes around words, lanes and rounds agree with a bitwise CRC") {
    for (std::size_t size : {0UZ, 1UZ, 7UZ, 8UZ, 9UZ, 15UZ, 1359UZ, 1360UZ, 1361UZ, 4079UZ, 4080UZ, 4081UZ,
                             4096UZ, 8159UZ, 8160UZ, 16352UZ}) {
        const Buffer bytes = pattern(size);
        CHECK(crc32c(bytes) == ~bit_at_a_time(~u32{0}, bytes));
        CHECK(crc32c_raw_portable(12345, bytes) == bit_at_a_time(12345, bytes));
    }
    CHECK(crc32c(pattern(16352)) == 0x82d3c8de);
}

TEST_CASE("base/crc32c: the CPU's instruction and the tables give the same for every length and alignment") {
    const Buffer bytes = noise(9000, 3);
    for (std::size_t size = 0; size < 9000 - 16; size += 1 + size / 16) {
        const Bytes part = Bytes{bytes}.subspan(size % 16, size);
        CHECK(crc32c_raw(~u32{0}, part) == crc32c_raw_portable(~u32{0}, part));
    }
}

TEST_CASE("base/crc32c: a register carried across pieces equals one pass") {
    const Buffer bytes = noise(20000, 4);
    const u32 whole = crc32c_raw(77, bytes);
    for (std::size_t cut : {0UZ, 1UZ, 1000UZ, 4080UZ, 4083UZ, 19999UZ, 20000UZ}) {
        CHECK(crc32c_raw(crc32c_raw(77, Bytes{bytes}.first(cut)), Bytes{bytes}.subspan(cut)) == whole);
    }
}
