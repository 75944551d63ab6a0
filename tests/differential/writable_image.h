// SPDX-License-Identifier: MIT
// A volume in image files, mounted for writing.
#pragma once

#include "mount/mount.h"

namespace glassfs::differential {

// The first path is the image, the others are its further devices.
Result<std::shared_ptr<mount::Volume>> open_writable(const std::vector<std::string>& paths);

}  // namespace glassfs::differential
