// SPDX-License-Identifier: MIT
// Reading a file for a copy of it: where its data is, and its bytes in pieces.
#pragma once

#include "vfs/file_system.h"

#include <functional>
#include <vector>

namespace glassfs::commands {

struct DataRange {
    u64 begin;  // bytes in the file
    u64 end;
    friend bool operator==(const DataRange&, const DataRange&) = default;
};

// Ascending, not touching, inside of the file's size; holes and preallocated extents lie between.
Result<std::vector<DataRange>> data_ranges(vfs::FileSystem& files, const vfs::Attributes& attributes);

}  // namespace glassfs::commands
