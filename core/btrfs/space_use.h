// SPDX-License-Identifier: MIT
// How full a volume is, in the bytes in which Linux's statfs (and so df) tells it: a file's bytes, not a
// device's. All that is on the devices is divided by the number of copies that data has. Used is also what
// Linux keeps back for its commits (its global reserve). Available is what is free in data block groups, and
// what new ones could hold.
#pragma once

#include "btrfs/block_groups.h"
#include "btrfs/volume.h"
#include "vfs/file_system.h"

namespace glassfs::btrfs {

// `groups`: null when the volume is mounted read-only, and then their items are read. Needs
// Volume::reading().
Result<vfs::StatFs> space_use(Volume&, const disk::btrfs_super_block&, const BlockGroups* groups);

}  // namespace glassfs::btrfs
