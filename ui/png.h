// SPDX-License-Identifier: MIT
// Writes a picture as PNG.
#pragma once

#include "base/error.h"

#include <string>

namespace glassfs::ui {

// `rgb`: 3 bytes a pixel, top row first.
Result<void> write_png(const std::string& path, int width, int height, Bytes rgb);

}  // namespace glassfs::ui
