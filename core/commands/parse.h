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

// `words` without the program's name. Options may stand anywhere: "-l", "-lR" for several switches, "-d
// FILE",
// "-dFILE", "--device FILE", "--device=FILE"; "--" ends them; "-" and a negative number are operands.
// Cause::InvalidArgument with a sentence for people. With --help among the words nothing else is required.
Result<Arguments> parse(std::span<const std::string> words, Grammar grammar);

}  // namespace glassfs::commands
