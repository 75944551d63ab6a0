// SPDX-License-Identifier: MIT
// File data in memory that has no extents yet.
#pragma once

#include "base/bytes.h"

namespace glassfs::btrfs {

class FilePages {};

}  // namespace glassfs::btrfs
