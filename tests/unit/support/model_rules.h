// SPDX-License-Identifier: MIT
// Numbers of btrfs and Linux that the model's rules are made of.
#pragma once

#include "base/bytes.h"

namespace glassfs::support {

inline constexpr u64 top_tree = 5;
inline constexpr u64 root_inode = 256;     // of each subvolume
inline constexpr u64 empty_dir_inode = 2;  // stands for a subvolume that a snapshot doesn't have
inline constexpr std::size_t name_bytes_max = 255;
inline constexpr std::size_t path_bytes_max = 4095;
inline constexpr std::size_t xattr_bytes_max = 65536;
inline constexpr u64 file_bytes_max = 0x7fff'ffff'ffff'ffff;
// What a leaf's header, an item and the head of what is in it take away of a node.
inline constexpr u32 leaf_overhead = 101 + 25;
inline constexpr u32 inline_extent_head = 21;
inline constexpr u32 dir_item_head = 30;

inline constexpr u32 mode_type = 0170000;
inline constexpr u32 mode_directory = 0040000;
inline constexpr u32 mode_regular = 0100000;
inline constexpr u32 mode_symlink = 0120000;
inline constexpr u32 mode_sgid = 02000;
inline constexpr u32 mode_permissions = 07777;

// Inode flags of btrfs.
inline constexpr u64 flag_nodatasum = 1 << 0;
inline constexpr u64 flag_nodatacow = 1 << 1;
inline constexpr u64 flag_nocompress = 1 << 3;
inline constexpr u64 flag_sync = 1 << 5;
inline constexpr u64 flag_immutable = 1 << 6;
inline constexpr u64 flag_append = 1 << 7;
inline constexpr u64 flag_nodump = 1 << 8;
inline constexpr u64 flag_noatime = 1 << 9;
inline constexpr u64 flag_dirsync = 1 << 10;
inline constexpr u64 flag_compress = 1 << 11;
// What chattr can set and lsattr shows.
inline constexpr u64 flags_settable = flag_nodatacow | flag_nocompress | flag_sync | flag_immutable |
                                      flag_append | flag_nodump | flag_noatime | flag_dirsync | flag_compress;

inline constexpr const char* compression_xattr = "btrfs.compression";

}  // namespace glassfs::support
