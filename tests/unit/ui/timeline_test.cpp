// SPDX-License-Identifier: MIT
// Timelines: what a recording says, and moments of a session's volume.
#include "ui/model/timeline.h"

#include "ui/model/headline.h"
#include "ui/model/moment.h"
#include "ui/wait_for.h"

#include <doctest/doctest.h>
#include <utility>

using namespace glassfs;
using namespace glassfs::ui;
using namespace glassfs::ui::testing;

namespace {

// Every event type once, with addresses as large as a volume of an exbibyte has and counts of six digits.
template <class E>
E large_event() {
    E event;
    E::fields(event, [](const char*, auto& value) {
        using Value = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_integral_v<Value>) {
            value = sizeof(Value) == 1 ? Value{1} : static_cast<Value>(sizeof(Value) == 4 ? 65536 : 999'999);
        } else {
            value.value = 1ULL << 59;
        }
    });
    return event;
}

template <std::size_t... I>
std::vector<trace::Event> all_events(std::index_sequence<I...>) {
    return {trace::Event{large_event<std::variant_alternative_t<I, trace::Event>>()}...};
}

void run(Session& session, const std::string& line) {
    session.run_command(line);
    REQUIRE(wait_for([&] { return !session.console().back().running; }));
    CHECK_MESSAGE(session.console().back().status == 0, line, ": ", session.console().back().errors);
}

void open_new(Session& session) {
    session.create("demo", 128ULL << 20, {.label = "demo", .node_size = 4096});
    REQUIRE(wait_for([&] { return session.state() != SessionState::Opening; }));
    REQUIRE(session.state() == SessionState::Open);
}

// The answer for the moment that is shown. One of the moment before may be given for a while: so, once
// nothing is under way, it is asked for again, and when that has been served, once more.
template <class Ask>
auto answer_now(Session& session, Ask ask) {
    auto idle = [&] { return !session.busy(); };
    REQUIRE(wait_for(idle));
    (void)ask();
    REQUIRE(wait_for(idle));
    return ask();
}

std::vector<std::string> names(Session& session) {
    auto page = answer_now(session, [&] { return session.directory(session.root()); });
    REQUIRE(page);
    std::vector<std::string> out;
    for (const auto& row : page->rows) out.push_back(row.entry.name);
    return out;
}

}  // namespace

TEST_CASE("ui/timeline: every kind of step has a sentence that fits its place") {
    const auto events = all_events(std::make_index_sequence<trace::event_type_count>());
    CHECK(events.size() == trace::event_type_count);
    for (const trace::Event& event : events) {
        TimelineStep step;
        step.event = event;
        const StepText text = step_text(step);
        CAPTURE(text.title);
        CHECK(characters(text.title) <= Headline::title_max);
        CHECK(text.title.ends_with('.'));
        CHECK(text.title.find("\xe2\x80\xa6") == std::string::npos);  // nothing had to be shortened
        CHECK(characters(text.reason) <= 130);
        CHECK(text.reason.ends_with('.'));
        CHECK(characters(text.letter) == 1);
        CHECK(text.pill.size() >= 4);
        CHECK(text.place == trace::event_name(event));
    }
}

TEST_CASE("ui/timeline: a session's commands are operations, and its past is shown as it was") {
    Session session;
    open_new(session);
    CHECK(session.writable());
    CHECK(names(session).empty());
    run(session, "mkdir /photos");
    run(session, "mkdir /letters");
    run(session, "sync");
    auto timeline = session.timeline();
    REQUIRE(timeline->operations.size() == 3);
    CHECK(timeline->operations[0].name == "mkdir /photos");
    CHECK(timeline->operations[2].commits);
    CHECK_FALSE(timeline->operations[1].commits);
    for (const TimelineOperation& operation : timeline->operations) CHECK(operation.count > 0);
    CHECK(names(session) == std::vector<std::string>{"photos", "letters"});
    CHECK_FALSE(session.in_past());
    CHECK(session.newer_blocks()->empty());

    session.go_to(timeline->operations[0].end);
    CHECK(session.in_past());
    CHECK(names(session) == std::vector<std::string>{"photos"});
    CHECK(session.newer_blocks()->size() > 0);
    session.go_to(timeline->operations[0].begin);
    CHECK(names(session).empty());
    session.go_to(timeline->operations[1].end);
    CHECK(names(session) == std::vector<std::string>{"photos", "letters"});
    session.go_to(timeline->end);
    CHECK_FALSE(session.in_past());

    // A command typed in the past goes on at the end.
    session.go_to(timeline->operations[0].end);
    run(session, "rmdir /letters");
    CHECK_FALSE(session.in_past());
    CHECK(session.timeline()->operations.size() == 4);
    CHECK(names(session) == std::vector<std::string>{"photos"});
}

TEST_CASE("ui/timeline: stepping names each block of the operation, and stops at both ends") {
    Session session;
    open_new(session);
    run(session, "mkdir /photos");
    run(session, "repeat 12 { write /photos/note-$i.txt \"hello world number $i\" }");
    run(session, "sync");
    run(session, "write /README.md \"Each step is kept.\"");
    auto timeline = session.timeline();
    show_moment(session, timeline->operations[0].begin);
    for (std::size_t i = 0; i < timeline->steps.size(); ++i) {
        auto moment = moment_of(session);
        REQUIRE(moment);
        show_moment(session, position_of_step(*moment, 1));
        CHECK(moment_of(session)->step == i);
        const auto about = step_block(timeline->steps[i]);
        const StepText text = step_text(timeline->steps[i]);
        if (!about || !session.in_past()) continue;
        CHECK(session.view.selection.block == about->block);
        CHECK(session.view.selection.tree == about->tree);
        auto block = answer_now(session, [&] { return session.block(about->block); });
        CHECK_MESSAGE(block, text.title, ": ", block.error() ? block.error()->message() : "");
    }
    show_moment(session, position_of_step(*moment_of(session), 1));
    CHECK(session.position() == timeline->end);
    show_moment(session, position_of_step(*moment_of(session), -1000000));
    CHECK(session.position() == timeline->first);
}

TEST_CASE("ui/timeline: what a screen looks at makes no steps") {
    Session session;
    open_new(session);
    run(session, "mkdir /photos");
    const u64 steps = session.timeline()->steps_total;
    (void)names(session);
    REQUIRE(wait_for([&] {
        auto map = session.tree_map(5);
        return map && map->done;
    }));
    run(session, "pwd");
    CHECK(session.timeline()->steps_total == steps + 2);  // begin and end of the command itself
}

TEST_CASE("ui/timeline: an open image is edited in memory, and stays as it is") {
    Session session;
    open_new(session);
    CHECK_FALSE(session.edit_in_memory());  // can be written to already
}

TEST_CASE("ui/timeline: who wrote bytes of a block, through copies, is what its contents say") {
    Session session;
    open_new(session);
    run(session, "write /first \"1\"");
    run(session, "sync");
    run(session, "write /second \"2\"");
    run(session, "chmod 0600 /first");
    auto timeline = session.timeline();
    auto path = answer_now(session, [&] { return session.path_to_key(5, {257, 1, 0}); });
    REQUIRE(path);
    const LogicalAddr leaf = *path->back().block;
    const u32 slot = *path->back().slot;
    auto view = answer_now(session, [&] { return session.block(leaf); });
    REQUIRE(view);
    REQUIRE(view->items[slot].key_text == "257 INODE_ITEM 0");
    const u32 mode_at = view->items[slot].data_offset + 52;  // of the inode item's mode
    auto writers = writers_of(*timeline, leaf, mode_at, 4, session.position(), 100);
    REQUIRE(writers.size() >= 2);
    // Each of them: what the bytes are behind the step is what they are until the next one.
    u64 until = session.position();
    for (const BlockWriter& writer : writers) {
        const u64 position = timeline->steps[writer.step].position;
        CHECK(position <= until);
        auto bytes_at = [&](u64 moment) {
            session.go_to(moment);
            auto block = answer_now(session, [&] { return session.block(writer.block); });
            REQUIRE(block);
            const Bytes mode = Bytes(*block->raw).subspan(mode_at, 4);
            return Buffer(mode.begin(), mode.end());
        };
        CHECK(bytes_at(position) == bytes_at(until));
        until = writer.step == 0 ? timeline->first : timeline->steps[writer.step - 1].position;
        if (writer.from) break;  // earlier ones wrote into another block
    }
    CHECK(writers_of(*timeline, LogicalAddr{1}, 0, 4096, session.position(), 10).empty());
    CHECK(writers_of(*timeline, leaf, mode_at, 4, session.position(), 1).size() == 1);
}
