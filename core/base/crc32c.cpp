// SPDX-License-Identifier: MIT
// CRC-32C at memory speed.
//
// One register is a chain of dependent steps and leaves most of the CPU idle. So long input is cut into
// rounds of three lanes, whose registers advance side by side and are joined afterwards:
//
//     | lane A | lane B | lane C |        register = shift(shift(a) ^ b) ^ c
//
// where shift() pushes a register through one lane of zeros. That is linear in the register's bits, so
// four tables of 256 entries do it. A lane of 1360 bytes leaves 16 of a sector's 4096 and 32 of a 16 KiB
// node's 16352 checksummed bytes to the single-lane tail.
#include "base/crc32c.h"

#include "base/endian.h"

#include <array>
#include <bit>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace glassfs {
namespace {

constexpr u32 kPolynomial = 0x82f63b78;  // Castagnoli, bits reversed
constexpr std::size_t kLane = 1360;
static_assert(kLane % 8 == 0);

using ByteTable = std::array<u32, 256>;

// slices[k][b]: the register after byte b and then k zero bytes.
constexpr std::array<ByteTable, 8> make_slices() {
    std::array<ByteTable, 8> slices{};
    for (u32 b = 0; b < 256; ++b) {
        u32 crc = b;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
        slices[0][b] = crc;
    }
    for (std::size_t k = 1; k < 8; ++k) {
        for (std::size_t b = 0; b < 256; ++b) {
            const u32 crc = slices[k - 1][b];
            slices[k][b] = (crc >> 8) ^ slices[0][crc & 0xff];
        }
    }
    return slices;
}
constexpr auto kSlices = make_slices();

// shift[k][b]: the register whose byte k is b, after one lane of zeros.
constexpr std::array<ByteTable, 4> make_lane_shift() {
    std::array<ByteTable, 4> shift{};
    for (unsigned bit = 0; bit < 32; ++bit) {
        u32 crc = u32{1} << bit;
        for (std::size_t i = 0; i < kLane; ++i) crc = (crc >> 8) ^ kSlices[0][crc & 0xff];
        shift[bit / 8][std::size_t{1} << (bit % 8)] = crc;
    }
    for (auto& table : shift) {
        for (std::size_t b = 1; b < 256; ++b) table[b] = table[b & (b - 1)] ^ table[b & (~b + 1)];
    }
    return shift;
}
constexpr auto kLaneShift = make_lane_shift();

u32 shift_by_lane(u32 crc) {
    return kLaneShift[0][crc & 0xff] ^ kLaneShift[1][(crc >> 8) & 0xff] ^ kLaneShift[2][(crc >> 16) & 0xff] ^
           kLaneShift[3][crc >> 24];
}

u64 load_word(const u8* p) {
    return load<Le64>(Bytes{p, 8}).get();
}

u32 step_byte(u32 crc, u8 byte) {
    return (crc >> 8) ^ kSlices[0][(crc ^ byte) & 0xff];
}

u32 step_word(u32 crc, u64 word) {
    word ^= crc;
    return kSlices[7][word & 0xff] ^ kSlices[6][(word >> 8) & 0xff] ^ kSlices[5][(word >> 16) & 0xff] ^
           kSlices[4][(word >> 24) & 0xff] ^ kSlices[3][(word >> 32) & 0xff] ^
           kSlices[2][(word >> 40) & 0xff] ^ kSlices[1][(word >> 48) & 0xff] ^ kSlices[0][word >> 56];
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) u32 crc32c_raw_sse42(u32 seed, Bytes bytes) {
    const u8* p = bytes.data();
    std::size_t left = bytes.size();
    u64 crc = seed;
    for (; left >= 3 * kLane; p += 3 * kLane, left -= 3 * kLane) {
        u64 b = 0;
        u64 c = 0;
        for (std::size_t i = 0; i < kLane; i += 8) {
            crc = _mm_crc32_u64(crc, load_word(p + i));
            b = _mm_crc32_u64(b, load_word(p + kLane + i));
            c = _mm_crc32_u64(c, load_word(p + 2 * kLane + i));
        }
        crc = shift_by_lane(shift_by_lane(static_cast<u32>(crc)) ^ static_cast<u32>(b)) ^ c;
    }
    for (; left >= 8; p += 8, left -= 8) crc = _mm_crc32_u64(crc, load_word(p));
    auto narrow = static_cast<u32>(crc);
    for (; left > 0; ++p, --left) narrow = _mm_crc32_u8(narrow, *p);
    return narrow;
}
#endif

using Update = u32 (*)(u32, Bytes);

Update best_update() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) return crc32c_raw_sse42;
#endif
    return crc32c_raw_portable;
}

}  // namespace

u32 crc32c_raw_portable(u32 seed, Bytes bytes) {
    const u8* p = bytes.data();
    std::size_t left = bytes.size();
    u32 crc = seed;
    for (; left >= 3 * kLane; p += 3 * kLane, left -= 3 * kLane) {
        u32 b = 0;
        u32 c = 0;
        for (std::size_t i = 0; i < kLane; i += 8) {
            crc = step_word(crc, load_word(p + i));
            b = step_word(b, load_word(p + kLane + i));
            c = step_word(c, load_word(p + 2 * kLane + i));
        }
        crc = shift_by_lane(shift_by_lane(crc) ^ b) ^ c;
    }
    for (; left >= 8; p += 8, left -= 8) crc = step_word(crc, load_word(p));
    for (; left > 0; ++p, --left) crc = step_byte(crc, *p);
    return crc;
}

u32 crc32c_raw(u32 seed, Bytes bytes) {
    static const Update update = best_update();
    return update(seed, bytes);
}

}  // namespace glassfs
