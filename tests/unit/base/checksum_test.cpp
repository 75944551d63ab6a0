// SPDX-License-Identifier: MIT
// The four checksums as btrfs stores them.
#include "base/checksum.h"

#include "base/text.h"
#include "samples.h"

#include <doctest/doctest.h>
#include <string_view>

using namespace glassfs;

TEST_CASE("base/checksum: the superblock's numbers, sizes and names") {
    CHECK(checksum_type(0) == ChecksumType::Crc32c);
    CHECK(checksum_type(3) == ChecksumType::Blake2b);
    CHECK_FALSE(checksum_type(4).has_value());
    const struct {
        ChecksumType type;
        std::size_t size;
        std::string_view name;
    } expected[] = {{ChecksumType::Crc32c, 4, "crc32c"},
                    {ChecksumType::Xxhash64, 8, "xxhash64"},
                    {ChecksumType::Sha256, 32, "sha256"},
                    {ChecksumType::Blake2b, 32, "blake2b"}};
    for (const auto& e : expected) {
        CHECK(checksum_size(e.type) == e.size);
        CHECK(checksum_name(e.type) == e.name);
        CHECK(checksum(e.type, as_bytes("x")).stored().size() == e.size);
    }
}

TEST_CASE("base/checksum: numbers lie little-endian at the front and zeros behind") {
    const Checksum crc = checksum(ChecksumType::Crc32c, as_bytes("123456789"));
    CHECK(hex_bytes(crc.bytes) == "839206e3" + std::string(56, '0'));
    const Checksum xxh = checksum(ChecksumType::Xxhash64, Bytes{});
    CHECK(hex_bytes(xxh.bytes) == "99e9d85137db46ef" + std::string(48, '0'));
    CHECK(hex_bytes(checksum(ChecksumType::Sha256, as_bytes("abc")).bytes) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(hex_bytes(checksum(ChecksumType::Blake2b, as_bytes("abc")).bytes) ==
          "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST_CASE("base/checksum: only the type's bytes of a stored field count") {
    const Buffer data = samples::pattern(4096);
    for (u16 number = 0; number < 4; ++number) {
        const ChecksumType type = *checksum_type(number);
        const Checksum computed = checksum(type, data);
        Buffer field(32, 0xee);
        std::copy(computed.stored().begin(), computed.stored().end(), field.begin());
        CHECK(checksum_stored(type, field) == computed);
        CHECK(checksum_stored(type, computed.stored()) == computed);
        field[checksum_size(type) - 1] ^= 1;
        CHECK_FALSE(checksum_stored(type, field) == computed);
    }
}
