// SPDX-License-Identifier: MIT
#include "base/crc32c.h"
#include "base/endian.h"
#include "trace/recorder.h"

#include <cstring>
#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::trace;

namespace {

Recording sample() {
    Recorder recorder;
    Tracer trace = recorder.tracer();
    {
        auto op = trace.span("write", [] { return std::string("/a\0b", 4); });
        auto phase = trace.span("commit");
        trace([] { return TreeBlockRead{LogicalAddr{~u64{0}}, 255, Generation{1ULL << 63}, 300}; });
        trace.change(2, PhysicalAddr{1ULL << 40}, Buffer{1, 2, 3}, [] {
            return BlockWrite{2, PhysicalAddr{1ULL << 40}, 3};
        });
    }
    trace([] { return BlockDiscard{0, PhysicalAddr{127}, 128}; });
    trace([] { return BlockRead{1, PhysicalAddr{0}, 4096}; });
    Recording recording = recorder.recording();
    recording.steps.erase(recording.steps.begin() + 6);  // numbers may have gaps
    return recording;
}

void seal(Buffer& file) {
    Le32 crc = crc32c(Bytes(file).subspan(16));
    std::memcpy(file.data() + 12, &crc, 4);
}

// "GLASSREC", version 1, and these bytes with their checksum.
Buffer file_of(std::initializer_list<int> rest) {
    Buffer file(16);
    std::memcpy(file.data(), "GLASSREC\1\0\0\0", 12);
    for (int byte : rest) file.push_back(static_cast<u8>(byte));
    seal(file);
    return file;
}

std::string refusal(const Buffer& file) {
    auto loaded = Recording::load(file);
    if (loaded) return "loaded";
    CHECK(loaded.error().cause == Cause::RecordingBad);
    return loaded.error().detail;
}

// One event type, BlockFlush (one field), counted 0 times; 9 steps in all, rebuildable from 0, then `steps`.
Buffer flushes(std::initializer_list<int> steps) {
    Buffer file = file_of({1, 10, 'B', 'l', 'o', 'c', 'k', 'F', 'l', 'u', 's', 'h', 1, 0, 9, 0});
    for (int byte : steps) file.push_back(static_cast<u8>(byte));
    seal(file);
    return file;
}

}  // namespace

TEST_CASE("trace/file: what is saved is loaded again, step by step") {
    Recording saved = sample();
    auto result = Recording::load(saved.save());
    REQUIRE(result);
    const Recording& loaded = *result;
    CHECK(loaded.steps_total == saved.steps_total);
    CHECK(loaded.rebuildable_from == saved.rebuildable_from);
    CHECK(loaded.rebuildable_from == 7);  // the discard came without an image
    CHECK(loaded.counters == saved.counters);
    REQUIRE(loaded.steps.size() == saved.steps.size());
    for (std::size_t i = 0; i < saved.steps.size(); ++i) {
        const Step &a = saved.steps[i], &b = loaded.steps[i];
        CHECK(a.number == b.number);
        CHECK(a.span == b.span);
        REQUIRE(a.what.index() == b.what.index());
        if (a.begin()) CHECK(*a.begin() == *b.begin());
        if (a.event()) CHECK(*a.event() == *b.event());
        REQUIRE(!a.change == !b.change);
        if (a.change) CHECK(*a.change == *b.change);
    }
    CHECK(loaded.steps[0].begin()->detail == std::string("/a\0b", 4));
    CHECK(loaded.save() == saved.save());
}

TEST_CASE("trace/file: a file that was cut off or changed anywhere is refused") {
    Buffer file = sample().save();
    for (std::size_t length = 0; length < file.size(); ++length) {
        CHECK(!Recording::load(Bytes(file).first(length)));
    }
    for (std::size_t at = 0; at < file.size(); ++at) {
        Buffer changed = file;
        changed[at] ^= 0x10;
        CHECK(!Recording::load(changed));
    }
    CHECK(refusal(Buffer(100)) == "not a recording");
    Buffer newer = file;
    newer[8] = 2;
    CHECK(refusal(newer) == "version 2");
    file.push_back(0);
    seal(file);
    CHECK(refusal(file) == "bytes behind its end");
}

TEST_CASE("trace/file: hostile files with a right checksum are refused or are well-formed recordings") {
    Buffer file = sample().save();
    u64 accepted = 0;
    for (std::size_t at = 16; at < file.size(); ++at) {
        for (int value = 0; value < 256; ++value) {
            Buffer changed = file;
            changed[at] = static_cast<u8>(value);
            seal(changed);
            auto loaded = Recording::load(changed);
            if (!loaded) continue;
            ++accepted;
            StepTree tree = loaded->tree();
            std::size_t reached = tree.top.size();
            for (const auto& [span, children] : tree.children) reached += children.size();
            std::size_t ends = 0;
            for (const Step& step : loaded->steps) ends += step.is_end() ? 1 : 0;
            CHECK(reached + ends == loaded->steps.size());
            CHECK(Recording::load(loaded->save()).has_value());
        }
        Buffer cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(at));
        seal(cut);
        CHECK(!Recording::load(cut));
    }
    CHECK(accepted > 0);
}

TEST_CASE("trace/file: each rule of the format is enforced") {
    CHECK(refusal(flushes({0})) == "loaded");
    CHECK(refusal(flushes({1, 0, 0, 2, 0, 5})) == "loaded");  // an event of type 0 with field 5
    CHECK(refusal(flushes({1, 8, 0, 2, 0, 5})) == "loaded");  // step 8 of 9
    CHECK(refusal(flushes({1, 9, 0, 2, 0, 5})) == "impossible step number");
    CHECK(refusal(flushes({2, 8, 0, 2, 0, 5, 0, 0, 2, 0, 5})) == "impossible step number");
    CHECK(refusal(flushes({10})) == "impossible step numbers");
    CHECK(refusal(flushes({1, 0, 0, 4})) == "unknown kind of step");
    CHECK(refusal(flushes({1, 0, 0, 2, 1, 5})) == "impossible event type");
    CHECK(refusal(flushes({1, 0, 7, 2, 0, 5})) == "a step in a span that isn't open");
    CHECK(refusal(flushes({1, 0, 7, 1})) == "a step in a span that isn't open");
    CHECK(refusal(flushes({1, 0, 0, 1})) == "a step in a span that isn't open");
    CHECK(refusal(flushes({1, 0, 0, 0, 0, 0, 0})) == "a span begins twice");  // the span 0 is none
    CHECK(refusal(flushes({2, 0, 7, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0})) == "a span begins twice");
    CHECK(refusal(flushes({1, 0, 7, 0, 7, 0, 0})) == "a span in one that isn't open");
    CHECK(refusal(flushes({1, 0, 7, 0, 6, 0, 0})) == "a span in one that isn't open");
    CHECK(refusal(flushes({1, 0, 7, 0, 0, 50, 0})) == "it ends early");
    CHECK(refusal(flushes({1, 0, 0, 3, 0, 5, 1, 1, 100})) == "it ends early");
    CHECK(refusal(flushes({1, 0, 0, 2, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})) == "loaded");
    CHECK(refusal(flushes({1, 0, 0, 2, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2})) ==
          "a number beyond 64 bits");
    CHECK(refusal(flushes({1, 0, 0, 3, 0, 5, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1, 9})) ==
          "a change beyond 64 bits");
    CHECK(refusal(file_of({0, 3, 4, 0})) == "impossible step numbers");  // rebuildable from 4 of 3
    CHECK(refusal(file_of({1, 3, 'F', 'o', 'o', 1, 0})) == "unknown event Foo");
    CHECK(refusal(file_of({1, 10, 'B', 'l', 'o', 'c', 'k', 'F', 'l', 'u', 's', 'h', 2, 0})) ==
          "other fields of BlockFlush");
}
