// SPDX-License-Identifier: MIT
// The table of commands as a whole, and the help that is drawn from it.
#include "commands/command_table.h"

#include "base/text.h"

namespace glassfs::commands {

namespace {

// On the command line. Those that need no volume have the first and the last ones.
constexpr Option common[] = {
    {"-d,--device", "FILE", "a further device of the volume; may be given several times"},
    {"--partition", "N", "which partition of the image holds the volume (default: the only one that does)"},
    {"--subvol", "ID|PATH",
     "show this subvolume as the root (default: the default subvolume, as a mount does)"},
    {"--no-replay", nullptr, "don't replay a pending log (logs are never replayed yet)"},
    {"--json", nullptr,
     "JSON instead of text; names as in manifests: bytes outside 0x21..0x7e and '%' as %XX"},
    {"--color", "WHEN", "auto (default), always or never; NO_COLOR is respected"},
    {"--jobs", "N", "threads to use (default: as many as processors, at most 4)"},
    {"-h,--help", nullptr, "show this help"},
};
constexpr Option without_volume[] = {
    common[0],
    {"--json", nullptr, "JSON instead of text"},
    {"--color", "WHEN", "auto (default), always or never; NO_COLOR is respected"},
    {"-h,--help", nullptr, "show this help"},
};
constexpr Option for_console[] = {
    {"--json", nullptr, "JSON instead of text"},
    {"--help", nullptr, "show this help"},
};

struct Heading {
    Group group;
    const char* title;
};
constexpr Heading headings[] = {
    {Group::Look, "Look at a volume"},
    {Group::Image, "Make, fill and empty images"},
    {Group::Change, "Change a volume"},
    {Group::Script, "In scripts and on the console"},
};

void append_options(std::string& out, std::span<const Option> options) {
    for (const Option& option : options) {
        std::string flags = option.flags;
        if (std::size_t comma = flags.find(','); comma != std::string::npos)
            flags.insert(comma + 1, " ");
        else
            flags.insert(0, "    ");
        if (option.value) flags += std::string(" ") + option.value;
        out += text("  %-26s %s\n", flags.c_str(), option.help);
    }
}

std::string listed(bool Command::*where) {
    std::string out;
    for (const Heading& heading : headings) {
        std::string group;
        for (const Command& command : all_commands()) {
            if (command.group == heading.group && command.*where) {
                group += text("  %-10s %s\n", command.name, command.summary);
            }
        }
        if (!group.empty()) out += text("\n%s:\n", heading.title) + group;
    }
    return out;
}

std::vector<Command> whole_table() {
    std::vector<Command> all;
    for (auto part : {looking_commands(), image_commands(), changing_commands(), script_commands()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace

std::string_view Option::long_name() const {
    std::string_view all = flags;
    return all.substr(all.rfind("--") + 2);
}

char Option::short_name() const {
    return flags[1] == '-' ? '\0' : flags[1];
}

std::span<const Command> all_commands() {
    static const std::vector<Command> all = whole_table();
    return all;
}
std::span<const Option> common_options(const Command& command) {
    if (command.opens == Opens::Nothing) return without_volume;
    return common;
}
std::span<const Option> console_options() {
    return for_console;
}

const Command* find_command(std::string_view name) {
    for (const Command& command : all_commands()) {
        if (command.name == name) return &command;
    }
    return nullptr;
}

std::string overview_help() {
    std::string out =
        "glassfs reads and writes btrfs images, and shows how what is on them lies there.\n\n"
        "Usage: glassfs COMMAND IMAGE [OPERAND...] [OPTIONS]\n";
    out += listed(&Command::on_command_line);
    out += "\nOptions of every command:\n";
    append_options(out, common);
    out += "      --version                version and format support\n";
    out +=
        "\nIMAGE is an image file, a block device, or a metadata dump made by btrfs-image. Only the commands "
        "that\n"
        "make, fill or change a volume ever write to it, and what they wrote is durable when they end.\n"
        "Exit code: 0 done; 1 done, but check found problems or something could not be read or written; 2 "
        "could\n"
        "not run: bad arguments, or the image can't be opened. Errors are one line each on standard "
        "error.\n\nExamples:\n";
    for (const Command& command : all_commands()) {
        bool shown = command.on_command_line && command.group != Group::Change;
        if (shown) out += text("  glassfs %-42s %s\n", command.examples[0].line, command.examples[0].what);
    }
    out += "\n\"glassfs COMMAND --help\" tells more about each.\n";
    return out;
}

std::string command_help(const Command& command) {
    const char* image = command.opens == Opens::Nothing ? "" : " IMAGE";
    std::string out =
        text("glassfs %s: %s\n\nUsage: glassfs %s%s%s%s [OPTIONS]\n", command.name, command.summary,
             command.name, image, *command.operands ? " " : "", command.operands);
    if (*command.details) out += text("\n%s\n", command.details);
    if (!command.options.empty()) {
        out += "\nOptions:\n";
        append_options(out, command.options);
    }
    out += "\nOptions of every command:\n";
    append_options(out, common_options(command));
    out += "\nExamples:\n";
    for (const Example& example : command.examples) {
        out += text("  glassfs %s\n      %s\n", example.line, example.what);
    }
    return out;
}

std::string console_overview() {
    return listed(&Command::in_console).substr(1) + "\n\"help COMMAND\" tells more about each.\n";
}

std::string console_help(const Command& command) {
    std::string out = text("%s %s\n  %s\n", command.name, command.operands, command.summary);
    if (*command.details) out += text("\n%s\n", command.details);
    if (!command.options.empty()) out += "\n";
    append_options(out, command.options);
    if (command.on_command_line) return out;
    out += "\n";
    for (const Example& example : command.examples) out += text("  %-30s %s\n", example.line, example.what);
    return out;
}

}  // namespace glassfs::commands
