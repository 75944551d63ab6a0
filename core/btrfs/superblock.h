// SPDX-License-Identifier: MIT
// Finding a device's superblock: copies lie at 64 KiB, 64 MiB and 256 GiB as far as the device reaches. The
// newest copy that is valid (magic, checksum, its own position, plausible fields) is the device's.
#pragma once

#include "block/device.h"
#include "btrfs/tree_checker.h"

namespace glassfs::btrfs {

struct FoundSuperblock {
    disk::btrfs_super_block super;
    u32 mirror = 0;                  // index into super_offsets
    std::vector<std::string> notes;  // copies that are damaged or older
};

// Cause::UnknownFileSystem when no copy has the magic; otherwise what is wrong with the first that has it.
Result<FoundSuperblock> read_superblock(block::Device&);

// Checksum over everything behind the checksum field.
Checksum superblock_checksum(const disk::btrfs_super_block&);

}  // namespace glassfs::btrfs
