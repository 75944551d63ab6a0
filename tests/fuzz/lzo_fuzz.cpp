// SPDX-License-Identifier: MIT
// LZO under libFuzzer. The first two bytes choose the output's size, the rest is taken as a stream, as an
// extent in btrfs's framing, and as data that must survive a round trip.
#include "base/compression.h"
#include "base/lzo.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace glassfs;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void decode_anything(Bytes in, std::size_t capacity) {
    const auto out = std::make_unique<u8[]>(capacity);
    const auto plain = lzo1x_decompress(in, {out.get(), capacity});
    require(!plain || *plain <= capacity);
    const u32 sectorsize = 512;
    const auto framed = decompress(Compression::Lzo, in, {out.get(), capacity}, sectorsize);
    require(!framed || *framed <= capacity);
}

void survive_round_trip(Bytes in) {
    const std::size_t worst = lzo1x_worst_case(in.size());
    const auto packed = std::make_unique<u8[]>(worst);
    const std::size_t size = lzo1x_1_compress(in, {packed.get(), worst});
    require(size <= worst);
    const auto out = std::make_unique<u8[]>(in.size());
    const auto produced = lzo1x_decompress({packed.get(), size}, {out.get(), in.size()});
    require(produced && *produced == in.size());
    require(in.empty() || std::memcmp(out.get(), in.data(), in.size()) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t capacity = data[0] + 256U * (data[1] % 32);
    decode_anything({data + 2, size - 2}, capacity);
    survive_round_trip({data + 2, size - 2});
    return 0;
}
