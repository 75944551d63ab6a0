// SPDX-License-Identifier: MIT
// BLAKE2b: blocks of 128 bytes are mixed into eight words over twelve rounds. The last block, even a full
// one, is padded with zeros and marked, so at least one byte (or nothing at all) is always kept for it.
#include "base/blake2b.h"

#include "base/endian.h"

#include <bit>
#include <cstring>
#include <utility>

namespace glassfs {
namespace {

constexpr std::array<u64, 8> kInitial = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                         0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                         0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// The order in which a round takes the block's words.
constexpr std::array<std::array<u8, 16>, 10> kSigma = {
    {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
     {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
     {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
     {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
     {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
     {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
     {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
     {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
     {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}}};

constexpr std::size_t kBlock = 128;

using State = std::array<u64, 8>;
using Work = std::array<u64, 16>;
using Words = std::array<u64, 16>;

inline void mix(u64& a, u64& b, u64& c, u64& d, u64 x, u64 y) {
    a += b + x;
    d = std::rotr(d ^ a, 32);
    c += d;
    b = std::rotr(b ^ c, 24);
    a += b + y;
    d = std::rotr(d ^ a, 16);
    c += d;
    b = std::rotr(b ^ c, 63);
}

// A template, so that each round's word order is known when it is compiled.
template <std::size_t Round>
inline void mix_round(Work& v, const Words& m) {
    constexpr auto s = kSigma[Round % 10];
    mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
    mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
    mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
    mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
    mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
    mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
    mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
    mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
}

template <std::size_t... Round>
inline void mix_rounds(Work& v, const Words& m, std::index_sequence<Round...>) {
    (mix_round<Round>(v, m), ...);
}

enum class Position { Middle, Last };

// `total` counts the message's bytes up to the end of this block, without padding.
void compress(State& state, const u8* block, u64 total, Position position) {
    Words m;
    for (std::size_t i = 0; i < 16; ++i) m[i] = load<Le64>(Bytes{block, kBlock}, 8 * i).get();
    Work v;
    for (std::size_t i = 0; i < 8; ++i) v[i] = state[i];
    for (std::size_t i = 0; i < 8; ++i) v[8 + i] = kInitial[i];
    v[12] ^= total;  // the counter's upper 64 bits stay zero: no message here is that long
    if (position == Position::Last) v[14] = ~v[14];
    mix_rounds(v, m, std::make_index_sequence<12>{});
    for (std::size_t i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[8 + i];
}

}  // namespace

std::array<u8, 32> blake2b_256(Bytes bytes) {
    State state = kInitial;
    state[0] ^= 0x01010000 ^ 32;  // parameter block: fan-out 1, depth 1, no key, digest of 32 bytes
    u64 total = 0;
    Bytes left = bytes;
    for (; left.size() > kBlock; left = left.subspan(kBlock)) {
        total += kBlock;
        compress(state, left.data(), total, Position::Middle);
    }
    std::array<u8, kBlock> last{};
    if (!left.empty()) std::memcpy(last.data(), left.data(), left.size());
    compress(state, last.data(), bytes.size(), Position::Last);

    std::array<u8, 32> digest;
    for (std::size_t i = 0; i < 4; ++i) {
        const Le64 word = state[i];
        std::memcpy(digest.data() + 8 * i, &word, sizeof word);
    }
    return digest;
}

}  // namespace glassfs
