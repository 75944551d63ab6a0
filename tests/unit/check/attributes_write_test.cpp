// SPDX-License-Identifier: MIT
// Attributes, flags and extended attributes written on a volume in memory.
#include "support/writable_mount.h"

using namespace glassfs;
using support::outcome;
using support::WritableMount;
using vfs::NewInode;
using vfs::NodeId;
using vfs::XattrMode;

namespace {

constexpr NewInode file{.mode = 0100644};
constexpr NewInode dir{.mode = 0040755};

NodeId make(WritableMount& mount, std::string_view name, const NewInode& kind = file) {
    auto made = mount.files().create(mount.root(), name, kind);
    REQUIRE(made);
    return *made;
}

std::string xattrs_text(WritableMount& mount, NodeId node) {
    std::string out;
    auto all = mount.files().xattrs(node);
    REQUIRE(all);
    for (const auto& xattr : *all) out += xattr.name + "=" + std::string(as_text(xattr.value)) + " ";
    return out;
}

}  // namespace

TEST_CASE("btrfs/attributes: what setattr() sets is there after a commit, and nothing else has changed") {
    WritableMount mount;
    NodeId a = make(mount, "a");
    vfs::Attributes before = mount.stat("a");
    REQUIRE(mount.files().setattr(a, {.mode = 0104755, .uid = 10}));
    REQUIRE(mount.files().setattr(
        a, {.atime = TimeSpec{-5, 1}, .mtime = TimeSpec{1'000'000'000'000, 999'999'999}}));
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    vfs::Attributes after = mount.stat("a");
    CHECK(after.mode == 0104755);
    CHECK(after.uid == 10);
    CHECK(after.gid == before.gid);
    CHECK(after.atime == TimeSpec{-5, 1});
    CHECK(after.mtime == TimeSpec{1'000'000'000'000, 999'999'999});
    CHECK(after.btime == before.btime);
    CHECK(after.ctime > before.ctime);
    REQUIRE(mount.files().symlink(mount.root(), "l", "a", {}));
    CHECK(outcome(mount.files().setattr(mount.at("l"), {.mode = 0600})) == std::string("EOPNOTSUPP"));
    CHECK(outcome(mount.files().setattr(mount.at("l"), {.uid = 5})) == std::string("OK"));
}

TEST_CASE(
    "btrfs/attributes: flags that exclude each other are refused, and those of data stay once there is "
    "data") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId a = make(mount, "a");
    NodeId d = make(mount, "d", dir);
    using namespace btrfs;
    CHECK(outcome(files.set_flags(a, inode_compress | inode_nocompress)) == std::string("EINVAL"));
    CHECK(outcome(files.set_flags(a, inode_compress | inode_nodatacow)) == std::string("EINVAL"));
    CHECK(outcome(files.set_flags(a, inode_prealloc | inode_nodatasum)) == std::string("OK"));
    CHECK(mount.stat("a").flags == 0);
    REQUIRE(files.set_flags(a, inode_nodatacow | inode_dirsync | inode_sync));
    CHECK(mount.stat("a").flags == (inode_nodatacow | inode_nodatasum | inode_sync));
    CHECK(outcome(files.set_flags(a, inode_compress)) == std::string("EINVAL"));
    CHECK(outcome(files.set_xattr(a, "btrfs.compression", as_bytes("zlib"), XattrMode::Any)) ==
          std::string("EINVAL"));
    REQUIRE(files.set_flags(a, 0));
    CHECK(mount.stat("a").flags == 0);
    REQUIRE(files.set_flags(d, inode_compress | inode_dirsync));
    CHECK(mount.stat("d").flags == (inode_compress | inode_dirsync));
    CHECK(xattrs_text(mount, d) == "btrfs.compression=zlib ");
    REQUIRE(files.set_flags(d, 0));
    CHECK(xattrs_text(mount, d) == "");
    NodeId pipe = make(mount, "pipe", {.mode = 0010644});
    CHECK(outcome(files.set_flags(pipe, 0)) == std::string("ENOTTY"));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/attributes: xattrs are set, replaced, listed and removed") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId a = make(mount, "a");
    REQUIRE(files.set_xattr(a, "user.one", as_bytes("1"), XattrMode::Create));
    REQUIRE(files.set_xattr(a, "trusted.two", as_bytes(""), XattrMode::Any));
    CHECK(outcome(files.set_xattr(a, "user.one", as_bytes("x"), XattrMode::Create)) == std::string("EEXIST"));
    CHECK(outcome(files.set_xattr(a, "user.three", as_bytes("x"), XattrMode::Replace)) ==
          std::string("ENODATA"));
    REQUIRE(files.set_xattr(a, "user.one", as_bytes(std::string(5000, 'v')), XattrMode::Replace));
    REQUIRE(files.set_xattr(a, "user.one", as_bytes("short"), XattrMode::Replace));
    CHECK(xattrs_text(mount, a) == "trusted.two= user.one=short ");
    REQUIRE(files.remove_xattr(a, "trusted.two"));
    CHECK(outcome(files.remove_xattr(a, "trusted.two")) == std::string("ENODATA"));
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    CHECK(xattrs_text(mount, mount.at("a")) == "user.one=short ");
    REQUIRE(mount.files().unlink(mount.root(), "a"));
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/attributes: xattrs that Linux refuses") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId a = make(mount, "a");
    auto set = [&](NodeId node, std::string_view name, std::size_t bytes) -> std::string {
        return outcome(files.set_xattr(node, name, as_bytes(std::string(bytes, 'v')), XattrMode::Any));
    };
    CHECK(set(a, "", 1) == "ERANGE");
    CHECK(set(a, "user." + std::string(251, 'n'), 1) == "ERANGE");
    CHECK(set(a, "user." + std::string(250, 'n'), 1) == "OK");
    auto too_big = files.set_xattr(a, "user.a", Buffer(65537), XattrMode::Any);
    REQUIRE_FALSE(too_big);
    CHECK(too_big.error().code() == Errno::TOOBIG);
    CHECK(set(a, "user.a", 16228 - 6) == "OK");
    CHECK(set(a, "user.a", 16228 - 6 + 1) == "ENOSPC");
    CHECK(set(a, "user.", 1) == "EINVAL");
    CHECK(set(a, "nothing", 1) == "EOPNOTSUPP");
    CHECK(set(a, "other.a", 1) == "EOPNOTSUPP");
    CHECK(set(a, "system.a", 1) == "EOPNOTSUPP");
    CHECK(set(a, "btrfs.a", 1) == "EINVAL");
    CHECK(set(a, "btrfs.compression", 1) == "EINVAL");
    REQUIRE(files.symlink(mount.root(), "l", "a", {}));
    CHECK(set(mount.at("l"), "user.a", 1) == "EPERM");
    CHECK(set(mount.at("l"), "trusted.a", 1) == "OK");
    CHECK(set(mount.at("l"), "security.a", 1) == "OK");
    CHECK(mount.problems_after_sync() == "");
}

TEST_CASE("btrfs/attributes: btrfs.compression and the flags say the same") {
    WritableMount mount;
    auto& files = mount.files();
    NodeId a = make(mount, "a");
    auto set = [&](std::string_view value) -> std::string {
        return outcome(files.set_xattr(a, "btrfs.compression", as_bytes(value), XattrMode::Any));
    };
    CHECK(set("zstd:5") == "OK");
    CHECK(mount.stat("a").flags == btrfs::inode_compress);
    CHECK(set("none") == "OK");
    CHECK(mount.stat("a").flags == btrfs::inode_nocompress);
    CHECK(set("lzo") == "OK");
    CHECK(mount.stat("a").flags == btrfs::inode_compress);
    CHECK(set("") == "OK");
    CHECK(mount.stat("a").flags == 0);
    CHECK(xattrs_text(mount, a) == "");
    CHECK(set("") == "OK");
    CHECK(outcome(files.remove_xattr(a, "btrfs.compression")) == std::string("ENODATA"));
    CHECK(mount.problems_after_sync() == "");
    mount.remount();
    constexpr u64 features = btrfs::incompat_compress_lzo | btrfs::incompat_compress_zstd;
    CHECK((mount.volume().super().incompat_flags & features) == features);
}
