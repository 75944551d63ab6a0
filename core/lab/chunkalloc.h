// SPDX-License-Identifier: MIT
// The experiment "chunkalloc": how the cost of finding room for a chunk grows with the chunks that there are.
// An empty volume on a sparse device in memory is filled by fallocate, step by step, to its end; every
// gigabyte is a chunk, and each chunk a search for a free dev extent: from the device's begin (scan) or from
// a hint (hint).
#pragma once

#include "mount/mount.h"

namespace glassfs::lab {

struct ChunkallocOptions {
    u64 device_bytes = 4ULL << 40;
    u64 step_bytes = 1ULL << 40;
};

struct ChunkallocStep {
    u64 bytes_end = 0;  // allocated when the step was done
    u64 ns = 0;         // wall time, its commit included
    u64 searches = 0;
    u64 dev_extents_visited = 0;
    u64 leaves_read = 0;
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

// `progress` (0..1) returns false to cancel: Cause::Cancelled.
Result<ChunkallocRun> run_chunkalloc(const ChunkallocOptions&, std::string_view mode,
                                     const std::function<bool(double)>& progress);

}  // namespace glassfs::lab
