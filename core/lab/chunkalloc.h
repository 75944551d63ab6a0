// SPDX-License-Identifier: MIT
// The experiment "chunkalloc": how the cost of finding room for a chunk grows with the chunks that there are.
// An empty volume on a sparse device in memory is filled by fallocate, step by step, to its end; every
// gigabyte is a chunk, and each chunk a search for a free dev extent: from the device's begin (scan) or from
// a hint (hint).
#pragma once

#include "block/ram_device.h"
#include "mount/mount.h"

#include <memory>

namespace glassfs::lab {

struct ChunkallocStep {
    u64 bytes_end = 0;  // allocated when the step was done
    u64 ns = 0;         // wall time, its commit included
    u64 searches = 0;
    u64 dev_extents_visited = 0;
    u64 leaves_read = 0;  // of the device tree
};

// The device as the events of its volume tell of it.
struct DevicePicture {
    u64 cell_bytes = 0;
    std::vector<u64> allocated;  // bytes in dev extents, by cell
    u64 dev_extents = 0;
    u64 hint = 0;  // position on the device, wherever searches begin
    trace::DevExtentSearch search;
    u64 placements = 0;  // digest of all dev extents' positions in the order in which they were made
};

// One side of a comparison: a volume on a sparse device in memory, filled by fallocate of one file. Belongs
// to one thread.
class ChunkallocSide {
  public:
    // (0..1); false cancels: Cause::Cancelled, and what was allocated so far stays.
    using Progress = std::function<bool(double)>;

    // `cells`: of the picture; 0: none is kept, and nothing listens to the volume.
    static Result<std::unique_ptr<ChunkallocSide>> make(u64 device_bytes, std::string_view mode,
                                                        u32 cells = 0);
    ~ChunkallocSide();

    Result<void> set_mode(std::string_view mode);
    // The file grows by so much, or until the volume is full().
    Result<ChunkallocStep> grow(u64 bytes, const Progress& progress = {});
    // Frees a range of the file, and the chunks that become empty.
    Result<ChunkallocStep> punch(u64 at, u64 length);

    bool full() const { return full_; }
    u64 bytes() const { return bytes_; }  // of the file
    u64 device_bytes() const { return device_bytes_; }
    const Histogram& search_times() const { return *search_times_; }
    std::vector<mount::Counter> counters() { return volume_->counters(); }
    const DevicePicture& picture() const;
    u64 memory_bytes() const;  // that the device takes

  private:
    class Listener;
    ChunkallocSide() = default;
    ChunkallocStep now();
    ChunkallocStep since(const ChunkallocStep& before);
    Result<u64> allocate(u64 end, const Progress& progress);

    u64 device_bytes_ = 0;
    u64 bytes_ = 0;
    bool full_ = false;
    std::unique_ptr<Listener> listener_;  // outlives the volume, which reports to it
    std::shared_ptr<block::RamDevice> device_;
    std::unique_ptr<mount::Volume> volume_;
    const Histogram* search_times_ = nullptr;
    vfs::NodeId file_;
};

struct ChunkallocOptions {
    u64 device_bytes = 4ULL << 40;
    u64 step_bytes = 1ULL << 40;
};

struct ChunkallocRun {
    std::string mode;
    std::vector<ChunkallocStep> steps;  // the last one ends with ENOSPC and may be shorter
    u64 bytes = 0;
    u64 chunks = 0;
    u64 ns = 0;
    Histogram search_times;
    std::vector<mount::Counter> counters;
};

// To the device's end, step by step. `progress` as ChunkallocSide's.
Result<ChunkallocRun> run_chunkalloc(const ChunkallocOptions&, std::string_view mode,
                                     const ChunkallocSide::Progress& progress);

}  // namespace glassfs::lab
