// SPDX-License-Identifier: MIT
// Kinds of numbers that must never be mixed: each is a type of its own, made and opened explicitly.
#pragma once

#include "base/bytes.h"

#include <compare>
#include <functional>

namespace glassfs {

template <class Tag>
struct StrongNumber {
    u64 value = 0;

    constexpr StrongNumber() = default;
    constexpr explicit StrongNumber(u64 v) : value(v) {}
    friend constexpr auto operator<=>(StrongNumber, StrongNumber) = default;
    friend constexpr StrongNumber operator+(StrongNumber a, u64 n) { return StrongNumber{a.value + n}; }
    friend constexpr u64 operator-(StrongNumber a, StrongNumber b) { return a.value - b.value; }
};

using LogicalAddr = StrongNumber<struct LogicalAddrTag>;    // btrfs bytenr, in bytes
using PhysicalAddr = StrongNumber<struct PhysicalAddrTag>;  // byte position on one device
using InodeNo = StrongNumber<struct InodeNoTag>;
using Generation = StrongNumber<struct GenerationTag>;  // transaction id that wrote a block

}  // namespace glassfs

template <class Tag>
struct std::hash<glassfs::StrongNumber<Tag>> {
    std::size_t operator()(glassfs::StrongNumber<Tag> n) const noexcept {
        return std::hash<glassfs::u64>{}(n.value);
    }
};
