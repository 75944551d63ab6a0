// SPDX-License-Identifier: MIT
// Checks a whole btrfs volume without changing it.
#pragma once

#include <functional>

#include "btrfs/volume.h"
#include "check/issue.h"

namespace glassfs::check {

// Reads everything; issues in the order found. `progress` (0..1) returns false to cancel (Cause::Cancelled).
Result<Report> check_btrfs(btrfs::Volume&, const Options&, const std::function<bool(double)>& progress);

}  // namespace glassfs::check
