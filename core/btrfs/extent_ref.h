// SPDX-License-Identifier: MIT
// A reference to an extent as the extent tree records it, inline or keyed, in one shape.
#pragma once

#include "btrfs/tree_block.h"

#include <optional>

namespace glassfs::btrfs {

struct ExtentRef {
    KeyType type =
        KeyType::Untyped;  // TreeBlockRef, SharedBlockRef, ExtentDataRef, SharedDataRef, ExtentOwnerRef
    u64 root = 0;          // TreeBlockRef, ExtentDataRef, ExtentOwnerRef
    u64 parent = 0;        // SharedBlockRef, SharedDataRef: the block that refers, a logical address
    u64 objectid = 0;      // ExtentDataRef: the inode
    u64 offset = 0;        // ExtentDataRef: file offset minus the offset into the extent, bytes, modulo 2^64
    u32 count = 0;         // how many references this one stands for
};

// Where an EXTENT_DATA_REF sorts: among the inline ones by falling value, as a key by rising value.
u64 extent_data_ref_hash(u64 root, u64 objectid, u64 offset);

// Goes through the inline references of an EXTENT_ITEM or METADATA_ITEM of at least sizeof(btrfs_extent_item)
// bytes. Stays inside of the item whatever it holds; broken() tells whether something in it could not be
// read.
class InlineRefs {
  public:
    InlineRefs(const Key& key, Bytes item);
    std::optional<ExtentRef> next();
    bool broken() const { return broken_; }

  private:
    Bytes left_;
    bool broken_ = false;
};

}  // namespace glassfs::btrfs
