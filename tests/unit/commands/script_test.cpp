// SPDX-License-Identifier: MIT
// The grammar of lines and scripts: words, statements, blocks, variables, arithmetic.
#include "commands/script.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::commands;

namespace {

using Words = std::vector<std::string>;

std::string value(std::string_view expression, const Variables& variables = {}) {
    auto result = evaluate(expression, variables);
    return result ? std::to_string(*result) : "! " + result.error().message();
}

// A script as text: statements separated by '|', blocks in brackets.
std::string shape(ScriptReader& reader);
std::string shape(const Statement& statement) {
    std::string out;
    for (std::string_view word : statement.words) out += (out.empty() ? "" : " ") + std::string(word);
    if (!statement.is_repeat) return out;
    out += " [";
    for (std::size_t i = 0; i < statement.body.size(); ++i) {
        out += (i == 0 ? "" : "|") + shape(statement.body[i]);
    }
    return out + "]";
}
std::string shape(ScriptReader& reader) {
    std::string out;
    for (;;) {
        auto statement = reader.next();
        if (!statement) return "! " + std::to_string(reader.line()) + ": " + statement.error().detail;
        if (!*statement) return out;
        out += (out.empty() ? "" : "|") + shape(**statement);
    }
}
std::string shape(std::string_view text) {
    ScriptReader reader(text);
    return shape(reader);
}

bool unfinished(std::string_view text) {
    ScriptReader reader(text);
    for (;;) {
        auto statement = reader.next();
        if (!statement) return reader.unfinished();
        if (!*statement) return false;
    }
}

std::string expanded(std::string_view word, const Variables& variables = {}) {
    auto result = expand(word, variables);
    return result ? *result : "! " + result.error().detail;
}

}  // namespace

TEST_CASE("commands/script: blanks separate words, quotes and backslashes keep them together") {
    CHECK(split_words("  ls   -l /a ").value() == Words{"ls", "-l", "/a"});
    CHECK(split_words("cat 'a b' \"c \\\" d\" e\\ f").value() == Words{"cat", "a b", "c \" d", "e f"});
    CHECK(split_words("x''y").value() == Words{"xy"});
    CHECK(split_words("''").value() == Words{""});
    CHECK(split_words("").value().empty());
    CHECK(split_words("a\\\nb c\\\n  d").value() == Words{"ab", "c", "d"});
    CHECK(split_words("write /a 'two\nlines'").value() == Words{"write", "/a", "two\nlines"});
    CHECK(split_words("a#b # rest").value() == Words{"a#b"});
    CHECK(split_words("a{b }c").value() == Words{"a{b", "}c"});
    CHECK_FALSE(split_words("cat 'a").has_value());
    CHECK_FALSE(split_words("a; b").has_value());
}

TEST_CASE("commands/script: a quoted word is read back as it was") {
    for (std::string word : {"plain", "a b", "it's", "tab\there", "back\\slash", "\"", "", "$x", "a;b", "#",
                             "{", "}", "new\nline", "${x}", "a{", "\xff\x01"}) {
        CAPTURE(word);
        CHECK(split_words(quoted(word)).value() == Words{word});
    }
}

TEST_CASE("commands/script: statements end with a line or a semicolon") {
    CHECK(shape("ls /a; ls /b\n\n ; # nothing\nls /c # and this\n") == "ls /a|ls /b|ls /c");
    CHECK(shape("") == "");
    CHECK(shape("# only\r\n") == "");
    CHECK(shape("ls 'a;b'\r\nls\\;c") == "ls 'a;b'|ls\\;c");
}

TEST_CASE("commands/script: repetitions hold blocks, also within each other") {
    CHECK(shape("repeat 3 { touch /f$i }") == "repeat 3 [touch /f$i]");
    CHECK(shape("repeat 3 {\n  a\n  b; c\n}\nd") == "repeat 3 [a|b|c]|d");
    CHECK(shape("repeat $n x { repeat 2 { a }; b }; c") == "repeat $n x [repeat 2 [a]|b]|c");
    CHECK(shape("repeat 0 { }") == "repeat 0 []");
    CHECK(shape("repeat 5") == "repeat 5");
}

TEST_CASE("commands/script: a mistake is named with its line") {
    CHECK(shape("ls\nls 'open\n") == "! 2: a quote is not closed");
    CHECK(shape("ls\nrepeat 3 {\nls\n") == "! 2: a { is not closed");
    CHECK(shape("a\nb }\n") == "! 2: a } without {");
    CHECK(shape("ls {") == "! 1: a { that no repeat has");
    CHECK(shape("{ ls }") == "! 1: a { that no repeat has");
    CHECK(shape("repeat { a }") == "! 1: repeat COUNT [NAME] { ... }");
    CHECK(shape("repeat 1 2 3 { a }") == "! 1: repeat COUNT [NAME] { ... }");
    CHECK(shape("\nrepeat 1 9x { a }") == "! 2: not a name of a variable: 9x");
    CHECK(shape("repeat 1 { a } b") == "! 1: a ; or a new line is missing behind }");
    CHECK(shape("echo $((1 + (2)") == "! 1: a $(( is not closed");
    CHECK(shape("ls \\") == "! 1: nothing follows the last backslash");
}

TEST_CASE("commands/script: lines are counted through quotes, comments and joined lines") {
    ScriptReader reader("a 'x\ny'\n# c\nb \\\n  c\nd", 10);
    std::vector<u32> lines;
    for (auto statement = reader.next(); statement && *statement; statement = reader.next()) {
        lines.push_back((*statement)->line);
    }
    CHECK(lines == std::vector<u32>{10, 13, 15});
}

TEST_CASE("commands/script: what more lines may mend is told from what they can't") {
    CHECK(unfinished("repeat 3 {\n"));
    CHECK(unfinished("repeat 3 { repeat 2 { a }"));
    CHECK(unfinished("write /a 'one\n"));
    CHECK(unfinished("a \\"));
    CHECK(unfinished("echo $((1 +"));
    CHECK_FALSE(unfinished("a\nb"));
    CHECK_FALSE(unfinished("a }"));
    CHECK_FALSE(unfinished("repeat { a }"));
}

TEST_CASE("commands/script: nesting and length have limits") {
    std::string deep;
    for (u32 i = 0; i < script_nesting_max; ++i) deep += "repeat 2 { ";
    std::string closed = deep + "a";
    for (u32 i = 0; i < script_nesting_max; ++i) closed += " }";
    CHECK_FALSE(shape(closed).starts_with("!"));
    CHECK(shape("repeat 2 { " + closed + " }") == "! 1: repeat is nested too deeply");
    std::string bomb;
    for (int i = 0; i < 100'000; ++i) bomb += "repeat 9 { ";
    CHECK(shape(bomb) == "! 1: repeat is nested too deeply");
    CHECK(shape(std::string(200'000, '{')) == std::string(200'000, '{'));
}

TEST_CASE("commands/script: variables and arithmetic are expanded, not in single quotes") {
    Variables variables{{"x", "5"}, {"name", "a b"}, {"long_1", "L"}};
    CHECK(expanded("$x", variables) == "5");
    CHECK(expanded("a${x}b", variables) == "a5b");
    CHECK(expanded("\"<$name>\"", variables) == "<a b>");
    CHECK(expanded("'$x'\\$x", variables) == "$x$x");
    CHECK(expanded("$long_1-$x.txt", variables) == "L-5.txt");
    CHECK(expanded("/f$((x * 2 + 1)).d\"$((x))\"", variables) == "/f11.d5");
    CHECK(expanded("$ $. cost$", variables) == "$ $. cost$");
    CHECK(expanded("$y") == "! no such variable: y");
    CHECK(expanded("${x", variables) == "! ${NAME} is not closed");
    CHECK(expanded("${}") == "! ${NAME} is not closed");
    CHECK(expanded("$((1 / 0))") == "! division by zero");
    CHECK(expanded("$((1 )") == "! a $(( is not closed by ))");
}

TEST_CASE("commands/script: a word can't grow without end") {
    Variables variables{{"x", std::string(word_bytes_max, 'a')}};
    CHECK(expanded("$x", variables).size() == word_bytes_max);
    CHECK(expanded("$x$x", variables) == "! a word of more than 1 MiB");
    CHECK(expanded("$" + std::string(500'000, 'v')).starts_with("! no such variable"));
}

TEST_CASE("commands/arithmetic: precedence, signs and parentheses are C's") {
    CHECK(value("1 + 2 * 3") == "7");
    CHECK(value("(1 + 2) * 3") == "9");
    CHECK(value("10 - 4 - 3") == "3");
    CHECK(value("7 / 2 * 2 + 7 % 2") == "7");
    CHECK(value("-7 / 2") == "-3");
    CHECK(value("-7 % 2") == "-1");
    CHECK(value("1 << 4 | 1 & 3 ^ 2") == "19");
    CHECK(value("1 + 1 << 2") == "8");
    CHECK(value("- - 3") == "3");
    CHECK(value("~0") == "-1");
    CHECK(value("0x10 + 4K") == "4112");
    CHECK(value("-9223372036854775807 - 1") == "-9223372036854775808");
    Variables variables{{"i", "3"}, {"n", "-2"}, {"word", "abc"}};
    CHECK(value("i*n + $i - ${n}", variables) == "-1");
    CHECK(value("word", variables) == "! invalid argument: not a number: abc");
    CHECK(value("k", variables) == "! invalid argument: no such variable: k");
}

TEST_CASE("commands/arithmetic: what can't be computed is said") {
    CHECK(value("") == "! invalid argument: a number is missing");
    CHECK(value("1 +") == "! invalid argument: a number is missing");
    CHECK(value("1 2") == "! invalid argument: unexpected 2");
    CHECK(value("(1") == "! invalid argument: a ) is missing");
    CHECK(value("1 ? 2") == "! invalid argument: unexpected ?%202");
    CHECK(value("1 % 0") == "! invalid argument: division by zero");
    CHECK(value("1 << 64") == "! invalid argument: a shift by less than 0 or more than 63");
    CHECK(value("9223372036854775807 + 1").starts_with("! value too large"));
    CHECK(value("9223372036854775808").starts_with("! value too large"));
    CHECK(value("1 << 63").starts_with("! value too large"));
    CHECK(value("(-9223372036854775807 - 1) / -1").starts_with("! value too large"));
    CHECK(value("(-9223372036854775807 - 1) % -1") == "0");
    CHECK(value(std::string(100'000, '(')) == "! invalid argument: nested too deeply");
    CHECK(value(std::string(100'000, '-') + "1") == "! invalid argument: nested too deeply");
}

TEST_CASE("commands/script: the end of a line that is being typed is found, for completion") {
    auto typed = [](std::string_view line) {
        auto result = typed_words(line, {{"d", "dir"}});
        if (!result) return "! " + result.error().detail;
        std::string out = std::to_string(result->begin);
        for (const std::string& word : result->words) out += " " + word;
        return out;
    };
    CHECK(typed("ls /do") == "3 ls /do");
    CHECK(typed("ls a\\ b") == "3 ls a b");
    CHECK(typed("ls ") == "3 ls ");
    CHECK(typed("") == "0 ");
    CHECK(typed("ls; ca") == "4 ca");
    CHECK(typed("repeat 3 { cat /f") == "15 cat /f");
    CHECK(typed("repeat 3 { ") == "11 ");
    CHECK(typed("ls } x") == "5 x");
    CHECK(typed("cat $d/f") == "4 cat dir/f");
    CHECK(typed("cat 'a b") == "! a quote is not closed");
}

TEST_CASE("commands/script: no text breaks the reader") {
    constexpr std::string_view pieces[] = {"repeat", " ",  "{",  "}", ";",  "\n",
                                           "'",      "\"", "\\", "$", "((", "))",
                                           "${",     "x",  "3",  "#", "\r", std::string_view("\0", 1),
                                           "\xff"};
    u64 state = 1;
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (int i = 0; i < 24; ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            text += pieces[(state >> 33) % std::size(pieces)];
        }
        ScriptReader reader(text);
        for (auto statement = reader.next(); statement && *statement; statement = reader.next()) {
            for (std::string_view word : (*statement)->words) expand(word, {{"x", "1"}});
        }
        typed_words(text, {});
        split_words(text);
        evaluate(text, {});
    }
}
