// SPDX-License-Identifier: MIT
// Shell patterns and how values look.
#include "commands/glob.h"

#include "commands/json.h"
#include "commands/paths.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::commands;

TEST_CASE("commands/glob: stars, question marks, sets and backslashes match the whole name") {
    CHECK(glob_match("*.conf", "a.conf"));
    CHECK_FALSE(glob_match("*.conf", "a.conf.bak"));
    CHECK(glob_match("a?c", "abc"));
    CHECK_FALSE(glob_match("a?c", "ac"));
    CHECK(glob_match("[a-c]x", "bx"));
    CHECK_FALSE(glob_match("[!a-c]x", "bx"));
    CHECK(glob_match("[]]", "]"));
    CHECK(glob_match("[x", "[x"));
    CHECK(glob_match("\\*", "*"));
    CHECK_FALSE(glob_match("\\*", "a"));
    CHECK(glob_match("**a**", "bab"));
    CHECK(glob_match("", ""));
    CHECK_FALSE(glob_match("", "a"));
    CHECK(glob_match("*", ""));
    CHECK(glob_match("*\xff", "a\xff"));
}

TEST_CASE("commands/glob: a pattern of many stars ends soon on a long name") {
    std::string pattern, name(255, 'a');
    for (int i = 0; i < 40; ++i) pattern += "a*";
    CHECK_FALSE(glob_match(pattern + "b", name));
}

TEST_CASE("commands/paths: joined and tidied as text") {
    CHECK(join_path("/a", "b") == "/a/b");
    CHECK(join_path("/", "b") == "/b");
    CHECK(join_path("/a", "/b") == "/b");
    CHECK(join_path("/a", "") == "/a");
    CHECK(child_path("/a", "/b") == "/a//b");
    CHECK(tidy_path("/a/./b//../c/") == "/a/c");
    CHECK(tidy_path("/../..") == "/");
    CHECK(last_name("/a/b/") == "b");
    CHECK(last_name("/") == "/");
}

TEST_CASE("commands/paths: names that a host can't have are known") {
    CHECK(possible_name("a"));
    CHECK(possible_name("..."));
    CHECK_FALSE(possible_name(""));
    CHECK_FALSE(possible_name("."));
    CHECK_FALSE(possible_name(".."));
    CHECK_FALSE(possible_name("a/b"));
    CHECK_FALSE(possible_name(std::string_view("a\0b", 3)));
}

TEST_CASE("commands/show: modes as ls writes them") {
    CHECK(mode_text(0100644) == "-rw-r--r--");
    CHECK(mode_text(0041777) == "drwxrwxrwt");
    CHECK(mode_text(0104755) == "-rwsr-xr-x");
    CHECK(mode_text(0102644) == "-rw-r-Sr--");
    CHECK(mode_text(0120777) == "lrwxrwxrwx");
}

TEST_CASE("commands/show: times have nine digits, whatever nanoseconds a damaged inode has") {
    CHECK(stamp({1, 5}) == "1.000000005");
    CHECK(stamp({-1, 250'000'000}) == "-1.250000000");
    CHECK(stamp({1, 2'000'000'001}) == "3.000000001");
}

TEST_CASE("commands/show: control characters never reach a terminal") {
    Style terminal{.colour = false, .escape_names = true};
    CHECK(name_text("a\x1b[31m", terminal) == "a\\x1b[31m");
    CHECK(name_text("\xff", terminal) == "\\xff");
    CHECK(name_text("grün", terminal) == "grün");
    CHECK(name_text("a\nb", Style{}) == "a\nb");
}

TEST_CASE("commands/json: strings are escaped, members keep their order") {
    CHECK(json_string("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\n\\u0001\"");
    CHECK(json_string("\xff") == "\"\xef\xbf\xbd\"");
    CHECK(JsonObject().add("b", 1).add("a", true).add("c", "x").str() == R"({"b": 1, "a": true, "c": "x"})");
    CHECK(JsonArray().add("x").raw("1").str() == R"(["x", 1])");
    CHECK(JsonObject().str() == "{}");
}
