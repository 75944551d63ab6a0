// SPDX-License-Identifier: MIT
// The LZO1X decoder and encoder; the header describes the stream.
//
// Both copy in strides of 16 or 8 bytes where the buffers have room for a whole stride, and exactly
// otherwise.
#include "base/lzo.h"

#include "base/endian.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace glassfs {
namespace {

constexpr std::size_t kFarDistance = 16384;  // added by the 0001HLLL form

// ---- Decoder

struct Decoder {
    const u8* in;
    const u8* in_end;
    u8* out_begin;
    u8* out;
    u8* out_end;

    std::size_t in_left() const { return static_cast<std::size_t>(in_end - in); }
    std::size_t out_left() const { return static_cast<std::size_t>(out_end - out); }
    std::size_t produced() const { return static_cast<std::size_t>(out - out_begin); }
};

// Why decoding stopped; a message or, for Ended, null.
using Fault = const char*;
constexpr Fault kEnded = nullptr;
constexpr Fault kInputEnds = "lzo: the stream ends early";
constexpr Fault kOutputFull = "lzo: the stream produces more than the buffer holds";
constexpr Fault kTooFar = "lzo: a match reaches back before the start";
constexpr Fault kBadEnd = "lzo: malformed end marker";
constexpr Fault kTrailing = "lzo: bytes behind the end marker";

// Reads the bytes that extend a length whose L is zero; `length` comes in holding the form's largest plain
// length. False if the input ends. Stops where the output couldn't take it, so that nothing overflows.
inline bool extend_length(Decoder& d, std::size_t& length) {
    for (;;) {
        if (d.in == d.in_end) return false;
        const u8 byte = *d.in++;
        if (byte != 0) {
            length += byte;
            return true;
        }
        length += 255;
        if (length > d.out_left()) return true;  // the copy that follows refuses it
    }
}

inline Fault copy_literals(Decoder& d, std::size_t count) {
    if (count <= 16 && d.in_left() >= 16 && d.out_left() >= 16) [[likely]] {
        std::memcpy(d.out, d.in, 16);
    } else {
        if (count > d.out_left()) return kOutputFull;
        if (count > d.in_left()) return kInputEnds;
        if (count > 0) std::memcpy(d.out, d.in, count);
    }
    d.in += count;
    d.out += count;
    return nullptr;
}

// Source and target may overlap: a distance shorter than the length repeats its bytes.
inline Fault copy_match(Decoder& d, std::size_t distance, std::size_t length) {
    if (distance > d.produced()) return kTooFar;
    if (length > d.out_left()) return kOutputFull;
    u8* to = d.out;
    const u8* from = to - distance;
    d.out += length;
    if (distance >= 8 && static_cast<std::size_t>(d.out_end - to) >= length + 16) [[likely]] {
        // A stride may write up to 15 bytes behind the match, inside the buffer.
        const std::size_t stride = distance >= 16 ? 16 : 8;
        for (; to < d.out; to += stride, from += stride) {
            if (stride == 16)
                std::memcpy(to, from, 16);
            else
                std::memcpy(to, from, 8);
        }
    } else if (distance == 1) {
        std::memset(to, *from, length);
    } else {
        while (to < d.out) *to++ = *from++;
    }
    return nullptr;
}

struct Match {
    std::size_t distance = 0;
    std::size_t length = 0;
    std::size_t literals = 0;  // that follow it
};

// The forms with one byte behind the first: 0000DDSS, 01LDDDSS, 1LLDDDSS.
inline bool read_near_match(Decoder& d, u32 first, bool after_run, Match& match) {
    if (d.in == d.in_end) return false;
    const std::size_t high = *d.in++;
    match.literals = first & 3;
    if (first < 16) {
        match.length = after_run ? 3 : 2;
        match.distance = (high << 2) + (first >> 2) + (after_run ? 2049 : 1);
        return true;
    }
    match.length = (first >> 5) + 1;
    match.distance = (high << 3) + ((first >> 2) & 7) + 1;
    return true;
}

// The forms with two bytes behind the first, and maybe a longer length between them: 0001HLLL, 001LLLLL.
inline bool read_far_match(Decoder& d, u32 first, Match& match) {
    const u32 length_mask = first < 32 ? 7 : 31;
    match.length = 2 + (first & length_mask);
    if (match.length == 2) {
        match.length += length_mask;
        if (!extend_length(d, match.length)) return false;
    }
    if (d.in_left() < 2) return false;
    const std::size_t word = load<Le16>(Bytes{d.in, 2}).get();
    d.in += 2;
    match.literals = word & 3;
    match.distance = (word >> 2) + (first < 32 ? kFarDistance + ((first & 8) << 11) : 1);
    return true;
}

Fault check_end(const Decoder& d, u32 first) {
    if (first != 0x11) return kBadEnd;
    return d.in == d.in_end ? kEnded : kTrailing;
}

// `literals` is how many came just before, 4 standing for any greater number.
Fault decode_instructions(Decoder& d, std::size_t literals) {
    for (;;) {
        if (d.in == d.in_end) return kInputEnds;
        const u32 first = *d.in++;
        Match match;
        if (first >= 64 || (first < 16 && literals > 0)) {
            if (!read_near_match(d, first, literals == 4, match)) return kInputEnds;
        } else if (first >= 16) {
            if (!read_far_match(d, first, match)) return kInputEnds;
            if (match.distance == kFarDistance && first < 32) return check_end(d, first);
        } else {
            std::size_t run = 3 + first;
            if (first == 0) {
                run = 18;
                if (!extend_length(d, run)) return kInputEnds;
            }
            if (const Fault fault = copy_literals(d, run)) return fault;
            literals = 4;
            continue;
        }
        if (const Fault fault = copy_match(d, match.distance, match.length)) return fault;
        literals = match.literals;
        if (const Fault fault = copy_literals(d, literals)) return fault;
    }
}

Fault decode(Decoder& d) {
    if (d.in == d.in_end) return kInputEnds;
    std::size_t literals = 0;
    if (*d.in > 17) {
        literals = *d.in++ - std::size_t{17};
        if (const Fault fault = copy_literals(d, literals)) return fault;
    }
    return decode_instructions(d, std::min<std::size_t>(literals, 4));
}

// ---- Encoder

constexpr unsigned kTableBits = 13;
// The input is searched in blocks of this size, so that every distance in one can be expressed.
constexpr std::size_t kSearchBlock = 0xc000;
constexpr std::size_t kMinMatch = 4;

// Where four bytes with a given hash were last seen, as a position in the search block. Zeros are no special
// case: a candidate's bytes are always compared.
using PositionTable = std::array<u16, std::size_t{1} << kTableBits>;

u32 load_quad(const u8* p) {
    return load<Le32>(Bytes{p, 4}).get();
}

u64 load_word(const u8* p) {
    return load<Le64>(Bytes{p, 8}).get();
}

struct Encoder {
    u8* out_begin;
    u8* out;

    void put(std::size_t byte) { *out++ = static_cast<u8>(byte); }

    // A length that doesn't fit into L: `rest` is what exceeds the form's largest plain length, at least 1.
    void put_extension(std::size_t rest) {
        for (; rest > 255; rest -= 255) put(0);
        put(rest);
    }

    void put_literals(const u8* from, std::size_t count) {
        if (count == 0) return;
        if (out == out_begin && count <= 255 - 17) {
            put(17 + count);
        } else if (count <= 3 && out != out_begin) {
            out[-2] = static_cast<u8>(out[-2] |
                                      count);  // into the match before: its S bits lie there in every form
        } else if (count <= 18) {
            put(count - 3);
        } else {
            put(0);
            put_extension(count - 18);
        }
        std::memcpy(out, from, count);
        out += count;
    }

    void put_match(std::size_t distance, std::size_t length) {
        if (length <= 8 && distance <= 2048) {
            put(((length - 1) << 5) | (((distance - 1) & 7) << 2));
            put((distance - 1) >> 3);
            return;
        }
        const bool far = distance > kFarDistance;
        const std::size_t beyond = distance - (far ? kFarDistance : 1);
        const std::size_t form = far ? 16 | ((beyond >> 14) << 3) : 32;
        const std::size_t length_mask = far ? 7 : 31;
        if (length <= 2 + length_mask) {
            put(form | (length - 2));
        } else {
            put(form);
            put_extension(length - 2 - length_mask);
        }
        put((beyond << 2) & 0xff);
        put((beyond >> 6) & 0xff);
    }
};

std::size_t common_length(const u8* a, const u8* b, const u8* b_end) {
    const u8* const start = b;
    for (; b_end - b >= 8; a += 8, b += 8) {
        const u64 difference = load_word(a) ^ load_word(b);
        if (difference != 0) {
            return static_cast<std::size_t>(b - start) +
                   static_cast<std::size_t>(std::countr_zero(difference)) / 8;
        }
    }
    while (b < b_end && *a == *b) ++a, ++b;
    return static_cast<std::size_t>(b - start);
}

// Encodes one search block and returns the first byte that is still to be put as a literal; `literals` is
// that byte on entry, maybe in an earlier block.
const u8* encode_block(Encoder& e, Bytes block, const u8* literals, PositionTable& table) {
    const u8* const begin = block.data();
    const u8* const end = begin + block.size();
    // Short input leaves most of the table unused: don't clear it all.
    const unsigned bits = std::clamp(static_cast<unsigned>(std::bit_width(block.size())), 8U, kTableBits);
    std::fill_n(table.begin(), std::size_t{1} << bits, u16{0});
    const u8* p = begin + 1;
    const u8* missed_since = p;
    while (end - p >= static_cast<std::ptrdiff_t>(kMinMatch)) {
        const u32 quad = load_quad(p);
        u16& seen = table[(quad * 0x9e3779b1U) >> (32 - bits)];
        const u8* const candidate = begin + seen;
        seen = static_cast<u16>(p - begin);
        if (load_quad(candidate) != quad) {
            p += 1 + (p - missed_since) / 32;  // the longer nothing matches, the coarser the search
            continue;
        }
        const std::size_t length = kMinMatch + common_length(candidate + kMinMatch, p + kMinMatch, end);
        e.put_literals(literals, static_cast<std::size_t>(p - literals));
        e.put_match(static_cast<std::size_t>(p - candidate), length);
        p += length;
        literals = missed_since = p;
    }
    return literals;
}

}  // namespace

Result<std::size_t> lzo1x_decompress(Bytes in, MutBytes out) {
    Decoder d{in.data(), in.data() + in.size(), out.data(), out.data(), out.data() + out.size()};
    if (const Fault fault = decode(d)) return fail(Cause::CompressedDataBad, fault);
    return d.produced();
}

std::size_t lzo1x_1_compress(Bytes in, MutBytes out) {
    GLASSFS_ASSERT(out.size() >= lzo1x_worst_case(in.size()));
    static thread_local PositionTable table;  // 16 KiB: too much for the small stacks that WASM threads have
    Encoder e{out.data(), out.data()};
    const u8* literals = in.data();
    for (std::size_t at = 0; at < in.size(); at += kSearchBlock) {
        const Bytes block = in.subspan(at, std::min(kSearchBlock, in.size() - at));
        literals = encode_block(e, block, literals, table);
    }
    e.put_literals(literals, static_cast<std::size_t>(in.data() + in.size() - literals));
    e.put(0x11);
    e.put(0);
    e.put(0);
    return static_cast<std::size_t>(e.out - e.out_begin);
}

}  // namespace glassfs
