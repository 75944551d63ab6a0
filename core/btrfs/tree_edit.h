// SPDX-License-Identifier: MIT
// Changing the items of a B-tree: insertion, deletion, growing and shrinking, with splits, pushes to
// neighbours, merges, and a root that moves up and down. Works for every node size.
//
// find_for_change() descends and makes each block on the way writable, since a changed child has a new
// address that its parent must learn. A node that is too full to take two more pointers is split on the way
// down, so that what happens below never has to climb. References into item data are good until the next
// change of the same tree.
#pragma once

#include "btrfs/transaction.h"

#include <array>

namespace glassfs::btrfs {

// From leaf (level 0) to root, all writable.
struct EditPath {
    std::array<WritableBlock, max_level> blocks;
    std::array<u32, max_level> slots{};
    u32 levels = 0;

    TreeBlock& leaf() const { return *blocks[0]; }
    u32 slot() const { return slots[0]; }
    bool at_item() const { return slots[0] < blocks[0]->nritems(); }
    Key key() const { return blocks[0]->key(slots[0]); }  // needs at_item()
    Bytes data() const { return blocks[0]->data(slots[0]); }
    MutBytes changed_data() const;
};

// To the item with `key` (true), or to where it would stand in its leaf (false: slot() may be nritems()). The
// leaf has `room` free bytes: for an insertion sizeof(btrfs_item) + data size, for growing an item the bytes
// more.
Result<bool> find_for_change(Transaction&, Tree&, const Key& key, u32 room, EditPath&);

// The two halves of insert_at().
MutBytes make_item_at(EditPath&, const Key& key, u32 size);
void tell_inserted(Transaction&, Tree&, const EditPath&);
// Puts an item where find_for_change() found none, with enough room. `fill(data)` writes its data, zeros
// until then: whoever is told of the item finds it whole.
template <class Fill>
void insert_at(Transaction& tx, Tree& tree, EditPath& path, const Key& key, u32 size, Fill&& fill) {
    fill(make_item_at(path, key, size));
    tell_inserted(tx, tree, path);
}
// Takes out `count` items of the leaf from slot() on. The path is used up.
Result<void> erase_at(Transaction&, Tree&, EditPath&, u32 count = 1);
// The item at slot() gets `size` bytes: cut at its end, or zeros added there (which needs room).
MutBytes resize_at(EditPath&, u32 size);
// Changes the key of the item at slot(); its place in the order must stay.
void change_key_at(EditPath&, const Key& key);

// The same in one call.
Result<void> insert_item(Transaction&, Tree&, const Key& key, Bytes data);  // Cause::Exists
// Overwrites, changes size, or inserts.
Result<void> put_item(Transaction&, Tree&, const Key& key, Bytes data);
Result<void> erase_item(Transaction&, Tree&, const Key& key);  // Cause::ItemMissing
// Deletes all items of the key range [first, last]; returns how many.
Result<u64> erase_items(Transaction&, Tree&, const Key& first, const Key& last);

// An on-disk struct, not a range of bytes.
template <class T>
concept DiskStruct = std::is_trivially_copyable_v<T> && alignof(T) == 1 &&
                     !std::is_convertible_v<const T&, Bytes>;

template <DiskStruct T>
Bytes bytes_of(const T& item) {
    return {reinterpret_cast<const u8*>(&item), sizeof item};
}
template <DiskStruct T>
Result<void> insert_item(Transaction& tx, Tree& tree, const Key& key, const T& item) {
    return insert_item(tx, tree, key, bytes_of(item));
}
template <DiskStruct T>
Result<void> put_item(Transaction& tx, Tree& tree, const Key& key, const T& item) {
    return put_item(tx, tree, key, bytes_of(item));
}

// The item with exactly this key, copied, or nothing.
Result<std::optional<Buffer>> find_item(Transaction&, const Tree&, const Key& key);

}  // namespace glassfs::btrfs
