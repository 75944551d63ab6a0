// SPDX-License-Identifier: MIT
// What a btrfs item says, in words and fields. Works on any bytes, damaged ones included.
#pragma once

#include "btrfs/tree_block.h"
#include "inspect/inspector.h"

namespace glassfs::inspect {

ItemClass btrfs_item_class(const btrfs::Key&, Bytes data);

// "288 EXTENT_DATA 0"; special object ids by name where they are one.
std::string btrfs_key_text(const btrfs::Key&);

// A few words: a name, a size, an address.
std::string btrfs_item_summary(const btrfs::Key&, Bytes data);

// Fields of the item's data, which is block[at, at + size). `sector_size` and `csum_size` divide checksum
// items.
void append_btrfs_item(std::vector<Field>& out, const btrfs::Key&, Bytes block, std::size_t at,
                       std::size_t size, u32 sector_size, std::size_t csum_size);

}  // namespace glassfs::inspect
