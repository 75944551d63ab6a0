// SPDX-License-Identifier: MIT
// A directory of a volume as a tar archive (POSIX.1-2001 "pax"), written as a stream: times with nanoseconds,
// any name, any size, xattrs (SCHILY.xattr records), hard links as links, devices; files with holes in GNU's
// sparse format 1.0, which GNU tar and bsdtar read.
#pragma once

#include "commands/context.h"

#include <functional>
#include <string>

namespace glassfs::commands {

struct TarOptions {
    std::string prefix;  // put before every path in the archive: "home"; empty for none
    bool sparse = true;
    std::function<void(const std::string& path, const Error& error)> failed =
        {};  // what could not be archived
    Progress progress = {};
};

struct TarTotals {
    u64 files = 0;
    u64 directories = 0;
    u64 links = 0;  // further names of files
    u64 others = 0;
    u64 data_bytes = 0;
    u64 errors = 0;
};

// Writes `top` (a directory with everything below it, or one file) to `out`. What can't be read is reported
// through `failed` and left out; a file whose reading fails midway is filled up with zeros. Cause::Cancelled.
Result<TarTotals> write_tar(vfs::FileSystem& files, vfs::NodeId top, const std::string& top_path,
                            const Sink& out, const TarOptions& options);

}  // namespace glassfs::commands
