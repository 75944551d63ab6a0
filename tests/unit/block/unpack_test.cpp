// SPDX-License-Identifier: MIT
#include "block/unpack.h"

#include "base/text.h"
#include "base/unpack_stream.h"
#include "block/ram_device.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

using namespace glassfs;
using namespace glassfs::block;

namespace {

constexpr std::size_t MiB = 1 << 20;

Buffer gzip(Bytes plain) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    Buffer out(deflateBound(&stream, static_cast<uLong>(plain.size())) + 64);
    stream.next_in = const_cast<Bytef*>(plain.data());
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

Buffer zstd(Bytes plain) {
    Buffer out(ZSTD_compressBound(plain.size()));
    const std::size_t size = ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3);
    REQUIRE(ZSTD_isError(size) == 0);
    out.resize(size);
    return out;
}

std::shared_ptr<Device> device_of(const Buffer& bytes) {
    auto device = std::make_shared<RamDevice>(bytes.size(), "disk.img.gz");
    REQUIRE(device->write(0, bytes));
    return device;
}

Result<std::shared_ptr<Device>> unpack(const Buffer& bytes, const UnpackLimits& limits = {}) {
    return unpacked(
        device_of(bytes), [](u64) { return true; }, limits);
}

// Mostly zeros, as an image is; its size is no multiple of anything.
Buffer image() {
    Buffer out(5 * MiB + 4097);
    for (std::size_t i = 0; i < 5000; ++i) out[2 * MiB + 777 + i] = static_cast<u8>(i * 31);
    out.back() = 7;
    return out;
}

}  // namespace

TEST_CASE("block/unpack: gzip and zstd give the image, byte for byte, and memory only for what isn't zeros") {
    const Buffer plain = image();
    for (const Buffer& packed : {gzip(plain), zstd(plain)}) {
        auto device = unpack(packed, {.image_bytes = 8 * MiB, .memory_bytes = 48 << 10});
        REQUIRE(device);
        CHECK((*device)->size() == plain.size());
        CHECK((*device)->name() == "disk.img.gz");
        Buffer back(plain.size());
        REQUIRE((*device)->read(0, back));
        CHECK(back == plain);
    }
}

TEST_CASE("block/unpack: members and frames behind each other are one image, and gzip may be padded") {
    const Buffer plain = image();
    const Bytes first = Bytes(plain).first(MiB);
    const Bytes second = Bytes(plain).subspan(MiB);
    for (auto pack : {gzip, zstd}) {
        Buffer packed = pack(first);
        const Buffer more = pack(second);
        packed.insert(packed.end(), more.begin(), more.end());
        if (pack == gzip) packed.resize(packed.size() + 1000);
        auto device = unpack(packed);
        REQUIRE(device);
        CHECK((*device)->size() == plain.size());
    }
}

TEST_CASE("block/unpack: what isn't packed is given back as it is") {
    auto device = device_of(image());
    auto same = unpacked(device, [](u64) { return true; });
    REQUIRE(same);
    CHECK(*same == device);
    CHECK(unpack(Buffer(3))->get()->size() == 3);
}

TEST_CASE("block/unpack: cut, damaged, too large and unknown files are each one clear error") {
    const Buffer plain = image();
    for (const Buffer& packed : {gzip(plain), zstd(plain)}) {
        for (std::size_t length : {packed.size() - 1, packed.size() / 2, std::size_t{7}}) {
            auto cut = unpack(Buffer(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(length)));
            REQUIRE_FALSE(cut);
            CHECK(cut.error().cause == Cause::CompressedDataBad);
        }
        auto large = unpack(packed, {.image_bytes = 4 * MiB});
        REQUIRE_FALSE(large);
        CHECK(large.error().cause == Cause::FileTooBig);
        CHECK(large.error().detail == "the image is larger than 4 MiB");
        auto dense = unpack(packed, {.image_bytes = 8 * MiB, .memory_bytes = 16 << 10});
        REQUIRE_FALSE(dense);
        CHECK(dense.error().cause == Cause::FileTooBig);
        auto cancelled = unpacked(device_of(packed), [](u64) { return false; });
        REQUIRE_FALSE(cancelled);
        CHECK(cancelled.error().cause == Cause::Cancelled);
    }
    Buffer sum = gzip(plain);
    sum[sum.size() - 6] ^= 1;  // of the checksum
    auto damaged = unpack(sum);
    REQUIRE_FALSE(damaged);
    CHECK(damaged.error().cause == Cause::CompressedDataBad);
    for (auto [head, name] : {std::pair(Buffer{0xfd, '7', 'z', 'X', 'Z', 0, 0, 4}, "xz"),
                              std::pair(Buffer{'B', 'Z', 'h', '9', 0x31, 0x41}, "bzip2")}) {
        auto unknown = unpack(head);
        REQUIRE_FALSE(unknown);
        CHECK(unknown.error().cause == Cause::NotSupported);
        CHECK(unknown.error().detail.find(name) != std::string::npos);
    }
}

TEST_CASE("block/unpack: any damage is an error or other bytes, never more") {
    const Buffer plain(200'000, 'q');
    for (const Buffer& packed : {gzip(plain), zstd(plain)}) {
        for (std::size_t at = 0; at < packed.size(); ++at) {
            Buffer bent = packed;
            bent[at] ^= static_cast<u8>(1 << (at % 8));
            auto device = unpack(bent, {.image_bytes = MiB, .memory_bytes = MiB});
            if (!device) CHECK_FALSE(device.error().message().empty());
        }
    }
}
