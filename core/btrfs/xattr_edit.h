// SPDX-License-Identifier: MIT
// Extended attributes as items: (inode, XATTR_ITEM, hash of the name), names with the same hash share an
// item. And the one that btrfs itself acts upon: btrfs.compression.
#pragma once

#include "btrfs/directory_edit.h"

namespace glassfs::btrfs {

inline constexpr std::string_view compression_xattr = "btrfs.compression";

// Name and value together may have this many bytes.
inline u32 xattr_bytes_max(const Geometry& geometry) {
    return geometry.node_size - TreeBlock::header_size - TreeBlock::item_size -
           static_cast<u32>(sizeof(disk::btrfs_dir_item));
}

Result<HashedEntry> find_xattr(Volume&, const TreeRoot&, u64 inode, std::string_view name);
// Whether a value can be stored, in place of the one that `found` describes if it does.
bool has_room_for_xattr(const Geometry&, const HashedEntry& found, std::string_view name, Bytes value);
Result<void> put_xattr(Transaction&, Tree&, u64 inode, const HashedEntry& found, std::string_view name,
                       Bytes value);
Result<void> erase_xattr(Transaction&, Tree&, u64 inode, const HashedEntry& found, std::string_view name);

// What a value of btrfs.compression asks for.
enum class CompressionWish : u8 { Default, None, Zlib, Lzo, Zstd };
// Nothing: it is no such value.
std::optional<CompressionWish> compression_wish(std::string_view value);

}  // namespace glassfs::btrfs
