// SPDX-License-Identifier: MIT
// Both sides of the experiment on small devices: the same dev extents, and counts that follow from them.
#include "lab/chunkalloc.h"

#include <doctest/doctest.h>
#include <numeric>

using namespace glassfs;
using namespace glassfs::lab;

namespace {

constexpr u64 MiB = 1ULL << 20, GiB = 1ULL << 30;

std::unique_ptr<ChunkallocSide> side(u64 bytes, std::string_view mode, u32 cells = 64) {
    auto made = ChunkallocSide::make(bytes, mode, cells);
    REQUIRE_MESSAGE(made, (made ? "" : made.error().message()));
    return std::move(*made);
}

ChunkallocStep grow(ChunkallocSide& side, u64 bytes) {
    auto step = side.grow(bytes);
    REQUIRE_MESSAGE(step, (step ? "" : step.error().message()));
    return *step;
}

u64 sum(const std::vector<u64>& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), u64{0});
}

}  // namespace

TEST_CASE("lab/chunkalloc: scan looks at every dev extent, hint at one, and both find the same places") {
    auto scan = side(64 * GiB, "scan"), hint = side(64 * GiB, "hint");
    for (int i = 0; i < 20; ++i) {
        const u64 before = scan->picture().dev_extents;
        ChunkallocStep a = grow(*scan, GiB), b = grow(*hint, GiB);
        CAPTURE(i);
        CHECK(a.bytes_end == (static_cast<u64>(i) + 1) * GiB);
        REQUIRE(a.searches == b.searches);
        // One chunk of data for each step, and now and then one of metadata.
        if (a.searches == 1) {
            CHECK(scan->picture().dev_extents == before + 1);
            CHECK(scan->picture().search.visited == before);
            CHECK(hint->picture().search.visited == 1);
        }
        CHECK(scan->picture().search.found == hint->picture().search.found);
        CHECK(scan->picture().placements == hint->picture().placements);
    }
    CHECK(scan->picture().allocated == hint->picture().allocated);
    // What the events told is what the volume has.
    CHECK(sum(scan->picture().allocated) > 20 * GiB);
    CHECK(hint->picture().hint == hint->picture().search.found.value + GiB);
    CHECK(scan->search_times().count() == hint->search_times().count());
}

TEST_CASE("lab/chunkalloc: a range that is freed takes the hint back, and is filled first") {
    auto scan = side(64 * GiB, "scan"), hint = side(64 * GiB, "hint");
    for (auto* one : {scan.get(), hint.get()}) {
        grow(*one, 24 * GiB);
        const u64 allocated = sum(one->picture().allocated);
        REQUIRE(one->punch(8 * GiB, 3 * GiB));
        CHECK(sum(one->picture().allocated) == allocated - 3 * GiB);
        grow(*one, 3 * GiB);
        CHECK(sum(one->picture().allocated) == allocated);
    }
    CHECK(scan->picture().placements == hint->picture().placements);
    CHECK(scan->picture().dev_extents == hint->picture().dev_extents);
    CHECK(hint->picture().search.found.value < 13 * GiB);
}

TEST_CASE("lab/chunkalloc: the end of the device, and a run that is cancelled") {
    auto one = side(4 * GiB, "hint");
    ChunkallocStep step = grow(*one, 8 * GiB);
    CHECK(one->full());
    CHECK(step.bytes_end == one->bytes());
    CHECK(one->bytes() > 3 * GiB);
    CHECK(sum(one->picture().allocated) <= 4 * GiB);
    CHECK(sum(one->picture().allocated) > 4 * GiB - 16 * MiB);

    auto other = side(64 * GiB, "hint");
    auto cancelled = other->grow(48 * GiB, [](double) { return false; });
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().cause == Cause::Cancelled);
    CHECK(other->bytes() == 16 * GiB);  // one piece
    CHECK_FALSE(other->set_mode("guess"));
}

TEST_CASE("lab/chunkalloc: a whole run counts what its steps count") {
    auto run = run_chunkalloc({16 * GiB, 4 * GiB}, "hint", {});
    REQUIRE(run);
    CHECK(run->steps.size() == 4);
    CHECK(run->steps.back().bytes_end == run->bytes);
    u64 searches = 0;
    for (const ChunkallocStep& step : run->steps) searches += step.searches;
    CHECK(searches == run->search_times.count());
    CHECK_FALSE(run_chunkalloc({16 * GiB, 0}, "hint", {}));
}
