// SPDX-License-Identifier: MIT
// Allocating room before there is data, and taking data out: fallocate.
#include "btrfs/file_data.h"
#include "btrfs/file_write.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::FallocateMode;
using vfs::NodeId;

namespace {

constexpr u64 prealloc_bytes_max = 256ULL << 20;  // of one extent
constexpr std::size_t extents_per_step = 16;
constexpr u64 dropped_beside = 16;  // how many old items, side by side, count as one item of a Need

}  // namespace

Result<void> FileWriter::fallocate(NodeId id, FallocateMode mode, u64 at, u64 length) {
    InodePtr inode = TRY(find(id));
    std::unique_lock lock(inode->lock);
    TRY(check_changeable(*inode));
    if (length == 0 || length > file_bytes_max || at > file_bytes_max) return fail(Cause::InvalidArgument);
    if (length > file_bytes_max - at) return fail(Cause::FileTooBig);
    return with_room(lock, [&] { return fallocate_locked(inode, mode, at, at + length); });
}

Result<void> FileWriter::fallocate_locked(const InodePtr& inode, FallocateMode mode, u64 begin, u64 end) {
    switch (mode) {
        case FallocateMode::Allocate:
            return allocate_range(inode, begin, end, SizeChange::Grow, Preallocate::Holes);
        case FallocateMode::KeepSize:
            return allocate_range(inode, begin, end, SizeChange::Keep, Preallocate::Holes);
        case FallocateMode::ZeroRange:
            return allocate_range(inode, begin, end, SizeChange::Grow, Preallocate::HolesAndData);
        case FallocateMode::ZeroRangeKeepSize:
            return allocate_range(inode, begin, end, SizeChange::Keep, Preallocate::HolesAndData);
        case FallocateMode::PunchHole:
            return punch(inode, begin, end);
        case FallocateMode::CollapseRange:
        case FallocateMode::InsertRange:
            break;
    }
    return fail(Cause::NotSupported);
}

// HolesAndData: whole sectors of data give way to unwritten ones, others keep what is outside of the range.
Result<void> FileWriter::allocate_range(const InodePtr& inode, u64 begin, u64 end, SizeChange change,
                                        Preallocate what) {
    const u64 size = size_now(*inode);
    Sectors end_sector;
    if (end > size) TRY(add_end_sector(*inode, end_sector));
    TRY(need_room(*inode, end_sector));
    {
        Transaction tx = TRY(store_.begin({.items = 1}));
        TRY(begin_change(tx, inode, size, end_sector));
        // As in Linux: from now on there may be places to write to, and nothing is inline any more.
        inode->item.flags = inode->item.flags | inode_prealloc;
        tx.done();
    }
    u64 first = down(begin), last = up(end);
    if (what == Preallocate::HolesAndData) {
        Edges edges = TRY(find_edges(*inode, begin, end, Holds::Data));
        Transaction tx = TRY(store_.begin({.items = 1}));
        if (inode->gone) return fail(Cause::NotFound);
        TRY(zero_edges(tx, inode, edges));
        tx.done();
        if (begin % sector_ != 0 && TRY(what_is_at(*inode, first)) == Holds::Data) first = up(begin);
        if (end % sector_ != 0 && TRY(what_is_at(*inode, down(end))) == Holds::Data) last = down(end);
    }
    TRY(write_back_locked({inode}));
    auto ranges = TRY(ranges_to_allocate(*inode, first, last, what));
    return preallocate(inode, ranges, change == SizeChange::Grow ? std::max(size, end) : size);
}

Result<std::vector<FilePages::Range>> FileWriter::ranges_to_allocate(const Inode& inode, u64 begin, u64 end,
                                                                     Preallocate what) {
    std::vector<FilePages::Range> out;
    u64 done = begin;
    auto add = [&](u64 to) {
        if (done >= to) return;
        if (!out.empty() && out.back().end == done)
            out.back().end = to;
        else
            out.push_back({done, to});
    };
    auto visit = [&](const Cursor& cursor, u64 item_begin, u64 item_end) -> Result<bool> {
        if (item_begin >= end) return false;
        bool unwritten = !is_inline(cursor.data()) && extent_of(cursor.data()).type == file_extent_prealloc;
        bool stays = is_allocated(cursor.data()) && (unwritten || what == Preallocate::Holes);
        if (stays) {
            add(std::min(end, item_begin));
            done = std::max(done, item_end);
        }
        return done < end;
    };
    auto lock = volume_.reading();
    TRY(for_each_extent(volume_, TRY(volume_.tree_root(inode.id.tree)), inode.id.ino, begin, visit));
    add(end);
    return out;
}

// The file's size on disk grows as far as its range is allocated, up to `size`.
Result<void> FileWriter::preallocate(const InodePtr& inode, const std::vector<FilePages::Range>& ranges,
                                     u64 size) {
    u64 wanted = 0;
    for (const auto& range : ranges) wanted += range.end - range.begin;
    if (TRY(data_room(wanted)) < wanted) return fail(Cause::NoSpace);
    Claim claim(claimed_bytes_, wanted);
    std::vector<FilePages::Range> left(ranges.rbegin(), ranges.rend());
    while (!left.empty()) TRY(preallocate_some(inode, left, size));
    Transaction tx = TRY(store_.begin({.items = 2}));
    if (inode->gone) return fail(Cause::NotFound);
    TRY(grow_on_disk(tx, *TRY(tx.tree(inode->id.tree)), *inode, size));
    tx.done();
    return {};
}

// `left`: the next one is the last.
Result<void> FileWriter::preallocate_some(const InodePtr& inode, std::vector<FilePages::Range>& left,
                                          u64 size) {
    u64 dropped = 0;
    {
        auto lock = volume_.reading();
        for (std::size_t i = 0; i < std::min(extents_per_step, left.size()); ++i) {
            const auto& range = left[left.size() - 1 - i];
            dropped += TRY(count_extents(volume_, *inode, range.begin, range.end));
        }
    }
    const u32 items =
        static_cast<u32>(extents_per_step * 3 + std::min<u64>(dropped / dropped_beside, 1U << 16));
    Transaction tx = TRY(store_.begin({.items = items}));
    if (inode->gone) return fail(Cause::NotFound);
    Tree* tree = TRY(tx.tree(inode->id.tree));
    Result<void> done;
    for (std::size_t i = 0; i < extents_per_step && !left.empty(); ++i) {
        auto& range = left.back();
        auto extent =
            store_.allocate_data(tx, std::min(range.end - range.begin, prealloc_bytes_max), sector_);
        if (!extent) {
            if (extent.error().cause != Cause::NoSpace) return fail(extent.error());
            done = fail(extent.error());
            break;
        }
        FileExtentPart part;
        part.extent = *extent;
        part.ram_bytes = part.length = extent->length;
        part.generation = tx.generation();
        part.type = file_extent_prealloc;
        const u64 end = range.begin + part.length;
        TRY(drop_extents(tx, *tree, *inode, range.begin, end));
        TRY(insert_extent(tx, *tree, *inode, range.begin, part, ExtentRefs::New));
        TRY(grow_on_disk(tx, *tree, *inode, std::min(size, end)));
        range.begin = end;
        if (range.begin == range.end) left.pop_back();
    }
    tx.done();
    return done;
}

// What of the range lies in sectors that are covered in part, where they hold `least` or more.
Result<FileWriter::Edges> FileWriter::find_edges(const Inode& inode, u64 begin, u64 end, Holds least) {
    Edges out{.size = size_now(inode)};
    auto add = [&](u64 at) -> Result<void> {
        if (at >= out.size || TRY(what_is_at(inode, at)) < least) return {};
        TRY(add_sector(inode, at, out.sectors));
        out.zeros.push_back({std::max(begin, at), std::min(end, at + sector_)});
        return {};
    };
    if (begin % sector_ != 0) TRY(add(down(begin)));
    bool apart = begin % sector_ == 0 || down(end) != down(begin);
    if (end % sector_ != 0 && apart) TRY(add(down(end)));
    TRY(need_room(inode, out.sectors));
    return out;
}

Result<void> FileWriter::zero_edges(Transaction& tx, const InodePtr& inode, const Edges& edges) {
    if (edges.zeros.empty()) return {};
    pages_of(inode);
    TRY(begin_change(tx, inode, edges.size, edges.sectors));
    for (const auto& range : edges.zeros) inode->pages->zero(range.begin, range.end);
    return {};
}

// Whole sectors go, also behind the file's end; sectors covered in part are zeroed if they are allocated.
// Where all is a hole already nothing changes, not even times.
Result<void> FileWriter::punch(const InodePtr& inode, u64 begin, u64 end) {
    bool anything =
        inode->pages != nullptr && inode->pages->clean_bytes(down(begin), up(end)) < up(end) - down(begin);
    if (!anything) {
        auto visit = [&](const Cursor& cursor, u64 item_begin, u64) -> Result<bool> {
            anything = item_begin < up(end) && is_allocated(cursor.data());
            return item_begin < up(end) && !anything;
        };
        auto lock = volume_.reading();
        TRY(for_each_extent(volume_, TRY(volume_.tree_root(inode->id.tree)), inode->id.ino, down(begin),
                            visit));
    }
    if (!anything) return {};
    return erase_range(inode, up(begin), down(end), TRY(find_edges(*inode, begin, end, Holds::Unwritten)));
}

// In one step: all of it, or nothing.
Result<void> FileWriter::erase_range(const InodePtr& inode, u64 begin, u64 end, const Edges& edges) {
    u64 dropped = 0;
    if (begin < end) {
        auto lock = volume_.reading();
        dropped = TRY(count_extents(volume_, *inode, begin, end));
    }
    const u32 items = 4 + static_cast<u32>(std::min<u64>(dropped / dropped_beside, 1U << 16));
    Transaction tx = TRY(store_.begin({.items = items, .room = Room::Frees}));
    if (inode->gone) return fail(Cause::NotFound);
    if (begin < end) {  // first the tree: what fails there has changed nothing, or ends the volume's writing
        Tree* tree = TRY(tx.tree(inode->id.tree));
        TRY(drop_extents(tx, *tree, *inode, begin, end));
        TRY(fill_holes(tx, *tree, *inode, begin, std::min(end, up(inode->item.size))));
        if (inode->pages != nullptr) inode->pages->drop(begin, end);
    }
    TRY(zero_edges(tx, inode, edges));
    touch(tx, *inode);
    tx.done();
    return {};
}

}  // namespace glassfs::btrfs
