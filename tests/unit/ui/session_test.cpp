// SPDX-License-Identifier: MIT
#include "ui/model/session.h"

#include "ui/model/worker.h"
#include "ui/wait_for.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::ui;
using namespace glassfs::ui::testing;

namespace {

constexpr u64 leaf_addr(u64 i) {
    return FakeInspector::root_addr + FakeInspector::block_size * (i + 1);
}

class StringSink : public ByteSink {
  public:
    struct Seen {
        std::string bytes;
        bool finished = false;
        bool destroyed = false;
    };
    explicit StringSink(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}
    ~StringSink() override { seen_->destroyed = true; }
    Result<void> write(Bytes bytes) override {
        seen_->bytes += as_text(bytes);
        return {};
    }
    Result<void> finish() override {
        seen_->finished = true;
        return {};
    }

  private:
    std::shared_ptr<Seen> seen_;
};

}  // namespace

TEST_CASE("ui/session: a getter answers at once, first with nothing and later with the value") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    REQUIRE(session.state() == SessionState::Open);
    controls.hold = true;
    CHECK(session.block(LogicalAddr{leaf_addr(0)}).pending());
    CHECK(session.block(LogicalAddr{leaf_addr(0)}).pending());
    controls.hold = false;
    auto view = answered([&] { return session.block(LogicalAddr{leaf_addr(0)}); });
    REQUIRE(view);
    CHECK(view->addr.value == leaf_addr(0));
    CHECK(view->items.size() == 12);
    CHECK(controls.blocks_asked == 1);
}

TEST_CASE("ui/session: an error is an answer, and is kept") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    auto view = answered([&] { return session.block(LogicalAddr{7}); });
    REQUIRE(view.error());
    CHECK(view.error()->cause == Cause::BlockUnaligned);
    CHECK(session.block(LogicalAddr{7}).error() != nullptr);
    CHECK(controls.blocks_asked == 1);
}

TEST_CASE("ui/session: the newest request is served first") {
    FakeControls controls;
    controls.leaves = 50;
    Session session;
    REQUIRE(open_fake(session, controls));
    controls.hold = true;
    session.block(LogicalAddr{leaf_addr(0)});
    REQUIRE(wait_for([&] { return controls.blocks_asked == 1; }));
    for (u64 i = 1; i < 40; ++i) session.block(LogicalAddr{leaf_addr(i)});
    controls.hold = false;
    REQUIRE(wait_for([&] { return controls.first_unheld != 0; }));
    CHECK(controls.first_unheld == leaf_addr(39));
}

TEST_CASE("ui/session: too many waiting requests are forgotten and can be asked for again") {
    FakeControls controls;
    controls.leaves = 2000;
    Session session;
    REQUIRE(open_fake(session, controls));
    controls.hold = true;
    for (u64 i = 0; i < 1000; ++i) session.block(LogicalAddr{leaf_addr(i)});
    controls.hold = false;
    REQUIRE(wait_for([&] { return !session.busy(); }));
    CHECK(controls.blocks_asked < 300);
    CHECK(answered([&] { return session.block(LogicalAddr{leaf_addr(1)}); }));
}

TEST_CASE("ui/session: an answer to a volume that was closed is dropped") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    controls.hold = true;
    session.block(LogicalAddr{leaf_addr(0)});
    REQUIRE(wait_for([&] { return controls.blocks_asked == 1; }));
    u64 before = session.epoch();
    session.close();
    CHECK(session.epoch() != before);
    CHECK(session.state() == SessionState::Empty);
    controls.hold = false;
    REQUIRE(wait_for([&] { return !session.busy(); }));
    CHECK(session.block(LogicalAddr{leaf_addr(0)}).pending());
}

TEST_CASE("ui/session: a volume that can't be opened leaves its error") {
    Session session;
    session.open_volume([]() -> Result<std::unique_ptr<mount::Volume>> { return fail(Cause::SuperblockBad); },
                        "x");
    REQUIRE(wait_for([&] { return session.state() == SessionState::Failed; }));
    REQUIRE(session.open_error());
    CHECK(session.open_error()->cause == Cause::SuperblockBad);
}

TEST_CASE("ui/session: the map of a tree ends with all of its blocks") {
    FakeControls controls;
    controls.leaves = 5000;
    Session session;
    REQUIRE(open_fake(session, controls));
    std::shared_ptr<const TreeMap> map;
    REQUIRE(wait_for([&] {
        map = session.tree_map(5);
        return map && map->done;
    }));
    REQUIRE(map->size() == 5001);
    CHECK((*map)[0].level == 1);
    CHECK((*map)[5000].addr.value == leaf_addr(4999));
    CHECK(controls.walks_begun == 1);
}

TEST_CASE("ui/session: a long folder comes in pages that join without gaps") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    std::vector<std::string> names;
    u64 cookie = 0;
    for (bool last = false; !last;) {
        auto page = answered([&] { return session.directory(node_id(262), cookie); });
        REQUIRE(page);
        for (const auto& row : page->rows) names.push_back(row.entry.name);
        cookie = page->next_cookie;
        last = page->last;
    }
    REQUIRE(names.size() == 600);
    CHECK(names.front() == "file-0000");
    CHECK(names.back() == "file-0599");
    CHECK(std::is_sorted(names.begin(), names.end()));
}

TEST_CASE("ui/session: a wanted path is selected once it is resolved, and the folders above it unfold") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    session.view.wanted_path = "/docs/hello.txt";
    REQUIRE(wait_for([&] { return !session.follow_wanted_path() && session.view.wanted_path.empty(); }));
    CHECK(session.view.selection.kind == Selection::Kind::File);
    CHECK(session.view.selection.node == node_id(260));
    CHECK(session.view.open_dirs.contains(node_id(257)));
    CHECK(session.view.folder_path == "/docs");

    session.view.wanted_path = "/docs/no";
    std::optional<Error> error;
    REQUIRE(wait_for([&] {
        if (!error) error = session.follow_wanted_path();
        return error.has_value();
    }));
    CHECK(error->cause == Cause::NotFound);
}

TEST_CASE("ui/session: a file is extracted byte for byte") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    auto seen = std::make_shared<StringSink::Seen>();
    auto job = session.extract(node_id(261), "big.bin", std::make_unique<StringSink>(seen));
    REQUIRE(wait_for([&] { return job->done.load(); }));
    CHECK_FALSE(job->error);
    CHECK(seen->finished);
    CHECK(seen->bytes == std::string(100'000, 'x'));
    CHECK(job->bytes_done == 100'000);
}

TEST_CASE("ui/session: a folder is extracted as tar with the names below it") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    auto seen = std::make_shared<StringSink::Seen>();
    auto job = session.extract(node_id(257), "docs.tar", std::make_unique<StringSink>(seen));
    REQUIRE(wait_for([&] { return job->done.load(); }));
    CHECK_FALSE(job->error);
    CHECK(seen->finished);
    CHECK(seen->bytes.size() % 512 == 0);
    CHECK(seen->bytes.find("docs/hello.txt") != std::string::npos);
    CHECK(seen->bytes.find("Hello, world!") != std::string::npos);
}

TEST_CASE("ui/session: a cancelled extraction throws away what it wrote") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    controls.hold_reads = true;
    auto seen = std::make_shared<StringSink::Seen>();
    auto job = session.extract(node_id(261), "big.bin", std::make_unique<StringSink>(seen));
    job->cancel = true;
    controls.hold_reads = false;
    REQUIRE(wait_for([&] { return job->done.load(); }));
    REQUIRE(job->error);
    CHECK(job->error->cause == Cause::Cancelled);
    CHECK(seen->destroyed);
    CHECK_FALSE(seen->finished);
}

TEST_CASE("ui/session: commands run one after the other in the folder that cd went to") {
    FakeControls controls;
    Session session;
    REQUIRE(open_fake(session, controls));
    session.run_command("cd /docs");
    session.run_command("pwd");
    session.run_command("no-such-command");
    REQUIRE(wait_for([&] {
        auto log = session.console();
        return log.size() == 3 && !log[2].running;
    }));
    auto log = session.console();
    CHECK(log[0].status == 0);
    CHECK(log[1].output == "/docs\n");
    CHECK(log[2].status != 0);
    CHECK(log[2].errors.find("no-such-command") != std::string::npos);
    CHECK(session.prompt() == "demo:/docs $");
}

TEST_CASE("ui/session: each answer changes the revision and tells who draws") {
    FakeControls controls;
    Session session;
    std::atomic<int> told{0};
    session.set_notify([&] { ++told; });
    REQUIRE(open_fake(session, controls));
    u64 before = session.revision();
    int told_before = told;
    CHECK(session.info());  // is there with the volume
    CHECK(session.revision() == before);
    REQUIRE(answered([&] { return session.trees(); }));
    CHECK(session.revision() > before);
    CHECK(told > told_before);
    session.set_notify(nullptr);
}

TEST_CASE("ui/worker: a full list gives up its oldest task") {
    std::atomic<bool> hold{true};
    std::atomic<int> sum{0};
    int forgotten = 0;
    {
        Worker worker(Worker::Order::InOrder, 2);
        std::atomic<bool> begun{false};
        worker.push({[&] {
                         begun = true;
                         while (hold) std::this_thread::yield();
                     },
                     {}});
        REQUIRE(wait_for([&] { return begun.load(); }));
        for (int i = 1; i <= 4; ++i) {
            auto dropped = worker.push({[&sum, i] { sum += i; }, [&forgotten, i] { forgotten += i; }});
            if (dropped) dropped->forget();
        }
        hold = false;
        REQUIRE(wait_for([&] { return worker.idle(); }));
    }
    CHECK(forgotten == 1 + 2);
    CHECK(sum == 3 + 4);
}
