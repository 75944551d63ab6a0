// SPDX-License-Identifier: MIT
#include "btrfs/file_extents.h"

#include "btrfs/extent_ref.h"
#include "btrfs/tree_edit.h"

#include <algorithm>

namespace glassfs::btrfs {

u64 file_extent_length(Bytes item) {
    const auto& extent = extent_of(item);
    if (extent.type != file_extent_inline) return extent.num_bytes;
    return extent.compression == 0 ? item.size() - disk::file_extent_inline_at : extent.ram_bytes.get();
}

FileExtentPart part_of(Bytes item) {
    const auto& from = extent_of(item);
    FileExtentPart part;
    part.extent = {LogicalAddr{from.disk_bytenr}, from.disk_num_bytes};
    part.ram_bytes = from.ram_bytes;
    part.offset = from.offset;
    part.length = from.num_bytes;
    part.generation = Generation{from.generation};
    part.compression = static_cast<Compression>(from.compression);
    part.type = from.type;
    return part;
}

namespace {

disk::btrfs_file_extent_item& changed_extent(const EditPath& path) {
    return *reinterpret_cast<disk::btrfs_file_extent_item*>(path.changed_data().data());
}

class ExtentEdit {
  public:
    ExtentEdit(Transaction& tx, Tree& tree, Inode& inode)
        : tx_(tx), tree_(tree), inode_(inode), sector_(tx.geometry().sector_size) {}

    Result<void> drop(u64 begin, u64 end);
    Result<Progress> drop_tail(u64 size, u32 items_max);
    Result<void> insert(u64 begin, const FileExtentPart&, ExtentRefs);
    Result<void> insert_inline(u64 size, Compression, Bytes data);
    Result<void> fill(u64 begin, u64 end);
    Result<void> mark_written(u64 begin, u64 end);

  private:
    struct Item {
        u64 begin = 0;
        u64 end = 0;
        bool is_inline = false;
    };
    Result<std::optional<Item>> first_behind(u64 at);
    Result<std::optional<Item>> last();
    Result<Item> item_at(const TreeBlock& leaf, u32 slot) const;
    bool is_ours(const Key& key) const {
        return key.objectid == inode_.id.ino.value && type_of(key) == KeyType::ExtentData;
    }
    Result<void> find(u64 begin, EditPath&);
    Result<void> cut(const Item&, u64 begin, u64 end);
    Result<void> cut_inline(const Item&, u64 size);
    Result<void> drop_whole(EditPath&, u32 first, u32 count);
    Result<void> put(u64 begin, const FileExtentPart&);
    Result<void> split(u64 at);
    Result<void> join(u64 at);
    Result<void> change_ref(const FileExtentPart&, u64 begin, int change);
    void count_bytes(s64 change) {
        inode_.item.nbytes = inode_.item.nbytes + static_cast<u64>(change);
        inode_.changed = true;
    }
    Key key(u64 at) const { return extent_key(inode_.id.ino, at); }

    Transaction& tx_;
    Tree& tree_;
    Inode& inode_;
    u64 sector_;
};

Result<ExtentEdit::Item> ExtentEdit::item_at(const TreeBlock& leaf, u32 slot) const {
    TRY(check_item(tx_.geometry(), leaf, slot));
    Item item;
    item.begin = leaf.key(slot).offset;
    item.is_inline = is_inline(leaf.data(slot));
    u64 length = file_extent_length(leaf.data(slot));
    if (item.is_inline) length = (length + sector_ - 1) / sector_ * sector_;
    item.end = item.begin + length;
    return item;
}

Result<std::optional<ExtentEdit::Item>> ExtentEdit::first_behind(u64 at) {
    std::optional<Item> out;
    auto visit = [&](const Cursor&, u64 begin, u64 end) -> Result<bool> {
        out = Item{begin, end};
        return false;
    };
    TRY(for_each_extent(tx_.volume(), tree_.root, inode_.id.ino, at, visit));
    return out;
}

Result<std::optional<ExtentEdit::Item>> ExtentEdit::last() {
    Cursor cursor(tx_.volume(), tree_.root);
    if (!TRY(cursor.seek_back(key(~0ULL))) || !is_ours(cursor.key())) return std::optional<Item>{};
    return std::optional<Item>(TRY(item_at(cursor.leaf(), cursor.slot())));
}

Result<void> ExtentEdit::find(u64 begin, EditPath& path) {
    if (TRY(find_for_change(tx_, tree_, key(begin), 0, path))) return {};
    return fail(Cause::ItemMissing, {.key = key(begin), .tree = tree_.id()});
}

// `begin`: where the item stands in the file.
Result<void> ExtentEdit::change_ref(const FileExtentPart& part, u64 begin, int change) {
    if (part.extent.addr.value == 0) return {};
    WritableVolume& store = tx_.store();
    const u64 offset = begin - part.offset;
    if (change > 0) return store.add_data_ref(tx_, part.extent, tree_.id(), inode_.id.ino, offset);
    return store.drop_data_ref(tx_, part.extent, tree_.id(), inode_.id.ino, offset);
}

Result<void> ExtentEdit::drop(u64 begin, u64 end) {
    for (u64 at = begin; at < end;) {
        auto item = TRY(first_behind(at));
        if (!item || item->begin >= end) return {};
        EditPath path;
        TRY(find(item->begin, path));
        *item = TRY(item_at(path.leaf(), path.slot()));
        if (item->begin < begin || item->end > end) {
            TRY(cut(*item, std::max(begin, item->begin), std::min(end, item->end)));
            at = item->end;
            continue;
        }
        u32 count = 0;
        const u32 first = path.slot();
        for (; first + count < path.leaf().nritems() && is_ours(path.leaf().key(first + count)); ++count) {
            Item next = TRY(item_at(path.leaf(), first + count));
            if (next.end > end) break;
            at = next.end;
        }
        TRY(drop_whole(path, first, count));
    }
    return {};
}

// Items of the path's leaf.
Result<void> ExtentEdit::drop_whole(EditPath& path, u32 first, u32 count) {
    for (u32 slot = first; slot < first + count; ++slot) {
        Bytes data = path.leaf().data(slot);
        if (is_inline(data)) {
            count_bytes(-static_cast<s64>(extent_of(data).ram_bytes));
            continue;
        }
        FileExtentPart part = part_of(data);
        if (part.extent.addr.value == 0) continue;
        count_bytes(-static_cast<s64>(part.length));
        TRY(change_ref(part, path.leaf().key(slot).offset, -1));
    }
    path.slots[0] = first;
    return erase_at(tx_, tree_, path, count);
}

// Takes [begin, end) out of an item that reaches beyond on at least one side.
Result<void> ExtentEdit::cut(const Item& item, u64 begin, u64 end) {
    if (item.is_inline) {
        return fail(Cause::UnsupportedFeature, {.key = key(item.begin), .tree = tree_.id()},
                    "an inline extent of more than a sector");
    }
    EditPath path;
    TRY(find(item.begin, path));
    FileExtentPart part = part_of(path.data());
    if (part.extent.addr.value != 0) count_bytes(-static_cast<s64>(end - begin));
    FileExtentPart behind = part;
    behind.offset = part.extent.addr.value == 0 ? 0 : part.offset + (end - item.begin);
    behind.length = item.end - end;
    if (item.begin == begin) {
        auto& extent = changed_extent(path);
        extent.offset = behind.offset;
        extent.num_bytes = behind.length;
        change_key_at(path, key(end));
        return {};
    }
    changed_extent(path).num_bytes = begin - item.begin;
    if (item.end == end) return {};
    TRY(put(end, behind));
    return change_ref(behind, end, +1);
}

// The end of an inline extent goes, and `size` bytes remain.
Result<void> ExtentEdit::cut_inline(const Item& item, u64 size) {
    EditPath path;
    TRY(find(item.begin, path));
    auto& extent = changed_extent(path);
    if (extent.compression != 0 || extent.ram_bytes <= size) return {};
    count_bytes(-static_cast<s64>(extent.ram_bytes - size));
    extent.ram_bytes = size;
    resize_at(path, static_cast<u32>(disk::file_extent_inline_at + size));
    return {};
}

Result<Progress> ExtentEdit::drop_tail(u64 size, u32 items_max) {
    const u64 end = (size + sector_ - 1) / sector_ * sector_;
    for (u32 left = items_max;;) {
        auto item = TRY(last());
        bool reaches = item && (item->end > end || (item->is_inline && item->begin + size < item->end));
        if (!reaches) break;
        if (item->begin < end) {
            if (item->is_inline)
                TRY(cut_inline(*item, size));
            else
                TRY(cut(*item, end, item->end));
            break;
        }
        if (left == 0) return Progress::More;
        EditPath path;
        TRY(find(item->begin, path));
        u32 first = path.slot(), count = 1;
        while (first > 0 && count < left) {
            Key before = path.leaf().key(first - 1);
            if (!is_ours(before) || before.offset < end) break;
            --first, ++count;
        }
        u64 begin = path.leaf().key(first).offset;
        TRY(drop_whole(path, first, count));
        left -= count;
        if (inode_.item.size > std::max(begin, size)) inode_.item.size = std::max(begin, size);
    }
    if (inode_.item.size > size) inode_.item.size = size;
    inode_.changed = true;
    return Progress::Done;
}

Result<void> ExtentEdit::put(u64 begin, const FileExtentPart& part) {
    disk::btrfs_file_extent_item item{};
    item.generation = part.generation.value;
    item.ram_bytes = part.ram_bytes;
    item.compression = static_cast<u8>(part.compression);
    item.type = part.type;
    item.disk_bytenr = part.extent.addr.value;
    item.disk_num_bytes = part.extent.addr.value == 0 ? 0 : part.extent.length;
    item.offset = part.offset;
    item.num_bytes = part.length;
    return insert_item(tx_, tree_, key(begin), item);
}

Result<void> ExtentEdit::insert(u64 begin, const FileExtentPart& part, ExtentRefs refs) {
    TRY(put(begin, part));
    if (part.extent.addr.value == 0) return {};
    count_bytes(static_cast<s64>(part.length));
    if (refs == ExtentRefs::More) return change_ref(part, begin, +1);
    return tx_.store().add_new_data(tx_, part.extent, tree_.id(), inode_.id.ino, begin - part.offset);
}

Result<void> ExtentEdit::insert_inline(u64 size, Compression compression, Bytes data) {
    Buffer item(disk::file_extent_inline_at + data.size());
    // Only the front part, up to `type`, is there.
    disk::btrfs_file_extent_item head{};
    head.generation = tx_.generation().value;
    head.ram_bytes = size;
    head.compression = static_cast<u8>(compression);
    head.type = file_extent_inline;
    std::memcpy(item.data(), &head, disk::file_extent_inline_at);
    std::copy(data.begin(), data.end(), item.begin() + disk::file_extent_inline_at);
    count_bytes(static_cast<s64>(size));
    return insert_item(tx_, tree_, key(0), item);
}

Result<void> ExtentEdit::fill(u64 begin, u64 end) {
    std::vector<Item> gaps;
    u64 done = begin;
    auto visit = [&](const Cursor&, u64 item_begin, u64 item_end) -> Result<bool> {
        if (item_begin > done) gaps.push_back({done, std::min(item_begin, end)});
        done = std::max(done, item_end);
        return done < end;
    };
    TRY(for_each_extent(tx_.volume(), tree_.root, inode_.id.ino, begin, visit));
    if (done < end) gaps.push_back({done, end});
    for (const Item& gap : gaps) {
        FileExtentPart hole;
        hole.ram_bytes = hole.length = gap.end - gap.begin;
        hole.generation = tx_.generation();
        TRY(put(gap.begin, hole));
    }
    return {};
}

// Makes two items of the one that stands for `at`, unless one begins there.
Result<void> ExtentEdit::split(u64 at) {
    auto item = TRY(first_behind(at));
    if (!item || item->begin >= at) return {};
    EditPath path;
    TRY(find(item->begin, path));
    FileExtentPart behind = part_of(path.data());
    behind.offset += at - item->begin;
    behind.length = item->end - at;
    changed_extent(path).num_bytes = at - item->begin;
    TRY(put(at, behind));
    return change_ref(behind, at, +1);
}

// Makes one item of the two that meet at `at` if both show neighbouring parts of one extent in the same way.
Result<void> ExtentEdit::join(u64 at) {
    Cursor cursor(tx_.volume(), tree_.root);
    if (!TRY(cursor.seek(key(at))) || cursor.key() != key(at) || is_inline(cursor.data())) return {};
    FileExtentPart right = part_of(cursor.data());
    if (!TRY(cursor.previous()) || !is_ours(cursor.key()) || is_inline(cursor.data())) return {};
    TRY(cursor.check());
    const u64 begin = cursor.key().offset;
    FileExtentPart left = part_of(cursor.data());
    bool same = left.extent.addr == right.extent.addr && left.extent.addr.value != 0 &&
                left.type == right.type && left.compression == Compression::None &&
                right.compression == Compression::None && begin + left.length == at &&
                left.offset + left.length == right.offset;
    if (!same) return {};
    EditPath path;
    TRY(find(at, path));
    TRY(change_ref(right, at, -1));
    TRY(erase_at(tx_, tree_, path));
    EditPath left_path;
    TRY(find(begin, left_path));
    auto& extent = changed_extent(left_path);
    extent.num_bytes = left.length + right.length;
    // The older one: whether a snapshot may share the item is asked of it.
    extent.generation = std::min(left.generation, right.generation).value;
    return {};
}

Result<void> ExtentEdit::mark_written(u64 begin, u64 end) {
    TRY(split(begin));
    TRY(split(end));
    EditPath path;
    TRY(find(begin, path));
    auto& extent = changed_extent(path);
    GLASSFS_ASSERT(extent.type == file_extent_prealloc && extent.num_bytes == end - begin);
    extent.type = file_extent_regular;
    TRY(join(end));
    return join(begin);
}

}  // namespace

Result<void> drop_extents(Transaction& tx, Tree& tree, Inode& inode, u64 begin, u64 end) {
    return ExtentEdit(tx, tree, inode).drop(begin, end);
}

Result<void> insert_extent(Transaction& tx, Tree& tree, Inode& inode, u64 begin, const FileExtentPart& part,
                           ExtentRefs refs) {
    return ExtentEdit(tx, tree, inode).insert(begin, part, refs);
}

Result<void> insert_inline_extent(Transaction& tx, Tree& tree, Inode& inode, u64 size,
                                  Compression compression, Bytes data) {
    return ExtentEdit(tx, tree, inode).insert_inline(size, compression, data);
}

Result<void> fill_holes(Transaction& tx, Tree& tree, Inode& inode, u64 begin, u64 end) {
    if (tx.geometry().has(incompat_no_holes) || begin >= end) return {};
    return ExtentEdit(tx, tree, inode).fill(begin, end);
}

Result<void> mark_written(Transaction& tx, Tree& tree, Inode& inode, u64 begin, u64 end) {
    return ExtentEdit(tx, tree, inode).mark_written(begin, end);
}

Result<Progress> truncate_items(Transaction& tx, Tree& tree, Inode& inode, u64 size, u32 items_max) {
    return ExtentEdit(tx, tree, inode).drop_tail(size, items_max);
}

Result<void> truncate_items(Transaction& tx, Tree& tree, Inode& inode, u64 size) {
    while (TRY(truncate_items(tx, tree, inode, size, ~0U)) == Progress::More) continue;
    return {};
}

Result<bool> can_write_in_place(Transaction& tx, Tree& tree, const Inode& inode, u64 begin,
                                const FileExtentPart& part) {
    const LogicalAddr addr = part.extent.addr;
    if (addr.value == 0 || part.compression != Compression::None) return false;
    if (part.generation <= tree.last_snapshot()) return false;
    auto is_own = [&](const ExtentRef& ref) {
        return ref.type == KeyType::ExtentDataRef && ref.root == tree.id() &&
               ref.objectid == inode.id.ino.value && ref.offset == begin - part.offset;
    };
    bool is_new = false;
    if (const RefHead* head = tx.store().refs().find(addr)) {
        for (const RefChange& change : head->changes) {
            if (!is_own(change.ref)) return false;
        }
        is_new = head->is_new;
    }
    Tree* extents = TRY(tx.tree(extent_tree_objectid));
    Cursor cursor(tx.volume(), extents->root);
    Key key = make_key(addr.value, KeyType::ExtentItem, part.extent.length);
    if (!TRY(cursor.seek(key)) || cursor.key() != key) return is_new;
    TRY(cursor.check());
    u64 left = view<disk::btrfs_extent_item>(cursor.data()).refs;
    InlineRefs refs(key, cursor.data());
    while (auto ref = refs.next()) {
        if (!is_own(*ref)) return false;
        left -= ref->count;
    }
    return left == 0;  // else others have items of their own
}

Result<u64> count_extents(Volume& volume, const Inode& inode, u64 begin, u64 end) {
    u64 count = 0;
    TreeRoot root = TRY(volume.tree_root(inode.id.tree));
    TRY(for_each_extent(volume, root, inode.id.ino, begin, [&](const Cursor&, u64 at, u64) -> Result<bool> {
        if (at < end) ++count;
        return at < end;
    }));
    return count;
}

}  // namespace glassfs::btrfs
