// SPDX-License-Identifier: MIT
// Devices as they were at a step. Going back puts before-images in place, newest first; each one's place
// takes the bytes that it replaced, so that going forward needs no further recording:
//
//     device now --undo n, n-1, .. k--> state before step k --redo k, .. n--> device now
#pragma once

#include "trace/recording.h"

namespace glassfs::trace {

// The devices' bytes, by the numbers that the traced devices had. Best an overlay (block/device_store.h):
// playback writes to it.
class ByteStore {
  public:
    virtual ~ByteStore() = default;
    virtual Result<void> read(u64 device, PhysicalAddr at, MutBytes out) = 0;
    virtual Result<void> write(u64 device, PhysicalAddr at, Bytes data) = 0;
};

class Playback {
  public:
    // `store` holds the state after the recording's last step, and lives longer than the playback.
    Playback(const Recording& recording, ByteStore& store);

    // The store shows the state before this step; before steps_total: after all of them.
    u64 position() const { return position_; }
    u64 first() const { return rebuildable_from_; }  // the earliest position
    u64 last() const { return steps_total_; }

    // Cause::InvalidArgument outside of [first(), last()]. When the store fails, the position is where it got
    // to.
    Result<void> go_to(u64 position);

  private:
    struct Applied {
        u64 number;
        std::shared_ptr<const Change> change;
        Buffer after;  // known while undone
    };

    ByteStore& store_;
    std::vector<Applied> changes_;  // by number
    std::size_t applied_;           // the first so many are in place
    u64 rebuildable_from_;
    u64 steps_total_;
    u64 position_;
};

}  // namespace glassfs::trace
