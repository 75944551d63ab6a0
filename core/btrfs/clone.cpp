// SPDX-License-Identifier: MIT
// Sharing the extents of one file with another: clone_range.
#include "btrfs/file_data.h"
#include "btrfs/file_write.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::NodeId;

namespace {

constexpr std::size_t items_per_step = 64;
constexpr u64 dropped_beside = 16;  // how many old items, side by side, count as one item of a Need

bool ends_beyond(u64 at, u64 length) {
    return at > file_bytes_max || length > file_bytes_max - at;
}

}  // namespace

Result<void> FileWriter::clone_range(NodeId from_id, u64 from_at, u64 length, NodeId to_id, u64 to_at) {
    InodePtr from = TRY(find(from_id)), to = TRY(find(to_id));
    std::unique_lock first(std::min(from_id, to_id) == from_id ? from->lock : to->lock);
    std::unique_lock<std::shared_mutex> second;
    if (from != to) second = std::unique_lock(std::min(from_id, to_id) == from_id ? to->lock : from->lock);
    CloneRange range{from_at, length, to_at};
    TRY(check_clone(*from, *to, range));
    if (range.length == 0) return {};
    return clone_locked(from, to, range);
}

// Length 0 becomes the rest of `from`.
Result<void> FileWriter::check_clone(const Inode& from, const Inode& to, CloneRange& range) {
    TRY(check_changeable(to));
    auto lock = volume_.reading();
    if (from.gone) return fail(Cause::NotFound);
    if (from.type() == vfs::FileType::Directory) return fail(Cause::IsADirectory);
    if (from.type() != vfs::FileType::Regular) return fail(Cause::InvalidArgument);
    const auto bad = [] { return fail(Cause::InvalidArgument); };
    const u64 size = size_of(from);
    if (range.length > file_bytes_max || ends_beyond(range.from_at, range.length) ||
        ends_beyond(range.to_at, range.length)) {
        return bad();
    }
    if (((from.item.flags ^ to.item.flags) & inode_nodatasum) != 0) return bad();
    if (range.length == 0) {
        if (range.from_at > size) return bad();
        range.length = size - range.from_at;
        if (range.length == 0) return {};
    }
    if (range.from_at % sector_ != 0 || range.to_at % sector_ != 0) return bad();
    if (range.from_end() > size || ends_beyond(range.to_at, range.length)) return bad();
    // A part of a sector can only become a last sector: what is behind it in its sector isn't the source's.
    bool to_end = range.from_end() == size && range.to_end() >= size_of(to);
    if (range.length % sector_ != 0 && !to_end) return bad();
    const u64 covered = up(range.length);
    bool overlap = range.to_at < range.from_at + covered && range.from_at < range.to_at + covered;
    if (&from == &to && overlap) return bad();
    return {};
}

Result<void> FileWriter::clone_locked(const InodePtr& from, const InodePtr& to, const CloneRange& range) {
    const u64 size = size_now(*to);
    Sectors edges;
    if (range.to_at > size) TRY(add_end_sector(*to, edges));
    TRY(need_room(*to, edges));
    {
        Transaction tx = TRY(store_.begin({.items = 4}));
        TRY(begin_change(tx, to, std::max(size, range.to_at), edges));
        tx.done();
    }
    TRY(write_back_locked({to}));
    if (from != to) TRY(write_back_locked({from}));
    for (u64 at = range.from_at; at < range.from_end();) at = TRY(clone_step(*from, to, range, at));
    return {};
}

namespace {
struct Found {
    u64 begin = 0;  // in `from`
    FileExtentPart part = {};
};
}  // namespace

// From `from_at` on, a number of items; returns how far. An inline one is copied.
Result<u64> FileWriter::clone_step(const Inode& from, const InodePtr& to, const CloneRange& range,
                                   u64 from_at) {
    const u64 last = range.from_at + up(range.length);
    u64 until = last;
    bool begins_inline = false;
    std::vector<Found> found;
    u64 dropped = 0;
    auto visit = [&](const Cursor& cursor, u64 begin, u64 end) -> Result<bool> {
        if (begin >= last) return false;
        if (is_inline(cursor.data()) && found.empty()) {
            begins_inline = true;
            until = std::min(end, last);
            return false;
        }
        if (is_inline(cursor.data()) || found.size() == items_per_step) {
            until = begin;
            return false;
        }
        FileExtentPart part = part_of(cursor.data());
        if (part.extent.addr.value == 0) return true;
        u64 cut = std::max(begin, from_at) - begin;
        part.offset += cut;
        part.length = std::min(end, last) - (begin + cut);
        found.push_back({begin + cut, part});
        return true;
    };
    const u64 shift = range.to_at - range.from_at;  // may wrap
    {
        auto lock = volume_.reading();
        TRY(for_each_extent(volume_, TRY(volume_.tree_root(from.id.tree)), from.id.ino, from_at, visit));
        dropped = TRY(count_extents(volume_, *to, from_at + shift, until + shift));
    }
    const u64 size = std::max(size_now(*to), std::min(until + shift, range.to_end()));
    if (begins_inline) {
        Sectors sectors{{from_at + shift, Buffer(static_cast<std::size_t>(until - from_at))}};
        {
            auto lock = volume_.reading();
            TRY(read_extents(volume_, data_, from.id, from_at, sectors[0].bytes, DataChecksums::Verify));
        }
        // What the item holds behind the source's end isn't the file's.
        const u64 from_size = size_now(from);
        if (until > from_size) {
            auto behind = sectors[0].bytes.begin() + static_cast<std::ptrdiff_t>(from_size - from_at);
            std::fill(behind, sectors[0].bytes.end(), u8{0});
        }
        TRY(need_room(*to, sectors));
        {
            Transaction tx = TRY(store_.begin({.items = 4}));
            TRY(begin_change(tx, to, size, sectors));
            tx.done();
        }
        TRY(write_back_locked({to}));
        return until;
    }
    const u32 items =
        static_cast<u32>(found.size() * 3 + 4 + std::min<u64>(dropped / dropped_beside, 1U << 16));
    Transaction tx = TRY(store_.begin({.items = items}));
    if (to->gone || from.gone) return fail(Cause::NotFound);
    Tree* tree = TRY(tx.tree(to->id.tree));
    touch(tx, *to);
    TRY(drop_extents(tx, *tree, *to, from_at + shift, until + shift));
    for (const Found& item : found)
        TRY(insert_extent(tx, *tree, *to, item.begin + shift, item.part, ExtentRefs::More));
    TRY(fill_holes(tx, *tree, *to, from_at + shift, std::min(until + shift, up(size))));
    TRY(grow_on_disk(tx, *tree, *to, size));
    tx.done();
    return until;
}

}  // namespace glassfs::btrfs
