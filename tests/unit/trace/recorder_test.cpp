// SPDX-License-Identifier: MIT
#include "trace/recorder.h"

#include <doctest/doctest.h>
#include <thread>

using namespace glassfs;
using namespace glassfs::trace;

namespace {

TreeBlockRead block_read(u64 logical) {
    return {LogicalAddr{logical}, 1, Generation{7}, 5};
}
BlockWrite block_write(u64 at, u64 length) {
    return {1, PhysicalAddr{at}, length};
}

// The tree as text: a line for each step, indented.
std::string outline(const Recording& recording) {
    StepTree tree = recording.tree();
    std::string out;
    auto show = [&](auto& self, const std::vector<std::size_t>& indices, std::size_t depth) -> void {
        for (std::size_t i : indices) {
            const Step& step = recording.steps[i];
            out += std::string(depth * 2, ' ') + std::to_string(step.number) + " ";
            if (const SpanBegin* begin = step.begin()) {
                out += begin->name + (begin->detail.empty() ? "" : " " + begin->detail) + "\n";
                self(self, tree.children[step.span], depth + 1);
            } else {
                out += event_text(*step.event()) + "\n";
            }
        }
    };
    show(show, tree.top, 0);
    return out;
}

}  // namespace

TEST_CASE("trace/event: the text of an event is its name and its fields") {
    CHECK(event_text(block_read(65536)) == "TreeBlockRead logical=65536 level=1 generation=7 owner=5");
    CHECK(event_text(BlockFlush{3}) == "BlockFlush device=3");
    CHECK(event_name(event_index<BlockDiscard>()) == std::string_view("BlockDiscard"));
}

TEST_CASE("trace/tracer: without a sink nothing is made") {
    Tracer trace;
    int made = 0;
    auto span = trace.span("op", [&] { return std::to_string(++made); });
    trace([&] {
        ++made;
        return block_read(0);
    });
    CHECK(made == 0);
    CHECK(!trace.wants_images());
}

TEST_CASE("trace/recorder: spans and events form a tree of operation, phase and event") {
    Recorder recorder;
    Tracer trace = recorder.tracer();
    {
        auto op = trace.span("read", [] { return std::string("/etc/hosts"); });
        {
            auto phase = trace.span("lookup");
            trace([] { return block_read(1); });
        }
        trace([] { return block_read(2); });
    }
    trace([] { return BlockFlush{1}; });
    auto op = trace.span("stat");
    CHECK(outline(recorder.recording()) ==
          "0 read /etc/hosts\n"
          "  1 lookup\n"
          "    2 TreeBlockRead logical=1 level=1 generation=7 owner=5\n"
          "  4 TreeBlockRead logical=2 level=1 generation=7 owner=5\n"
          "6 BlockFlush device=1\n"
          "7 stat\n");
    CHECK(recorder.count<TreeBlockRead>() == 2);
    CHECK(recorder.recording().count<BlockFlush>() == 1);
    CHECK(recorder.count<BlockWrite>() == 0);
    CHECK(recorder.recording().steps_total == 8);
}

TEST_CASE("trace/recorder: two recorders on one thread keep their own spans") {
    Recorder a, b;
    auto op_a = a.tracer().span("a");
    {
        auto op_b = b.tracer().span("b");
        a.tracer()([] { return BlockFlush{1}; });
        b.tracer()([] { return BlockFlush{2}; });
    }
    CHECK(outline(a.recording()) == "0 a\n  1 BlockFlush device=1\n");
    CHECK(outline(b.recording()) == "0 b\n  1 BlockFlush device=2\n");
}

TEST_CASE("trace/recorder: when memory is used up the oldest operations go, whole") {
    Recorder recorder(Recorder::Keep::Everything, 20'000);
    Tracer trace = recorder.tracer();
    for (int i = 0; i < 1000; ++i) {
        auto op = trace.span("op", [&] { return std::to_string(i); });
        trace([&] { return block_read(static_cast<u64>(i)); });
    }
    Recording recording = recorder.recording();
    CHECK(recorder.memory_used() <= 20'000);
    CHECK(recorder.count<TreeBlockRead>() == 1000);
    std::size_t kept = recording.steps.size() / 3;
    CHECK(kept > 20);
    CHECK(recorder.operations_dropped() == 1000 - kept);
    REQUIRE(recording.steps.size() == kept * 3);
    for (std::size_t i = 0; i < recording.steps.size(); ++i) {
        CHECK(recording.steps[i].number == 3000 - recording.steps.size() + i);
    }
    CHECK(recording.steps[0].begin()->detail == std::to_string(1000 - kept));
    CHECK(recording.steps_total == 3000);
}

TEST_CASE("trace/recorder: a running operation is spared, but not when it alone fills the memory") {
    Recorder recorder(Recorder::Keep::Everything, 10'000);
    Tracer trace = recorder.tracer();
    auto running = trace.span("long");
    std::thread([&] {
        for (int i = 0; i < 200; ++i) auto op = trace.span("short");
    }).join();
    CHECK(recorder.recording().steps[0].begin()->name == "long");
    for (u64 i = 0; i < 1000; ++i) trace([&] { return block_read(i); });
    CHECK(recorder.recording().steps.empty());
    CHECK(recorder.memory_used() == 0);
    CHECK(recorder.count<TreeBlockRead>() == 1000);
    { auto phase = trace.span("phase of what is gone"); }
    CHECK(recorder.recording().steps.empty());
}

TEST_CASE("trace/recorder: states are lost exactly up to the last image that was dropped") {
    Recorder recorder(Recorder::Keep::Everything, 5'000);
    Tracer trace = recorder.tracer();
    auto write = [&](u64 length) {
        trace.change(1, PhysicalAddr{0}, Buffer(length), [&] { return block_write(0, length); });
    };
    write(1000);  // step 0
    write(1000);  // step 1
    CHECK(recorder.recording().rebuildable_from == 0);
    write(3000);  // step 2: both before must go
    CHECK(recorder.recording().rebuildable_from == 1);
    write(4500);  // step 3
    CHECK(recorder.recording().rebuildable_from == 3);
    write(6000);  // step 4: not even this one fits
    CHECK(recorder.recording().rebuildable_from == 5);
    CHECK(recorder.recording().steps.empty());
}

TEST_CASE("trace/recorder: a write without an image ends what can be rebuilt") {
    Recorder recorder(Recorder::Keep::Events);
    CHECK(!recorder.tracer().wants_images());
    recorder.tracer()([] { return BlockFlush{1}; });
    CHECK(recorder.recording().rebuildable_from == 0);
    recorder.tracer()([] { return block_write(0, 1); });
    CHECK(recorder.recording().rebuildable_from == 2);
}

TEST_CASE("trace/recorder: counting alone keeps nothing else") {
    Recorder recorder(Recorder::Keep::Counters);
    Tracer trace = recorder.tracer();
    auto op = trace.span("op");
    for (u64 i = 0; i < 1'000'000; ++i) trace([&] { return block_read(i); });
    CHECK(recorder.count<TreeBlockRead>() == 1'000'000);
    CHECK(recorder.memory_used() == 0);
    CHECK(recorder.recording().steps.empty());
    CHECK(recorder.recording().count<TreeBlockRead>() == 1'000'000);
}

TEST_CASE("trace/recorder: the last writer of a byte is found, also as of an earlier step") {
    Recorder recorder;
    Tracer trace = recorder.tracer();
    auto write = [&](u64 at, u64 length) {
        trace.change(1, PhysicalAddr{at}, Buffer(length), [&] { return block_write(at, length); });
    };
    write(100, 50);  // step 0
    write(120, 10);  // step 1
    Recording recording = recorder.recording();
    CHECK(recording.last_writer(1, PhysicalAddr{120})->number == 1);
    CHECK(recording.last_writer(1, PhysicalAddr{129})->number == 1);
    CHECK(recording.last_writer(1, PhysicalAddr{130})->number == 0);
    CHECK(recording.last_writer(1, PhysicalAddr{120}, 1)->number == 0);
    CHECK(recording.last_writer(1, PhysicalAddr{120}, 0) == nullptr);
    CHECK(recording.last_writer(1, PhysicalAddr{99}) == nullptr);
    CHECK(recording.last_writer(1, PhysicalAddr{150}) == nullptr);
    CHECK(recording.last_writer(2, PhysicalAddr{120}) == nullptr);
}

TEST_CASE("trace/recorder: threads record at once, each into its own operations") {
    Recorder recorder(Recorder::Keep::Everything, 100'000);
    std::vector<std::thread> threads;
    for (u64 t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            Tracer trace = recorder.tracer();
            for (u64 i = 0; i < 2000; ++i) {
                auto op = trace.span("op", [&] { return std::to_string(t); });
                auto phase = trace.span("phase");
                trace([&] { return TreeBlockRead{LogicalAddr{i}, 0, Generation{}, t}; });
                if (i % 500 == 0)
                    CHECK(recorder.recording().steps.size() <= recorder.recording().steps_total);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(recorder.count<TreeBlockRead>() == 8000);
    Recording recording = recorder.recording();
    CHECK(recording.steps_total == 8000 * 5);
    CHECK(recording.steps.size() % 5 == 0);
    StepTree tree = recording.tree();
    CHECK(tree.top.size() == recording.steps.size() / 5);
    for (std::size_t i : tree.top) {  // each operation holds its own thread's event and nothing else
        const Step& op = recording.steps[i];
        REQUIRE(tree.children[op.span].size() == 1);
        const Step& phase = recording.steps[tree.children[op.span][0]];
        REQUIRE(tree.children[phase.span].size() == 1);
        const Event& event = *recording.steps[tree.children[phase.span][0]].event();
        CHECK(std::to_string(std::get<TreeBlockRead>(event).owner) == op.begin()->detail);
    }
}
