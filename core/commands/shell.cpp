// SPDX-License-Identifier: MIT
// shell: lines and scripts on a volume. What is typed or comes through a pipe runs statement by statement, as
// soon as one is whole; a script's file is read first, so that a mistake in it is found before anything
// changes.
#include "base/text.h"
#include "commands/console.h"
#include "commands/host_files.h"
#include "commands/run.h"
#include "commands/script.h"
#include "commands/show.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace glassfs::commands {

namespace {

constexpr std::size_t piece_bytes = 64 << 10;

// Lines of a file descriptor.
class LineReader {
  public:
    explicit LineReader(int descriptor) : descriptor_(descriptor) {}

    // With its newline; empty at the end.
    Result<std::string> next() {
        for (;;) {
            std::size_t end = pending_.find('\n', seen_);
            if (end != std::string::npos || ended_) {
                std::string line = pending_.substr(0, end == std::string::npos ? end : end + 1);
                pending_.erase(0, line.size());
                seen_ = 0;
                return line;
            }
            seen_ = pending_.size();
            if (seen_ > script_bytes_max) return fail(Cause::InvalidArgument, "a line of more than 64 MiB");
            char piece[piece_bytes];
            ssize_t got = ::read(descriptor_, piece, sizeof piece);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return host_failure("read");
            if (got == 0) ended_ = true;
            pending_.append(piece, static_cast<std::size_t>(got));
        }
    }

  private:
    int descriptor_;
    std::string pending_;
    std::size_t seen_ = 0;  // of pending_: no newline before
    bool ended_ = false;
};

bool needs_more(std::string_view text) {
    ScriptReader reader(text);
    for (;;) {
        auto statement = reader.next();
        if (!statement) return reader.unfinished();
        if (!*statement) return false;
    }
}

class Shell {
  public:
    Shell(Context& context, ConsoleState& state) : context_(context), state_(state) {}

    ExitCode run_text(std::string_view text, u32 first_line = 1) {
        return static_cast<ExitCode>(
            run_line(context_.volume, text, state_, context_.out, context_.err, first_line));
    }

    Result<ExitCode> run_file(const std::string& path) {
        HostFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (file.get() < 0) return host_failure("open");
        std::string text;
        LineReader lines(file.get());
        for (;;) {
            std::string line = TRY(lines.next());
            if (line.empty()) break;
            text += line;
            if (text.size() > script_bytes_max) {
                return fail(Cause::InvalidArgument,
                            "a script of more than 64 MiB; give it on standard input");
            }
        }
        state_.source = path;
        return run_text(text);
    }

    // Standard input; of a terminal with a prompt, where a failure ends nothing.
    Result<ExitCode> run_input() {
        bool typed = ::isatty(STDIN_FILENO) != 0;
        if (!typed) state_.source = "stdin";
        LineReader lines(STDIN_FILENO);
        ExitCode worst = ExitCode::Done;
        std::string text;
        u32 line_number = 0, first_line = 1;
        for (;;) {
            if (typed) context_.out(text.empty() ? name_text(state_.cwd, state_.style) + "> " : "> ");
            std::string line = TRY(lines.next());
            bool end = line.empty();
            ++line_number;
            text += line;
            if (!end && needs_more(text)) continue;
            ExitCode code = run_text(text, first_line);
            if (!typed || end) worst = std::max(worst, code);
            if (end && typed) context_.out("\n");
            bool stop = !typed && code != ExitCode::Done && state_.after_failure == AfterFailure::Stop;
            if (end || stop) return worst;
            text.clear();
            first_line = line_number + 1;
        }
    }

  private:
    Context& context_;
    ConsoleState& state_;
};

}  // namespace

ExitCode run_shell(Context& context) {
    const Arguments& given = context.arguments;
    if (given.has("command") && !given.operands.empty()) {
        return context.refuse("shell: a script or -c, not both");
    }
    ConsoleState state;
    state.style = context.style;
    state.cat_bytes_max = 0;
    state.progress = context.progress;
    state.jobs = context.jobs;
    state.tracer = context.tracer;
    if (given.has("keep-going")) state.after_failure = AfterFailure::GoOn;
    Shell shell(context, state);
    if (given.has("command")) {
        ExitCode worst = ExitCode::Done;
        for (const std::string& line : given.options.find("command")->second) {
            worst = std::max(worst, shell.run_text(line));
            if (worst != ExitCode::Done && state.after_failure == AfterFailure::Stop) break;
        }
        return worst;
    }
    bool from_file = !given.operands.empty() && given.operands[0] != "-";
    auto code = from_file ? shell.run_file(given.operands[0]) : shell.run_input();
    if (code) return *code;
    context.complain(from_file ? given.operands[0] : "standard input", code.error());
    return ExitCode::NotRun;
}

}  // namespace glassfs::commands
