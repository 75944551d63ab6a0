// SPDX-License-Identifier: MIT
// The extent tree: who uses an allocated extent. References stand in the extent item itself while there is
// room (inline, in a fixed order), and in items of their own behind it (keyed).
//
//   EXTENT_ITEM | [tree_block_info: a tree block without SKINNY_METADATA] | inline ref | inline ref | ...
//   an inline ref:  type, then  root | parent block | (root, inode, offset, count) | parent block, count
//
// Inline references are sorted by type, and within a type by falling number: a root, a parent's address, or
// for EXTENT_DATA_REF a hash of its three numbers.

#include "base/crc32c.h"
#include "btrfs/extent_ref.h"
#include "btrfs/item_checker.h"

namespace glassfs::btrfs {

u64 extent_data_ref_hash(u64 root, u64 objectid, u64 offset) {
    auto feed = [](u32 seed, u64 number) {
        Le64 bytes(number);
        return crc32c_raw(seed, Bytes(reinterpret_cast<const u8*>(&bytes), sizeof(bytes)));
    };
    u64 high = feed(~u32{0}, root);
    u64 low = feed(feed(~u32{0}, objectid), offset);
    return (high << 31) ^ low;
}

InlineRefs::InlineRefs(const Key& key, Bytes item) : left_(item.subspan(sizeof(disk::btrfs_extent_item))) {
    u64 flags = view<disk::btrfs_extent_item>(item).flags;
    bool with_info = (flags & extent_flag_tree_block) != 0 && type_of(key) == KeyType::ExtentItem;
    if (!with_info) return;
    std::size_t info = std::min(left_.size(), sizeof(disk::btrfs_tree_block_info));
    broken_ = info < sizeof(disk::btrfs_tree_block_info);
    left_ = left_.subspan(info);
}

std::optional<ExtentRef> InlineRefs::next() {
    if (left_.empty() || broken_) return std::nullopt;
    ExtentRef ref;
    ref.type = static_cast<KeyType>(left_[0]);
    std::size_t size = 0;
    switch (ref.type) {
        case KeyType::ExtentDataRef:
            size = 1 + sizeof(disk::btrfs_extent_data_ref);
            break;
        case KeyType::SharedDataRef:
            size = sizeof(disk::btrfs_extent_inline_ref) + 4;
            break;
        case KeyType::TreeBlockRef:
        case KeyType::SharedBlockRef:
        case KeyType::ExtentOwnerRef:
            size = sizeof(disk::btrfs_extent_inline_ref);
            break;
        default:
            break;
    }
    if (size == 0 || size > left_.size()) {
        broken_ = true;
        return std::nullopt;
    }
    if (ref.type == KeyType::ExtentDataRef) {
        const auto& data = view<disk::btrfs_extent_data_ref>(left_, 1);
        ref.root = data.root;
        ref.objectid = data.objectid;
        ref.offset = data.offset;
        ref.count = data.count;
    } else {
        u64 number = view<disk::btrfs_extent_inline_ref>(left_).offset;
        bool shared = ref.type == KeyType::SharedDataRef || ref.type == KeyType::SharedBlockRef;
        (shared ? ref.parent : ref.root) = number;
        ref.count =
            ref.type == KeyType::SharedDataRef
                ? view<disk::btrfs_shared_data_ref>(left_, sizeof(disk::btrfs_extent_inline_ref)).count.get()
                : 1;
    }
    left_ = left_.subspan(size);
    return ref;
}

namespace checker {

namespace {

bool is_data_ref(KeyType type) {
    return type == KeyType::ExtentDataRef || type == KeyType::SharedDataRef ||
           type == KeyType::ExtentOwnerRef;
}

// The number that references of one type are sorted by.
u64 order_of(const ExtentRef& ref) {
    if (ref.type == KeyType::ExtentDataRef) return extent_data_ref_hash(ref.root, ref.objectid, ref.offset);
    return ref.parent != 0 ? ref.parent : ref.root;
}

std::string wrong_ref(const ItemContext& item, const ExtentRef& ref, bool data) {
    if (is_data_ref(ref.type) != data)
        return say("type ", static_cast<u8>(ref.type), " of the other kind of extent");
    if (!item.sector_aligned(ref.parent)) return say("parent ", ref.parent, " is not aligned");
    if (ref.count == 0) return "count 0";
    if (ref.type == KeyType::ExtentDataRef && !item.sector_aligned(ref.offset)) {
        return say("offset ", ref.offset, " is not aligned");
    }
    return "";
}

Result<void> check_inline_refs(const ItemContext& item, u64 refs, bool data) {
    InlineRefs inline_refs(item.key, item.data);
    u64 sum = 0;
    std::optional<ExtentRef> before;
    while (std::optional<ExtentRef> ref = inline_refs.next()) {
        std::string wrong = wrong_ref(item, *ref, data);
        if (!wrong.empty()) return item.bad(Cause::ExtentRefBad, wrong);
        bool ordered = !before || before->type < ref->type ||
                       (before->type == ref->type && order_of(*before) >= order_of(*ref));
        if (!ordered) return item.bad(Cause::ExtentRefBad, "inline references are not in order");
        if (ref->type != KeyType::ExtentOwnerRef) sum += ref->count;
        before = ref;
    }
    if (inline_refs.broken())
        return item.bad(Cause::ExtentRefBad, "an inline reference is cut short or unknown");
    if (sum > refs) return item.bad(Cause::ExtentItemBad, say("refs ", refs, ", ", sum, " inline ones"));
    return {};
}

Result<void> check_extent_key(const ItemContext& item, bool data) {
    bool skinny = type_of(item.key) == KeyType::MetadataItem;
    if (!item.sector_aligned(item.key.objectid)) {
        return item.bad(Cause::KeyBad, say("address ", item.key.objectid, " is not aligned"));
    }
    if (skinny && data) return item.bad(Cause::ExtentItemBad, "a data extent as METADATA_ITEM");
    if (skinny) {
        if (item.key.offset < max_level) return {};
        return item.bad(Cause::KeyBad, say("level ", item.key.offset, ", at most 7"));
    }
    if (!data && item.key.offset != item.geometry.node_size) {
        return item.bad(Cause::KeyBad, say("tree block of ", item.key.offset, " bytes"));
    }
    if (item.key.offset == 0 || !item.sector_aligned(item.key.offset) ||
        sum_overflows(item.key.objectid, item.key.offset)) {
        return item.bad(Cause::KeyBad, say("extent of ", item.key.offset, " bytes"));
    }
    return {};
}

Result<void> check_extent_before(const ItemContext& item) {
    if (item.slot == 0) return {};
    Key before = item.leaf.key(item.slot - 1);
    bool skinny = type_of(before) == KeyType::MetadataItem;
    if (!skinny && type_of(before) != KeyType::ExtentItem) return {};
    u64 end = before.objectid + (skinny ? item.geometry.node_size : before.offset);
    if (end > item.key.objectid)
        return item.bad(Cause::ExtentOverlap, say("the extent before ends at ", end));
    return {};
}

}  // namespace

Result<void> check_extent_item(const ItemContext& item) {
    constexpr std::size_t size_v0 = 4;
    bool skinny = type_of(item.key) == KeyType::MetadataItem;
    if (skinny && !item.geometry.has(incompat_skinny_metadata)) {
        return item.bad(Cause::ExtentItemBad, "METADATA_ITEM without SKINNY_METADATA");
    }
    if (!skinny && item.data.size() == size_v0) {
        return item.bad(Cause::UnsupportedFeature, "extent item of version 0");
    }
    TRY(item.at_least(sizeof(disk::btrfs_extent_item)));
    const auto& extent = view<disk::btrfs_extent_item>(item.data);
    u64 kind = extent.flags & (extent_flag_data | extent_flag_tree_block);
    if (!has_one_bit(kind)) return item.bad(Cause::ExtentItemBad, say("flags ", hex(extent.flags)));
    bool data = kind == extent_flag_data;
    TRY(check_extent_key(item, data));
    if (extent.generation > item.generation_max()) {
        return item.bad(Cause::ExtentItemBad,
                        say("generation ", extent.generation.get(), ", at most ", item.generation_max()));
    }
    if (!data && !skinny && item.data.size() >= sizeof(extent) + sizeof(disk::btrfs_tree_block_info)) {
        u8 level = view<disk::btrfs_tree_block_info>(item.data, sizeof(extent)).level;
        if (level >= max_level) return item.bad(Cause::ExtentItemBad, say("level ", level, ", at most 7"));
    }
    TRY(check_inline_refs(item, extent.refs, data));
    return check_extent_before(item);
}

Result<void> check_keyed_ref(const ItemContext& item) {
    if (!item.sector_aligned(item.key.objectid)) {
        return item.bad(Cause::KeyBad, say("address ", item.key.objectid, " is not aligned"));
    }
    KeyType type = type_of(item.key);
    bool shared = type == KeyType::SharedBlockRef || type == KeyType::SharedDataRef;
    if (shared && !item.sector_aligned(item.key.offset)) {
        return item.bad(Cause::ExtentRefBad, say("parent ", item.key.offset, " is not aligned"));
    }
    if (type == KeyType::TreeBlockRef || type == KeyType::SharedBlockRef) return item.exactly(0);
    if (type == KeyType::SharedDataRef) {
        TRY(item.exactly(sizeof(disk::btrfs_shared_data_ref)));
        if (view<disk::btrfs_shared_data_ref>(item.data).count == 0)
            return item.bad(Cause::ExtentRefBad, "count 0");
        return {};
    }
    TRY(item.array_of(sizeof(disk::btrfs_extent_data_ref)));
    for (std::size_t at = 0; at < item.data.size(); at += sizeof(disk::btrfs_extent_data_ref)) {
        const auto& ref = view<disk::btrfs_extent_data_ref>(item.data, at);
        // The key's offset is the hash, or more after a collision, so that it can't be checked.
        if (ref.count == 0) return item.bad(Cause::ExtentRefBad, "count 0");
        if (!item.sector_aligned(ref.offset)) {
            return item.bad(Cause::ExtentRefBad, say("offset ", ref.offset.get(), " is not aligned"));
        }
    }
    return {};
}

}  // namespace checker

}  // namespace glassfs::btrfs
