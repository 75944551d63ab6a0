// SPDX-License-Identifier: MIT
// Expectations are what Linux answers for the same tree (path_resolution(7)).
#include "vfs/path_walk.h"

#include "support/memory_fs.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::vfs;

namespace {

// /file  /dir/inner/deep  /dir/up -> ../file  /abs -> /dir/inner  /toinner -> dir/inner/  /tofile/ -> file/
struct Tree {
    support::MemoryFs files;
    NodeId root = files.root();
    NodeId file = files.add_file(root, "file", {1});
    NodeId dir = files.add_directory(root, "dir");
    NodeId inner = files.add_directory(dir, "inner");
    NodeId deep = files.add_file(inner, "deep", {2});
    NodeId up = files.add_symlink(dir, "up", "../file");
    NodeId abs = files.add_symlink(root, "abs", "/dir/inner");
    NodeId to_inner = files.add_symlink(root, "toinner", "dir/inner/");
    NodeId to_file = files.add_symlink(root, "tofile", "file/");
    NodeId self = files.add_symlink(root, "self", "self");
    NodeId dangling = files.add_symlink(root, "dangling", "nowhere");
    NodeId empty = files.add_symlink(root, "empty", "");
    NodeId to_root = files.add_symlink(root, "toroot", "/");

    NodeId get(std::string_view path, FollowLast follow = FollowLast::Yes) {
        auto found = resolve(files, path, follow);
        INFO(path);
        REQUIRE(found);
        return *found;
    }
    Errno error(std::string_view path, FollowLast follow = FollowLast::Yes) {
        auto found = resolve(files, path, follow);
        INFO(path);
        REQUIRE(!found);
        return found.error().code();
    }
};

}  // namespace

TEST_CASE("vfs/path: components, dots and repeated slashes lead where Linux goes") {
    Tree t;
    CHECK(t.get("/") == t.root);
    CHECK(t.get("///") == t.root);
    CHECK(t.get(".") == t.root);
    CHECK(t.get("/file") == t.file);
    CHECK(t.get("file") == t.file);
    CHECK(t.get("//dir//inner///deep") == t.deep);
    CHECK(t.get("dir/inner/") == t.inner);
    CHECK(t.get("dir/./inner/../inner/.") == t.inner);
    CHECK(t.get("dir/inner/..") == t.dir);
}

TEST_CASE("vfs/path: above the root is the root") {
    Tree t;
    CHECK(t.get("..") == t.root);
    CHECK(t.get("/../../dir/../../file") == t.file);
}

TEST_CASE("vfs/path: a relative path begins at the given directory, an absolute one at the root") {
    Tree t;
    CHECK(resolve(t.files, t.dir, "inner/deep", FollowLast::Yes).value() == t.deep);
    CHECK(resolve(t.files, t.dir, "../file", FollowLast::Yes).value() == t.file);
    CHECK(resolve(t.files, t.dir, "/file", FollowLast::Yes).value() == t.file);
    CHECK(resolve(t.files, t.file, "/dir", FollowLast::Yes).value() == t.dir);
    CHECK(resolve(t.files, t.file, "dir", FollowLast::Yes).error().code() == Errno::NOTDIR);
    CHECK(resolve(t.files, t.file, ".", FollowLast::Yes).error().code() == Errno::NOTDIR);
}

TEST_CASE("vfs/path: symlinks are followed on the way, and at the end only when asked") {
    Tree t;
    CHECK(t.get("dir/up") == t.file);
    CHECK(t.get("dir/up", FollowLast::No) == t.up);
    CHECK(t.get("abs/deep") == t.deep);
    CHECK(t.get("abs/deep", FollowLast::No) == t.deep);
    CHECK(t.get("abs/..") == t.dir);
    CHECK(t.get("toinner") == t.inner);
    CHECK(t.get("toinner/deep") == t.deep);
    CHECK(t.get("toroot/file") == t.file);
    CHECK(t.get("toroot") == t.root);
    CHECK(t.get("dangling", FollowLast::No) == t.dangling);
    CHECK(t.get("self", FollowLast::No) == t.self);
}

TEST_CASE("vfs/path: a trailing slash follows a symlink and demands a directory") {
    Tree t;
    CHECK(t.get("abs/", FollowLast::No) == t.inner);
    CHECK(t.get("toroot/", FollowLast::No) == t.root);
    CHECK(t.error("file/") == Errno::NOTDIR);
    CHECK(t.error("file/.") == Errno::NOTDIR);
    CHECK(t.error("file/..") == Errno::NOTDIR);
    CHECK(t.error("dir/up/", FollowLast::No) == Errno::NOTDIR);
    CHECK(t.error("tofile") == Errno::NOTDIR);
    CHECK(t.get("tofile", FollowLast::No) == t.to_file);
}

TEST_CASE("vfs/path: what is missing is ENOENT, what is no directory is ENOTDIR") {
    Tree t;
    CHECK(t.error("") == Errno::NOENT);
    CHECK(t.error("nothing") == Errno::NOENT);
    CHECK(t.error("nothing/below") == Errno::NOENT);
    CHECK(t.error("dir/nothing/..") == Errno::NOENT);
    CHECK(t.error("file/below") == Errno::NOTDIR);
    CHECK(t.error("dangling") == Errno::NOENT);
    CHECK(t.error("dangling/x") == Errno::NOENT);
    CHECK(t.error("empty") == Errno::NOENT);
}

TEST_CASE("vfs/path: names longer than 255 bytes and paths longer than 4095 are ENAMETOOLONG") {
    Tree t;
    std::string name(255, 'n');
    NodeId longest = t.files.add_file(t.root, name, {});
    CHECK(t.get(name) == longest);
    CHECK(t.error(name + "n") == Errno::NAMETOOLONG);
    CHECK(t.error("dir/" + name + "n/x") == Errno::NAMETOOLONG);
    CHECK(t.error("file/" + name + "n") == Errno::NOTDIR);
    CHECK(t.error("nothing/" + name + "n") == Errno::NOENT);
    CHECK(t.get(std::string(4091, '/') + "file") == t.file);
    CHECK(t.error(std::string(4092, '/') + "file") == Errno::NAMETOOLONG);
}

TEST_CASE("vfs/path: the fortieth symlink is followed, the next is ELOOP") {
    Tree t;
    t.files.add_symlink(t.root, "l1", "file");
    for (int i = 2; i <= 41; ++i) {
        t.files.add_symlink(t.root, "l" + std::to_string(i), "l" + std::to_string(i - 1));
    }
    CHECK(t.get("l40") == t.file);
    CHECK(t.error("l41") == Errno::LOOP);
    CHECK(t.error("self") == Errno::LOOP);
    CHECK(t.error("self/x", FollowLast::No) == Errno::LOOP);
    // The limit is for the whole path, not for one component.
    t.files.add_symlink(t.root, "here", ".");
    std::string path;
    for (int i = 0; i < 40; ++i) path += "here/";
    CHECK(t.get(path + "file") == t.file);
    CHECK(t.error(path + "here/file") == Errno::LOOP);
}
