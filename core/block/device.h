// SPDX-License-Identifier: MIT
// A block device as everything above sees it: a fixed number of bytes, read and written at byte positions.
#pragma once

#include "base/error.h"

#include <string>

namespace glassfs::block {

// Calls may come from several threads at once. A read or write is done whole or fails: there are no short
// ones. A write is durable after the next flush() that returned success and may be lost, or torn, before.
class Device {
  public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    virtual u64 size() const = 0;          // bytes
    virtual std::string name() const = 0;  // for messages: a path or a file name
    virtual bool read_only() const = 0;

    // Fills `out` from byte `at`. Cause::BeyondDeviceEnd, Cause::DeviceReadFailed.
    virtual Result<void> read(u64 at, MutBytes out) = 0;
    // Cause::ReadOnly, Cause::BeyondDeviceEnd, Cause::NoSpace, Cause::DeviceWriteFailed.
    virtual Result<void> write(u64 at, Bytes data) = 0;
    virtual Result<void> flush() = 0;
    // The range reads as zeros or as before; a hint that its bytes are no longer needed.
    virtual Result<void> discard(u64 at, u64 length) = 0;
};

// Cause::BeyondDeviceEnd unless [at, at + length) lies inside of a device of `size` bytes. No overflow.
Result<void> check_range(const Device& device, u64 at, u64 length);

}  // namespace glassfs::block
