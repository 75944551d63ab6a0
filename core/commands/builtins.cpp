// SPDX-License-Identifier: MIT
// What only the console and scripts have: the current directory, variables, help.
#include "base/text.h"
#include "commands/command_table.h"
#include "commands/console.h"
#include "commands/paths.h"
#include "commands/run.h"
#include "vfs/path_walk.h"

namespace glassfs::commands {

ExitCode run_cd(Context& context) {
    const auto& operands = context.arguments.operands;
    std::string path = join_path(context.cwd, operands.empty() ? "/" : operands[0]);
    auto id = vfs::resolve(context.volume.files(), path, vfs::FollowLast::Yes);
    auto attributes = id ? context.volume.files().getattr(*id) : fail(id.error());
    if (attributes && attributes->type != vfs::FileType::Directory) attributes = fail(Cause::NotADirectory);
    if (!attributes) {
        context.complain(path, attributes.error());
        return ExitCode::Problems;
    }
    context.console->cwd = tidy_path(path);
    return ExitCode::Done;
}

ExitCode run_pwd(Context& context) {
    context.out(context.json() ? JsonObject().add("path", escaped(context.cwd)).line()
                               : name_text(context.cwd, context.style) + "\n");
    return ExitCode::Done;
}

ExitCode run_echo(Context& context) {
    std::string line;
    for (const std::string& word : context.arguments.operands) line += (line.empty() ? "" : " ") + word;
    context.out(context.json() ? JsonObject().add("text", line).line()
                               : name_text(line, context.style) + "\n");
    return ExitCode::Done;
}

ExitCode run_set(Context& context) {
    Variables& variables = context.console->variables;
    const auto& operands = context.arguments.operands;
    if (operands.empty()) {
        JsonObject all;
        std::string list;
        for (const auto& [name, value] : variables) {
            all.add(name, value);
            list += name + "=" + name_text(value, context.style) + "\n";
        }
        context.out(context.json() ? all.line() : list);
        return ExitCode::Done;
    }
    const std::string& name = operands[0];
    if (name.empty() || variable_name_length(name) != name.size()) {
        return context.refuse("set: not a name of a variable: " + escaped(name));
    }
    if (operands.size() == 1) {
        variables.erase(name);
        return ExitCode::Done;
    }
    if (variables.size() >= variables_max && !variables.contains(name)) {
        return context.refuse("set: too many variables");
    }
    variables[name] = operands[1];
    return ExitCode::Done;
}

// The grammar reads a repeat with its block; what comes here has none.
ExitCode run_repeat(Context& context) {
    return context.refuse("repeat: a { is missing in its line");
}

ExitCode run_help(Context& context) {
    const auto& operands = context.arguments.operands;
    if (operands.empty()) {
        context.out(console_overview());
        return ExitCode::Done;
    }
    const Command* command = find_command(operands[0]);
    if (!command || !command->in_console) {
        return context.refuse("no such command: " + escaped(operands[0]));
    }
    context.out(console_help(*command));
    return ExitCode::Done;
}

}  // namespace glassfs::commands
