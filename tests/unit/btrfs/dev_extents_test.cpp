// SPDX-License-Identifier: MIT
#include "btrfs/dev_extents.h"

#include "support/crafted_volume.h"
#include "trace/recorder.h"

#include <doctest/doctest.h>
#include <random>

using namespace glassfs;
using namespace glassfs::btrfs;

namespace {

constexpr u64 MiB = 1ULL << 20, GiB = 1ULL << 30, TiB = 1ULL << 40, PiB = 1ULL << 50;

// Dev extents as a device tree would hold them.
class MapTree final : public DevExtentSource {
  public:
    Result<u64> for_each_from(u64 devid, u64 from, const Visit& visit) const override {
        auto found = devices.find(devid);
        if (found == devices.end()) return 1;
        auto at = found->second.upper_bound(from);
        if (at != found->second.begin()) --at;
        while (at != found->second.end() && visit(at->first, at->second)) ++at;
        return 1;
    }
    void insert(u64 devid, u64 start, u64 length) { devices[devid][start] = length; }

    std::map<u64, std::map<u64, u64>> devices;  // by devid: length by start
};

// One device of `bytes` with these dev extents, its hint built as at mount.
struct OneDevice {
    MapTree tree;
    DevExtents extents;

    OneDevice(u64 bytes, std::vector<std::pair<u64, u64>> ranges) {
        for (auto [start, length] : ranges) tree.insert(1, start, length);
        extents.add_device(1, bytes);
        HintBuilder builder;
        for (auto [start, length] : tree.devices[1]) builder.visit(1, start, length);
        extents.build_hints(builder);
    }
    FreeDevExtent find(u64 wanted, DevExtentSearchMode mode = DevExtentSearchMode::Hint) {
        extents.set_mode(mode);
        auto free = extents.find_free(tree, 1, wanted);
        REQUIRE(free);
        return *free;
    }
    FreeDevExtent scan(u64 wanted) { return find(wanted, DevExtentSearchMode::Scan); }
    // Finds, allocates, and puts the dev extent into the tree.
    u64 place(u64 wanted) {
        FreeDevExtent free = find(wanted);
        REQUIRE(free.length >= wanted);
        extents.allocated(1, free.start, wanted);
        tree.insert(1, free.start.value, wanted);
        extents.in_tree(1, free.start);
        return free.start.value;
    }
    void remove(u64 start) {
        extents.freed(1, PhysicalAddr{start}, tree.devices[1].at(start));
        tree.devices[1].erase(start);
    }
    u64 hint() const { return extents.hint(1).value; }
    u64 visited() const { return extents.counters().dev_extents_visited; }
};

FreeDevExtent hole(u64 start, u64 length) {
    return {PhysicalAddr{start}, length};
}

}  // namespace

TEST_CASE("btrfs/dev extents: an empty device is free from its second MiB on") {
    OneDevice device(GiB, {});
    CHECK(device.find(64 * MiB) == hole(MiB, GiB - MiB));
    CHECK(device.scan(64 * MiB) == hole(MiB, GiB - MiB));
    CHECK(device.find(GiB) == hole(MiB, GiB - MiB));
    OneDevice tiny(MiB, {});
    CHECK(tiny.find(4096) == hole(0, 0));
    CHECK(device.extents.find_free(device.tree, 2, MiB).error().cause == Cause::DeviceMissing);
    CHECK(device.extents.find_free(device.tree, 1, 0).error().cause == Cause::InvalidArgument);
}

TEST_CASE("btrfs/dev extents: the first hole that is long enough is taken, else the largest is told") {
    OneDevice device(400 * MiB,
                     {{0, 4 * MiB}, {12 * MiB, 8 * MiB}, {60 * MiB, 40 * MiB}, {120 * MiB, 180 * MiB}});
    for (auto mode : {DevExtentSearchMode::Scan, DevExtentSearchMode::Hint}) {
        CHECK(device.find(8 * MiB, mode) == hole(4 * MiB, 8 * MiB));
        CHECK(device.find(8 * MiB + 1, mode) == hole(20 * MiB, 40 * MiB));
        CHECK(device.find(41 * MiB, mode) == hole(300 * MiB, 100 * MiB));
        CHECK(device.find(101 * MiB, mode) == hole(300 * MiB, 100 * MiB));
    }
    CHECK(device.hint() == 20 * MiB);
    CHECK(device.extents.largest_below_hint(1) == 8 * MiB);
}

TEST_CASE("btrfs/dev extents: a dev extent may lie over the superblock copies, never in the first MiB") {
    OneDevice device(PiB, {{2 * MiB, 40 * MiB}});
    CHECK(device.place(MiB) == MiB);
    CHECK(device.place(300 * GiB) == 42 * MiB);
    OneDevice old(GiB, {{0, 65536}});
    CHECK(old.find(MiB).start == PhysicalAddr{MiB});
}

TEST_CASE("btrfs/dev extents: all that is pending in a hole is taken, the room between is free") {
    OneDevice device(200 * MiB, {{MiB, 9 * MiB}, {150 * MiB, 50 * MiB}});
    for (u64 start : {10U, 70U, 100U}) device.extents.allocated(1, PhysicalAddr{start * MiB}, 20 * MiB);
    for (auto mode : {DevExtentSearchMode::Scan, DevExtentSearchMode::Hint}) {
        CHECK(device.find(20 * MiB, mode) == hole(30 * MiB, 40 * MiB));
        CHECK(device.find(50 * MiB, mode) == hole(30 * MiB, 40 * MiB));
    }
    device.extents.allocated(1, PhysicalAddr{30 * MiB}, 40 * MiB);
    CHECK(device.hint() == 70 * MiB);
    CHECK(device.find(20 * MiB) == hole(120 * MiB, 30 * MiB));
    CHECK(device.scan(20 * MiB) == hole(120 * MiB, 30 * MiB));
    device.extents.dropped(1, PhysicalAddr{30 * MiB});
    CHECK(device.find(20 * MiB) == hole(30 * MiB, 40 * MiB));
}

TEST_CASE("btrfs/dev extents: two stripes of a chunk on one device don't get the same place") {
    OneDevice device(GiB, {});
    FreeDevExtent first = device.find(32 * MiB);
    device.extents.allocated(1, first.start, 32 * MiB);
    FreeDevExtent second = device.find(32 * MiB);
    CHECK(second.start == PhysicalAddr{33 * MiB});
}

TEST_CASE("btrfs/dev extents: what is freed is free after the commit, not before") {
    OneDevice device(200 * MiB, {{MiB, 99 * MiB}, {100 * MiB, 100 * MiB}});
    CHECK(device.hint() == 200 * MiB);
    device.remove(MiB);
    CHECK(device.find(16 * MiB) == hole(0, 0));
    CHECK(device.scan(16 * MiB) == hole(0, 0));
    CHECK(device.hint() == 200 * MiB);
    device.extents.committed();
    CHECK(device.hint() == MiB);
    CHECK(device.find(16 * MiB) == hole(MiB, 99 * MiB));
    CHECK(device.extents.counters().moves(HintMove::Freed) == 1);
    // Allocated and freed within one transaction: the same.
    device.extents.allocated(1, PhysicalAddr{MiB}, 99 * MiB);
    device.extents.freed(1, PhysicalAddr{MiB}, 99 * MiB);
    CHECK(device.find(16 * MiB) == hole(0, 0));
    device.extents.committed();
    CHECK(device.find(16 * MiB) == hole(MiB, 99 * MiB));
}

TEST_CASE("btrfs/dev extents: a short hole below the hint is no false ENOSPC") {
    OneDevice device(200 * MiB, {{13 * MiB, 87 * MiB}, {100 * MiB, 99 * MiB}});
    CHECK(device.hint() == 200 * MiB);
    CHECK(device.find(12 * MiB) == hole(MiB, 12 * MiB));
    CHECK(device.extents.counters().searches_below == 1);
    // A long one isn't there: one is told which hole is the largest, as a scan would.
    CHECK(device.find(64 * MiB) == hole(MiB, 12 * MiB));
    CHECK(device.extents.counters().searches_below == 2);
    device.place(12 * MiB);
    CHECK(device.find(12 * MiB) == hole(199 * MiB, MiB));
    u64 visited = device.visited();
    CHECK(device.find(12 * MiB) == hole(199 * MiB, MiB));
    CHECK(device.visited() - visited == 4);  // the one before the hint, then all
}

TEST_CASE("btrfs/dev extents: a hint that is too high is given up when a search below finds a long hole") {
    OneDevice device(200 * MiB, {{MiB, 49 * MiB}, {50 * MiB, 50 * MiB}, {101 * MiB, 99 * MiB}});
    CHECK(device.hint() == 200 * MiB);
    device.tree.devices[1].erase(MiB);  // and nobody says so
    CHECK(device.find(16 * MiB) == hole(MiB, 49 * MiB));
    CHECK(device.hint() == MiB);
    CHECK(device.extents.counters().moves(HintMove::Reset) == 1);
}

TEST_CASE("btrfs/dev extents: below the hint is searched only when a hole there could be long enough") {
    OneDevice device(TiB, {{5 * MiB, 995 * MiB}});
    for (u64 i = 0; i < 100; ++i) device.place(GiB);
    CHECK(device.extents.largest_below_hint(1) == 4 * MiB);
    u64 visited = device.visited();
    CHECK(device.find(8 * MiB).start == PhysicalAddr{1000 * MiB + 100 * GiB});
    CHECK(device.visited() - visited <= 2);
    CHECK(device.find(TiB) == hole(1000 * MiB + 100 * GiB, TiB - 1000 * MiB - 100 * GiB));
    CHECK(device.extents.counters().searches_below == 0);
    CHECK(device.find(4 * MiB) == hole(MiB, 4 * MiB));
    CHECK(device.extents.counters().searches_below == 1);
}

TEST_CASE("btrfs/dev extents: short holes that freeing joins to a long one are found") {
    OneDevice device(100 * MiB, {{MiB, 9 * MiB}, {20 * MiB, 4 * MiB}, {30 * MiB, 70 * MiB}});
    CHECK(device.hint() == 100 * MiB);
    device.remove(20 * MiB);
    device.extents.committed();
    CHECK(device.hint() <= 10 * MiB);
    CHECK(device.find(16 * MiB) == hole(10 * MiB, 20 * MiB));
    CHECK(device.hint() == 10 * MiB);
}

TEST_CASE("btrfs/dev extents: a search moves the hint over what it has walked past") {
    OneDevice device(TiB, {});
    for (u64 i = 0; i < 64; ++i) device.place(GiB);
    device.remove(MiB + 3 * GiB);
    device.extents.committed();
    CHECK(device.place(GiB) == MiB + 3 * GiB);
    CHECK(device.hint() == MiB + 4 * GiB);  // where an allocation leaves it: all that follows is taken
    u64 before = device.visited();
    CHECK(device.find(GiB).start == PhysicalAddr{MiB + 64 * GiB});
    CHECK(device.visited() - before == 60);
    CHECK(device.hint() == MiB + 64 * GiB);
    before = device.visited();
    CHECK(device.find(GiB).start == PhysicalAddr{MiB + 64 * GiB});
    CHECK(device.visited() - before == 1);
    CHECK(device.extents.counters().moves(HintMove::Proved) == 2);
}

TEST_CASE("btrfs/dev extents: an allocation within 16 MiB behind the hint moves it, one farther doesn't") {
    OneDevice device(GiB, {{MiB, 99 * MiB}});
    CHECK(device.hint() == 100 * MiB);
    device.extents.allocated(1, PhysicalAddr{116 * MiB}, MiB);
    CHECK(device.hint() == 100 * MiB);
    device.extents.allocated(1, PhysicalAddr{108 * MiB}, MiB);
    CHECK(device.hint() == 109 * MiB);
    CHECK(device.extents.largest_below_hint(1) == 8 * MiB);
    CHECK(device.find(16 * MiB) == hole(117 * MiB, GiB - 117 * MiB));
    CHECK(device.find(8 * MiB) == hole(100 * MiB, 8 * MiB));
}

TEST_CASE("btrfs/dev extents: the hint is reset for a shrunk or other device, lowered when it grows") {
    OneDevice device(200 * MiB, {{MiB, 190 * MiB}});
    CHECK(device.hint() == 200 * MiB);
    device.extents.resize_device(1, 300 * MiB);
    CHECK(device.find(64 * MiB) == hole(191 * MiB, 109 * MiB));
    CHECK(device.hint() == 191 * MiB);
    device.extents.resize_device(1, 250 * MiB);
    CHECK(device.hint() == MiB);
    CHECK(device.find(64 * MiB) == hole(191 * MiB, 59 * MiB));
    CHECK(device.find(40 * MiB) == hole(191 * MiB, 59 * MiB));
    CHECK(device.hint() == 191 * MiB);
    device.extents.reset_hint(1);
    CHECK(device.hint() == MiB);
    CHECK(device.extents.counters().moves(HintMove::Reset) == 2);
}

TEST_CASE("btrfs/dev extents: a recording tells each walk over the dev extents, and each move of the hint") {
    trace::Recorder recorder;
    DevExtents extents(recorder.tracer());
    MapTree tree;
    extents.add_device(1, 200 * MiB);
    for (u64 length : {12 * MiB, 187 * MiB}) {
        auto free = extents.find_free(tree, 1, length);
        REQUIRE(free);
        extents.allocated(1, free->start, length);
        tree.insert(1, free->start.value, length);
    }
    extents.freed(1, PhysicalAddr{MiB}, 12 * MiB);
    tree.devices[1].erase(MiB);
    extents.committed();
    CHECK(*extents.find_free(tree, 1, 64 * MiB) == hole(MiB, 12 * MiB));
    CHECK(*extents.find_free(tree, 1, 64 * MiB) == hole(MiB, 12 * MiB));
    std::vector<trace::Event> events;
    for (const auto& step : recorder.recording().steps) events.push_back(std::get<trace::Event>(step.what));
    auto at = [](u64 mib) { return PhysicalAddr{mib * MiB}; };
    auto reason = [](HintMove move) { return static_cast<u8>(move); };
    using Search = trace::DevExtentSearch;
    using Moved = trace::AllocHintMoved;
    CHECK(events == std::vector<trace::Event>{
                        Search{1, 12 * MiB, at(1), 0, at(1), 199 * MiB},
                        Moved{1, at(1), at(13), reason(HintMove::Allocated)},
                        Search{1, 187 * MiB, at(13), 1, at(13), 187 * MiB},
                        Moved{1, at(13), at(200), reason(HintMove::Allocated)},
                        Moved{1, at(200), at(1), reason(HintMove::Freed)},
                        Search{1, 64 * MiB, at(1), 1, at(1), 12 * MiB},
                        Moved{1, at(1), at(200), reason(HintMove::Proved)},
                        Search{1, 64 * MiB, at(200), 1, PhysicalAddr{}, 0},
                        Search{1, 64 * MiB, at(1), 1, at(1), 12 * MiB},
                    });
}

TEST_CASE("btrfs/dev extents: a million chunks on 1 PiB cost one dev extent each, a scan all of them") {
    OneDevice device(PiB + 2 * GiB, {});
    constexpr u64 chunks = 1 << 20;
    for (u64 i = 0; i < chunks; ++i) {
        FreeDevExtent free = device.find(GiB);
        REQUIRE(free.start.value == MiB + i * GiB);
        device.extents.allocated(1, free.start, GiB);
        auto& taken = device.tree.devices[1];
        taken.emplace_hint(taken.end(), free.start.value, GiB);
        device.extents.in_tree(1, free.start);
    }
    CHECK(device.visited() == chunks - 1);
    CHECK(device.extents.counters().leaves_read == chunks);
    CHECK(device.extents.counters().searches_below == 0);
    CHECK(device.scan(GiB).start.value == MiB + chunks * GiB);
    CHECK(device.visited() == 2 * chunks - 1);
}

namespace {

// A volume of several devices under random allocations, frees, commits and remounts. Beside DevExtents it
// keeps what is taken in a plain map, where it finds holes the slow way.
class RandomVolume {
  public:
    explicit RandomVolume(u64 seed) : random_(seed) {
        for (u64 devid : {1U, 2U, 5U}) sizes_[devid] = MiB * number(200, 3000) + 4096 * number(0, 255);
        tree_.insert(2, 0, 4 * MiB);  // as mkfs made it long ago
        taken_[2][0] = 4 * MiB;
        mount();
    }

    void step() {
        u64 dice = number(0, 99);
        if (dice < 55) {
            allocate();
        } else if (dice < 90) {
            free();
        } else if (dice < 97) {
            commit();
        } else if (dice < 98) {
            resize();
        } else {
            commit();
            mount();
            for (const auto& [devid, size] : sizes_) CHECK(extents_->hint(devid).value == first_long(devid));
        }
        verify();
    }
    u64 placed() const { return placed_; }
    u64 refused() const { return refused_; }

  private:
    u64 number(u64 least, u64 most) { return std::uniform_int_distribution<u64>(least, most)(random_); }

    u64 some_length() {
        switch (number(0, 3)) {
            case 0:
                return 65536 * number(1, 64);
            case 1:
                return MiB * number(1, 20);
            case 2:
                return 16 * MiB;
            default:
                return MiB * number(16, 256);
        }
    }

    void mount() {
        extents_ = std::make_unique<DevExtents>();
        HintBuilder builder;
        for (const auto& [devid, size] : sizes_) extents_->add_device(devid, size);
        for (const auto& [devid, ranges] : tree_.devices) {
            for (auto [start, length] : ranges) builder.visit(devid, start, length);
        }
        extents_->build_hints(builder);
    }

    FreeDevExtent find(u64 devid, u64 wanted, DevExtentSearchMode mode) {
        extents_->set_mode(mode);
        auto found = extents_->find_free(tree_, devid, wanted);
        REQUIRE(found);
        return *found;
    }

    std::vector<FreeDevExtent> holes(u64 devid) {
        std::vector<FreeDevExtent> out;
        u64 position = MiB;
        auto upto = [&](u64 end) {
            if (end > position) out.push_back(hole(position, end - position));
        };
        for (auto [start, length] : taken_[devid]) {
            upto(std::min(start, sizes_[devid]));
            position = std::max(position, start + length);
        }
        upto(sizes_[devid]);
        return out;
    }
    u64 first_long(u64 devid) {
        for (const FreeDevExtent& free : holes(devid)) {
            if (free.length >= 16 * MiB) return free.start.value;
        }
        return sizes_[devid];
    }
    FreeDevExtent expected(u64 devid, u64 wanted) {
        FreeDevExtent best;
        for (const FreeDevExtent& free : holes(devid)) {
            if (free.length > best.length) best = free;
            if (free.length >= wanted) break;
        }
        return best;
    }

    // A chunk of one to four stripes, in the mode of the day; now and then it comes to nothing.
    void allocate() {
        u64 length = some_length();
        std::vector<std::pair<u64, u64>> stripes;
        for (u64 n = number(1, 4); n > 0; --n) {
            u64 devid = std::next(sizes_.begin(), static_cast<std::ptrdiff_t>(number(0, 2)))->first;
            FreeDevExtent free = expected(devid, length);
            bool scan_first = number(0, 1) == 0;
            if (scan_first) CHECK(find(devid, length, DevExtentSearchMode::Scan) == free);
            if (number(0, 7) != 0) CHECK(find(devid, length, DevExtentSearchMode::Hint) == free);
            if (free.length < length) {
                ++refused_;
                continue;
            }
            u64 slack = free.length - length;  // anywhere in the hole is allowed, its begin is usual
            u64 start = free.start.value + (number(0, 9) == 0 ? number(0, slack) : 0);
            extents_->allocated(devid, PhysicalAddr{start}, length);
            taken_[devid][start] = length;
            stripes.emplace_back(devid, start);
            verify();
        }
        bool drop = number(0, 9) == 0;
        for (auto [devid, start] : stripes) {
            if (drop) {
                extents_->dropped(devid, PhysicalAddr{start});
                taken_[devid].erase(start);
                continue;
            }
            ++placed_;
            tree_.insert(devid, start, length);
            if (number(0, 3) != 0) extents_->in_tree(devid, PhysicalAddr{start});
        }
    }

    void free() {
        u64 devid = std::next(sizes_.begin(), static_cast<std::ptrdiff_t>(number(0, 2)))->first;
        auto& ranges = tree_.devices[devid];
        if (ranges.empty()) return;
        auto range = ranges.lower_bound(number(0, sizes_[devid]));
        if (range == ranges.end()) range = ranges.begin();
        extents_->freed(devid, PhysicalAddr{range->first}, range->second);
        pinned_.emplace_back(devid, range->first);
        ranges.erase(range);
    }

    void commit() {
        extents_->committed();
        for (auto [devid, start] : pinned_) taken_[devid].erase(start);
        pinned_.clear();
    }

    // Shrinks down to the last dev extent, or grows.
    void resize() {
        commit();
        auto& [devid, size] = *std::next(sizes_.begin(), static_cast<std::ptrdiff_t>(number(0, 2)));
        u64 least = 100 * MiB;
        if (!taken_[devid].empty()) {
            auto last = *taken_[devid].rbegin();
            least = std::max(least, last.first + last.second);
        }
        size = number(0, 1) == 0 ? number(least, std::max(least, size))
                                 : std::min(size + number(1, 40) * MiB, 4 * GiB);
        extents_->resize_device(devid, size);
    }

    void verify() {
        for (const auto& [devid, size] : sizes_) {
            u64 hint = extents_->hint(devid).value;
            REQUIRE(hint >= MiB);
            REQUIRE(hint <= first_long(devid));
            for (const FreeDevExtent& free : holes(devid)) {
                if (free.start.value >= hint) break;
                REQUIRE(free.length <= extents_->largest_below_hint(devid));
            }
            REQUIRE(extents_->largest_below_hint(devid) < 16 * MiB);
        }
    }

    std::mt19937_64 random_;
    std::map<u64, u64> sizes_;
    MapTree tree_;
    std::map<u64, std::map<u64, u64>> taken_;  // tree, pending and pinned
    std::vector<std::pair<u64, u64>> pinned_;
    std::unique_ptr<DevExtents> extents_;
    u64 placed_ = 0, refused_ = 0;
};

}  // namespace

TEST_CASE("btrfs/dev extents: no hole of 16 MiB ever begins below the hint, and both modes place alike") {
    for (u64 seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        RandomVolume volume(seed);
        for (int i = 0; i < 1500; ++i) volume.step();
        CHECK(volume.placed() > 500);
        CHECK(volume.refused() > 100);
    }
}

namespace {

Buffer dev_extent_bytes(u64 length) {
    disk::btrfs_dev_extent extent{};
    extent.chunk_tree = chunk_tree_objectid;
    extent.chunk_objectid = first_chunk_tree_objectid;
    extent.length = length;
    return support::item_bytes(extent);
}

// The device tree of `crafted` becomes two leaves below a node, with device statistics in front and the dev
// extents of devices 1 and 3.
TreeRoot two_leaves(support::CraftedVolume& crafted) {
    support::CraftedVolume::Items first, second;
    for (const auto& [key, data] : crafted.items(dev_tree_objectid)) {
        if (key.objectid == dev_stats_objectid) first[key] = data;
    }
    for (u64 i = 0; i < 100; ++i) {
        auto& leaf = i < 60 ? first : second;
        leaf[make_key(1, KeyType::DevExtent, (1 + 8 * i) * MiB)] = dev_extent_bytes(8 * MiB);
    }
    second[make_key(3, KeyType::DevExtent, 10 * MiB)] = dev_extent_bytes(8 * MiB);
    LogicalAddr node = crafted.take_block(), left = crafted.take_block(), right = crafted.take_block();
    crafted.write_leaf(left, dev_tree_objectid, first);
    crafted.write_leaf(right, dev_tree_objectid, second);
    crafted.write_node(node, dev_tree_objectid, 1,
                       {{first.begin()->first, left}, {second.begin()->first, right}});
    return {dev_tree_objectid, node, 1, support::CraftedVolume::generation};
}

std::vector<u64> starts(const DevExtentSource& tree, u64 devid, u64 from, u64 leaves) {
    std::vector<u64> out;
    auto read = tree.for_each_from(devid, from, [&](u64 start, u64) {
        out.push_back(start / MiB);
        return out.size() < 3;
    });
    REQUIRE(read);
    CHECK(*read == leaves);
    return out;
}

}  // namespace

TEST_CASE(
    "btrfs/dev extents: a device tree is walked from the one before the position, to its device's end") {
    support::CraftedVolume crafted;
    TreeRoot root = two_leaves(crafted);
    auto volume = crafted.open();
    DeviceTree tree(*volume, [&] { return root; });
    CHECK(starts(tree, 1, 0, 1) == std::vector<u64>{1, 9, 17});
    CHECK(starts(tree, 1, MiB, 1) == std::vector<u64>{1, 9, 17});
    CHECK(starts(tree, 1, 9 * MiB - 1, 1) == std::vector<u64>{1, 9, 17});
    CHECK(starts(tree, 1, 473 * MiB, 2) == std::vector<u64>{473, 481, 489});  // 60 of 100 in the first leaf
    CHECK(starts(tree, 1, TiB, 1) == std::vector<u64>{793});
    CHECK(starts(tree, 2, 0, 1).empty());
    CHECK(starts(tree, 3, 0, 1) == std::vector<u64>{10});
    CHECK(starts(tree, 3, 12 * MiB, 1) == std::vector<u64>{10});
    DevExtents extents;
    for (u64 devid : {1U, 2U, 3U}) extents.add_device(devid, GiB);
    CHECK(*extents.find_free(tree, 1, 32 * MiB) == hole(801 * MiB, 223 * MiB));
    CHECK(*extents.find_free(tree, 2, 32 * MiB) == hole(MiB, 1023 * MiB));
    CHECK(*extents.find_free(tree, 3, 32 * MiB) == hole(18 * MiB, 1006 * MiB));
    CHECK(extents.counters().leaves_read == 4);
    CHECK(extents.counters().dev_extents_visited == 101);
    CHECK(*extents.find_free(tree, 1, 32 * MiB) == hole(801 * MiB, 223 * MiB));
    CHECK(extents.counters().leaves_read == 5);
    CHECK(extents.counters().dev_extents_visited == 102);
}
