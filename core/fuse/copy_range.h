// SPDX-License-Identifier: MIT
// copy_file_range(2) on the file system's interface: shares extents where it can, copies bytes where it
// can't.
#pragma once

#include "vfs/file_system.h"

namespace glassfs::fuse {

inline constexpr u64 copy_range_max = 1ULL << 30;  // bytes in one call: its answer has 32 bits

struct CopyRange {
    vfs::NodeId from;
    u64 from_at = 0;
    vfs::NodeId to;
    u64 to_at = 0;
    u64 length = 0;  // bytes
};

// The bytes copied: fewer than asked for at the end of `from`, beyond copy_range_max, and when the volume is
// full. The ranges must not overlap. Cause::InvalidArgument: an end beyond 63 bits.
Result<u64> copy_range(vfs::FileSystem& files, CopyRange range);

}  // namespace glassfs::fuse
