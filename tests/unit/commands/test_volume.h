// SPDX-License-Identifier: MIT
// A volume in memory for tests of commands: any names, links, modes, and reads that fail where a test says
// so.
#pragma once

#include "mount/mount.h"
#include "support/memory_fs.h"

#include <map>

namespace glassfs::commands::test {

class TestFs final : public support::MemoryFs {
  public:
    using NodeId = vfs::NodeId;
    struct Extra {
        u32 mode = 0;
        u32 nlink = 1;
        TimeSpec mtime = {};
        std::vector<vfs::Xattr> xattrs = {};
        std::optional<Cause> read_fails = {};
        u64 read_fails_from = 0;  // bytes
    };
    std::map<NodeId, Extra> extra;

    Result<vfs::Attributes> getattr(NodeId id) override {
        vfs::Attributes a = TRY(MemoryFs::getattr(id));
        const Extra& more = extra[id];
        u32 type = a.type == vfs::FileType::Directory ? 0040000U
                   : a.type == vfs::FileType::Symlink ? 0120000U
                   : a.type == vfs::FileType::Fifo    ? 0010000U
                                                      : 0100000U;
        u32 mode = more.mode != 0 ? more.mode : a.type == vfs::FileType::Directory ? 0755U : 0644U;
        a.mode = type | mode;
        a.nlink = more.nlink;
        a.mtime = a.atime = more.mtime;
        return a;
    }
    Result<std::vector<vfs::Xattr>> xattrs(NodeId id) override { return extra[id].xattrs; }
    Result<std::size_t> read(NodeId id, u64 at, MutBytes out) override {
        const Extra& more = extra[id];
        if (more.read_fails && at + out.size() > more.read_fails_from) return fail(*more.read_fails);
        return MemoryFs::read(id, at, out);
    }
};

class TestVolume final : public mount::Volume {
  public:
    TestFs fs;
    vfs::FileSystem& files() override { return fs; }
    inspect::Inspector& inspector() override {
        assertion_failed("no inspector in this test", __FILE__, __LINE__);
    }
    Result<check::Report> check(const check::Options&, const std::function<bool(double)>&) override {
        return check::Report{};
    }
};

inline Buffer bytes_of(std::string_view words) {
    return Buffer(words.begin(), words.end());
}

}  // namespace glassfs::commands::test
