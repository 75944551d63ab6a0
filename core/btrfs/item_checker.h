// SPDX-License-Identifier: MIT
// What the item checkers share: the item with its surroundings, and how a failed rule is reported. One
// function per group of item types; tree_checker.cpp picks by key type. Internal to the tree checker.
#pragma once

#include "btrfs/tree_checker.h"

#include <bit>
#include <concepts>
#include <string>

namespace glassfs::btrfs::checker {

// "size 12, expected 160": pieces of text and numbers in a row.
inline void say_one(std::string& out, std::string_view piece) {
    out += piece;
}
inline void say_one(std::string& out, std::integral auto number) {
    out += std::to_string(number);
}
template <class... Pieces>
std::string say(const Pieces&... pieces) {
    std::string out;
    (say_one(out, pieces), ...);
    return out;
}

// True when `a + b` does not fit into 64 bits.
inline bool sum_overflows(u64 a, u64 b) {
    return a + b < a;
}
inline bool has_one_bit(u64 value) {
    return std::popcount(value) == 1;
}

struct ItemContext {
    const Geometry& geometry;
    const TreeBlock& leaf;
    u32 slot;
    Key key;
    Bytes data;

    Where where() const { return {.block = leaf.addr().value, .slot = slot, .key = key}; }
    Failure bad(Cause cause, std::string detail) const { return fail(cause, where(), std::move(detail)); }

    bool sector_aligned(u64 number) const { return number % geometry.sector_size == 0; }
    // Blocks of a transaction that is not yet committed (the log tree's) are one newer than the superblock.
    u64 generation_max() const { return geometry.generation + 1; }
    bool in_log_tree() const { return leaf.owner() == tree_log_objectid; }

    // Cause::ItemSize unless the item has exactly `size` bytes.
    Result<void> exactly(u64 size) const {
        if (data.size() != size) return bad(Cause::ItemSize, say("size ", data.size(), ", expected ", size));
        return {};
    }
    Result<void> at_least(std::size_t size) const {
        if (data.size() < size) return bad(Cause::ItemSize, say("size ", data.size(), ", at least ", size));
        return {};
    }
    // An array of one or more structures of `size` bytes each.
    Result<void> array_of(std::size_t size) const {
        if (data.empty() || data.size() % size != 0) {
            return bad(Cause::ItemSize, say("size ", data.size(), ", expected a multiple of ", size));
        }
        return {};
    }
    // The item before this one in the leaf, when it has the same key type.
    bool follows_same_type() const { return slot > 0 && leaf.key(slot - 1).type == key.type; }
};

// Inode numbers that the format gives to files: the free range, the directory of the root tree, and the file
// of the (long removed) inode number cache.
inline bool is_inode_number(u64 objectid) {
    return (objectid >= first_free_objectid && objectid <= last_free_objectid) ||
           objectid == root_tree_dir_objectid || objectid == free_ino_objectid;
}

// inode_checker.cpp
Result<void> check_inode_item(const ItemContext&);
Result<void> check_inode_ref(const ItemContext&);
Result<void> check_inode_extref(const ItemContext&);
Result<void> check_verity(const ItemContext&);
Result<void> check_orphan(const ItemContext&);
Result<void> check_dir_log(const ItemContext&);

// dir_item_checker.cpp: DIR_ITEM, DIR_INDEX, XATTR_ITEM
Result<void> check_dir_item(const ItemContext&);

// file_extent_checker.cpp: EXTENT_DATA, EXTENT_CSUM
Result<void> check_file_extent(const ItemContext&);
Result<void> check_csum(const ItemContext&);

// root_item_checker.cpp
Result<void> check_root_item(const ItemContext&);
Result<void> check_root_ref(const ItemContext&);
Result<void> check_uuid(const ItemContext&);
Result<void> check_space_header(const ItemContext&);  // key type 0

// extent_item_checker.cpp
Result<void> check_extent_item(const ItemContext&);
Result<void> check_keyed_ref(const ItemContext&);

// space_item_checker.cpp: what describes the use of space and devices
Result<void> check_block_group(const ItemContext&);
Result<void> check_free_space_info(const ItemContext&);
Result<void> check_free_space_extent(const ItemContext&);
Result<void> check_free_space_bitmap(const ItemContext&);
Result<void> check_dev_extent(const ItemContext&);
Result<void> check_dev_item(const ItemContext&);
Result<void> check_chunk_item(const ItemContext&);
Result<void> check_raid_stripe(const ItemContext&);

// state_item_checker.cpp: quota, balance, statistics
Result<void> check_qgroup(const ItemContext&);
Result<void> check_temporary(const ItemContext&);
Result<void> check_dev_replace(const ItemContext&);

// Cause::`cause` unless the bits name at most one profile and a sensible kind of contents.
// Shared by chunks and block groups; returns the sentence of what is wrong, empty when nothing is.
std::string wrong_block_group_type(u64 type, bool mixed_groups);

}  // namespace glassfs::btrfs::checker
