// SPDX-License-Identifier: MIT
// XXH64, written from the public xxHash specification: the fast checksum that btrfs offers.
#pragma once

#include "base/bytes.h"

namespace glassfs {

// The 64-bit hash as a number. btrfs uses seed 0 and stores it little-endian.
u64 xxhash64(Bytes bytes, u64 seed = 0);

}  // namespace glassfs
