// SPDX-License-Identifier: MIT
// The numbers of the btrfs format that have names: object ids, key types, flags and enumerations.
#pragma once

#include "base/layout.h"

#include <string>

namespace glassfs::btrfs {

inline constexpr u64 super_magic = 0x4d5f53665248425fULL;  // "_BHRfS_M"
inline constexpr u64 super_offsets[] = {64ULL << 10, 64ULL << 20, 256ULL << 30};
inline constexpr u32 super_size = 4096;
inline constexpr u32 max_level = 8;  // levels 0..7
inline constexpr u32 name_len_max = 255;
inline constexpr u64 stripe_length = 64 << 10;
inline constexpr u32 node_size_max = 64 << 10;

// Objectids of trees and of special objects.
inline constexpr u64 root_tree_objectid = 1, extent_tree_objectid = 2, chunk_tree_objectid = 3,
                     dev_tree_objectid = 4, fs_tree_objectid = 5, root_tree_dir_objectid = 6,
                     csum_tree_objectid = 7, quota_tree_objectid = 8, uuid_tree_objectid = 9,
                     free_space_tree_objectid = 10, block_group_tree_objectid = 11,
                     raid_stripe_tree_objectid = 12;
inline constexpr u64 dev_stats_objectid = 0, dev_items_objectid = 1;
inline constexpr u64 balance_objectid = -4ULL, orphan_objectid = -5ULL, tree_log_objectid = -6ULL,
                     tree_log_fixup_objectid = -7ULL, tree_reloc_objectid = -8ULL,
                     data_reloc_tree_objectid = -9ULL, extent_csum_objectid = -10ULL,
                     free_space_objectid = -11ULL, free_ino_objectid = -12ULL;
inline constexpr u64 first_free_objectid = 256, last_free_objectid = -256ULL;
inline constexpr u64 first_chunk_tree_objectid = 256;

enum class KeyType : u8 {
    Untyped = 0,  // FREE_SPACE_HEADER and free-ino items
    InodeItem = 1,
    InodeRef = 12,
    InodeExtref = 13,
    XattrItem = 24,
    VerityDescItem = 36,
    VerityMerkleItem = 37,
    OrphanItem = 48,
    DirLogItem = 60,
    DirLogIndex = 72,
    DirItem = 84,
    DirIndex = 96,
    ExtentData = 108,
    ExtentCsum = 128,
    RootItem = 132,
    RootBackref = 144,
    RootRef = 156,
    ExtentItem = 168,
    MetadataItem = 169,
    ExtentOwnerRef = 172,
    TreeBlockRef = 176,
    ExtentDataRef = 178,
    ExtentRefV0 = 180,
    SharedBlockRef = 182,
    SharedDataRef = 184,
    BlockGroupItem = 192,
    FreeSpaceInfo = 198,
    FreeSpaceExtent = 199,
    FreeSpaceBitmap = 200,
    DevExtent = 204,
    DevItem = 216,
    ChunkItem = 228,
    RaidStripe = 230,
    QgroupStatus = 240,
    QgroupInfo = 242,
    QgroupLimit = 244,
    QgroupRelation = 246,
    TemporaryItem = 248,
    PersistentItem = 249,
    DevReplace = 250,
    UuidKeySubvol = 251,
    UuidKeyReceivedSubvol = 252,
    StringItem = 253,
};

inline constexpr ValueName key_type_names[] = {
    {0, "UNTYPED"},
    {1, "INODE_ITEM"},
    {12, "INODE_REF"},
    {13, "INODE_EXTREF"},
    {24, "XATTR_ITEM"},
    {36, "VERITY_DESC_ITEM"},
    {37, "VERITY_MERKLE_ITEM"},
    {48, "ORPHAN_ITEM"},
    {60, "DIR_LOG_ITEM"},
    {72, "DIR_LOG_INDEX"},
    {84, "DIR_ITEM"},
    {96, "DIR_INDEX"},
    {108, "EXTENT_DATA"},
    {128, "EXTENT_CSUM"},
    {132, "ROOT_ITEM"},
    {144, "ROOT_BACKREF"},
    {156, "ROOT_REF"},
    {168, "EXTENT_ITEM"},
    {169, "METADATA_ITEM"},
    {172, "EXTENT_OWNER_REF"},
    {176, "TREE_BLOCK_REF"},
    {178, "EXTENT_DATA_REF"},
    {180, "EXTENT_REF_V0"},
    {182, "SHARED_BLOCK_REF"},
    {184, "SHARED_DATA_REF"},
    {192, "BLOCK_GROUP_ITEM"},
    {198, "FREE_SPACE_INFO"},
    {199, "FREE_SPACE_EXTENT"},
    {200, "FREE_SPACE_BITMAP"},
    {204, "DEV_EXTENT"},
    {216, "DEV_ITEM"},
    {228, "CHUNK_ITEM"},
    {230, "RAID_STRIPE"},
    {240, "QGROUP_STATUS"},
    {242, "QGROUP_INFO"},
    {244, "QGROUP_LIMIT"},
    {246, "QGROUP_RELATION"},
    {248, "TEMPORARY_ITEM"},
    {249, "PERSISTENT_ITEM"},
    {250, "DEV_REPLACE"},
    {251, "UUID_KEY_SUBVOL"},
    {252, "UUID_KEY_RECEIVED_SUBVOL"},
    {253, "STRING_ITEM"},
};

inline constexpr ValueName objectid_names[] = {
    {1, "ROOT_TREE"},
    {2, "EXTENT_TREE"},
    {3, "CHUNK_TREE"},
    {4, "DEV_TREE"},
    {5, "FS_TREE"},
    {6, "ROOT_TREE_DIR"},
    {7, "CSUM_TREE"},
    {8, "QUOTA_TREE"},
    {9, "UUID_TREE"},
    {10, "FREE_SPACE_TREE"},
    {11, "BLOCK_GROUP_TREE"},
    {12, "RAID_STRIPE_TREE"},
    {balance_objectid, "BALANCE"},
    {orphan_objectid, "ORPHAN"},
    {tree_log_objectid, "TREE_LOG"},
    {tree_log_fixup_objectid, "TREE_LOG_FIXUP"},
    {tree_reloc_objectid, "TREE_RELOC"},
    {data_reloc_tree_objectid, "DATA_RELOC_TREE"},
    {extent_csum_objectid, "EXTENT_CSUM"},
    {free_space_objectid, "FREE_SPACE"},
    {free_ino_objectid, "FREE_INO"},
};

inline constexpr ValueName header_flag_names[] = {
    {1, "WRITTEN"}, {2, "RELOC"}, {1ULL << 56, "MIXED_BACKREF"}};

inline constexpr u64 super_flag_seeding = 1ULL << 32, super_flag_metadump = 1ULL << 33,
                     super_flag_metadump_v2 = 1ULL << 34, super_flag_changing_fsid = 1ULL << 35,
                     super_flag_changing_fsid_v2 = 1ULL << 36;
inline constexpr ValueName super_flag_names[] = {
    {1, "WRITTEN"},
    {2, "RELOC"},
    {4, "ERROR"},
    {super_flag_seeding, "SEEDING"},
    {super_flag_metadump, "METADUMP"},
    {super_flag_metadump_v2, "METADUMP_V2"},
    {super_flag_changing_fsid, "CHANGING_FSID"},
    {super_flag_changing_fsid_v2, "CHANGING_FSID_V2"},
};

inline constexpr u64 compat_ro_free_space_tree = 1, compat_ro_free_space_tree_valid = 2, compat_ro_verity = 4,
                     compat_ro_block_group_tree = 8;
inline constexpr ValueName compat_ro_names[] = {
    {1, "FREE_SPACE_TREE"}, {2, "FREE_SPACE_TREE_VALID"}, {4, "VERITY"}, {8, "BLOCK_GROUP_TREE"}};

inline constexpr u64 incompat_mixed_backref = 1ULL << 0, incompat_default_subvol = 1ULL << 1,
                     incompat_mixed_groups = 1ULL << 2, incompat_compress_lzo = 1ULL << 3,
                     incompat_compress_zstd = 1ULL << 4, incompat_big_metadata = 1ULL << 5,
                     incompat_extended_iref = 1ULL << 6, incompat_raid56 = 1ULL << 7,
                     incompat_skinny_metadata = 1ULL << 8, incompat_no_holes = 1ULL << 9,
                     incompat_metadata_uuid = 1ULL << 10, incompat_raid1c34 = 1ULL << 11,
                     incompat_zoned = 1ULL << 12, incompat_extent_tree_v2 = 1ULL << 13,
                     incompat_raid_stripe_tree = 1ULL << 14, incompat_simple_quota = 1ULL << 16;
inline constexpr ValueName incompat_names[] = {
    {incompat_mixed_backref, "MIXED_BACKREF"},
    {incompat_default_subvol, "DEFAULT_SUBVOL"},
    {incompat_mixed_groups, "MIXED_GROUPS"},
    {incompat_compress_lzo, "COMPRESS_LZO"},
    {incompat_compress_zstd, "COMPRESS_ZSTD"},
    {incompat_big_metadata, "BIG_METADATA"},
    {incompat_extended_iref, "EXTENDED_IREF"},
    {incompat_raid56, "RAID56"},
    {incompat_skinny_metadata, "SKINNY_METADATA"},
    {incompat_no_holes, "NO_HOLES"},
    {incompat_metadata_uuid, "METADATA_UUID"},
    {incompat_raid1c34, "RAID1C34"},
    {incompat_zoned, "ZONED"},
    {incompat_extent_tree_v2, "EXTENT_TREE_V2"},
    {incompat_raid_stripe_tree, "RAID_STRIPE_TREE"},
    {incompat_simple_quota, "SIMPLE_QUOTA"},
};

inline constexpr ValueName csum_type_names[] = {
    {0, "crc32c"}, {1, "xxhash64"}, {2, "sha256"}, {3, "blake2b"}};

inline constexpr u64 block_group_data = 1, block_group_system = 2, block_group_metadata = 4,
                     block_group_raid0 = 8, block_group_raid1 = 16, block_group_dup = 32,
                     block_group_raid10 = 64, block_group_raid5 = 128, block_group_raid6 = 256,
                     block_group_raid1c3 = 512, block_group_raid1c4 = 1024;
inline constexpr u64 block_group_type_mask = 7, block_group_profile_mask = 0x7f8;
inline constexpr ValueName block_group_flag_names[] = {
    {1, "DATA"},    {2, "SYSTEM"},  {4, "METADATA"}, {8, "RAID0"},     {16, "RAID1"},     {32, "DUP"},
    {64, "RAID10"}, {128, "RAID5"}, {256, "RAID6"},  {512, "RAID1C3"}, {1024, "RAID1C4"},
};

inline constexpr u64 inode_nodatasum = 1, inode_nodatacow = 2, inode_readonly = 4, inode_nocompress = 8,
                     inode_prealloc = 16, inode_sync = 32, inode_immutable = 64, inode_append = 128,
                     inode_nodump = 256, inode_noatime = 512, inode_dirsync = 1024, inode_compress = 2048,
                     inode_root_item_init = 1ULL << 31, inode_ro_verity = 1ULL << 32;
inline constexpr ValueName inode_flag_names[] = {
    {1, "NODATASUM"},
    {2, "NODATACOW"},
    {4, "READONLY"},
    {8, "NOCOMPRESS"},
    {16, "PREALLOC"},
    {32, "SYNC"},
    {64, "IMMUTABLE"},
    {128, "APPEND"},
    {256, "NODUMP"},
    {512, "NOATIME"},
    {1024, "DIRSYNC"},
    {2048, "COMPRESS"},
    {1ULL << 31, "ROOT_ITEM_INIT"},
    {1ULL << 32, "RO_VERITY"},
};

inline constexpr u64 root_subvol_rdonly = 1, root_subvol_dead = 1ULL << 48;
inline constexpr ValueName root_flag_names[] = {{1, "RDONLY"}, {1ULL << 48, "DEAD"}};

inline constexpr u64 extent_flag_data = 1, extent_flag_tree_block = 2, extent_flag_full_backref = 256;
inline constexpr ValueName extent_flag_names[] = {{1, "DATA"}, {2, "TREE_BLOCK"}, {256, "FULL_BACKREF"}};

inline constexpr ValueName compression_names[] = {{0, "none"}, {1, "zlib"}, {2, "lzo"}, {3, "zstd"}};

inline constexpr u8 file_extent_inline = 0, file_extent_regular = 1, file_extent_prealloc = 2;
inline constexpr ValueName file_extent_type_names[] = {{0, "inline"}, {1, "regular"}, {2, "prealloc"}};

// Of directory items.
inline constexpr u8 ft_unknown = 0, ft_regular = 1, ft_dir = 2, ft_chrdev = 3, ft_blkdev = 4, ft_fifo = 5,
                    ft_sock = 6, ft_symlink = 7, ft_xattr = 8, ft_max = 9;
inline constexpr ValueName file_type_names[] = {{0, "UNKNOWN"}, {1, "FILE"},    {2, "DIR"},
                                                {3, "CHRDEV"},  {4, "BLKDEV"},  {5, "FIFO"},
                                                {6, "SOCK"},    {7, "SYMLINK"}, {8, "XATTR"}};

inline constexpr u32 free_space_using_bitmaps = 1;
inline constexpr ValueName free_space_flag_names[] = {{1, "USING_BITMAPS"}};

inline constexpr ValueName qgroup_status_flag_names[] = {
    {1, "ON"}, {2, "RESCAN"}, {4, "INCONSISTENT"}, {8, "SIMPLE"}};
inline constexpr ValueName qgroup_limit_flag_names[] = {
    {1, "MAX_RFER"}, {2, "MAX_EXCL"}, {4, "RSV_RFER"}, {8, "RSV_EXCL"}, {16, "RFER_CMPR"}, {32, "EXCL_CMPR"}};

// st_mode, in octal with its type.
inline constexpr Show show_mode{Form::Mode};

// "INODE_ITEM"; "UNKNOWN.77" for a number without a name.
std::string key_type_name(u8 type);
// "FS_TREE", or the number. Objectids from 256 on are plain numbers, the negative special ones have names.
std::string objectid_name(u64 objectid);
// "ON | RESCAN", unknown bits in hex behind.
std::string flags_text(u64 value, std::span<const ValueName> names);

}  // namespace glassfs::btrfs
