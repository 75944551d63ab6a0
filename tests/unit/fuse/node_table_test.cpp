// SPDX-License-Identifier: MIT
#include "fuse/node_table.h"

#include <doctest/doctest.h>
#include <set>
#include <thread>

using namespace glassfs;
using namespace glassfs::fuse;
using vfs::NodeId;

namespace {

constexpr NodeId root{5, InodeNo{256}};

NodeId file(u64 ino, u64 tree = 5) {
    return {tree, InodeNo{ino}};
}

}  // namespace

TEST_CASE("fuse/nodes: the root has FUSE's number, however often it is forgotten") {
    NodeTable table(root);
    CHECK(table.node(root_nodeid).value() == root);
    CHECK(table.enter(root, 7) == root_nodeid);
    table.forget(root_nodeid, 100);
    CHECK(table.node(root_nodeid).value() == root);
    CHECK(table.size() == 1);
}

TEST_CASE("fuse/nodes: an inode keeps its number until it was forgotten as often as it was given out") {
    NodeTable table(root);
    Nodeid nodeid = table.enter(file(257), 1);
    CHECK(table.enter(file(257), 1) == nodeid);
    CHECK(table.enter(file(257, 300), 1) != nodeid);
    table.forget(nodeid, 1);
    CHECK(table.node(nodeid).value() == file(257));
    table.forget(nodeid, 1);
    CHECK(table.node(nodeid).error().cause == Cause::NotFound);
    CHECK(table.enter(file(257), 1) != nodeid);
    table.forget(nodeid, 1);  // once too often
    CHECK(table.size() == 3);
}

TEST_CASE("fuse/nodes: a new inode with an old one's number isn't taken for it") {
    NodeTable table(root);
    Nodeid old = table.enter(file(12), 1);
    Nodeid young = table.enter(file(12), 2);
    CHECK(young != old);
    table.forget(old, 1);
    CHECK(table.enter(file(12), 2) == young);
}

TEST_CASE("fuse/nodes: what was entered alone is met again by nobody") {
    NodeTable table(root);
    Nodeid one = table.enter_alone(file(2));
    Nodeid other = table.enter_alone(file(2));
    CHECK(one != other);
    CHECK(table.node(one).value() == file(2));
    table.forget(one, 1);
    CHECK(table.node(one).error().cause == Cause::NotFound);
    CHECK(table.node(other).value() == file(2));
}

TEST_CASE("fuse/nodes: inodes of other subvolumes show other numbers than those of the mounted one") {
    CHECK(shown_ino(file(257), 5) == 257);
    CHECK(shown_ino(file(257, 300), 5) == (u64{300} << 40) + 257);
    CHECK(shown_ino(file(257, 300), 300) == 257);
    CHECK(shown_ino(file(257, 0), 0) == 257);
    std::set<u64> seen;
    for (u64 tree : {5, 256, 257, 9000}) {
        for (u64 ino : {2, 256, 257, 100'000}) CHECK(seen.insert(shown_ino(file(ino, tree), 5)).second);
    }
}

TEST_CASE("fuse/nodes: many threads enter and forget at once") {
    NodeTable table(root);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&table] {
            for (u64 i = 0; i < 3000; ++i) {
                Nodeid nodeid = table.enter(file(300 + i % 50), 1);
                if (table.node(nodeid).value() != file(300 + i % 50)) std::abort();
                table.forget(nodeid, 1);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(table.size() == 1);
}
