// SPDX-License-Identifier: MIT
// XXH64: four accumulators eat stripes of 32 bytes, are merged, then the tail and the length are mixed in.
#include "base/xxhash64.h"

#include "base/endian.h"

#include <array>
#include <bit>

namespace glassfs {
namespace {

constexpr u64 kPrime1 = 0x9e3779b185ebca87;
constexpr u64 kPrime2 = 0xc2b2ae3d27d4eb4f;
constexpr u64 kPrime3 = 0x165667b19e3779f9;
constexpr u64 kPrime4 = 0x85ebca77c2b2ae63;
constexpr u64 kPrime5 = 0x27d4eb2f165667c5;

u64 load_word(const u8* p) {
    return load<Le64>(Bytes{p, 8}).get();
}

u64 round_of(u64 accumulator, u64 lane) {
    return std::rotl(accumulator + lane * kPrime2, 31) * kPrime1;
}

u64 merged(u64 hash, u64 accumulator) {
    return (hash ^ round_of(0, accumulator)) * kPrime1 + kPrime4;
}

u64 avalanche(u64 hash) {
    hash = (hash ^ (hash >> 33)) * kPrime2;
    hash = (hash ^ (hash >> 29)) * kPrime3;
    return hash ^ (hash >> 32);
}

u64 with_tail(u64 hash, const u8* p, std::size_t left) {
    for (; left >= 8; p += 8, left -= 8) {
        hash = std::rotl(hash ^ round_of(0, load_word(p)), 27) * kPrime1 + kPrime4;
    }
    if (left >= 4) {
        const u64 half = load<Le32>(Bytes{p, 4}).get();
        hash = std::rotl(hash ^ (half * kPrime1), 23) * kPrime2 + kPrime3;
        p += 4;
        left -= 4;
    }
    for (; left > 0; ++p, --left) hash = std::rotl(hash ^ (*p * kPrime5), 11) * kPrime1;
    return hash;
}

}  // namespace

u64 xxhash64(Bytes bytes, u64 seed) {
    const u8* p = bytes.data();
    std::size_t left = bytes.size();
    u64 hash = seed + kPrime5;
    if (left >= 32) {
        u64 a = seed + kPrime1 + kPrime2;
        u64 b = seed + kPrime2;
        u64 c = seed;
        u64 d = seed - kPrime1;
        for (; left >= 32; p += 32, left -= 32) {
            a = round_of(a, load_word(p));
            b = round_of(b, load_word(p + 8));
            c = round_of(c, load_word(p + 16));
            d = round_of(d, load_word(p + 24));
        }
        hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
        hash = merged(merged(merged(merged(hash, a), b), c), d);
    }
    return avalanche(with_tail(hash + bytes.size(), p, left));
}

}  // namespace glassfs
