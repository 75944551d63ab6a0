// SPDX-License-Identifier: MIT
// One sequence of operations, again and again, each time with one thing failing at another place: a read, a
// write, a flush, the allocation of space. Every operation then works or answers with one error; what worked
// is what the model in memory has done; and whatever was lost, the devices hold a state that was committed.
#include "block/faulty_device.h"
#include "block/overlay_device.h"
#include "block/ram_device.h"
#include "btrfs/mkfs.h"
#include "support/described_volume.h"
#include "support/model_fs.h"

#include <cstdlib>
#include <doctest/doctest.h>

using namespace glassfs;
using support::described;
using support::Devices;
using support::ModelFs;
using support::Mounted;
using support::problems;
using vfs::NodeId;

namespace {

constexpr u64 KiB = 1ULL << 10, MiB = 1ULL << 20;

// A file system and what is open in it.
struct Side {
    vfs::FileSystem& files;
    std::map<std::string, NodeId> open = {};

    Result<NodeId> at(std::string_view path) {
        NodeId node = files.root();
        while (!path.empty()) {
            std::string_view name = path.substr(0, path.find('/'));
            path.remove_prefix(std::min(path.size(), name.size() + 1));
            node = TRY(files.lookup(node, name));
        }
        return node;
    }
};

// One operation. `most`: bytes that a write may write at most; what it wrote is the answer.
struct Step {
    std::string what;
    std::function<Result<std::size_t>(Side&, std::size_t most)> run;
};

class Script {
  public:
    std::vector<Step> steps;

    template <class F>
    void add(std::string what, F change) {
        steps.push_back({std::move(what), [change](Side& side, std::size_t) -> Result<std::size_t> {
                             auto done = change(side);
                             if (!done) return fail(done.error());
                             return 0;
                         }});
    }
    void make(const std::string& dir, const std::string& name, u32 mode = 0100644) {
        add("create " + dir + "/" + name, [=](Side& side) -> Result<void> {
            TRY(side.files.create(TRY(side.at(dir)), name, {.mode = mode}));
            return {};
        });
    }
    void write(const std::string& path, u64 at, std::size_t length, u8 filling) {
        auto run = [=](Side& side, std::size_t most) -> Result<std::size_t> {
            Buffer data(std::min(length, most), filling);
            for (std::size_t i = 0; i < data.size(); i += 97) data[i] = static_cast<u8>(i / 97);
            return side.files.write(TRY(side.at(path)), at, data);
        };
        steps.push_back({"write " + path, run});
    }
    void xattr(const std::string& path, const std::string& name, std::size_t length) {
        add("setxattr " + path, [=](Side& side) -> Result<void> {
            Buffer value(length, u8{9});
            return side.files.set_xattr(TRY(side.at(path)), name, value, vfs::XattrMode::Any);
        });
    }
    void unlink(const std::string& dir, const std::string& name) {
        add("unlink " + dir + "/" + name,
            [=](Side& side) -> Result<void> { return side.files.unlink(TRY(side.at(dir)), name); });
    }
    void rename(const std::string& from, const std::string& to, vfs::RenameKind kind) {
        add("rename " + from + " " + to, [=](Side& side) -> Result<void> {
            NodeId root = side.files.root();
            return side.files.rename(root, from, root, to, kind);
        });
    }
    void fallocate(const std::string& path, vfs::FallocateMode mode, u64 at, u64 length) {
        add("fallocate " + path, [=](Side& side) -> Result<void> {
            return side.files.fallocate(TRY(side.at(path)), mode, at, length);
        });
    }
    void sync() {
        add("sync", [](Side& side) { return side.files.sync(); });
    }
};

void add_names(Script& script) {
    using vfs::RenameKind;
    script.make("", "dir", 0040755);
    for (int i = 0; i < 40; ++i) script.make("dir", "a name that takes some room " + std::to_string(i));
    script.add("link", [](Side& side) -> Result<void> {
        return side.files.link(TRY(side.at("dir/a name that takes some room 3")), side.files.root(), "l");
    });
    script.add("symlink", [](Side& side) -> Result<void> {
        TRY(side.files.symlink(side.files.root(), "s", "where/to", {}));
        return {};
    });
    for (int i = 0; i < 40; i += 3) script.unlink("dir", "a name that takes some room " + std::to_string(i));
    script.rename("s", "t", RenameKind::NoReplace);
    script.rename("t", "l", RenameKind::Exchange);
    script.rename("l", "t", RenameKind::Replace);
    script.add("rmdir, not empty", [](Side& side) { return side.files.rmdir(side.files.root(), "dir"); });
}

void add_data(Script& script) {
    using Mode = vfs::FallocateMode;
    script.make("", "f");
    script.make("", "g");
    script.write("f", 0, 300 * KiB, 1);
    script.xattr("f", "user.small", 30);
    // Nothing else is dirty: it commits, and doesn't wait for the data of others.
    script.add("fsync", [](Side& side) -> Result<void> { return side.files.fsync(TRY(side.at("f"))); });
    script.write("g", 100, 900, 2);
    for (u64 i = 0; i < 12; ++i) script.write("f", i * 24 * KiB + 5, 3000, static_cast<u8>(3 + i));
    script.sync();
    script.fallocate("f", Mode::PunchHole, 20 * KiB, 70 * KiB);
    script.fallocate("g", Mode::Allocate, 50 * KiB, 200 * KiB);
    script.write("g", 60 * KiB, 9 * KiB, 20);
    script.add("clone", [](Side& side) -> Result<void> {
        return side.files.clone_range(TRY(side.at("f")), 96 * KiB, 64 * KiB, TRY(side.at("g")), 8 * KiB);
    });
    script.add("truncate", [](Side& side) -> Result<void> {
        return side.files.truncate(TRY(side.at("f")), 150 * KiB + 11);
    });
    script.xattr("g", "user.large", 2500);
    script.xattr("g", "user.large", 1200);
    script.add("removexattr", [](Side& side) -> Result<void> {
        return side.files.remove_xattr(TRY(side.at("f")), "user.small");
    });
    script.add("open g, which goes", [](Side& side) -> Result<void> {
        NodeId id = TRY(side.at("g"));
        side.files.hold(id);
        side.open["g"] = id;
        return {};
    });
    script.unlink("", "g");
    script.sync();
    script.add("close g", [](Side& side) -> Result<void> {
        auto held = side.open.extract("g");
        return held ? side.files.release(held.mapped()) : Result<void>{};
    });
}

void add_subvolumes(Script& script) {
    script.add("subvolume", [](Side& side) -> Result<void> {
        TRY(side.files.create_subvolume(side.files.root(), "sub", {.mode = 0040755}));
        return {};
    });
    for (int i = 0; i < 30; ++i) script.make("sub", "one of the names below " + std::to_string(i));
    script.write("sub/one of the names below 7", 0, 40 * KiB, 30);
    script.sync();
    script.add("snapshot", [](Side& side) -> Result<void> {
        TRY(side.files.snapshot(TRY(side.at("sub")), side.files.root(), "snap", vfs::SnapshotKind::Writable));
        return {};
    });
    for (int i = 0; i < 30; i += 7) script.unlink("sub", "one of the names below " + std::to_string(i));
    script.write("snap/one of the names below 7", 10 * KiB, 5 * KiB, 31);
    script.make("snap", "further");
    script.sync();
    script.add("delete the origin",
               [](Side& side) { return side.files.delete_subvolume(side.files.root(), "sub"); });
    script.sync();
    script.make("snap", "last");
    script.add("delete the snapshot",
               [](Side& side) { return side.files.delete_subvolume(side.files.root(), "snap"); });
    script.sync();
}

Script whole_script() {
    Script script;
    add_names(script);
    add_data(script);
    add_subvolumes(script);
    return script;
}

// What a commit may have left: before and after the operation that made it.
struct Committed {
    std::string before;
    std::string after;
    bool holds(const std::string& state) const { return state == before || state == after; }
};

// Runs the script on a volume and beside it on the model.
class Trial {
  public:
    Trial(Mounted& mounted, const Script& script) : mounted_(mounted), script_(script) {}

    void run() {
        committed_ = {described(model_), described(model_)};
        for (const Step& step : script_.steps) {
            one(step);
            if (complaint != "") return;
        }
    }
    // Answers that blame the volume.
    u32 errors() const { return errors_; }
    std::string state() { return described(model_); }
    bool may_be_on_disk(const std::string& state) const {
        return committed_.holds(state) || running_.holds(state);
    }
    std::string complaint;  // about an answer that mustn't be
    std::string seen;       // those errors, for people

  private:
    // Errors that come from the volume, not from what was asked for.
    static bool is_fault(Errno code) {
        return code == Errno::IO || code == Errno::UCLEAN || code == Errno::NOSPC || code == Errno::ROFS;
    }
    void one(const Step& step) {
        const u64 commits = mounted_.store->counters().commits;
        const bool aborted = mounted_.store->aborted();
        auto answer = step.run(here_, ~std::size_t{0});
        if (!answer && is_fault(answer.error().code())) see(step, answer.error(), aborted);
        if (aborted) return;
        running_.before = state();
        if (mounted_.store->aborted()) {
            // The volume is left where it is; the commit that failed may have come to the disk.
            (void)step.run(there_, ~std::size_t{0});
        } else if (answer || !is_fault(answer.error().code())) {
            compare(step, answer, step.run(there_, answer ? *answer : 0));
        }
        running_.after = state();
        if (mounted_.store->counters().commits != commits) committed_ = running_;
    }
    void compare(const Step& step, const Result<std::size_t>& here, const Result<std::size_t>& there) {
        Errno a = here ? Errno::OK : here.error().code(), b = there ? Errno::OK : there.error().code();
        if (a != b) complain(step, std::string(errno_name(a)) + ", the model says " + errno_name(b));
        if (a == b && here && *here != *there) complain(step, "other lengths are written");
    }
    void see(const Step& step, const Error& error, bool aborted) {
        if (error.cause == Cause::VolumeAborted) {
            if (!aborted)
                complain(step, "not the error itself, but what follows from it: " + error.message());
            return;
        }
        seen += step.what + ": " + error.message() + "\n";
        ++errors_;
    }
    void complain(const Step& step, const std::string& why) { complaint += step.what + ": " + why + "\n"; }

    Mounted& mounted_;
    const Script& script_;
    ModelFs model_{support::ModelOptions{4096, 1}};
    Side here_{*mounted_.files}, there_{model_};
    Committed committed_, running_;
    u32 errors_ = 0;
};

std::shared_ptr<block::RamDevice> fresh(u64 bytes, u64 metadata_profile) {
    auto device = std::make_shared<block::RamDevice>(bytes);
    SeededEnvironment environment(3);
    btrfs::MkfsOptions options;
    options.node_size = 4096;
    options.metadata_profile = metadata_profile;
    REQUIRE(btrfs::mkfs({device}, options, environment));
    return device;
}

// Keeps so little in memory that most of what is needed is read again.
btrfs::Volume::Options forgetful() {
    btrfs::Volume::Options options;
    options.cache_bytes = 32 * KiB;
    return options;
}

// Whatever happened: the devices are clean and hold what was committed, and one who goes on can.
void check_what_is_left(const Devices& devices, Trial& trial) {
    REQUIRE(problems(devices) == "");
    auto again = Mounted::open(devices, 9);
    REQUIRE_MESSAGE(again, (again ? "" : again.error().message()));
    std::string now = described(*again->files);
    REQUIRE_MESSAGE(trial.may_be_on_disk(now), now << "instead of\n" << trial.state());
    REQUIRE(again->files->create(again->files->root(), "afterwards", {}));
    REQUIRE(again->files->sync());
    REQUIRE(problems(devices) == "");
}

struct Hit {
    u64 positions = 0;  // how many there are
    u64 lost = 0;       // runs that ended read-only
    u64 errors = 0;
};

// What holds after any fault: at most `errors_max` answers say so, the volume goes on or is read-only with
// the reason.
void check_what_it_cost(Mounted& mounted, Trial& trial, u32 errors_max, Hit& hit) {
    CAPTURE(trial.seen);
    REQUIRE(trial.complaint == "");
    REQUIRE(trial.errors() <= errors_max);
    hit.errors += trial.errors();
    if (!mounted.store->aborted()) {
        REQUIRE(mounted.files->sync());
        REQUIRE(described(*mounted.files) == trial.state());
        return;
    }
    ++hit.lost;
    REQUIRE(trial.errors() == 1);
    auto synced = mounted.files->sync();
    REQUIRE_FALSE(synced);
    REQUIRE(synced.error().cause == Cause::VolumeAborted);
    // A commit's error is kept; another one was some operation's answer.
    const std::string& reason = synced.error().detail;
    const bool of_commit = reason.starts_with("commit: ") && trial.seen.starts_with("sync: ");
    if (of_commit) REQUIRE(trial.seen == "sync: " + reason.substr(std::size("commit: ") - 1) + "\n");
}

// With the fault at position `skip`. False: it was never met.
bool run_with_fault(const std::shared_ptr<block::Device>& base, const Script& script, block::Fault fault,
                    u32 errors_max, Hit& hit) {
    auto faulty = std::make_shared<block::FaultyDevice>(std::make_shared<block::OverlayDevice>(base));
    auto mounted = Mounted::open({faulty}, 4, forgetful());
    REQUIRE(mounted);
    faulty->add(fault);
    Trial trial(*mounted, script);
    trial.run();
    const bool met = faulty->faults_hit() != 0;
    faulty->clear();
    check_what_it_cost(*mounted, trial, met ? errors_max : 0, hit);
    mounted->files.reset();
    mounted->store.reset();
    check_what_is_left({faulty}, trial);
    if (met) ++hit.positions;
    return met;
}

// With the allocation behind `skip` others refused. False: there weren't so many.
bool run_with_refusal(const std::shared_ptr<block::Device>& base, const Script& script, u64 skip, Hit& hit) {
    Devices devices = {std::make_shared<block::OverlayDevice>(base)};
    auto mounted = Mounted::open(devices, 4);
    REQUIRE(mounted);
    mounted->store->groups().refuse_allocation(skip);
    Trial trial(*mounted, script);
    trial.run();
    mounted->store->groups().refuse_no_allocation();
    const bool met = mounted->store->groups().refused_allocation();
    check_what_it_cost(*mounted, trial, met ? 1 : 0, hit);
    mounted->files.reset();
    mounted->store.reset();
    check_what_is_left(devices, trial);
    if (met) ++hit.positions;
    return met;
}

// More positions than the usual sample: GLASSFS_FAULTS_EACH.
u64 stride(u64 usual) {
    return std::getenv("GLASSFS_FAULTS_EACH") != nullptr ? 1 : usual;
}

}  // namespace

TEST_CASE("btrfs/faults: a read that fails once, anywhere, costs one error") {
    const Script script = whole_script();
    auto base = fresh(160 * MiB, 0);
    for (auto kind : {block::Fault::Kind::Fail, block::Fault::Kind::Flip}) {
        CAPTURE(static_cast<int>(kind));
        Hit hit;
        bool met = true;
        for (u64 skip = 0; met; skip += stride(7)) {
            CAPTURE(skip);
            met = run_with_fault(base, script,
                                 {.access = block::Access::Read, .kind = kind, .skip = skip, .bytes = 77}, 1,
                                 hit);
        }
        CHECK(hit.errors > hit.positions / 2);
    }
}

TEST_CASE("btrfs/faults: with two copies a read that fails once costs nothing") {
    const Script script = whole_script();
    auto base = fresh(160 * MiB, btrfs::block_group_dup);
    Hit hit;
    bool met = true;
    for (u64 skip = 0; met; skip += stride(29)) {
        CAPTURE(skip);
        met = run_with_fault(base, script, {.access = block::Access::Read, .skip = skip}, 1, hit);
    }
    CHECK(hit.lost == 0);
    CHECK(hit.errors <= hit.positions / 5);  // file data has one copy
}

TEST_CASE("btrfs/faults: a write or flush that fails once, anywhere, costs one error and no commit") {
    const Script script = whole_script();
    auto base = fresh(160 * MiB, btrfs::block_group_dup);
    for (auto access : {block::Access::Write, block::Access::Flush}) {
        CAPTURE(static_cast<int>(access));
        Hit hit;
        bool met = true;
        for (u64 skip = 0; met; ++skip) {
            CAPTURE(skip);
            met = run_with_fault(base, script, {.access = access, .skip = skip}, 1, hit);
        }
        CHECK(hit.errors == hit.positions);
    }
}

TEST_CASE("btrfs/faults: an allocation of space that is refused once, anywhere, costs one error at most") {
    const Script script = whole_script();
    for (u64 profile : {u64{0}, btrfs::block_group_dup}) {
        CAPTURE(profile);
        auto base = fresh(160 * MiB, profile);
        Hit hit;
        bool met = true;
        for (u64 skip = 0; met; skip += stride(3)) {
            CAPTURE(skip);
            met = run_with_refusal(base, script, skip, hit);
        }
        CHECK(hit.positions > 20);
        MESSAGE(hit.positions << " allocations, " << hit.errors << " errors, " << hit.lost << " read-only");
    }
}

namespace {

// Full of names and data, but for a subvolume "work", where nothing is yet.
std::shared_ptr<block::RamDevice> full_device(u64 bytes) {
    auto device = fresh(bytes, 0);
    auto mounted = Mounted::open({device}, 5);
    REQUIRE(mounted);
    auto& files = *mounted->files;
    REQUIRE(files.create_subvolume(files.root(), "work", {.mode = 0040755}));
    NodeId filler = *files.create(files.root(), "filler", {.mode = 0040755});
    Buffer piece(32 * KiB, u8{5});
    for (u64 i = 0;; ++i) {  // an extent for each file
        auto made = files.create(filler, "data" + std::to_string(i), {});
        auto written = made ? files.write(*made, 0, piece) : fail(made.error());
        if (!written || *written != piece.size()) break;
    }
    REQUIRE(files.sync());
    Buffer value(900, u8{6});
    for (u64 i = 0;; ++i) {
        auto made = files.create(filler, std::to_string(i), {});
        auto done =
            made ? files.set_xattr(*made, "user.filling", value, vfs::XattrMode::Any) : Result<void>{};
        if (!made || !done) break;
    }
    REQUIRE(files.sync());
    CHECK_FALSE(mounted->store->aborted());
    return device;
}

// Takes the names from `first` on away, and some data.
void make_room(vfs::FileSystem& files, NodeId top, u64 first, u64 end) {
    NodeId filler = *files.lookup(top, "filler");
    for (u64 i = first; i < end; ++i) {
        REQUIRE(files.unlink(filler, std::to_string(i)));
        if (i % 16 == 0) REQUIRE(files.unlink(filler, "data" + std::to_string(i / 16)));
    }
    REQUIRE(files.sync());
}

}  // namespace

TEST_CASE("btrfs/faults: whichever step finds the device full is refused, and nothing else happens") {
    const Script script = whole_script();
    auto base = full_device(64 * MiB);
    u64 refused = 0, fitted = 0;
    for (u64 names = 0; names < 1000; names += 1 + names / 6) {
        CAPTURE(names);
        auto device = std::make_shared<block::OverlayDevice>(base);
        const NodeId top{btrfs::fs_tree_objectid, InodeNo{btrfs::first_free_objectid}};
        {
            auto mounted = Mounted::open({device}, 6, {}, "work");
            REQUIRE(mounted);
            make_room(*mounted->files, top, 0, names);
            Trial trial(*mounted, script);
            trial.run();
            CAPTURE(trial.seen);
            REQUIRE(trial.complaint == "");
            REQUIRE_FALSE(mounted->store->aborted());
            REQUIRE(described(*mounted->files) == trial.state());
            refused += trial.errors();
            fitted += trial.errors() == 0 ? 1 : 0;
            make_room(*mounted->files, top, names, names + 200);  // for what is still to be written
            REQUIRE(described(*mounted->files) == trial.state());
            REQUIRE(problems({device}) == "");
        }
    }
    CHECK(refused > 100);
    CHECK(fitted > 0);
}
