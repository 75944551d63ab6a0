// SPDX-License-Identifier: MIT
// The commands themselves, a few in each source file. They are reached through the table (command_table.h).
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

ExitCode run_mkfs(Invocation&);
ExitCode run_lab(Invocation&);
ExitCode run_import(Context&);
ExitCode run_mount(Context&);
ExitCode run_shell(Context&);

ExitCode run_create(Context&);
ExitCode run_touch(Context&);
ExitCode run_mkdir(Context&);
ExitCode run_mknod(Context&);
ExitCode run_ln(Context&);
ExitCode run_rm(Context&);
ExitCode run_rmdir(Context&);
ExitCode run_mv(Context&);
ExitCode run_cp(Context&);
ExitCode run_clone(Context&);
ExitCode run_write(Context&);
ExitCode run_append(Context&);
ExitCode run_truncate(Context&);
ExitCode run_fallocate(Context&);
ExitCode run_chmod(Context&);
ExitCode run_chown(Context&);
ExitCode run_utimens(Context&);
ExitCode run_chattr(Context&);
ExitCode run_setfattr(Context&);
ExitCode run_rmfattr(Context&);
ExitCode run_subvolume(Context&);
ExitCode run_fsync(Context&);
ExitCode run_sync(Context&);
ExitCode run_experiment(Context&);

ExitCode run_cd(Context&);
ExitCode run_pwd(Context&);
ExitCode run_echo(Context&);
ExitCode run_set(Context&);
ExitCode run_repeat(Context&);
ExitCode run_help(Context&);

}  // namespace glassfs::commands
