// SPDX-License-Identifier: MIT
// The devices one by one: ranges, sparseness, copy-on-write, faults, and the host's files.
#include "block/faulty_device.h"
#include "block/file_device.h"
#include "block/overlay_device.h"
#include "block/ram_device.h"
#include "block/slice_device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <thread>
#include <unistd.h>

using namespace glassfs;
using namespace glassfs::block;

namespace {

Buffer pattern(std::size_t length, u8 first) {
    Buffer bytes(length);
    for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<u8>(first + i * 7);
    return bytes;
}

Buffer read_of(Device& device, u64 at, u64 length) {
    Buffer bytes(length, 0xee);
    REQUIRE(device.read(at, bytes));
    return bytes;
}

Cause cause_of(const Result<void>& result) {
    REQUIRE(!result);
    return result.error().cause;
}

class TemporaryFile {
  public:
    TemporaryFile() {
        const char* folder = std::getenv("TMPDIR");
        path_ = std::string(folder ? folder : "/tmp") + "/glassfs-unit-XXXXXX";
        int file = ::mkstemp(path_.data());
        REQUIRE(file >= 0);
        ::close(file);
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace

TEST_CASE("block/ram: a device of 1 PiB costs only what was written") {
    constexpr u64 size = 1ULL << 50;
    RamDevice device(size, "huge", 4096);
    CHECK(device.size() == size);
    CHECK(device.allocated() == 0);
    CHECK(read_of(device, size - 100, 100) == Buffer(100, 0));
    Buffer data = pattern(6000, 3);
    for (u64 at : {u64{0}, size / 2, size - data.size()}) REQUIRE(device.write(at, data));
    CHECK(read_of(device, size - 6000, 6000) == data);
    CHECK(device.allocated() == 2 * 4096 * 3);
    REQUIRE(device.discard(0, size));
    CHECK(device.allocated() == 0);
    CHECK(read_of(device, size / 2, 6000) == Buffer(6000, 0));
}

TEST_CASE("block/ram: a discard frees whole granules and zeroes the rest of the range only") {
    RamDevice device(1 << 20, "ram", 4096);
    REQUIRE(device.write(0, Buffer(16384, 0xaa)));
    REQUIRE(device.discard(100, 8192));
    CHECK(device.allocated() == 3 * 4096);
    Buffer expected(16384, 0xaa);
    std::fill_n(expected.begin() + 100, 8192, u8{0});
    CHECK(read_of(device, 0, 16384) == expected);
    REQUIRE(device.discard(4000, 10));  // inside of one granule
    REQUIRE(device.discard(9000, 0));
    std::fill_n(expected.begin() + 4000, 10, u8{0});
    CHECK(read_of(device, 0, 16384) == expected);
}

TEST_CASE("block/ram: ranges beyond the end are refused, also those that overflow") {
    RamDevice device(1000);
    Buffer two(2);
    CHECK(cause_of(device.read(999, two)) == Cause::BeyondDeviceEnd);
    CHECK(cause_of(device.write(~u64{0}, two)) == Cause::BeyondDeviceEnd);
    CHECK(cause_of(device.discard(1, ~u64{0})) == Cause::BeyondDeviceEnd);
    CHECK(device.read(1000, MutBytes{}).has_value());
    CHECK(device.write(998, two).has_value());
    CHECK(check_range(device, 1001, 0).error().message() ==
          "the range lies beyond the end of the device: ram: bytes 1001 +0, size 1000");
}

TEST_CASE("block/ram: writers and readers of separate ranges run in parallel") {
    RamDevice device(1 << 24);
    std::vector<std::thread> threads;
    std::array<bool, 4> good{};
    for (u8 t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            Buffer data = pattern(5000, t);
            Buffer back(5000);
            bool same = true;
            for (u64 i = 0; i < 50; ++i) {
                u64 at = (i * 4 + t) * 5000;
                same = same && device.write(at, data) && device.read(at, back) && back == data;
            }
            good[t] = same;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(good == std::array<bool, 4>{true, true, true, true});
}

TEST_CASE("block/overlay: writes are seen above and never reach the base") {
    auto base = std::make_shared<RamDevice>(10000);  // not a multiple of the granule
    Buffer original = pattern(10000, 1);
    REQUIRE(base->write(0, original));
    OverlayDevice device(base);
    Buffer expected = original;
    auto write = [&](u64 at, Bytes data) {
        REQUIRE(device.write(at, data));
        std::copy(data.begin(), data.end(), expected.begin() + static_cast<std::ptrdiff_t>(at));
        CHECK(read_of(device, 0, 10000) == expected);
    };
    write(5000, pattern(10, 200));
    write(9990, pattern(10, 100));
    CHECK(device.allocated() == 2 * 4096);
    write(4000, pattern(5000, 50));
    CHECK(device.allocated() == 3 * 4096);
    REQUIRE(device.discard(4000, 100));
    std::fill_n(expected.begin() + 4000, 100, u8{0});
    CHECK(read_of(device, 0, 10000) == expected);
    CHECK(read_of(device, 3999, 3) == Buffer(expected.begin() + 3999, expected.begin() + 4002));
    CHECK(read_of(*base, 0, 10000) == original);
}

TEST_CASE("block/overlay: discarding what was never written leaves the base's bytes and costs nothing") {
    auto base = std::make_shared<RamDevice>(1ULL << 40);
    REQUIRE(base->write(1ULL << 30, pattern(4096, 9)));
    OverlayDevice device(base);
    REQUIRE(device.discard(0, 1ULL << 40));
    CHECK(device.allocated() == 0);
    CHECK(read_of(device, 1ULL << 30, 4096) == pattern(4096, 9));
}

TEST_CASE("block/overlay: a write whose copying fails changes nothing") {
    auto ram = std::make_shared<RamDevice>(1 << 16);
    Buffer original = pattern(1 << 16, 4);
    REQUIRE(ram->write(0, original));
    auto faulty = std::make_shared<FaultyDevice>(ram);
    OverlayDevice device(faulty);
    faulty->add({.access = Access::Read, .begin = 12288, .length = 4096});
    CHECK(cause_of(device.write(100, Buffer(12300, 0xff))) == Cause::InjectedFault);
    CHECK(read_of(device, 0, 1 << 16) == original);
    CHECK(device.write(100, Buffer(12300, 0xff)).has_value());  // the fault is used up
}

TEST_CASE("block/slice: a partition sees its own bytes and no others") {
    auto base = std::make_shared<RamDevice>(10000, "disk");
    REQUIRE(base->write(0, pattern(10000, 0)));
    auto slice = SliceDevice::make(base, 1000, 500, "p1");
    REQUIRE(slice);
    CHECK((*slice)->name() == "diskp1");
    CHECK((*slice)->size() == 500);
    CHECK(read_of(**slice, 10, 20) == read_of(*base, 1010, 20));
    REQUIRE((*slice)->write(499, Buffer{0x42}));
    CHECK(read_of(*base, 1499, 1) == Buffer{0x42});
    CHECK(cause_of((*slice)->write(499, Buffer(2))) == Cause::BeyondDeviceEnd);
    CHECK(cause_of((*slice)->discard(400, 101)) == Cause::BeyondDeviceEnd);
    CHECK(!SliceDevice::make(base, 9000, 1001, "p2"));
    CHECK(!SliceDevice::make(base, ~u64{0}, 2, "p2"));
}

TEST_CASE("block/faulty: the n-th call fails and those around it work") {
    auto ram = std::make_shared<RamDevice>(4096);
    FaultyDevice device(ram);
    device.add({.access = Access::Write, .skip = 1, .count = 2});
    Buffer one{7};
    CHECK(device.write(0, one).has_value());
    CHECK(cause_of(device.write(1, one)) == Cause::InjectedFault);
    CHECK(cause_of(device.write(2, one)) == Cause::InjectedFault);
    CHECK(device.write(3, one).has_value());
    CHECK(read_of(device, 0, 4) == Buffer{7, 0, 0, 7});
    CHECK(device.calls(Access::Write) == 4);
    CHECK(device.calls(Access::Read) == 1);
    CHECK(device.faults_hit() == 2);
    device.add({.access = Access::Flush, .count = Fault::forever});
    for (int i = 0; i < 3; ++i) CHECK(cause_of(device.flush()) == Cause::InjectedFault);
    device.clear();
    CHECK(device.flush().has_value());
}

TEST_CASE("block/faulty: a torn write leaves its first bytes, a bad range fails every read that touches it") {
    auto ram = std::make_shared<RamDevice>(8192);
    FaultyDevice device(ram);
    device.add({.access = Access::Write, .kind = Fault::Kind::Tear, .bytes = 3});
    CHECK(cause_of(device.write(10, Buffer(8, 1))) == Cause::InjectedFault);
    CHECK(read_of(*ram, 9, 6) == Buffer{0, 1, 1, 1, 0, 0});
    device.add({.access = Access::Read, .count = Fault::forever, .begin = 4096, .length = 512});
    Buffer sector(512);
    CHECK(device.read(4096 - 512, sector).has_value());
    CHECK(cause_of(device.read(4096 - 511, sector)) == Cause::InjectedFault);
    CHECK(cause_of(device.read(4607, sector)) == Cause::InjectedFault);
    CHECK(device.read(4608, sector).has_value());
}

TEST_CASE("block/faulty: a flipped bit goes unnoticed by the caller") {
    auto ram = std::make_shared<RamDevice>(100);
    FaultyDevice device(ram);
    device.add({.access = Access::Read, .kind = Fault::Kind::Flip, .bytes = 2});
    device.add({.access = Access::Write, .kind = Fault::Kind::Flip, .bytes = 0});
    CHECK(read_of(device, 0, 4) == Buffer{0, 0, 1, 0});
    CHECK(read_of(device, 0, 4) == Buffer{0, 0, 0, 0});
    REQUIRE(device.write(0, Buffer{8, 8}));
    CHECK(read_of(*ram, 0, 2) == Buffer{9, 8});
}

TEST_CASE("block/file: what is written beyond 4 GiB is read back by another descriptor") {
    TemporaryFile file;
    constexpr u64 size = 6ULL << 30;
    auto created = FileDevice::create(file.path(), size);
    REQUIRE(created);
    CHECK((*created)->size() == size);
    CHECK((*created)->name() == file.path());
    CHECK(!(*created)->read_only());
    Buffer data = pattern(70000, 11);
    REQUIRE((*created)->write(size - data.size(), data));
    REQUIRE((*created)->flush());
    auto opened = FileDevice::open(file.path());
    REQUIRE(opened);
    CHECK((*opened)->size() == size);
    CHECK(read_of(**opened, size - data.size(), data.size()) == data);
    CHECK(read_of(**opened, size - (1ULL << 32) - data.size(), 1000) == Buffer(1000, 0));
    CHECK(cause_of((*opened)->read(size - 1, data)) == Cause::BeyondDeviceEnd);
    CHECK(cause_of((*created)->write(size, Buffer(1))) == Cause::BeyondDeviceEnd);
}

TEST_CASE("block/file: a file opened read-only refuses writes and discards") {
    TemporaryFile file;
    REQUIRE(FileDevice::create(file.path(), 4096));
    auto device = FileDevice::open(file.path());
    REQUIRE(device);
    CHECK((*device)->read_only());
    CHECK(cause_of((*device)->write(0, Buffer(1))) == Cause::ReadOnly);
    CHECK(cause_of((*device)->discard(0, 1)) == Cause::ReadOnly);
    CHECK((*device)->flush().has_value());
}

TEST_CASE("block/file: a file that becomes shorter while open is a read error, not zeros") {
    TemporaryFile file;
    REQUIRE(FileDevice::create(file.path(), 8192));
    auto device = FileDevice::open(file.path());
    REQUIRE(device);
    REQUIRE(::truncate(file.path().c_str(), 5000) == 0);
    Buffer block(4096);
    CHECK(cause_of((*device)->read(4096, block)) == Cause::DeviceReadFailed);
    CHECK(read_of(**device, 4096, 904) == Buffer(904, 0));
}

TEST_CASE("block/file: a missing file and a directory are refused with their own causes") {
    auto missing = FileDevice::open("/nonexistent/glassfs.img");
    REQUIRE(!missing);
    CHECK(missing.error().cause == Cause::DeviceOpenFailed);
    CHECK(missing.error().detail == "/nonexistent/glassfs.img: No such file or directory");
    auto folder = FileDevice::open("/");
    REQUIRE(!folder);
    CHECK(folder.error().cause == Cause::IsADirectory);
    auto writable_folder = FileDevice::open("/", FileDevice::Access::ReadWrite);
    REQUIRE(!writable_folder);
    CHECK(writable_folder.error().cause == Cause::IsADirectory);
}
