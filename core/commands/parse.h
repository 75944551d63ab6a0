// SPDX-License-Identifier: MIT
// From words to Arguments, by the table of commands.
#pragma once

#include "commands/command_table.h"

#include <span>
#include <string>

namespace glassfs::commands {

enum class Grammar : u8 {
    CommandLine,  // COMMAND IMAGE [operands]
    Console,      // COMMAND [operands]
};

// `words` without the program's name. Cause::InvalidArgument with a sentence for people. With --help among
// the words nothing else is required.
Result<Arguments> parse(std::span<const std::string> words, Grammar grammar);

// Splits a line as a shell does: blanks separate, '...' and "..." group, backslash takes the next byte as it
// is. Cause::InvalidArgument when a quote is not closed. `last_begin` receives the byte where the last word
// begins, the line's length when it ends between words.
Result<std::vector<std::string>> split_words(std::string_view line, std::size_t* last_begin = nullptr);
// The word as split_words() reads it back.
std::string quoted(std::string_view word);

}  // namespace glassfs::commands
