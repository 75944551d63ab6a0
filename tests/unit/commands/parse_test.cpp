// SPDX-License-Identifier: MIT
// Words, options and the table of commands.
#include "commands/parse.h"

#include "commands/script.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::commands;

namespace {

using Words = std::vector<std::string>;

std::string refusal(const Words& words, Grammar grammar = Grammar::CommandLine) {
    auto parsed = parse(words, grammar);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().cause == Cause::InvalidArgument);
    return parsed.error().detail;
}

}  // namespace

TEST_CASE("commands/parse: the image comes first, then the paths, options anywhere") {
    auto parsed = parse(Words{"ls", "-l", "disk.img", "/a", "-d", "b.img", "/c", "-d", "e.img", "--json"},
                        Grammar::CommandLine);
    REQUIRE(parsed.has_value());
    CHECK(parsed->image == "disk.img");
    CHECK(parsed->operands == Words{"/a", "/c"});
    CHECK(parsed->options.find("device")->second == Words{"b.img", "e.img"});
    CHECK(parsed->has("long"));
    CHECK(parsed->has("json"));
    CHECK_FALSE(parsed->has("inode"));
}

TEST_CASE("commands/parse: the console's lines have no image") {
    auto parsed = parse(Words{"stat", "/a", "--extents"}, Grammar::Console);
    REQUIRE(parsed.has_value());
    CHECK(parsed->image.empty());
    CHECK(parsed->operands == Words{"/a"});
}

TEST_CASE("commands/parse: what is missing or too much is said in one line") {
    CHECK(refusal({"nonsense"}) == "no such command: nonsense");
    CHECK(refusal({"ls"}).starts_with("ls: which image?"));
    CHECK(refusal({"cat", "disk.img"}) == "cat: missing PATH...");
    CHECK(refusal({"tree", "disk.img", "/a", "/b"}) == "tree: one operand too many: /b");
    CHECK(refusal({"ls", "disk.img", "--nonsense"}).find("--nonsense") != std::string::npos);
    CHECK(refusal({"ls", "disk.img", "-d"}).find('\n') == std::string::npos);
    CHECK(refusal({}) == "which command?");
}

TEST_CASE("commands/parse: commands that write to the host are not in the console") {
    CHECK(refusal({"export"}, Grammar::Console) == "no such command: export");
    CHECK(refusal({"manifest"}, Grammar::Console) == "no such command: manifest");
}

TEST_CASE("commands/parse: help needs nothing else") {
    auto parsed = parse(Words{"cat", "--help"}, Grammar::CommandLine);
    REQUIRE(parsed.has_value());
    CHECK(parsed->has("help"));
}

TEST_CASE("commands/parse: numbers are decimal or hexadecimal, with suffixes of 1024") {
    CHECK(parse_number("0").value() == 0);
    CHECK(parse_number("18446744073709551615").value() == ~u64{0});
    CHECK(parse_number("0x10").value() == 16);
    CHECK(parse_number("4K").value() == 4096);
    CHECK(parse_number("2t").value() == u64{2} << 40);
    for (const char* bad :
         {"", "x", "-1", "18446744073709551616", "1KK", "1B", "18446744073709551615K", "0x"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_number(bad).has_value());
    }
}

TEST_CASE("commands/parse: options in every form that people type") {
    auto options = [](const Words& words) {
        auto parsed = parse(words, Grammar::CommandLine);
        if (!parsed) return parsed.error().detail;
        std::string out;
        for (const auto& [name, values] : parsed->options) {
            out += name;
            for (const std::string& value : values) out += "=" + value;
            out += ' ';
        }
        for (const std::string& operand : parsed->operands) out += operand + ";";
        return out;
    };
    CHECK(options({"ls", "i", "-lR", "-db.img", "--device=c.img", "--device", "d.img"}) ==
          "device=b.img=c.img=d.img long recursive ");
    CHECK(options({"cat", "i", "-", "--offset", "-", "--", "-x", "--json"}) == "offset=- -;-x;--json;");
    CHECK(options({"utimens", "i", "-1.5", "-", "/a"}) == "-1.5;-;/a;");
    CHECK(options({"chmod", "i", "-w", "/a"}) == "-w;/a;");
    CHECK(options({"chmod", "i", "-R", "a-w", "/a"}) == "recursive a-w;/a;");
    CHECK(options({"chattr", "i", "-C", "/a"}) == "-C;/a;");
    CHECK(options({"ls", "i", "-lx"}) == "ls: unknown option -x");
    CHECK(options({"ls", "i", "--lon"}) == "ls: unknown option --lon");
    CHECK(options({"ls", "i", "--long=yes"}) == "ls: --long takes no value");
    CHECK(options({"cat", "i", "/a", "--offset"}) == "cat: --offset needs BYTES");
    CHECK(options({"ls", "i", "--=x"}) == "ls: unknown option --");
    CHECK(options({"write", "i", "/a", "--hex="}) == "hex= /a;");
}

TEST_CASE("commands/parse: mkfs takes no image of a volume that is there, only one to make") {
    auto parsed =
        parse(Words{"mkfs", "btrfs", "disk.img", "-d", "b.img", "--size", "1G"}, Grammar::CommandLine);
    REQUIRE(parsed.has_value());
    CHECK(parsed->image.empty());
    CHECK(parsed->operands == Words{"btrfs", "disk.img"});
    CHECK(refusal({"mkfs", "btrfs"}) == "mkfs: missing TYPE IMAGE");
    CHECK(refusal({"mkfs", "btrfs", "a", "--subvol", "x"}) == "mkfs: unknown option --subvol");
}

TEST_CASE("commands/parse: what needs a script is not on the command line") {
    CHECK(refusal({"cd", "disk.img"}) == "no such command: cd");
    CHECK(refusal({"repeat", "disk.img"}) == "no such command: repeat");
    CHECK(refusal({"mkfs"}, Grammar::Console) == "no such command: mkfs");
    CHECK(refusal({"import"}, Grammar::Console) == "no such command: import");
    CHECK(refusal({"shell"}, Grammar::Console) == "no such command: shell");
}

TEST_CASE("commands/table: every command has help with examples that can be run, and unique options") {
    for (const Command& command : all_commands()) {
        CAPTURE(command.name);
        CHECK(find_command(command.name) == &command);
        CHECK(*command.summary != '\0');
        bool runs = command.run != nullptr;
        CHECK(runs != (command.run_alone != nullptr));
        CHECK((command.opens == Opens::Nothing) == (command.run_alone != nullptr));
        REQUIRE_FALSE(command.examples.empty());
        bool alone = command.on_command_line;
        std::string help = alone ? command_help(command) : console_help(command);
        for (const Example& example : command.examples) {
            CAPTURE(example.line);
            CHECK(std::string_view(example.line).starts_with(command.name));
            CHECK(help.find(example.line) != std::string::npos);
            ScriptReader reader(example.line);
            auto statement = reader.next();
            REQUIRE((statement && *statement));
            if ((*statement)->is_repeat) continue;
            Words words;
            for (std::string_view raw : (*statement)->words) {
                if (raw == "|" || raw == ">") break;
                words.push_back(expand(raw, {{"i", "1"}}).value());
            }
            CHECK(parse(words, alone ? Grammar::CommandLine : Grammar::Console).has_value());
        }
        std::string seen;
        auto common = alone ? common_options(command) : console_options();
        for (std::span<const Option> options : {command.options, common}) {
            for (const Option& option : options) {
                CAPTURE(option.flags);
                CHECK_FALSE(option.long_name().empty());
                std::string key = " " + std::string(option.long_name()) + " ";
                CHECK(seen.find(key) == std::string::npos);
                seen += key;
                if (option.short_name() == '\0') continue;
                key = std::string(" -") + option.short_name() + " ";
                CHECK(seen.find(key) == std::string::npos);
                seen += key;
            }
        }
    }
}

TEST_CASE("commands/table: help has every command where it can be used") {
    std::string line = overview_help(), console = console_overview();
    for (const Command& command : all_commands()) {
        CAPTURE(command.name);
        std::string entry = "\n  " + std::string(command.name) + " ";
        CHECK((line.find(entry) != std::string::npos) == command.on_command_line);
        CHECK((console.find(entry) != std::string::npos) == command.in_console);
    }
    CHECK(line.find("Exit code") != std::string::npos);
}
