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
//
// WebAssembly has no such instruction, but one that looks 16 bytes up in a table of 16 at once. There a round
// is 16 lanes of 256 bytes; four vectors hold byte 0 to 3 of all 16 registers, and a step takes one byte of
// each lane: what a byte does to the register is what its two halves do, each a lookup.
#include "base/crc32c.h"

#include "base/endian.h"

#include <array>
#include <bit>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
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

using ShiftTables = std::array<ByteTable, 4>;

// shift[k][b]: the register whose byte k is b, after `zeros` bytes of zero.
constexpr ShiftTables make_shift(std::size_t zeros) {
    ShiftTables shift{};
    for (unsigned bit = 0; bit < 32; ++bit) {
        u32 crc = u32{1} << bit;
        for (std::size_t i = 0; i < zeros; ++i) crc = (crc >> 8) ^ kSlices[0][crc & 0xff];
        shift[bit / 8][std::size_t{1} << (bit % 8)] = crc;
    }
    for (auto& table : shift) {
        for (std::size_t b = 1; b < 256; ++b) table[b] = table[b & (b - 1)] ^ table[b & (~b + 1)];
    }
    return shift;
}
constexpr ShiftTables kLaneShift = make_shift(kLane);

u32 shifted(const ShiftTables& shift, u32 crc) {
    return shift[0][crc & 0xff] ^ shift[1][(crc >> 8) & 0xff] ^ shift[2][(crc >> 16) & 0xff] ^
           shift[3][crc >> 24];
}

u32 shift_by_lane(u32 crc) {
    return shifted(kLaneShift, crc);
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

#if defined(__wasm_simd128__)
constexpr std::size_t kNarrowLane = 256;
constexpr std::size_t kNarrowLanes = 16;
constexpr ShiftTables kNarrowShift = make_shift(kNarrowLane);

// half[h][k][v]: byte k of what a register's low byte does to it in a step of one byte, if its half h is v
// and the other one 0.
constexpr auto kHalves = [] {
    std::array<std::array<std::array<u8, 16>, 4>, 2> half{};
    for (std::size_t v = 0; v < 16; ++v) {
        for (std::size_t k = 0; k < 4; ++k) {
            half[0][k][v] = static_cast<u8>(kSlices[0][v] >> (8 * k));
            half[1][k][v] = static_cast<u8>(kSlices[0][v << 4] >> (8 * k));
        }
    }
    return half;
}();

using Rows = std::array<v128_t, 16>;

// Byte j of row i becomes byte i of row j: four times, two halves are shuffled into one another.
void transpose(Rows& rows) {
    for (int round = 0; round < 4; ++round) {
        Rows out;
        for (std::size_t i = 0; i < 8; ++i) {
            const v128_t a = rows[i];
            const v128_t b = rows[i + 8];
            out[2 * i] = wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            out[2 * i + 1] =
                wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
        rows = out;
    }
}

u32 crc32c_raw_lanes(u32 seed, Bytes bytes) {
    constexpr std::size_t round = kNarrowLane * kNarrowLanes;
    std::array<std::array<v128_t, 4>, 2> half;
    for (std::size_t h = 0; h < 2; ++h) {
        for (std::size_t k = 0; k < 4; ++k) half[h][k] = wasm_v128_load(kHalves[h][k].data());
    }
    const v128_t low_half = wasm_i8x16_splat(15);
    u32 crc = seed;
    for (; bytes.size() >= round; bytes = bytes.subspan(round)) {
        std::array<v128_t, 4> reg{};
        for (std::size_t k = 0; k < 4; ++k) {
            reg[k] = wasm_u8x16_replace_lane(wasm_i8x16_splat(0), 0, static_cast<u8>(crc >> (8 * k)));
        }
        for (std::size_t at = 0; at < kNarrowLane; at += 16) {
            Rows rows;
            for (std::size_t lane = 0; lane < kNarrowLanes; ++lane) {
                rows[lane] = wasm_v128_load(bytes.data() + lane * kNarrowLane + at);
            }
            transpose(rows);
            for (const v128_t row : rows) {
                const v128_t byte = wasm_v128_xor(reg[0], row);
                const v128_t low = wasm_v128_and(byte, low_half);
                const v128_t high = wasm_u8x16_shr(byte, 4);
                for (std::size_t k = 0; k < 4; ++k) {
                    const v128_t moved = wasm_v128_xor(wasm_i8x16_swizzle(half[0][k], low),
                                                       wasm_i8x16_swizzle(half[1][k], high));
                    reg[k] = k < 3 ? wasm_v128_xor(reg[k + 1], moved) : moved;
                }
            }
        }
        std::array<std::array<u8, 16>, 4> out;
        for (std::size_t k = 0; k < 4; ++k) wasm_v128_store(out[k].data(), reg[k]);
        crc = 0;
        for (std::size_t lane = 0; lane < kNarrowLanes; ++lane) {
            u32 of_lane = 0;
            for (std::size_t k = 0; k < 4; ++k) of_lane |= u32{out[k][lane]} << (8 * k);
            crc = shifted(kNarrowShift, crc) ^ of_lane;
        }
    }
    return crc32c_raw_portable(crc, bytes);
}
#endif

using Update = u32 (*)(u32, Bytes);

Update best_update() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) return crc32c_raw_sse42;
#elif defined(__wasm_simd128__)
    return crc32c_raw_lanes;
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
