// SPDX-License-Identifier: MIT
// Makes an empty btrfs: superblocks, one chunk of each type, and the initial trees, each a single leaf.
// Deterministic: UUIDs and times come from the Environment.
#pragma once

#include "base/environment.h"
#include "block/device.h"
#include "btrfs/tree_checker.h"

#include <memory>

namespace glassfs::btrfs {

struct MkfsOptions {
    std::string label = {};  // at most 255 bytes
    u32 node_size = 16384;
    u32 sector_size = 4096;
    ChecksumType checksum = ChecksumType::Crc32c;
    // Profile flags (block_group_dup, ...); 0 is single. Unset: metadata DUP on one device and RAID1 on
    // several, data single, as mkfs.btrfs chooses.
    std::optional<u64> metadata_profile = {};
    std::optional<u64> data_profile = {};
    bool no_holes = true;
    bool free_space_tree = true;
    bool block_group_tree = false;
    std::optional<Uuid> uuid = {};  // of the file system; otherwise from the Environment
};

// The fewest bytes that each of `count` devices must have for these options.
u64 mkfs_device_bytes_min(const MkfsOptions&, std::size_t count);

// Overwrites what is on the devices. Cause::InvalidArgument says which option; Cause::NoSpace: too small.
Result<void> mkfs(const std::vector<std::shared_ptr<block::Device>>& devices, const MkfsOptions&,
                  Environment&);

}  // namespace glassfs::btrfs
