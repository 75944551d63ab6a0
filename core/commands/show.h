// SPDX-License-Identifier: MIT
// How values look: modes, times, names, colours, and JSON's escapes. One place, so that every command agrees.
#pragma once

#include "commands/context.h"

#include <string>
#include <string_view>

namespace glassfs::commands {

std::string mode_text(u32 mode);          // "drwxr-xr-x"
std::string stamp(const TimeSpec& time);  // "1764511200.000000123": seconds and nine digits, as in manifests
std::string name_text(std::string_view raw, const Style& style);
// The name coloured by what it is, when colours are on.
std::string coloured_name(std::string_view raw, const vfs::Attributes& attributes, const Style& style);
enum class Colour : u8 { Plain, Bold, Dim, Red, Green, Yellow, Blue, Cyan, Magenta };
std::string coloured(std::string_view text, Colour colour, const Style& style);

// A JSON string literal, with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace glassfs::commands
