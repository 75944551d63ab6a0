// SPDX-License-Identifier: MIT
#include "btrfs/raid56.h"

#include <algorithm>
#include <array>

namespace glassfs::btrfs {

namespace {

struct Field256 {
    std::array<u8, 512> power{};  // twice the period, so that a sum of two logarithms needs no reduction
    std::array<u8, 256> log{};
};

constexpr Field256 make_field() {
    Field256 field;
    u32 value = 1;
    for (u32 i = 0; i < 255; ++i) {
        field.power[i] = static_cast<u8>(value);
        field.power[i + 255] = static_cast<u8>(value);
        field.log[value] = static_cast<u8>(i);
        value <<= 1;
        if ((value & 0x100) != 0) value ^= 0x11d;
    }
    return field;
}

constexpr Field256 field = make_field();

u8 multiply(u8 a, u8 b) {
    return a == 0 || b == 0 ? u8{0} : field.power[static_cast<u32>(field.log[a]) + field.log[b]];
}
u8 inverse(u8 a) {
    return field.power[255U - field.log[a]];
}

void add_weighted(MutBytes sum, Bytes term, u8 weight) {
    std::array<u8, 256> table;
    for (u32 i = 0; i < 256; ++i) table[i] = multiply(static_cast<u8>(i), weight);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<u8>(sum[i] ^ table[term[i]]);
}

void scale(MutBytes bytes, u8 factor) {
    for (u8& b : bytes) b = multiply(b, factor);
}

}  // namespace

Result<void> rebuild_element(u32 data, u32 parity, u32 wanted, u32 way, const ReadElement& read,
                             MutBytes out) {
    const u32 p_element = data;
    const u32 q_element = data + 1;
    Buffer term(out.size());
    Buffer sum_p(out.size());  // P and the data that was read
    Buffer sum_q(out.size());
    std::optional<u32> other;  // a further data element that can't be read
    for (u32 i = 0; i < data; ++i) {
        if (i == wanted) continue;
        if (auto done = read(i, term); !done) {
            if (way < 2 || other) return fail(std::move(done).error());
            other = i;
            continue;
        }
        add_weighted(sum_p, term, 1);
        add_weighted(sum_q, term, field.power[i % 255]);
    }
    if (way < 2 || other) {
        TRY(read(p_element, term));
        add_weighted(sum_p, term, 1);
    }
    if (way < 2) {
        std::copy(sum_p.begin(), sum_p.end(), out.begin());
        return {};
    }
    if (parity < 2) return fail(Cause::InvalidArgument, "RAID5 has no Q");
    TRY(read(q_element, term));
    add_weighted(sum_q, term, 1);
    u8 g_wanted = field.power[wanted % 255];
    if (other) {  // sum_p = w + o, sum_q = g_w w + g_o o: eliminate o
        u8 g_other = field.power[*other % 255];
        add_weighted(sum_q, sum_p, g_other);
        scale(sum_q, inverse(static_cast<u8>(g_wanted ^ g_other)));
    } else {
        scale(sum_q, inverse(g_wanted));
    }
    std::copy(sum_q.begin(), sum_q.end(), out.begin());
    return {};
}

}  // namespace glassfs::btrfs
