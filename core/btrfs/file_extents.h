// SPDX-License-Identifier: MIT
// The EXTENT_DATA items of a file. Each stands for a range of the file and shows a part of an extent; what no
// item stands for is a hole. An extent itself is never changed or divided. Each item counts as a reference
// with the offset (file position - position in the extent), which cutting an item at either side leaves as it
// is.
//
// What changes items is for one inode, inside of a step, with the inode's lock held exclusively, and keeps
// the extents' references and the inode's nbytes exact. Positions are multiples of the sector size. An inline
// item stands for whole sectors: the first one, as a rule.
#pragma once

#include "base/compression.h"
#include "btrfs/cursor.h"
#include "btrfs/inode_table.h"
#include "btrfs/writable_volume.h"

namespace glassfs::btrfs {

inline Key extent_key(InodeNo ino, u64 at) {
    return make_key(ino.value, KeyType::ExtentData, at);
}

// Of an EXTENT_DATA item that passed check_item().
inline const disk::btrfs_file_extent_item& extent_of(Bytes item) {
    return view<disk::btrfs_file_extent_item>(item);
}
inline bool is_inline(Bytes item) {
    return extent_of(item).type == file_extent_inline;
}
// Whether the item's range takes room on disk: it isn't a hole.
inline bool is_allocated(Bytes item) {
    return is_inline(item) || extent_of(item).disk_bytenr != 0;
}
// The bytes of a file that an item stands for; inline ones end where their data does.
u64 file_extent_length(Bytes item);

// Calls `visit(cursor, begin, end)` for the file's items that end behind `at`, in order, until it returns
// false. An inline extent stands for its whole sectors, as in Linux: when the file was made longer
// afterwards, zeros follow that count as data. Needs Volume::reading() or a step.
template <class F>
Result<void> for_each_extent(Volume& volume, const TreeRoot& root, InodeNo ino, u64 at, F&& visit) {
    const u64 sector = volume.geometry().sector_size;
    Cursor cursor(volume, root);
    bool more = TRY(cursor.seek_back(extent_key(ino, at)));
    if (!more || cursor.key() < extent_key(ino, 0)) more = TRY(cursor.seek(extent_key(ino, 0)));
    for (; more && cursor.key() <= extent_key(ino, ~0ULL); more = TRY(cursor.next())) {
        TRY(cursor.check());
        u64 begin = cursor.key().offset;
        u64 length = file_extent_length(cursor.data());
        if (is_inline(cursor.data())) length = (length + sector - 1) / sector * sector;
        if (begin + length < begin)
            return fail(Cause::FileExtentBad, cursor.where(), "beyond the largest file");
        if (begin + length <= at) continue;
        Result<bool> go_on = visit(cursor, begin, begin + length);
        if (!go_on) return fail(std::move(go_on).error());
        if (!*go_on) return {};
    }
    return {};
}

// What a regular or preallocated item says. Address 0: a hole.
struct FileExtentPart {
    DataExtent extent;  // as the extent tree has it
    u64 ram_bytes = 0;  // of the whole extent, decompressed
    u64 offset = 0;     // of the part in the (decompressed) extent
    u64 length = 0;     // bytes of the file
    Generation generation;
    Compression compression = Compression::None;
    u8 type = file_extent_regular;
};
FileExtentPart part_of(Bytes item);

// What of [begin, end) is stored goes; an item that reaches beyond is cut, one that reaches beyond both is
// split.
Result<void> drop_extents(Transaction&, Tree&, Inode&, u64 begin, u64 end);
// Where nothing is stored. New: the first reference to what allocate_data() gave.
enum class ExtentRefs : u8 { New, More };
Result<void> insert_extent(Transaction&, Tree&, Inode&, u64 begin, const FileExtentPart&, ExtentRefs);
// The whole content of a file of `size` bytes, at position 0; `data` may be compressed.
Result<void> insert_inline_extent(Transaction&, Tree&, Inode&, u64 size, Compression, Bytes data);
// Puts items for holes where nothing is stored in the range, on volumes that want them (without NO_HOLES).
Result<void> fill_holes(Transaction&, Tree&, Inode&, u64 begin, u64 end);
// The preallocated range, of one extent, holds data now. Items that show the same are joined again.
Result<void> mark_written(Transaction&, Tree&, Inode&, u64 begin, u64 end);

// The last items, those that reach behind `size`, go or are cut there: at most `items_max`, from the end
// towards the front, and the inode's size on disk follows down. More: not done, there are others in front. A
// compressed inline extent can't be cut; it stays while `size` isn't 0.
enum class Progress : u8 { More, Done };
Result<Progress> truncate_items(Transaction&, Tree&, Inode&, u64 size, u32 items_max);
// All at once.
Result<void> truncate_items(Transaction&, Tree&, Inode&, u64 size);

// Whether what an item stands for may be overwritten where it lies: nobody else refers to the extent, no
// snapshot shares the item, and it isn't compressed. (What it holds may be for the caller to keep, unless the
// inode has NODATACOW.)
Result<bool> can_write_in_place(Transaction&, Tree&, const Inode&, u64 begin, const FileExtentPart&);

// How many items stand for something in the range. Needs Volume::reading() or a step.
Result<u64> count_extents(Volume&, const Inode&, u64 begin, u64 end);

}  // namespace glassfs::btrfs
