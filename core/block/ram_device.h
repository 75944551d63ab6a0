// SPDX-License-Identifier: MIT
// A device in memory that costs only what was written to it: what never was reads as zeros, and a discarded
// range is freed and reads as zeros. Any size up to 2^64 - 1 bytes.
#pragma once

#include "block/device.h"
#include "block/granule_map.h"

#include <shared_mutex>

namespace glassfs::block {

class RamDevice final : public Device {
  public:
    // `size`: bytes. `granule`: bytes, a power of two: the unit of allocation.
    explicit RamDevice(u64 size, std::string name = "ram", u64 granule = 16384);

    u64 size() const override { return size_; }
    std::string name() const override { return name_; }
    bool read_only() const override { return false; }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override { return {}; }
    Result<void> discard(u64 at, u64 length) override;

    u64 allocated() const;  // bytes held in memory

  private:
    u64 size_;
    std::string name_;
    mutable std::shared_mutex mutex_;
    GranuleMap granules_;
};

}  // namespace glassfs::block
