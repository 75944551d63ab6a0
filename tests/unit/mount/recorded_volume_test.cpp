// SPDX-License-Identifier: MIT
// A recording of writing: every moment of it comes back as it was, in any order.
#include "mount/recorded_volume.h"

#include "block/ram_device.h"
#include "mount/format.h"

#include <doctest/doctest.h>
#include <random>

using namespace glassfs;
using namespace glassfs::mount;

namespace {

std::unique_ptr<RecordedVolume> fresh(std::size_t devices, u32 node_size = 4096,
                                      u64 memory_limit = 256ULL << 20) {
    RecordedVolume::Devices rams;
    for (std::size_t i = 0; i < devices; ++i) {
        rams.push_back(std::make_shared<block::RamDevice>(256ULL << 20, "ram", 4096));
    }
    auto environment = std::make_shared<SeededEnvironment>(7);
    REQUIRE(format(rams, {.label = "recorded", .node_size = node_size}, environment.get()));
    Options options;
    options.environment = environment;
    auto volume = RecordedVolume::open(rams, options, memory_limit);
    REQUIRE(volume);
    return std::move(*volume);
}

// All trees, block by block, with the bytes of each.
std::string picture(Volume& volume) {
    std::string out;
    for (const inspect::TreeInfo& tree : volume.inspector().trees()) {
        out += tree.name + " " + std::to_string(tree.root.value) + "\n";
        REQUIRE_FALSE(tree.error);
        auto walked = volume.inspector().walk_tree(tree.id, [&](const inspect::NodeRecord& record) {
            CHECK_MESSAGE(!record.bad, tree.name, " block ", record.addr.value);
            auto block = volume.inspector().block(record.addr);
            REQUIRE(block);
            out += std::to_string(record.addr.value) + " ";
            out.append(block->raw->begin(), block->raw->end());
            return true;
        });
        REQUIRE(walked);
    }
    return out;
}

// One operation of a random mix; what can't be done isn't.
enum class Commits : u8 { Some, None };
void operate(vfs::FileSystem& files, std::mt19937& random, Commits commits = Commits::Some) {
    const vfs::NodeId root = files.root();
    auto number = [&](u32 below) { return static_cast<u32>(random() % below); };
    const std::string name = "name-" + std::to_string(number(60));
    vfs::NewInode fresh_file{};
    switch (number(commits == Commits::Some ? 7 : 6)) {
        case 0:
        case 1:
        case 2: {
            auto made = files.create(root, name, fresh_file);
            if (!made) return;
            Buffer bytes(number(9000), static_cast<u8>('a' + number(26)));
            (void)files.write(*made, 0, bytes);
            return;
        }
        case 3:
            (void)files.unlink(root, name);
            return;
        case 4:
            (void)files.rename(root, name, root, "name-" + std::to_string(number(60)),
                               vfs::RenameKind::Replace);
            return;
        case 5:
            if (auto node = files.lookup(root, name)) {
                (void)files.set_xattr(*node, "user.note", Buffer(number(300), u8{1}), vfs::XattrMode::Any);
            }
            return;
        default:
            REQUIRE(files.sync());
    }
}

}  // namespace

TEST_CASE("mount/recorded: each moment of a random run is the same again, forwards and backwards") {
    for (u32 seed = 1; seed <= 3; ++seed) {
        auto volume = fresh(seed == 2 ? 2 : 1, seed == 3 ? 16384 : 4096);
        std::mt19937 random(seed);
        std::map<u64, std::string> moments;
        for (int i = 0; i < 120; ++i) {
            operate(volume->live().files(), random);
            if (i % 4 == 0) {
                std::string seen;
                {
                    trace::Recorder::Muted quiet;
                    seen = picture(volume->live());
                }
                moments[volume->recorder().recording().steps_total] = std::move(seen);
            }
        }
        auto past = volume->past();
        std::vector<u64> order;
        for (const auto& entry : moments) order.push_back(entry.first);
        std::vector<u64> back(order.rbegin(), order.rend());
        std::shuffle(order.begin(), order.end(), random);
        order.insert(order.end(), back.begin(), back.end());
        for (u64 step : order) {
            auto shown = past->at(step);
            REQUIRE(shown);
            CHECK_MESSAGE(picture(**shown) == moments[step], "seed ", seed, " step ", step);
        }
        CHECK(past->at(past->last() + 1).error().cause == Cause::InvalidArgument);
    }
}

TEST_CASE("mount/recorded: inside of a transaction, changed blocks are those in memory, and none after it") {
    auto volume = fresh(1);
    vfs::FileSystem& files = volume->live().files();
    REQUIRE(files.create(files.root(), "hello.txt", {}));
    const u64 before_sync = volume->recorder().recording().steps_total;
    const auto in_memory = volume->live().blocks_in_memory();
    CHECK(in_memory.size() > 0);
    REQUIRE(files.sync());
    CHECK(volume->live().blocks_in_memory().empty());

    auto past = volume->past();
    REQUIRE(past->at(before_sync));
    const auto changed = past->changed_blocks();
    CHECK(changed.size() == in_memory.size());
    for (const auto& [addr, step] : changed) CHECK(in_memory.contains(addr));
    REQUIRE(past->at(past->last()));
    CHECK(past->changed_blocks().empty());
}

TEST_CASE("mount/recorded: what a muted thread looks at is not in the recording") {
    auto volume = fresh(1);
    const u64 steps = volume->recorder().recording().steps_total;
    {
        trace::Recorder::Muted quiet;
        (void)picture(volume->live());
        REQUIRE(volume->live().files().getattr(volume->live().files().root()));
    }
    CHECK(volume->recorder().recording().steps_total == steps);
    REQUIRE(volume->live().files().getattr(volume->live().files().root()));
}

TEST_CASE("mount/recorded: at each event, every block in memory is whole") {
    auto volume = fresh(1);
    std::mt19937 random(5);
    for (int i = 0; i < 60; ++i) operate(volume->live().files(), random);
    auto past = volume->past();
    std::size_t looked = 0;
    for (const trace::Step& step : past->recording().steps) {
        if (step.event() == nullptr) continue;
        if (std::holds_alternative<trace::TreeBlockChanged>(*step.event())) continue;
        if (std::holds_alternative<trace::TreeBlockClean>(*step.event())) continue;
        auto shown = past->at(step.number + 1);
        REQUIRE(shown);
        for (const auto& [addr, changed] : past->changed_blocks()) {
            auto block = (*shown)->inspector().block(LogicalAddr{addr});
            const std::string why = block ? "" : block.error().message();
            CHECK_MESSAGE(block, trace::event_text(*step.event()), ": ", why);
            ++looked;
        }
    }
    CHECK(looked > 1000);
}

TEST_CASE("mount/recorded: what is forgotten costs no moment that can still be shown") {
    // One transaction all the time: its roots moved in operations that are long forgotten.
    auto volume = fresh(1, 4096, 300'000);
    std::mt19937 random(9);
    std::map<u64, std::string> moments;
    std::map<u64, std::size_t> in_memory;
    for (int i = 0; i < 300; ++i) {
        operate(volume->live().files(), random, Commits::None);
        trace::Recorder::Muted quiet;
        const u64 now = volume->recorder().recording().steps_total;
        moments[now] = picture(volume->live());
        in_memory[now] = volume->live().blocks_in_memory().size();
    }
    REQUIRE(volume->recorder().operations_dropped() > 100);
    auto past = volume->past();
    CHECK(past->first() > 0);
    std::size_t shown = 0;
    for (const auto& [step, wanted] : moments) {
        if (step < past->first()) continue;
        auto there = past->at(step);
        REQUIRE(there);
        CHECK_MESSAGE(picture(**there) == wanted, "step ", step);
        CHECK_MESSAGE(past->changed_blocks().size() == in_memory[step], "step ", step);
        ++shown;
    }
    CHECK(shown > 3);
}
