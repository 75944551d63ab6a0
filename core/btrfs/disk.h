// SPDX-License-Identifier: MIT
// The on-disk structures of btrfs with the kernel's field names. Offsets and sizes are those of the on-disk
// format documentation (btrfs wiki "On-disk Format", Documentation/dev/On-disk-format of btrfs-progs).
// Everything is little-endian. Item data of variable length (names, inline data, stripes, references) follows
// the fixed part.
#pragma once

#include "base/layout.h"
#include "base/text.h"
#include "btrfs/names.h"

namespace glassfs::btrfs::disk {

using Csum = std::array<u8, 32>;
using Label = std::array<u8, 256>;
using SysChunkArray = std::array<u8, 2048>;
using Pad10 = std::array<u8, 10>;
using Pad32 = std::array<u8, 32>;
using Pad48 = std::array<u8, 48>;
using Pad64 = std::array<u8, 64>;
using Pad216 = std::array<u8, 216>;
using Pad565 = std::array<u8, 565>;

#define BTRFS_DISK_KEY(F)                     \
    F(0, Le64, objectid, show_dec)            \
    F(8, u8, type, show_enum(key_type_names)) \
    F(9, Le64, offset, show_dec)
GLASSFS_LAYOUT(btrfs_disk_key, 17, BTRFS_DISK_KEY)

#define BTRFS_TIMESPEC(F)     \
    F(0, Le64, sec, show_dec) \
    F(8, Le32, nsec, show_dec)
GLASSFS_LAYOUT(btrfs_timespec, 12, BTRFS_TIMESPEC)

#define BTRFS_HEADER(F)                                 \
    F(0x00, Csum, csum, show_bytes)                     \
    F(0x20, Uuid, fsid, show_uuid)                      \
    F(0x30, Le64, bytenr, show_dec)                     \
    F(0x38, Le64, flags, show_flags(header_flag_names)) \
    F(0x40, Uuid, chunk_tree_uuid, show_uuid)           \
    F(0x50, Le64, generation, show_dec)                 \
    F(0x58, Le64, owner, show_enum(objectid_names))     \
    F(0x60, Le32, nritems, show_dec)                    \
    F(0x64, u8, level, show_dec)
GLASSFS_LAYOUT(btrfs_header, 101, BTRFS_HEADER)

#define BTRFS_ITEM(F)                      \
    F(0, btrfs_disk_key, key, show_nested) \
    F(17, Le32, offset, show_dec)          \
    F(21, Le32, size, show_dec)
GLASSFS_LAYOUT(btrfs_item, 25, BTRFS_ITEM)

#define BTRFS_KEY_PTR(F)                   \
    F(0, btrfs_disk_key, key, show_nested) \
    F(17, Le64, blockptr, show_dec)        \
    F(25, Le64, generation, show_dec)
GLASSFS_LAYOUT(btrfs_key_ptr, 33, BTRFS_KEY_PTR)

#define BTRFS_DEV_ITEM(F)               \
    F(0, Le64, devid, show_dec)         \
    F(8, Le64, total_bytes, show_dec)   \
    F(16, Le64, bytes_used, show_dec)   \
    F(24, Le32, io_align, show_dec)     \
    F(28, Le32, io_width, show_dec)     \
    F(32, Le32, sector_size, show_dec)  \
    F(36, Le64, type, show_hex)         \
    F(44, Le64, generation, show_dec)   \
    F(52, Le64, start_offset, show_dec) \
    F(60, Le32, dev_group, show_dec)    \
    F(64, u8, seek_speed, show_dec)     \
    F(65, u8, bandwidth, show_dec)      \
    F(66, Uuid, uuid, show_uuid)        \
    F(82, Uuid, fsid, show_uuid)
GLASSFS_LAYOUT(btrfs_dev_item, 98, BTRFS_DEV_ITEM)

#define BTRFS_ROOT_BACKUP(F)                \
    F(0, Le64, tree_root, show_dec)         \
    F(8, Le64, tree_root_gen, show_dec)     \
    F(16, Le64, chunk_root, show_dec)       \
    F(24, Le64, chunk_root_gen, show_dec)   \
    F(32, Le64, extent_root, show_dec)      \
    F(40, Le64, extent_root_gen, show_dec)  \
    F(48, Le64, fs_root, show_dec)          \
    F(56, Le64, fs_root_gen, show_dec)      \
    F(64, Le64, dev_root, show_dec)         \
    F(72, Le64, dev_root_gen, show_dec)     \
    F(80, Le64, csum_root, show_dec)        \
    F(88, Le64, csum_root_gen, show_dec)    \
    F(96, Le64, total_bytes, show_dec)      \
    F(104, Le64, bytes_used, show_dec)      \
    F(112, Le64, num_devices, show_dec)     \
    F(120, Pad32, unused_64, show_bytes)    \
    F(152, u8, tree_root_level, show_dec)   \
    F(153, u8, chunk_root_level, show_dec)  \
    F(154, u8, extent_root_level, show_dec) \
    F(155, u8, fs_root_level, show_dec)     \
    F(156, u8, dev_root_level, show_dec)    \
    F(157, u8, csum_root_level, show_dec)   \
    F(158, Pad10, unused_8, show_bytes)
GLASSFS_LAYOUT(btrfs_root_backup, 168, BTRFS_ROOT_BACKUP)

#define BTRFS_SUPER_BLOCK(F)                                     \
    F(0x000, Csum, csum, show_bytes)                             \
    F(0x020, Uuid, fsid, show_uuid)                              \
    F(0x030, Le64, bytenr, show_dec)                             \
    F(0x038, Le64, flags, show_flags(super_flag_names))          \
    F(0x040, Le64, magic, show_hex)                              \
    F(0x048, Le64, generation, show_dec)                         \
    F(0x050, Le64, root, show_dec)                               \
    F(0x058, Le64, chunk_root, show_dec)                         \
    F(0x060, Le64, log_root, show_dec)                           \
    F(0x068, Le64, log_root_transid, show_dec)                   \
    F(0x070, Le64, total_bytes, show_dec)                        \
    F(0x078, Le64, bytes_used, show_dec)                         \
    F(0x080, Le64, root_dir_objectid, show_dec)                  \
    F(0x088, Le64, num_devices, show_dec)                        \
    F(0x090, Le32, sectorsize, show_dec)                         \
    F(0x094, Le32, nodesize, show_dec)                           \
    F(0x098, Le32, leafsize, show_dec)                           \
    F(0x09c, Le32, stripesize, show_dec)                         \
    F(0x0a0, Le32, sys_chunk_array_size, show_dec)               \
    F(0x0a4, Le64, chunk_root_generation, show_dec)              \
    F(0x0ac, Le64, compat_flags, show_hex)                       \
    F(0x0b4, Le64, compat_ro_flags, show_flags(compat_ro_names)) \
    F(0x0bc, Le64, incompat_flags, show_flags(incompat_names))   \
    F(0x0c4, Le16, csum_type, show_enum(csum_type_names))        \
    F(0x0c6, u8, root_level, show_dec)                           \
    F(0x0c7, u8, chunk_root_level, show_dec)                     \
    F(0x0c8, u8, log_root_level, show_dec)                       \
    F(0x0c9, btrfs_dev_item, dev_item, show_nested)              \
    F(0x12b, Label, label, show_text)                            \
    F(0x22b, Le64, cache_generation, show_dec)                   \
    F(0x233, Le64, uuid_tree_generation, show_dec)               \
    F(0x23b, Uuid, metadata_uuid, show_uuid)                     \
    F(0x24b, Le64, nr_global_roots, show_dec)                    \
    F(0x253, Pad216, reserved, show_bytes)                       \
    F(0x32b, SysChunkArray, sys_chunk_array, show_bytes)         \
    F(0xb2b, btrfs_root_backup, super_roots_0, show_nested)      \
    F(0xbd3, btrfs_root_backup, super_roots_1, show_nested)      \
    F(0xc7b, btrfs_root_backup, super_roots_2, show_nested)      \
    F(0xd23, btrfs_root_backup, super_roots_3, show_nested)      \
    F(0xdcb, Pad565, padding, show_bytes)
GLASSFS_LAYOUT(btrfs_super_block, 4096, BTRFS_SUPER_BLOCK)

// Followed by num_stripes btrfs_stripe.
#define BTRFS_CHUNK(F)                                    \
    F(0, Le64, length, show_dec)                          \
    F(8, Le64, owner, show_dec)                           \
    F(16, Le64, stripe_len, show_dec)                     \
    F(24, Le64, type, show_flags(block_group_flag_names)) \
    F(32, Le32, io_align, show_dec)                       \
    F(36, Le32, io_width, show_dec)                       \
    F(40, Le32, sector_size, show_dec)                    \
    F(44, Le16, num_stripes, show_dec)                    \
    F(46, Le16, sub_stripes, show_dec)
GLASSFS_LAYOUT(btrfs_chunk, 48, BTRFS_CHUNK)

#define BTRFS_STRIPE(F)          \
    F(0, Le64, devid, show_dec)  \
    F(8, Le64, offset, show_dec) \
    F(16, Uuid, dev_uuid, show_uuid)
GLASSFS_LAYOUT(btrfs_stripe, 32, BTRFS_STRIPE)

#define BTRFS_INODE_ITEM(F)                          \
    F(0, Le64, generation, show_dec)                 \
    F(8, Le64, transid, show_dec)                    \
    F(16, Le64, size, show_dec)                      \
    F(24, Le64, nbytes, show_dec)                    \
    F(32, Le64, block_group, show_dec)               \
    F(40, Le32, nlink, show_dec)                     \
    F(44, Le32, uid, show_dec)                       \
    F(48, Le32, gid, show_dec)                       \
    F(52, Le32, mode, show_mode)                     \
    F(56, Le64, rdev, show_hex)                      \
    F(64, Le64, flags, show_flags(inode_flag_names)) \
    F(72, Le64, sequence, show_dec)                  \
    F(80, Pad32, reserved, show_bytes)               \
    F(112, btrfs_timespec, atime, show_nested)       \
    F(124, btrfs_timespec, ctime, show_nested)       \
    F(136, btrfs_timespec, mtime, show_nested)       \
    F(148, btrfs_timespec, otime, show_nested)
GLASSFS_LAYOUT(btrfs_inode_item, 160, BTRFS_INODE_ITEM)

// Followed by name_len bytes; several in one item.
#define BTRFS_INODE_REF(F)      \
    F(0, Le64, index, show_dec) \
    F(8, Le16, name_len, show_dec)
GLASSFS_LAYOUT(btrfs_inode_ref, 10, BTRFS_INODE_REF)

#define BTRFS_INODE_EXTREF(F)             \
    F(0, Le64, parent_objectid, show_dec) \
    F(8, Le64, index, show_dec)           \
    F(16, Le16, name_len, show_dec)
GLASSFS_LAYOUT(btrfs_inode_extref, 18, BTRFS_INODE_EXTREF)

// Followed by the name, then data_len bytes (an xattr's value).
#define BTRFS_DIR_ITEM(F)                       \
    F(0, btrfs_disk_key, location, show_nested) \
    F(17, Le64, transid, show_dec)              \
    F(25, Le16, data_len, show_dec)             \
    F(27, Le16, name_len, show_dec)             \
    F(29, u8, type, show_enum(file_type_names))
GLASSFS_LAYOUT(btrfs_dir_item, 30, BTRFS_DIR_ITEM)

#define BTRFS_DIR_LOG_ITEM(F) F(0, Le64, end, show_dec)
GLASSFS_LAYOUT(btrfs_dir_log_item, 8, BTRFS_DIR_LOG_ITEM)

// Old kernels write only the first 239 bytes; generation_v2 differs from generation then.
#define BTRFS_ROOT_ITEM(F)                             \
    F(0, btrfs_inode_item, inode, show_nested)         \
    F(160, Le64, generation, show_dec)                 \
    F(168, Le64, root_dirid, show_dec)                 \
    F(176, Le64, bytenr, show_dec)                     \
    F(184, Le64, byte_limit, show_dec)                 \
    F(192, Le64, bytes_used, show_dec)                 \
    F(200, Le64, last_snapshot, show_dec)              \
    F(208, Le64, flags, show_flags(root_flag_names))   \
    F(216, Le32, refs, show_dec)                       \
    F(220, btrfs_disk_key, drop_progress, show_nested) \
    F(237, u8, drop_level, show_dec)                   \
    F(238, u8, level, show_dec)                        \
    F(239, Le64, generation_v2, show_dec)              \
    F(247, Uuid, uuid, show_uuid)                      \
    F(263, Uuid, parent_uuid, show_uuid)               \
    F(279, Uuid, received_uuid, show_uuid)             \
    F(295, Le64, ctransid, show_dec)                   \
    F(303, Le64, otransid, show_dec)                   \
    F(311, Le64, stransid, show_dec)                   \
    F(319, Le64, rtransid, show_dec)                   \
    F(327, btrfs_timespec, ctime, show_nested)         \
    F(339, btrfs_timespec, otime, show_nested)         \
    F(351, btrfs_timespec, stime, show_nested)         \
    F(363, btrfs_timespec, rtime, show_nested)         \
    F(375, Pad64, reserved, show_bytes)
GLASSFS_LAYOUT(btrfs_root_item, 439, BTRFS_ROOT_ITEM)
inline constexpr std::size_t root_item_legacy_size = 239;

// Followed by name_len bytes.
#define BTRFS_ROOT_REF(F)          \
    F(0, Le64, dirid, show_dec)    \
    F(8, Le64, sequence, show_dec) \
    F(16, Le16, name_len, show_dec)
GLASSFS_LAYOUT(btrfs_root_ref, 18, BTRFS_ROOT_REF)

// Followed by a btrfs_tree_block_info (EXTENT_ITEM of a tree block), then inline references.
#define BTRFS_EXTENT_ITEM(F)         \
    F(0, Le64, refs, show_dec)       \
    F(8, Le64, generation, show_dec) \
    F(16, Le64, flags, show_flags(extent_flag_names))
GLASSFS_LAYOUT(btrfs_extent_item, 24, BTRFS_EXTENT_ITEM)

#define BTRFS_TREE_BLOCK_INFO(F)           \
    F(0, btrfs_disk_key, key, show_nested) \
    F(17, u8, level, show_dec)
GLASSFS_LAYOUT(btrfs_tree_block_info, 18, BTRFS_TREE_BLOCK_INFO)

// `offset`: root (TREE_BLOCK_REF), parent block (SHARED_BLOCK_REF, SHARED_DATA_REF); an EXTENT_DATA_REF has a
// btrfs_extent_data_ref in its place; a SHARED_DATA_REF is followed by a btrfs_shared_data_ref.
#define BTRFS_EXTENT_INLINE_REF(F)            \
    F(0, u8, type, show_enum(key_type_names)) \
    F(1, Le64, offset, show_dec)
GLASSFS_LAYOUT(btrfs_extent_inline_ref, 9, BTRFS_EXTENT_INLINE_REF)

#define BTRFS_EXTENT_DATA_REF(F)                \
    F(0, Le64, root, show_enum(objectid_names)) \
    F(8, Le64, objectid, show_dec)              \
    F(16, Le64, offset, show_dec)               \
    F(24, Le32, count, show_dec)
GLASSFS_LAYOUT(btrfs_extent_data_ref, 28, BTRFS_EXTENT_DATA_REF)

#define BTRFS_SHARED_DATA_REF(F) F(0, Le32, count, show_dec)
GLASSFS_LAYOUT(btrfs_shared_data_ref, 4, BTRFS_SHARED_DATA_REF)

#define BTRFS_EXTENT_OWNER_REF(F) F(0, Le64, root_id, show_dec)
GLASSFS_LAYOUT(btrfs_extent_owner_ref, 8, BTRFS_EXTENT_OWNER_REF)

#define BTRFS_DEV_EXTENT(F)              \
    F(0, Le64, chunk_tree, show_dec)     \
    F(8, Le64, chunk_objectid, show_dec) \
    F(16, Le64, chunk_offset, show_dec)  \
    F(24, Le64, length, show_dec)        \
    F(32, Uuid, chunk_tree_uuid, show_uuid)
GLASSFS_LAYOUT(btrfs_dev_extent, 48, BTRFS_DEV_EXTENT)

#define BTRFS_BLOCK_GROUP_ITEM(F)        \
    F(0, Le64, used, show_dec)           \
    F(8, Le64, chunk_objectid, show_dec) \
    F(16, Le64, flags, show_flags(block_group_flag_names))
GLASSFS_LAYOUT(btrfs_block_group_item, 24, BTRFS_BLOCK_GROUP_ITEM)

// An inline extent ends with `type`; its data follows. The other types have all fields.
#define BTRFS_FILE_EXTENT_ITEM(F)                        \
    F(0, Le64, generation, show_dec)                     \
    F(8, Le64, ram_bytes, show_dec)                      \
    F(16, u8, compression, show_enum(compression_names)) \
    F(17, u8, encryption, show_dec)                      \
    F(18, Le16, other_encoding, show_dec)                \
    F(20, u8, type, show_enum(file_extent_type_names))   \
    F(21, Le64, disk_bytenr, show_dec)                   \
    F(29, Le64, disk_num_bytes, show_dec)                \
    F(37, Le64, offset, show_dec)                        \
    F(45, Le64, num_bytes, show_dec)
GLASSFS_LAYOUT(btrfs_file_extent_item, 53, BTRFS_FILE_EXTENT_ITEM)
inline constexpr std::size_t file_extent_inline_at = 21;  // where an inline extent's data begins

#define BTRFS_FREE_SPACE_INFO(F)       \
    F(0, Le32, extent_count, show_dec) \
    F(4, Le32, flags, show_flags(free_space_flag_names))
GLASSFS_LAYOUT(btrfs_free_space_info, 8, BTRFS_FREE_SPACE_INFO)

// Of the v1 free space cache: where its file is, key (FREE_SPACE_OBJECTID, 0, block group).
#define BTRFS_FREE_SPACE_HEADER(F)              \
    F(0, btrfs_disk_key, location, show_nested) \
    F(17, Le64, generation, show_dec)           \
    F(25, Le64, num_entries, show_dec)          \
    F(33, Le64, num_bitmaps, show_dec)
GLASSFS_LAYOUT(btrfs_free_space_header, 41, BTRFS_FREE_SPACE_HEADER)

#define BTRFS_DEV_STATS_ITEM(F)            \
    F(0, Le64, write_errs, show_dec)       \
    F(8, Le64, read_errs, show_dec)        \
    F(16, Le64, flush_errs, show_dec)      \
    F(24, Le64, corruption_errs, show_dec) \
    F(32, Le64, generation_errs, show_dec)
GLASSFS_LAYOUT(btrfs_dev_stats_item, 40, BTRFS_DEV_STATS_ITEM)

#define BTRFS_DEV_REPLACE_ITEM(F)                        \
    F(0, Le64, src_devid, show_dec)                      \
    F(8, Le64, cursor_left, show_dec)                    \
    F(16, Le64, cursor_right, show_dec)                  \
    F(24, Le64, cont_reading_from_srcdev_mode, show_dec) \
    F(32, Le64, replace_state, show_dec)                 \
    F(40, Le64, time_started, show_dec)                  \
    F(48, Le64, time_stopped, show_dec)                  \
    F(56, Le64, num_write_errors, show_dec)              \
    F(64, Le64, num_uncorrectable_read_errors, show_dec)
GLASSFS_LAYOUT(btrfs_dev_replace_item, 72, BTRFS_DEV_REPLACE_ITEM)

// Newer kernels add enable_gen (40 bytes).
#define BTRFS_QGROUP_STATUS_ITEM(F)                          \
    F(0, Le64, version, show_dec)                            \
    F(8, Le64, generation, show_dec)                         \
    F(16, Le64, flags, show_flags(qgroup_status_flag_names)) \
    F(24, Le64, rescan, show_dec)                            \
    F(32, Le64, enable_gen, show_dec)
GLASSFS_LAYOUT(btrfs_qgroup_status_item, 40, BTRFS_QGROUP_STATUS_ITEM)
inline constexpr std::size_t qgroup_status_legacy_size = 32;

#define BTRFS_QGROUP_INFO_ITEM(F)    \
    F(0, Le64, generation, show_dec) \
    F(8, Le64, rfer, show_dec)       \
    F(16, Le64, rfer_cmpr, show_dec) \
    F(24, Le64, excl, show_dec)      \
    F(32, Le64, excl_cmpr, show_dec)
GLASSFS_LAYOUT(btrfs_qgroup_info_item, 40, BTRFS_QGROUP_INFO_ITEM)

#define BTRFS_QGROUP_LIMIT_ITEM(F)                         \
    F(0, Le64, flags, show_flags(qgroup_limit_flag_names)) \
    F(8, Le64, max_rfer, show_dec)                         \
    F(16, Le64, max_excl, show_dec)                        \
    F(24, Le64, rsv_rfer, show_dec)                        \
    F(32, Le64, rsv_excl, show_dec)
GLASSFS_LAYOUT(btrfs_qgroup_limit_item, 40, BTRFS_QGROUP_LIMIT_ITEM)

#define BTRFS_DISK_BALANCE_ARGS(F)                           \
    F(0, Le64, profiles, show_flags(block_group_flag_names)) \
    F(8, Le64, usage, show_dec)                              \
    F(16, Le64, devid, show_dec)                             \
    F(24, Le64, pstart, show_dec)                            \
    F(32, Le64, pend, show_dec)                              \
    F(40, Le64, vstart, show_dec)                            \
    F(48, Le64, vend, show_dec)                              \
    F(56, Le64, target, show_flags(block_group_flag_names))  \
    F(64, Le64, flags, show_hex)                             \
    F(72, Le64, limit, show_dec)                             \
    F(80, Le32, stripes_min, show_dec)                       \
    F(84, Le32, stripes_max, show_dec)                       \
    F(88, Pad48, unused, show_bytes)
GLASSFS_LAYOUT(btrfs_disk_balance_args, 136, BTRFS_DISK_BALANCE_ARGS)

#define BTRFS_BALANCE_ITEM(F)                          \
    F(0, Le64, flags, show_hex)                        \
    F(8, btrfs_disk_balance_args, data, show_nested)   \
    F(144, btrfs_disk_balance_args, meta, show_nested) \
    F(280, btrfs_disk_balance_args, sys, show_nested)  \
    F(416, Pad32, unused, show_bytes)
GLASSFS_LAYOUT(btrfs_balance_item, 448, BTRFS_BALANCE_ITEM)

#define BTRFS_VERITY_DESCRIPTOR_ITEM(F) \
    F(0, Le64, size, show_dec)          \
    F(8, Le64, reserved_0, show_dec)    \
    F(16, Le64, reserved_1, show_dec)   \
    F(24, u8, encryption, show_dec)
GLASSFS_LAYOUT(btrfs_verity_descriptor_item, 25, BTRFS_VERITY_DESCRIPTOR_ITEM)

// One stride of a RAID_STRIPE item: an array of these, one per copy.
#define BTRFS_RAID_STRIDE(F)    \
    F(0, Le64, devid, show_dec) \
    F(8, Le64, physical, show_dec)
GLASSFS_LAYOUT(btrfs_raid_stride, 16, BTRFS_RAID_STRIDE)

// One entry of a UUID tree item's array.
#define BTRFS_UUID_ENTRY(F) F(0, Le64, subvol_id, show_dec)
GLASSFS_LAYOUT(btrfs_uuid_entry, 8, BTRFS_UUID_ENTRY)

}  // namespace glassfs::btrfs::disk
