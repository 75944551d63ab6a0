// SPDX-License-Identifier: MIT
// Running lines and scripts, and completing what is being typed.
#include "commands/console.h"

#include "base/text.h"
#include "commands/parse.h"
#include "commands/paths.h"
#include "commands/run.h"
#include "commands/script.h"
#include "vfs/path_walk.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

constexpr std::size_t completions_max = 200;

class Interpreter {
  public:
    Interpreter(mount::Volume& volume, ConsoleState& state, const Sink& out, const Sink& err)
        : volume_(volume), state_(state), out_(out), err_(err) {}

    ExitCode run(std::string_view text, u32 first_line) {
        ScriptReader rehearsal(text, first_line);
        for (;;) {
            auto statement = rehearsal.next();
            if (!statement) return failed(rehearsal.line(), statement.error());
            if (!*statement) break;
        }
        ScriptReader reader(text, first_line);
        while (!stopped_) {
            auto statement = reader.next();
            if (!statement || !*statement) break;
            auto operation = state_.tracer.span("command", [&] { return shown(**statement); });
            run(**statement);
        }
        return worst_;
    }

  private:
    static std::string shown(const Statement& statement) {
        std::string out;
        for (std::string_view word : statement.words) out += (out.empty() ? "" : " ") + std::string(word);
        return statement.is_repeat ? out + " { ... }" : out;
    }

    void run(const Statement& statement) {
        if (statement.is_repeat)
            repeat(statement);
        else
            note(command(statement));
    }

    void note(ExitCode code) {
        worst_ = std::max(worst_, code);
        if (code != ExitCode::Done && state_.after_failure == AfterFailure::Stop) stopped_ = true;
    }

    std::string source(u32 line) const {
        return state_.source.empty() ? "" : text("%s:%u: ", printable(state_.source).c_str(), line);
    }

    ExitCode failed(u32 line, const Error& error) {
        bool plain = error.cause == Cause::InvalidArgument && !error.detail.empty();
        err_("glassfs: " + source(line) + (plain ? error.detail : error.message()) + "\n");
        return ExitCode::NotRun;
    }

    void repeat(const Statement& statement) {
        auto word = expand(statement.words[1], state_.variables);
        auto count = word ? parse_number(*word) : fail(word.error());
        if (!count) return note(failed(statement.line, count.error()));
        std::string name(statement.words.size() > 2 ? statement.words[2] : "i");
        auto outer = state_.variables.find(name);
        std::optional<std::string> before;
        if (outer != state_.variables.end()) before = outer->second;
        ++depth_;
        for (u64 i = 0; i < *count && !stopped_; ++i) {
            state_.variables[name] = std::to_string(i);
            for (const Statement& inner : statement.body) {
                if (!stopped_) run(inner);
            }
            tick(statement.line, double(i + 1) / double(*count));
        }
        --depth_;
        if (before)
            state_.variables[name] = *before;
        else
            state_.variables.erase(name);
    }

    // The outermost repetition shows how far it is; each can be cancelled.
    void tick(u32 line, double fraction) {
        if (depth_ == 1) fraction_ = fraction;
        if (stopped_ || !state_.progress || state_.progress(fraction_, "repeat")) return;
        err_("glassfs: " + source(line) + cause_sentence(Cause::Cancelled) + "\n");
        worst_ = std::max(worst_, ExitCode::Problems);
        stopped_ = true;
    }

    ExitCode command(const Statement& statement) {
        std::vector<std::string> words;
        for (std::string_view raw : statement.words) {
            auto word = expand(raw, state_.variables);
            if (!word) return failed(statement.line, word.error());
            words.push_back(std::move(*word));
        }
        if (words.front() == "glassfs") words.erase(words.begin());
        if (words.empty()) return ExitCode::Done;
        auto arguments = parse(words, Grammar::Console);
        if (!arguments) return failed(statement.line, arguments.error());
        if (arguments->has("help")) {
            out_(console_help(*arguments->command));
            return ExitCode::Done;
        }
        Context context{
            {*arguments, out_, err_, state_.style, state_.progress, state_.jobs, source(statement.line)},
            volume_,
            state_.cwd,
            state_.cat_bytes_max,
            &state_};
        return arguments->command->run(context);
    }

    mount::Volume& volume_;
    ConsoleState& state_;
    const Sink& out_;
    const Sink& err_;
    ExitCode worst_ = ExitCode::Done;
    bool stopped_ = false;
    u32 depth_ = 0;  // of repetitions
    double fraction_ = 0;
};

}  // namespace

int run_line(mount::Volume& volume, std::string_view text, ConsoleState& state, const Sink& out,
             const Sink& err, u32 first_line) {
    return static_cast<int>(Interpreter(volume, state, out, err).run(text, first_line));
}

namespace {

void complete_command(std::string_view head, std::string_view word, std::vector<Completion>& out) {
    for (const Command& command : all_commands()) {
        std::string name = command.name;
        if (command.in_console && name.starts_with(word))
            out.push_back({std::string(head) + name + " ", name});
    }
}

void complete_option(std::string_view head, std::string_view word, const Command& command,
                     std::vector<Completion>& out) {
    auto add = [&](const Option& option) {
        std::string flag = "--" + std::string(option.long_name());
        if (flag.starts_with(word)) out.push_back({std::string(head) + flag + " ", flag});
    };
    for (const Option& option : command.options) add(option);
    for (const Option& option : console_options()) add(option);
}

void complete_path(mount::Volume& volume, std::string_view head, const std::string& word,
                   const std::string& cwd, std::vector<Completion>& out) {
    std::size_t slash = word.rfind('/');
    std::string directory = slash == std::string::npos ? "" : word.substr(0, slash + 1);
    std::string begun = word.substr(directory.size());
    auto id = vfs::resolve(volume.files(), join_path(cwd, directory), vfs::FollowLast::Yes);
    if (!id) return;
    for (const vfs::DirEntry& entry : sorted_listing(volume.files(), *id).entries) {
        if (!entry.name.starts_with(begun)) continue;
        bool is_directory = entry.type == vfs::FileType::Directory;
        out.push_back({std::string(head) + quoted(directory + entry.name) + (is_directory ? "/" : " "),
                       printable(entry.name) + (is_directory ? "/" : "")});
        if (out.size() == completions_max) return;
    }
}

}  // namespace

std::vector<Completion> complete(mount::Volume& volume, std::string_view line, const ConsoleState& state) {
    std::vector<Completion> out;
    auto typed = typed_words(line, state.variables);
    if (!typed) return out;
    const std::vector<std::string>& words = typed->words;
    const std::string& word = words.back();
    std::string_view head = line.substr(0, typed->begin);
    if (words.size() == 1) {
        complete_command(head, word, out);
    } else if (const Command* command = find_command(words.front()); command && command->in_console) {
        if (word.starts_with('-'))
            complete_option(head, word, *command, out);
        else if (command->takes_paths)
            complete_path(volume, head, word, state.cwd, out);
        else if (words.front() == "help")
            complete_command(head, word, out);
    }
    std::ranges::sort(out, {}, &Completion::shown);
    return out;
}

}  // namespace glassfs::commands
