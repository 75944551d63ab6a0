// SPDX-License-Identifier: MIT
// Superblocks; chunks, block groups, dev extents and devices must describe each other; the free space tree
// must be the complement of the extents. Internal to the check layer.
#pragma once

#include "check/btrfs_extents.h"

namespace glassfs::check {

// Each chunk has its block group and its dev extents, and none of these exists without it; devices add up.
void check_chunks(BlockReader&, const std::vector<BlockGroup>&);

// Every copy of the superblock on every device, and whether the devices agree about which file system they
// belong to.
void check_superblocks(BlockReader&);

// Nothing when the volume has no valid free space tree: Linux builds a new one then, and so does it with the
// older cache in files.
void check_free_space(BlockReader&, const ExtentCheck&);

}  // namespace glassfs::check
