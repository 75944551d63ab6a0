// SPDX-License-Identifier: MIT
// Views of raw bytes, and the fixed-width names that the whole core uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace glassfs {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

using Bytes = std::span<const u8>;
using MutBytes = std::span<u8>;
using Buffer = std::vector<u8>;

inline Bytes as_bytes(std::string_view s) {
    return {reinterpret_cast<const u8*>(s.data()), s.size()};
}

inline std::string_view as_text(Bytes b) {
    return {reinterpret_cast<const char*>(b.data()), b.size()};
}

}  // namespace glassfs
