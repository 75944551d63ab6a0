// SPDX-License-Identifier: MIT
// A tree block's structure, and the choice of the checker for each item. The order matters: each test relies
// on the ones before it, so that no access can leave the block.

#include "btrfs/item_checker.h"

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
    if (header.fsid != geometry.metadata_fsid) {
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

Checker checker_for(KeyType type) {
    using namespace checker;
    switch (type) {
        case KeyType::Untyped:
            return check_space_header;
        case KeyType::InodeItem:
            return check_inode_item;
        case KeyType::InodeRef:
            return check_inode_ref;
        case KeyType::InodeExtref:
            return check_inode_extref;
        case KeyType::XattrItem:
        case KeyType::DirItem:
        case KeyType::DirIndex:
            return check_dir_item;
        case KeyType::VerityDescItem:
        case KeyType::VerityMerkleItem:
            return check_verity;
        case KeyType::OrphanItem:
            return check_orphan;
        case KeyType::DirLogItem:
        case KeyType::DirLogIndex:
            return check_dir_log;
        case KeyType::ExtentData:
            return check_file_extent;
        case KeyType::ExtentCsum:
            return check_csum;
        case KeyType::RootItem:
            return check_root_item;
        case KeyType::RootBackref:
        case KeyType::RootRef:
            return check_root_ref;
        case KeyType::ExtentItem:
        case KeyType::MetadataItem:
            return check_extent_item;
        case KeyType::TreeBlockRef:
        case KeyType::ExtentDataRef:
        case KeyType::SharedBlockRef:
        case KeyType::SharedDataRef:
            return check_keyed_ref;
        case KeyType::ExtentRefV0:
            return check_extent_ref_v0;
        case KeyType::ExtentOwnerRef:
            return nullptr;  // inline only
        case KeyType::BlockGroupItem:
            return check_block_group;
        case KeyType::FreeSpaceInfo:
            return check_free_space_info;
        case KeyType::FreeSpaceExtent:
            return check_free_space_extent;
        case KeyType::FreeSpaceBitmap:
            return check_free_space_bitmap;
        case KeyType::DevExtent:
            return check_dev_extent;
        case KeyType::DevItem:
            return check_dev_item;
        case KeyType::ChunkItem:
            return check_chunk_item;
        case KeyType::RaidStripe:
            return check_raid_stripe;
        case KeyType::QgroupStatus:
        case KeyType::QgroupInfo:
        case KeyType::QgroupLimit:
        case KeyType::QgroupRelation:
            return check_qgroup;
        case KeyType::TemporaryItem:
            return check_temporary;
        case KeyType::PersistentItem:
            return check_anything;  // kernels write more or fewer counters
        case KeyType::DevReplace:
            return check_dev_replace;
        case KeyType::UuidKeySubvol:
        case KeyType::UuidKeyReceivedSubvol:
            return check_uuid;
        case KeyType::StringItem:
            return check_anything;
    }
    return nullptr;
}

}  // namespace

Result<void> check_structure(const Geometry& geometry, const TreeBlock& block) {
    TRY(check_header(geometry, block));
    TRY(check_item_count(block));
    TRY(check_key_order(block));
    return block.is_leaf() ? check_item_table(block) : check_pointers(geometry, block);
}

Result<void> check_item(const Geometry& geometry, const TreeBlock& leaf, u32 slot) {
    ItemContext item{geometry, leaf, slot, leaf.key(slot), leaf.data(slot)};
    Checker check = checker_for(type_of(item.key));
    if (check == nullptr) return item.bad(Cause::ItemTypeUnknown, say("type ", item.key.type));
    return check(item);
}

}  // namespace glassfs::btrfs
