// SPDX-License-Identifier: MIT
// A tree block's structure, and the choice of the checker for each item. The order matters: each test relies
// on the ones before it, so that no access can leave the block.

#include "btrfs/item_checker.h"

#include <algorithm>
#include <array>

namespace glassfs::btrfs {

using checker::ItemContext;
using checker::say;

namespace {

std::string key_words(const Key& key) {
    return say("(", key.objectid, " ", key.type, " ", key.offset, ")");
}

Result<void> check_header(const Geometry& geometry, const TreeBlock& block) {
    Where where{.block = block.addr().value};
    if (block.size() != geometry.node_size || block.size() < TreeBlock::header_size) {
        return fail(Cause::BlockItemCount, where, say("block of ", block.size(), " bytes"));
    }
    const disk::btrfs_header& header = block.header();
    if (header.bytenr != block.addr().value) {
        return fail(Cause::BlockBytenr, where, say("bytenr ", header.bytenr.get()));
    }
    const auto& seeds = geometry.seed_fsids;
    if (header.fsid != geometry.metadata_fsid &&
        std::find(seeds.begin(), seeds.end(), header.fsid) == seeds.end()) {
        return fail(Cause::BlockFsid, where, say("fsid ", uuid_text(header.fsid)));
    }
    if (header.level >= max_level)
        return fail(Cause::BlockLevel, where, say("level ", header.level, ", at most 7"));
    if (header.owner == 0) return fail(Cause::BlockOwner, where, "owner 0");
    return {};
}

// Trees that always hold something; any other may be an empty leaf.
bool may_be_empty(u64 owner) {
    return owner != root_tree_objectid && owner != chunk_tree_objectid && owner != dev_tree_objectid &&
           owner != fs_tree_objectid && owner != data_reloc_tree_objectid;
}

Result<void> check_item_count(const TreeBlock& block) {
    Where where{.block = block.addr().value};
    u32 count = block.nritems();
    u32 entry = block.is_leaf() ? TreeBlock::item_size : TreeBlock::pointer_size;
    u32 count_max = TreeBlock::capacity(block.size()) / entry;
    if (count > count_max)
        return fail(Cause::BlockItemCount, where, say(count, " items, at most ", count_max));
    if (count == 0 && (!block.is_leaf() || !may_be_empty(block.owner()))) {
        return fail(Cause::BlockItemCount, where, "no items");
    }
    return {};
}

Result<void> check_key_order(const TreeBlock& block) {
    for (u32 slot = 1; slot < block.nritems(); ++slot) {
        Key before = block.key(slot - 1);
        Key key = block.key(slot);
        if (before < key) continue;
        return fail(Cause::KeyOrder, Where{.block = block.addr().value, .slot = slot, .key = key},
                    say("behind ", key_words(before)));
    }
    return {};
}

// Item data lies back to back: the first item's ends at the end of the block, each further one's where the
// one before begins, and the last one's begins behind the item headers.
Result<void> check_item_table(const TreeBlock& leaf) {
    u64 data_end = TreeBlock::capacity(leaf.size());
    u64 data_begin = u64{leaf.nritems()} * TreeBlock::item_size;
    for (u32 slot = 0; slot < leaf.nritems(); ++slot) {
        const disk::btrfs_item& item = leaf.item(slot);
        Where where{.block = leaf.addr().value, .slot = slot, .key = leaf.key(slot)};
        u64 begin = item.offset;
        u64 end = begin + item.size;
        if (end > TreeBlock::capacity(leaf.size()) || begin < data_begin) {
            return fail(Cause::ItemOutOfBounds, where, say("offset ", begin, ", size ", item.size.get()));
        }
        if (end != data_end)
            return fail(Cause::ItemOverlap, where, say("ends at ", end, ", expected ", data_end));
        data_end = begin;
    }
    return {};
}

Result<void> check_pointers(const Geometry& geometry, const TreeBlock& node) {
    for (u32 slot = 0; slot < node.nritems(); ++slot) {
        u64 child = node.pointer(slot).blockptr;
        if (child != 0 && child % geometry.sector_size == 0) continue;
        return fail(Cause::PointerBad, Where{.block = node.addr().value, .slot = slot, .key = node.key(slot)},
                    say("blockptr ", child));
    }
    return {};
}

using Checker = Result<void> (*)(const ItemContext&);

Result<void> check_anything(const ItemContext&) {
    return {};
}

Result<void> check_extent_ref_v0(const ItemContext& item) {
    return item.bad(Cause::UnsupportedFeature, "extent reference of version 0");
}

struct CheckerOfType {
    KeyType type;
    Checker check;
};

// EXTENT_OWNER_REF is missing: it exists only inline. Of PERSISTENT_ITEM, kernels write more or fewer
// counters.
constexpr CheckerOfType checkers[] = {
    {KeyType::Untyped, checker::check_space_header},
    {KeyType::InodeItem, checker::check_inode_item},
    {KeyType::InodeRef, checker::check_inode_ref},
    {KeyType::InodeExtref, checker::check_inode_extref},
    {KeyType::XattrItem, checker::check_dir_item},
    {KeyType::VerityDescItem, checker::check_verity},
    {KeyType::VerityMerkleItem, checker::check_verity},
    {KeyType::OrphanItem, checker::check_orphan},
    {KeyType::DirLogItem, checker::check_dir_log},
    {KeyType::DirLogIndex, checker::check_dir_log},
    {KeyType::DirItem, checker::check_dir_item},
    {KeyType::DirIndex, checker::check_dir_item},
    {KeyType::ExtentData, checker::check_file_extent},
    {KeyType::ExtentCsum, checker::check_csum},
    {KeyType::RootItem, checker::check_root_item},
    {KeyType::RootBackref, checker::check_root_ref},
    {KeyType::RootRef, checker::check_root_ref},
    {KeyType::ExtentItem, checker::check_extent_item},
    {KeyType::MetadataItem, checker::check_extent_item},
    {KeyType::TreeBlockRef, checker::check_keyed_ref},
    {KeyType::ExtentDataRef, checker::check_keyed_ref},
    {KeyType::ExtentRefV0, check_extent_ref_v0},
    {KeyType::SharedBlockRef, checker::check_keyed_ref},
    {KeyType::SharedDataRef, checker::check_keyed_ref},
    {KeyType::BlockGroupItem, checker::check_block_group},
    {KeyType::FreeSpaceInfo, checker::check_free_space_info},
    {KeyType::FreeSpaceExtent, checker::check_free_space_extent},
    {KeyType::FreeSpaceBitmap, checker::check_free_space_bitmap},
    {KeyType::DevExtent, checker::check_dev_extent},
    {KeyType::DevItem, checker::check_dev_item},
    {KeyType::ChunkItem, checker::check_chunk_item},
    {KeyType::RaidStripe, checker::check_raid_stripe},
    {KeyType::QgroupStatus, checker::check_qgroup},
    {KeyType::QgroupInfo, checker::check_qgroup},
    {KeyType::QgroupLimit, checker::check_qgroup},
    {KeyType::QgroupRelation, checker::check_qgroup},
    {KeyType::TemporaryItem, checker::check_temporary},
    {KeyType::PersistentItem, check_anything},
    {KeyType::DevReplace, checker::check_dev_replace},
    {KeyType::UuidKeySubvol, checker::check_uuid},
    {KeyType::UuidKeyReceivedSubvol, checker::check_uuid},
    {KeyType::StringItem, check_anything},
};

constexpr std::array<Checker, 256> checker_table() {
    std::array<Checker, 256> table{};
    for (const CheckerOfType& entry : checkers) table[static_cast<u8>(entry.type)] = entry.check;
    return table;
}
constexpr std::array<Checker, 256> checker_for_type = checker_table();

}  // namespace

Result<void> check_structure(const Geometry& geometry, const TreeBlock& block) {
    TRY(check_header(geometry, block));
    TRY(check_item_count(block));
    TRY(check_key_order(block));
    return block.is_leaf() ? check_item_table(block) : check_pointers(geometry, block);
}

Result<void> check_item(const Geometry& geometry, const TreeBlock& leaf, u32 slot) {
    ItemContext item{geometry, leaf, slot, leaf.key(slot), leaf.data(slot)};
    Checker check = checker_for_type[item.key.type];
    if (check == nullptr) return item.bad(Cause::ItemTypeUnknown, say("type ", item.key.type));
    return check(item);
}

}  // namespace glassfs::btrfs
