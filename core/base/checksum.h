// SPDX-License-Identifier: MIT
// The four checksums that btrfs can carry, behind one interface.
//
// Every block header and the superblock have 32 bytes for a checksum; shorter ones fill the front and the
// rest is zero. The csum tree stores checksum_size() bytes for each sector of data. Numbers are
// little-endian.
#pragma once

#include "base/bytes.h"

#include <array>
#include <optional>

namespace glassfs {

// The superblock's csum_type.
enum class ChecksumType : u16 { Crc32c = 0, Xxhash64 = 1, Sha256 = 2, Blake2b = 3 };

inline constexpr std::size_t kChecksumSizeMax = 32;

// nullopt for a number that no btrfs defines. The other functions take only values that this one returned.
std::optional<ChecksumType> checksum_type(u16 csum_type);

// Bytes that a checksum of this type takes: 4, 8, 32, 32.
std::size_t checksum_size(ChecksumType type);

// As `btrfs` names it: "crc32c", "xxhash64", "sha256", "blake2b".
const char* checksum_name(ChecksumType type);

struct Checksum {
    std::array<u8, kChecksumSizeMax> bytes{};  // zero after `size`
    u8 size = 0;

    Bytes stored() const { return Bytes{bytes}.first(size); }

    // Compares all 32 bytes; the size follows from the type, and both sides have the same one.
    friend bool operator==(const Checksum& a, const Checksum& b) { return a.bytes == b.bytes; }
};

// The checksum of `bytes` as it is stored.
Checksum checksum(ChecksumType type, Bytes bytes);

// The checksum that stands at the front of `stored`: a header's 32-byte field or an entry of a csum item.
// Only the type's size is read (a short `stored` leaves zeros), so rubbish in a header's padding is not
// compared.
Checksum checksum_stored(ChecksumType type, Bytes stored);

}  // namespace glassfs
