// SPDX-License-Identifier: MIT
// What the model promises, in the words of Linux's btrfs; tests/differential asks the kernel whether it is
// so.
#include "support/model_fs.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::vfs;
using support::ModelFs;

namespace {

template <class T>
Errno code(const Result<T>& result) {
    return result ? Errno::OK : result.error().code();
}

NodeId make(ModelFs& files, NodeId dir, std::string_view name, u32 mode = 0100644) {
    NewInode wanted;
    wanted.mode = mode;
    auto made = files.create(dir, name, wanted);
    REQUIRE(made);
    return *made;
}

NodeId make_dir(ModelFs& files, NodeId dir, std::string_view name) {
    return make(files, dir, name, 0040755);
}

NodeId make_subvolume(ModelFs& files, NodeId dir, std::string_view name) {
    NewInode wanted;
    wanted.mode = 0040755;
    auto made = files.create_subvolume(dir, name, wanted);
    REQUIRE(made);
    return *made;
}

void put(ModelFs& files, NodeId file, u64 at, std::string_view text) {
    auto written = files.write(file, at, as_bytes(text));
    REQUIRE(written);
    REQUIRE(*written == text.size());
}

std::string text_of(ModelFs& files, NodeId file) {
    Buffer out(files.getattr(file)->size);
    REQUIRE(*files.read(file, 0, out) == out.size());
    return std::string(as_text(out));
}

std::string names(ModelFs& files, NodeId dir) {
    std::string out;
    REQUIRE(files.readdir(dir, 0, [&](const DirEntry& entry) {
        out += entry.name + " ";
        return true;
    }));
    return out;
}

// "D0-2 U3 H4-": kinds of blocks.
std::string map_of(ModelFs& files, NodeId file) {
    std::string out;
    REQUIRE(files.extents(file, [&](const FileExtent& extent) {
        constexpr char kinds[] = {'D', 'H', 'U', 'I'};
        u64 last = (extent.file_offset + extent.length - 1) / 4096;
        out += kinds[static_cast<int>(extent.kind)] + std::to_string(extent.file_offset / 4096) + "-" +
               std::to_string(last) + " ";
        return true;
    }));
    return out;
}

Buffer bytes(std::size_t count) {
    return Buffer(count, u8{7});
}

}  // namespace

TEST_CASE("model/names: dots, empty and long names are refused as Linux refuses them") {
    ModelFs files;
    NodeId root = files.root();
    std::string long_name(256, 'n');
    make(files, root, std::string(255, 'n'));
    CHECK(code(files.create(root, ".", {})) == Errno::EXIST);
    CHECK(code(files.create(root, "..", {})) == Errno::EXIST);
    CHECK(code(files.create(root, "", {})) == Errno::NOENT);
    CHECK(code(files.create(root, long_name, {})) == Errno::NAMETOOLONG);
    CHECK(code(files.unlink(root, ".")) == Errno::ISDIR);
    CHECK(code(files.unlink(root, "..")) == Errno::ISDIR);
    CHECK(code(files.rmdir(root, ".")) == Errno::INVAL);
    CHECK(code(files.rmdir(root, "..")) == Errno::NOTEMPTY);
    CHECK(code(files.rename(root, ".", root, "x", RenameKind::Replace)) == Errno::BUSY);
    CHECK(code(files.rename(root, "x", root, "..", RenameKind::NoReplace)) == Errno::EXIST);
    CHECK(code(files.create_subvolume(root, "", {})) == Errno::ACCES);
    CHECK(code(files.delete_subvolume(root, "..")) == Errno::INVAL);
    CHECK(code(files.lookup(root, long_name)) == Errno::NAMETOOLONG);
}

TEST_CASE("model/names: a directory's size is twice its names' lengths, and it has one link") {
    ModelFs files;
    NodeId dir = make_dir(files, files.root(), "dir");
    make(files, dir, "four");
    make_dir(files, dir, "seventh");
    CHECK(files.getattr(dir)->size == 22);
    CHECK(files.getattr(dir)->nlink == 1);
    REQUIRE(files.unlink(dir, "four"));
    CHECK(files.getattr(dir)->size == 14);
    CHECK(code(files.rmdir(files.root(), "dir")) == Errno::NOTEMPTY);
}

TEST_CASE("model/names: readdir goes by when a name was made, and goes on behind a cookie") {
    ModelFs files;
    NodeId root = files.root();
    for (const char* name : {"c", "a", "b"}) make(files, root, name);
    CHECK(names(files, root) == "c a b ");
    REQUIRE(files.rename(root, "c", root, "z", RenameKind::Replace));
    CHECK(names(files, root) == "a b z ");
    REQUIRE(files.rename(root, "a", root, "z", RenameKind::Exchange));
    CHECK(names(files, root) == "b z a ");
    u64 cookie = 0;
    REQUIRE(files.readdir(root, 0, [&](const DirEntry& entry) {
        cookie = entry.cookie;
        return false;
    }));
    std::string rest;
    REQUIRE(files.readdir(root, cookie, [&](const DirEntry& entry) {
        rest += entry.name;
        return true;
    }));
    CHECK(rest == "za");
}

TEST_CASE("model/names: a directory with S_ISGID gives its group, and itself to directories") {
    ModelFs files;
    NodeId dir = make_dir(files, files.root(), "dir");
    REQUIRE(files.setattr(dir, {.mode = 02755, .gid = 77}));
    CHECK(files.getattr(make(files, dir, "file"))->gid == 77);
    CHECK(files.getattr(make_dir(files, dir, "below"))->mode == 0042755);
    CHECK(files.getattr(make_subvolume(files, dir, "subvolume"))->gid == 0);
    // mkdir() itself takes no S_ISUID and S_ISGID.
    CHECK(files.getattr(make(files, files.root(), "other", 0047777))->mode == 0041777);
}

TEST_CASE("model/link: not of directories, not over names, and a tmpfile once") {
    ModelFs files;
    NodeId root = files.root(), dir = make_dir(files, root, "dir"), file = make(files, root, "file");
    CHECK(code(files.link(dir, root, "file")) == Errno::EXIST);
    CHECK(code(files.link(dir, root, "new")) == Errno::PERM);
    REQUIRE(files.link(file, dir, "second"));
    CHECK(files.getattr(file)->nlink == 2);
    NodeId unnamed = *files.tmpfile(root, {});
    CHECK(files.getattr(unnamed)->nlink == 0);
    REQUIRE(files.link(unnamed, root, "named"));
    REQUIRE(files.unlink(root, "named"));
    CHECK(code(files.link(unnamed, root, "again")) == Errno::NOENT);
    REQUIRE(files.release(unnamed));
    CHECK(code(files.getattr(unnamed)) == Errno::NOENT);
}

TEST_CASE("model/hold: what is held lives without a name until the last release") {
    ModelFs files;
    NodeId root = files.root(), file = make(files, root, "file"), dir = make_dir(files, root, "dir");
    put(files, file, 0, "still here");
    files.hold(file);
    files.hold(file);
    files.hold(dir);
    REQUIRE(files.unlink(root, "file"));
    REQUIRE(files.rmdir(root, "dir"));
    CHECK(text_of(files, file) == "still here");
    CHECK(code(files.link(file, root, "back")) == Errno::NOENT);
    CHECK(code(files.create(dir, "x", {})) == Errno::NOENT);
    CHECK(code(files.readdir(dir, 0, [](const DirEntry&) { return true; })) == Errno::NOENT);
    CHECK(*files.parent(dir) == root);
    CHECK(code(files.tmpfile(dir, {})) == Errno::OK);
    REQUIRE(files.release(file));
    CHECK(text_of(files, file) == "still here");
    REQUIRE(files.release(file));
    CHECK(code(files.getattr(file)) == Errno::NOENT);
}

TEST_CASE("model/rename: what stands in the way of it") {
    ModelFs files;
    NodeId root = files.root(), dir = make_dir(files, root, "dir"), below = make_dir(files, dir, "below");
    NodeId file = make(files, root, "file");
    make_dir(files, root, "empty");
    REQUIRE(files.link(file, root, "same"));
    auto rename = [&](NodeId from, const char* name, NodeId to, const char* new_name,
                      RenameKind kind = RenameKind::Replace) {
        return code(files.rename(from, name, to, new_name, kind));
    };
    CHECK(rename(root, "dir", below, "x") == Errno::INVAL);
    CHECK(rename(root, "dir", dir, "below") == Errno::INVAL);
    CHECK(rename(dir, "below", root, "dir") == Errno::NOTEMPTY);
    CHECK(rename(dir, "below", root, "dir", RenameKind::Exchange) == Errno::INVAL);
    CHECK(rename(root, "empty", root, "dir") == Errno::NOTEMPTY);
    CHECK(rename(root, "dir", root, "file") == Errno::NOTDIR);
    CHECK(rename(root, "file", root, "empty") == Errno::ISDIR);
    CHECK(rename(root, "file", root, "empty", RenameKind::NoReplace) == Errno::EXIST);
    CHECK(rename(root, "file", root, "none", RenameKind::Exchange) == Errno::NOENT);
    CHECK(rename(root, "none", root, "file") == Errno::NOENT);
    CHECK(rename(root, "file", root, "same", RenameKind::NoReplace) == Errno::EXIST);
    CHECK(rename(root, "dir", root, "empty") == Errno::OK);
    CHECK(*files.parent(below) == dir);
}

TEST_CASE("model/rename: two names of one inode: nothing happens, not even to times") {
    ModelFs files;
    NodeId root = files.root(), file = make(files, root, "one");
    REQUIRE(files.link(file, root, "two"));
    TimeSpec dir_before = files.getattr(root)->mtime, before = files.getattr(file)->ctime;
    REQUIRE(files.rename(root, "one", root, "two", RenameKind::Replace));
    CHECK(names(files, root) == "one two ");
    CHECK(files.getattr(root)->mtime == dir_before);
    CHECK(files.getattr(file)->ctime == before);
}

TEST_CASE("model/rename: an exchange swaps a file and a directory with their parents") {
    ModelFs files;
    NodeId root = files.root(), dir = make_dir(files, root, "dir"), file = make(files, dir, "file");
    NodeId other = make_dir(files, root, "other");
    make(files, other, "inside");
    REQUIRE(files.rename(dir, "file", root, "other", RenameKind::Exchange));
    CHECK(*files.lookup(root, "other") == file);
    CHECK(*files.lookup(dir, "file") == other);
    CHECK(*files.parent(other) == dir);
    CHECK(names(files, other) == "inside ");
}

TEST_CASE("model/symlink: the target's length is limited by the path's and by the node's size") {
    ModelFs files, small({.node_size = 4096});
    CHECK(code(files.symlink(files.root(), "none", "", {})) == Errno::NOENT);
    CHECK(code(files.symlink(files.root(), "most", std::string(4095, 't'), {})) == Errno::OK);
    CHECK(code(files.symlink(files.root(), "more", std::string(4096, 't'), {})) == Errno::NAMETOOLONG);
    CHECK(code(small.symlink(small.root(), "most", std::string(3949, 't'), {})) == Errno::OK);
    CHECK(code(small.symlink(small.root(), "more", std::string(3950, 't'), {})) == Errno::NAMETOOLONG);
    CHECK(code(small.symlink(small.root(), "most", std::string(3950, 't'), {})) == Errno::EXIST);
    Attributes stat = *files.getattr(*files.lookup(files.root(), "most"));
    CHECK(stat.mode == 0120777);
    CHECK(stat.size == 4095);
    CHECK(stat.bytes == 4096);
}

TEST_CASE("model/write: growing turns a partial last block into data, whatever it was") {
    ModelFs files;
    NodeId file = make(files, files.root(), "file");
    REQUIRE(files.truncate(file, 100));
    CHECK(map_of(files, file) == "H0-0 ");
    CHECK(files.getattr(file)->bytes == 0);
    REQUIRE(files.truncate(file, 10000));
    CHECK(map_of(files, file) == "D0-0 H1-2 ");
    put(files, file, 20000, "x");
    CHECK(map_of(files, file) == "D0-0 H1-1 D2-2 H3-3 D4-4 ");
    CHECK(files.getattr(file)->bytes == 3 * 4096);
    REQUIRE(files.truncate(file, 9000));
    CHECK(map_of(files, file) == "D0-0 H1-1 D2-2 ");
}

TEST_CASE("model/write: nothing written changes nothing; the largest position is 2^63 - 1") {
    ModelFs files;
    NodeId file = make(files, files.root(), "file");
    TimeSpec before = files.getattr(file)->mtime;
    CHECK(*files.write(file, 5000, {}) == 0);
    CHECK(files.getattr(file)->mtime == before);
    CHECK(files.getattr(file)->size == 0);
    constexpr u64 most = 0x7fff'ffff'ffff'ffff;
    CHECK(code(files.write(file, most, bytes(1))) == Errno::INVAL);
    CHECK(code(files.write(file, most - 1, bytes(1))) == Errno::OK);
    CHECK(code(files.truncate(file, most)) == Errno::OK);
    CHECK(code(files.truncate(file, most + 1)) == Errno::INVAL);
    CHECK(code(files.write(files.root(), 0, bytes(1))) == Errno::ISDIR);
    CHECK(code(files.truncate(files.root(), 0)) == Errno::ISDIR);
    CHECK(code(files.truncate(make(files, files.root(), "fifo", 0010644), 0)) == Errno::INVAL);
}

TEST_CASE("model/truncate: bytes behind a smaller size are zero when the file grows again") {
    ModelFs files;
    NodeId file = make(files, files.root(), "file");
    put(files, file, 0, "abcdefgh");
    REQUIRE(files.truncate(file, 3));
    REQUIRE(files.truncate(file, 6));
    CHECK(text_of(files, file) == std::string("abc\0\0\0", 6));
}

TEST_CASE("model/truncate: to the same size, it frees what is allocated behind the end and sets the times") {
    ModelFs files;
    NodeId file = make(files, files.root(), "file");
    put(files, file, 0, "abc");
    REQUIRE(files.fallocate(file, FallocateMode::KeepSize, 0, 20000));
    CHECK(map_of(files, file) == "D0-0 U1-4 ");
    TimeSpec before = files.getattr(file)->mtime;
    REQUIRE(files.truncate(file, 3));
    CHECK(map_of(files, file) == "D0-0 ");
    CHECK(files.getattr(file)->mtime > before);
}

TEST_CASE("model/fallocate: each mode with what it does to data, holes and unwritten blocks") {
    ModelFs files;
    NodeId file = make(files, files.root(), "file");
    REQUIRE(files.write(file, 8192, bytes(8192)));
    REQUIRE(files.fallocate(file, FallocateMode::Allocate, 4000, 6000));
    CHECK(map_of(files, file) == "U0-1 D2-3 ");
    REQUIRE(files.fallocate(file, FallocateMode::ZeroRange, 9000, 12000));
    CHECK(map_of(files, file) == "U0-1 D2-2 U3-5 ");
    CHECK(files.getattr(file)->size == 21000);
    CHECK(text_of(files, file).substr(8999, 3) == std::string("\x7\0\0", 3));
    REQUIRE(files.fallocate(file, FallocateMode::PunchHole, 4096, 8192));
    CHECK(map_of(files, file) == "U0-0 H1-2 U3-5 ");
    CHECK(code(files.fallocate(file, FallocateMode::CollapseRange, 0, 4096)) == Errno::OPNOTSUPP);
    CHECK(code(files.fallocate(file, FallocateMode::InsertRange, 0, 4096)) == Errno::OPNOTSUPP);
    CHECK(code(files.fallocate(file, FallocateMode::Allocate, 0, 0)) == Errno::INVAL);
    CHECK(code(files.fallocate(file, FallocateMode::Allocate, 1ULL << 63, 1)) == Errno::INVAL);
    CHECK(code(files.fallocate(file, FallocateMode::InsertRange, (1ULL << 63) - 1, 9)) == Errno::FBIG);
    CHECK(code(files.fallocate(files.root(), FallocateMode::Allocate, 0, 1)) == Errno::ISDIR);
}

TEST_CASE("model/punch: a partial block is zeroed, and unwritten it becomes data") {
    ModelFs files;
    NodeId file = make(files, files.root(), "file");
    REQUIRE(files.fallocate(file, FallocateMode::Allocate, 0, 8192));
    REQUIRE(files.fallocate(file, FallocateMode::PunchHole, 10, 100));
    CHECK(map_of(files, file) == "D0-0 U1-1 ");
    REQUIRE(files.truncate(file, 0));
    REQUIRE(files.truncate(file, 8192));
    REQUIRE(files.fallocate(file, FallocateMode::PunchHole, 10, 100));
    CHECK(map_of(files, file) == "H0-1 ");
}

TEST_CASE("model/seek: unwritten blocks are holes, and behind the end is nothing") {
    ModelFs files;
    NodeId file = make(files, files.root(), "file");
    CHECK(code(files.seek(file, 0, Whence::Hole)) == Errno::NXIO);
    REQUIRE(files.fallocate(file, FallocateMode::Allocate, 0, 20000));
    REQUIRE(files.write(file, 9000, bytes(10)));
    CHECK(*files.seek(file, 0, Whence::Data) == 8192);
    CHECK(*files.seek(file, 8500, Whence::Data) == 8500);
    CHECK(*files.seek(file, 8500, Whence::Hole) == 12288);
    CHECK(*files.seek(file, 15000, Whence::Hole) == 15000);
    CHECK(code(files.seek(file, 12288, Whence::Data)) == Errno::NXIO);
    CHECK(code(files.seek(file, 20000, Whence::Hole)) == Errno::NXIO);
}

TEST_CASE("model/clone: ranges are whole blocks, but for one that ends both files") {
    ModelFs files;
    NodeId root = files.root(), from = make(files, root, "from"), to = make(files, root, "to");
    REQUIRE(files.write(from, 0, bytes(10000)));
    auto clone = [&](u64 from_at, u64 length, u64 to_at) {
        return code(files.clone_range(from, from_at, length, to, to_at));
    };
    CHECK(clone(1, 4096, 0) == Errno::INVAL);
    CHECK(clone(0, 4096, 1) == Errno::INVAL);
    CHECK(clone(0, 100, 0) == Errno::INVAL);
    CHECK(clone(8192, 4096, 0) == Errno::INVAL);   // beyond the source's end
    CHECK(clone(12288, 4096, 0) == Errno::INVAL);  // behind it
    CHECK(clone(0, 0, 4096) == Errno::OK);         // to the end
    CHECK(files.getattr(to)->size == 14096);
    CHECK(map_of(files, to) == "H0-0 D1-3 ");
    CHECK(clone(8192, 0, 4096) == Errno::INVAL);  // a part of a block into the middle
    CHECK(clone(8192, 0, 12288) == Errno::OK);
    CHECK(text_of(files, to).substr(12288) == text_of(files, from).substr(8192));
    CHECK(code(files.clone_range(from, 0, 0, root, 0)) == Errno::ISDIR);
}

TEST_CASE("model/clone: within a file, what is covered may not overlap; clones are independent") {
    ModelFs files;
    NodeId root = files.root(), file = make(files, root, "file"), other = make(files, root, "other");
    put(files, file, 0, std::string(4096, 'a') + std::string(4096, 'b') + "ccc");
    CHECK(code(files.clone_range(file, 0, 8192, file, 4096)) == Errno::INVAL);
    CHECK(code(files.clone_range(file, 0, 4096, file, 0)) == Errno::INVAL);
    CHECK(code(files.clone_range(file, 8192, 3, file, 8192)) == Errno::INVAL);
    CHECK(code(files.clone_range(file, 0, 4096, file, 4096)) == Errno::OK);
    REQUIRE(files.clone_range(file, 0, 0, other, 0));
    put(files, other, 0, "X");
    CHECK(text_of(files, file).substr(0, 2) == "aa");
    CHECK(text_of(files, other).substr(0, 2) == "Xa");
    REQUIRE(files.set_flags(make(files, root, "in place"), 1 << 1));
    CHECK(code(files.clone_range(file, 0, 4096, *files.lookup(root, "in place"), 0)) == Errno::INVAL);
}

TEST_CASE("model/xattr: prefixes, kinds of inodes and sizes") {
    ModelFs files;
    NodeId root = files.root(), file = make(files, root, "file");
    NodeId link = *files.symlink(root, "link", "x", {});
    auto set = [&](NodeId id, const std::string& name, std::size_t size, XattrMode mode = XattrMode::Any) {
        return code(files.set_xattr(id, name, bytes(size), mode));
    };
    CHECK(set(file, "", 1) == Errno::RANGE);
    CHECK(set(file, "user." + std::string(251, 'n'), 1) == Errno::RANGE);
    CHECK(set(file, "user." + std::string(250, 'n'), 1) == Errno::OK);
    CHECK(set(file, "nothing", 65537) == Errno::TOOBIG);
    CHECK(set(file, "nothing", 1) == Errno::OPNOTSUPP);
    CHECK(set(file, "system.x", 1) == Errno::OPNOTSUPP);
    CHECK(set(file, "user.", 1) == Errno::INVAL);
    CHECK(set(file, "btrfs.x", 1) == Errno::INVAL);
    CHECK(set(link, "user.x", 1) == Errno::PERM);
    CHECK(set(link, "trusted.x", 1) == Errno::OK);
    CHECK(set(file, "user.size", 16219) == Errno::OK);
    CHECK(set(file, "user.size", 16220) == Errno::NOSPC);
    CHECK(set(file, "user.size", 16220, XattrMode::Create) == Errno::NOSPC);
    CHECK(set(file, "user.size", 1, XattrMode::Create) == Errno::EXIST);
    CHECK(set(file, "user.none", 1, XattrMode::Replace) == Errno::NODATA);
    CHECK(code(files.remove_xattr(file, "user.none")) == Errno::NODATA);
    CHECK(code(files.remove_xattr(file, "user.size")) == Errno::OK);
    CHECK(files.xattrs(link)->front().name == "trusted.x");
}

TEST_CASE("model/flags: compression and writing in place exclude each other, also the new the old") {
    ModelFs files;
    constexpr u64 in_place = 1 << 1, uncompressed = 1 << 3, compressed = 1 << 11, immutable = 1 << 6;
    NodeId root = files.root(), file = make(files, root, "file");
    CHECK(code(files.set_flags(file, compressed | uncompressed)) == Errno::INVAL);
    CHECK(code(files.set_flags(file, compressed | in_place)) == Errno::INVAL);
    REQUIRE(files.set_flags(file, in_place));
    CHECK((files.getattr(file)->flags & 3) == 3);  // without checksums too
    CHECK(code(files.set_flags(file, compressed)) == Errno::INVAL);
    CHECK(code(files.set_flags(*files.symlink(root, "link", "x", {}), 0)) == Errno::NOTTY);
    REQUIRE(files.set_flags(file, 0));
    REQUIRE(files.set_flags(file, compressed));
    CHECK(files.xattrs(file)->front().name == "btrfs.compression");
    put(files, file, 0, "x");
    REQUIRE(files.set_flags(file, 0));
    REQUIRE(files.set_flags(file, in_place));
    CHECK((files.getattr(file)->flags & 3) == 0);  // it has data
    REQUIRE(files.set_flags(file, immutable));
    CHECK(code(files.write(file, 0, bytes(1))) == Errno::PERM);
    CHECK(code(files.unlink(root, "file")) == Errno::PERM);
    CHECK(code(files.setattr(file, {.mode = 0600})) == Errno::PERM);
}

TEST_CASE("model/snapshot: keeps what was, shows a nested subvolume as an empty directory") {
    ModelFs files;
    NodeId root = files.root(), origin = make_subvolume(files, root, "origin");
    NodeId file = make(files, origin, "file");
    put(files, file, 0, "before");
    make(files, make_subvolume(files, origin, "nested"), "inside");
    TimeSpec before = files.getattr(origin)->mtime;
    NodeId copy = *files.snapshot(origin, root, "copy", SnapshotKind::Writable);
    put(files, file, 0, "after!");
    CHECK(text_of(files, *files.lookup(copy, "file")) == "before");
    CHECK(files.getattr(copy)->mtime == before);
    NodeId stand_in = *files.lookup(copy, "nested");
    CHECK(stand_in.ino == InodeNo{2});
    CHECK(names(files, stand_in).empty());
    CHECK(code(files.create(stand_in, "x", {})) == Errno::ACCES);
    CHECK(code(files.create(stand_in, "x", NewInode{0040755, 0, 0, {}})) == Errno::PERM);
    CHECK(code(files.tmpfile(stand_in, {})) == Errno::OPNOTSUPP);
    CHECK(code(files.create_subvolume(stand_in, "x", {})) == Errno::NOTTY);
    CHECK(code(files.delete_subvolume(copy, "nested")) == Errno::INVAL);
    CHECK(code(files.rename(copy, "nested", copy, "moved", RenameKind::Replace)) == Errno::NOTEMPTY);
    CHECK(code(files.rmdir(copy, "nested")) == Errno::OK);
}

TEST_CASE(
    "model/snapshot: a read-only one answers EROFS, but to names that are there and to no change at all") {
    ModelFs files;
    NodeId root = files.root(), origin = make_subvolume(files, root, "origin");
    NodeId original = make(files, origin, "one");
    REQUIRE(files.link(original, origin, "two"));
    make_dir(files, origin, "dir");
    NodeId copy = *files.snapshot(origin, root, "copy", SnapshotKind::ReadOnly);
    NodeId file = *files.lookup(copy, "one");
    CHECK(code(files.create(copy, "one", {})) == Errno::EXIST);
    CHECK(code(files.create(copy, "new", {})) == Errno::ROFS);
    CHECK(code(files.unlink(copy, "none")) == Errno::NOENT);
    CHECK(code(files.unlink(copy, "dir")) == Errno::ROFS);
    CHECK(code(files.rename(copy, "one", copy, "two", RenameKind::Replace)) == Errno::OK);
    CHECK(code(files.rename(copy, "one", copy, "three", RenameKind::Replace)) == Errno::ROFS);
    CHECK(code(files.write(file, 0, bytes(1))) == Errno::ROFS);
    CHECK(code(files.setattr(file, {.mode = 0600})) == Errno::ROFS);
    CHECK(code(files.set_xattr(file, "user.x", {}, XattrMode::Any)) == Errno::ROFS);
    CHECK(code(files.set_xattr(file, "trusted.", {}, XattrMode::Any)) == Errno::INVAL);
    CHECK(code(files.tmpfile(copy, {})) == Errno::ROFS);
    // It may be renamed where it is, and deleted; but not moved.
    NodeId other = make_dir(files, root, "other");
    CHECK(code(files.rename(root, "copy", other, "copy", RenameKind::Replace)) == Errno::ROFS);
    CHECK(code(files.rename(root, "copy", root, "renamed", RenameKind::Replace)) == Errno::OK);
    CHECK(code(files.delete_subvolume(root, "renamed")) == Errno::OK);
}

TEST_CASE("model/subvolume: links and renames stay inside of one; subvolumes themselves move") {
    ModelFs files;
    NodeId root = files.root(), one = make_subvolume(files, root, "one"),
           two = make_subvolume(files, root, "two");
    NodeId file = make(files, root, "file");
    make(files, one, "inside");
    CHECK(code(files.link(file, one, "link")) == Errno::XDEV);
    CHECK(code(files.rename(root, "file", one, "file", RenameKind::Replace)) == Errno::XDEV);
    CHECK(code(files.rename(root, "file", one, "inside", RenameKind::Exchange)) == Errno::XDEV);
    make_dir(files, root, "dir");
    CHECK(code(files.rename(root, "dir", root, "two", RenameKind::Replace)) == Errno::NOTEMPTY);
    CHECK(code(files.rename(root, "two", one, "moved", RenameKind::Replace)) == Errno::OK);
    CHECK(*files.parent(two) == one);
    CHECK(code(files.rename(root, "one", two, "x", RenameKind::Replace)) == Errno::INVAL);
    CHECK(code(files.delete_subvolume(root, "one")) == Errno::NOTEMPTY);
    CHECK(code(files.delete_subvolume(root, "dir")) == Errno::INVAL);
    CHECK(code(files.delete_subvolume(root, "file")) == Errno::NOTDIR);
    CHECK(code(files.rmdir(one, "moved")) == Errno::OK);
    CHECK(code(files.delete_subvolume(root, "one")) == Errno::OK);
    CHECK(code(files.getattr(one)) == Errno::NOENT);
}

TEST_CASE("model/times: which of them each operation sets") {
    ModelFs files;
    NodeId root = files.root(), dir = make_dir(files, root, "dir"), file = make(files, dir, "file");
    std::vector<Attributes> before;
    auto look = [&] { return std::vector<Attributes>{*files.getattr(dir), *files.getattr(file)}; };
    auto changed = [&] {
        std::string out;
        auto after = look();
        for (std::size_t i = 0; i < after.size(); ++i) {
            out += i == 0 ? "dir:" : " file:";
            if (after[i].atime != before[i].atime) out += "a";
            if (after[i].mtime != before[i].mtime) out += "m";
            if (after[i].ctime != before[i].ctime) out += "c";
        }
        before = std::move(after);
        return out;
    };
    before = look();
    REQUIRE(files.link(file, dir, "link"));
    CHECK(changed() == "dir:mc file:c");
    REQUIRE(files.unlink(dir, "link"));
    CHECK(changed() == "dir:mc file:c");
    put(files, file, 0, "x");
    CHECK(changed() == "dir: file:mc");
    REQUIRE(files.setattr(file, {.atime = TimeSpec{1, 2}}));
    CHECK(changed() == "dir: file:ac");
    REQUIRE(files.set_xattr(file, "user.x", {}, XattrMode::Any));
    CHECK(changed() == "dir: file:c");
    REQUIRE(files.rename(dir, "file", dir, "renamed", RenameKind::Replace));
    CHECK(changed() == "dir:mc file:c");
    CHECK(text_of(files, file) == "x");
    CHECK(changed() == "dir: file:");
}
