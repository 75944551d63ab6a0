// SPDX-License-Identifier: MIT
// Items are laid out as Linux does it: checksums of neighbouring sectors go to the end of the item in front
// of them until it has the greatest size or its leaf is full, and only then into a new one. Items never
// overlap.
#include "btrfs/csum_tree.h"

#include "btrfs/cursor.h"
#include "btrfs/tree_edit.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u32 csum_item_bytes_max =
    4096;  // of checksums counted, not of bytes: what Linux takes a page's size for

Key csum_key(u64 addr) {
    return make_key(extent_csum_objectid, KeyType::ExtentCsum, addr);
}

bool is_csum(const Key& key) {
    return key.objectid == extent_csum_objectid && type_of(key) == KeyType::ExtentCsum;
}

// An item of the checksum tree and the range that it is for.
struct CsumRun {
    u64 begin = 0;  // logical address
    u64 end = 0;
    u32 count = 0;  // of checksums
};

class CsumEdit {
  public:
    CsumEdit(Transaction& tx, Tree& tree)
        : tx_(tx),
          tree_(tree),
          width_(static_cast<u32>(checksum_size(tx.geometry().csum_type))),
          sector_(tx.geometry().sector_size) {
        const u32 leaf = TreeBlock::capacity(tx.geometry().node_size);
        count_max_ = std::min((leaf - 2 * TreeBlock::item_size) / width_ - 1, csum_item_bytes_max);
    }

    Result<void> insert(u64 addr, Bytes sums);
    Result<void> erase(u64 begin, u64 end);

  private:
    // The last run that begins at or before `addr`, and the first behind it.
    struct Around {
        std::optional<CsumRun> before;
        std::optional<CsumRun> behind;
    };
    Result<Around> around(u64 addr);
    Result<CsumRun> run_at(const Cursor&) const;
    // Return how many checksums found a place.
    Result<u32> extend(const CsumRun&, Bytes sums, u32 count);
    Result<u32> add_item(u64 addr, Bytes sums, u32 count);
    Result<void> cut(const CsumRun&, u64 begin, u64 end);
    Result<void> erase_whole(const CsumRun& first, u64 end);

    Transaction& tx_;
    Tree& tree_;
    u32 width_;  // bytes of one checksum
    u64 sector_;
    u32 count_max_ = 0;  // checksums in one item
};

Result<CsumRun> CsumEdit::run_at(const Cursor& cursor) const {
    TRY(cursor.check());
    CsumRun run;
    run.begin = cursor.key().offset;
    run.count = static_cast<u32>(cursor.data().size()) / width_;
    run.end = run.begin + run.count * sector_;
    return run;
}

Result<CsumEdit::Around> CsumEdit::around(u64 addr) {
    Around out;
    Cursor cursor(tx_.volume(), tree_.root);
    bool found = TRY(cursor.seek_back(csum_key(addr)));
    if (found && is_csum(cursor.key())) {
        out.before = TRY(run_at(cursor));
        found = TRY(cursor.next());
    } else {
        found = TRY(cursor.seek(csum_key(addr)));
    }
    if (found && is_csum(cursor.key())) out.behind = TRY(run_at(cursor));
    return out;
}

// As many as the leaf has room for, but at least one: the last leaf of a growing tree fills up.
Result<u32> CsumEdit::extend(const CsumRun& run, Bytes sums, u32 count) {
    EditPath path;
    if (!TRY(find_for_change(tx_, tree_, csum_key(run.begin), width_, path))) {
        return fail(Cause::ItemMissing, {.key = csum_key(run.begin), .tree = tree_.id()});
    }
    u32 added = std::min({count, count_max_ - run.count, path.leaf().free_bytes() / width_});
    const u32 old = run.count * width_;
    MutBytes data = resize_at(path, old + added * width_);
    std::copy_n(sums.begin(), added * width_, data.subspan(old).begin());
    return added;
}

Result<u32> CsumEdit::add_item(u64 addr, Bytes sums, u32 count) {
    count = std::min(count, count_max_);
    TRY(insert_item(tx_, tree_, csum_key(addr), sums.first(std::size_t{count} * width_)));
    return count;
}

Result<void> CsumEdit::insert(u64 addr, Bytes sums) {
    GLASSFS_ASSERT(sums.size() % width_ == 0 && addr % sector_ == 0);
    const u64 end = addr + sums.size() / width_ * sector_;
    while (!sums.empty()) {
        Around near = TRY(around(addr));
        bool stale = (near.before && near.before->end > addr) || (near.behind && near.behind->begin < end);
        if (stale) {  // of a volume that was damaged before
            TRY(erase(addr, end));
            near = TRY(around(addr));
        }
        u32 count = static_cast<u32>(std::min<u64>(sums.size() / width_, count_max_));
        u32 done = 0;
        bool adjacent = near.before && near.before->end == addr && near.before->count < count_max_;
        if (adjacent)
            done = TRY(extend(*near.before, sums, count));
        else
            done = TRY(add_item(addr, sums, count));
        addr += done * sector_;
        sums = sums.subspan(std::size_t{done} * width_);
    }
    return {};
}

// An item that begins before `begin`, or ends behind `end`, or both: what is outside stays.
Result<void> CsumEdit::cut(const CsumRun& run, u64 begin, u64 end) {
    EditPath path;
    if (!TRY(find_for_change(tx_, tree_, csum_key(run.begin), 0, path))) {
        return fail(Cause::ItemMissing, {.key = csum_key(run.begin), .tree = tree_.id()});
    }
    auto bytes_to = [&](u64 addr) { return static_cast<u32>((addr - run.begin) / sector_) * width_; };
    const u32 size = static_cast<u32>(path.data().size());
    if (run.end <= end) {  // its end goes
        resize_at(path, bytes_to(begin));
        return {};
    }
    Bytes behind = path.data().subspan(bytes_to(end));
    if (run.begin < begin) {  // the middle goes
        Buffer kept(behind.begin(), behind.end());
        resize_at(path, bytes_to(begin));
        return insert_item(tx_, tree_, csum_key(end), kept);
    }
    MutBytes data = path.changed_data();
    std::memmove(data.data(), data.data() + bytes_to(end), behind.size());
    resize_at(path, size - bytes_to(end));
    change_key_at(path, csum_key(end));
    return {};
}

// The item `first`, and those behind it in the same leaf that lie before `end` as a whole.
Result<void> CsumEdit::erase_whole(const CsumRun& first, u64 end) {
    EditPath path;
    if (!TRY(find_for_change(tx_, tree_, csum_key(first.begin), 0, path))) {
        return fail(Cause::ItemMissing, {.key = csum_key(first.begin), .tree = tree_.id()});
    }
    u32 count = 1;
    const TreeBlock& leaf = path.leaf();
    for (u32 slot = path.slot() + 1; slot < leaf.nritems(); ++slot, ++count) {
        Key key = leaf.key(slot);
        if (!is_csum(key) || key.offset + leaf.item(slot).size / width_ * sector_ > end) break;
    }
    return erase_at(tx_, tree_, path, count);
}

Result<void> CsumEdit::erase(u64 begin, u64 end) {
    for (;;) {
        Around near = TRY(around(begin));
        std::optional<CsumRun> run = near.before;
        if (!run || run->end <= begin) run = near.behind;
        if (!run || run->begin >= end) return {};
        if (run->begin < begin || run->end > end)
            TRY(cut(*run, std::max(begin, run->begin), end));
        else
            TRY(erase_whole(*run, end));
    }
}

}  // namespace

Result<void> insert_checksums(Transaction& tx, LogicalAddr addr, Bytes sums) {
    if (sums.empty()) return {};
    Tree* tree = TRY(tx.tree(csum_tree_objectid));
    return CsumEdit(tx, *tree).insert(addr.value, sums);
}

Result<void> erase_checksums(Transaction& tx, LogicalAddr addr, u64 length) {
    if (length == 0) return {};
    Tree* tree = TRY(tx.tree(csum_tree_objectid));
    return CsumEdit(tx, *tree).erase(addr.value, addr.value + length);
}

}  // namespace glassfs::btrfs
