// SPDX-License-Identifier: MIT
// What the tree says that a file holds.
#pragma once

#include "btrfs/data_reader.h"
#include "vfs/file_system.h"

namespace glassfs::btrfs {

// Fills `out` with the file's bytes from `at` on as its extents have them: zeros where there are none. Knows
// nothing of the file's size, nor of data that isn't on disk yet. Needs Volume::reading().
Result<void> read_extents(Volume&, DataReader&, vfs::NodeId, u64 at, MutBytes out, DataChecksums);

}  // namespace glassfs::btrfs
