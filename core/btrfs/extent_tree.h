// SPDX-License-Identifier: MIT
// Applying collected reference changes to the extent tree, and what follows from an extent that comes or
// goes: free space tree, checksums, block group counters.
#pragma once

#include "btrfs/delayed_refs.h"
#include "btrfs/transaction.h"

namespace glassfs::btrfs {

// References are added before others are dropped, so that the count doesn't touch zero on the way. Dropping
// one that isn't recorded is Cause::RefMissing.
Result<void> apply_ref_head(Transaction&, const RefHead&);

// What the extent tree itself says of an extent: references and flags. Nothing: there is no such item.
struct ExtentItemInfo {
    u64 refs = 0;
    u64 flags = 0;
};
Result<std::optional<ExtentItemInfo>> read_extent_item(Transaction&, LogicalAddr, u8 level);

}  // namespace glassfs::btrfs
