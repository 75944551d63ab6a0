// SPDX-License-Identifier: MIT
// XXH64 against the specification's values and those of xxhsum.
#include "base/xxhash64.h"

#include "samples.h"

#include <doctest/doctest.h>

using namespace glassfs;
using samples::pattern;

TEST_CASE("base/xxhash64: published values come out") {
    CHECK(xxhash64(Bytes{}) == 0xef46db3751d8e999);
    CHECK(xxhash64(as_bytes("a")) == 0xd24ec4f1a98c6e5b);
    CHECK(xxhash64(as_bytes("abc")) == 0x44bc2cf5ad770999);
    CHECK(xxhash64(Bytes{}, 2654435761) == 0xac75fda2929b17ef);
}

TEST_CASE("base/xxhash64: every kind of tail agrees with xxhsum") {
    CHECK(xxhash64(pattern(1)) == 0x50ff15a81340970f);
    CHECK(xxhash64(pattern(3)) == 0x000a821788619d7d);
    CHECK(xxhash64(pattern(4)) == 0x2cbb0401b3c5c5df);
    CHECK(xxhash64(pattern(7)) == 0xef48bfff4512bcde);
    CHECK(xxhash64(pattern(8)) == 0x81b63e4289ea41f9);
    CHECK(xxhash64(pattern(31)) == 0x29eaa1262a254c3f);
    CHECK(xxhash64(pattern(32)) == 0x051eae79e8dfe8ae);
    CHECK(xxhash64(pattern(33)) == 0xa25710b8d351f1eb);
    CHECK(xxhash64(pattern(63)) == 0xf4b5cea9779b7eaa);
    CHECK(xxhash64(pattern(65)) == 0xde2d3fc3bb65446a);
    CHECK(xxhash64(pattern(4096)) == 0x67601a0f169bae4f);
    CHECK(xxhash64(pattern(16352)) == 0x41c4f8aa2f11a7bf);
}
