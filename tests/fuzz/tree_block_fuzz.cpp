// SPDX-License-Identifier: MIT
// One tree block of any content: a block that passes the structure check must be safe to look at through
// every accessor, an item that passes the item check through every parser, and the inspector shows items that
// pass nothing.
#include "btrfs/file_extents.h"
#include "btrfs/file_system.h"
#include "inspect/btrfs_items.h"

using namespace glassfs;

namespace {

constexpr u32 node_size = 4096;

btrfs::Geometry geometry() {
    btrfs::Geometry g;
    g.node_size = node_size;
    g.sector_size = 4096;
    g.incompat =
        btrfs::incompat_skinny_metadata | btrfs::incompat_extended_iref | btrfs::incompat_mixed_groups;
    g.generation = 100;
    return g;
}

// Everything that reading uses once an item has passed its check.
void use_item(const btrfs::Key& key, Bytes data) {
    if (btrfs::type_of(key) == btrfs::KeyType::ExtentData) {
        (void)btrfs::file_extent_length(data);
    } else if (btrfs::type_of(key) == btrfs::KeyType::ChunkItem) {
        btrfs::ChunkMap map;
        if (!map.add(key, data)) return;
        const auto& chunk = map.chunks().begin()->second;
        for (u32 mirror = 0; mirror < chunk.mirrors(); ++mirror) {
            (void)map.map(chunk.logical, ~0ULL, mirror);
            (void)map.map(chunk.logical + (chunk.length - 1), 1, mirror);
        }
    } else {
        for (const auto& entry : btrfs::parse_entries(data)) (void)btrfs::name_hash(entry.name);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < sizeof(btrfs::disk::btrfs_header)) return 0;
    Buffer bytes(data, data + std::min<std::size_t>(size, node_size));
    bytes.resize(node_size);
    const auto bytenr = view<btrfs::disk::btrfs_header>(bytes).bytenr.get();
    std::fill_n(bytes.begin() + 0x20, 16, u8{0});  // the fsid that geometry() has
    btrfs::TreeBlock block(LogicalAddr{bytenr}, std::move(bytes));
    const btrfs::Geometry g = geometry();
    if (!btrfs::check_structure(g, block)) return 0;
    (void)block.free_bytes();
    for (u32 slot = 0; slot < block.nritems(); ++slot) {
        btrfs::Key key = block.key(slot);
        (void)block.lower_bound(key);
        (void)inspect::btrfs_key_text(key);
        if (!block.is_leaf()) continue;
        std::vector<inspect::Field> fields;
        (void)inspect::btrfs_item_summary(key, block.data(slot));
        inspect::append_btrfs_item(fields, key, block.bytes(), block.data_at(slot), block.item(slot).size,
                                   4096, 4);
        if (btrfs::check_item(g, block, slot)) use_item(key, block.data(slot));
    }
    return 0;
}
