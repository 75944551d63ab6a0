// SPDX-License-Identifier: MIT
// check: everything is read and compared; issues are listed, nothing is changed.
#include "base/text.h"
#include "commands/json.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

std::string report_json(const check::Report& report) {
    JsonArray issues;
    for (const check::Issue& issue : report.issues) {
        JsonObject one;
        one.add("severity", issue.severity == check::Severity::Problem ? "problem" : "warning");
        std::string rest = error_json(issue.error).str();
        issues.raw(one.str().substr(0, one.str().size() - 1) + ", " + rest.substr(1));
    }
    JsonObject out;
    out.add("clean", report.clean()).add("issues_total", report.issues_total);
    out.add("blocks_read", report.blocks_read).add("data_bytes_read", report.data_bytes_read);
    return out.raw("issues", issues.str()).line();
}

}  // namespace

ExitCode run_check(Context& context) {
    auto shown_max = context.arguments.number("max-issues", 1000);
    if (!shown_max) {
        context.complain(shown_max.error().detail);
        return ExitCode::NotRun;
    }
    check::Options options;
    options.data_checksums = !context.arguments.has("no-data");
    options.issues_max = static_cast<std::size_t>(*shown_max);
    auto report =
        context.volume.check(options, [&](double done) { return context.report_progress(done, "checking"); });
    if (!report) {
        context.complain("check", report.error());
        return ExitCode::NotRun;
    }
    if (context.json()) {
        context.out(report_json(*report));
        return report->clean() ? ExitCode::Done : ExitCode::Problems;
    }
    for (const check::Issue& issue : report->issues) {
        bool problem = issue.severity == check::Severity::Problem;
        context.out(
            coloured(problem ? "problem" : "warning", problem ? Colour::Red : Colour::Yellow, context.style) +
            ": " + issue.error.message() + "\n");
    }
    u64 more = report->issues_total - std::min<u64>(report->issues_total, report->issues.size());
    if (more > 0) context.out("... and " + grouped(more) + " more\n");
    std::string verdict = report->clean() ? coloured("clean", Colour::Green, context.style)
                                          : coloured("problems found", Colour::Red, context.style);
    context.out(verdict + ": " + grouped(report->issues_total) +
                (report->issues_total == 1 ? " issue, " : " issues, ") + grouped(report->blocks_read) +
                " blocks and " + size_text(report->data_bytes_read) + " of data read\n");
    return report->clean() ? ExitCode::Done : ExitCode::Problems;
}

}  // namespace glassfs::commands
