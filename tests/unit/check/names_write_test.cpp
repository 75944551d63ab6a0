// SPDX-License-Identifier: MIT
// Creating, linking, removing and renaming on a volume in memory; the checker reads what was written.
#include "btrfs/cursor.h"
#include "btrfs/directory_edit.h"
#include "support/writable_mount.h"

#include <set>
#include <unordered_map>

using namespace glassfs;
using support::outcome;
using support::WritableMount;
using vfs::NewInode;
using vfs::NodeId;
using vfs::RenameKind;

namespace {

constexpr NewInode file{.mode = 0100644};
constexpr NewInode dir{.mode = 0040755};

NodeId make(WritableMount& mount, NodeId parent, std::string_view name, const NewInode& kind = file) {
    auto made = mount.files().create(parent, name, kind);
    REQUIRE_MESSAGE(made, name);
    return *made;
}

u64 count_items(WritableMount& mount, u64 tree, const btrfs::Key& first, const btrfs::Key& last) {
    u64 count = 0;
    auto lock = mount.volume().reading();
    auto root = mount.volume().tree_root(tree);
    REQUIRE(root);
    REQUIRE(
        btrfs::for_each_item(mount.volume(), *root, first, last, [&](const btrfs::Cursor&) -> Result<bool> {
            ++count;
            return true;
        }));
    return count;
}

u64 orphans(WritableMount& mount, u64 tree = btrfs::fs_tree_objectid) {
    using btrfs::KeyType, btrfs::make_key, btrfs::orphan_objectid;
    return count_items(mount, tree, make_key(orphan_objectid, KeyType::OrphanItem, 0),
                       make_key(orphan_objectid, KeyType::OrphanItem, ~0ULL));
}

}  // namespace

TEST_CASE("btrfs/names: what was created is there after a commit, with its attributes") {
    WritableMount mount;
    NewInode device{.mode = 0020600, .uid = 3, .gid = 4, .rdev = {8, 17}};
    NodeId sub = make(mount, mount.root(), "sub", dir);
    make(mount, sub, "file", {.mode = 0100751, .uid = 1, .gid = 2});
    make(mount, sub, "device", device);
    make(mount, sub, "pipe", {.mode = 0010644});
    REQUIRE(mount.files().symlink(sub, "link", "../target of it", {}));
    CHECK(mount.problems_after_sync() == "");
    for (bool again : {false, true}) {
        CAPTURE(again);
        if (again) mount.remount();
        CHECK(mount.list("") == "sub");
        CHECK(mount.list("sub") == "file device pipe link");
        vfs::Attributes at = mount.stat("sub/file");
        CHECK(at.mode == 0100751);
        CHECK(at.uid == 1);
        CHECK(at.gid == 2);
        CHECK(at.nlink == 1);
        CHECK(at.size == 0);
        CHECK(at.btime == at.ctime);
        CHECK(mount.stat("sub/device").rdev == vfs::DeviceNumber{8, 17});
        CHECK(mount.stat("sub").size == 2 * (4 + 6 + 4 + 4));
        CHECK(mount.stat("sub").nlink == 1);
        CHECK(mount.files().readlink(mount.at("sub/link")).value() == "../target of it");
        CHECK(mount.stat("sub/link").mode == 0120777);
        CHECK(mount.stat("sub/link").bytes == 4096);
    }
}

TEST_CASE("btrfs/names: creating refuses what Linux refuses, and nothing is changed by it") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId plain = make(mount, mount.root(), "plain");
    NodeId sub = make(mount, mount.root(), "sub", dir);
    CHECK(outcome(files.create(mount.root(), "plain", file)) == std::string("EEXIST"));
    CHECK(outcome(files.create(mount.root(), ".", file)) == std::string("EEXIST"));
    CHECK(outcome(files.create(mount.root(), "..", dir)) == std::string("EEXIST"));
    CHECK(outcome(files.create(mount.root(), "", file)) == std::string("ENOENT"));
    CHECK(outcome(files.create(mount.root(), std::string(256, 'x'), file)) == std::string("ENAMETOOLONG"));
    CHECK(outcome(files.create(mount.root(), std::string(255, 'x'), file)) == std::string("OK"));
    CHECK(outcome(files.create(plain, "x", file)) == std::string("ENOTDIR"));
    CHECK(outcome(files.symlink(sub, "l", "", {})) == std::string("ENOENT"));
    CHECK(outcome(files.symlink(sub, "l", std::string(4096, 'x'), {})) == std::string("ENAMETOOLONG"));
    CHECK(outcome(files.symlink(sub, "l", std::string(4095, 'x'), {})) == std::string("OK"));
    CHECK(outcome(files.link(sub, sub, "d")) == std::string("EPERM"));
    CHECK(outcome(files.link(plain, sub, "l")) == std::string("EEXIST"));
    REQUIRE(files.set_flags(sub, btrfs::inode_immutable));
    CHECK(outcome(files.create(sub, "l", file)) == std::string("EEXIST"));
    CHECK(outcome(files.create(sub, "m", file)) == std::string("EPERM"));
    CHECK(outcome(files.unlink(sub, "l")) == std::string("EPERM"));
    CHECK(outcome(files.unlink(sub, "m")) == std::string("ENOENT"));
    CHECK(mount.list("sub") == "l");
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: a small node size limits symlinks to what an inline extent holds") {
    btrfs::MkfsOptions options;
    options.node_size = 4096;
    WritableMount mount(options);
    auto& files = mount.files();
    CHECK(outcome(files.symlink(mount.root(), "long", std::string(3950, 'x'), {})) ==
          std::string("ENAMETOOLONG"));
    CHECK(outcome(files.symlink(mount.root(), "fits", std::string(3949, 'x'), {})) == std::string("OK"));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: directories hand on their group and flags") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId top = make(mount, mount.root(), "top", dir);
    REQUIRE(files.setattr(top, {.mode = 02775, .gid = 55}));
    REQUIRE(files.set_flags(top, btrfs::inode_compress));
    make(mount, top, "file", {.mode = 0106755});
    NodeId below = make(mount, top, "below", {.mode = 0046755});
    REQUIRE(files.symlink(top, "link", "x", {}));
    CHECK(mount.stat("top/file").gid == 55);
    CHECK(mount.stat("top/file").mode == 0106755);
    CHECK(mount.stat("top/below").mode == 0042755);
    CHECK(mount.stat("top/below").gid == 55);
    CHECK(mount.stat("top/link").gid == 55);
    CHECK(mount.stat("top/file").flags == btrfs::inode_compress);
    CHECK(mount.stat("top/link").flags == btrfs::inode_compress);
    auto xattrs = files.xattrs(below).value();
    REQUIRE(xattrs.size() == 1);
    CHECK(xattrs[0].name == "btrfs.compression");
    CHECK(as_text(xattrs[0].value) == "zlib");
    CHECK(files.xattrs(mount.at("top/link")).value().empty());
    NodeId still = make(mount, mount.root(), "still", dir);
    REQUIRE(files.set_flags(still, btrfs::inode_nodatacow));
    make(mount, still, "file");
    CHECK(mount.stat("still/file").flags == (btrfs::inode_nodatacow | btrfs::inode_nodatasum));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: links count, and the last one takes the inode along") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId a = make(mount, mount.root(), "a");
    NodeId sub = make(mount, mount.root(), "sub", dir);
    REQUIRE(files.link(a, mount.root(), "b"));
    REQUIRE(files.link(a, sub, "c"));
    CHECK(mount.stat("a").nlink == 3);
    CHECK(mount.at("sub/c") == a);
    CHECK(mount.problems_after_sync() == "");
    REQUIRE(files.unlink(mount.root(), "a"));
    REQUIRE(files.unlink(sub, "c"));
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    CHECK(mount.stat("b").nlink == 1);
    REQUIRE(mount.files().unlink(mount.root(), "b"));
    CHECK(outcome(mount.files().getattr(a)) == std::string("ENOENT"));
    CHECK(mount.problems_after_sync() == "");
    CHECK(mount.list("") == "sub");
    CHECK(mount.stat("").size == 6);
}

TEST_CASE("btrfs/names: references that don't fit into one item go to extended ones, and back") {
    btrfs::MkfsOptions options;
    options.node_size = 4096;
    WritableMount mount(options);
    auto& files = mount.files();
    NodeId a = make(mount, mount.root(), "a");
    std::string stem(200, 'n');
    for (int i = 0; i < 60; ++i) REQUIRE(files.link(a, mount.root(), stem + std::to_string(i)));
    CHECK(mount.stat("a").nlink == 61);
    using btrfs::KeyType, btrfs::make_key;
    const u64 number = a.ino.value;
    auto extrefs = [&] {
        return count_items(mount, btrfs::fs_tree_objectid, make_key(number, KeyType::InodeExtref, 0),
                           make_key(number, KeyType::InodeExtref, ~0ULL));
    };
    CHECK(extrefs() == 42);  // 18 fit into the item of 4096 - 101 - 50 bytes beside "a"
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    for (int i = 0; i < 60; ++i) REQUIRE(mount.files().unlink(mount.root(), stem + std::to_string(i)));
    CHECK(extrefs() == 0);
    CHECK(mount.stat("a").nlink == 1);
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: two names with one hash share an item and come apart again") {
    WritableMount mount;
    auto& files = mount.files();
    // Among so many random names some have the same 32 bits.
    SeededEnvironment random(1);
    std::unordered_map<u64, u64> seen;
    std::string one, two;
    for (u32 i = 0; i < 1'000'000 && one.empty(); ++i) {
        u64 number = random.random();
        auto [known, added] = seen.emplace(btrfs::name_hash("n" + std::to_string(number)), number);
        if (added) continue;
        one = "n" + std::to_string(known->second);
        two = "n" + std::to_string(number);
    }
    REQUIRE(!one.empty());
    make(mount, mount.root(), one);
    make(mount, mount.root(), two);
    CHECK(count_items(mount, btrfs::fs_tree_objectid, btrfs::make_key(256, btrfs::KeyType::DirItem, 0),
                      btrfs::make_key(256, btrfs::KeyType::DirItem, ~0ULL)) == 1);
    CHECK(mount.problems_after_sync() == "");
    REQUIRE(files.rename(mount.root(), one, mount.root(), two, RenameKind::Exchange));
    REQUIRE(files.unlink(mount.root(), one));
    CHECK(mount.list("") == two);
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: an open file lives on without a name, and goes with the last hold") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId a = make(mount, mount.root(), "a");
    files.hold(a);
    files.hold(a);
    REQUIRE(files.unlink(mount.root(), "a"));
    CHECK(files.getattr(a).value().nlink == 0);
    CHECK(outcome(files.link(a, mount.root(), "again")) == std::string("ENOENT"));
    CHECK(orphans(mount) == 1);
    CHECK(mount.problems_after_sync() == "");
    REQUIRE(files.release(a));
    CHECK(files.getattr(a).has_value());
    REQUIRE(files.release(a));
    CHECK(outcome(files.getattr(a)) == std::string("ENOENT"));
    CHECK(orphans(mount) == 0);
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: orphans that a crash left are deleted at the next mount") {
    WritableMount mount;
    NodeId a = make(mount, mount.root(), "a");
    NodeId b = make(mount, mount.root(), "b", dir);
    mount.files().hold(a);
    mount.files().hold(b);
    REQUIRE(mount.files().unlink(mount.root(), "a"));
    REQUIRE(mount.files().rmdir(mount.root(), "b"));
    REQUIRE(mount.files().sync());
    mount.remount();
    CHECK(orphans(mount) == 0);
    CHECK(outcome(mount.files().getattr(a)) == std::string("ENOENT"));
    CHECK(outcome(mount.files().getattr(b)) == std::string("ENOENT"));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: a file without a name can get one, once") {
    WritableMount mount;
    auto& files = mount.files();
    auto made = files.tmpfile(mount.root(), {.mode = 0100600});
    REQUIRE(made);
    CHECK(files.getattr(*made).value().nlink == 0);
    CHECK(orphans(mount) == 1);
    CHECK(mount.problems_after_sync() == "");
    REQUIRE(files.link(*made, mount.root(), "named"));
    CHECK(orphans(mount) == 0);
    CHECK(mount.stat("named").nlink == 1);
    REQUIRE(files.release(*made));
    CHECK(mount.problems_after_sync() == "");
    auto other = files.tmpfile(mount.root(), file);
    REQUIRE(other);
    REQUIRE(files.release(*other));
    CHECK(outcome(files.getattr(*other)) == std::string("ENOENT"));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: rmdir wants an empty directory; a removed one that is held knows its parent") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId sub = make(mount, mount.root(), "sub", dir);
    make(mount, sub, "x");
    CHECK(outcome(files.rmdir(mount.root(), "sub")) == std::string("ENOTEMPTY"));
    CHECK(outcome(files.rmdir(sub, "x")) == std::string("ENOTDIR"));
    CHECK(outcome(files.unlink(mount.root(), "sub")) == std::string("EISDIR"));
    CHECK(outcome(files.rmdir(mount.root(), ".")) == std::string("EINVAL"));
    CHECK(outcome(files.rmdir(mount.root(), "..")) == std::string("ENOTEMPTY"));
    REQUIRE(files.unlink(sub, "x"));
    files.hold(sub);
    REQUIRE(files.rmdir(mount.root(), "sub"));
    CHECK(outcome(files.create(sub, "x", file)) == std::string("ENOENT"));
    CHECK(outcome(files.readdir(sub, 0, [](const vfs::DirEntry&) { return true; })) == std::string("ENOENT"));
    CHECK(files.parent(sub).value() == mount.root());
    REQUIRE(files.release(sub));
    CHECK(outcome(files.getattr(sub)) == std::string("ENOENT"));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/names: rename moves, replaces and exchanges") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId root = mount.root();
    NodeId a = make(mount, root, "a");
    NodeId b = make(mount, root, "b");
    NodeId d = make(mount, root, "d", dir);
    NodeId e = make(mount, d, "e", dir);
    REQUIRE(files.rename(root, "a", d, "a2", RenameKind::Replace));
    CHECK(mount.at("d/a2") == a);
    CHECK(outcome(files.rename(root, "b", d, "a2", RenameKind::NoReplace)) == std::string("EEXIST"));
    REQUIRE(files.rename(root, "b", d, "a2", RenameKind::Replace));
    CHECK(mount.at("d/a2") == b);
    CHECK(outcome(files.getattr(a)) == std::string("ENOENT"));
    CHECK(outcome(files.rename(root, "d", e, "x", RenameKind::Replace)) == std::string("EINVAL"));
    CHECK(outcome(files.rename(d, "a2", root, "d", RenameKind::Replace)) == std::string("ENOTEMPTY"));
    CHECK(outcome(files.rename(d, "e", d, "a2", RenameKind::Replace)) == std::string("ENOTDIR"));
    CHECK(outcome(files.rename(d, "a2", d, "e", RenameKind::Replace)) == std::string("EISDIR"));
    CHECK(outcome(files.rename(d, "nope", d, "e", RenameKind::Replace)) == std::string("ENOENT"));
    CHECK(outcome(files.rename(d, "e", d, "nope", RenameKind::Exchange)) == std::string("ENOENT"));
    CHECK(outcome(files.rename(d, ".", d, "x", RenameKind::Replace)) == std::string("EBUSY"));
    REQUIRE(files.rename(d, "a2", d, "e", RenameKind::Exchange));
    CHECK(mount.at("d/e") == b);
    CHECK(mount.at("d/a2") == e);
    REQUIRE(files.rename(d, "a2", root, "moved", RenameKind::Replace));
    CHECK(files.parent(e).value() == root);
    CHECK(mount.list("") == "d moved");
    CHECK(mount.stat("d").size == 2);
    CHECK(mount.stat("").size == 12);
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    CHECK(mount.at("d/e") == b);
    CHECK(mount.at("moved") == e);
}

TEST_CASE("btrfs/names: renaming onto another name of the same file does nothing") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId a = make(mount, mount.root(), "a");
    REQUIRE(files.link(a, mount.root(), "b"));
    vfs::Attributes before = mount.stat("a");
    REQUIRE(files.rename(mount.root(), "a", mount.root(), "b", RenameKind::Replace));
    CHECK(mount.list("") == "a b");
    CHECK(mount.stat("a").ctime == before.ctime);
    CHECK(outcome(files.rename(mount.root(), "a", mount.root(), "b", RenameKind::NoReplace)) ==
          std::string("EEXIST"));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE(
    "btrfs/names: thousands of names in several directories, created, renamed and removed in any order") {
    WritableMount mount;
    auto& files = mount.files();
    SeededEnvironment random(11);
    constexpr std::size_t directories = 4;
    std::vector<NodeId> dirs;
    std::vector<std::set<std::string>> names(directories);
    for (std::size_t i = 0; i < directories; ++i) {
        dirs.push_back(make(mount, mount.root(), "dir" + std::to_string(i), dir));
    }
    for (int i = 0; i < 12000; ++i) {
        const std::size_t at = random.random() % directories, to = random.random() % directories;
        auto& here = names[at];
        u64 choice = random.random() % 10;
        if (choice < 6 || here.empty()) {
            std::string name = "name" + std::to_string(random.random() % 100000);
            if (here.insert(name).second) REQUIRE(files.create(dirs[at], name, file));
            continue;
        }
        auto victim = here.lower_bound("name" + std::to_string(random.random() % 100000));
        if (victim == here.end()) victim = here.begin();
        std::string name = *victim;
        if (choice < 8) {
            REQUIRE(files.unlink(dirs[at], name));
            here.erase(name);
        } else {
            std::string other = name + "x";
            REQUIRE(files.rename(dirs[at], name, dirs[to], other, RenameKind::Replace));
            here.erase(name);
            names[to].insert(other);
        }
        if (i % 4000 == 3999) CHECK(mount.problems_after_sync() == "");
    }
    mount.sync_and_remount();
    for (std::size_t i = 0; i < directories; ++i) {
        std::set<std::string> found;
        REQUIRE(mount.files().readdir(dirs[i], 0, [&](const vfs::DirEntry& entry) {
            found.insert(entry.name);
            return true;
        }));
        CHECK(found == names[i]);
    }
}

TEST_CASE("btrfs/names: what wasn't committed is gone after a crash, all of it") {
    WritableMount mount;
    make(mount, mount.root(), "a");
    REQUIRE(mount.files().sync());
    make(mount, mount.root(), "b");
    REQUIRE(mount.files().unlink(mount.root(), "a"));
    CHECK(mount.list("") == "b");
    mount.remount();
    CHECK(mount.list("") == "a");
    CHECK(mount.problems() == "");
}

TEST_CASE("btrfs/names: an operation that is refused harms nothing, however many inodes wait to be written") {
    support::WritableMount mount;
    std::vector<vfs::NodeId> made_all;
    for (int i = 0; i < 600; ++i) {
        auto made = mount.files().create(mount.root(), "f" + std::to_string(i), {});
        REQUIRE(made);
        made_all.push_back(*made);
    }
    for (vfs::NodeId id : made_all) {
        REQUIRE(mount.files().setattr(id, {.mode = 0600}));
        CHECK_FALSE(mount.files().set_xattr(id, "system.none", Buffer(3), vfs::XattrMode::Any));
        CHECK_FALSE(mount.files().create(mount.root(), "f0", {}));
    }
    CHECK_FALSE(mount.store().aborted());
    CHECK(mount.problems_after_sync() == "");
}
