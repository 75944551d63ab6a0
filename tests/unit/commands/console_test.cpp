// SPDX-License-Identifier: MIT
// Lines typed on the console strip, and their completion.
#include "commands/console.h"

#include "commands/test_volume.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::commands;
using test::bytes_of;

namespace {

struct Console {
    test::TestVolume volume;
    ConsoleState state;
    std::string out, err;

    Console() {
        auto& fs = volume.fs;
        auto docs = fs.add_directory(fs.root(), "docs");
        fs.add_file(docs, "read me", bytes_of("hello\n"));
        fs.add_file(docs, "readable", bytes_of("x"));
        fs.add_directory(docs, "deep");
        fs.add_symlink(fs.root(), "link", "docs/readable");
        fs.add_file(fs.root(), "esc\x1b[31m", bytes_of(""));
    }
    int run(std::string_view line) {
        out.clear();
        err.clear();
        return run_line(
            volume, line, state, [&](std::string_view s) { out += s; },
            [&](std::string_view s) { err += s; });
    }
    std::vector<std::string> completions(std::string_view line) {
        std::vector<std::string> lines;
        for (auto& one : complete(volume, line, state)) lines.push_back(one.line);
        return lines;
    }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("commands/console: a current directory holds for the lines that follow") {
    Console console;
    CHECK(console.run("ls") == 0);
    CHECK(console.out == "docs\nesc\\x1b[31m\nlink\n");
    CHECK(console.run("cd docs") == 0);
    CHECK(console.run("pwd") == 0);
    CHECK(console.out == "/docs\n");
    CHECK(console.run("cat 'read me'") == 0);
    CHECK(console.out == "hello\n");
    CHECK(console.run("ls ..") == 0);
    CHECK(console.out.starts_with("docs\n"));
    CHECK(console.run("cd") == 0);
    CHECK(console.state.cwd == "/");
}

TEST_CASE("commands/console: what can't be done is one line, and the directory stays") {
    Console console;
    CHECK(console.run("cd /nowhere") == 1);
    CHECK(console.err == "glassfs: /nowhere: no such file or directory: nowhere\n");
    CHECK(console.run("cd /link") == 1);
    CHECK(console.err.find("not a directory") != std::string::npos);
    CHECK(console.run("frobnicate") == 2);
    CHECK(console.run("cat 'open") == 2);
    CHECK(console.run("cat /docs") == 1);
    CHECK(console.state.cwd == "/");
    CHECK(console.run("") == 0);
    CHECK(console.out.empty());
    CHECK(console.err.empty());
}

TEST_CASE("commands/console: a long file is cut, and says how much is missing") {
    Console console;
    console.state.cat_bytes_max = 2;
    CHECK(console.run("cat '/docs/read me'") == 0);
    CHECK(console.out == "he\n... 4 bytes more\n");
}

TEST_CASE("commands/console: tree, find and stat work without a terminal") {
    Console console;
    CHECK(console.run("tree /docs") == 0);
    CHECK(console.out == "/docs\n├── deep\n├── read me\n└── readable\n\n1 directory, 2 others\n");
    CHECK(console.run("find / --name 'read*' --type f") == 0);
    CHECK(console.out == "/docs/read me\n/docs/readable\n");
    CHECK(console.run("find / --min-size 2") == 0);
    CHECK(console.out == "/docs/read me\n/link\n");
    CHECK(console.run("find --type q") == 2);
    CHECK(console.run("stat /link --json") == 0);
    CHECK(console.out.find("\"target\": \"docs/readable\"") != std::string::npos);
    CHECK(console.run("check") == 0);
    CHECK(console.out.starts_with("clean: 0 issues"));
}

TEST_CASE("commands/console: tree draws a directory with several names once") {
    Console console;
    auto& fs = console.volume.fs;
    auto top = fs.add_directory(fs.root(), "maze");
    auto dir = top;
    for (int depth = 0; depth < 30; ++depth) {
        auto below = fs.add_directory(dir, "a");
        fs.add_name(dir, "b", below);
        fs.add_name(dir, "c", top);
        dir = below;
    }
    fs.add_file(dir, "end", {});
    CHECK(console.run("tree /maze") == 0);
    CHECK(console.out.find("90 directories, 1 other\n") != std::string::npos);
    CHECK(console.run("tree /maze --json") == 0);
    CHECK(console.out.size() < 20000);
}

TEST_CASE("commands/console: help lists the commands and tells about each") {
    Console console;
    CHECK(console.run("help") == 0);
    CHECK(console.out.find("dump") != std::string::npos);
    CHECK(console.out.find("export") == std::string::npos);
    CHECK(console.run("help stat") == 0);
    CHECK(console.out.find("--extents") != std::string::npos);
    CHECK(console.run("stat --help") == 0);
    CHECK(console.out.find("--extents") != std::string::npos);
    CHECK(console.run("help export") == 2);
    CHECK(console.run("help help") == 0);
    CHECK(console.run("help repeat") == 0);
    CHECK(console.out.find("repeat 10 { touch /file$i }") != std::string::npos);
}

TEST_CASE("commands/console: commands, options and names are completed") {
    Console console;
    CHECK(console.completions("ca") == Lines{"cat "});
    CHECK(console.completions("cd ") == Lines{"cd docs/", "cd esc\x1b[31m ", "cd link "});
    CHECK(console.completions("cat /docs/re") == Lines{"cat /docs/read\\ me ", "cat /docs/readable "});
    CHECK(console.completions("cat /docs/read\\ ") == Lines{"cat /docs/read\\ me "});
    CHECK(console.completions("stat --ex") == Lines{"stat --extents "});
    CHECK(console.completions("dump fo").empty());
    CHECK(console.completions("help st") == Lines{"help stat "});
    CHECK(console.completions("cat 'open").empty());
    CHECK(console.completions("cat /nowhere/").empty());
    CHECK(console.completions("ls; mkd") == Lines{"ls; mkdir "});
    CHECK(console.completions("repeat 3 { rm") ==
          Lines{"repeat 3 { rm ", "repeat 3 { rmdir ", "repeat 3 { rmfattr "});
    CHECK(console.completions("repeat 3 { rmdir /do") == Lines{"repeat 3 { rmdir /docs/"});
    CHECK(console.completions("write --ra") == Lines{"write --random "});
    CHECK(console.completions("rep") == Lines{"repeat "});
    console.state.variables["d"] = "/docs";
    CHECK(console.completions("cat $d/dee") == Lines{"cat /docs/deep/"});
}

TEST_CASE("commands/console: on a read-only volume, what changes something fails with EROFS") {
    Console console;
    for (const char* line : {"create /new",
                             "touch /new",
                             "mkdir /new",
                             "mknod /new p",
                             "ln /docs/readable /new",
                             "ln -s x /new",
                             "rm /docs/readable",
                             "rmdir /docs/deep",
                             "mv /docs /new",
                             "cp /docs/readable /new",
                             "clone /docs/readable /new",
                             "write /new text",
                             "append /docs/readable text",
                             "truncate -s 0 /docs/readable",
                             "fallocate -l 1 /docs/readable",
                             "chmod 0600 /docs",
                             "chown 1 /docs",
                             "utimens 1 1 /docs",
                             "setfattr -n user.a -v 1 /docs",
                             "rmfattr user.a /docs"}) {
        CAPTURE(line);
        CHECK(console.run(line) == 1);
        CHECK(console.err.starts_with("glassfs: /"));
        CHECK(console.err.find(": read-only file system") == console.err.find(':', 9));
        CHECK(console.out.empty());
    }
    CHECK(console.run("sync; fsync /docs") == 0);
    CHECK(console.run("subvolume create /new") == 1);
}
