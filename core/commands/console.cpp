// SPDX-License-Identifier: MIT
// The console strip's lines and their completion.
#include "commands/console.h"

#include "base/text.h"
#include "commands/parse.h"
#include "commands/paths.h"
#include "commands/run.h"
#include "vfs/path_walk.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

constexpr std::size_t completions_max = 200;

struct Builtin {
    const char* name;
    const char* summary;
};

constexpr Builtin builtins[] = {
    {"cd", "change the current directory"},
    {"help", "this list, or all about a command: help ls"},
    {"pwd", "print the current directory"},
};

std::string console_help(const Command& command) {
    std::string out =
        text("%s %s\n  %s\n\n%s\n", command.name, command.operands, command.summary, command.details);
    for (const Option& option : command.options) {
        out += text("  %s%s%s  %s\n", option.flags, option.value ? " " : "", option.value ? option.value : "",
                    option.help);
    }
    return out;
}

int help(std::span<const std::string> words, const Sink& out, const Sink& err) {
    if (words.size() > 1) {
        const Command* command = find_command(words[1]);
        if (!command || !command->in_console) {
            err("glassfs: no such command: " + escaped(words[1]) + "\n");
            return static_cast<int>(ExitCode::NotRun);
        }
        out(console_help(*command));
        return 0;
    }
    std::string list;
    for (const Command& command : all_commands()) {
        if (command.in_console) list += text("%-6s %s\n", command.name, command.summary);
    }
    for (const Builtin& builtin : builtins) list += text("%-6s %s\n", builtin.name, builtin.summary);
    out(list);
    return 0;
}

int change_directory(mount::Volume& volume, std::span<const std::string> words, ConsoleState& state,
                     const Sink& err) {
    std::string path = join_path(state.cwd, words.size() > 1 ? words[1] : "/");
    auto id = vfs::resolve(volume.files(), path, vfs::FollowLast::Yes);
    auto attributes = id ? volume.files().getattr(*id) : fail(id.error());
    if (attributes && attributes->type != vfs::FileType::Directory) attributes = fail(Cause::NotADirectory);
    if (!attributes) {
        err("glassfs: " + printable(path) + ": " + attributes.error().message() + "\n");
        return static_cast<int>(ExitCode::Problems);
    }
    state.cwd = tidy_path(path);
    return 0;
}

}  // namespace

int run_line(mount::Volume& volume, std::string_view line, ConsoleState& state, const Sink& out,
             const Sink& err) {
    auto complain = [&](const Error& error) {
        err("glassfs: " + error.detail + "\n");
        return static_cast<int>(ExitCode::NotRun);
    };
    auto words = split_words(line);
    if (!words) return complain(words.error());
    if (!words->empty() && words->front() == "glassfs") words->erase(words->begin());
    if (words->empty()) return 0;
    if (words->front() == "help") return help(*words, out, err);
    if (words->front() == "cd") return change_directory(volume, *words, state, err);
    if (words->front() == "pwd") {
        out(name_text(state.cwd, state.style) + "\n");
        return 0;
    }
    auto arguments = parse(*words, Grammar::Console);
    if (!arguments) return complain(arguments.error());
    if (arguments->has("help")) {
        out(console_help(*arguments->command));
        return 0;
    }
    Context context{volume, *arguments,  state.cwd,      out,
                    err,    state.style, state.progress, state.cat_bytes_max};
    return static_cast<int>(arguments->command->run(context));
}

namespace {

void complete_command(std::string_view head, std::string_view word, std::vector<Completion>& out) {
    auto add = [&](std::string_view name) {
        if (name.starts_with(word))
            out.push_back({std::string(head) + std::string(name) + " ", std::string(name)});
    };
    for (const Command& command : all_commands()) {
        if (command.in_console) add(command.name);
    }
    for (const Builtin& builtin : builtins) add(builtin.name);
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
    std::size_t begin = 0;
    auto words = split_words(line, &begin);
    if (!words) return out;
    if (begin == line.size()) words->emplace_back();  // a new word begins behind the blank
    std::string word = words->back();
    std::string_view head = line.substr(0, begin);
    if (words->size() == 1) {
        complete_command(head, word, out);
    } else {
        const Command* command = find_command(words->front());
        bool paths = words->front() == "cd" || (command && command->takes_paths);
        if (word.starts_with('-') && command)
            complete_option(head, word, *command, out);
        else if (paths)
            complete_path(volume, head, word, state.cwd, out);
        else if (words->front() == "help")
            complete_command(head, word, out);
    }
    std::ranges::sort(out, {}, &Completion::shown);
    return out;
}

}  // namespace glassfs::commands
