// SPDX-License-Identifier: MIT
// What takes its time: extracting files and folders, and commands of the console. One after the other, in
// order.
#include "commands/console.h"
#include "commands/tar.h"
#include "ui/model/session_impl.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr std::size_t copy_bytes = 1 << 20;
constexpr std::size_t output_bytes_max = 256 << 10;  // kept of one command
constexpr std::size_t entries_max = 100;
constexpr std::size_t jobs_kept = 8;

Result<void> copy_file(vfs::FileSystem& files, vfs::NodeId node, Job& job, ByteSink& sink) {
    job.bytes_total = TRY(files.getattr(node)).size;
    Buffer buffer(copy_bytes);
    for (u64 at = 0;;) {
        if (job.cancel) return fail(Cause::Cancelled);
        std::size_t count = TRY(files.read(node, at, buffer));
        if (count == 0) break;
        TRY(sink.write(Bytes(buffer).first(count)));
        at += count;
        job.bytes_done = at;
    }
    job.files_done = 1;
    return sink.finish();
}

Result<void> copy_folder(vfs::FileSystem& files, vfs::NodeId node, const std::string& prefix, Job& job,
                         ByteSink& sink) {
    std::optional<Error> sink_error;
    std::optional<Error> first_error;
    commands::TarOptions options;
    options.prefix = prefix;
    options.failed = [&](const std::string& path, const Error& error) {
        job.files_failed += 1;
        if (!first_error) first_error = Error{error.cause, error.where, path + ": " + error.detail};
    };
    options.progress = [&](double, std::string_view) { return !job.cancel && !sink_error; };
    auto out = [&](std::string_view piece) {
        if (sink_error) return;
        auto written = sink.write(as_bytes(piece));
        if (!written) sink_error = std::move(written).error();
        job.bytes_done += piece.size();
    };
    auto totals = commands::write_tar(files, node, "/", out, options);
    if (sink_error) return fail(std::move(*sink_error));
    if (!totals) return fail(std::move(totals).error());
    job.files_done = totals->files;
    TRY(sink.finish());
    job.error = std::move(first_error);  // the archive stands; this is what it lacks
    return {};
}

Result<void> copy_out(vfs::FileSystem& files, vfs::NodeId node, const std::string& title, Job& job,
                      ByteSink& sink) {
    if (TRY(files.getattr(node)).type != vfs::FileType::Directory) return copy_file(files, node, job, sink);
    std::string prefix = title.ends_with(".tar") ? title.substr(0, title.size() - 4) : title;
    return copy_folder(files, node, prefix, job, sink);
}

}  // namespace

std::shared_ptr<Job> Session::Impl::start_job(
    std::string title, std::function<Result<void>(mount::Volume&, u64 epoch, Job&)> work) {
    auto job = std::make_shared<Job>();
    job->title = std::move(title);
    std::lock_guard lock(mutex);
    if (!live_locked()) {
        job->error = Error{Cause::InvalidArgument, {}, "no volume is open"};
        job->done = true;
        return job;
    }
    auto run = [this, job, keep = live_locked(), asked = epoch, work = std::move(work)]() mutable {
        auto outcome = job->cancel ? Result<void>(fail(Cause::Cancelled)) : work(*keep, asked, *job);
        if (!outcome) job->error = std::move(outcome).error();
        work = nullptr;  // what it holds, an unfinished file, goes away before anybody is told
        job->done = true;
        changed();
    };
    jobs.push_back(job);
    while (jobs.size() > jobs_kept && jobs.front()->done) jobs.pop_front();
    jobber.push({std::move(run), {}});
    changed();
    return job;
}

std::shared_ptr<Job> Session::save_recording(std::string title, std::unique_ptr<ByteSink> sink) {
    Impl& s = *impl_;
    auto work = [&s, to = std::shared_ptr<ByteSink>(std::move(sink))](mount::Volume&, u64 asked,
                                                                      Job& job) -> Result<void> {
        trace::Recorder::Muted quiet;
        std::shared_ptr<mount::RecordedVolume> from;
        {
            std::lock_guard lock(s.mutex);
            if (asked == s.epoch) from = s.recorded;
        }
        if (!from) return fail(Cause::InvalidArgument, "nothing is recorded");
        // Commands run on this thread: nothing is written meanwhile.
        const Buffer bytes = TRY(mount::save_glass(from->file()));
        job.bytes_total = bytes.size();
        if (job.cancel) return fail(Cause::Cancelled);
        TRY(to->write(bytes));
        job.bytes_done = bytes.size();
        return to->finish();
    };
    return s.start_job(std::move(title), std::move(work));
}

std::shared_ptr<Job> Session::extract(vfs::NodeId node, std::string title, std::unique_ptr<ByteSink> sink) {
    auto work = [node, title, to = std::shared_ptr<ByteSink>(std::move(sink))](mount::Volume& volume, u64,
                                                                               Job& job) {
        trace::Recorder::Muted quiet;
        return copy_out(volume.files(), node, title, job, *to);
    };
    return impl_->start_job(std::move(title), std::move(work));
}

std::vector<std::shared_ptr<Job>> Session::jobs() {
    std::lock_guard lock(impl_->mutex);
    return {impl_->jobs.begin(), impl_->jobs.end()};
}

void Session::Impl::as_operation(const std::string& what, const std::function<void()>& change, Origin kept) {
    std::lock_guard alone(command_mutex);
    trace::Tracer tracer;
    {
        std::lock_guard lock(mutex);
        if (recorded) tracer = recorded->tracer();
        if (kept == Origin::Ends) origin.reset();
    }
    auto operation = tracer.span("command", [&] { return what; });
    change();
}

void Session::Impl::run_command(const VolumePtr& keep, u64 asked, std::size_t serial,
                                const std::string& line) {
    auto cancel = std::make_shared<std::atomic<bool>>(false);
    commands::ConsoleState shell;
    {
        std::lock_guard lock(mutex);
        if (asked != epoch) return;
        command_cancel = cancel;
        shell.cwd = cwd;
    }
    shell.progress = [cancel](double, std::string_view) { return !cancel->load(); };
    auto last_shown = std::chrono::steady_clock::now();
    auto append = [&](std::string ConsoleEntry::*where, std::string_view piece) {
        std::lock_guard lock(mutex);
        if (asked != epoch || serial < console_first) return;
        ConsoleEntry& entry = console[serial - console_first];
        std::string& to = entry.*where;
        std::size_t room = output_bytes_max - std::min(output_bytes_max, to.size());
        entry.truncated |= piece.size() > room;
        to += piece.substr(0, room);
        auto now = std::chrono::steady_clock::now();
        if (now - last_shown < std::chrono::milliseconds(50)) return;
        last_shown = now;
        changed();
    };
    auto out = [&](std::string_view piece) { append(&ConsoleEntry::output, piece); };
    auto err = [&](std::string_view piece) { append(&ConsoleEntry::errors, piece); };
    int status = 0;
    as_operation(
        line, [&] { status = commands::run_line(*keep, line, shell, out, err); }, Origin::Stays);
    show_present(asked);
    std::lock_guard lock(mutex);
    if (asked != epoch) return;
    if (cancel->load()) origin.reset();  // how far it came, no link can say
    cwd = shell.cwd;
    command_cancel.reset();
    if (serial >= console_first) {
        console[serial - console_first].running = false;
        console[serial - console_first].status = status;
    }
    changed();
}

u64 Session::run_command(std::string line) {
    Impl& s = *impl_;
    std::string at = prompt();
    std::lock_guard lock(s.mutex);
    ConsoleEntry entry;
    entry.prompt = std::move(at);
    entry.line = line;
    entry.running = s.live_locked() != nullptr;
    if (!entry.running) {
        entry.errors = "No volume is open.\n";
        entry.status = 2;
    }
    const bool runs = entry.running;
    s.console.push_back(std::move(entry));
    if (s.console.size() > entries_max) {
        s.console.pop_front();
        ++s.console_first;
    }
    std::size_t serial = s.console_first + s.console.size() - 1;
    if (runs && s.origin) s.origin->commands.push_back(line);
    if (runs) {
        auto run = [&s, keep = s.live_locked(), asked = s.epoch, serial, line = std::move(line)] {
            s.run_command(keep, asked, serial, line);
        };
        s.jobber.push({std::move(run), {}});
    }
    s.changed();
    return serial;
}

std::optional<ConsoleEntry> Session::command(u64 number) {
    std::lock_guard lock(impl_->mutex);
    const u64 index = number - impl_->console_first;
    if (number < impl_->console_first || index >= impl_->console.size()) return std::nullopt;
    return impl_->console[static_cast<std::size_t>(index)];
}

void Session::cancel_command() {
    std::lock_guard lock(impl_->mutex);
    if (impl_->command_cancel) impl_->command_cancel->store(true);
}

std::vector<ConsoleEntry> Session::console() {
    std::lock_guard lock(impl_->mutex);
    return {impl_->console.begin(), impl_->console.end()};
}

void Session::clear_console() {
    std::lock_guard lock(impl_->mutex);
    impl_->console_first += impl_->console.size();
    impl_->console.clear();
    impl_->changed();
}

Answer<std::vector<std::string>> Session::completions(const std::string& line) {
    Impl& s = *impl_;
    std::string at;
    {
        std::lock_guard lock(s.mutex);
        at = s.cwd;
    }
    using Lines = std::vector<std::string>;
    return s.ask(s.completed, std::pair(at, line), [at, line](mount::Volume& volume) -> Result<Lines> {
        commands::ConsoleState state;
        state.cwd = at;
        Lines lines;
        for (auto& completion : commands::complete(volume, line, state))
            lines.push_back(std::move(completion.line));
        return lines;
    });
}

std::string Session::prompt() {
    std::lock_guard lock(impl_->mutex);
    std::string name = impl_->name.substr(0, impl_->name.find('.'));
    return (name.empty() ? "glassfs" : name) + ":" + impl_->cwd + " $";
}

}  // namespace glassfs::ui
