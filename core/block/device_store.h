// SPDX-License-Identifier: MIT
// Devices for playback (trace/playback.h): each under a copy-on-write overlay, so that looking at a past
// state leaves the real ones alone.
#pragma once

#include "block/overlay_device.h"
#include "trace/playback.h"

#include <map>
#include <memory>

namespace glassfs::block {

class DeviceStore final : public trace::ByteStore {
  public:
    // `id`: the number that the device has in the recording. Nothing else may write to it from now on.
    void add(u64 id, std::shared_ptr<Device> device);

    // The device as playback has it now; null for an unknown number.
    std::shared_ptr<Device> device(u64 id) const;

    // Cause::DeviceMissing for an unknown number; else what the device gives.
    Result<void> read(u64 device, PhysicalAddr at, MutBytes out) override;
    Result<void> write(u64 device, PhysicalAddr at, Bytes data) override;

  private:
    std::map<u64, std::shared_ptr<OverlayDevice>> devices_;
};

}  // namespace glassfs::block
