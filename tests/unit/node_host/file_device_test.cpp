// SPDX-License-Identifier: MIT
// Built for node only: its descriptors are used by all threads, not by the main thread for them.
#include "block/file_device.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace glassfs;

namespace {

class ScratchFolder {
  public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "glassfs-node-host-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    std::string file(const char* name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

}  // namespace

TEST_CASE("node_host/file_device: threads write and read several files at positions, at the same time") {
    constexpr u64 piece = 100000;
    constexpr u32 pieces = 40;
    ScratchFolder folder;
    std::vector<std::shared_ptr<block::FileDevice>> files;
    for (const char* name : {"a", "b"}) {
        files.push_back(block::FileDevice::create(folder.file(name), pieces * piece).value());
    }
    std::atomic<int> failures = 0;
    auto work = [&](u32 thread) {
        for (u32 i = thread; i < pieces; i += 4) {
            for (u32 file = 0; file < 2; ++file) {
                Buffer out(piece, static_cast<u8>(2 * i + file + 1));
                Buffer in(piece);
                if (!files[file]->write(i * piece, out)) ++failures;
                if (!files[file]->read(i * piece, in) || in != out) ++failures;
            }
        }
    };
    std::vector<std::thread> threads;
    for (u32 thread = 1; thread < 4; ++thread) threads.emplace_back(work, thread);
    work(0);
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == 0);
    for (u32 i = 0; i < pieces; ++i) {
        Buffer in(piece);
        REQUIRE(files[1]->read(i * piece, in));
        CHECK(in == Buffer(piece, static_cast<u8>(2 * i + 2)));
    }
}

TEST_CASE("node_host/file_device: reading at a position fails with the machine's error, its own stays") {
    ScratchFolder folder;
    int file = ::open(folder.file("a").c_str(), O_RDWR | O_CREAT, 0666);
    REQUIRE(file >= 0);
    REQUIRE(::write(file, "abcdef", 6) == 6);
    REQUIRE(::lseek(file, 1, SEEK_SET) == 1);
    char got[4] = {};
    CHECK(::pread(file, got, 3, 3) == 3);
    CHECK(std::string(got) == "def");
    CHECK(::pread(file, got, 3, 5) == 1);
    CHECK(::pread(file, got, 3, 6) == 0);
    CHECK(::pwrite(file, "XY", 2, 4) == 2);
    CHECK(::read(file, got, 4) == 4);
    CHECK(std::string(got, 4) == "bcdX");
    ::close(file);
    errno = 0;
    CHECK(::pread(file, got, 3, 0) == -1);
    CHECK(errno == EBADF);
    file = ::open(folder.file("a").c_str(), O_RDONLY);
    errno = 0;
    CHECK(::pwrite(file, "Z", 1, 0) == -1);
    CHECK(errno == EBADF);
    ::close(file);
}
