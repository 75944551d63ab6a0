// SPDX-License-Identifier: MIT
// Copies a directory of the host into a directory of a volume.
#pragma once

#include "commands/export_dir.h"

namespace glassfs::commands {

enum class MountPoints : u8 { Enter, Skip };

struct ImportOptions {
    Existing existing = Existing::Fail;
    MountPoints mount_points = MountPoints::Enter;
    u32 jobs = 1;
    std::function<void(const std::string& path, const Error& error)> failed =
        {};  // from one thread at a time
    Progress progress = {};
};

// The entries of `source` go into `target`, which gets its attributes too. Directories that are there already
// are filled; other names that are there fail, or are replaced. What fails is reported and left out, and the
// rest goes on. Cause::Cancelled. Not durable before sync().
Result<ExportTotals> import_directory(vfs::FileSystem& files, HostFile source, const std::string& source_path,
                                      vfs::NodeId target, const ImportOptions& options);

}  // namespace glassfs::commands
