// SPDX-License-Identifier: MIT
// One block of a B-tree in memory. A leaf holds items, whose headers grow from the front and whose data grows
// from the back; a node holds key pointers. Item offsets on disk count from the end of the header.
//
//   leaf:  header | item 0 | item 1 | ...  free space  ... data 1 | data 0 |
//   node:  header | key_ptr 0 | key_ptr 1 | ...  free space             |
//
// The accessors trust the block: it must have passed check_structure() (tree_checker.h) before.
#pragma once

#include "base/error.h"
#include "base/strong.h"
#include "btrfs/disk.h"

namespace glassfs::btrfs {

using Key = KeyRef;  // ordered by (objectid, type, offset)

inline Key to_key(const disk::btrfs_disk_key& key) {
    return {key.objectid, key.type, key.offset};
}
inline disk::btrfs_disk_key to_disk_key(const Key& key) {
    return {key.objectid, key.type, key.offset};
}
inline Key make_key(u64 objectid, KeyType type, u64 offset) {
    return {objectid, static_cast<u8>(type), offset};
}
inline KeyType type_of(const Key& key) {
    return static_cast<KeyType>(key.type);
}

class TreeBlock {
  public:
    TreeBlock(LogicalAddr addr, Buffer bytes) : addr_(addr), bytes_(std::move(bytes)) {}

    LogicalAddr addr() const { return addr_; }
    Bytes bytes() const { return bytes_; }
    // Only blocks that a transaction has made writable are not const.
    MutBytes bytes_to_change() { return bytes_; }
    u32 size() const { return static_cast<u32>(bytes_.size()); }
    const disk::btrfs_header& header() const { return view<disk::btrfs_header>(bytes_); }
    u8 level() const { return header().level; }
    bool is_leaf() const { return level() == 0; }
    u32 nritems() const { return header().nritems; }
    Generation generation() const { return Generation{header().generation}; }
    u64 owner() const { return header().owner; }

    Key key(u32 slot) const { return to_key(view<disk::btrfs_disk_key>(bytes_, entry_at(slot))); }

    // Leaves only.
    const disk::btrfs_item& item(u32 slot) const { return view<disk::btrfs_item>(bytes_, entry_at(slot)); }
    u32 data_at(u32 slot) const { return header_size + item(slot).offset; }  // bytes from the block's begin
    Bytes data(u32 slot) const { return Bytes(bytes_).subspan(data_at(slot), item(slot).size); }

    // Nodes only.
    const disk::btrfs_key_ptr& pointer(u32 slot) const {
        return view<disk::btrfs_key_ptr>(bytes_, entry_at(slot));
    }

    // Bytes that no item header, item data or key pointer occupies.
    u32 free_bytes() const {
        if (!is_leaf()) return capacity(size()) - nritems() * pointer_size;
        u32 data_begin = nritems() == 0 ? size() : data_at(nritems() - 1);
        return data_begin - static_cast<u32>(entry_at(nritems()));
    }

    // The first slot whose key is not less than `wanted`; nritems() when there is none.
    u32 lower_bound(const Key& wanted) const {
        u32 low = 0;
        u32 high = nritems();
        const std::size_t stride = is_leaf() ? item_size : pointer_size;  // keys come first in both
        while (low < high) {
            u32 middle = (low + high) / 2;
            if (to_key(view<disk::btrfs_disk_key>(bytes_, header_size + middle * stride)) < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    // Where a slot's header or key pointer lies, in bytes from the block's begin.
    std::size_t entry_at(u32 slot) const {
        return header_size + std::size_t{slot} * (is_leaf() ? item_size : pointer_size);
    }

    static constexpr u32 header_size = sizeof(disk::btrfs_header);
    static constexpr u32 item_size = sizeof(disk::btrfs_item);
    static constexpr u32 pointer_size = sizeof(disk::btrfs_key_ptr);
    static constexpr u32 capacity(u32 node_size) { return node_size - header_size; }

  private:
    LogicalAddr addr_;
    Buffer bytes_;
};

}  // namespace glassfs::btrfs
