// SPDX-License-Identifier: MIT
// Checks a whole btrfs: what `btrfs check` finds, as typed issues, and every copy of every tree block and of
// all data that has checksums. Nothing is written.
//
//   root tree ---> list of trees
//   extent tree -> extents, recorded references, block groups
//   all trees ---> each block once: every copy, structure, items; found references
//   compare:       found with recorded references, used bytes, chunks with dev extents, free space, checksums
//   fs trees ----> each subvolume as a whole: inodes, names, sizes; quota numbers
//   data --------> checksums
//
// Memory: some 40 bytes per extent reference and per directory entry of the largest subvolume, and the
// volume's cache.
#pragma once

#include "btrfs/volume.h"
#include "check/issue.h"

#include <functional>

namespace glassfs::check {

// Findings are the report's issues; an error is only Cause::Cancelled, when `progress` (0..1, may be empty)
// returned false. Problems are what makes `btrfs check` fail; warnings are worth knowing but harmless: a
// damaged copy of what is whole elsewhere, a missing device that the profile allows for.
Result<Report> check_btrfs(btrfs::Volume&, const Options&, const std::function<bool(double)>& progress);

}  // namespace glassfs::check
