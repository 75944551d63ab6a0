// SPDX-License-Identifier: MIT
// Copies a directory of a volume into a directory of the host.
#pragma once

#include "commands/context.h"
#include "commands/host_files.h"

#include <functional>
#include <string>

namespace glassfs::commands {

struct ExportOptions {
    Existing existing = Existing::Fail;
    u32 jobs = 1;
    std::function<void(const std::string& path, const Error& error)> failed =
        {};  // from one thread at a time
    Progress progress = {};
};

struct ExportTotals {
    u64 files = 0;
    u64 directories = 0;
    u64 links = 0;
    u64 others = 0;
    u64 data_bytes = 0;
    u64 errors = 0;
};

// The totals as export and import print them.
std::string totals_text(const ExportTotals& totals, bool json);

// `top` is a directory, whose entries go into `target`, or one file. `target` is made when it does not exist;
// it must be empty unless existing files may be replaced. What fails is reported and left out, and the rest
// goes on.
Result<ExportTotals> export_directory(vfs::FileSystem& files, vfs::NodeId top, const std::string& top_path,
                                      const std::string& target, const ExportOptions& options);

}  // namespace glassfs::commands
