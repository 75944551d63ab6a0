// SPDX-License-Identifier: MIT
// A device that can say what would be on it had the power failed at any moment. The base is never changed:
// writes go to an overlay and into a log, from which the state after a cut is built.
//
//     log:   w0 w1 F w2 w3 | w4 F        a cut behind entry 5 (|): w0 and w1 were flushed and are there;
//                                        of w2 and w3 any part may be, as Unflushed says
//
#pragma once

#include "block/device.h"
#include "block/overlay_device.h"

#include <memory>
#include <mutex>
#include <vector>

namespace glassfs::block {

// What a power failure leaves of writes that no flush covered.
enum class Unflushed : u8 {
    Kept,
    Lost,
    Scattered,  // each piece of each write is there or isn't, independently, as a seed says
};

class RecordingDevice final : public Device {
  public:
    struct Entry {
        enum class Kind : u8 { Write, Flush, Discard };
        Kind kind = Kind::Write;
        u64 at = 0;      // bytes
        u64 length = 0;  // bytes
        Buffer data;     // of a write
    };

    // Nothing else may write to the base as long as this device or a state made from it lives. `piece_bytes`:
    // what the disk writes whole or not at all; 512 for the oldest ones, 4096 for what Linux's superblocks
    // rely on.
    explicit RecordingDevice(std::shared_ptr<Device> base, std::size_t piece_bytes = 512);

    u64 size() const override { return base_->size(); }
    std::string name() const override { return base_->name(); }
    bool read_only() const override { return false; }
    Result<void> read(u64 at, MutBytes out) override { return now_.read(at, out); }
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override;
    Result<void> discard(u64 at, u64 length) override;

    std::size_t entry_count() const;
    std::vector<Entry> entries() const;

    // The device after the first `cut` entries and a power failure; the same seed gives the same bytes.
    // Writes that overlap land in their order. An unflushed discard happens under Kept only. cut <=
    // entry_count().
    Result<std::shared_ptr<Device>> state_at(std::size_t cut, Unflushed unflushed, u64 seed = 0) const;

  private:
    std::shared_ptr<Device> base_;
    std::size_t piece_bytes_;
    mutable std::mutex mutex_;  // the log's order is the order in which writes took effect
    OverlayDevice now_;
    std::vector<Entry> log_;
};

}  // namespace glassfs::block
