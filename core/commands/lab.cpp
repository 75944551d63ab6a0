// SPDX-License-Identifier: MIT
// lab: runs an experiment's workload in memory, in its modes, and compares them.
#include "base/text.h"
#include "commands/json.h"
#include "commands/parse.h"
#include "commands/run.h"
#include "lab/chunkalloc.h"

namespace glassfs::commands {

namespace {

using lab::ChunkallocRun;

std::string seconds(u64 ns) {
    return text("%.3f s", static_cast<double>(ns) / 1e9);
}
std::string micros(u64 ns) {
    return text("%.2f us", static_cast<double>(ns) / 1e3);
}
double ratio(u64 a, u64 b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string histogram_text(const Histogram& times) {
    std::string out;
    u64 most = 1;
    for (u64 count : times.buckets()) most = std::max(most, count);
    for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
        u64 count = times.buckets()[i];
        if (count == 0) continue;
        std::string bar(static_cast<std::size_t>(count * 40 / most), '#');
        out +=
            text("    < %10s %12llu  ", micros(u64{1} << i).c_str(), static_cast<unsigned long long>(count)) +
            bar + "\n";
    }
    return out;
}

std::string run_text(const ChunkallocRun& run) {
    std::string out = run.mode + "\n    allocated         time  searches  dev extents visited  leaves read\n";
    for (const lab::ChunkallocStep& step : run.steps) {
        out += text("  %11s %12s %9llu %20llu %12llu\n", size_text(step.bytes_end).c_str(),
                    seconds(step.ns).c_str(), static_cast<unsigned long long>(step.searches),
                    static_cast<unsigned long long>(step.dev_extents_visited),
                    static_cast<unsigned long long>(step.leaves_read));
    }
    const Histogram& times = run.search_times;
    out += "  total " + seconds(run.ns) + ", " + std::to_string(run.chunks) + " chunks; a search: mean " +
           micros(times.mean_ns()) + ", 50 % below " + micros(times.percentile_ns(50)) + ", 99 % below " +
           micros(times.percentile_ns(99)) + "\n";
    return out + histogram_text(times);
}

JsonObject run_json(const ChunkallocRun& run) {
    JsonArray steps, buckets;
    for (const lab::ChunkallocStep& step : run.steps) {
        steps.raw(JsonObject()
                      .add("bytes", step.bytes_end)
                      .add("ns", step.ns)
                      .add("searches", step.searches)
                      .add("dev_extents_visited", step.dev_extents_visited)
                      .add("leaves_read", step.leaves_read)
                      .str());
    }
    for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
        u64 count = run.search_times.buckets()[i];
        if (count != 0) buckets.raw(JsonObject().add("below_ns", u64{1} << i).add("count", count).str());
    }
    JsonObject counters;
    for (const mount::Counter& counter : run.counters) counters.add(counter.name, counter.value);
    JsonObject search;
    search.add("count", run.search_times.count())
        .add("mean_ns", run.search_times.mean_ns())
        .add("p50_below_ns", run.search_times.percentile_ns(50))
        .add("p90_below_ns", run.search_times.percentile_ns(90))
        .add("p99_below_ns", run.search_times.percentile_ns(99))
        .raw("histogram", buckets.str());
    JsonObject out;
    out.add("mode", run.mode)
        .add("bytes", run.bytes)
        .add("chunks", run.chunks)
        .add("ns", run.ns)
        .raw("steps", steps.str())
        .raw("search", search.str())
        .raw("counters", counters.str());
    return out;
}

void print(const Invocation& invocation, const lab::ChunkallocOptions& options,
           const std::vector<ChunkallocRun>& runs) {
    bool both = runs.size() == 2;
    const ChunkallocRun& baseline = runs.front();
    const ChunkallocRun& improved = runs.back();
    if (invocation.json()) {
        JsonArray list;
        for (const ChunkallocRun& run : runs) list.raw(run_json(run).str());
        JsonObject out;
        out.add("experiment", "chunkalloc")
            .add("device_bytes", options.device_bytes)
            .add("step_bytes", options.step_bytes);
        out.raw("runs", list.str());
        if (both) {
            u64 scan = baseline.search_times.mean_ns(), hint = improved.search_times.mean_ns();
            out.raw("time_ratio", text("%.3f", ratio(baseline.ns, improved.ns)));
            out.raw("search_ratio", text("%.3f", ratio(scan, hint)));
        }
        invocation.out(out.line());
        return;
    }
    for (const ChunkallocRun& run : runs) invocation.out(run_text(run));
    if (!both) return;
    u64 scan = baseline.search_times.mean_ns(), hint = improved.search_times.mean_ns();
    invocation.out(text("%s / %s: %.1f x the time, %.1f x a search\n", baseline.mode.c_str(),
                        improved.mode.c_str(), ratio(baseline.ns, improved.ns), ratio(scan, hint)));
}

}  // namespace

ExitCode run_lab(Invocation& invocation) {
    const Arguments& given = invocation.arguments;
    if (given.operands[0] != "chunkalloc") {
        return invocation.refuse("lab: which experiment? chunkalloc, not " + escaped(given.operands[0]));
    }
    std::string mode = given.value("mode", "both");
    if (mode != "both" && mode != "scan" && mode != "hint") {
        return invocation.refuse("lab: --mode: one of scan, hint, both, not " + escaped(mode));
    }
    lab::ChunkallocOptions options;
    auto size = given.number("size", options.device_bytes), step = given.number("step", options.step_bytes);
    if (!size || !step) return invocation.refuse("lab: " + (size ? step : size).error().detail);
    options.device_bytes = *size;
    options.step_bytes = *step;
    std::vector<ChunkallocRun> runs;
    for (const char* one : {"scan", "hint"}) {
        if (mode != "both" && mode != one) continue;
        auto run = lab::run_chunkalloc(options, one,
                                       [&](double done) { return invocation.report_progress(done, one); });
        if (!run) {
            invocation.complain("chunkalloc", run.error());
            return ExitCode::NotRun;
        }
        runs.push_back(std::move(*run));
    }
    print(invocation, options, runs);
    return ExitCode::Done;
}

}  // namespace glassfs::commands
