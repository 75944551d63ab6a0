// SPDX-License-Identifier: MIT
// The page's console strip: a line of text runs a command on the open volume. The same commands as the
// command line's, without the image, and with a current directory.
#pragma once

#include "commands/context.h"

#include <string>
#include <vector>

namespace glassfs::commands {

struct ConsoleState {
    std::string cwd = "/";
    Style style = {.colour = false, .escape_names = true};
    u64 cat_bytes_max = 64 << 10;
    Progress progress = {};  // may be empty; returns false to cancel
};

// Runs one line: ls, stat, cat, tree, find, info, dump, check; also cd, pwd, help. An empty line does
// nothing. Returns the exit code of a command (ExitCode as a number). Output comes on the caller's thread.
int run_line(mount::Volume& volume, std::string_view line, ConsoleState& state, const Sink& out,
             const Sink& err);

struct Completion {
    std::string line;   // the whole line with the word completed
    std::string shown;  // what the user picks from: a command, an option or a name
};

// Ways to complete the last word of the line: commands, then options and paths. At most 200, sorted.
std::vector<Completion> complete(mount::Volume& volume, std::string_view line, const ConsoleState& state);

}  // namespace glassfs::commands
