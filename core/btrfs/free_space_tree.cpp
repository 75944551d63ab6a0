// SPDX-License-Identifier: MIT
#include "btrfs/free_space_tree.h"

#include "btrfs/block_edit.h"
#include "btrfs/cursor.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"

namespace glassfs::btrfs {

namespace {

constexpr u32 bitmap_bytes = 256;
constexpr u64 bitmap_bits = bitmap_bytes * 8;

Key info_key(const BlockGroup& group) {
    return make_key(group.start, KeyType::FreeSpaceInfo, group.length);
}

bool bit(Bytes bitmap, u64 index) {
    return (bitmap[static_cast<std::size_t>(index / 8)] >> (index % 8) & 1) != 0;
}

// The changes of one block group's items.
class GroupSpace {
  public:
    GroupSpace(Transaction& tx, Tree& tree, BlockGroup& group) : tx_(tx), tree_(tree), group_(group) {}

    Result<void> remove(u64 begin, u64 end) {
        if (TRY(uses_bitmaps())) return flip(begin, end, Bit::Clear);
        TRY(remove_range(begin, end));
        return convert_if_many();
    }
    Result<void> add(u64 begin, u64 end) {
        if (TRY(uses_bitmaps())) return flip(begin, end, Bit::Set);
        TRY(add_range(begin, end));
        return convert_if_many();
    }

  private:
    enum class Bit : u8 { Clear, Set };

    Result<bool> uses_bitmaps();
    Result<void> change_count(s64 change);
    Result<void> remove_range(u64 begin, u64 end);
    Result<void> add_range(u64 begin, u64 end);
    Result<void> convert_if_many();
    Result<void> convert();
    Result<void> flip(u64 begin, u64 end, Bit);
    Result<bool> test(u64 at);
    Key range_key(u64 begin, u64 length) const { return make_key(begin, KeyType::FreeSpaceExtent, length); }
    u64 sector() const { return tx_.geometry().sector_size; }
    Failure wrong(u64 at) const {
        return fail(Cause::FreeSpaceWrong, {.block = at, .tree = tree_.id()},
                    "of the block group at " + std::to_string(group_.start));
    }

    Transaction& tx_;
    Tree& tree_;
    BlockGroup& group_;
};

Result<bool> GroupSpace::uses_bitmaps() {
    if (group_.space_info) return group_.space_info->bitmaps;
    Cursor cursor(tx_.volume(), tree_.root);
    if (!TRY(cursor.seek(info_key(group_))) || cursor.key() != info_key(group_)) return wrong(group_.start);
    TRY(cursor.check());
    const auto& info = view<disk::btrfs_free_space_info>(cursor.data());
    group_.space_info = {info.extent_count, (info.flags & free_space_using_bitmaps) != 0};
    return group_.space_info->bitmaps;
}

Result<void> GroupSpace::change_count(s64 change) {
    if (change == 0) return {};
    EditPath path;
    if (!TRY(find_for_change(tx_, tree_, info_key(group_), 0, path))) return wrong(group_.start);
    auto& info = *reinterpret_cast<disk::btrfs_free_space_info*>(path.changed_data().data());
    info.extent_count = static_cast<u32>(info.extent_count + change);
    group_.space_info->ranges = info.extent_count;
    return {};
}

// The range lies inside of one free range, of which nothing, a front, a back, or both stay.
Result<void> GroupSpace::remove_range(u64 begin, u64 end) {
    EditPath path;
    const bool exact = TRY(find_for_change(tx_, tree_, range_key(begin, ~0ULL), 0, path));
    // The item before is in the same leaf: parents have their children's first keys.
    if (exact || path.slot() == 0) return wrong(begin);
    --path.slots[0];
    const Key key = path.key();
    u64 key_end = key.objectid + key.offset;
    bool holds = type_of(key) == KeyType::FreeSpaceExtent && key.objectid <= begin && key_end >= end;
    if (!holds) return wrong(begin);
    if (key.objectid < begin) {  // the order of keys stays when only a length changes
        change_key_at(path, range_key(key.objectid, begin - key.objectid));
        if (key_end == end) return {};
        TRY(insert_item(tx_, tree_, range_key(end, key_end - end), Bytes{}));
        return change_count(1);
    }
    if (key_end > end) {
        change_key_at(path, range_key(end, key_end - end));
        return {};
    }
    TRY(erase_at(tx_, tree_, path));
    return change_count(-1);
}

// Joined with the free ranges that end and begin where it does.
Result<void> GroupSpace::add_range(u64 begin, u64 end) {
    std::optional<Key> before, behind;
    Cursor cursor(tx_.volume(), tree_.root);
    bool found = TRY(cursor.seek_back(range_key(begin, ~0ULL)));
    if (found && type_of(cursor.key()) == KeyType::FreeSpaceExtent && cursor.key().objectid >= group_.start) {
        u64 previous_end = cursor.key().objectid + cursor.key().offset;
        if (previous_end > begin) return wrong(begin);
        if (previous_end == begin) before = cursor.key();
    }
    found = found ? TRY(cursor.next()) : TRY(cursor.seek(range_key(begin, 0)));
    if (found && type_of(cursor.key()) == KeyType::FreeSpaceExtent && cursor.key().objectid < group_.end()) {
        if (cursor.key().objectid < end) return wrong(begin);
        if (cursor.key().objectid == end) behind = cursor.key();
    }
    EditPath path;
    if (before) {
        u64 length = before->offset + (end - begin) + (behind ? behind->offset : 0);
        TRY(find_for_change(tx_, tree_, *before, 0, path));
        change_key_at(path, range_key(before->objectid, length));
        if (!behind) return {};
        TRY(erase_item(tx_, tree_, *behind));
        return change_count(-1);
    }
    if (behind) {
        TRY(find_for_change(tx_, tree_, *behind, 0, path));
        change_key_at(path, range_key(begin, end - begin + behind->offset));
        return {};
    }
    TRY(insert_item(tx_, tree_, range_key(begin, end - begin), Bytes{}));
    return change_count(1);
}

// Ranges cost an item each; from the number on at which bitmaps for the whole group are smaller, it has
// those.
Result<void> GroupSpace::convert_if_many() {
    u64 bitmaps = (group_.length + bitmap_bits * sector() - 1) / (bitmap_bits * sector());
    u64 bitmaps_size = bitmaps * (TreeBlock::item_size + bitmap_bytes);
    if (u64{group_.space_info->ranges} * TreeBlock::item_size <= bitmaps_size) return {};
    return convert();
}

Result<void> GroupSpace::convert() {
    std::vector<FreeRange> ranges = TRY(read_free_space(tx_.volume(), tree_.root, group_));
    TRY(erase_items(tx_, tree_, make_key(group_.start, KeyType::FreeSpaceExtent, 0),
                    make_key(group_.end() - 1, KeyType::FreeSpaceExtent, ~0ULL)));
    const u64 step = bitmap_bits * sector();
    std::size_t next = 0;
    for (u64 at = group_.start; at < group_.end(); at += step) {
        u64 length = std::min(step, group_.end() - at);
        u64 bits = length / sector();
        Buffer bitmap(static_cast<std::size_t>((bits + 7) / 8));
        for (std::size_t i = next; i < ranges.size() && ranges[i].addr.value < at + length; ++i) {
            u64 from = std::max(ranges[i].addr.value, at);
            u64 to = std::min(ranges[i].addr.value + ranges[i].length, at + length);
            for (u64 b = (from - at) / sector(); b < (to - at) / sector(); ++b) {
                bitmap[static_cast<std::size_t>(b / 8)] |= static_cast<u8>(1U << (b % 8));
            }
            if (to < at + length) next = i + 1;
        }
        TRY(insert_item(tx_, tree_, make_key(at, KeyType::FreeSpaceBitmap, length), Bytes(bitmap)));
    }
    EditPath path;
    if (!TRY(find_for_change(tx_, tree_, info_key(group_), 0, path))) return wrong(group_.start);
    auto& info = *reinterpret_cast<disk::btrfs_free_space_info*>(path.changed_data().data());
    info.flags = info.flags | free_space_using_bitmaps;
    group_.space_info->bitmaps = true;
    return {};
}

// Is the sector at `at` free, by its bitmap? Outside of the group nothing is.
Result<bool> GroupSpace::test(u64 at) {
    if (at < group_.start || at >= group_.end()) return false;
    Cursor cursor(tx_.volume(), tree_.root);
    bool found = TRY(cursor.seek_back(make_key(at, KeyType::FreeSpaceBitmap, ~0ULL)));
    if (!found || type_of(cursor.key()) != KeyType::FreeSpaceBitmap) return wrong(at);
    u64 index = (at - cursor.key().objectid) / sector();
    if (at < cursor.key().objectid || index / 8 >= cursor.data().size()) return wrong(at);
    return bit(cursor.data(), index);
}

Result<void> GroupSpace::flip(u64 begin, u64 end, Bit to) {
    bool before = TRY(test(begin - sector()));
    bool behind = TRY(test(end));
    for (u64 at = begin; at < end;) {
        Cursor cursor(tx_.volume(), tree_.root);
        bool found = TRY(cursor.seek_back(make_key(at, KeyType::FreeSpaceBitmap, ~0ULL)));
        if (!found || type_of(cursor.key()) != KeyType::FreeSpaceBitmap) return wrong(at);
        Key key = cursor.key();
        if (at < key.objectid || at >= key.objectid + key.offset) return wrong(at);
        EditPath path;
        TRY(find_for_change(tx_, tree_, key, 0, path));
        MutBytes bitmap = path.changed_data();
        u64 stop = std::min(end, key.objectid + key.offset);
        for (; at < stop; at += sector()) {
            u64 index = (at - key.objectid) / sector();
            if (bit(bitmap, index) == (to == Bit::Set)) return wrong(at);
            bitmap[static_cast<std::size_t>(index / 8)] ^= static_cast<u8>(1U << (index % 8));
        }
    }
    // Setting joins or makes a range, clearing parts or ends one.
    s64 neighbours = (before ? 1 : 0) + (behind ? 1 : 0);
    return change_count(to == Bit::Set ? 1 - neighbours : neighbours - 1);
}

Result<Tree*> tree_of(Transaction& tx) {
    if ((tx.store().super().compat_ro_flags & compat_ro_free_space_tree) == 0)
        return static_cast<Tree*>(nullptr);
    return tx.tree(free_space_tree_objectid);
}

}  // namespace

Result<void> free_space_removed(Transaction& tx, BlockGroup& group, LogicalAddr addr, u64 length) {
    Tree* tree = TRY(tree_of(tx));
    if (tree == nullptr) return {};
    return GroupSpace(tx, *tree, group).remove(addr.value, addr.value + length);
}

Result<void> free_space_added(Transaction& tx, BlockGroup& group, LogicalAddr addr, u64 length) {
    Tree* tree = TRY(tree_of(tx));
    if (tree == nullptr) return {};
    return GroupSpace(tx, *tree, group).add(addr.value, addr.value + length);
}

Result<void> free_space_begin(Transaction& tx, BlockGroup& group) {
    Tree* tree = TRY(tree_of(tx));
    if (tree == nullptr) return {};
    TRY(insert_item(tx, *tree, info_key(group), disk::btrfs_free_space_info{1, 0}));
    group.space_info = {1, false};
    return insert_item(tx, *tree, make_key(group.start, KeyType::FreeSpaceExtent, group.length), Bytes{});
}

Result<void> free_space_end(Transaction& tx, const BlockGroup& group) {
    Tree* tree = TRY(tree_of(tx));
    if (tree == nullptr) return {};
    Key last = make_key(group.end() - 1, KeyType::FreeSpaceBitmap, ~0ULL);
    return TRY(erase_items(tx, *tree, make_key(group.start, KeyType::FreeSpaceInfo, 0), last)),
           Result<void>{};
}

Result<std::vector<FreeRange>> read_free_space(Volume& volume, const TreeRoot& root,
                                               const BlockGroup& group) {
    std::vector<FreeRange> out;
    const u64 sector = volume.geometry().sector_size;
    auto put = [&](u64 begin, u64 length) {
        if (!out.empty() && out.back().addr.value + out.back().length == begin)
            out.back().length += length;
        else
            out.push_back({LogicalAddr{begin}, length});
    };
    Key first = make_key(group.start, KeyType::FreeSpaceInfo, 0);
    Key last = make_key(group.end() - 1, KeyType::FreeSpaceBitmap, ~0ULL);
    TRY(for_each_item(volume, root, first, last, [&](const Cursor& at) -> Result<bool> {
        TRY(at.check());
        Key key = at.key();
        if (type_of(key) == KeyType::FreeSpaceExtent) put(key.objectid, key.offset);
        if (type_of(key) != KeyType::FreeSpaceBitmap) return true;
        for (u64 index = 0; index < key.offset / sector; ++index) {
            if (bit(at.data(), index)) put(key.objectid + index * sector, sector);
        }
        return true;
    }));
    return out;
}

Result<std::vector<FreeRange>> read_gaps(Volume& volume, const TreeRoot& root, const BlockGroup& group) {
    std::vector<FreeRange> out;
    u64 done = group.start;
    Key first = make_key(group.start, KeyType::Untyped, 0);
    Key last = make_key(group.end() - 1, KeyType::MetadataItem, ~0ULL);
    TRY(for_each_item(volume, root, first, last, [&](const Cursor& at) -> Result<bool> {
        Key key = at.key();
        bool skinny = type_of(key) == KeyType::MetadataItem;
        if (type_of(key) != KeyType::ExtentItem && !skinny) return true;
        u64 length = skinny ? volume.geometry().node_size : key.offset;
        if (key.objectid < done || length > group.end() - key.objectid) {
            return fail(Cause::ExtentOverlap, {.key = key, .tree = root.id});
        }
        if (key.objectid > done) out.push_back({LogicalAddr{done}, key.objectid - done});
        done = key.objectid + length;
        return true;
    }));
    if (done < group.end()) out.push_back({LogicalAddr{done}, group.end() - done});
    return out;
}

}  // namespace glassfs::btrfs
