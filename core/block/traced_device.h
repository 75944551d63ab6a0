// SPDX-License-Identifier: MIT
// Reports calls to a tracer, and what a write overwrote: the one place where block events come from. A
// recording's before-images are complete only when all writes to the device go through here. Calls that
// failed are not reported, except writes while images are kept: they may have changed a part.
#pragma once

#include "block/device.h"
#include "trace/trace.h"

#include <memory>
#include <mutex>

namespace glassfs::block {

class TracedDevice final : public Device {
  public:
    // `id`: the device's number in events.
    TracedDevice(std::shared_ptr<Device> base, u64 id, trace::Tracer tracer)
        : base_(std::move(base)), id_(id), trace_(tracer) {}

    u64 size() const override { return base_->size(); }
    std::string name() const override { return base_->name(); }
    bool read_only() const override { return base_->read_only(); }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override;
    Result<void> discard(u64 at, u64 length) override;

  private:
    // Changes a range through `change` and reports `event` with the bytes from before.
    template <class E, class F>
    Result<void> changed(const E& event, F&& change);

    std::shared_ptr<Device> base_;
    u64 id_;
    trace::Tracer trace_;
    std::mutex change_mutex_;  // an image and its write are one step, also for writers that overlap
};

}  // namespace glassfs::block
