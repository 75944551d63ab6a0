// SPDX-License-Identifier: MIT
// A console on the model of Linux's btrfs (support/model_fs.h), for tests of commands that change a volume.
#pragma once

#include "commands/console.h"
#include "support/model_fs.h"

#include <doctest/doctest.h>

namespace glassfs::commands::test {

class ModelVolume final : public mount::Volume {
  public:
    support::ModelFs fs;
    vfs::FileSystem& files() override { return fs; }
    inspect::Inspector& inspector() override {
        assertion_failed("no inspector in this test", __FILE__, __LINE__);
    }
    Result<check::Report> check(const check::Options&, const std::function<bool(double)>&) override {
        return check::Report{};
    }
    Environment& environment() override { return environment_; }
    std::span<const mount::InodeFlag> inode_flags() const override { return flags; }
    Result<std::vector<mount::Subvolume>> subvolumes() override {
        return std::vector<mount::Subvolume>{{256, Generation{7}, "home", vfs::SnapshotKind::Writable},
                                             {257, Generation{8}, "snap/1", vfs::SnapshotKind::ReadOnly}};
    }

  private:
    static constexpr mount::InodeFlag flags[] = {{'C', 2, "no copy on write"}, {'i', 64, "can't be changed"}};
    SeededEnvironment environment_{1, {1000, 0}};
};

struct ModelConsole {
    ModelVolume volume;
    ConsoleState state;
    std::string out = {}, err = {};

    ModelConsole() {
        state.style.escape_names = false;
        state.cat_bytes_max = 0;
    }
    int run(std::string_view text) {
        out.clear();
        err.clear();
        return run_line(
            volume, text, state, [&](std::string_view s) { out += s; },
            [&](std::string_view s) { err += s; });
    }
    // What a line prints that must succeed.
    std::string output(std::string_view text) {
        int code = run(text);
        CHECK_MESSAGE(code == 0, text << ": " << err);
        return out;
    }
    // What a line complains of that must fail, without "glassfs: " and the newline.
    std::string complaint(std::string_view text, int code = 1) {
        CHECK_MESSAGE(run(text) == code, text);
        if (!err.starts_with("glassfs: ") || !err.ends_with("\n")) return "not a complaint: " + err;
        return err.substr(9, err.size() - 10);
    }
};

}  // namespace glassfs::commands::test
