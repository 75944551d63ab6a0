// SPDX-License-Identifier: MIT
// The checksum tree, and the data that it describes. Internal to the check layer.
#pragma once

#include "check/btrfs_extents.h"

namespace glassfs::check {

// What has checksums, as a sorted list of ranges.
class CsumMap {
  public:
    // Reads the tree: items must not overlap, and must describe extents.
    void read(BlockReader&, const ExtentCheck&);
    // How many bytes of the range have checksums.
    u64 covered(Range range) const;
    bool usable() const { return usable_; }

  private:
    std::vector<Range> ranges_;
    bool usable_ = false;
};

// Reads all data that has checksums, every copy. A sector without a good copy is a problem, a bad copy beside
// a good one a warning. RAID5/6 copies that would be rebuilt from parity count only when the data itself is
// bad.
void check_data(BlockReader&, u64 data_bytes);

}  // namespace glassfs::check
