// SPDX-License-Identifier: MIT
// From file names to a mounted volume: device files, and the partition of a whole disk's image.
#pragma once

#include "mount/mount.h"
#include "mount/recorded_volume.h"

#include <memory>
#include <string>
#include <vector>

namespace glassfs::cli {

struct ImageSource {
    std::string image;
    std::vector<std::string> further_devices;
    std::optional<u64> partition = {};  // of `image`
    std::string subvolume = {};
    mount::Access access = mount::Access::ReadOnly;
    std::shared_ptr<Environment> environment = {};
};

// The image itself, else the only one of its partitions that holds a file system we know. Errors name the
// file. Cause::Busy: to be written to, but mounted by the host.
Result<std::unique_ptr<mount::Volume>> open_image(const ImageSource& source);
// The same for writing, with everything that is done to it recorded. Whole images only.
Result<std::unique_ptr<mount::RecordedVolume>> open_recorded(const ImageSource& source);

}  // namespace glassfs::cli
