// SPDX-License-Identifier: MIT
// Links: what is put into one comes out again, what was changed is refused, and the same link gives the same
// bytes.
#include "ui/model/share.h"

#include "ui/model/moment.h"
#include "ui/wait_for.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::ui;
using namespace glassfs::ui::testing;

namespace {

void run(Session& session, const std::string& line) {
    session.run_command(line);
    REQUIRE(wait_for([&] { return !session.console().back().running; }));
}

void make(Session& session, u64 seed) {
    session.create("demo", 256ULL << 20, {.label = "demo", .node_size = 4096}, seed);
    REQUIRE(wait_for([&] { return session.state() == SessionState::Open; }));
}

// All blocks of all trees, as one text of addresses and bytes' digests, and the block that is selected.
std::string picture(Session& session) {
    auto settled = [&] { return !session.busy(); };
    REQUIRE(wait_for(settled));
    (void)session.trees();
    REQUIRE(wait_for(settled));
    std::string out;
    auto trees = session.trees();
    REQUIRE(trees);
    for (const auto& tree : *trees) {
        (void)session.tree_map(tree.id);
        REQUIRE(wait_for(settled));
        (void)session.tree_map(tree.id);
        REQUIRE(wait_for([&] {
            auto map = session.tree_map(tree.id);
            return map && map->done && settled();
        }));
        auto map = session.tree_map(tree.id);
        for (std::size_t i = 0; i < map->size(); ++i) {
            const LogicalAddr addr = (*map)[i].addr;
            (void)session.block(addr);
            REQUIRE(wait_for(settled));
            auto block = session.block(addr);
            REQUIRE(block);
            Bytes raw = *block->raw;
            std::string bytes(as_text(raw));
            out += std::to_string(tree.id) + " " + std::to_string(addr.value) + " " +
                   std::to_string(std::hash<std::string>{}(bytes)) + "\n";
        }
    }
    return out;
}

}  // namespace

TEST_CASE("ui/share: a link gives the same picture, byte for byte, at the same step") {
    Session one;
    make(one, 42);
    run(one, "mkdir /photos");
    run(one, "repeat 30 { write /photos/p$i \"a picture\" }");
    run(one, "sync");
    run(one, "rm /photos/p7");
    // Somebody who looks around has other blocks in the cache: it must not matter.
    (void)picture(one);
    auto timeline = one.timeline();
    REQUIRE(timeline->operations.size() == 4);
    const TimelineOperation& second = timeline->operations[1];
    show_moment(one, timeline->steps[second.first + second.count / 2].position);
    one.view.workspace = Workspace::Trees;
    const std::string here = picture(one);
    auto text = share_text(one);
    REQUIRE_MESSAGE(text, (text ? "" : text.error().message()));
    CHECK(text->size() < 600);

    auto parsed = parse_share(*text);
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().message()));
    CHECK(parsed->origin.seed == 42);
    CHECK(parsed->origin.commands.size() == 4);
    Session other;
    SharedOpening opening;
    opening.start(other, *parsed);
    REQUIRE(wait_for([&] {
        opening.follow(other);
        return !opening.under_way();
    }));
    CHECK(other.view.workspace == Workspace::Trees);
    CHECK(other.view.selection == one.view.selection);
    CHECK(other.in_past());
    CHECK(picture(other) == here);
    // And the link of the rebuilt one is the same link.
    CHECK(share_text(other).value_or("") == *text);

    Session third;
    make(third, 43);
    run(third, "mkdir /photos");
    one.go_to(timeline->operations[0].end);
    CHECK(picture(one) != picture(third));
}

TEST_CASE("ui/share: what isn't a link, or was changed, is refused") {
    Session session;
    make(session, 7);
    run(session, "write /a \"1\"");
    const std::string good = share_text(session).value_or("");
    REQUIRE(parse_share(good));
    CHECK_FALSE(parse_share(""));
    CHECK_FALSE(parse_share("g1."));
    CHECK_FALSE(parse_share("g2." + good.substr(3)));
    CHECK_FALSE(parse_share(good + "?"));
    CHECK_FALSE(parse_share(std::string("g1.") + std::string(9000, 'A')));
    for (std::size_t i = 3; i < good.size(); ++i) {
        std::string cut = good.substr(0, i);
        std::string changed = good;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        auto from_cut = parse_share(cut), from_changed = parse_share(changed);
        // Nothing crashes; what is accepted all the same asks for nothing out of bounds.
        for (const auto* parsed : {&from_cut, &from_changed}) {
            if (!*parsed) continue;
            CHECK((*parsed)->origin.bytes <= 1ULL << 50);
            CHECK((*parsed)->origin.devices <= 16);
        }
    }
    CHECK_FALSE(session.origin() == std::nullopt);
    Session image;
    CHECK_FALSE(share_text(image));
}

TEST_CASE("ui/share: a place is told by steps that aren't reads") {
    Timeline line;
    line.operations = {{"a", 0, 10, 0, 2, false}, {"b", 10, 20, 2, 3, false}};
    auto add = [&](u64 number, u32 operation, trace::Event event) {
        line.steps.push_back({number, number + 1, operation, std::move(event), {}});
    };
    add(1, 0, trace::CowBlock{});
    add(2, 0, trace::TreeBlockRead{});
    add(11, 1, trace::TreeBlockRead{});
    add(12, 1, trace::CowBlock{});
    add(15, 1, trace::ItemInserted{});
    line.end = 20;
    CHECK(shared_place(line, 20).present);
    const SharedPlace at = shared_place(line, 13);
    CHECK(at.operation == 1);
    CHECK(at.step == 1);
    CHECK(position_of(line, at) == 13);
    CHECK(position_of(line, {1, 2, false}) == 16);
    CHECK(position_of(line, {1, 0, false}) == 10);
    CHECK(position_of(line, {9, 0, false}) == 20);
}

TEST_CASE("ui/share: a command typed in the past waits for an answer: at the end, or on a branch") {
    Session session;
    make(session, 9);
    run(session, "mkdir /one");
    run(session, "mkdir /two");
    auto timeline = session.timeline();
    show_moment(session, timeline->operations[0].end);
    run_or_ask(session, "mkdir /other");
    CHECK(session.view.line_in_past == "mkdir /other");
    CHECK(session.console().size() == 2);
    auto branch = branch_here(session, "mkdir /other");
    REQUIRE(branch);
    CHECK(branch->origin.commands == std::vector<std::string>{"mkdir /one", "mkdir /other"});
    // Before the operation that is shown, it is left out as well.
    session.go_to(timeline->operations[0].begin);
    CHECK(branch_here(session, "x")->origin.commands == std::vector<std::string>{"x"});
    session.view.line_in_past = "mkdir /other";
    run_at_end(session);
    REQUIRE(wait_for([&] { return session.console().size() == 3 && !session.console().back().running; }));
    CHECK_FALSE(session.view.line_in_past);
    CHECK(session.timeline()->operations.size() == 3);
    Session other;
    SharedOpening opening;
    opening.start(other, *branch);
    REQUIRE(wait_for([&] {
        opening.follow(other);
        return !opening.under_way();
    }));
    REQUIRE(wait_for([&] { return !other.busy(); }));
    CHECK(other.timeline()->operations.size() == 2);
    CHECK(other.timeline()->operations.back().name == "mkdir /other");
}

TEST_CASE("ui/share: a command that was cancelled ends the link, since nobody can say how far it came") {
    Session session;
    make(session, 11);
    run(session, "mkdir /one");
    REQUIRE(session.origin());
    session.run_command("repeat 1000000 { touch /one/f$i }");
    REQUIRE(wait_for([&] { return session.command(1) && session.command(1)->running; }));
    session.cancel_command();
    // Until it has begun there is nothing to cancel.
    REQUIRE(wait_for([&] {
        session.cancel_command();
        return !session.console().back().running;
    }));
    CHECK_FALSE(session.origin());
    CHECK_FALSE(share_text(session));
}
