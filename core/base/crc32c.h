// SPDX-License-Identifier: MIT
// CRC-32C (Castagnoli, RFC 3720): the checksum of btrfs blocks and of ext4 metadata, and the hash of btrfs
// names.
//
// The register and the published value differ by an inversion at both ends:
//
//     value = ~update(~0, bytes)        crc32c("123456789") == 0xe3069283
//
// btrfs stores the value as a checksum; its name hash is the bare register started at ~1; ext4 chains bare
// registers from a seed of its own. Uses the CPU's instruction where there is one, tables elsewhere.
#pragma once

#include "base/bytes.h"

namespace glassfs {

// Feeds `bytes` to the register `seed` and returns the register: no inversion before or after, so that
// crc32c_raw(crc32c_raw(s, a), b) == crc32c_raw(s, a + b).
u32 crc32c_raw(u32 seed, Bytes bytes);

// The same under the short name, for callers that chain.
inline u32 crc32c(u32 seed, Bytes bytes) {
    return crc32c_raw(seed, bytes);
}

// The published, inverted value: what btrfs stores.
inline u32 crc32c(Bytes bytes) {
    return ~crc32c_raw(~u32{0}, bytes);
}

// The table implementation, whatever the CPU offers: tests compare the two.
u32 crc32c_raw_portable(u32 seed, Bytes bytes);

}  // namespace glassfs
