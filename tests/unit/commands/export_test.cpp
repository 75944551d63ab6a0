// SPDX-License-Identifier: MIT
// Export into a directory of the host and into a tar archive, with volumes that mean harm.
#include "commands/export_dir.h"
#include "commands/tar.h"
#include "commands/test_volume.h"
#include "commands/workers.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace glassfs;
using namespace glassfs::commands;
using test::bytes_of;
namespace fs = std::filesystem;

namespace {

// A directory of its own below the system's place for such, removed at the end.
struct Scratch {
    fs::path path;
    Scratch() {
        std::string pattern = (fs::temp_directory_path() / "glassfs-export-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path = pattern;
    }
    ~Scratch() { fs::remove_all(path); }
};

struct Outcome {
    Result<ExportTotals> totals;
    std::vector<std::string> errors;
};

Outcome export_to(test::TestVolume& volume, const fs::path& target, Existing existing = Existing::Fail) {
    Outcome outcome{ExportTotals{}, {}};
    ExportOptions options;
    options.existing = existing;
    options.jobs = 2;
    options.failed = [&](const std::string& path, const Error&) { outcome.errors.push_back(path); };
    outcome.totals = export_directory(volume.fs, volume.fs.root(), "/", target.string(), options);
    std::ranges::sort(outcome.errors);
    return outcome;
}

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

}  // namespace

TEST_CASE("commands/export: files, directories, symlinks, links and times arrive") {
    Scratch scratch;
    test::TestVolume volume;
    auto dir = volume.fs.add_directory(volume.fs.root(), "dir");
    auto file = volume.fs.add_file(dir, "file", bytes_of("content"));
    volume.fs.add_symlink(dir, "link", "/etc/passwd");
    volume.fs.extra[file] = {.mode = 0640, .mtime = {1000, 5}};
    volume.fs.extra[dir] = {.mode = 0500, .mtime = {2000, 7}};
    Outcome outcome = export_to(volume, scratch.path / "new");
    REQUIRE(outcome.totals.has_value());
    CHECK(outcome.errors.empty());
    CHECK(outcome.totals->files == 1);
    CHECK(outcome.totals->directories == 1);
    CHECK(outcome.totals->others == 1);
    CHECK(content(scratch.path / "new/dir/file") == "content");
    CHECK(fs::read_symlink(scratch.path / "new/dir/link") == "/etc/passwd");
    struct stat info {};
    REQUIRE(::stat((scratch.path / "new/dir/file").c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0640);
    CHECK(info.st_mtime == 1000);
    REQUIRE(::stat((scratch.path / "new/dir").c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0500);
    CHECK(info.st_mtime == 2000);
    ::chmod((scratch.path / "new/dir").c_str(), 0700);
}

TEST_CASE("commands/export: names that would lead elsewhere are refused, and the rest is copied") {
    Scratch scratch;
    test::TestVolume volume;
    for (const char* name : {"../escaped", "/escaped", "..", ".", "", "a/b"}) {
        volume.fs.add_file(volume.fs.root(), name, bytes_of("evil"));
    }
    volume.fs.add_directory(volume.fs.root(), "../escaped-dir");
    volume.fs.add_file(volume.fs.root(), "good", bytes_of("good"));
    Outcome outcome = export_to(volume, scratch.path / "target");
    REQUIRE(outcome.totals.has_value());
    CHECK(outcome.totals->errors == 7);
    CHECK(outcome.errors.size() == 7);
    CHECK(content(scratch.path / "target/good") == "good");
    std::size_t entries = 0;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path))
        entries += entry.exists() ? 1 : 0;
    CHECK(entries == 2);  // the target and one file
}

TEST_CASE("commands/export: a symlink in the target is never followed, not even with force") {
    Scratch scratch;
    fs::create_directories(scratch.path / "outside");
    fs::create_directories(scratch.path / "target");
    std::ofstream(scratch.path / "outside/victim") << "untouched";
    fs::create_symlink(scratch.path / "outside", scratch.path / "target/dir");
    fs::create_symlink(scratch.path / "outside/victim", scratch.path / "target/file");
    test::TestVolume volume;
    auto dir = volume.fs.add_directory(volume.fs.root(), "dir");
    volume.fs.add_file(dir, "victim", bytes_of("evil"));
    volume.fs.add_file(volume.fs.root(), "file", bytes_of("new"));
    Outcome outcome = export_to(volume, scratch.path / "target", Existing::Replace);
    REQUIRE(outcome.totals.has_value());
    CHECK(outcome.errors == std::vector<std::string>{"/dir", "/dir/victim"});
    CHECK(content(scratch.path / "outside/victim") == "untouched");
    CHECK_FALSE(fs::is_symlink(scratch.path / "target/file"));
    CHECK(content(scratch.path / "target/file") == "new");
}

TEST_CASE("commands/export: a directory with something in it is refused without force") {
    Scratch scratch;
    std::ofstream(scratch.path / "something") << "x";
    test::TestVolume volume;
    Outcome outcome = export_to(volume, scratch.path);
    REQUIRE_FALSE(outcome.totals.has_value());
    CHECK(outcome.totals.error().cause == Cause::Exists);
}

TEST_CASE("commands/export: holes stay holes") {
    Scratch scratch;
    test::TestVolume volume;
    Buffer bytes(8 << 20);
    bytes[4 << 20] = 'x';
    volume.fs.add_file(volume.fs.root(), "sparse", bytes);
    volume.fs.add_file(volume.fs.root(), "hole", Buffer(1 << 20));
    Outcome outcome = export_to(volume, scratch.path / "t");
    REQUIRE(outcome.totals.has_value());
    CHECK(outcome.totals->data_bytes == 4096);
    struct stat info {};
    REQUIRE(::stat((scratch.path / "t/sparse").c_str(), &info) == 0);
    CHECK(info.st_size == 8 << 20);
    CHECK(content(scratch.path / "t/sparse") == std::string(bytes.begin(), bytes.end()));
    CHECK(fs::file_size(scratch.path / "t/hole") == 1 << 20);
}

TEST_CASE("commands/export: an unreadable place costs its bytes, an unreadable file only itself") {
    Scratch scratch;
    test::TestVolume volume;
    auto partly = volume.fs.add_file(volume.fs.root(), "partly", Buffer(10000, 'a'));
    auto all = volume.fs.add_file(volume.fs.root(), "all", Buffer(10000, 'b'));
    volume.fs.add_file(volume.fs.root(), "good", bytes_of("good"));
    volume.fs.extra[partly] = {.read_fails = Cause::DataChecksum, .read_fails_from = 8192};
    volume.fs.extra[all] = {.read_fails = Cause::DataChecksum};
    Outcome outcome = export_to(volume, scratch.path / "t");
    REQUIRE(outcome.totals.has_value());
    CHECK(outcome.errors == std::vector<std::string>{"/all", "/partly"});
    CHECK(content(scratch.path / "t/partly") == std::string(8192, 'a') + std::string(1808, '\0'));
    CHECK_FALSE(fs::exists(scratch.path / "t/all"));
    CHECK(content(scratch.path / "t/good") == "good");
}

TEST_CASE("commands/export: hundreds of directories deep") {
    Scratch scratch;
    test::TestVolume volume;
    auto dir = volume.fs.root();
    fs::path path = scratch.path / "t";
    for (int i = 0; i < 300; ++i) {
        dir = volume.fs.add_directory(dir, "d");
        path /= "d";
    }
    volume.fs.add_file(dir, "f", bytes_of("deep"));
    Outcome outcome = export_to(volume, scratch.path / "t");
    REQUIRE(outcome.totals.has_value());
    CHECK(outcome.errors.empty());
    CHECK(content(path / "f") == "deep");
}

TEST_CASE("commands/tar: whole blocks, sealed headers, contents where the headers say") {
    test::TestVolume volume;
    auto dir = volume.fs.add_directory(volume.fs.root(), "dir");
    auto file = volume.fs.add_file(dir, "file", bytes_of("content"));
    volume.fs.extra[file] = {.xattrs = {{"user.x", bytes_of("1")}}};
    volume.fs.add_file(dir, "..", bytes_of("evil"));
    std::string archive;
    std::vector<std::string> errors;
    TarOptions options;
    options.prefix = "top";
    options.failed = [&](const std::string& path, const Error&) { errors.push_back(path); };
    auto totals = write_tar(
        volume.fs, volume.fs.root(), "/", [&](std::string_view s) { archive += s; }, options);
    REQUIRE(totals.has_value());
    CHECK(totals->files == 1);
    CHECK(errors == std::vector<std::string>{"/dir/.."});
    REQUIRE(archive.size() % 512 == 0);
    std::vector<std::string> members;
    for (std::size_t at = 0; at + 1024 < archive.size();) {
        std::string header = archive.substr(at, 512);
        u64 sum = 8 * ' ';
        for (std::size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? 0 : static_cast<u8>(header[i]);
        CHECK(std::stoul(header.substr(148, 6), nullptr, 8) == sum);
        std::size_t size = std::stoul(header.substr(124, 11), nullptr, 8);
        if (header[156] != 'x') members.push_back(header.c_str());
        if (members.size() == 3 && header[156] == '0') CHECK(archive.substr(at + 512, size) == "content");
        if (header[156] == 'x' && members.size() == 2) {
            CHECK(archive.substr(at + 512, size).find("25 SCHILY.xattr.user.x=1\n") != std::string::npos);
        }
        at += 512 + (size + 511) / 512 * 512;
    }
    CHECK(members == std::vector<std::string>{"top/", "top/dir/", "top/dir/file"});
    CHECK(archive.substr(archive.size() - 1024) == std::string(1024, '\0'));
}

TEST_CASE("commands/workers: every piece is done once, and a cancelled run ends early") {
    std::vector<std::atomic<int>> done(1000);
    CHECK(parallel_for(3, done.size(), [&](std::size_t i) { ++done[i]; }, {}));
    for (const auto& count : done) CHECK(count == 1);
    std::size_t begun = 0;
    CHECK_FALSE(parallel_for(
        1, 1000, [&](std::size_t) { ++begun; }, [&] { return begun < 5; }));
    CHECK(begun == 5);
    CHECK(parallel_for(4, 0, [](std::size_t) { FAIL("nothing to do"); }, {}));
}
