// SPDX-License-Identifier: MIT
// What the commands that change a volume share: from an operand to a directory and a name in it, the loop
// over operands with its complaints, and the words for modes and times.
#pragma once

#include "commands/paths.h"

#include <functional>
#include <string>

namespace glassfs::commands {

// Where a name is, or is to be.
struct Spot {
    vfs::NodeId dir;
    std::string name;    // empty: the root itself, which has no name
    std::string path;    // for messages
    bool slash = false;  // a trailing slash: only a directory will do
};

// The operand's last part isn't looked up. Errors of the directories before it; Cause::NotFound for "".
Result<Spot> spot_of(const Context& context, std::string_view operand);
// The name's inode, symlinks not followed. Cause::Busy for the root.
Result<vfs::NodeId> lookup_spot(const Context& context, const Spot& spot);
// The same, when `into` is a directory: the place below it with the last name of `source`.
enum class IntoDirectory : u8 { No, Yes };
Result<Spot> destination_of(const Context& context, std::string_view operand, std::string_view source,
                            IntoDirectory into);

// A file that is written to: found through symlinks, or made where they lead. Cause::IsADirectory.
struct Opened {
    vfs::Attributes attributes;
    bool made = false;
};
enum class Missing : u8 { Fail, Create };
Result<Opened> open_for_writing(const Context& context, std::string_view operand, Missing missing,
                                u32 mode = 0644);

// The directory that an absolute path names, made with those on the way where they are not there.
Result<vfs::NodeId> make_directories(const Context& context, const std::string& path, u32 mode);

// Runs `change` for each; failures are complaints and the others still run. With --json each success is a
// line.
using PathChange = std::function<Result<void>(const std::string& operand)>;
ExitCode for_each_operand(const Context& context, std::span<const std::string> operands,
                          const PathChange& change);
// One change of one path.
ExitCode finish(const Context& context, std::string_view path, const Result<void>& done);
// --json's line: command, path, and where there is one the inode.
void report(const Context& context, std::string_view path, std::optional<vfs::NodeId> id = {});

// "0644", or "u+rwx,go-w,a=rX" applied to `before` (st_mode). Cause::InvalidArgument.
Result<u32> parse_mode(std::string_view text, u32 before);
// --mode's octal number, or `otherwise`.
Result<u32> mode_option(const Context& context, u32 otherwise);
// "now", or seconds since 1970 and nanoseconds that are added to them, as manifests have them:
// "1700000000.5",
// "-1.25" (0.75 s before 1970). Cause::InvalidArgument.
Result<TimeSpec> parse_time(std::string_view text, Environment& environment);
// Hexadecimal digits, two a byte; blanks between bytes are fine. Cause::InvalidArgument.
Result<Buffer> parse_hex(std::string_view text);

}  // namespace glassfs::commands
