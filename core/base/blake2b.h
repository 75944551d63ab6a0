// SPDX-License-Identifier: MIT
// BLAKE2b (RFC 7693) with a digest of 32 bytes and no key: the strongest checksum that btrfs offers.
#pragma once

#include "base/bytes.h"

#include <array>

namespace glassfs {

std::array<u8, 32> blake2b_256(Bytes bytes);

}  // namespace glassfs
