// SPDX-License-Identifier: MIT
// Bytes on their way into memory: write and truncate. At the end, the file system's operations on data.
#include "btrfs/file_write.h"

#include "btrfs/file_data.h"
#include "btrfs/file_system.h"
#include "btrfs/write_back.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::NodeId;

namespace {

constexpr std::size_t write_piece_bytes = 4U << 20;
constexpr std::size_t files_at_once = 64;  // locked while they are written back together
constexpr u32 truncate_items_max = 512;    // in one step
constexpr u32 items_beside = 16;           // how many deletions, side by side, count as one item of a Need

}  // namespace

FileWriter::FileWriter(Volume& volume, WritableVolume& store, DataReader& data, InodeTable& inodes)
    : volume_(volume), store_(store), data_(data), inodes_(inodes), sector_(volume.geometry().sector_size) {}

Result<InodePtr> FileWriter::find(NodeId id) {
    auto lock = volume_.reading();
    return inodes_.get(id);
}

// As open() for writing has it in Linux.
Result<void> FileWriter::check_changeable(const Inode& inode) {
    auto lock = volume_.reading();
    if (inode.gone) return fail(Cause::NotFound);
    if (inode.type() == vfs::FileType::Directory) return fail(Cause::IsADirectory);
    if (inode.type() != vfs::FileType::Regular) return fail(Cause::InvalidArgument);
    if ((inode.item.flags & inode_immutable) != 0) return fail(Cause::NotPermitted);
    auto root = TRY(volume_.root_item(inode.id.tree));
    if ((root.flags & root_subvol_rdonly) != 0) return fail(Cause::ReadOnly);
    if ((inode.item.flags & inode_append) != 0) return fail(Cause::NotPermitted);
    return {};
}

u64 FileWriter::size_now(const Inode& inode) {
    auto lock = volume_.reading();
    return size_of(inode);
}

// ---- Room

// For what isn't dirty yet, `wanted` bytes or as many as there are. Chunks are made now: later other chunks
// might have taken the devices' last bytes.
Result<u64> FileWriter::data_room(u64 wanted) {
    for (;;) {
        {
            auto lock = volume_.reading();
            u64 room = store_.groups().free_bytes(block_group_data);
            u64 taken = *dirty_bytes_ + claimed_bytes_;
            u64 left = room > taken ? room - taken : 0;
            if (left >= wanted || store_.chunks().bytes_possible(block_group_data) == 0) return left;
        }
        Transaction tx = TRY(store_.begin({.items = 8}));
        bool made = TRY(store_.chunks().allocate(tx, block_group_data));
        tx.done();
        if (!made) wanted = 0;
    }
}

// Whether all of the range can be overwritten where it lies, which takes no room.
Result<bool> FileWriter::writes_in_place(const Inode& inode, u64 begin, u64 end) {
    Transaction tx = TRY(store_.begin({.items = 0, .room = Room::Frees}));
    Tree* tree = TRY(tx.tree(inode.id.tree));
    u64 done = begin;
    const bool nodatacow = (inode.item.flags & inode_nodatacow) != 0;
    auto visit = [&](const Cursor& cursor, u64 item_begin, u64 item_end) -> Result<bool> {
        if (item_begin > done || is_inline(cursor.data())) return false;
        FileExtentPart part = part_of(cursor.data());
        bool overwrites = nodatacow || part.type == file_extent_prealloc;
        if (!overwrites || !TRY(can_write_in_place(tx, *tree, inode, item_begin, part))) return false;
        done = item_end;
        return done < end;
    };
    TRY(for_each_extent(volume_, tree->root, inode.id.ino, begin, visit));
    tx.done();
    return done >= end;
}

// How far from `begin` on a range of sectors may become dirty; `end` when there is room for all of it.
Result<u64> FileWriter::room_up_to(const Inode& inode, u64 begin, u64 end) {
    auto wanted = [&](u64 to) {
        return inode.pages != nullptr ? inode.pages->clean_bytes(begin, to) : to - begin;
    };
    u64 room = TRY(data_room(wanted(end)));
    if (wanted(end) <= room || TRY(writes_in_place(inode, begin, end))) return end;
    u64 to = begin;
    while (to < end && wanted(to + sector_) <= room) to += sector_;
    return to;
}

Result<void> FileWriter::need_room(const Inode& inode, const Sectors& sectors) {
    for (const Sector& sector : sectors) {
        if (TRY(room_up_to(inode, sector.at, sector.at + sector_)) == sector.at) return fail(Cause::NoSpace);
    }
    return {};
}

// ---- Becoming dirty

// The sector at `at`, if it isn't dirty already, as it is now; behind the file's end it is zeros, whatever is
// on disk.
Result<void> FileWriter::add_sector(const Inode& inode, u64 at, Sectors& out) {
    if (inode.pages != nullptr && inode.pages->is_dirty(at)) return {};
    if (!out.empty() && out.back().at == at) return {};
    Sector sector{at, Buffer(static_cast<std::size_t>(sector_))};
    auto lock = volume_.reading();
    const u64 size = size_of(inode);
    if (at < size) {
        auto sums = (inode.item.flags & inode_nodatasum) != 0 ? DataChecksums::None : DataChecksums::Verify;
        TRY(read_extents(volume_, data_, inode.id, at, sector.bytes, sums));
        if (size - at < sector_) {
            std::fill(sector.bytes.begin() + static_cast<std::ptrdiff_t>(size - at), sector.bytes.end(),
                      u8{0});
        }
    }
    out.push_back(std::move(sector));
    return {};
}

// A file that grows gets its last sector, when it isn't full, written anew: on disk anything may stand behind
// the end.
Result<void> FileWriter::add_end_sector(const Inode& inode, Sectors& out) {
    u64 size = size_now(inode);
    return size % sector_ == 0 ? Result<void>{} : add_sector(inode, down(size), out);
}

Result<FileWriter::Holds> FileWriter::what_is_at(const Inode& inode, u64 at) {
    if (inode.pages != nullptr && inode.pages->is_dirty(at)) return Holds::Data;
    auto lock = volume_.reading();
    Holds holds = Holds::Nothing;
    auto visit = [&](const Cursor& cursor, u64 begin, u64) -> Result<bool> {
        if (begin <= at && is_allocated(cursor.data())) {
            bool unwritten = extent_of(cursor.data()).type == file_extent_prealloc;
            holds = unwritten ? Holds::Unwritten : Holds::Data;
        }
        return false;
    };
    TRY(for_each_extent(volume_, TRY(volume_.tree_root(inode.id.tree)), inode.id.ino, at, visit));
    return holds;
}

FilePages& FileWriter::pages_of(const InodePtr& inode) {
    if (inode->pages == nullptr) {
        std::lock_guard lock(dirty_mutex_);
        u64 order = next_order_++;
        inode->pages =
            std::make_shared<FilePages>(static_cast<u32>(sector_), inode->item.size, order, dirty_bytes_);
        dirty_[order] = inode;
    }
    return *inode->pages;
}

void FileWriter::drop_pages(Inode& inode) {
    if (inode.pages == nullptr) return;
    std::lock_guard lock(dirty_mutex_);
    dirty_.erase(inode.pages->order());
    inode.pages.reset();
}

void FileWriter::touch(Transaction& tx, Inode& inode) {
    TimeSpec now = tx.now();
    inode.item.mtime = {static_cast<u64>(now.seconds), now.nanos};
    inode.item.ctime = inode.item.mtime;
    inode.item.sequence = inode.item.sequence + 1;
    inode.changed = true;
}

Result<void> FileWriter::grow_on_disk(Transaction& tx, Tree& tree, Inode& inode, u64 size) {
    if (size <= inode.item.size) return {};
    TRY(fill_holes(tx, tree, inode, up(inode.item.size), up(size)));
    inode.item.size = size;
    inode.changed = true;
    return {};
}

// What a change of the content begins with, in its step: times, the size that the file has from now on, and
// sectors that become dirty.
Result<void> FileWriter::begin_change(Transaction& tx, const InodePtr& inode, u64 size,
                                      const Sectors& sectors) {
    if (inode->gone) return fail(Cause::NotFound);
    touch(tx, *inode);
    if (!sectors.empty() || inode->pages != nullptr) {
        FilePages& pages = pages_of(inode);
        for (const Sector& sector : sectors) pages.write(sector.at, sector.bytes);
        pages.set_size(size);
        return {};
    }
    return grow_on_disk(tx, *TRY(tx.tree(inode->id.tree)), *inode, size);
}

// ---- write

Result<std::size_t> FileWriter::write(NodeId id, u64 at, Bytes data) {
    InodePtr inode = TRY(find(id));
    TRY(relieve());
    std::unique_lock lock(inode->lock);
    TRY(check_changeable(*inode));
    if (at > file_bytes_max || data.size() > file_bytes_max - at) return fail(Cause::InvalidArgument);
    std::size_t done = 0;
    while (done < data.size()) {
        auto written = with_room(lock, [&] { return write_some(inode, at + done, data.subspan(done)); });
        if (!written) {
            if (done == 0) return written;
            break;
        }
        done += *written;
    }
    return done;
}

Result<std::size_t> FileWriter::write_some(const InodePtr& inode, u64 at, Bytes data) {
    const u64 limit = limits_.dirty_bytes_max;
    if (inode->pages != nullptr && *dirty_bytes_ >= limit && inode->pages->bytes() >= limit / 2) {
        TRY(write_back_locked({inode}));
    }
    return write_piece(inode, at, data.first(std::min(data.size(), write_piece_bytes)));
}

Result<std::size_t> FileWriter::write_piece(const InodePtr& inode, u64 at, Bytes data) {
    const u64 begin = down(at);
    const u64 size = size_now(*inode);
    u64 end = at + data.size();
    u64 room_end = TRY(room_up_to(*inode, begin, up(end)));
    if (room_end <= at) return fail(Cause::NoSpace);
    end = std::min(end, room_end);
    data = data.first(static_cast<std::size_t>(end - at));
    Claim claim(claimed_bytes_, up(end) - begin);

    Sectors edges;
    if (at > size) TRY(add_end_sector(*inode, edges));
    if (at % sector_ != 0) TRY(add_sector(*inode, begin, edges));
    if (end % sector_ != 0) TRY(add_sector(*inode, down(end), edges));

    {
        Transaction tx = TRY(store_.begin({.items = 1}));
        if (inode->gone) return fail(Cause::NotFound);
        pages_of(inode);
        TRY(begin_change(tx, inode, std::max(size, end), edges));
        tx.done();
    }
    inode->pages->write(at, data);
    return data.size();
}

// ---- truncate

Result<void> FileWriter::truncate(NodeId id, u64 size) {
    InodePtr inode = TRY(find(id));
    std::unique_lock lock(inode->lock);
    TRY(check_changeable(*inode));
    if (size > file_bytes_max) return fail(Cause::InvalidArgument);
    if (size <= size_now(*inode)) return shrink(inode, size);
    return with_room(lock, [&] { return grow(inode, size); });
}

Result<void> FileWriter::grow(const InodePtr& inode, u64 size) {
    Sectors edges;
    TRY(add_end_sector(*inode, edges));
    TRY(need_room(*inode, edges));
    Transaction tx = TRY(store_.begin({.items = 4}));
    TRY(begin_change(tx, inode, size, edges));
    tx.done();
    return {};
}

Result<bool> FileWriter::begins_compressed_inline(const Inode& inode) {
    auto lock = volume_.reading();
    bool found = false;
    auto visit = [&](const Cursor& cursor, u64, u64) -> Result<bool> {
        found = is_inline(cursor.data()) && extent_of(cursor.data()).compression != 0;
        return false;
    };
    TRY(for_each_extent(volume_, TRY(volume_.tree_root(inode.id.tree)), inode.id.ino, 0, visit));
    return found;
}

// Also to the size that it has: what is allocated behind the end is freed.
Result<void> FileWriter::shrink(const InodePtr& inode, u64 size) {
    Sectors edges;
    // Its item can't be cut: it is written anew.
    bool into_first = size > 0 && size < sector_ && size < size_now(*inode);
    if (into_first && TRY(begins_compressed_inline(*inode))) TRY(add_sector(*inode, 0, edges));
    for (;;) {
        Transaction tx = TRY(store_.begin({.items = truncate_items_max / items_beside, .room = Room::Frees}));
        if (inode->gone) return fail(Cause::NotFound);
        Tree* tree = TRY(tx.tree(inode->id.tree));
        Progress progress = TRY(truncate_items(tx, *tree, *inode, size, truncate_items_max));
        if (inode->pages != nullptr || !edges.empty()) {
            FilePages& pages = pages_of(inode);
            for (const Sector& sector : edges) pages.write(sector.at, sector.bytes);
            u64 reached = progress == Progress::Done ? size : std::max(size, inode->item.size.get());
            pages.set_size(std::min(pages.size(), reached));
            pages.drop(up(pages.size()), ~0ULL);
            pages.zero(pages.size(), up(pages.size()));
            edges.clear();
        }
        touch(tx, *inode);
        tx.done();
        if (progress == Progress::Done) return {};
    }
}

// ---- Writing back

Result<void> FileWriter::write_back_locked(const std::vector<InodePtr>& inodes) {
    return WriteBack(*this, inodes).run();
}

Result<void> FileWriter::write_back(const InodePtr& inode) {
    std::unique_lock lock(inode->lock);
    return write_back_locked({inode});
}

// In groups: their data goes side by side, and their items in common steps.
Result<void> FileWriter::write_back_each(std::vector<DirtyFile> files) {
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.inode->id < b.inode->id; });
    Result<void> result;
    for (std::size_t at = 0; at < files.size(); at += files_at_once) {
        std::span group = std::span(files).subspan(at, std::min(files.size() - at, files_at_once));
        std::vector<std::unique_lock<std::shared_mutex>> locks;
        std::vector<InodePtr> inodes;
        for (const DirtyFile& file : group) {
            if (!inodes.empty() && inodes.back() == file.inode) continue;
            locks.emplace_back(file.inode->lock);
            inodes.push_back(file.inode);
        }
        Result<void> done = write_back_locked(inodes);
        if (!done && result) result = std::move(done);
        std::lock_guard lock(dirty_mutex_);
        for (const DirtyFile& file : group) {
            bool still = file.inode->pages != nullptr && file.inode->pages->order() == file.order;
            if (!still) dirty_.erase(file.order);
        }
    }
    return result;
}

std::vector<FileWriter::DirtyFile> FileWriter::oldest_dirty(std::size_t count_max, u64 tree) {
    std::vector<DirtyFile> out;
    std::lock_guard lock(dirty_mutex_);
    for (auto at = dirty_.begin(); at != dirty_.end() && out.size() < count_max;) {
        InodePtr inode = at->second.lock();
        if (inode == nullptr) {
            at = dirty_.erase(at);
            continue;
        }
        if (tree == 0 || inode->id.tree == tree) out.push_back({at->first, std::move(inode)});
        ++at;
    }
    return out;
}

Result<void> FileWriter::write_back_all() {
    return write_back_each(oldest_dirty(~std::size_t{0}));
}
Result<void> FileWriter::write_back_tree(u64 tree) {
    return write_back_each(oldest_dirty(~std::size_t{0}, tree));
}

// When too much is dirty, whoever wants to write gets the oldest files out of the way first.
Result<void> FileWriter::relieve() {
    if (*dirty_bytes_ < limits_.dirty_bytes_max) return {};
    std::lock_guard lock(relief_mutex_);
    while (*dirty_bytes_ >= limits_.dirty_bytes_max) {
        std::vector<DirtyFile> oldest = oldest_dirty(files_at_once);
        if (oldest.empty()) return {};
        TRY(write_back_each(std::move(oldest)));
    }
    return {};
}

// ---- FileSystem

Result<std::size_t> FileSystem::write(NodeId id, u64 at, Bytes data) {
    auto op = trace_.span("write");
    TRY(require_writable_file(id));
    return writer_->write(id, at, data);
}

Result<void> FileSystem::truncate(NodeId id, u64 size) {
    auto op = trace_.span("truncate");
    TRY(require_writable_file(id));
    return writer_->truncate(id, size);
}

Result<void> FileSystem::fallocate(NodeId id, vfs::FallocateMode mode, u64 at, u64 length) {
    auto op = trace_.span("fallocate");
    TRY(require_writable_file(id));
    return writer_->fallocate(id, mode, at, length);
}

Result<void> FileSystem::clone_range(NodeId from, u64 from_at, u64 length, NodeId to, u64 to_at) {
    auto op = trace_.span("clone_range");
    TRY(require_writable_file(from));
    TRY(require_writable_file(to));
    return writer_->clone_range(from, from_at, length, to, to_at);
}

// What holds for any inode number.
Result<void> FileSystem::require_writable_file(NodeId id) const {
    if (store_ == nullptr) return fail(Cause::ReadOnly);
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::IsADirectory);
    // Known before anything is read, which in memory is neither old nor new then.
    return store_->aborted() ? fail(store_->abort_error()) : Result<void>{};
}

}  // namespace glassfs::btrfs
