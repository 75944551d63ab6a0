// SPDX-License-Identifier: MIT
// The transaction engine on its own: items put into trees at random, compared with a map, and the volume
// checked after each commit. (Here and not among the tests of btrfs, since those don't see the checker.)
#include "block/faulty_device.h"
#include "block/ram_device.h"
#include "block/recording_device.h"
#include "btrfs/block_edit.h"
#include "btrfs/cursor.h"
#include "btrfs/mkfs.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"
#include "check/btrfs_check.h"
#include "trace/recorder.h"

#include <doctest/doctest.h>
#include <map>

using namespace glassfs;
using namespace glassfs::btrfs;

namespace {

constexpr u64 MiB = 1ULL << 20;

// A volume in memory that is written to. `Items` are put into the UUID tree, whose items may have any
// multiple of 8 bytes.
class Bench {
  public:
    using Items = std::map<u64, Buffer>;

    Bench(u32 node_size, std::vector<std::shared_ptr<block::Device>> given, u64 seed,
          MkfsOptions options = {})
        : environment(seed), devices(std::move(given)), random_(seed) {
        options.node_size = node_size;
        REQUIRE(mkfs(devices, options, environment));
        mount();
    }
    void mount(WritableVolume::Options options = {}) {
        store.reset();
        auto opened = Volume::open(devices, {});
        REQUIRE(opened);
        volume = std::move(*opened);
        auto writable = WritableVolume::open(*volume, environment, options, {});
        REQUIRE_MESSAGE(writable, (writable ? "" : writable.error().message()));
        store = std::move(*writable);
    }

    u64 random(u64 below) { return random_.random() % below; }

    // One step: an item more, or another content, or an item less.
    void change(u64 keys, u64 delete_percent) {
        auto begun = store->begin();
        REQUIRE(begun);
        Transaction tx = std::move(*begun);
        auto tree = tx.tree(uuid_tree_objectid);
        REQUIRE(tree);
        u64 number = random(keys);
        if (random(100) < delete_percent) {
            auto victim = items.lower_bound(number);
            if (victim != items.end()) {
                REQUIRE(erase_item(tx, **tree, key(victim->first)));
                items.erase(victim);
            }
        } else {
            u64 words_max = random(10) == 0 ? volume->geometry().node_size / 16 : 6;
            Buffer content(static_cast<std::size_t>(8 * (1 + random(words_max))));
            for (u8& byte : content) byte = static_cast<u8>(random(256));
            REQUIRE(put_item(tx, **tree, key(number), Bytes(content)));
            items[number] = content;
        }
        tx.done();
    }

    static Items read(Volume& of, u64 keys) {
        Items out;
        auto root = of.tree_root(uuid_tree_objectid);
        REQUIRE(root);
        REQUIRE(for_each_item(of, *root, key(0), key(keys), [&](const Cursor& at) -> Result<bool> {
            out[at.key().objectid] = Buffer(at.data().begin(), at.data().end());
            return true;
        }));
        return out;
    }

    static Key key(u64 number) { return make_key(number, KeyType::UuidKeySubvol, 0); }

    SeededEnvironment environment;
    std::vector<std::shared_ptr<block::Device>> devices;
    std::unique_ptr<Volume> volume;
    std::unique_ptr<WritableVolume> store;
    Items items;

  private:
    SeededEnvironment random_;
};

// UUID items that name no subvolume are what these tests leave behind; everything else must be right.
std::string problems(const std::vector<std::shared_ptr<block::Device>>& devices) {
    auto volume = Volume::open(devices, {});
    if (!volume) return volume.error().message();
    auto report = check::check_btrfs(**volume, {}, {});
    if (!report) return report.error().message();
    std::string out;
    for (const check::Issue& issue : report->issues) {
        if (issue.error.where.tree == uuid_tree_objectid) continue;
        if (issue.severity == check::Severity::Problem) out += issue.error.message() + "\n";
    }
    return out;
}

std::vector<std::shared_ptr<block::Device>> ram(std::size_t count, u64 bytes) {
    std::vector<std::shared_ptr<block::Device>> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(std::make_shared<block::RamDevice>(bytes));
    return out;
}

}  // namespace

TEST_CASE("btrfs/transaction: random items in every node size are what a map says, and the volume is clean") {
    for (u32 node_size : {4096U, 8192U, 16384U, 65536U}) {
        CAPTURE(node_size);
        Bench bench(node_size, ram(1, 256 * MiB), node_size);
        const u64 keys = 4000;
        for (int round = 0; round < 6; ++round) {
            CAPTURE(round);
            for (int i = 0; i < 700; ++i) bench.change(keys, round % 2 == 0 ? 15 : 75);
            REQUIRE(bench.store->commit());
            CHECK(Bench::read(*bench.volume, keys) == bench.items);
            CHECK(problems(bench.devices) == "");
        }
        bench.mount();
        CHECK(Bench::read(*bench.volume, keys) == bench.items);
        for (int i = 0; i < 200; ++i) bench.change(keys, 30);
        REQUIRE(bench.store->commit());
        CHECK(Bench::read(*bench.volume, keys) == bench.items);
        CHECK(problems(bench.devices) == "");
    }
}

TEST_CASE("btrfs/split: items up to the size of a leaf, in every order") {
    enum class Order { Rising, Falling, Mixed };
    for (u32 node_size : {4096U, 16384U, 65536U}) {
        for (Order order : {Order::Rising, Order::Falling, Order::Mixed}) {
            CAPTURE(node_size);
            CAPTURE(static_cast<int>(order));
            Bench bench(node_size, ram(1, 256 * MiB), node_size);
            const u64 words_max = (node_size - sizeof(disk::btrfs_header) - sizeof(disk::btrfs_item)) / 8;
            const u64 count = 120;
            for (u64 i = 0; i < 2 * count; ++i) {
                u64 number = order == Order::Rising    ? i
                             : order == Order::Falling ? 2 * count - i
                                                       : i * 89 % (2 * count);
                u64 words = bench.random(3) == 0 ? words_max - bench.random(4) : 1 + bench.random(words_max);
                Buffer content(static_cast<std::size_t>(8 * words), static_cast<u8>(number | 1));
                auto tx = bench.store->begin();
                REQUIRE(tx);
                REQUIRE(put_item(*tx, **tx->tree(uuid_tree_objectid), Bench::key(number), Bytes(content)));
                tx->done();
                bench.items[number] = content;
                if (i % 3 == 2) {  // another size for one that is there
                    u64 again = bench.items.lower_bound(bench.random(number + 1))->first;
                    Buffer other(static_cast<std::size_t>(8 * (1 + bench.random(words_max))), u8{1});
                    auto second = bench.store->begin();
                    REQUIRE(second);
                    REQUIRE(put_item(*second, **second->tree(uuid_tree_objectid), Bench::key(again),
                                     Bytes(other)));
                    second->done();
                    bench.items[again] = other;
                }
            }
            auto committed = bench.store->commit();
            REQUIRE_MESSAGE(committed, (committed ? "" : committed.error().message()));
            CHECK(Bench::read(*bench.volume, 2 * count + 1) == bench.items);
            CHECK(problems(bench.devices) == "");
            for (u64 i = 0; i < 200; ++i) bench.change(2 * count, 90);
            REQUIRE(bench.store->commit());
            CHECK(Bench::read(*bench.volume, 2 * count + 1) == bench.items);
            CHECK(problems(bench.devices) == "");
        }
    }
}

TEST_CASE("btrfs/transaction: every profile and checksum is written to") {
    struct Case {
        std::size_t devices;
        u64 metadata;
        ChecksumType checksum;
        bool block_group_tree;
    };
    const Case cases[] = {
        {1, 0, ChecksumType::Xxhash64, false},
        {2, block_group_raid1, ChecksumType::Sha256, true},
        {3, block_group_raid1c3, ChecksumType::Blake2b, false},
        {4, block_group_raid1c4, ChecksumType::Crc32c, true},
        {4, block_group_raid10, ChecksumType::Crc32c, false},
        {3, block_group_raid0, ChecksumType::Crc32c, false},
    };
    for (const Case& one : cases) {
        CAPTURE(one.metadata);
        MkfsOptions options;
        options.metadata_profile = one.metadata;
        options.checksum = one.checksum;
        options.block_group_tree = one.block_group_tree;
        Bench bench(16384, ram(one.devices, 256 * MiB), one.metadata, options);
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 400; ++i) bench.change(2000, 30);
            REQUIRE(bench.store->commit());
        }
        CHECK(Bench::read(*bench.volume, 2000) == bench.items);
        CHECK(problems(bench.devices) == "");
    }
}

TEST_CASE("btrfs/transaction: after a power cut anywhere the volume is the last commit's") {
    auto base = std::make_shared<block::RamDevice>(160 * MiB);
    {
        SeededEnvironment environment(5);
        MkfsOptions options;
        options.node_size = 4096;
        REQUIRE(mkfs({base}, options, environment));
    }
    auto device = std::make_shared<block::RecordingDevice>(base, 4096);
    SeededEnvironment environment(6);
    auto volume = Volume::open({device}, {});
    REQUIRE(volume);
    auto store = WritableVolume::open(**volume, environment, {}, {});
    REQUIRE(store);
    // What the volume holds after each commit, and how many entries the log had when it returned.
    std::vector<std::pair<std::size_t, std::map<u64, u64>>> commits = {{0, {}}};
    std::map<u64, u64> items;
    for (u64 step = 0; step < 240; ++step) {
        auto tx = (*store)->begin();
        REQUIRE(tx);
        auto tree = tx->tree(uuid_tree_objectid);
        u64 number = environment.random() % 300;
        REQUIRE(put_item(*tx, **tree, Bench::key(number), disk::btrfs_uuid_entry{256 + step}));
        items[number] = 256 + step;
        tx->done();
        if (step % 30 == 29) {
            auto committed = (*store)->commit();
            REQUIRE_MESSAGE(committed, (committed ? "" : committed.error().message()));
            commits.emplace_back(device->entry_count(), items);
        }
    }
    std::size_t done = 0;
    for (std::size_t cut = 0; cut <= device->entry_count(); ++cut) {
        while (done + 1 < commits.size() && commits[done + 1].first <= cut) ++done;
        for (auto unflushed : {block::Unflushed::Kept, block::Unflushed::Lost, block::Unflushed::Scattered}) {
            CAPTURE(cut);
            auto state = device->state_at(cut, unflushed, cut);
            REQUIRE(state);
            auto after = Volume::open({*state}, {});
            REQUIRE_MESSAGE(after, (after ? "" : after.error().message()));
            std::map<u64, u64> found;
            for (const auto& [number, bytes] : Bench::read(**after, 300)) found[number] = load<Le64>(bytes);
            // Between writing a superblock and the flush behind it, both are right.
            bool next = done + 1 < commits.size() && found == commits[done + 1].second;
            CHECK((found == commits[done].second || next));
            if (cut % 7 == 0) CHECK(problems({*state}) == "");
        }
    }
}

TEST_CASE(
    "btrfs/transaction: a step that fails after a change makes the volume read-only and keeps the last "
    "commit") {
    Bench bench(4096, ram(1, 160 * MiB), 9);
    for (int i = 0; i < 50; ++i) bench.change(100, 0);
    REQUIRE(bench.store->commit());
    {
        auto tx = bench.store->begin();
        REQUIRE(tx);
        auto tree = tx->tree(uuid_tree_objectid);
        REQUIRE(put_item(*tx, **tree, Bench::key(7), disk::btrfs_uuid_entry{256}));
    }
    CHECK(bench.store->aborted());
    CHECK(bench.store->begin().error().code() == Errno::ROFS);
    CHECK(bench.store->commit().error().cause == Cause::VolumeAborted);
    bench.mount();
    CHECK(Bench::read(*bench.volume, 100) == bench.items);
    CHECK(problems(bench.devices) == "");
}

TEST_CASE("btrfs/transaction: a step that ends before it has changed anything harms nothing") {
    Bench bench(4096, ram(1, 160 * MiB), 10);
    { auto tx = bench.store->begin(); }
    CHECK_FALSE(bench.store->aborted());
    bench.change(10, 0);
    REQUIRE(bench.store->commit());
    CHECK(bench.store->counters().commits == 1);
    REQUIRE(bench.store->commit());  // nothing to do
    CHECK(bench.store->counters().commits == 1);
}

TEST_CASE("btrfs/transaction: a write that fails at any place of a commit leaves the last one whole") {
    auto base = std::make_shared<block::RamDevice>(160 * MiB);
    auto faulty = std::make_shared<block::FaultyDevice>(base);
    Bench bench(4096, {faulty}, 11);
    for (int i = 0; i < 60; ++i) bench.change(100, 0);
    REQUIRE(bench.store->commit());
    for (u64 skip = 0; skip < 40; ++skip) {
        CAPTURE(skip);
        Bench::Items before = bench.items;
        faulty->add(
            {.access = block::Access::Write, .kind = block::Fault::Kind::Fail, .skip = skip, .count = 1});
        for (int i = 0; i < 20; ++i) bench.change(100, 20);
        auto committed = bench.store->commit();
        faulty->clear();
        if (!committed) {
            CHECK(committed.error().cause == Cause::InjectedFault);
            CHECK(bench.store->aborted());
            bench.mount();
            Bench::Items now = Bench::read(*bench.volume, 100);
            // A superblock that got through on its first copy is a commit too, although its caller was told
            // of an error.
            CHECK((now == before || now == bench.items));
            bench.items = now;
        }
        CHECK(problems(bench.devices) == "");
    }
}

TEST_CASE("btrfs/transaction: appending fills leaves, and a tree that is emptied is one leaf again") {
    trace::Recorder recorder(trace::Recorder::Keep::Events);
    auto devices = ram(1, 256 * MiB);
    SeededEnvironment environment(12);
    MkfsOptions options;
    options.node_size = 4096;
    REQUIRE(mkfs(devices, options, environment));
    auto volume = Volume::open(devices, {});
    REQUIRE(volume);
    auto store = WritableVolume::open(**volume, environment, {}, recorder.tracer());
    REQUIRE(store);
    const u64 count = 1210;           // (4096 - 101) / (25 + 8) = 121 items a leaf
    const u64 first = ~0ULL - count;  // behind the one of mkfs
    for (u64 number = 0; number < count; ++number) {
        auto tx = (*store)->begin();
        REQUIRE(tx);
        REQUIRE(insert_item(*tx, **tx->tree(uuid_tree_objectid), Bench::key(first + number),
                            disk::btrfs_uuid_entry{256}));
        tx->done();
    }
    auto root = (*volume)->tree_root(uuid_tree_objectid);
    REQUIRE(root);
    CHECK(root->level == 1);
    u64 leaves = 0;
    u64 last = 0;
    REQUIRE(for_each_item(**volume, *root, Bench::key(0), Bench::key(~0ULL),
                          [&](const Cursor& at) -> Result<bool> {
                              if (at.leaf().addr().value != std::exchange(last, at.leaf().addr().value))
                                  ++leaves;
                              return true;
                          }));
    CHECK(leaves == 11);  // one item is mkfs's
    for (u64 number = 0; number < count; ++number) {
        auto tx = (*store)->begin();
        REQUIRE(tx);
        REQUIRE(erase_item(*tx, **tx->tree(uuid_tree_objectid), Bench::key(first + number)));
        tx->done();
    }
    CHECK((*volume)->tree_root(uuid_tree_objectid)->level == 0);
    REQUIRE((*store)->commit());
    CHECK(problems(devices) == "");
}
