// SPDX-License-Identifier: MIT
// Keeping the checksum tree exact: EXTENT_CSUM items (EXTENT_CSUM_OBJECTID, EXTENT_CSUM, logical address),
// each the checksums of a run of sectors.
#pragma once

#include "btrfs/transaction.h"

namespace glassfs::btrfs {

// The checksums of the sectors from `addr` on, checksum_size bytes each. The range has none so far.
Result<void> insert_checksums(Transaction&, LogicalAddr addr, Bytes sums);
// Takes out those of a range, cutting items that reach beyond it.
Result<void> erase_checksums(Transaction&, LogicalAddr addr, u64 length);

}  // namespace glassfs::btrfs
