// SPDX-License-Identifier: MIT
// Image files and block devices of the host, before they are written to.
#pragma once

#include "base/error.h"

#include <span>
#include <string>

namespace glassfs::commands {

struct HostImage {
    enum class Kind : u8 { Missing, File, BlockDevice, Other } kind = Kind::Missing;
    u64 device = 0;  // these two name a file, whatever its path
    u64 inode = 0;
};
HostImage look_at_image(const std::string& path);
// Whether one of the others is the same file. A missing one is nobody's twin but its own name's.
bool is_same_image(const std::string& path, std::span<const std::string> others);

// Cause::Busy when the host itself has the device open for itself alone, as a mounted one is, or a loop
// device that shows this file.
Result<void> refuse_image_in_use(const std::string& path);

}  // namespace glassfs::commands
