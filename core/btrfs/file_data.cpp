// SPDX-License-Identifier: MIT
// File content: EXTENT_DATA items in order of their file position. What no item covers is a hole; so are
// regular items with disk address 0, and preallocated ones read as zeros.
#include "btrfs/file_system.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::FileExtent;
using vfs::NodeId;

u64 file_extent_length(Bytes item) {
    const auto& extent = view<disk::btrfs_file_extent_item>(item);
    if (extent.type != file_extent_inline) return extent.num_bytes;
    return extent.compression == 0 ? item.size() - disk::file_extent_inline_at : extent.ram_bytes.get();
}

namespace {

bool is_inline(Bytes item) {
    return view<disk::btrfs_file_extent_item>(item).type == file_extent_inline;
}

Key extent_key(NodeId id, u64 at) {
    return make_key(id.ino.value, KeyType::ExtentData, at);
}

// The file's items that end behind `at`, in order, until `visit` returns false. An inline extent stands for
// its whole sector, as in Linux: when the file was made longer afterwards, zeros follow that count as data.
template <class F>
Result<void> for_each_extent(Volume& volume, NodeId id, u64 at, F&& visit) {
    const u64 sector = volume.geometry().sector_size;
    Cursor cursor(volume, TRY(volume.tree_root(id.tree)));
    bool more = TRY(cursor.seek_back(extent_key(id, at)));
    if (!more || cursor.key() < extent_key(id, 0)) more = TRY(cursor.seek(extent_key(id, 0)));
    for (; more && cursor.key() <= extent_key(id, ~0ULL); more = TRY(cursor.next())) {
        TRY(cursor.check());
        u64 length = file_extent_length(cursor.data());
        if (is_inline(cursor.data())) length = (length + sector - 1) / sector * sector;
        if (cursor.key().offset + length < cursor.key().offset) {
            return fail(Cause::FileExtentBad, cursor.where(), "beyond the largest file");
        }
        if (cursor.key().offset + length <= at) continue;
        Result<bool> go_on = visit(cursor, cursor.key().offset, length);
        if (!go_on) return fail(std::move(go_on).error());
        if (!*go_on) return {};
    }
    return {};
}

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

}  // namespace

// `at` counts from the extent item's own begin in the file.
Result<void> FileSystem::read_extent(const Cursor& cursor, u64 at, MutBytes out, DataChecksums sums) {
    Bytes item = cursor.data();
    const auto& extent = view<disk::btrfs_file_extent_item>(item);
    Compression kind = TRY(compression_of(extent));
    if (extent.type == file_extent_inline) {
        Bytes stored = item.subspan(disk::file_extent_inline_at);
        if (kind == Compression::None) {
            copy_zero_filled(stored, at, out);
            return {};
        }
        if (extent.ram_bytes > volume_.geometry().node_size * 64ULL) {
            return fail(Cause::FileExtentBad, cursor.where(), "inline data of impossible size");
        }
        Buffer plain(static_cast<std::size_t>(extent.ram_bytes));
        auto length = decompress(kind, stored, plain, volume_.geometry().sector_size);
        if (!length) return fail(length.error().cause, cursor.where(), length.error().detail);
        copy_zero_filled(plain, at, out);
        return {};
    }
    if (kind_of(extent) != FileExtent::Kind::Data) {
        std::fill(out.begin(), out.end(), u8{0});
        return {};
    }
    LogicalAddr disk{extent.disk_bytenr};
    if (kind == Compression::None) return data_.read_plain(disk, extent.offset + at, out, sums);
    auto plain = TRY(data_.read_compressed(disk, extent.disk_num_bytes, extent.ram_bytes, kind, sums));
    copy_zero_filled(*plain, extent.offset + at, out);
    return {};
}

Result<std::size_t> FileSystem::read(NodeId id, u64 at, MutBytes out) {
    auto op = trace_.span("read");
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::IsADirectory);
    auto inode = TRY(inode_item(id));
    if (vfs::file_type_of_mode(inode.mode) == vfs::FileType::Directory) return fail(Cause::IsADirectory);
    u64 size = inode.size;
    if (at >= size) return std::size_t{0};
    out = out.first(static_cast<std::size_t>(std::min<u64>(out.size(), size - at)));
    const u64 end = at + out.size();
    auto sums = (inode.flags & inode_nodatasum) != 0 ? DataChecksums::None : DataChecksums::Verify;
    u64 done = at;  // everything before is filled
    auto fill_zeros = [&](u64 to) {
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(done - at),
                  out.begin() + static_cast<std::ptrdiff_t>(to - at), u8{0});
        done = to;
    };
    TRY(for_each_extent(volume_, id, at, [&](const Cursor& cursor, u64 begin, u64 length) -> Result<bool> {
        if (begin >= end) return false;
        if (begin > done) fill_zeros(begin);
        u64 to = std::min(end, begin + length);
        if (to <= done) return true;
        MutBytes part = out.subspan(static_cast<std::size_t>(done - at), static_cast<std::size_t>(to - done));
        if (auto good = read_extent(cursor, done - begin, part, sums); !good) {
            Error error = good.error();
            error.where.tree = id.tree;
            error.where.key = cursor.key();
            return fail(std::move(error));
        }
        done = to;
        return done < end;
    }));
    fill_zeros(end);
    return out.size();
}

Result<std::string> FileSystem::readlink(NodeId id) {
    auto op = trace_.span("readlink");
    auto inode = TRY(inode_item(id));
    if (vfs::file_type_of_mode(inode.mode) != vfs::FileType::Symlink) return fail(Cause::InvalidArgument);
    if (inode.size > volume_.geometry().node_size) {
        return fail(Cause::InodeItemBad, {.tree = id.tree},
                    "symlink of " + std::to_string(inode.size) + " bytes");
    }
    Buffer target(static_cast<std::size_t>(inode.size));
    std::size_t length = TRY(read(id, 0, target));
    return std::string(as_text(Bytes(target).first(length)));
}

Result<void> FileSystem::extents(NodeId id, const std::function<bool(const FileExtent&)>& visit) {
    auto op = trace_.span("fiemap");
    auto inode = TRY(inode_item(id));
    u64 sector = volume_.geometry().sector_size;
    u64 done = 0;
    bool stopped = false;
    auto emit_hole = [&](u64 to) {
        FileExtent hole{done, to - done, 0, 0, FileExtent::Kind::Hole, "none"};
        stopped = !visit(hole);
        done = to;
    };
    TRY(for_each_extent(volume_, id, 0, [&](const Cursor& cursor, u64 begin, u64 length) -> Result<bool> {
        const auto& item = view<disk::btrfs_file_extent_item>(cursor.data());
        if (begin > done) emit_hole(begin);
        if (stopped) return false;
        FileExtent extent{begin, length, 0, 0, kind_of(item), "none"};
        Compression kind = TRY(compression_of(item));
        extent.compression = compression_name(kind);
        if (extent.kind == FileExtent::Kind::Inline) {
            extent.length = file_extent_length(cursor.data());
            extent.disk_length = cursor.data().size() - disk::file_extent_inline_at;
        } else if (extent.kind != FileExtent::Kind::Hole) {
            extent.physical = item.disk_bytenr + (kind == Compression::None ? item.offset.get() : 0);
            extent.disk_length = kind == Compression::None ? length : item.disk_num_bytes.get();
        }
        done = std::max(done, begin + length);
        stopped = !visit(extent);
        return !stopped;
    }));
    u64 end = (inode.size + sector - 1) / sector * sector;
    if (!stopped && done < inode.size && end >= inode.size) emit_hole(end);
    return {};
}

Result<u64> FileSystem::seek(NodeId id, u64 at, vfs::Whence whence) {
    auto op = trace_.span("seek");
    auto inode = TRY(inode_item(id));
    const u64 size = inode.size;
    if (at >= size) return fail(Cause::NoDataBehind);
    const bool want_data = whence == vfs::Whence::Data;
    std::optional<u64> found;
    u64 done = at;  // no answer before
    TRY(for_each_extent(volume_, id, at, [&](const Cursor& cursor, u64 begin, u64 length) -> Result<bool> {
        if (begin >= size) return false;
        if (begin > done && !want_data) {
            found = done;
            return false;
        }
        bool data = is_data(kind_of(view<disk::btrfs_file_extent_item>(cursor.data())));
        if (data == want_data) {
            found = std::max(begin, at);
            return false;
        }
        done = std::max(done, begin + length);
        return true;
    }));
    if (found && *found < size) return *found;
    if (want_data) return fail(Cause::NoDataBehind);
    return std::min(done, size);  // the end of a file counts as a hole
}

}  // namespace glassfs::btrfs
