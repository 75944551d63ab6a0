// SPDX-License-Identifier: MIT
// Tracing and playback over real devices: what was written can be taken back and put in place again.
#include "block/traced_device.h"

#include "base/environment.h"
#include "block/device_store.h"
#include "block/faulty_device.h"
#include "block/ram_device.h"
#include "trace/recorder.h"

#include <doctest/doctest.h>
#include <thread>

using namespace glassfs;
using namespace glassfs::block;
using namespace glassfs::trace;

namespace {

Buffer content(Device& device) {
    Buffer bytes(device.size());
    REQUIRE(device.read(0, bytes));
    return bytes;
}

}  // namespace

TEST_CASE("block/traced: each call that succeeds is one event") {
    Recorder recorder;
    TracedDevice device(std::make_shared<RamDevice>(8192), 3, recorder.tracer());
    Buffer bytes(100);
    REQUIRE(device.read(50, bytes));
    REQUIRE(device.write(4096, bytes));
    REQUIRE(device.flush());
    REQUIRE(device.discard(0, 4096));
    CHECK(!device.read(8192, bytes));
    CHECK(!device.write(8192, bytes));
    CHECK(!device.discard(8192, 1));
    Recording recording = recorder.recording();
    REQUIRE(recording.steps.size() == 4);
    CHECK(*recording.steps[0].event() == Event{BlockRead{3, PhysicalAddr{50}, 100}});
    CHECK(*recording.steps[1].event() == Event{BlockWrite{3, PhysicalAddr{4096}, 100}});
    CHECK(*recording.steps[2].event() == Event{BlockFlush{3}});
    CHECK(*recording.steps[3].event() == Event{BlockDiscard{3, PhysicalAddr{0}, 4096}});
    CHECK(*recording.steps[1].change == Change{3, PhysicalAddr{4096}, Buffer(100)});
    CHECK(recording.rebuildable_from == 0);
}

TEST_CASE("block/playback: every past state is rebuilt, in any order, and the device itself stays") {
    auto ram = std::make_shared<RamDevice>(4096);
    Recorder recorder;
    TracedDevice device(ram, 1, recorder.tracer());
    SeededEnvironment dice(42);
    std::vector<Buffer> states = {content(*ram)};  // before each step
    for (int i = 0; i < 60; ++i) {
        u64 at = dice.random() % 4000;
        Buffer data(1 + dice.random() % 96, static_cast<u8>(dice.random()));
        if (i % 10 == 9)
            REQUIRE(device.discard(at, data.size()));
        else
            REQUIRE(device.write(at, data));
        states.push_back(content(*ram));
    }
    Buffer now = content(*ram);
    DeviceStore store;
    store.add(1, ram);
    Recording recording = Recording::load(recorder.recording().save()).value();
    Playback playback(recording, store);
    CHECK(playback.first() == 0);
    CHECK(playback.last() == 60);
    CHECK(content(*store.device(1)) == now);
    for (u64 step : std::vector<u64>{60, 0, 60, 30, 31, 29, 7, 55, 1, 0}) {
        REQUIRE(playback.go_to(step));
        CHECK(playback.position() == step);
        CHECK(content(*store.device(1)) == states[step]);
    }
    CHECK(content(*ram) == now);
    CHECK(playback.go_to(61).error().cause == Cause::InvalidArgument);
}

TEST_CASE("block/playback: it goes back as far as images are kept, and says how far") {
    auto ram = std::make_shared<RamDevice>(4096);
    Recorder one;
    REQUIRE(TracedDevice(std::make_shared<RamDevice>(4096), 1, one.tracer()).write(0, Buffer(1000)));
    Recorder recorder(Recorder::Keep::Everything, 8 * one.memory_used());
    TracedDevice device(ram, 1, recorder.tracer());
    std::vector<Buffer> states = {content(*ram)};
    for (u8 i = 1; i <= 50; ++i) {
        REQUIRE(device.write(0, Buffer(1000, i)));
        states.push_back(content(*ram));
    }
    DeviceStore store;
    store.add(1, ram);
    Playback playback(recorder.recording(), store);
    CHECK(playback.first() == 42);  // eight images
    for (u64 step = playback.first(); step <= 50; ++step) {
        REQUIRE(playback.go_to(step));
        CHECK(content(*store.device(1)) == states[step]);
    }
    CHECK(playback.go_to(41).error().detail == "step 41; the recording can show 42 to 50");
}

TEST_CASE("block/playback: a device that nobody gave is an error where the recording needs it") {
    Recorder recorder;
    TracedDevice device(std::make_shared<RamDevice>(4096), 9, recorder.tracer());
    REQUIRE(device.write(0, Buffer(1)));
    REQUIRE(device.flush());
    DeviceStore store;
    Playback playback(recorder.recording(), store);
    CHECK(playback.go_to(1).has_value());
    auto result = playback.go_to(0);
    REQUIRE(!result);
    CHECK(result.error().cause == Cause::DeviceMissing);
    CHECK(result.error().where.device == 9);
}

TEST_CASE("block/traced: the image of a write that failed halfway is kept") {
    auto ram = std::make_shared<RamDevice>(4096);
    auto faulty = std::make_shared<FaultyDevice>(ram);
    Recorder recorder;
    TracedDevice device(faulty, 1, recorder.tracer());
    faulty->add({.access = Access::Write, .kind = Fault::Kind::Tear, .bytes = 10});
    CHECK(!device.write(0, Buffer(100, 0xff)));
    CHECK(content(*ram)[9] == 0xff);
    DeviceStore store;
    store.add(1, ram);
    Playback playback(recorder.recording(), store);
    REQUIRE(playback.go_to(0));
    CHECK(content(*store.device(1)) == Buffer(4096, 0));
}

TEST_CASE("block/traced: a large discard is not passed on while images are kept") {
    constexpr u64 size = 1ULL << 50;
    auto ram = std::make_shared<RamDevice>(size);
    REQUIRE(ram->write(0, Buffer{7}));
    Recorder recorder;
    TracedDevice device(ram, 1, recorder.tracer());
    REQUIRE(device.discard(0, size));
    CHECK(ram->allocated() > 0);
    CHECK(recorder.recording().steps.empty());
    Recorder counters(Recorder::Keep::Counters);
    TracedDevice counted(ram, 1, counters.tracer());
    REQUIRE(counted.discard(0, size));
    CHECK(ram->allocated() == 0);
    CHECK(counters.count<BlockDiscard>() == 1);
}

TEST_CASE("block/traced: threads that write over each other leave a recording that goes back exactly") {
    auto ram = std::make_shared<RamDevice>(4096);
    Recorder recorder;
    TracedDevice device(ram, 1, recorder.tracer());
    std::vector<std::thread> threads;
    for (u8 t = 1; t <= 4; ++t) {
        threads.emplace_back([&, t] {
            for (u64 i = 0; i < 100; ++i) static_cast<void>(device.write(i * 13 % 3000, Buffer(1000, t)));
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(recorder.count<BlockWrite>() == 400);
    Buffer now = content(*ram);
    DeviceStore store;
    store.add(1, ram);
    Playback playback(recorder.recording(), store);
    REQUIRE(playback.go_to(0));
    CHECK(content(*store.device(1)) == Buffer(4096, 0));
    REQUIRE(playback.go_to(400));
    CHECK(content(*store.device(1)) == now);
}
