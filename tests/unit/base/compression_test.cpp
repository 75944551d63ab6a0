// SPDX-License-Identifier: MIT
// Compressed extents: streams from other encoders, round trips of all three, padding, short ends, and damage.
#include "base/compression.h"

#include "base/endian.h"
#include "samples.h"

#include <doctest/doctest.h>
#include <memory>
#include <string>

using namespace glassfs;
using samples::from_hex;

namespace {

constexpr u32 kSector = 4096;
constexpr Compression kAll[] = {Compression::Zlib, Compression::Lzo, Compression::Zstd};

// Exact heap buffers, so that ASan sees a step outside.
Result<Buffer> unpacked(Compression compression, Bytes in, std::size_t size, u32 sectorsize = kSector) {
    const auto input = std::make_unique<u8[]>(in.size());
    const auto output = std::make_unique<u8[]>(size);
    std::copy(in.begin(), in.end(), input.get());
    const std::size_t produced =
        TRY(decompress(compression, {input.get(), in.size()}, {output.get(), size}, sectorsize));
    REQUIRE(produced <= size);
    return Buffer(output.get(), output.get() + produced);
}

Buffer packed(Compression compression, Bytes in, u32 sectorsize = kSector, int level = 0) {
    Buffer out(in.size() * 2 + 256);
    const auto size = compress(compression, level, in, out, sectorsize);
    REQUIRE(size.has_value());
    out.resize(*size);
    return out;
}

std::string refusal(Compression compression, Bytes in, Cause cause = Cause::CompressedDataBad) {
    const auto result = unpacked(compression, in, 4096);
    if (result) return "accepted";
    CHECK(result.error().cause == cause);
    return result.error().detail;
}

void append_number(Buffer& bytes, std::size_t number) {
    const Le32 stored = static_cast<u32>(number);
    const auto* raw = reinterpret_cast<const u8*>(&stored);
    bytes.insert(bytes.end(), raw, raw + sizeof stored);
}

}  // namespace

TEST_CASE("base/compression: streams made by Python's zlib and the zstd tool come out") {
    const std::string text = "GlassFS GlassFS GlassFS GlassFS\n";
    for (const auto& [compression, hex] :
         {std::pair{Compression::Zlib, "789c73cf492c2e760b5670c74e730100b5ee0ab7"},
          std::pair{Compression::Zstd, "28b52ffd04587d000048476c6173734653200a0100ab0b1735e84f70"}}) {
        const auto result = unpacked(compression, from_hex(hex), 4096);
        REQUIRE(result.has_value());
        CHECK(as_text(*result) == text);
    }
}

TEST_CASE("base/compression: LZO segments stand behind a total and their lengths") {
    // total 28 | length 8: "abcd" | length 8: "abcd"
    const Buffer extent = from_hex("1c000000080000001561626364110000080000001561626364110000");
    const auto result = unpacked(Compression::Lzo, extent, 4096);
    REQUIRE(result.has_value());
    CHECK(as_text(*result) == "abcdabcd");
}

TEST_CASE("base/compression: the length of an LZO segment skips the last bytes of a sector") {
    const Buffer stream = from_hex("1561626364110000");
    for (const std::size_t left : {0UZ, 1UZ, 2UZ, 3UZ, 4UZ}) {
        const u32 sectorsize = 32;
        // The first segment is stretched by literals to end `left` bytes before the sector does.
        Buffer literals = samples::pattern(sectorsize - left - 8 - 1 - 3);
        Buffer extent;
        append_number(extent, 0);
        append_number(extent, literals.size() + 4);
        extent.push_back(static_cast<u8>(17 + literals.size()));
        extent.insert(extent.end(), literals.begin(), literals.end());
        const Buffer end = from_hex("110000");
        extent.insert(extent.end(), end.begin(), end.end());
        if (left < 4) extent.resize(sectorsize, 0xee);
        append_number(extent, stream.size());
        extent.insert(extent.end(), stream.begin(), stream.end());
        extent[0] = static_cast<u8>(extent.size());
        const auto result = unpacked(Compression::Lzo, extent, 64, sectorsize);
        REQUIRE(result.has_value());
        for (const char c : {'a', 'b', 'c', 'd'}) literals.push_back(static_cast<u8>(c));
        CHECK(*result == literals);
    }
}

TEST_CASE("base/compression: whole extents of every kind of data survive a round trip") {
    for (const Compression compression : kAll) {
        for (const std::size_t size : {1UZ, 100UZ, 4095UZ, 4096UZ, 4097UZ, 40000UZ, 131072UZ}) {
            for (const Buffer& bytes :
                 {samples::pattern(size), samples::noise(size, size), samples::prose(size, size),
                  Buffer(size, 0), samples::mixture(size, 9)}) {
                for (const u32 sectorsize : {4096U, 16384U, 65536U}) {
                    const Buffer extent = packed(compression, bytes, sectorsize);
                    const auto result = unpacked(compression, extent, size, sectorsize);
                    REQUIRE(result.has_value());
                    REQUIRE(*result == bytes);
                }
            }
        }
    }
}

TEST_CASE("base/compression: zeros behind the end of an extent don't matter") {
    const Buffer bytes = samples::prose(20000, 2);
    for (const Compression compression : kAll) {
        Buffer extent = packed(compression, bytes);
        extent.resize((extent.size() / kSector + 1) * kSector, 0);
        const auto result = unpacked(compression, extent, bytes.size());
        REQUIRE(result.has_value());
        CHECK(*result == bytes);
    }
}

TEST_CASE("base/compression: only what fits is produced, to the byte") {
    const Buffer bytes = samples::prose(20000, 3);
    for (const Compression compression : kAll) {
        const Buffer extent = packed(compression, bytes);
        for (const std::size_t size : {0UZ, 1UZ, 4095UZ, 4096UZ, 4097UZ, 10000UZ, 19999UZ}) {
            const auto result = unpacked(compression, extent, size);
            REQUIRE(result.has_value());
            CHECK(*result == Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
        }
    }
}

TEST_CASE("base/compression: an extent that holds less leaves zeros") {
    const Buffer bytes = samples::prose(5000, 4);
    for (const Compression compression : kAll) {
        const Buffer extent = packed(compression, bytes);
        Buffer out(9000, 0xee);
        CHECK(decompress(compression, extent, out, kSector) == 5000UZ);
        Buffer expected = bytes;
        expected.resize(9000, 0);
        CHECK(out == expected);
    }
}

TEST_CASE("base/compression: an extent cut short is an error until it holds all that is asked for") {
    const Buffer bytes = samples::prose(6000, 5);
    for (const Compression compression : kAll) {
        const Buffer extent = packed(compression, bytes);
        for (std::size_t size = 0; size < extent.size() - 8; ++size) {
            const auto result = unpacked(compression, Bytes{extent}.first(size), bytes.size());
            CHECK_FALSE(result.has_value());
        }
    }
    const Buffer zlib = packed(Compression::Zlib, bytes);
    const auto half = unpacked(Compression::Zlib, Bytes{zlib}.first(zlib.size() / 2), 1000);
    REQUIRE(half.has_value());
    CHECK(std::equal(half->begin(), half->end(), bytes.begin()));
}

TEST_CASE("base/compression: zlib's own checksum is not looked at, as in Linux") {
    const Buffer bytes = samples::prose(1000, 6);
    Buffer extent = packed(Compression::Zlib, bytes);
    extent.back() ^= 0xff;
    const auto result = unpacked(Compression::Zlib, extent, 4096);
    REQUIRE(result.has_value());
    CHECK(*result == bytes);
}

TEST_CASE("base/compression: damage is named with its format") {
    const Cause framing = Cause::CompressedFramingBad;
    CHECK(refusal(Compression::Zlib, {}) == "zlib: no zlib header");
    CHECK(refusal(Compression::Zlib, from_hex("789d0000")) == "zlib: no zlib header");
    CHECK(refusal(Compression::Zlib, from_hex("789cffff")) == "zlib: invalid block type");
    CHECK(refusal(Compression::Zlib, from_hex("789c")) == "zlib: the stream ends early");
    CHECK(refusal(Compression::Zstd, {}) == "zstd: the frame ends early");
    CHECK(refusal(Compression::Zstd, from_hex("0000000000000000")).starts_with("zstd: "));
    CHECK(refusal(Compression::Lzo, from_hex("0800"), framing) == "lzo: no total length");
    CHECK(refusal(Compression::Lzo, from_hex("00000000"), framing) ==
          "lzo: total length 0, the extent has 4");
    CHECK(refusal(Compression::Lzo, from_hex("09000000ffffffff"), framing) ==
          "lzo: total length 9, the extent has 8");
    CHECK(refusal(Compression::Lzo, from_hex("0600000000000000"), framing) ==
          "lzo: a segment's length lies beyond the total length");
    CHECK(refusal(Compression::Lzo, from_hex("08000000ffffffff"), framing) ==
          "lzo: segment of 4294967295 bytes, 0 are left");
}

TEST_CASE("base/compression: any changed byte stays inside the buffers") {
    const Buffer bytes = samples::mixture(9000, 7);
    for (const Compression compression : kAll) {
        const Buffer extent = packed(compression, bytes);
        std::size_t noticed = 0;
        for (std::size_t at = 0; at < extent.size(); ++at) {
            for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
                Buffer damaged = extent;
                damaged[at] = static_cast<u8>(damaged[at] ^ flip);
                const auto result = unpacked(compression, damaged, bytes.size());
                noticed += result && *result == bytes ? 0 : 1;
            }
        }
        CHECK(noticed > extent.size());
    }
}

TEST_CASE("base/compression: a zstd frame in pieces may ask for a window of 128 KiB and no more") {
    // Magic, no content size, the window, one raw block of one byte that is not the last.
    CHECK(refusal(Compression::Zstd, from_hex("28b52ffd003808000061")) == "zstd: the frame ends early");
    CHECK(refusal(Compression::Zstd, from_hex("28b52ffd004008000061")) ==
          "zstd: Frame requires too much memory for decoding");
}

TEST_CASE("base/compression: uncompressed bytes are copied and unknown kinds refused") {
    const Buffer bytes = samples::pattern(100);
    const auto copy = unpacked(Compression::None, bytes, 60);
    REQUIRE(copy.has_value());
    CHECK(*copy == samples::pattern(60));
    const auto unknown = unpacked(static_cast<Compression>(4), bytes, 60);
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().cause == Cause::CompressionUnknown);
    CHECK(std::string_view{compression_name(static_cast<Compression>(4))} == "unknown");
    CHECK(std::string_view{compression_name(Compression::Zstd)} == "zstd");
}

TEST_CASE("base/compression: compressing into too little room says so, and levels pay off") {
    const Buffer noise = samples::noise(8192, 8);
    Buffer out(8192);
    for (const Compression compression : kAll) {
        const auto result = compress(compression, 0, noise, out, kSector);
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().cause == Cause::NoSpace);
    }
    const Buffer prose = samples::prose(131072, 9);
    for (const Compression compression : {Compression::Zlib, Compression::Zstd}) {
        CHECK(packed(compression, prose, kSector, 9).size() < packed(compression, prose, kSector, 1).size());
    }
    const auto too_much = compress(Compression::Zstd, 0, Buffer(131073), out, kSector);
    REQUIRE_FALSE(too_much.has_value());
    CHECK(too_much.error().cause == Cause::InvalidArgument);
}
