// SPDX-License-Identifier: MIT
// The Lab's thread, and the tours.
#include "ui/model/lab.h"

#include "ui/model/headline.h"
#include "ui/model/moment.h"
#include "ui/model/tour.h"
#include "ui/wait_for.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::ui;
using namespace glassfs::ui::testing;

namespace {

constexpr u64 GiB = 1ULL << 30, TiB = 1ULL << 40;

void rest(LabModel& lab) {
    REQUIRE(wait_for([&] { return !lab.busy(); }));
}

}  // namespace

TEST_CASE("ui/lab: both sides do the same steps, and the snapshot says what each looked at") {
    LabModel lab;
    CHECK(lab.snapshot()->device_bytes == 0);
    lab.start({64 * GiB, 8 * GiB, GiB, 1, ~0ULL});
    rest(lab);
    auto first = lab.snapshot();
    REQUIRE_FALSE(first->error);
    CHECK_FALSE(first->running);
    CHECK(first->sides[0].mode == "scan");
    CHECK(first->sides[1].mode == "hint");
    for (const LabSide& side : first->sides) {
        CHECK(side.bytes == 9 * GiB);
        CHECK(side.searches == 1);
        // Filling the volumes isn't part of the comparison.
        CHECK(side.search_times.count() == 1);
    }
    CHECK(first->sides[0].visited == first->sides[0].picture.dev_extents - 1);
    CHECK(first->sides[1].visited == 1);
    CHECK(first->same_placements == true);
    lab.go_on(GiB, 3);
    rest(lab);
    CHECK(lab.snapshot()->sides[0].bytes == 12 * GiB);
    CHECK(lab.snapshot()->same_placements == true);
    lab.punch(2 * GiB, 3 * GiB);
    rest(lab);
    CHECK(lab.snapshot()->sides[1].picture.hint < first->sides[1].picture.hint);
}

TEST_CASE("ui/lab: side A waits where the plan says, and B goes on to the end") {
    LabModel lab;
    lab.start({32 * GiB, 0, 4 * GiB, ~0ULL, 8 * GiB});
    rest(lab);
    auto s = lab.snapshot();
    CHECK(s->sides[0].bytes == 8 * GiB);
    CHECK(s->sides[0].waits);
    CHECK(s->sides[1].full);
    CHECK_FALSE(s->same_placements);
    CHECK(s->fraction == 1);
}

TEST_CASE("ui/lab: cancelling ends a long run, keeps what is there, and the next plan runs") {
    LabModel lab;
    lab.start({1024 * TiB, 0, TiB, ~0ULL, ~0ULL});
    REQUIRE(wait_for([&] { return lab.snapshot()->sides[1].bytes > 0; }));
    lab.cancel();
    rest(lab);
    auto s = lab.snapshot();
    CHECK(s->cancelled);
    CHECK(s->device_bytes == 1024 * TiB);
    CHECK(s->sides[1].bytes > 0);
    lab.start({64 * GiB, 0, GiB, 1, ~0ULL});
    rest(lab);
    CHECK_FALSE(lab.snapshot()->cancelled);
    CHECK(lab.snapshot()->sides[0].bytes == GiB);
    lab.start({64 * GiB, 0, 0, 1, ~0ULL});
    rest(lab);
    REQUIRE(lab.snapshot()->error);
    CHECK(lab.snapshot()->error->cause == Cause::InvalidArgument);
}

TEST_CASE("ui/tour: every step of every tour gets ready and says something") {
    for (const Tour& tour : tours()) {
        CAPTURE(tour.id);
        // This one's full size takes longer than a test under sanitizers should: its steps are the same calls
        // as in the tests above.
        if (tour.id == "chunk-allocation") continue;
        Session session;
        LabModel lab;
        TourContext context{session, lab};
        TourGuide guide;
        REQUIRE(guide.start(context, tour.id));
        std::vector<std::string> seen;
        while (guide.tour() != nullptr) {
            CAPTURE(guide.at());
            REQUIRE(wait_for([&] {
                guide.follow(context);
                return guide.ready() && !session.busy();
            }));
            const TourStep& step = tour.steps[guide.at()];
            CHECK(characters(step.title) <= Headline::title_max);
            REQUIRE(wait_for([&] { return !step.words(context).empty(); }));
            auto moment = moment_of(session);
            seen.push_back(moment && moment->step != Timeline::none && session.in_past()
                               ? trace::event_name(moment->timeline->steps[moment->step].event)
                               : "now");
            guide.go(context, 1);
        }
        CHECK(seen == std::vector<std::string>{"now", "CowBlock", "ItemInserted", "TransactionCommit",
                                               "BlockWrite", "now"});
        CHECK(session.view.workspace == Workspace::Trees);
    }
    Session session;
    LabModel lab;
    TourGuide guide;
    CHECK_FALSE(guide.start({session, lab}, "no-such-tour"));
    for (const Tour& tour : tours()) {
        for (const TourStep& step : tour.steps) CHECK(characters(step.title) <= Headline::title_max);
    }
}
