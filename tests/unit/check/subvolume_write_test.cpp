// SPDX-License-Identifier: MIT
// Subvolumes and snapshots made, changed and deleted on a volume in memory; the checker compares all
// references.
#include "btrfs/cleaner.h"
#include "support/writable_mount.h"

#include <set>

using namespace glassfs;
using support::outcome;
using support::WritableMount;
using vfs::NewInode;
using vfs::NodeId;
using vfs::RenameKind;
using vfs::SnapshotKind;

namespace {

constexpr NewInode file{.mode = 0100644};
constexpr NewInode dir{.mode = 0040755};

NodeId subvolume(WritableMount& mount, NodeId parent, std::string_view name) {
    auto made = mount.files().create_subvolume(parent, name, dir);
    REQUIRE_MESSAGE(made, name);
    return *made;
}

NodeId snapshot(WritableMount& mount, NodeId source, NodeId parent, std::string_view name,
                SnapshotKind kind = SnapshotKind::Writable) {
    auto made = mount.files().snapshot(source, parent, name, kind);
    REQUIRE_MESSAGE(made, name);
    return *made;
}

void fill(WritableMount& mount, NodeId parent, std::string_view prefix, int count) {
    for (int i = 0; i < count; ++i) {
        REQUIRE(mount.files().create(parent, std::string(prefix) + std::to_string(i), file));
    }
}

std::size_t count_names(WritableMount& mount, NodeId parent) {
    std::size_t count = 0;
    REQUIRE(mount.files().readdir(parent, 0, [&](const vfs::DirEntry&) {
        ++count;
        return true;
    }));
    return count;
}

bool has_root_item(WritableMount& mount, u64 tree) {
    auto lock = mount.volume().reading();
    return mount.volume().root_item(tree).has_value();
}

btrfs::MkfsOptions small_nodes() {
    btrfs::MkfsOptions options;
    options.node_size = 4096;
    return options;
}

}  // namespace

TEST_CASE("btrfs/subvolumes: a new one is entered by its name and takes names of its own") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId one = subvolume(mount, mount.root(), "one");
    CHECK(one == NodeId{256, InodeNo{256}});
    NodeId two = subvolume(mount, one, "two");
    CHECK(two == NodeId{257, InodeNo{256}});
    fill(mount, two, "x", 3);
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    CHECK(mount.at("one/two") == two);
    CHECK(mount.list("one/two") == "x0 x1 x2");
    CHECK(mount.files().parent(two).value() == one);
    CHECK(mount.files().parent(one).value() == mount.root());
    CHECK(outcome(mount.files().create_subvolume(mount.root(), "one", dir)) == std::string("EEXIST"));
    CHECK(outcome(mount.files().create_subvolume(mount.root(), "", dir)) == std::string("EACCES"));
    CHECK(outcome(mount.files().unlink(mount.root(), "one")) == std::string("EISDIR"));
    CHECK(outcome(mount.files().rmdir(mount.root(), "one")) == std::string("ENOTEMPTY"));
    CHECK(outcome(mount.files().delete_subvolume(mount.root(), "one")) == std::string("ENOTEMPTY"));
    REQUIRE(mount.files().delete_subvolume(one, "two"));
    REQUIRE(mount.files().rmdir(mount.root(), "one"));
    CHECK(mount.problems_after_sync() == "");
    mount.clean_up();
    CHECK(mount.problems_after_sync() == "");
    CHECK_FALSE(has_root_item(mount, 256));
    CHECK_FALSE(has_root_item(mount, 257));
    (void)files;
}

TEST_CASE("btrfs/subvolumes: a snapshot stays as its source was; a read-only one refuses every change") {
    WritableMount mount;
    NodeId one = subvolume(mount, mount.root(), "one");
    fill(mount, one, "a", 500);
    NodeId frozen = snapshot(mount, one, mount.root(), "frozen", SnapshotKind::ReadOnly);
    NodeId copy = snapshot(mount, one, one, "copy");
    CHECK(mount.problems() == "");
    fill(mount, one, "b", 500);
    for (int i = 0; i < 100; ++i) REQUIRE(mount.files().unlink(copy, "a" + std::to_string(i)));
    CHECK(count_names(mount, one) == 1001);
    CHECK(count_names(mount, frozen) == 500);
    CHECK(count_names(mount, copy) == 400);
    auto& files = mount.files();
    CHECK(outcome(files.create(frozen, "a0", file)) == std::string("EEXIST"));
    CHECK(outcome(files.create(frozen, "new", file)) == std::string("EROFS"));
    CHECK(outcome(files.unlink(frozen, "a0")) == std::string("EROFS"));
    CHECK(outcome(files.unlink(frozen, "nope")) == std::string("ENOENT"));
    CHECK(outcome(files.setattr(frozen, {.mode = 0700})) == std::string("EROFS"));
    CHECK(outcome(files.set_flags(frozen, 0)) == std::string("EROFS"));
    CHECK(outcome(files.set_xattr(frozen, "user.a", {}, vfs::XattrMode::Any)) == std::string("EROFS"));
    CHECK(outcome(files.tmpfile(frozen, file)) == std::string("EROFS"));
    CHECK(outcome(files.rename(frozen, "a0", one, "z", RenameKind::Replace)) == std::string("EROFS"));
    CHECK(outcome(files.rename(one, "a0", frozen, "z", RenameKind::Replace)) == std::string("EROFS"));
    CHECK(outcome(files.rename(one, "a0", copy, "z", RenameKind::Replace)) == std::string("EXDEV"));
    CHECK(outcome(files.link(mount.at("one/a0"), copy, "z")) == std::string("EXDEV"));
    CHECK(outcome(files.snapshot(mount.at("one/a0"), mount.root(), "z", SnapshotKind::Writable)) ==
          std::string("EINVAL"));
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    CHECK(count_names(mount, mount.at("one")) == 1001);
    CHECK(count_names(mount, mount.at("frozen")) == 500);
    CHECK(count_names(mount, mount.at("one/copy")) == 400);
}

TEST_CASE("btrfs/subvolumes: they are renamed, moved between subvolumes and exchanged") {
    WritableMount mount;
    NodeId root = mount.root();
    NodeId one = subvolume(mount, root, "one");
    NodeId two = subvolume(mount, root, "two");
    NodeId plain = *mount.files().create(one, "plain", dir);
    auto& files = mount.files();
    REQUIRE(files.rename(root, "two", plain, "inside", RenameKind::Replace));
    CHECK(mount.at("one/plain/inside") == two);
    CHECK(files.parent(two).value() == plain);
    CHECK(outcome(files.rename(root, "one", two, "x", RenameKind::Replace)) == std::string("EINVAL"));
    NodeId three = subvolume(mount, root, "three");
    REQUIRE(files.rename(root, "three", plain, "inside", RenameKind::Exchange));
    CHECK(mount.at("three") == two);
    CHECK(mount.at("one/plain/inside") == three);
    CHECK(outcome(files.rename(root, "three", plain, "inside", RenameKind::Replace)) ==
          std::string("ENOTEMPTY"));
    REQUIRE(files.rename(root, "three", root, "renamed", RenameKind::NoReplace));
    NodeId frozen = snapshot(mount, two, root, "frozen", SnapshotKind::ReadOnly);
    REQUIRE(files.rename(root, "frozen", root, "cold", RenameKind::Replace));
    CHECK(outcome(files.rename(root, "cold", one, "cold", RenameKind::Replace)) == std::string("EROFS"));
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    CHECK(mount.list("") == "one renamed cold");
    CHECK(mount.at("cold") == frozen);
    CHECK(mount.at("renamed") == two);
}

TEST_CASE("btrfs/subvolumes: a nested one is an empty directory in a snapshot, which can be removed") {
    WritableMount mount;
    NodeId one = subvolume(mount, mount.root(), "one");
    subvolume(mount, one, "nested");
    snapshot(mount, one, mount.root(), "copy");
    auto& files = mount.files();
    NodeId copy = mount.at("copy");
    NodeId lost = mount.at("copy/nested");
    CHECK(lost == NodeId{copy.tree, InodeNo{2}});
    CHECK(outcome(files.create(lost, "x", dir)) == std::string("EPERM"));
    CHECK(outcome(files.create(lost, "x", file)) == std::string("EACCES"));
    CHECK(outcome(files.create_subvolume(lost, "x", dir)) == std::string("ENOTTY"));
    CHECK(outcome(files.tmpfile(lost, file)) == std::string("EOPNOTSUPP"));
    CHECK(outcome(files.set_xattr(lost, "user.a", {}, vfs::XattrMode::Any)) == std::string("EOPNOTSUPP"));
    CHECK(outcome(files.unlink(copy, "nested")) == std::string("EISDIR"));
    CHECK(outcome(files.delete_subvolume(copy, "nested")) == std::string("EINVAL"));
    CHECK(outcome(files.rename(copy, "nested", copy, "other", RenameKind::Replace)) ==
          std::string("ENOTEMPTY"));
    CHECK(outcome(files.rename(mount.root(), "one", lost, "x", RenameKind::Replace)) == std::string("EPERM"));
    CHECK(outcome(files.rename(mount.root(), "copy", lost, "x", RenameKind::Replace)) ==
          std::string("EINVAL"));
    REQUIRE(files.rmdir(copy, "nested"));
    CHECK(mount.list("copy") == "");
    CHECK(mount.list("one") == "nested");
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/subvolumes: deleting in every order leaves nothing behind, whatever snapshots share") {
    // Trees of three levels, each snapshot changed in places of its own.
    for (u32 order = 0; order < 24; ++order) {
        CAPTURE(order);
        WritableMount mount(small_nodes());
        NodeId root = mount.root();
        NodeId one = subvolume(mount, root, "s0");
        fill(mount, one, "a", 600);
        std::vector<NodeId> all = {one};
        for (int i = 1; i < 4; ++i) {
            NodeId source = all[static_cast<std::size_t>(i) / 2];
            all.push_back(snapshot(mount, source, root, "s" + std::to_string(i)));
            for (std::size_t j = 0; j < all.size(); ++j) {
                std::string prefix = "n" + std::to_string(i) + std::to_string(j);
                fill(mount, all[j], prefix, 40);
                for (int k = 0; k < 40; ++k) {
                    int number = (static_cast<int>(j) * 150 + i * 37 + k) % 600;
                    (void)mount.files().unlink(all[j], "a" + std::to_string(number));
                }
            }
        }
        CHECK(mount.problems_after_sync() == "");
        std::vector<int> left = {0, 1, 2, 3};
        u32 rest = order;
        for (u32 choices = 4; choices > 0; --choices) {
            auto chosen = left.begin() + static_cast<std::ptrdiff_t>(rest % choices);
            rest /= choices;
            REQUIRE(mount.files().delete_subvolume(root, "s" + std::to_string(*chosen)));
            left.erase(chosen);
            if (order % 2 == 0) mount.clean_up();
            CHECK(mount.problems_after_sync() == "");
            for (int i : left) CHECK(count_names(mount, all[static_cast<std::size_t>(i)]) > 500);
        }
        CHECK(mount.list("") == "");
        mount.clean_up();
        CHECK(mount.problems_after_sync() == "");
    }
}

TEST_CASE("btrfs/subvolumes: a deletion that was interrupted goes on from where it was") {
    for (u32 blocks : {1U, 3U, 10U}) {
        CAPTURE(blocks);
        WritableMount mount(small_nodes());
        NodeId root = mount.root();
        NodeId one = subvolume(mount, root, "one");
        fill(mount, one, "a", 800);
        NodeId copy = snapshot(mount, one, root, "copy");
        fill(mount, one, "b", 200);
        REQUIRE(mount.files().sync());
        // The name goes, and the tree's first blocks; then the power.
        mount.files().hold(one);
        REQUIRE(mount.files().delete_subvolume(root, "one"));
        REQUIRE(mount.files().sync());
        CHECK(has_root_item(mount, one.tree));
        u32 steps = 0;
        btrfs::TreeDropper dropper(one.tree);
        for (bool finished = false; !finished; ++steps) {
            auto tx = mount.store().begin({.items = 16, .room = btrfs::Room::Frees});
            REQUIRE(tx);
            auto done = dropper.step(*tx, blocks);
            REQUIRE(done);
            finished = *done;
            tx->done();
            { btrfs::Transaction ended = std::move(*tx); }
            if (steps == 4) break;
            REQUIRE(mount.store().commit());
            CHECK(mount.problems() == "");
        }
        REQUIRE(mount.store().commit());
        CHECK(mount.problems() == "");
        mount.remount();
        mount.clean_up();
        CHECK_FALSE(has_root_item(mount, one.tree));
        CHECK(count_names(mount, copy) == 800);
        CHECK(mount.problems_after_sync() == "");
    }
}

TEST_CASE("btrfs/subvolumes: deleting a large one is a small step, and its tree goes in pieces") {
    WritableMount mount(small_nodes());
    NodeId one = subvolume(mount, mount.root(), "one");
    fill(mount, one, "a name that takes its room ", 6000);
    NodeId copy = snapshot(mount, one, mount.root(), "copy");
    fill(mount, one, "one more ", 3000);
    REQUIRE(mount.files().sync());
    const u64 copied = mount.store().counters().cow_blocks;
    REQUIRE(mount.files().delete_subvolume(mount.root(), "one"));
    CHECK(mount.store().counters().cow_blocks - copied < 30);
    CHECK(mount.problems_after_sync() == "");
    u32 pieces = 0;
    for (bool more = true; more; ++pieces) {
        auto piece = mount.files().clean_up();
        REQUIRE(piece);
        more = *piece;
        REQUIRE(mount.files().sync());
        CHECK(mount.problems() == "");
        if (pieces % 2 != 0) mount.remount();
    }
    CHECK(pieces >= 3);
    CHECK_FALSE(has_root_item(mount, one.tree));
    CHECK(count_names(mount, copy) == 6000);
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/subvolumes: other changes drop a deleted tree in passing") {
    WritableMount mount(small_nodes());
    NodeId one = subvolume(mount, mount.root(), "one");
    fill(mount, one, "a name that takes its room ", 2000);
    REQUIRE(mount.files().delete_subvolume(mount.root(), "one"));
    REQUIRE(mount.store().commit());
    int changes = 0;
    for (; has_root_item(mount, one.tree) && changes < 1000; ++changes) {
        fill(mount, mount.root(), std::to_string(changes) + "x", 1);
    }
    CHECK(changes > 10);
    CHECK(changes < 500);
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/subvolumes: the room of a deleted one is there as soon as somebody needs it") {
    constexpr u64 MiB = 1ULL << 20;
    WritableMount mount(small_nodes(), 160 * MiB);
    Buffer data(1 * MiB, u8{3});
    u64 fitted = 0;
    for (int round = 0; round < 3; ++round) {
        CAPTURE(round);
        NodeId one = subvolume(mount, mount.root(), "one");
        NodeId big = *mount.files().create(one, "big", file);
        u64 at = 0;
        for (;; at += data.size()) {
            auto written = mount.files().write(big, at, data);
            if (!written || *written != data.size()) break;
        }
        if (round == 0) fitted = at;
        CHECK(at + 4 * MiB >= fitted);
        REQUIRE(mount.files().delete_subvolume(mount.root(), "one"));
    }
    CHECK(fitted > 60 * MiB);
    mount.clean_up();
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/subvolumes: a deleted one with an open file stays until the file is closed") {
    WritableMount mount;
    NodeId one = subvolume(mount, mount.root(), "one");
    NodeId open = *mount.files().create(one, "open", file);
    mount.files().hold(open);
    REQUIRE(mount.files().delete_subvolume(mount.root(), "one"));
    CHECK(mount.files().getattr(open).has_value());
    REQUIRE(mount.files().setattr(open, {.mode = 0600}));
    CHECK(mount.problems_after_sync() == "");
    CHECK(has_root_item(mount, one.tree));
    REQUIRE(mount.files().release(open));
    CHECK(outcome(mount.files().getattr(open)) == std::string("ENOENT"));
    mount.clean_up();
    CHECK_FALSE(has_root_item(mount, one.tree));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/subvolumes: an open, nameless file of the source is not in its snapshot") {
    WritableMount mount;
    NodeId one = subvolume(mount, mount.root(), "one");
    NodeId open = *mount.files().create(one, "open", file);
    mount.files().hold(open);
    REQUIRE(mount.files().unlink(one, "open"));
    NodeId copy = snapshot(mount, one, mount.root(), "copy", SnapshotKind::ReadOnly);
    CHECK(outcome(mount.files().getattr({copy.tree, open.ino})) == std::string("ENOENT"));
    CHECK(mount.files().getattr(open).has_value());
    CHECK(mount.problems_after_sync() == "");
    REQUIRE(mount.files().release(open));
    CHECK(mount.problems_after_sync() == "");
}
