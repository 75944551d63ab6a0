// SPDX-License-Identifier: MIT
// import: a directory of the host into the volume.
#include "commands/change.h"
#include "commands/import_dir.h"
#include "commands/run.h"

namespace glassfs::commands {

ExitCode run_import(Context& context) {
    const Arguments& given = context.arguments;
    const std::string& source = given.operands[0];
    std::string path = join_path("/", given.operands.size() > 1 ? given.operands[1] : "");
    ImportOptions options;
    options.existing = given.has("force") ? Existing::Replace : Existing::Fail;
    options.mount_points = given.has("one-file-system") ? MountPoints::Skip : MountPoints::Enter;
    options.jobs = context.jobs;
    options.failed = [&](const std::string& where, const Error& error) { context.complain(where, error); };
    options.progress = context.progress;
    // Before a directory is made for it.
    auto names = open_host_directory(source);
    if (!names) {
        context.complain(source, names.error());
        return ExitCode::NotRun;
    }
    auto target = make_directories(context, path, 0755);
    if (!target) {
        context.complain(path, target.error());
        return ExitCode::Problems;
    }
    auto totals = import_directory(context.volume.files(), std::move(*names), source, *target, options);
    if (!totals) {
        context.complain(source, totals.error());
        return ExitCode::Problems;
    }
    context.out(totals_text(*totals, context.json()));
    return totals->errors > 0 ? ExitCode::Problems : ExitCode::Done;
}

}  // namespace glassfs::commands
