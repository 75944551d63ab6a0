// SPDX-License-Identifier: MIT
// Power cuts and failing devices under random operations. Whatever the moment, the volume opens, is clean,
// and is what it was at a sync: the last one that returned, or the one that was under way.
#include "block/faulty_device.h"
#include "block/ram_device.h"
#include "block/recording_device.h"
#include "btrfs/mkfs.h"
#include "support/described_volume.h"

#include <cstdlib>
#include <doctest/doctest.h>

using namespace glassfs;
using support::described;
using support::Mounted;
using support::problems;
using vfs::NodeId;

namespace {

constexpr u64 MiB = 1ULL << 20;
// A snapshot makes commits of its own.
enum class Subvolumes : u8 { No, Yes };

// Operations on few names, so that they meet. What a user may get wrong is an answer like any other; `hard`
// keeps the first answer that blames the volume.
class Operations {
  public:
    Operations(vfs::FileSystem& files, u64 seed, Subvolumes subvolumes)
        : files_(files), random_(seed), subvolumes_(subvolumes) {}

    void one() {
        switch (below(subvolumes_ == Subvolumes::Yes ? 14 : 13)) {
            case 0:
            case 1:
                return see(files_.create(dir(), name(), {}));
            case 2:
                return see(files_.create(dir(), name(), {.mode = 0040755}));
            case 3:
            case 4:
            case 5:
                return write();
            case 6:
                return see(files_.unlink(dir(), name()));
            case 7:
                return see(files_.rename(dir(), name(), dir(), name(), vfs::RenameKind::Replace));
            case 8:
                return see(files_.symlink(dir(), name(), "target/of/it", {}));
            case 9:
                return with_file([&](NodeId id) { see(files_.link(id, dir(), name())); });
            case 10:
                return with_file([&](NodeId id) { see(files_.truncate(id, below(100'000))); });
            case 11:
                return with_file([&](NodeId id) {
                    see(files_.fallocate(id, vfs::FallocateMode::PunchHole, below(16) * 4096,
                                         4096 * (1 + below(4))));
                });
            case 12:
                return with_file([&](NodeId id) {
                    Buffer value(static_cast<std::size_t>(below(200)), u8{7});
                    see(files_.set_xattr(id, "user." + name(), value, vfs::XattrMode::Any));
                });
            default:
                return subvolume();
        }
    }

    const std::string& hard() const { return hard_; }

  private:
    u64 below(u64 n) { return random_.random() % n; }
    std::string name() { return std::string(1, static_cast<char>('a' + below(6))); }
    NodeId dir() {
        NodeId at = files_.root();
        for (u64 depth = below(3); depth > 0; --depth) {
            auto next = files_.lookup(at, name());
            if (next && is(*next, vfs::FileType::Directory)) at = *next;
        }
        return at;
    }
    bool is(NodeId id, vfs::FileType type) {
        auto attributes = files_.getattr(id);
        return attributes && attributes->type == type;
    }
    template <class F>
    void with_file(F&& use) {
        auto id = files_.lookup(dir(), name());
        if (id && is(*id, vfs::FileType::Regular)) use(*id);
    }
    void write() {
        with_file([&](NodeId id) {
            Buffer data(static_cast<std::size_t>(1 + below(below(3) == 0 ? 60'000 : 500)));
            for (u8& byte : data) byte = static_cast<u8>(below(4));
            see(files_.write(id, below(50'000), data));
        });
    }
    void subvolume() {
        // Some of these commit, and don't wait for the file data of other subvolumes.
        see(files_.sync());
        switch (below(4)) {
            case 0:
                return see(files_.create_subvolume(files_.root(), name(), {.mode = 0040755}));
            case 1:
                return see(
                    files_.snapshot(files_.root(), files_.root(), name(), vfs::SnapshotKind::Writable));
            case 2:
                return see(files_.delete_subvolume(files_.root(), name()));
            default:
                return see(files_.rmdir(dir(), name()));
        }
    }
    template <class T>
    void see(const Result<T>& answer) {
        if (answer) return;
        Errno code = answer.error().code();
        bool damage =
            code == Errno::IO || code == Errno::UCLEAN || code == Errno::ROFS || code == Errno::NOMEM;
        if (damage && hard_.empty()) hard_ = answer.error().message();
    }

    vfs::FileSystem& files_;
    SeededEnvironment random_;
    Subvolumes subvolumes_;
    std::string hard_;
};

u64 sequences(u64 normally) {
    const char* more = std::getenv("GLASSFS_CRASH_SEQUENCES");
    return more != nullptr ? std::strtoull(more, nullptr, 10) : normally;
}

// An operation that committed, once or (a snapshot) twice: what the volume was before and after it, and how
// long the device's log was then.
struct Commit {
    std::size_t entries;
    std::string before;
    std::string after;
};

std::shared_ptr<block::RamDevice> fresh(u64 seed) {
    auto device = std::make_shared<block::RamDevice>(160 * MiB);
    SeededEnvironment environment(seed);
    btrfs::MkfsOptions options;
    options.node_size = seed % 2 == 0 ? 4096 : 16384;
    options.no_holes = seed % 3 != 0;
    REQUIRE(btrfs::mkfs({device}, options, environment));
    return device;
}

}  // namespace

TEST_CASE("btrfs/crash: cut anywhere, a volume is clean and what it was at a sync") {
    for (u64 seed = 0; seed < sequences(24); ++seed) {
        CAPTURE(seed);
        auto device = std::make_shared<block::RecordingDevice>(fresh(seed), 4096);
        auto mounted = Mounted::open({device}, seed);
        REQUIRE(mounted);
        Operations operations(*mounted->files, seed, Subvolumes::Yes);
        std::vector<Commit> commits = {{0, "", ""}};
        for (int round = 0; round < 4; ++round) {
            for (int i = 0; i <= 12; ++i) {
                std::string before = described(*mounted->files);
                u64 count = mounted->store->counters().commits;
                if (i < 12)
                    operations.one();
                else
                    REQUIRE(mounted->files->sync());
                if (mounted->store->counters().commits == count) continue;
                commits.push_back({device->entry_count(), before, described(*mounted->files)});
            }
        }
        CHECK(operations.hard() == "");
        std::size_t done = 0;
        for (std::size_t cut = 0; cut <= device->entry_count(); ++cut) {
            CAPTURE(cut);
            while (done + 1 < commits.size() && commits[done + 1].entries <= cut) ++done;
            auto unflushed = cut % 3 == 0   ? block::Unflushed::Lost
                             : cut % 3 == 1 ? block::Unflushed::Scattered
                                            : block::Unflushed::Kept;
            auto state = device->state_at(cut, unflushed, cut);
            REQUIRE(state);
            REQUIRE(problems({*state}) == "");
            auto again = Mounted::open({*state}, seed);
            REQUIRE_MESSAGE(again, (again ? "" : again.error().message()));
            std::string now = described(*again->files);
            // The last thing that an operation did need not have been its commit.
            bool last = now == commits[done].after || now == commits[done].before;
            bool next = done + 1 < commits.size() &&
                        (now == commits[done + 1].before || now == commits[done + 1].after);
            std::string wanted = "last:\n" + commits[done].after;
            if (done + 1 < commits.size()) {
                wanted +=
                    "before the next:\n" + commits[done + 1].before + "next:\n" + commits[done + 1].after;
            }
            REQUIRE_MESSAGE((last || next), now << wanted);
        }
    }
}

TEST_CASE("btrfs/crash: a volume goes on after a cut as if nothing had been") {
    for (u64 seed = 100; seed < 100 + sequences(8); ++seed) {
        CAPTURE(seed);
        std::shared_ptr<block::Device> base = fresh(seed);
        SeededEnvironment dice(seed);
        for (int life = 0; life < 4; ++life) {
            auto device = std::make_shared<block::RecordingDevice>(base, 4096);
            auto mounted = Mounted::open({device}, seed + static_cast<u64>(life));
            REQUIRE_MESSAGE(mounted, (mounted ? "" : mounted.error().message()));
            Operations operations(*mounted->files, dice.random(), Subvolumes::Yes);
            for (int i = 0; i < 60; ++i) {
                operations.one();
                if (i % 20 == 19) REQUIRE(mounted->files->sync());
            }
            CHECK(operations.hard() == "");
            auto state = device->state_at(dice.random() % (device->entry_count() + 1),
                                          block::Unflushed::Scattered, seed);
            REQUIRE(state);
            REQUIRE(problems({*state}) == "");
            base = *state;
        }
    }
}

TEST_CASE("btrfs/crash: a device call that fails at any place costs one clear error and no commit") {
    for (auto access : {block::Access::Write, block::Access::Flush, block::Access::Read}) {
        CAPTURE(static_cast<int>(access));
        const u64 step = access == block::Access::Flush ? 1 : 3;
        for (u64 skip = 0, hits = 1; hits != 0 && skip < 150; skip += step) {
            CAPTURE(skip);
            auto faulty = std::make_shared<block::FaultyDevice>(fresh(skip));
            auto mounted = Mounted::open({faulty}, skip);
            REQUIRE(mounted);
            Operations operations(*mounted->files, skip, Subvolumes::No);
            for (int i = 0; i < 20; ++i) operations.one();
            REQUIRE(mounted->files->sync());
            std::string before = described(*mounted->files);
            faulty->add({.access = access, .kind = block::Fault::Kind::Fail, .skip = skip, .count = 1});
            for (int i = 0; i < 20; ++i) operations.one();
            auto synced = mounted->files->sync();
            hits = faulty->faults_hit();
            faulty->clear();
            std::string after = described(*mounted->files);
            bool failed = !synced || operations.hard() != "";
            REQUIRE((hits != 0 || !failed));
            mounted->files.reset();
            mounted->store.reset();
            REQUIRE(problems({faulty}) == "");
            auto again = Mounted::open({faulty}, skip);
            REQUIRE_MESSAGE(again, (again ? "" : again.error().message()));
            std::string now = described(*again->files);
            if (synced && hits == 0) REQUIRE(now == after);
            if (!synced) REQUIRE_MESSAGE((now == before || now == after), now);
        }
    }
}
