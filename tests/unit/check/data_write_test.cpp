// SPDX-License-Identifier: MIT
// File data, written: compared with a plain array, read back after a crash and after a remount, and judged by
// the checker.
#include "support/writable_mount.h"

#include <random>

using namespace glassfs;
using support::outcome;
using support::WritableMount;
using vfs::FallocateMode;
using vfs::NewInode;
using vfs::NodeId;

namespace {

constexpr NewInode file{.mode = 0100644};
constexpr u64 sector = 4096;

btrfs::MkfsOptions with_holes_as(bool no_holes) {
    btrfs::MkfsOptions options;
    options.no_holes = no_holes;
    return options;
}

NodeId make(WritableMount& mount, std::string_view name) {
    auto made = mount.files().create(mount.root(), name, file);
    REQUIRE_MESSAGE(made, name);
    return *made;
}

Buffer pattern(std::size_t size, u32 seed) {
    std::minstd_rand random(seed + 1);
    Buffer out(size);
    for (u8& byte : out) byte = static_cast<u8>(random() >> 8);
    return out;
}

Buffer text(std::size_t size) {
    constexpr std::string_view words = "so it goes, and on it goes; ";
    Buffer out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<u8>(words[i % words.size()]);
    return out;
}

void put(Buffer& into, u64 at, const Buffer& data) {
    if (into.size() < at + data.size()) into.resize(static_cast<std::size_t>(at) + data.size());
    std::copy(data.begin(), data.end(), into.begin() + static_cast<std::ptrdiff_t>(at));
}

Buffer content(WritableMount& mount, NodeId id) {
    auto stat = mount.files().getattr(id);
    REQUIRE(stat);
    Buffer out(static_cast<std::size_t>(stat->size));
    auto read = mount.files().read(id, 0, out);
    REQUIRE_MESSAGE(read, outcome(read));
    REQUIRE(*read == out.size());
    return out;
}

void write_to(WritableMount& mount, NodeId id, u64 at, const Buffer& data) {
    auto written = mount.files().write(id, at, data);
    REQUIRE_MESSAGE(written, outcome(written));
    REQUIRE(*written == data.size());
}

// "0+4096 data, 4096+8192 hole": a file's extents, without their places.
std::string layout(WritableMount& mount, NodeId id) {
    std::string out;
    const char* names[] = {"data", "hole", "unwritten", "inline"};
    REQUIRE(mount.files().extents(id, [&](const vfs::FileExtent& extent) {
        if (!out.empty()) out += ", ";
        out += std::to_string(extent.file_offset) + "+" + std::to_string(extent.length) + " " +
               names[static_cast<int>(extent.kind)];
        if (std::string_view(extent.compression) != "none") out += std::string(" ") + extent.compression;
        return true;
    }));
    return out;
}

u64 place_of_last_extent(WritableMount& mount, NodeId id) {
    u64 out = 0;
    REQUIRE(mount.files().extents(id, [&](const vfs::FileExtent& extent) {
        out = extent.physical;
        return true;
    }));
    return out;
}

}  // namespace

TEST_CASE("btrfs/data: bytes that were written can be read, before and after they are on disk") {
    WritableMount mount;
    NodeId id = make(mount, "file");
    Buffer data = pattern(100'000, 1);
    write_to(mount, id, 0, data);
    CHECK(content(mount, id) == data);
    CHECK(mount.stat("file").size == 100'000);
    CHECK(mount.stat("file").bytes == 25 * sector);
    CHECK(layout(mount, id) == "0+102400 data");
    CHECK(mount.problems_after_sync() == "");
    CHECK(content(mount, id) == data);
    mount.remount();
    CHECK(content(mount, id) == data);
    CHECK(mount.stat("file").bytes == 25 * sector);
    CHECK(layout(mount, id) == "0+102400 data");
}

TEST_CASE("btrfs/data: a small file lies in its item, and leaves it when it grows") {
    WritableMount mount;
    NodeId id = make(mount, "file");
    Buffer expected;
    for (std::size_t size : {1U, 100U, 2048U}) {
        put(expected, 0, pattern(size, 1));
        write_to(mount, id, 0, pattern(size, 1));
        CHECK(mount.problems_after_sync() == "");
        CHECK(layout(mount, id) == "0+" + std::to_string(size) + " inline");
    }
    put(expected, 2048, pattern(1, 2));
    write_to(mount, id, 2048, pattern(1, 2));
    CHECK(mount.problems_after_sync() == "");
    CHECK(layout(mount, id) == "0+4096 data");
    REQUIRE(mount.files().truncate(id, 100));
    expected.resize(100);
    put(expected, 0, pattern(10, 3));
    write_to(mount, id, 0, pattern(10, 3));
    CHECK(mount.problems_after_sync() == "");
    CHECK(layout(mount, id) == "0+100 inline");
    REQUIRE(mount.files().truncate(id, 40));
    expected.resize(40);
    CHECK(mount.problems_after_sync() == "");
    CHECK(layout(mount, id) == "0+40 inline");
    put(expected, 10'000, pattern(10, 4));
    write_to(mount, id, 10'000, pattern(10, 4));
    CHECK(mount.problems_after_sync() == "");
    CHECK(layout(mount, id) == "0+4096 data, 4096+4096 hole, 8192+4096 data");
    mount.remount();
    CHECK(content(mount, id) == expected);
}

TEST_CASE("btrfs/data: a crash leaves the size at what has its data") {
    WritableMount mount;
    NodeId id = make(mount, "file");
    write_to(mount, id, 0, pattern(8192, 1));
    REQUIRE(mount.files().sync());
    write_to(mount, id, 8192, pattern(50'000, 2));
    REQUIRE(mount.store().commit());
    CHECK(mount.stat("file").size == 58'192);
    mount.remount();
    CHECK(mount.problems() == "");
    CHECK(content(mount, mount.at("file")) == pattern(8192, 1));
}

TEST_CASE("btrfs/data: what was written back and not committed is gone after a crash") {
    WritableMount mount;
    NodeId id = make(mount, "file");
    write_to(mount, id, 0, pattern(1 << 20, 1));
    REQUIRE(mount.files().fsync(id));
    for (u32 i = 0; i < 8; ++i) {
        for (u32 n = 0; n < 100; ++n)
            write_to(mount, id, n * 1'000'000, pattern(1'000'000, i));  // more than may be dirty
        mount.remount();
        CHECK(mount.problems() == "");
        id = mount.at("file");
        if (i % 2 == 0) continue;
        // Or committed by chance, by what needs room: then all of it up to the size is there.
        Buffer bytes = content(mount, id);
        CHECK(bytes.size() >= 1 << 20);
    }
}

TEST_CASE("btrfs/data: zeros, not old bytes, come behind a former end") {
    for (bool no_holes : {true, false}) {
        CAPTURE(no_holes);
        WritableMount mount(with_holes_as(no_holes));
        NodeId id = make(mount, "file");
        Buffer expected = pattern(10'000, 1);
        write_to(mount, id, 0, expected);
        REQUIRE(mount.files().sync());
        REQUIRE(mount.files().truncate(id, 5'000));
        expected.resize(5'000);
        CHECK(mount.problems_after_sync() == "");
        mount.remount();
        REQUIRE(mount.files().truncate(id, 20'000));
        expected.resize(20'000);
        CHECK(content(mount, id) == expected);
        CHECK(mount.problems_after_sync() == "");
        mount.remount();
        CHECK(content(mount, id) == expected);
        CHECK(mount.stat("file").bytes == 2 * sector);
    }
}

TEST_CASE("btrfs/data: holes take no room, and reading finds zeros in them") {
    for (bool no_holes : {true, false}) {
        CAPTURE(no_holes);
        WritableMount mount(with_holes_as(no_holes));
        NodeId id = make(mount, "file");
        write_to(mount, id, 1 << 20, pattern(4096, 1));
        REQUIRE(mount.files().truncate(id, 3 << 20));
        for (bool synced : {false, true}) {
            CAPTURE(synced);
            if (synced) CHECK(mount.problems_after_sync() == "");
            CHECK(layout(mount, id) == "0+1048576 hole, 1048576+4096 data, 1052672+2093056 hole");
            CHECK(mount.stat("file").bytes == 4096);
            CHECK(mount.files().seek(id, 0, vfs::Whence::Data) == 1U << 20);
            CHECK(mount.files().seek(id, 1 << 20, vfs::Whence::Hole) == (1U << 20) + 4096);
            CHECK(std::string(outcome(mount.files().seek(id, 2 << 20, vfs::Whence::Data))) == "ENXIO");
        }
    }
}

TEST_CASE("btrfs/data: writing into the middle of an extent cuts its item in three") {
    WritableMount mount;
    NodeId id = make(mount, "file");
    Buffer data = pattern(10 * sector, 1);
    write_to(mount, id, 0, data);
    REQUIRE(mount.files().sync());
    write_to(mount, id, 4 * sector, pattern(sector, 2));
    put(data, 4 * sector, pattern(sector, 2));
    CHECK(mount.problems_after_sync() == "");
    CHECK(layout(mount, id) == "0+16384 data, 16384+4096 data, 20480+20480 data");
    mount.remount();
    CHECK(content(mount, id) == data);
}

TEST_CASE("btrfs/data: preallocated room is written where it lies, and joins what is written beside it") {
    WritableMount mount;
    NodeId id = make(mount, "file");
    REQUIRE(mount.files().fallocate(id, FallocateMode::Allocate, 0, 1 << 20));
    CHECK(mount.stat("file").size == 1 << 20);
    CHECK(mount.stat("file").bytes == 1 << 20);
    CHECK(mount.problems_after_sync() == "");
    CHECK(layout(mount, id) == "0+1048576 unwritten");
    u64 place = place_of_last_extent(mount, id);
    Buffer expected(1 << 20);
    for (u64 at : {256U * 1024, 256U * 1024 + 8192, 256U * 1024 + 4096}) {
        write_to(mount, id, at, pattern(sector, static_cast<u32>(at)));
        put(expected, at, pattern(sector, static_cast<u32>(at)));
        CHECK(mount.problems_after_sync() == "");
    }
    CHECK(layout(mount, id) == "0+262144 unwritten, 262144+12288 data, 274432+774144 unwritten");
    CHECK(content(mount, id) == expected);
    CHECK(place_of_last_extent(mount, id) == place + 274432);
    mount.remount();
    CHECK(content(mount, id) == expected);
}

TEST_CASE("btrfs/data: NODATACOW overwrites in place until a snapshot shares the extent") {
    WritableMount mount;
    NodeId id = make(mount, "file");
    REQUIRE(mount.files().set_flags(id, btrfs::inode_nodatacow));
    Buffer first = pattern(64 * 1024, 1), second = pattern(64 * 1024, 2), third = pattern(64 * 1024, 3);
    write_to(mount, id, 0, first);
    CHECK(mount.problems_after_sync() == "");
    u64 before = place_of_last_extent(mount, id);
    write_to(mount, id, 0, second);
    CHECK(mount.problems_after_sync() == "");
    CHECK(place_of_last_extent(mount, id) == before);
    CHECK(content(mount, id) == second);
    auto snapshot = mount.files().snapshot(mount.root(), mount.root(), "snap", vfs::SnapshotKind::Writable);
    REQUIRE_MESSAGE(snapshot, outcome(snapshot));
    write_to(mount, id, 0, third);
    CHECK(mount.problems_after_sync() == "");
    CHECK(place_of_last_extent(mount, id) != before);
    CHECK(content(mount, id) == third);
    CHECK(content(mount, mount.at("snap/file")) == second);
}

TEST_CASE("btrfs/data: cloned ranges share extents, and part when one is written") {
    for (bool no_holes : {true, false}) {
        CAPTURE(no_holes);
        WritableMount mount(with_holes_as(no_holes));
        NodeId from = make(mount, "from"), to = make(mount, "to");
        Buffer data = pattern(100'000, 1);
        write_to(mount, from, 0, data);
        REQUIRE(mount.files().clone_range(from, 0, 0, to, 0));
        CHECK(mount.problems_after_sync() == "");
        CHECK(place_of_last_extent(mount, from) == place_of_last_extent(mount, to));
        CHECK(content(mount, to) == data);
        REQUIRE(mount.files().clone_range(from, 8192, 8192, from, 65536));
        write_to(mount, to, 50'000, pattern(10, 2));
        CHECK(mount.problems_after_sync() == "");
        Buffer changed = data;
        put(changed, 65536, Buffer(data.begin() + 8192, data.begin() + 16384));
        CHECK(content(mount, from) == changed);
        REQUIRE(mount.files().clone_range(from, 0, 16384, to, 1 << 20));
        CHECK(mount.problems_after_sync() == "");
        CHECK(mount.stat("to").size == (1 << 20) + 16384);
        REQUIRE(mount.files().unlink(mount.root(), "from"));
        CHECK(mount.problems_after_sync() == "");
        put(data, 50'000, pattern(10, 2));
        put(data, 1 << 20, Buffer(data.begin(), data.begin() + 16384));
        CHECK(content(mount, to) == data);
    }
}

TEST_CASE("btrfs/data: a clone of an inline file is a copy") {
    WritableMount mount;
    NodeId small = make(mount, "small"), copy = make(mount, "copy"), to = make(mount, "to");
    write_to(mount, small, 0, pattern(500, 5));
    write_to(mount, to, 0, pattern(10'000, 6));
    REQUIRE(mount.files().clone_range(small, 0, 0, copy, 0));
    REQUIRE(mount.files().clone_range(small, 0, 500, to, 1 << 20));
    CHECK(mount.problems_after_sync() == "");
    CHECK(content(mount, copy) == pattern(500, 5));
    CHECK(layout(mount, copy) == "0+500 inline");
    Buffer expected = pattern(10'000, 6);
    put(expected, 1 << 20, pattern(500, 5));
    CHECK(content(mount, to) == expected);
}

TEST_CASE("btrfs/data: a file with COMPRESS is stored compressed where that saves a sector") {
    for (std::string_view kind : {"zlib", "lzo", "zstd"}) {
        CAPTURE(kind);
        WritableMount mount;
        const std::string word(kind);
        NodeId id = make(mount, "file");
        REQUIRE(mount.files().set_xattr(id, "btrfs.compression", as_bytes(kind), vfs::XattrMode::Any));
        Buffer data = text(300'000);
        put(data, 300'000, pattern(200'000, 1));
        write_to(mount, id, 0, data);
        CHECK(mount.problems_after_sync() == "");
        CHECK(layout(mount, id) == "0+131072 data " + word + ", 131072+131072 data " + word +
                                       ", 262144+131072 data " + word + ", 393216+110592 data");
        CHECK(content(mount, id) == data);
        mount.remount();
        CHECK(content(mount, id) == data);
        write_to(mount, id, 123'456, pattern(20'000, 3));
        put(data, 123'456, pattern(20'000, 3));
        REQUIRE(mount.files().truncate(id, 333'333));
        data.resize(333'333);
        CHECK(mount.problems_after_sync() == "");
        mount.remount();
        CHECK(content(mount, id) == data);
        NodeId small = make(mount, "small");
        REQUIRE(mount.files().set_xattr(small, "btrfs.compression", as_bytes(kind), vfs::XattrMode::Any));
        write_to(mount, small, 0, text(4000));
        CHECK(mount.problems_after_sync() == "");
        CHECK(layout(mount, small) == "0+4000 inline " + word);
        REQUIRE(mount.files().truncate(small, 3000));
        CHECK(mount.problems_after_sync() == "");
        mount.remount();
        CHECK(content(mount, small) == text(3000));
    }
}

TEST_CASE("btrfs/data: a full volume is an error of write, and what was accepted reaches the disk") {
    WritableMount mount({}, 128ULL << 20);
    NodeId id = make(mount, "file");
    Buffer piece = pattern(1 << 20, 1);
    u64 at = 0;
    std::string error = "OK";
    for (; error == "OK" && at < 1ULL << 30;) {
        auto written = mount.files().write(id, at, piece);
        error = outcome(written);
        if (written) at += *written;
    }
    CHECK(error == "ENOSPC");
    CHECK(at > 32 << 20);
    CHECK(mount.problems_after_sync() == "");
    CHECK(mount.stat("file").size == at);
    // Room that was freed can be used again, and preallocated room always.
    REQUIRE(mount.files().truncate(id, 8 << 20));
    REQUIRE(mount.files().fallocate(id, FallocateMode::Allocate, 8 << 20, 8 << 20));
    NodeId other = make(mount, "other");
    error = "OK";
    for (at = 0; error == "OK" && at < 1ULL << 30;) {
        auto written = mount.files().write(other, at, piece);
        error = outcome(written);
        if (written) at += *written;
    }
    CHECK(error == "ENOSPC");
    for (u64 mib = 8; mib < 16; ++mib) write_to(mount, id, mib << 20, piece);
    CHECK(mount.problems_after_sync() == "");
    CHECK(content(mount, id).size() == 16 << 20);
    REQUIRE(mount.files().unlink(mount.root(), "other"));
    CHECK(mount.problems_after_sync() == "");
    write_to(mount, id, 16 << 20, piece);
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/data: what doesn't fit costs no commit, unless one gives room") {
    WritableMount mount({}, 128ULL << 20);
    NodeId id = make(mount, "file");
    constexpr u64 MiB = 1ULL << 20;
    auto allocate = [&](NodeId file_id, u64 at, u64 length) -> std::string {
        return outcome(mount.files().fallocate(file_id, FallocateMode::Allocate, at, length));
    };
    auto commits = [&] { return mount.store().counters().commits; };
    NodeId goes = make(mount, "goes");
    REQUIRE(allocate(goes, 0, 8 * MiB) == "OK");
    u64 at = 0;
    for (u64 length = 64 * MiB; length >= sector; length /= 2) {
        while (allocate(id, at, length) == "OK") at += length;
    }
    CHECK(at > 32 * MiB);
    const u64 before = commits();
    for (u64 length = 16 * MiB; length >= sector; length /= 2) CHECK(allocate(id, at, length) == "ENOSPC");
    CHECK(commits() == before);
    // What goes in the running transaction is room after its commit.
    REQUIRE(mount.files().unlink(mount.root(), "goes"));
    CHECK(allocate(id, at, 8 * MiB) == "OK");
    CHECK(commits() == before + 1);
    CHECK(allocate(id, at + 8 * MiB, sector) == "ENOSPC");
    CHECK(commits() == before + 1);
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/data: many files written together reach the disk together") {
    WritableMount mount;
    std::vector<NodeId> ids;
    for (u32 i = 0; i < 300; ++i) {
        ids.push_back(make(mount, "file" + std::to_string(i)));
        write_to(mount, ids.back(), 0, pattern(1 + i * 97, i));
    }
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    for (u32 i = 0; i < 300; ++i) CHECK(content(mount, ids[i]) == pattern(1 + i * 97, i));
}

TEST_CASE("btrfs/data: more than may be dirty goes to disk by itself") {
    WritableMount mount({}, 1ULL << 30);
    NodeId id = make(mount, "file");
    Buffer piece = pattern(3 << 20, 1);
    for (u64 i = 0; i < 60; ++i) write_to(mount, id, i * piece.size(), piece);
    u64 placed = 0;
    REQUIRE(mount.files().extents(id, [&](const vfs::FileExtent& extent) {
        if (extent.physical != 0) placed += extent.length;
        return true;
    }));
    CHECK(placed >= 64 << 20);
    CHECK(mount.problems_after_sync() == "");
    Buffer out(piece.size());
    for (u64 i = 0; i < 60; ++i) {
        CHECK(mount.files().read(id, i * piece.size(), out) == out.size());
        CHECK((out == piece));
    }
}

namespace {

// A file, and a plain array that gets the same operations.
class Mirrored {
  public:
    Mirrored(WritableMount& mount, std::string_view name)
        : mount_(mount), name_(name), id_(make(mount, name)) {}

    void write(u64 at, const Buffer& data) {
        write_to(mount_, id_, at, data);
        if (!data.empty()) put(bytes_, at, data);
    }
    void truncate(u64 size) {
        REQUIRE(mount_.files().truncate(id_, size));
        bytes_.resize(static_cast<std::size_t>(size));
    }
    void fallocate(FallocateMode mode, u64 at, u64 length) {
        auto done = mount_.files().fallocate(id_, mode, at, length);
        REQUIRE_MESSAGE(done, outcome(done));
        bool grows = mode == FallocateMode::Allocate || mode == FallocateMode::ZeroRange;
        bool zeroes = mode != FallocateMode::Allocate && mode != FallocateMode::KeepSize;
        if (grows && size() < at + length) bytes_.resize(static_cast<std::size_t>(at + length));
        if (zeroes && at < size()) {
            std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), std::min(length, size() - at),
                        u8{0});
        }
    }
    void clone(const Mirrored& from, u64 from_at, u64 length, u64 to_at) {
        REQUIRE(mount_.files().clone_range(from.id_, from_at, length, id_, to_at));
        auto begin = from.bytes_.begin() + static_cast<std::ptrdiff_t>(from_at);
        Buffer part(begin, begin + static_cast<std::ptrdiff_t>(length));
        put(bytes_, to_at, part);
    }
    u64 size() const { return bytes_.size(); }
    NodeId id() const { return id_; }
    const std::string& name() const { return name_; }
    void compare(u64 at, u64 length) const {
        Buffer out(static_cast<std::size_t>(length));
        auto read = mount_.files().read(id_, at, out);
        REQUIRE_MESSAGE(read, outcome(read));
        std::size_t expected = at < size() ? static_cast<std::size_t>(std::min(length, size() - at)) : 0;
        REQUIRE(*read == expected);
        auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(at, size()));
        bool same = std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(expected), begin);
        REQUIRE(same);
    }
    void compare() const {
        REQUIRE(mount_.stat(name_).size == size());
        compare(0, size());
    }

  private:
    WritableMount& mount_;
    std::string name_;
    NodeId id_;
    Buffer bytes_;
};

class RandomOperations {
  public:
    RandomOperations(WritableMount& mount, u32 seed) : mount_(mount), random_(seed) {}

    void add_file(std::string_view name, std::string_view compression, u64 flags) {
        files_.push_back(std::make_unique<Mirrored>(mount_, name));
        NodeId id = files_.back()->id();
        if (flags != 0) REQUIRE(mount_.files().set_flags(id, flags));
        if (compression.empty()) return;
        REQUIRE(
            mount_.files().set_xattr(id, "btrfs.compression", as_bytes(compression), vfs::XattrMode::Any));
    }

    void run(int count) {
        for (int i = 0; i < count; ++i) {
            CAPTURE(i);
            step();
            if (below(40) == 0) REQUIRE(mount_.files().sync());
            if (below(60) == 0) REQUIRE(mount_.store().commit());
            if (below(150) == 0) check();
        }
        check();
    }

  private:
    static constexpr u64 size_max = 3 << 19;

    u64 below(u64 limit) { return random_() % limit; }
    // Often at or near sector boundaries.
    u64 position(u64 limit) {
        u64 at = below(limit + 1);
        if (below(2) == 0) at = at / sector * sector;
        if (below(8) == 0 && at > 0) --at;
        return at;
    }
    u64 length() {
        switch (below(4)) {
            case 0:
                return 1 + below(200);
            case 1:
                return sector * (1 + below(8));
            case 2:
                return 1 + below(20'000);
            default:
                return 1 + below(300'000);
        }
    }
    Buffer bytes(u64 size) {
        return below(2) == 0 ? text(static_cast<std::size_t>(size))
                             : pattern(static_cast<std::size_t>(size), static_cast<u32>(below(1 << 30)));
    }
    Mirrored& any() { return *files_[below(files_.size())]; }

    void step() {
        Mirrored& one = any();
        constexpr FallocateMode modes[] = {FallocateMode::Allocate, FallocateMode::KeepSize,
                                           FallocateMode::PunchHole, FallocateMode::ZeroRange,
                                           FallocateMode::ZeroRangeKeepSize};
        u64 kind = below(20);
        if (kind < 9) {
            bool append = below(3) == 0;
            one.write(append ? one.size() : position(std::min(size_max, one.size() + 50'000)),
                      bytes(length()));
        } else if (kind < 11) {
            one.truncate(below(2) == 0 ? position(one.size()) : position(size_max));
        } else if (kind < 15) {
            FallocateMode mode = modes[below(5)];
            u64 at = position(size_max);
            one.fallocate(mode, at, length());
        } else if (kind < 18) {
            clone(one);
        } else {
            u64 at = position(size_max);
            one.compare(at, length());
        }
        if (one.size() > 2 * size_max) one.truncate(position(size_max));
    }
    void clone(Mirrored& to) {
        Mirrored& from = any();
        if (from.size() == 0) return;
        u64 from_at = below(from.size()) / sector * sector, to_at = below(size_max) / sector * sector;
        u64 size = std::min(from.size() - from_at, length());
        bool whole = from_at + size == from.size() && to_at + size >= to.size();
        if (!whole) size = size / sector * sector;
        u64 covered = (size + sector - 1) / sector * sector;
        bool overlap = &from == &to && to_at < from_at + covered && from_at < to_at + covered;
        if (size != 0 && !overlap && summed(from) == summed(to)) to.clone(from, from_at, size, to_at);
    }
    bool summed(const Mirrored& one) { return (mount_.stat(one.name()).flags & btrfs::inode_nodatasum) == 0; }

    void check() {
        for (const auto& one : files_) one->compare();
        REQUIRE(mount_.problems_after_sync() == "");
        if (below(3) == 0) mount_.remount();
        for (const auto& one : files_) one->compare();
    }

    WritableMount& mount_;
    std::mt19937 random_;
    std::vector<std::unique_ptr<Mirrored>> files_;
};

void random_operations(const btrfs::MkfsOptions& options, u32 seed, int count) {
    CAPTURE(seed);
    WritableMount mount(options, 512ULL << 20);
    RandomOperations operations(mount, seed);
    operations.add_file("plain", "", 0);
    operations.add_file("other", "", 0);
    operations.add_file("zlib", "zlib", 0);
    operations.add_file("lzo", "lzo", 0);
    operations.add_file("zstd", "zstd", 0);
    operations.add_file("nodatacow", "", btrfs::inode_nodatacow);
    operations.run(count);
}

}  // namespace

TEST_CASE("btrfs/data: thousands of random operations leave what a plain array has, and a clean volume") {
    btrfs::MkfsOptions options;
    SUBCASE("defaults") {
        random_operations(options, 1, 2000);
    }
    SUBCASE("hole items") {
        random_operations(with_holes_as(false), 2, 1000);
    }
    SUBCASE("small nodes, xxhash64") {
        options.node_size = 4096;
        options.checksum = ChecksumType::Xxhash64;
        random_operations(options, 3, 1000);
    }
    SUBCASE("large nodes, sha256, hole items") {
        options = with_holes_as(false);
        options.node_size = 65536;
        options.checksum = ChecksumType::Sha256;
        random_operations(options, 4, 600);
    }
    SUBCASE("blake2b, block group tree") {
        options.checksum = ChecksumType::Blake2b;
        options.block_group_tree = true;
        random_operations(options, 5, 600);
    }
}
