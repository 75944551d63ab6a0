// SPDX-License-Identifier: MIT
// A block device that JavaScript keeps: one of Module.store, which has read, write, flush and discard as the
// page's stores do (page/store_opfs.js). It answers at once, on the same thread: a synchronous access handle
// of the origin private file system, a file of node, or memory.
#pragma once

#include "block/device.h"

namespace glassfs::api {

class JsDevice final : public block::Device {
  public:
    JsDevice(u32 index, u64 size) : index_(index), size_(size) {}

    u64 size() const override { return size_; }
    std::string name() const override { return "device " + std::to_string(index_ + 1); }
    bool read_only() const override { return false; }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override;
    Result<void> discard(u64 at, u64 length) override;

  private:
    u32 index_;  // in the volume
    u64 size_;   // bytes
};

}  // namespace glassfs::api
