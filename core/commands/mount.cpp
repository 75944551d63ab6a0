// SPDX-License-Identifier: MIT
// mount: the volume as a directory of this machine.
#include "commands/run.h"
#include "fuse/session.h"

#include <mutex>

namespace glassfs::commands {

ExitCode run_mount(Context& context) {
    const Arguments& given = context.arguments;
    const std::string& directory = given.operands[0];
    fuse::SessionOptions options;
    options.source = given.image;
    options.directory = directory;
    options.further = given.value("options");
    options.access = given.has("read-only") ? fuse::Access::ReadOnly : fuse::Access::ReadWrite;
    std::mutex telling;
    options.log = [&](const std::string& line) {
        std::lock_guard lock(telling);
        context.complain(line);
    };
    auto session = fuse::Session::mount(context.volume.files(), std::move(options));
    if (!session) {
        context.complain(directory, session.error());
        return ExitCode::NotRun;
    }
    Result<void> done;
    if (!given.has("foreground")) done = (*session)->to_background();
    if (done) done = (*session)->serve();
    if (done) return ExitCode::Done;
    context.complain(directory, done.error());
    return ExitCode::Problems;
}

}  // namespace glassfs::commands
