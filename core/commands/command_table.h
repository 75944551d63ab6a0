// SPDX-License-Identifier: MIT
// The one table of commands. The command line's parser and help, the page's console and its completion, and
// the documentation are all drawn from it.
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
};

struct Example {
    const char* line;  // behind "glassfs "
    const char* what;
};

struct Command {
    const char* name;
    const char* operands;  // "[PATH...]"
    const char* summary;   // one line, no full stop
    const char* details;   // paragraphs; what --json gives
    std::span<const Option> options;
    std::span<const Example> examples;
    u32 operands_min;
    u32 operands_max;
    bool takes_paths;  // the operands are paths in the volume
    bool in_console;   // makes sense without a host file system
    ExitCode (*run)(Context&);
};

std::span<const Command> all_commands();
const Command* find_command(std::string_view name);
// Options that every command of the command line has (image, devices, subvolume, looks).
std::span<const Option> common_options();
// Those of them that the console has as well.
std::span<const Option> console_options();

// "glassfs --help" and "glassfs COMMAND --help".
std::string overview_help();
std::string command_help(const Command&);

}  // namespace glassfs::commands
