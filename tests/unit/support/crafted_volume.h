// SPDX-License-Identifier: MIT
// Volumes on RAM devices whose trees a test puts together: fresh ones from mkfs, in which single leaves are
// given other items, or further blocks are written to free room of the metadata chunk.
#pragma once

#include "block/ram_device.h"
#include "btrfs/cursor.h"
#include "btrfs/file_system.h"
#include "btrfs/leaf_builder.h"
#include "btrfs/mkfs.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>

namespace glassfs::support {

class CraftedVolume {
  public:
    using Items = std::map<btrfs::Key, Buffer>;

    explicit CraftedVolume(std::size_t count = 1, const btrfs::MkfsOptions& options = {}) {
        for (std::size_t i = 0; i < count; ++i) {
            devices.push_back(std::make_shared<block::RamDevice>(u64{256} << 20));
        }
        SeededEnvironment environment(count);
        REQUIRE(btrfs::mkfs(devices, options, environment));
        layout_ = open();
        free_ = layout_->root_tree().bytenr + u64{1000} * layout_->geometry().node_size;
    }

    std::unique_ptr<btrfs::Volume> open() const {
        auto volume = btrfs::Volume::open(devices, {});
        REQUIRE(volume);
        return std::move(*volume);
    }

    // The items of a tree that is one leaf.
    Items items(u64 tree) const {
        Items out;
        auto volume = open();
        auto root = volume->tree_root(tree);
        REQUIRE(root);
        REQUIRE(btrfs::for_each_item(*volume, *root, {}, {~0ULL, 0xff, ~0ULL},
                                     [&](const btrfs::Cursor& at) -> Result<bool> {
                                         out[at.key()] = Buffer(at.data().begin(), at.data().end());
                                         return true;
                                     }));
        return out;
    }
    void set_items(u64 tree, const Items& items) {
        auto root = layout_->tree_root(tree);
        REQUIRE(root);
        write_leaf(root->bytenr, tree, items);
    }
    void write_leaf(LogicalAddr addr, u64 owner, const Items& items) {
        btrfs::LeafBuilder leaf(layout_->geometry().node_size);
        for (const auto& [key, data] : items) REQUIRE(leaf.add(key, Bytes(data)));
        write_block(addr, std::move(leaf).finish(layout_->geometry(), addr, generation, owner, {}));
    }
    // Children in the order given, whatever their keys.
    void write_node(LogicalAddr addr, u64 owner, u8 level,
                    const std::vector<std::pair<btrfs::Key, LogicalAddr>>& children) {
        btrfs::LeafBuilder empty(layout_->geometry().node_size);
        Buffer block = std::move(empty).finish(layout_->geometry(), addr, generation, owner, {});
        auto& header = *reinterpret_cast<btrfs::disk::btrfs_header*>(block.data());
        header.level = level;
        header.nritems = static_cast<u32>(children.size());
        for (std::size_t i = 0; i < children.size(); ++i) {
            btrfs::disk::btrfs_key_ptr pointer;
            pointer.key = btrfs::to_disk_key(children[i].first);
            pointer.blockptr = children[i].second.value;
            pointer.generation = generation.value;
            std::memcpy(block.data() + sizeof header + i * sizeof pointer, &pointer, sizeof pointer);
        }
        write_block(addr, std::move(block));
    }
    // All copies, with the right checksum.
    void write_block(LogicalAddr addr, Buffer block) {
        btrfs::seal_block(layout_->geometry().csum_type, block);
        for (u32 mirror = 0; mirror < layout_->mirrors(addr); ++mirror) {
            auto mapping = layout_->chunk_map().map(addr, block.size(), mirror);
            REQUIRE(mapping);
            u64 devid = mapping->chunk->stripes[mapping->stripe].devid;
            REQUIRE(devices[static_cast<std::size_t>(devid - 1)]->write(mapping->physical.value, block));
        }
    }
    // Both superblocks of a device; `change` gets the struct.
    template <class F>
    void change_super(std::size_t device, F&& change) {
        for (u64 offset : {btrfs::super_offsets[0], btrfs::super_offsets[1]}) {
            Buffer bytes(btrfs::super_size);
            REQUIRE(devices[device]->read(offset, bytes));
            auto super = load<btrfs::disk::btrfs_super_block>(bytes);
            change(super);
            super.csum = btrfs::superblock_checksum(super).bytes;
            REQUIRE(devices[device]->write(offset, {reinterpret_cast<const u8*>(&super), sizeof super}));
        }
    }
    // Makes block `addr` of `level` the root of a tree that has a root item.
    void set_root(u64 tree, LogicalAddr addr, u8 level) {
        Items root_items = items(btrfs::root_tree_objectid);
        Buffer& data = root_items.at(btrfs::make_key(tree, btrfs::KeyType::RootItem, 0));
        auto& item = *reinterpret_cast<btrfs::disk::btrfs_root_item*>(data.data());
        item.bytenr = addr.value;
        item.level = level;
        set_items(btrfs::root_tree_objectid, root_items);
    }
    LogicalAddr take_block() {
        LogicalAddr addr = free_;
        free_ = free_ + u64{layout_->geometry().node_size};
        return addr;
    }

    std::vector<std::shared_ptr<block::Device>> devices;
    static constexpr Generation generation{1};

  private:
    std::unique_ptr<btrfs::Volume> layout_;  // as mkfs left it: where things lie
    LogicalAddr free_;
};

template <class T>
Buffer item_bytes(const T& item, std::string_view behind = {}) {
    Buffer out(sizeof item + behind.size());
    std::memcpy(out.data(), &item, sizeof item);
    std::copy(behind.begin(), behind.end(), out.begin() + static_cast<std::ptrdiff_t>(sizeof item));
    return out;
}

inline Buffer inode_bytes(u32 mode, u64 size) {
    btrfs::disk::btrfs_inode_item inode{};
    inode.generation = 1;
    inode.mode = mode;
    inode.size = size;
    inode.nlink = 1;
    return item_bytes(inode);
}

// Adds what a name in a directory consists of: DIR_ITEM and DIR_INDEX.
inline void add_name(CraftedVolume::Items& items, u64 dir, u64 index, std::string_view name,
                     const btrfs::Key& location, u8 type) {
    btrfs::disk::btrfs_dir_item entry{};
    entry.location = btrfs::to_disk_key(location);
    entry.name_len = static_cast<u16>(name.size());
    entry.type = type;
    Buffer data = item_bytes(entry, name);
    items[btrfs::make_key(dir, btrfs::KeyType::DirItem, btrfs::name_hash(name))] = data;
    items[btrfs::make_key(dir, btrfs::KeyType::DirIndex, index)] = data;
}

}  // namespace glassfs::support
