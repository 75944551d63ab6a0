// SPDX-License-Identifier: MIT
// From file names to a mounted volume: device files, and the partition of a whole disk's image.
#pragma once

#include "mount/mount.h"

#include <memory>
#include <string>
#include <vector>

namespace glassfs::cli {

struct ImageSource {
    std::string image;
    std::vector<std::string> further_devices;
    std::optional<u64> partition = {};  // of `image`
    std::string subvolume = {};
};

// The image itself, else the only one of its partitions that holds a file system we know. Errors name the
// file.
Result<std::unique_ptr<mount::Volume>> open_image(const ImageSource& source);

}  // namespace glassfs::cli
