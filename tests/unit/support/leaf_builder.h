// SPDX-License-Identifier: MIT
// Tree blocks made by hand: items are laid out as the format wants, so that a test can break one thing only.
#pragma once

#include "btrfs/tree_checker.h"

#include <algorithm>
#include <vector>

namespace glassfs::support {

struct CraftedItem {
    btrfs::Key key;
    Buffer data;

    // A field of the item's data, to be changed.
    template <class T>
    T& at(std::size_t offset = 0) {
        return *reinterpret_cast<T*>(data.data() + offset);
    }
};

inline btrfs::Geometry crafted_geometry() {
    btrfs::Geometry geometry;
    geometry.node_size = 16384;
    geometry.sector_size = 4096;
    geometry.incompat = btrfs::incompat_mixed_backref | btrfs::incompat_skinny_metadata;
    geometry.generation = 100;
    geometry.metadata_fsid = Uuid{1, 2, 3, 4};
    return geometry;
}

inline constexpr LogicalAddr crafted_addr{0x1d00000};

inline btrfs::disk::btrfs_header& header_of(Buffer& block) {
    return *reinterpret_cast<btrfs::disk::btrfs_header*>(block.data());
}
inline btrfs::disk::btrfs_item& item_of(Buffer& block, u32 slot) {
    return *reinterpret_cast<btrfs::disk::btrfs_item*>(block.data() + btrfs::TreeBlock::header_size +
                                                       std::size_t{slot} * btrfs::TreeBlock::item_size);
}
inline btrfs::disk::btrfs_key_ptr& pointer_of(Buffer& block, u32 slot) {
    return *reinterpret_cast<btrfs::disk::btrfs_key_ptr*>(block.data() + btrfs::TreeBlock::header_size +
                                                          std::size_t{slot} * btrfs::TreeBlock::pointer_size);
}

inline btrfs::disk::btrfs_disk_key disk_key(const btrfs::Key& key) {
    btrfs::disk::btrfs_disk_key result;
    result.objectid = key.objectid;
    result.type = key.type;
    result.offset = key.offset;
    return result;
}

inline Buffer crafted_block(u64 owner, u32 nritems, u8 level) {
    btrfs::Geometry geometry = crafted_geometry();
    Buffer block(geometry.node_size);
    btrfs::disk::btrfs_header& header = header_of(block);
    header.fsid = geometry.metadata_fsid;
    header.bytenr = crafted_addr.value;
    header.generation = geometry.generation;
    header.owner = owner;
    header.nritems = nritems;
    header.level = level;
    return block;
}

// Items in the order given.
inline Buffer crafted_leaf(const std::vector<CraftedItem>& items, u64 owner = btrfs::fs_tree_objectid) {
    Buffer block = crafted_block(owner, static_cast<u32>(items.size()), 0);
    std::size_t end = block.size();
    for (u32 slot = 0; slot < items.size(); ++slot) {
        const CraftedItem& crafted = items[slot];
        end -= crafted.data.size();
        std::copy(crafted.data.begin(), crafted.data.end(), block.begin() + static_cast<std::ptrdiff_t>(end));
        btrfs::disk::btrfs_item& item = item_of(block, slot);
        item.key = disk_key(crafted.key);
        item.offset = static_cast<u32>(end - btrfs::TreeBlock::header_size);
        item.size = static_cast<u32>(crafted.data.size());
    }
    return block;
}

struct CraftedPointer {
    btrfs::Key key;
    u64 blockptr = 0;
};

inline Buffer crafted_node(const std::vector<CraftedPointer>& pointers, u64 owner = btrfs::fs_tree_objectid) {
    Buffer block = crafted_block(owner, static_cast<u32>(pointers.size()), 1);
    for (u32 slot = 0; slot < pointers.size(); ++slot) {
        btrfs::disk::btrfs_key_ptr& pointer = pointer_of(block, slot);
        pointer.key = disk_key(pointers[slot].key);
        pointer.blockptr = pointers[slot].blockptr;
        pointer.generation = crafted_geometry().generation;
    }
    return block;
}

template <class T>
Buffer bytes_of(const T& value) {
    const u8* begin = reinterpret_cast<const u8*>(&value);
    return Buffer(begin, begin + sizeof(T));
}

inline Buffer joined(Buffer first, const Buffer& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}
inline Buffer joined(Buffer first, std::string_view second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace glassfs::support
