// SPDX-License-Identifier: MIT
// Import of a directory of the host, into the model of Linux's btrfs.
#include "commands/import_dir.h"
#include "commands/model_volume.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace glassfs;
using namespace glassfs::commands;
using test::ModelConsole;
namespace fs = std::filesystem;

namespace {

struct Import : ModelConsole {
    fs::path host;
    std::vector<std::string> errors = {};
    ImportOptions options = {};

    Import() {
        std::string pattern = (fs::temp_directory_path() / "glassfs-import-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        host = pattern;
        options.failed = [this](const std::string& path, const Error& error) {
            errors.push_back(path.substr(host.string().size()) + ": " + error.message());
        };
    }
    ~Import() { fs::remove_all(host); }

    void put(const std::string& name, std::string_view content) {
        std::ofstream(host / name, std::ios::binary) << content;
    }
    ExportTotals run(u32 jobs = 2) {
        errors.clear();
        options.jobs = jobs;
        auto source = open_host_directory(host.string());
        REQUIRE(source);
        auto totals =
            import_directory(volume.fs, std::move(*source), host.string(), volume.fs.root(), options);
        REQUIRE(totals);
        return *totals;
    }
};

void set_times(const fs::path& path, s64 seconds, long nanos) {
    timespec times[2] = {{static_cast<time_t>(seconds), nanos}, {static_cast<time_t>(seconds) + 1, nanos}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
}

}  // namespace

TEST_CASE("commands/import: files, directories, symlinks, links, modes and times arrive") {
    Import import;
    fs::create_directories(import.host / "dir/empty");
    import.put("dir/file", "content");
    import.put("z", "");
    fs::create_symlink("../z", import.host / "dir/link");
    fs::create_hard_link(import.host / "dir/file", import.host / "again");
    REQUIRE(::mkfifo((import.host / "pipe").c_str(), 0600) == 0);
    fs::permissions(import.host / "dir/file", fs::perms(04751));
    fs::permissions(import.host / "dir", fs::perms(0711));
    set_times(import.host / "dir/file", 1000, 5);
    set_times(import.host / "dir/link", 3000, 9);
    set_times(import.host / "dir", 2000, 7);
    for (u32 jobs : {1U, 3U}) {
        CAPTURE(jobs);
        Import fresh;
        fresh.host.swap(import.host);
        ExportTotals totals = fresh.run(jobs);
        fresh.host.swap(import.host);
        CHECK(fresh.errors.empty());
        CHECK(totals.files == 2);
        CHECK(totals.directories == 2);
        CHECK(totals.links == 1);
        CHECK(totals.others == 2);
        CHECK(totals.data_bytes == 7);
        CHECK(fresh.output("cat /again") == "content");
        std::string file = fresh.output("stat /dir/file --json");
        CHECK(file.find("\"mode\": \"4751\"") != std::string::npos);
        CHECK(file.find("\"nlink\": 2") != std::string::npos);
        CHECK(file.find("\"mtime\": \"1001.000000005\"") != std::string::npos);
        CHECK(file.find("\"atime\": \"1000.000000005\"") != std::string::npos);
        CHECK(fresh.output("stat /dir --json").find("\"mtime\": \"2001.000000007\"") != std::string::npos);
        CHECK(fresh.output("stat /dir --json").find("\"mode\": \"0711\"") != std::string::npos);
        std::string link = fresh.output("stat /dir/link --json");
        CHECK(link.find("\"target\": \"../z\"") != std::string::npos);
        CHECK(link.find("\"mtime\": \"3001.000000009\"") != std::string::npos);
        CHECK(fresh.output("find / --type p") == "/pipe\n");
        struct stat top {};
        REQUIRE(::stat(import.host.c_str(), &top) == 0);
        std::string mtime = "\"mtime\": \"" + std::to_string(top.st_mtim.tv_sec) + ".";
        CHECK(fresh.output("stat / --json").find(mtime) != std::string::npos);
    }
}

TEST_CASE("commands/import: the same directory gives the same inode numbers, whatever the threads") {
    Import one, two;
    for (int d = 0; d < 30; ++d) {
        std::string dir = "d" + std::to_string(d);
        fs::create_directory(one.host / dir);
        for (int f = 0; f < 40; ++f)
            one.put(dir + "/f" + std::to_string(f), std::string(static_cast<std::size_t>(f), 'x'));
    }
    ExportTotals totals = one.run(1);
    CHECK(totals.files == 1200);
    fs::path own = two.host;
    two.host = one.host;
    two.run(4);
    two.host = own;
    CHECK(one.output("find / --json") == two.output("find / --json"));
    CHECK(one.output("stat /d0/f0 --json").find("\"ino\": 258") != std::string::npos);
}

TEST_CASE("commands/import: holes stay holes, small files and large ones alike") {
    Import import;
    for (auto [name, size] : {std::pair("small", 512 << 10), std::pair("large", 8 << 20)}) {
        int file = ::open((import.host / name).c_str(), O_RDWR | O_CREAT, 0600);
        REQUIRE(file >= 0);
        REQUIRE(::ftruncate(file, size) == 0);
        REQUIRE(::pwrite(file, "middle", 6, 256 << 10) == 6);
        ::close(file);
    }
    import.put("full", std::string(3 << 20, 'f'));
    ExportTotals totals = import.run();
    CHECK(import.errors.empty());
    CHECK(import.output("cat /full") == std::string(3 << 20, 'f'));
    std::string small = import.output("stat /small -e --json"),
                large = import.output("stat /large -e --json");
    CHECK(small.find("\"size\": 524288") != std::string::npos);
    CHECK(large.find("\"size\": 8388608") != std::string::npos);
    CHECK(import.output("cat /small --offset 256K --length 6") == "middle");
    CHECK(import.output("cat /large --offset 256K --length 8") == std::string("middle\0\0", 8));
    if (totals.data_bytes < (4 << 20)) {  // the host knows holes
        CHECK(small.find("\"data\": [[262144, 266240]]") != std::string::npos);
        CHECK(large.find("\"data\": [[262144, 266240]]") != std::string::npos);
    }
}

TEST_CASE("commands/import: what is there is filled or reported, and replaced when asked") {
    Import import;
    import.output("mkdir /dir; write /dir/old kept; write /dir/file before; write /wall x; mkdir /other");
    fs::create_directory(import.host / "dir");
    import.put("dir/file", "after");
    fs::create_directory(import.host / "wall");
    import.put("wall/in", "");
    import.put("other", "");
    ExportTotals totals = import.run();
    CHECK(totals.errors == 4);
    std::ranges::sort(import.errors);
    std::string errors;
    for (const std::string& error : import.errors) errors += error + "\n";
    CHECK(errors ==
          "/dir/file: already exists\n"
          "/other: already exists\n"
          "/wall/in: no such file or directory: its directory could not be made\n"
          "/wall: already exists\n");
    CHECK(import.output("cat /dir/file; cat /dir/old") == "beforekept");
    import.options.existing = Existing::Replace;
    import.run();
    CHECK(import.output("cat /dir/file; cat /dir/old") == "afterkept");
    REQUIRE_FALSE(import.errors.empty());
    CHECK(import.errors[0] == "/other: is a directory");
}

TEST_CASE("commands/import: hundreds of directories deep, and cancelled") {
    Import import;
    fs::path path = import.host;
    std::string inside;
    fs::path before = fs::current_path();
    fs::current_path(path);
    for (int i = 0; i < 300; ++i) {
        fs::create_directory("directory-with-a-name");
        fs::current_path("directory-with-a-name");
        inside += "/directory-with-a-name";
    }
    std::ofstream("f") << "deep";
    fs::current_path(before);
    ExportTotals totals = import.run();
    CHECK(import.errors.empty());
    CHECK(totals.directories == 300);
    CHECK(import.output("find / --name f").size() == inside.size() + 3);
    import.options.progress = [](double, std::string_view) { return false;
};
auto source = open_host_directory(import.host.string());
REQUIRE(source);
auto cancelled = import_directory(import.volume.fs, std::move(*source), import.host.string(),
                                  import.volume.fs.root(), import.options);
REQUIRE_FALSE(cancelled);
CHECK(cancelled.error().cause == Cause::Cancelled);
}
