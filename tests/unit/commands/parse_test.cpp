// SPDX-License-Identifier: MIT
// Words, options and the table of commands.
#include "commands/parse.h"

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

TEST_CASE("commands/parse: blanks separate words, quotes and backslashes keep them together") {
    CHECK(split_words("  ls   -l /a ").value() == Words{"ls", "-l", "/a"});
    CHECK(split_words("cat 'a b' \"c \\\" d\" e\\ f").value() == Words{"cat", "a b", "c \" d", "e f"});
    CHECK(split_words("x''y").value() == Words{"xy"});
    CHECK(split_words("''").value() == Words{""});
    CHECK(split_words("").value().empty());
    CHECK_FALSE(split_words("cat 'a").has_value());
}

TEST_CASE("commands/parse: where the last word begins is known, for completion") {
    std::size_t begin = 99;
    CHECK(split_words("ls /do", &begin).has_value());
    CHECK(begin == 3);
    CHECK(split_words("ls 'a b", &begin).has_value() == false);
    CHECK(split_words("ls a\\ b", &begin).has_value());
    CHECK(begin == 3);
    CHECK(split_words("ls ", &begin).has_value());
    CHECK(begin == 3);
}

TEST_CASE("commands/parse: a quoted word is read back as it was") {
    for (std::string word : {"plain", "a b", "it's", "tab\there", "back\\slash", "\"", ""}) {
        CAPTURE(word);
        CHECK(split_words(quoted(word)).value() == Words{word});
    }
}

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

TEST_CASE("commands/table: every command has help with an example of its own, and unique options") {
    for (const Command& command : all_commands()) {
        CAPTURE(command.name);
        CHECK(find_command(command.name) == &command);
        REQUIRE_FALSE(command.examples.empty());
        std::string help = command_help(command);
        for (const Example& example : command.examples) {
            CHECK(std::string_view(example.line).starts_with(command.name));
            auto words = split_words(example.line);
            REQUIRE(words.has_value());
            std::size_t end = words->size();
            for (std::size_t i = 0; i < words->size(); ++i) {
                if ((*words)[i] == "|" || (*words)[i] == ">") end = std::min(end, i);
            }
            words->resize(end);
            CHECK(parse(*words, Grammar::CommandLine).has_value());
            CHECK(help.find(example.line) != std::string::npos);
        }
        for (const Option& option : command.options) CHECK_FALSE(option.long_name().empty());
    }
    CHECK(overview_help().find("Exit code") != std::string::npos);
}
