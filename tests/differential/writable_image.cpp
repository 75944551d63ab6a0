// SPDX-License-Identifier: MIT
#include "writable_image.h"

#include "block/file_device.h"

namespace glassfs::differential {

Result<std::shared_ptr<mount::Volume>> open_writable(const std::vector<std::string>& paths) {
    std::vector<std::shared_ptr<block::Device>> devices;
    for (const auto& path : paths) {
        devices.push_back(TRY(block::FileDevice::open(path, block::FileDevice::Access::ReadWrite)));
    }
    // The one place that asks for a writable mount.
    mount::Options options;
    options.access = mount::Access::ReadWrite;
    std::shared_ptr<mount::Volume> volume = TRY(mount::open(std::move(devices), options));
    return volume;
}

}  // namespace glassfs::differential
