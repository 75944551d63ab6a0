// SPDX-License-Identifier: MIT
// Bytes for the tests of checksums and codecs: reproducible, and of very different compressibility.
#pragma once

#include "base/bytes.h"

#include <string_view>

namespace glassfs::samples {

// The bytes that the vectors in these tests were computed over (by Python's hashlib, xxhsum, and a bitwise
// CRC).
inline Buffer pattern(std::size_t size) {
    Buffer bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<u8>(i * 7 + (i >> 8) * 13 + 5);
    return bytes;
}

// Incompressible.
inline Buffer noise(std::size_t size, u64 seed) {
    Buffer bytes(size);
    u64 x = seed * 0x9e3779b97f4a7c15 + 1;
    for (u8& byte : bytes) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        byte = static_cast<u8>(x >> 32);
    }
    return bytes;
}

// Words in a random order: compresses about as prose does.
inline Buffer prose(std::size_t size, u64 seed) {
    constexpr std::string_view kWords[] = {"inode ",    "the ",  "extent ", "of ",    "a ",     "leaf, ",
                                           "where ",    "tree ", "node ",   "and\n",  "holds ", "item ",
                                           "directory", "s ",    "which ",  "chunk. "};
    Buffer bytes;
    const Buffer choice = noise(size, seed);
    for (std::size_t i = 0; bytes.size() < size; ++i) {
        const Bytes word = as_bytes(kWords[choice[i] % 16]);
        bytes.insert(bytes.end(), word.begin(), word.end());
    }
    bytes.resize(size);
    return bytes;
}

// Stretches of noise that recur at distances short and long, among constant runs: every LZO instruction is
// used.
inline Buffer mixture(std::size_t size, u64 seed) {
    const Buffer choice = noise(size + 1, seed);
    Buffer bytes;
    for (std::size_t i = 0; bytes.size() < size; i += 4) {
        const std::size_t length = 1 + (choice[i % size] * choice[i % size]) % 600;
        const std::size_t distance = 1 + (choice[(i + 1) % size] * 256U + choice[(i + 2) % size]) % 60000;
        const u8 kind = choice[(i + 3) % size];
        for (std::size_t n = 0; n < length; ++n) {
            if (distance <= bytes.size() && kind < 160)
                bytes.push_back(bytes[bytes.size() - distance]);
            else if (kind < 200)
                bytes.push_back(kind);
            else
                bytes.push_back(static_cast<u8>(choice[(i + n) % size] ^ bytes.size()));
        }
    }
    bytes.resize(size);
    return bytes;
}

// "00ff12" to bytes.
inline Buffer from_hex(std::string_view text) {
    auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    Buffer bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        bytes.push_back(static_cast<u8>(digit(text[i]) * 16 + digit(text[i + 1])));
    }
    return bytes;
}

}  // namespace glassfs::samples
