// SPDX-License-Identifier: MIT
// What a command runs with: a mounted volume, its parsed arguments, where its text goes and how it may look.
// The same command runs in a terminal, in a pipe and on the page's console strip; only these values differ.
#pragma once

#include "mount/mount.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace glassfs::commands {

// Receives output in pieces, in order; called from one thread at a time.
using Sink = std::function<void(std::string_view)>;

// How far a long command has come (0..1, negative when unknown) and with what. Returns false to cancel.
using Progress = std::function<bool(double fraction, std::string_view what)>;

enum class ExitCode : int {
    Done = 0,
    Problems = 1,  // done as far as possible: check found problems, or something could not be read or written
    NotRun = 2,    // bad arguments, or the volume could not be opened
};

struct Style {
    bool colour = false;
    bool escape_names = false;  // control characters and broken UTF-8 as \xNN: for terminals
};

struct Command;
struct ConsoleState;

// A parsed command line. Options are kept by their long name without dashes ("json", "max-hash").
struct Arguments {
    const Command* command = nullptr;
    std::string image;                  // on the command line only
    std::vector<std::string> operands;  // paths, or what the command takes
    std::map<std::string, std::vector<std::string>, std::less<>> options;

    bool has(std::string_view name) const { return options.contains(name); }
    // The last value given, or `otherwise`.
    std::string value(std::string_view name, std::string otherwise = "") const;
    // Decimal or 0x hexadecimal, with an optional suffix K, M, G, T, P (powers of 1024).
    // Cause::InvalidArgument.
    Result<u64> number(std::string_view name, u64 otherwise) const;
};

// What every command has, also one that needs no volume.
struct Invocation {
    const Arguments& arguments;
    Sink out = {};
    Sink err = {};
    Style style = {};
    Progress progress = {};   // may be empty
    u32 jobs = 1;             // threads that may be used
    std::string source = {};  // in front of complaints: "script:12: "

    bool json() const { return arguments.has("json"); }
    // One line on `err`: "glassfs: PATH: what is wrong [place on disk]".
    void complain(std::string_view what, const Error& error) const;
    void complain(std::string_view line) const;
    // The same for bad arguments; returns ExitCode::NotRun.
    ExitCode refuse(std::string_view line) const;
    // false: cancelled.
    bool report_progress(double fraction, std::string_view what) const;
};

struct Context : Invocation {
    mount::Volume& volume;
    std::string cwd = "/";            // operands that don't begin with '/' start here
    u64 cat_bytes_max = 0;            // stop `cat` after so many bytes of a file; 0: never
    ConsoleState* console = nullptr;  // of the console or script that the command stands in
    trace::Tracer tracer = {};        // of a recording: the shell's statements are its operations
};

Result<u64> parse_number(std::string_view text);

}  // namespace glassfs::commands
