// SPDX-License-Identifier: MIT
// The one table of commands. The command line's parser and help, the console's and the scripts' grammar and
// completion, and the documentation are all drawn from it.
#pragma once

#include "commands/context.h"

#include <span>
#include <string>
#include <string_view>

namespace glassfs::commands {

struct Option {
    const char* flags;  // "-l,--long"; the last one is the long name
    const char* value;  // "FILE", or null for a switch
    const char* help;
    std::string_view long_name() const;  // without dashes
    char short_name() const;             // 0: none
};

struct Example {
    const char* line;  // behind "glassfs "; of a command that only the console has: the console's line
    const char* what;
};

// How a command opens the image that the command line names first.
enum class Opens : u8 { Nothing, ReadOnly, ReadWrite };

// A heading of the help.
enum class Group : u8 { Look, Image, Change, Script };

// What a word that begins with '-' and is no option is: a mistake, or an operand ("chmod -x", "chattr -C").
enum class Dashes : u8 { Options, OperandsToo };

struct Command {
    const char* name = "";
    const char* operands = "";  // "[PATH...]"
    const char* summary = "";   // one line, no full stop
    const char* details = "";   // paragraphs; what --json gives
    std::span<const Option> options = {};
    std::span<const Example> examples = {};
    u32 operands_min = 0;
    u32 operands_max = 0;
    Group group = Group::Look;
    Opens opens = Opens::ReadOnly;
    Dashes dashes = Dashes::Options;
    bool takes_paths = false;     // operands are paths in the volume
    bool in_console = true;       // makes sense without a host file system
    bool on_command_line = true;  // makes sense for one line alone
    ExitCode (*run)(Context&) = nullptr;
    ExitCode (*run_alone)(Invocation&) = nullptr;  // instead of `run`: Opens::Nothing
};

inline constexpr u32 operands_many = 1U << 30;

std::span<const Command> all_commands();
const Command* find_command(std::string_view name);
// Options that this command has on the command line beside its own (devices, subvolume, looks).
std::span<const Option> common_options(const Command&);
// Those that every command has on the console and in scripts.
std::span<const Option> console_options();

// "glassfs --help" and "glassfs COMMAND --help"; "help" and "help COMMAND" on the console.
std::string overview_help();
std::string command_help(const Command&);
std::string console_overview();
std::string console_help(const Command&);

// The parts of the table, for command_table.cpp alone.
std::span<const Command> looking_commands();
std::span<const Command> image_commands();
std::span<const Command> changing_commands();
std::span<const Command> script_commands();

}  // namespace glassfs::commands
