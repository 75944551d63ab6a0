// SPDX-License-Identifier: MIT
// Copy-on-write over another device: writes stay in memory, and what was not written is read from the base,
// which is never changed. How a local image is opened for writing without harm, and how a past state is
// looked at.
#pragma once

#include "block/device.h"
#include "block/granule_map.h"

#include <memory>
#include <shared_mutex>

namespace glassfs::block {

class OverlayDevice final : public Device {
  public:
    // `granule`: bytes, a power of two: a write smaller than that first copies the granule from the base.
    explicit OverlayDevice(std::shared_ptr<Device> base, u64 granule = 4096);

    u64 size() const override { return base_->size(); }
    std::string name() const override { return base_->name(); }
    bool read_only() const override { return false; }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override { return {}; }
    Result<void> discard(u64 at, u64 length) override;  // what was written reads as zeros, the rest as before

    u64 allocated() const;  // bytes held in memory

  private:
    Result<void> copy_up(u64 number);  // the mutex is held

    std::shared_ptr<Device> base_;
    mutable std::shared_mutex mutex_;
    GranuleMap granules_;
};

}  // namespace glassfs::block
