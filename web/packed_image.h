// SPDX-License-Identifier: MIT
// A disk image without its empty ranges: how the sample volume travels to the page. Written at build time by
// web/pack_image.mjs, compressed on the way by whatever the page and its server agree on.
//
//     "GLASSIMG"  u64 device size        then, until the end:    u64 at   u64 length   `length` bytes
//
// Little-endian; ranges ascend and don't overlap. What no range covers is zero.
#pragma once

#include "block/device.h"

#include <memory>
#include <string>

namespace glassfs::web {

// A device in memory with the image's content. Cause::DeviceOpenFailed when the bytes aren't a packed image.
Result<std::shared_ptr<block::Device>> unpack_image(Bytes packed, const std::string& name);

}  // namespace glassfs::web
