// SPDX-License-Identifier: MIT
#include "ui/model/space_model.h"

#include "ui/wait_for.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::ui;
using namespace glassfs::ui::testing;
using inspect::SpaceMap;

namespace {

constexpr u64 MiB = 1ULL << 20, GiB = 1ULL << 30;

// Device 1 of 100 bytes: [0, 10) free, [10, 30) data, [30, 40) free, [40, 60) metadata, then free. Device 2:
// [20, 30).
SpaceMap small_map() {
    SpaceMap map;
    map.devices = {{1, 100, 40, 2, false}, {2, 50, 10, 1, false}};
    map.stripes = {{1, PhysicalAddr{10}}, {1, PhysicalAddr{40}}, {2, PhysicalAddr{20}}};
    map.chunks = {{LogicalAddr{1000}, 20, SpaceMap::Kind::Data, "single", {}, 0, 1, 20},
                  {LogicalAddr{2000}, 20, SpaceMap::Kind::Metadata, "DUP", {}, 1, 2, 20}};
    map.dev_extents = {
        {1, PhysicalAddr{10}, 20, 0U}, {1, PhysicalAddr{40}, 20, 1U}, {2, PhysicalAddr{20}, 10, 1U}};
    return map;
}

std::string text_of(const std::vector<SpacePiece>& pieces) {
    std::string out;
    for (const SpacePiece& piece : pieces) {
        out += piece.dev_extent ? "#" : ".";
        out += std::to_string(piece.start) + "+" + std::to_string(piece.length) + " ";
    }
    return out;
}

void run(Session& session, const std::string& line) {
    session.run_command(line);
    REQUIRE(wait_for([&] { return !session.console().back().running; }));
    CHECK_MESSAGE(session.console().back().status == 0, line, ": ", session.console().back().errors);
}

}  // namespace

TEST_CASE("ui/space: pieces of a device alternate between dev extents and holes") {
    const SpaceMap map = small_map();
    CHECK(text_of(pieces_around(map, 1, 0, 10)) == ".0+10 #10+20 .30+10 #40+20 .60+40 ");
    CHECK(text_of(pieces_around(map, 2, 0, 10)) == ".0+20 #20+10 .30+20 ");
    // A window of two: the place is in it wherever it is.
    CHECK(text_of(pieces_around(map, 1, 45, 2)) == ".30+10 #40+20 ");
    CHECK(text_of(pieces_around(map, 1, 99, 2)) == "#40+20 .60+40 ");
    CHECK(text_of(pieces_around(map, 1, 0, 2)) == ".0+10 #10+20 ");
    CHECK(text_of(pieces_around(map, 3, 0, 4)).empty());
    CHECK(dev_extent_at(map, 1, 29) == 0U);
    CHECK_FALSE(dev_extent_at(map, 1, 30));
    CHECK(dev_extent_at(map, 2, 20) == 2U);
}

TEST_CASE("ui/space: cells hold the bytes that are allocated in them, and the kind that has the most") {
    const SpaceMap map = small_map();
    auto cells = space_cells(map, 1, 4, {2000});
    REQUIRE(cells.size() == 4);
    CHECK(cells[0].allocated == 15);
    CHECK(cells[1].allocated == 5 + 10);
    CHECK(cells[2].allocated == 10);
    CHECK(cells[3].allocated == 0);
    CHECK(cells[0].kind == SpaceMap::Kind::Data);
    CHECK(cells[1].kind == SpaceMap::Kind::Metadata);
    CHECK_FALSE(cells[3].kind);
    CHECK_FALSE(cells[0].fresh);
    CHECK(cells[1].fresh);
}

TEST_CASE("ui/space: chunks are counted by kind, with their profile or several") {
    SpaceMap map = small_map();
    KindCounts kinds = count_kinds(map);
    CHECK(kinds[0].chunks == 1);
    CHECK(kinds[0].profile == "single");
    CHECK(kinds[1].stripes == 2);
    CHECK(kinds[1].profile == "DUP");
    CHECK(kinds[2].chunks == 0);
    map.chunks.push_back({LogicalAddr{3000}, 20, SpaceMap::Kind::Data, "RAID1", {}, 1, 2, 20});
    kinds = count_kinds(map);
    CHECK(kinds[0].chunks == 2);
    CHECK(kinds[0].stripes == 3);
    CHECK(kinds[0].profile == "several profiles");
}

TEST_CASE("ui/space: the recording tells of hints, searches and new chunks, at every moment") {
    Session session;
    session.create("demo", 8 * GiB, {.label = "demo", .node_size = 4096});
    REQUIRE(wait_for([&] { return session.state() == SessionState::Open; }));
    run(session, "fallocate -l 1G /one");
    run(session, "sync");
    run(session, "fallocate -l 2G /two");
    const SpaceMoment now = space_moment(session);
    REQUIRE(now.hints.contains(1));
    CHECK(now.new_chunks.size() >= 2);
    REQUIRE(now.search);
    CHECK(now.search->visited == 1);
    REQUIRE_FALSE(now.moves.empty());
    CHECK(now.moves.front().to == now.hints.at(1));
    // Where the hint was before its last move.
    session.go_to(now.moves.front().position);
    REQUIRE(wait_for([&] { return !session.busy(); }));
    auto there_error = session.moment_error();
    REQUIRE_MESSAGE(!there_error, (there_error ? there_error->message() : ""));
    show_moment(session, position_of_step(*moment_of(session), -1));
    REQUIRE(wait_for([&] { return !session.busy(); }));
    auto moment_error = session.moment_error();
    REQUIRE_MESSAGE(!moment_error, (moment_error ? moment_error->message() : ""));
    CHECK(space_moment(session).hints.at(1) == now.moves.front().from);
    // The map of that moment has fewer chunks.
    auto chunks = [&] {
        REQUIRE(wait_for([&] { return session.space() && !session.busy(); }));
        (void)session.space();
        REQUIRE(wait_for([&] { return !session.busy(); }));
        return session.space()->chunks.size();
    };
    session.go_to(session.timeline()->operations.back().begin);
    REQUIRE(wait_for([&] { return !session.busy(); }));
    const std::size_t earlier = chunks();
    session.go_to(session.timeline()->end);
    REQUIRE(wait_for([&] { return !session.busy(); }));
    CHECK(chunks() > earlier);
    // The switch is a command, and its mode is what the next search does.
    run(session, "experiment chunkalloc scan");
    run(session, "fallocate -l 2G /three");
    const SpaceMoment scanned = space_moment(session);
    REQUIRE(scanned.search);
    CHECK(scanned.search->start.value == MiB);
    CHECK(scanned.search->visited > 5);
}

TEST_CASE("ui/space: an item wanted by its key is selected; one that isn't there is an error") {
    Session session;
    session.create("demo", 512 * MiB, {.label = "demo", .node_size = 4096});
    REQUIRE(wait_for([&] { return session.state() == SessionState::Open; }));
    auto follow = [&] {
        std::optional<Error> error;
        REQUIRE(wait_for([&] {
            error = session.follow_wanted_key();
            return !session.view.wanted_key.has_value();
        }));
        return error;
    };
    session.view.wanted_key = {4, {1, 204, MiB}};
    CHECK_FALSE(follow());
    REQUIRE(session.view.selection.block);
    REQUIRE(session.view.selection.slot);
    auto leaf = session.block(*session.view.selection.block);
    REQUIRE(leaf);
    CHECK(leaf->items[*session.view.selection.slot].key_text == "1 DEV_EXTENT 1048576");
    session.view.wanted_key = {4, {1, 204, MiB + 1}};
    auto error = follow();
    REQUIRE(error);
    CHECK(error->cause == Cause::NotFound);
}
