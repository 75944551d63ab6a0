// SPDX-License-Identifier: MIT
// What only the console and scripts have.
#include "commands/command_table.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

constexpr Example cd_examples[] = {{"cd /home", "paths without a slash in front begin there"}};
constexpr Example pwd_examples[] = {{"pwd", "where cd has led"}};
constexpr Example echo_examples[] = {{"echo $((3 * 4096))", "12288"}};
constexpr Example set_examples[] = {
    {"set size 64K", "$size is 64K from now on"},
    {"set", "all variables"},
    {"set size", "no longer"},
};
constexpr Example repeat_examples[] = {
    {"repeat 10 { touch /file$i }", "/file0 to /file9"},
    {"repeat 3 d { mkdir /dir$d; repeat 4 { write /dir$d/f$i $((d * 4 + i)) } }",
     "nested, with a name of its own"},
};
constexpr Example help_examples[] = {{"help", "all commands"}, {"help ls", "one of them"}};

constexpr Command table[] = {
    {.name = "cd",
     .operands = "[PATH]",
     .summary = "change the current directory",
     .examples = cd_examples,
     .operands_max = 1,
     .group = Group::Script,
     .takes_paths = true,
     .on_command_line = false,
     .run = run_cd},
    {.name = "pwd",
     .summary = "print the current directory",
     .examples = pwd_examples,
     .group = Group::Script,
     .on_command_line = false,
     .run = run_pwd},
    {.name = "echo",
     .operands = "[WORD...]",
     .summary = "print words",
     .examples = echo_examples,
     .operands_max = operands_many,
     .group = Group::Script,
     .on_command_line = false,
     .run = run_echo},
    {.name = "set",
     .operands = "[NAME [VALUE]]",
     .summary = "set, forget or list variables: $NAME, ${NAME}, $((NAME + 1))",
     .examples = set_examples,
     .operands_max = 2,
     .group = Group::Script,
     .on_command_line = false,
     .run = run_set},
    {.name = "repeat",
     .operands = "COUNT [NAME] { COMMAND; ... }",
     .summary = "run commands again and again, with $NAME (i) 0, 1, ... COUNT - 1",
     .examples = repeat_examples,
     .operands_max = operands_many,
     .group = Group::Script,
     .on_command_line = false,
     .run = run_repeat},
    {.name = "help",
     .operands = "[COMMAND]",
     .summary = "this list, or all about a command: help ls",
     .examples = help_examples,
     .operands_max = 1,
     .group = Group::Script,
     .on_command_line = false,
     .run = run_help},
};

}  // namespace

std::span<const Command> script_commands() {
    return table;
}

}  // namespace glassfs::commands
