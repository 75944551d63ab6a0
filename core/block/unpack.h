// SPDX-License-Identifier: MIT
// A packed image as a device in memory that costs only what isn't zeros.
#pragma once

#include "block/device.h"

#include <functional>
#include <memory>

namespace glassfs::block {

struct UnpackLimits {
    u64 image_bytes = 1ULL << 40;   // the image's size
    u64 memory_bytes = 1ULL << 30;  // of it that isn't zeros
};

// `packed` itself when it isn't packed (unpack_stream.h), else what is in it, under its name. `progress`
// hears how many bytes of `packed` are done, and returns false to cancel. Cause::NotSupported,
// Cause::CompressedDataBad (also when it ends early), Cause::FileTooBig beyond the limits, Cause::Cancelled.
Result<std::shared_ptr<Device>> unpacked(std::shared_ptr<Device> packed,
                                         const std::function<bool(u64 done)>& progress,
                                         const UnpackLimits& limits = {});

}  // namespace glassfs::block
