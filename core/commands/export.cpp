// SPDX-License-Identifier: MIT
// export: copy files out of the volume, into a directory or a tar archive.
#include "base/text.h"
#include "commands/export_dir.h"
#include "commands/paths.h"
#include "commands/run.h"
#include "commands/tar.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace glassfs::commands {

std::string totals_text(const ExportTotals& totals, bool json) {
    if (json) {
        return JsonObject()
            .add("files", totals.files)
            .add("directories", totals.directories)
            .add("links", totals.links)
            .add("others", totals.others)
            .add("data_bytes", totals.data_bytes)
            .add("errors", totals.errors)
            .line();
    }
    return grouped(totals.files) + " files, " + grouped(totals.directories) + " directories, " +
           grouped(totals.links + totals.others) + " links and others, " + size_text(totals.data_bytes) +
           (totals.errors > 0 ? ", " + grouped(totals.errors) + " could not be copied\n" : "\n");
}

namespace {

Result<ExportTotals> export_tar(Context& context, vfs::NodeId top, const std::string& path) {
    TarOptions options;
    options.failed = [&](const std::string& where, const Error& error) { context.complain(where, error); };
    options.progress = context.progress;
    std::string target = context.arguments.value("tar");
    auto write = [&](const Sink& out) -> Result<ExportTotals> {
        TarTotals totals = TRY(write_tar(context.volume.files(), top, path, out, options));
        return ExportTotals{totals.files,  totals.directories, totals.links,
                            totals.others, totals.data_bytes,  totals.errors};
    };
    if (target == "-") return write(context.out);
    HostFile file(::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) return host_failure("create");
    Result<void> written;
    u64 at = 0;
    Result<ExportTotals> totals = write([&](std::string_view bytes) {
        if (written) written = write_at(file, at, as_bytes(bytes));
        at += bytes.size();
    });
    if (!written) return fail(written.error());
    return totals;
}

Result<ExportTotals> export_dir(Context& context, vfs::NodeId top, const std::string& path) {
    ExportOptions options;
    options.existing = context.arguments.has("force") ? Existing::Replace : Existing::Fail;
    options.jobs = context.jobs;
    options.failed = [&](const std::string& where, const Error& error) { context.complain(where, error); };
    options.progress = context.progress;
    return export_directory(context.volume.files(), top, path, context.arguments.value("output"), options);
}

}  // namespace

ExitCode run_export(Context& context) {
    bool to_tar = context.arguments.has("tar");
    if (to_tar == context.arguments.has("output")) {
        context.complain("export: where to? Give -o DIR or --tar FILE");
        return ExitCode::NotRun;
    }
    std::string operand = context.arguments.operands.empty() ? "" : context.arguments.operands[0];
    std::string path = tidy_path(join_path(context.cwd, operand));
    auto top = resolve_operand(context, operand, Follow::Yes);
    if (!top) {
        context.complain(path, top.error());
        return ExitCode::Problems;
    }
    auto totals = to_tar ? export_tar(context, *top, path) : export_dir(context, *top, path);
    if (!totals) {
        context.complain(context.arguments.value(to_tar ? "tar" : "output"), totals.error());
        return ExitCode::NotRun;
    }
    bool own_output = to_tar && context.arguments.value("tar") == "-";
    if (!own_output) context.out(totals_text(*totals, context.json()));
    return totals->errors > 0 ? ExitCode::Problems : ExitCode::Done;
}

}  // namespace glassfs::commands
