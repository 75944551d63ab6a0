// SPDX-License-Identifier: MIT
// Integers as they lie on a disk: fixed byte order, alignment 1, so that a struct of them is its own layout.
#pragma once

#include "base/bytes.h"

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace glassfs {

template <class T>
constexpr T byte_swapped(T value) {
    auto bytes = std::bit_cast<std::array<u8, sizeof(T)>>(value);
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    return std::bit_cast<T>(bytes);
}

template <class T, std::endian Order>
class Ordered {
  public:
    using Value = T;
    static_assert(std::is_integral_v<T>);

    Ordered() = default;
    constexpr Ordered(T value) { set(value); }  // implicit: an assignment to a disk field reads as one

    constexpr T get() const {
        T value = std::bit_cast<T>(bytes_);
        if constexpr (Order != std::endian::native) value = byte_swapped(value);
        return value;
    }
    constexpr void set(T value) {
        if constexpr (Order != std::endian::native) value = byte_swapped(value);
        bytes_ = std::bit_cast<std::array<u8, sizeof(T)>>(value);
    }
    constexpr operator T() const { return get(); }

  private:
    std::array<u8, sizeof(T)> bytes_;
};

template <class T>
using Le = Ordered<T, std::endian::little>;
template <class T>
using Be = Ordered<T, std::endian::big>;

using Le16 = Le<u16>;
using Le32 = Le<u32>;
using Le64 = Le<u64>;
using Be16 = Be<u16>;
using Be32 = Be<u32>;
using Be64 = Be<u64>;

static_assert(sizeof(Le64) == 8 && alignof(Le64) == 1 && std::is_trivially_copyable_v<Le64>);

// Copies a disk struct out of `bytes` at `at`. The caller has checked that it lies inside.
template <class T>
T load(Bytes bytes, std::size_t at = 0) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) == 1);
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

// Views a disk struct in place: alignment 1 and only bytes inside, so any address will do.
// The caller has checked that it lies inside.
template <class T>
const T& view(Bytes bytes, std::size_t at = 0) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) == 1);
    return *reinterpret_cast<const T*>(bytes.data() + at);
}

}  // namespace glassfs
