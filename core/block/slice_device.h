// SPDX-License-Identifier: MIT
// A contiguous part of another device, as a device: a partition.
#pragma once

#include "block/device.h"

#include <memory>

namespace glassfs::block {

class SliceDevice final : public Device {
  public:
    // Cause::BeyondDeviceEnd when the base has fewer bytes. `suffix` is appended to the base's name: "p1".
    static Result<std::shared_ptr<SliceDevice>> make(std::shared_ptr<Device> base, u64 begin, u64 length,
                                                     const std::string& suffix);

    u64 size() const override { return length_; }
    std::string name() const override { return name_; }
    bool read_only() const override { return base_->read_only(); }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override { return base_->flush(); }
    Result<void> discard(u64 at, u64 length) override;

  private:
    SliceDevice(std::shared_ptr<Device> base, u64 begin, u64 length, std::string name)
        : base_(std::move(base)), begin_(begin), length_(length), name_(std::move(name)) {}

    std::shared_ptr<Device> base_;
    u64 begin_;
    u64 length_;
    std::string name_;
};

}  // namespace glassfs::block
