// SPDX-License-Identifier: MIT
// What all devices share: the test of a range.
#include "block/device.h"

#include "base/text.h"

namespace glassfs::block {

Result<void> check_range(const Device& device, u64 at, u64 length) {
    u64 size = device.size();
    if (at <= size && length <= size - at) return {};
    return fail(
        Cause::BeyondDeviceEnd,
        text("%s: bytes %llu +%llu, size %llu", device.name().c_str(), static_cast<unsigned long long>(at),
             static_cast<unsigned long long>(length), static_cast<unsigned long long>(size)));
}

}  // namespace glassfs::block
