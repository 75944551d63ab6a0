// SPDX-License-Identifier: MIT
// Probe and open: the only place that names the file systems. Everything above works on the interfaces.
#pragma once

#include "block/device.h"
#include "check/issue.h"
#include "inspect/inspector.h"
#include "trace/trace.h"
#include "vfs/file_system.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace glassfs::mount {

struct Options {
    // Subvolume to show as the root: empty for the default one, a decimal tree id, or a path from the top
    // level.
    std::string subvolume;
    u64 cache_bytes = 128ULL << 20;
    trace::Tracer tracer = {};
};

class Volume {
  public:
    virtual ~Volume() = default;
    virtual vfs::FileSystem& files() = 0;
    virtual inspect::Inspector& inspector() = 0;
    // Reads everything; typed issues in the order found. `progress` (0..1) returns false to cancel.
    virtual Result<check::Report> check(const check::Options&,
                                        const std::function<bool(double)>& progress) = 0;
};

// Opens one file system from the devices given (in any order; a metadump is recognised). Missing devices are
// accepted where the profiles allow it. Cause::UnknownFileSystem, or what the format says.
Result<std::unique_ptr<Volume>> open(std::vector<std::shared_ptr<block::Device>> devices,
                                     const Options& = {});

}  // namespace glassfs::mount
