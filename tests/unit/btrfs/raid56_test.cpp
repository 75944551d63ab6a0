// SPDX-License-Identifier: MIT
#include "btrfs/raid56.h"

#include "base/environment.h"

#include <doctest/doctest.h>
#include <set>

using namespace glassfs;

namespace {

// Multiplication in GF(2^8) by shifting, independent of the tables under test.
u8 times(u8 a, u8 b) {
    u32 product = 0;
    for (u32 x = a; b != 0; b = static_cast<u8>(b >> 1), x = (x << 1) ^ ((x & 0x80) != 0 ? 0x11d : 0)) {
        if ((b & 1) != 0) product ^= x;
    }
    return static_cast<u8>(product);
}

struct Row {
    std::vector<Buffer> elements;  // data, P, Q
    std::set<u32> lost;

    explicit Row(u32 data, u64 seed) : elements(data + 2, Buffer(64)) {
        SeededEnvironment random(seed);
        u8 weight = 1;
        for (u32 i = 0; i < data; ++i, weight = times(weight, 2)) {
            for (std::size_t b = 0; b < 64; ++b) {
                elements[i][b] = static_cast<u8>(random.random());
                elements[data][b] = static_cast<u8>(elements[data][b] ^ elements[i][b]);
                elements[data + 1][b] =
                    static_cast<u8>(elements[data + 1][b] ^ times(weight, elements[i][b]));
            }
        }
    }

    Result<Buffer> rebuild(u32 data, u32 parity, u32 wanted, u32 way) const {
        Buffer out(64);
        auto read = [&](u32 element, MutBytes into) -> Result<void> {
            REQUIRE(element != wanted);
            if (lost.contains(element)) return fail(Cause::DeviceMissing, {.device = element});
            std::copy(elements[element].begin(), elements[element].end(), into.begin());
            return {};
        };
        TRY(btrfs::rebuild_element(data, parity, wanted, way, read, out));
        return out;
    }
};

}  // namespace

TEST_CASE("btrfs/raid56: each data element comes back from P, and from Q") {
    for (u32 data : {1U, 2U, 3U, 14U, 254U}) {
        Row row(data, data);
        for (u32 wanted = 0; wanted < data; ++wanted) {
            CHECK(row.rebuild(data, 1, wanted, 1) == row.elements[wanted]);
            CHECK(row.rebuild(data, 2, wanted, 1) == row.elements[wanted]);
            CHECK(row.rebuild(data, 2, wanted, 2) == row.elements[wanted]);
        }
    }
}

TEST_CASE("btrfs/raid56: two lost data elements come back from P and Q together") {
    const u32 data = 5;
    for (u32 wanted = 0; wanted < data; ++wanted) {
        for (u32 other = 0; other < data; ++other) {
            if (other == wanted) continue;
            Row row(data, wanted * 10 + other);
            row.lost = {other};
            CHECK(row.rebuild(data, 2, wanted, 2) == row.elements[wanted]);
            CHECK(row.rebuild(data, 2, wanted, 1).error().cause == Cause::DeviceMissing);
        }
    }
}

TEST_CASE("btrfs/raid56: a lost P doesn't keep Q from rebuilding one element") {
    Row row(4, 1);
    row.lost = {4};
    CHECK(row.rebuild(4, 2, 2, 2) == row.elements[2]);
    CHECK_FALSE(row.rebuild(4, 2, 2, 1));
}

TEST_CASE("btrfs/raid56: more lost than there is parity is an error, not data") {
    Row row(4, 1);
    row.lost = {0, 1};
    CHECK_FALSE(row.rebuild(4, 2, 2, 2));
    row.lost = {0, 4};
    CHECK_FALSE(row.rebuild(4, 2, 2, 2));
    row.lost = {5};
    CHECK_FALSE(row.rebuild(4, 2, 2, 2));
    CHECK(row.rebuild(4, 1, 2, 2).error().cause == Cause::InvalidArgument);
}
