// SPDX-License-Identifier: MIT
// Rebuilding a data element of a RAID5 or RAID6 row from the others: P is the XOR of the row's data, Q is
// their sum weighted with powers of 2 in GF(2^8) with the polynomial x^8+x^4+x^3+x^2+1 (0x11d).
#pragma once

#include "base/error.h"

#include <functional>
#include <vector>

namespace glassfs::btrfs {

// Reads part of one element of the row (all elements at the same position): 0..data-1 the data, then P, then
// Q.
using ReadElement = std::function<Result<void>(u32 element, MutBytes out)>;

// Fills `out` with data element `wanted`, which is not read itself. `parity` is 1 (P) or 2 (P and Q). `way` 1
// uses P; way 2 uses Q, and P too if exactly one further data element can't be read.
// The error of the element that can't be done without.
Result<void> rebuild_element(u32 data, u32 parity, u32 wanted, u32 way, const ReadElement&, MutBytes out);

}  // namespace glassfs::btrfs
