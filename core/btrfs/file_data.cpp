// SPDX-License-Identifier: MIT
// File content, read: EXTENT_DATA items in order of their file position. What no item covers is a hole; so
// are regular items with disk address 0, and preallocated ones read as zeros. Data that isn't on disk yet
// lies over all of it.
#include "btrfs/file_data.h"

#include "btrfs/file_extents.h"
#include "btrfs/file_pages.h"
#include "btrfs/file_system.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::FileExtent;
using vfs::NodeId;

namespace {

// A read lets the writer in after each piece of this size.
constexpr std::size_t read_piece_bytes = 1U << 20;

FileExtent::Kind kind_of(const disk::btrfs_file_extent_item& extent) {
    if (extent.type == file_extent_inline) return FileExtent::Kind::Inline;
    if (extent.disk_bytenr == 0) return FileExtent::Kind::Hole;
    return extent.type == file_extent_prealloc ? FileExtent::Kind::Unwritten : FileExtent::Kind::Data;
}

bool is_data(FileExtent::Kind kind) {
    return kind == FileExtent::Kind::Data || kind == FileExtent::Kind::Inline;
}

Result<Compression> compression_of(const disk::btrfs_file_extent_item& extent) {
    if (extent.compression > 3) {
        return fail(Cause::CompressionUnknown, std::to_string(extent.compression));
    }
    if (extent.encryption != 0 || extent.other_encoding != 0) {
        return fail(Cause::UnsupportedFeature, "encrypted or otherwise encoded extent");
    }
    return static_cast<Compression>(extent.compression);
}

void copy_zero_filled(Bytes from, u64 at, MutBytes out) {
    std::size_t count =
        at < from.size() ? std::min(out.size(), from.size() - static_cast<std::size_t>(at)) : 0;
    if (count > 0) std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), count, out.begin());
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), u8{0});
}

// Reads from one extent; `at` counts from the item's own begin in the file.
Result<void> read_extent(Volume& volume, DataReader& data, const Cursor& cursor, u64 at, MutBytes out,
                         DataChecksums sums) {
    Bytes item = cursor.data();
    const auto& extent = extent_of(item);
    Compression kind = TRY(compression_of(extent));
    if (extent.type == file_extent_inline) {
        Bytes stored = item.subspan(disk::file_extent_inline_at);
        if (kind == Compression::None) {
            copy_zero_filled(stored, at, out);
            return {};
        }
        if (extent.ram_bytes > volume.geometry().node_size * 64ULL) {
            return fail(Cause::FileExtentBad, cursor.where(), "inline data of impossible size");
        }
        Buffer plain(static_cast<std::size_t>(extent.ram_bytes));
        auto length = decompress(kind, stored, plain, volume.geometry().sector_size);
        if (!length) return fail(length.error().cause, cursor.where(), length.error().detail);
        copy_zero_filled(plain, at, out);
        return {};
    }
    if (kind_of(extent) != FileExtent::Kind::Data) {
        std::fill(out.begin(), out.end(), u8{0});
        return {};
    }
    LogicalAddr disk{extent.disk_bytenr};
    if (kind == Compression::None) return data.read_plain(disk, extent.offset + at, out, sums);
    auto plain = TRY(data.read_compressed(disk, extent.disk_num_bytes, extent.ram_bytes, kind, sums));
    copy_zero_filled(*plain, extent.offset + at, out);
    return {};
}

FileExtent describe(const Cursor& cursor, u64 begin, u64 end, Compression compression) {
    const auto& item = extent_of(cursor.data());
    FileExtent extent;
    extent.file_offset = begin;
    extent.length = end - begin;
    extent.kind = kind_of(item);
    extent.compression = compression_name(compression);
    if (extent.kind == FileExtent::Kind::Inline) {
        extent.length = file_extent_length(cursor.data());
        extent.disk_length = cursor.data().size() - disk::file_extent_inline_at;
    } else if (extent.kind != FileExtent::Kind::Hole) {
        bool plain = compression == Compression::None;
        extent.physical = item.disk_bytenr + (plain ? item.offset + (begin - cursor.key().offset) : 0);
        extent.disk_length = plain ? end - begin : item.disk_num_bytes.get();
    }
    return extent;
}

// Calls `visit(extent, end)` for what the file has behind `at`, in order, until it returns false: extents
// (`end` is where they end in the file, whole sectors), and over them what is dirty, which has no place on
// disk yet.
template <class F>
Result<void> for_each_stretch(Volume& volume, const Inode& inode, u64 at, F&& visit) {
    const FilePages* pages = inode.pages.get();
    u64 done = at;
    bool stopped = false;
    // What is dirty up to `to`; what isn't is described by `clean`.
    auto emit = [&](u64 to, auto&& clean) {
        while (!stopped && done < to) {
            auto dirty = pages != nullptr ? pages->next_range(done) : std::nullopt;
            u64 clean_end = dirty ? std::clamp(dirty->begin, done, to) : to;
            if (done < clean_end) stopped = !clean(done, clean_end);
            done = clean_end;
            if (stopped || done == to) break;
            FileExtent extent;
            extent.file_offset = done;
            done = std::min(dirty->end, to);
            extent.length = done - extent.file_offset;
            stopped = !visit(extent, done);
        }
    };
    auto nothing = [](u64, u64) { return true; };
    auto visit_item = [&](const Cursor& cursor, u64 begin, u64 end) -> Result<bool> {
        Compression compression = TRY(compression_of(extent_of(cursor.data())));
        emit(begin, nothing);
        emit(end, [&](u64 from, u64 to) { return visit(describe(cursor, from, to, compression), to); });
        return !stopped;
    };
    TRY(for_each_extent(volume, TRY(volume.tree_root(inode.id.tree)), inode.id.ino, at, visit_item));
    emit(~0ULL, nothing);
    return {};
}

}  // namespace

Result<void> read_extents(Volume& volume, DataReader& data, NodeId id, u64 at, MutBytes out,
                          DataChecksums sums) {
    const u64 end = at + out.size();
    u64 done = at;  // everything before is filled
    auto fill_zeros = [&](u64 to) {
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(done - at),
                  out.begin() + static_cast<std::ptrdiff_t>(to - at), u8{0});
        done = to;
    };
    auto visit = [&](const Cursor& cursor, u64 begin, u64 item_end) -> Result<bool> {
        if (begin >= end) return false;
        if (begin > done) fill_zeros(begin);
        u64 to = std::min(end, item_end);
        if (to <= done) return true;
        MutBytes part = out.subspan(static_cast<std::size_t>(done - at), static_cast<std::size_t>(to - done));
        if (auto good = read_extent(volume, data, cursor, done - begin, part, sums); !good) {
            Error error = good.error();
            error.where.tree = id.tree;
            error.where.key = cursor.key();
            return fail(std::move(error));
        }
        done = to;
        return done < end;
    };
    TRY(for_each_extent(volume, TRY(volume.tree_root(id.tree)), id.ino, at, visit));
    fill_zeros(end);
    return {};
}

Result<std::size_t> FileSystem::read(NodeId id, u64 at, MutBytes out) {
    auto op = trace_.span("read");
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::IsADirectory);
    InodePtr inode = TRY(file_inode(id));
    std::shared_lock data(inode->lock);
    for (std::size_t done = 0;;) {
        auto lock = reading();
        if (inode->type() == vfs::FileType::Directory) return fail(Cause::IsADirectory);
        u64 size = size_of(*inode);
        if (done == out.size() || at >= size) return done;
        u64 length = std::min<u64>({out.size() - done, read_piece_bytes, size - at});
        MutBytes part = out.subspan(done, static_cast<std::size_t>(length));
        auto sums = (inode->item.flags & inode_nodatasum) != 0 ? DataChecksums::None : DataChecksums::Verify;
        bool all_dirty = inode->pages != nullptr && inode->pages->clean_bytes(at, at + length) == 0;
        if (!all_dirty) TRY(read_extents(volume_, data_, id, at, part, sums));
        if (inode->pages != nullptr) inode->pages->read(at, part);
        done += part.size();
        at += part.size();
    }
}

Result<std::string> FileSystem::readlink(NodeId id) {
    auto op = trace_.span("readlink");
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::InvalidArgument);
    InodePtr inode = TRY(file_inode(id));
    auto lock = reading();
    const u64 size = inode->item.size;
    if (vfs::file_type_of_mode(inode->item.mode) != vfs::FileType::Symlink)
        return fail(Cause::InvalidArgument);
    if (size > volume_.geometry().node_size) {
        return fail(Cause::InodeItemBad, {.tree = id.tree}, "symlink of " + std::to_string(size) + " bytes");
    }
    std::string target(static_cast<std::size_t>(size), 0);
    MutBytes out(reinterpret_cast<u8*>(target.data()), target.size());
    TRY(read_extents(volume_, data_, id, 0, out, DataChecksums::Verify));
    return target;
}

Result<void> FileSystem::extents(NodeId id, const std::function<bool(const FileExtent&)>& visit) {
    auto op = trace_.span("fiemap");
    if (id.ino.value == empty_subvol_dir_objectid) return {};
    InodePtr inode = TRY(file_inode(id));
    std::vector<FileExtent> found;
    u64 done = 0;
    auto add_hole = [&](u64 to) { found.push_back({done, to - done, 0, 0, FileExtent::Kind::Hole, "none"}); };
    {
        std::shared_lock data(inode->lock);
        auto lock = reading();
        TRY(for_each_stretch(volume_, *inode, 0, [&](const FileExtent& extent, u64 end) {
            if (extent.file_offset > done) add_hole(extent.file_offset);
            done = std::max(done, end);
            found.push_back(extent);
            return true;
        }));
        const u64 sector = volume_.geometry().sector_size;
        const u64 size = size_of(*inode);
        const u64 end = (size + sector - 1) / sector * sector;
        if (done < size && end >= size) add_hole(end);
    }
    // Without locks, since whoever is told may come back.
    for (const FileExtent& extent : found) {
        if (!visit(extent)) break;
    }
    return {};
}

Result<u64> FileSystem::seek(NodeId id, u64 at, vfs::Whence whence) {
    auto op = trace_.span("seek");
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::NoDataBehind);
    InodePtr inode = TRY(file_inode(id));
    std::shared_lock data(inode->lock);
    auto lock = reading();
    const u64 size = size_of(*inode);
    if (at >= size) return fail(Cause::NoDataBehind);
    const bool want_data = whence == vfs::Whence::Data;
    std::optional<u64> found;
    u64 done = at;  // no answer before
    TRY(for_each_stretch(volume_, *inode, at, [&](const FileExtent& extent, u64 end) {
        if (extent.file_offset >= size) return false;
        if (extent.file_offset > done && !want_data) {
            found = done;
            return false;
        }
        if (is_data(extent.kind) == want_data) {
            found = std::max(extent.file_offset, at);
            return false;
        }
        done = std::max(done, end);
        return true;
    }));
    if (found && *found < size) return *found;
    if (want_data) return fail(Cause::NoDataBehind);
    return std::min(done, size);  // the end of a file counts as a hole
}

}  // namespace glassfs::btrfs
