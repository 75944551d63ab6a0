// SPDX-License-Identifier: MIT
// Builds one leaf from items added in key order.
#pragma once

#include "btrfs/tree_checker.h"

namespace glassfs::btrfs {

class LeafBuilder {
  public:
    explicit LeafBuilder(u32 node_size) : bytes_(node_size), data_begin_(node_size) {}

    // False when the item doesn't fit. Keys must grow.
    bool add(const Key& key, Bytes data);
    template <class T>
    bool add(const Key& key, const T& item) {
        return add(key, Bytes(reinterpret_cast<const u8*>(&item), sizeof item));
    }
    u32 nritems() const { return nritems_; }

    // The block with its header and checksum. `chunk_tree_uuid` is the same in all blocks of a volume.
    Buffer finish(const Geometry&, LogicalAddr, Generation, u64 owner, const Uuid& chunk_tree_uuid) &&;

  private:
    Buffer bytes_;
    u32 data_begin_;  // item data fills the block from here to its end
    u32 nritems_ = 0;
    Key last_;
};

// Puts the checksum of everything behind it at the front of a tree block.
void seal_block(ChecksumType, MutBytes block);

}  // namespace glassfs::btrfs
