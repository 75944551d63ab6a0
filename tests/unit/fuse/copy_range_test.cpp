// SPDX-License-Identifier: MIT
#include "fuse/copy_range.h"

#include "support/memory_fs.h"

#include <doctest/doctest.h>
#include <numeric>

using namespace glassfs;
using namespace glassfs::fuse;
using vfs::NodeId;

namespace {

// Two files that can be written and cloned, and what was asked of them.
class CopyFs final : public support::MemoryFs {
  public:
    CopyFs(std::size_t from_size, std::size_t to_size) {
        Buffer content(from_size);
        std::iota(content.begin(), content.end(), u8{1});
        from = add_file(root(), "from", content);
        to = add_file(root(), "to", Buffer(to_size, 0xee));
        contents[from] = content;
        contents[to] = Buffer(to_size, 0xee);
    }
    Result<vfs::Attributes> getattr(NodeId id) override {
        vfs::Attributes attributes = TRY(MemoryFs::getattr(id));
        attributes.size = contents.at(id).size();
        return attributes;
    }
    Result<std::size_t> read(NodeId id, u64 at, MutBytes out) override {
        const Buffer& content = contents.at(id);
        if (at >= content.size()) return std::size_t{0};
        std::size_t got = std::min<std::size_t>(out.size(), content.size() - at);
        std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(at), got, out.begin());
        return got;
    }
    Result<std::size_t> write(NodeId id, u64 at, Bytes data) override {
        std::size_t taken = std::min<std::size_t>(data.size(), room - std::min<u64>(room, at));
        if (taken == 0) return fail(Cause::NoSpace);
        put(id, at, data.first(taken));
        written += taken;
        return taken;
    }
    Result<void> clone_range(NodeId source, u64 source_at, u64 length, NodeId id, u64 at) override {
        if (!can_clone) return fail(Cause::CrossDevice);
        bool ends = source_at + length == contents.at(source).size();
        if (source_at % 4096 || at % 4096 || (length % 4096 && !ends)) return fail(Cause::InvalidArgument);
        put(id, at, Bytes(contents.at(source)).subspan(source_at, length));
        cloned += length;
        return {};
    }
    u64 copy(u64 from_at, u64 to_at, u64 length) {
        auto copied = copy_range(*this, {from, from_at, to, to_at, length});
        REQUIRE(copied);
        Bytes source = Bytes(contents.at(from)).subspan(std::min<u64>(from_at, contents.at(from).size()));
        Bytes target = Bytes(contents.at(to)).subspan(std::min<u64>(to_at, contents.at(to).size()));
        REQUIRE(target.size() >= *copied);
        CHECK(std::equal(target.begin(), target.begin() + static_cast<std::ptrdiff_t>(*copied),
                         source.begin()));
        return *copied;
    }

    NodeId from, to;
    std::map<NodeId, Buffer> contents;
    u64 room = ~0ULL;
    u64 cloned = 0, written = 0;  // bytes
    bool can_clone = true;

  private:
    void put(NodeId id, u64 at, Bytes data) {
        Buffer& content = contents.at(id);
        content.resize(std::max<std::size_t>(content.size(), at + data.size()));
        std::copy(data.begin(), data.end(), content.begin() + static_cast<std::ptrdiff_t>(at));
    }
};

}  // namespace

TEST_CASE("fuse/copy range: whole blocks are shared, the rest is copied") {
    CopyFs files(40'000, 0);
    CHECK(files.copy(4096, 8192, 20'000) == 20'000);
    CHECK(files.cloned == 16'384);
    CHECK(files.written == 20'000 - 16'384);
}

TEST_CASE("fuse/copy range: the file's end is shared with its block when it becomes the other's end") {
    CopyFs files(10'000, 5'000);
    CHECK(files.copy(0, 0, 1 << 20) == 10'000);
    CHECK(files.cloned == 10'000);
    CHECK(files.written == 0);
    CopyFs longer(10'000, 50'000);
    CHECK(longer.copy(0, 0, 1 << 20) == 10'000);
    CHECK(longer.cloned == 8192);
    CHECK(longer.contents.at(longer.to).size() == 50'000);
}

TEST_CASE("fuse/copy range: what isn't aligned or can't be shared is copied") {
    CopyFs files(2'500'000, 100);
    CHECK(files.copy(1, 0, 9000) == 9000);
    CHECK(files.copy(0, 4095, 2'500'000) == 2'500'000);
    CHECK(files.cloned == 0);
    CopyFs other(2'500'000, 0);
    other.can_clone = false;
    CHECK(other.copy(4096, 0, 2'000'000) == 2'000'000);
    CHECK(other.written == 2'000'000);
}

TEST_CASE("fuse/copy range: nothing behind the end, and what fits into a full volume") {
    CopyFs files(10'000, 0);
    CHECK(files.copy(10'000, 0, 10) == 0);
    CHECK(files.copy(9'990, 0, 100) == 10);
    CopyFs full(3'000'000, 0);
    full.can_clone = false;
    full.room = 1'500'000;
    CHECK(full.copy(0, 0, 3'000'000) == 1'500'000);
    CHECK(copy_range(full, {full.from, 0, full.to, 1'500'000, 10}).error().cause == Cause::NoSpace);
    CHECK(copy_range(full, {full.from, 0, full.to, ~0ULL / 2, 10}).error().cause == Cause::InvalidArgument);
}
