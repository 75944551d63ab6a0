// SPDX-License-Identifier: MIT
#include "vfs/open_file.h"

#include "support/memory_fs.h"

#include <array>
#include <doctest/doctest.h>
#include <thread>

using namespace glassfs;
using namespace glassfs::vfs;

namespace {

// Data, hole, data (4096 each), and 100 bytes of data.
Buffer holed() {
    Buffer content(3 * 4096 + 100, 0);
    std::fill_n(content.begin(), 4096, u8{1});
    std::fill(content.begin() + 8192, content.end(), u8{2});
    return content;
}

std::unique_ptr<OpenFile> opened(FileSystem& files, std::string_view path) {
    auto file = OpenFile::open(files, path);
    REQUIRE(file);
    return std::move(*file);
}

Errno error(const Result<u64>& result) {
    REQUIRE(!result);
    return result.error().code();
}

}  // namespace

TEST_CASE("vfs/open: reads advance the position, preads don't") {
    support::MemoryFs files;
    files.add_file(files.root(), "f", {10, 11, 12, 13, 14});
    auto file = opened(files, "/f");
    Buffer two(2);
    CHECK(file->read(two).value() == 2);
    CHECK(two == Buffer{10, 11});
    CHECK(file->pread(4, two).value() == 1);
    CHECK(two[0] == 14);
    CHECK(file->read(two).value() == 2);
    CHECK(two == Buffer{12, 13});
    CHECK(file->read(two).value() == 1);
    CHECK(file->read(two).value() == 0);
    CHECK(file->seek(0, SeekFrom::Current).value() == 5);
    CHECK(file->pread(position_max, two).value() == 0);
    CHECK(file->pread(position_max + 1, two).error().code() == Errno::INVAL);
}

TEST_CASE("vfs/seek: set, current and end move within 0 and the largest position") {
    support::MemoryFs files;
    files.add_file(files.root(), "f", Buffer(100));
    auto file = opened(files, "/f");
    CHECK(file->seek(40, SeekFrom::Set).value() == 40);
    CHECK(file->seek(-10, SeekFrom::Current).value() == 30);
    CHECK(file->seek(-100, SeekFrom::End).value() == 0);
    CHECK(file->seek(1000, SeekFrom::End).value() == 1100);
    Buffer one(1);
    CHECK(file->read(one).value() == 0);
    CHECK(file->seek(INT64_MAX, SeekFrom::Set).value() == position_max);
    CHECK(error(file->seek(1, SeekFrom::Current)) == Errno::INVAL);
    CHECK(error(file->seek(INT64_MAX, SeekFrom::End)) == Errno::INVAL);
    CHECK(error(file->seek(-1, SeekFrom::Set)) == Errno::INVAL);
    CHECK(error(file->seek(-101, SeekFrom::End)) == Errno::INVAL);
    CHECK(error(file->seek(INT64_MIN, SeekFrom::Set)) == Errno::INVAL);
    CHECK(error(file->seek(INT64_MIN, SeekFrom::Current)) == Errno::INVAL);
    CHECK(file->seek(0, SeekFrom::Current).value() == position_max);  // errors moved nothing
}

TEST_CASE("vfs/seek: data and hole as Linux finds them") {
    support::MemoryFs files;
    files.add_file(files.root(), "f", holed());
    files.add_file(files.root(), "tail", Buffer(8192));  // a hole up to the end
    files.add_file(files.root(), "nothing", {});
    auto file = opened(files, "/f");
    CHECK(file->seek(0, SeekFrom::Data).value() == 0);
    CHECK(file->seek(10, SeekFrom::Data).value() == 10);
    CHECK(file->seek(4096, SeekFrom::Data).value() == 8192);
    CHECK(file->seek(5000, SeekFrom::Data).value() == 8192);
    CHECK(file->seek(0, SeekFrom::Hole).value() == 4096);
    CHECK(file->seek(5000, SeekFrom::Hole).value() == 5000);
    CHECK(file->seek(9000, SeekFrom::Hole).value() == 3 * 4096 + 100);  // the end is a hole
    CHECK(file->seek(-5, SeekFrom::Data).value() == 0);
    CHECK(file->seek(INT64_MIN, SeekFrom::Hole).value() == 4096);
    CHECK(error(file->seek(3 * 4096 + 100, SeekFrom::Hole)) == Errno::NXIO);
    CHECK(error(file->seek(3 * 4096 + 100, SeekFrom::Data)) == Errno::NXIO);
    CHECK(file->seek(0, SeekFrom::Current).value() == 4096);  // where the last success left it
    CHECK(error(opened(files, "/tail")->seek(0, SeekFrom::Data)) == Errno::NXIO);
    CHECK(opened(files, "/tail")->seek(100, SeekFrom::Hole).value() == 100);
    CHECK(error(opened(files, "/nothing")->seek(0, SeekFrom::Hole)) == Errno::NXIO);
}

TEST_CASE("vfs/open: directories open but can't be read, and special files don't open") {
    support::MemoryFs files;
    NodeId dir = files.add_directory(files.root(), "d");
    NodeId link = files.add_symlink(files.root(), "l", "d");
    files.add(files.root(), "pipe", FileType::Fifo);
    Buffer one(1);
    CHECK(opened(files, "/d")->read(one).error().code() == Errno::ISDIR);
    CHECK(opened(files, "/l")->node() == dir);
    CHECK(OpenFile::open(files, link).error().code() == Errno::LOOP);
    CHECK(OpenFile::open(files, "/pipe").error().message() == "not supported: can't open a fifo");
    CHECK(OpenFile::open(files, "/none").error().code() == Errno::NOENT);
}

TEST_CASE("vfs/open: threads that share a position read every byte once") {
    support::MemoryFs files;
    Buffer content(40000);
    for (std::size_t i = 0; i < content.size(); i += 4) content[i] = static_cast<u8>(i / 4 % 100 + 1);
    files.add_file(files.root(), "f", content);
    auto file = opened(files, "/f");
    std::array<u64, 4> sums{};
    std::vector<std::thread> threads;
    for (u64& sum : sums) {
        threads.emplace_back([&] {
            Buffer piece(7);
            while (std::size_t got = file->read(piece).value_or(0)) {
                for (std::size_t i = 0; i < got; ++i) sum += piece[i];
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(sums[0] + sums[1] + sums[2] + sums[3] == 100 * 5050);
}
