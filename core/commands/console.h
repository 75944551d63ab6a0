// SPDX-License-Identifier: MIT
// Text that runs commands on an open volume: lines of the page's console strip, of "shell -c", and scripts
// (script.h has the grammar). The same commands as the command line's, without the image, and with a current
// directory and variables.
#pragma once

#include "commands/arithmetic.h"
#include "commands/context.h"

#include <string>
#include <vector>

namespace glassfs::commands {

enum class AfterFailure : u8 { Stop, GoOn };

struct ConsoleState {
    std::string cwd = "/";
    Style style = {.colour = false, .escape_names = true};
    u64 cat_bytes_max = 64 << 10;
    Progress progress = {};  // may be empty; returns false to cancel
    Variables variables = {};
    AfterFailure after_failure = AfterFailure::Stop;
    std::string source = {};  // of the text, in front of complaints: "SOURCE:LINE: "; empty: typed by hand
    u32 jobs = 1;
    trace::Tracer tracer = {};  // each statement is an operation of its own
};

inline constexpr std::size_t variables_max = 10'000;

// Runs a line, or a whole script whose first line has the number `first_line`; "help" lists what there is. An
// empty one does nothing. A mistake in the grammar is found before anything runs. Returns the worst exit code
// of a command (ExitCode as a number); after the first that is not 0 nothing more runs, unless the state says
// to go on. Output comes on the caller's thread.
int run_line(mount::Volume& volume, std::string_view text, ConsoleState& state, const Sink& out,
             const Sink& err, u32 first_line = 1);

struct Completion {
    std::string line;   // the whole line with the word completed
    std::string shown;  // what the user picks from: a command, an option or a name
};

// Ways to complete the last word of the line: commands, then options and paths. At most 200, sorted.
std::vector<Completion> complete(mount::Volume& volume, std::string_view line, const ConsoleState& state);

}  // namespace glassfs::commands
