// SPDX-License-Identifier: MIT
// The commands themselves, one source file each. They are reached through the table (command_table.h).
#pragma once

#include "commands/context.h"

namespace glassfs::commands {

ExitCode run_info(Context&);
ExitCode run_ls(Context&);
ExitCode run_stat(Context&);
ExitCode run_cat(Context&);
ExitCode run_tree(Context&);
ExitCode run_find(Context&);
ExitCode run_manifest(Context&);
ExitCode run_export(Context&);
ExitCode run_dump(Context&);
ExitCode run_check(Context&);

}  // namespace glassfs::commands
