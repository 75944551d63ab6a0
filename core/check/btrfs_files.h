// SPDX-License-Identifier: MIT
// One tree of files as a whole: every inode with its items, and every name in the three places that know it.
//
//   DIR_ITEM (by hash)   |
//   DIR_INDEX (by age)   |  the same directory, name, inode and, where known, index and type
//   INODE_REF / EXTREF   |
//
// Internal to the check layer.
#pragma once

#include "check/btrfs_csums.h"
#include "check/btrfs_quota.h"
#include "check/btrfs_roots.h"

namespace glassfs::check {

struct FileCheckParts {
    BlockReader& reader;
    const CsumMap& csums;
    RootCheck& roots;
    QuotaCheck& quota;
};

// `record` is a subvolume or the data relocation tree.
void check_files(const FileCheckParts&, const RootRecord& record);

}  // namespace glassfs::check
