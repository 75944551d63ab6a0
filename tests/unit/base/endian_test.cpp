// SPDX-License-Identifier: MIT
#include "base/endian.h"

#include "base/strong.h"

#include <doctest/doctest.h>

using namespace glassfs;

TEST_CASE("base/endian: fields have their byte order, whatever the host's") {
    Le32 little = 0x11223344;
    Be32 big = 0x11223344;
    std::array<u8, 4> bytes;
    std::memcpy(bytes.data(), &little, 4);
    CHECK(bytes == std::array<u8, 4>{0x44, 0x33, 0x22, 0x11});
    std::memcpy(bytes.data(), &big, 4);
    CHECK(bytes == std::array<u8, 4>{0x11, 0x22, 0x33, 0x44});
    CHECK(little == 0x11223344);
    CHECK(big == 0x11223344);
    little.set(5);
    CHECK(little.get() == 5);
    CHECK(Le<s64>(-2) == -2);
    static_assert(byte_swapped(u16{0x1234}) == 0x3412);
    static_assert(byte_swapped(u64{1}) == u64{1} << 56);
    static_assert(Le64(7).get() == 7 && Be16(7).get() == 7);
}

TEST_CASE("base/endian: structs are loaded and viewed at any alignment") {
    struct Pair {
        Be16 first;
        Le64 second;
    };
    static_assert(sizeof(Pair) == 10);
    Buffer bytes{9, 0x01, 0x02, 1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(load<Pair>(bytes, 1).first == 0x0102);
    CHECK(load<Pair>(bytes, 1).second == 0x0807060504030201);
    CHECK(view<Pair>(bytes, 1).second == 0x0807060504030201);
    CHECK(reinterpret_cast<const u8*>(&view<Pair>(bytes, 1)) == bytes.data() + 1);
}

TEST_CASE("base/strong: kinds of numbers compare and move within their kind only") {
    static_assert(!std::is_convertible_v<u64, LogicalAddr>);
    static_assert(!std::is_convertible_v<LogicalAddr, PhysicalAddr>);
    static_assert(!std::is_constructible_v<LogicalAddr, PhysicalAddr>);
    CHECK(LogicalAddr{5} + 3 == LogicalAddr{8});
    CHECK(LogicalAddr{8} - LogicalAddr{5} == 3);
    CHECK(LogicalAddr{5} < LogicalAddr{6});
    CHECK(std::hash<InodeNo>{}(InodeNo{7}) == std::hash<u64>{}(7));
}
