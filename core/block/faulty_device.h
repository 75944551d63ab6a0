// SPDX-License-Identifier: MIT
// A device that fails where a test says so: the n-th call of a kind, or every call that touches a bad range.
// Between faults it behaves as its base.
#pragma once

#include "block/device.h"

#include <array>
#include <memory>
#include <mutex>
#include <vector>

namespace glassfs::block {

enum class Access : u8 { Read, Write, Flush, Discard };

struct Fault {
    enum class Kind : u8 {
        Fail,  // nothing happens, Cause::InjectedFault
        Tear,  // the first `bytes` of a read or write happen, then Cause::InjectedFault; a flush or discard
               // fails
        Flip,  // succeeds, but the lowest bit of byte `bytes` of what was read or written is inverted, if
               // there is one
    };
    Access access = Access::Read;
    Kind kind = Kind::Fail;
    u64 skip = 0;   // calls that match and pass before the first one that is hit
    u64 count = 1;  // calls that are hit; forever for all further ones
    u64 bytes = 0;
    // Only calls that touch [begin, begin + length) match; length 0: all calls. Flushes have no range.
    u64 begin = 0;
    u64 length = 0;

    static constexpr u64 forever = ~u64{0};
};

class FaultyDevice final : public Device {
  public:
    explicit FaultyDevice(std::shared_ptr<Device> base) : base_(std::move(base)) {}

    // Faults are looked at in the order added, and the first that hits a call decides; each counts for
    // itself.
    void add(const Fault& fault);
    void clear();
    u64 calls(Access access) const;  // since the beginning, failed ones included
    u64 faults_hit() const;

    u64 size() const override { return base_->size(); }
    std::string name() const override { return base_->name(); }
    bool read_only() const override { return base_->read_only(); }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override;
    Result<void> discard(u64 at, u64 length) override;

  private:
    std::optional<Fault> next(Access access, u64 at, u64 length);  // the fault that hits this call

    std::shared_ptr<Device> base_;
    mutable std::mutex mutex_;
    std::vector<Fault> faults_;  // skip and count are used up
    std::array<u64, 4> calls_{};
    u64 hit_ = 0;
};

}  // namespace glassfs::block
