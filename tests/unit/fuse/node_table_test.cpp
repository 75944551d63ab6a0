// SPDX-License-Identifier: MIT
#include "fuse/node_table.h"

#include <algorithm>
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
    CHECK(table.enter(root) == root_nodeid);
    table.forget(root_nodeid, 100);
    CHECK(table.node(root_nodeid).value() == root);
    CHECK(table.size() == 1);
}

TEST_CASE("fuse/nodes: an inode keeps its number until it was forgotten as often as it was given out") {
    NodeTable table(root);
    Nodeid nodeid = table.enter(file(257));
    CHECK(table.enter(file(257)) == nodeid);
    CHECK(table.enter(file(257, 300)) != nodeid);
    table.forget(nodeid, 1);
    CHECK(table.node(nodeid).value() == file(257));
    table.forget(nodeid, 1);
    CHECK(table.node(nodeid).error().cause == Cause::NotFound);
    CHECK(table.enter(file(257)) != nodeid);
    table.forget(nodeid, 1);  // once too often
    CHECK(table.size() == 3);
}

TEST_CASE("fuse/nodes: what the kernel knows is held once, and released when it forgets it") {
    NodeTable table(root);
    CHECK_FALSE(table.hold(file(257)));  // unknown to the kernel: nothing to hold
    Nodeid nodeid = table.enter(file(257));
    table.enter(file(257));
    CHECK(table.hold(file(257)));
    CHECK_FALSE(table.hold(file(257)));
    CHECK(table.forget(nodeid, 1) == std::nullopt);
    CHECK(table.forget(nodeid, 1) == file(257));
    CHECK(table.forget(table.enter(file(257)), 1) == std::nullopt);
}

TEST_CASE("fuse/nodes: what is still held at the end is handed out for release") {
    NodeTable table(root);
    for (u64 ino : {257U, 258U, 259U}) table.enter(file(ino));
    CHECK(table.hold(file(257)));
    CHECK(table.hold(file(259)));
    std::vector<NodeId> held = table.take_held();
    std::ranges::sort(held);
    CHECK(held == std::vector<NodeId>{file(257), file(259)});
    CHECK(table.take_held().empty());
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
    for (u64 tree : {5U, 256U, 257U, 9000U}) {
        for (u64 ino : {2U, 256U, 257U, 100'000U}) CHECK(seen.insert(shown_ino(file(ino, tree), 5)).second);
    }
}

TEST_CASE("fuse/nodes: many threads enter and forget at once") {
    NodeTable table(root);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&table] {
            for (u64 i = 0; i < 3000; ++i) {
                Nodeid nodeid = table.enter(file(300 + i % 50));
                if (table.node(nodeid).value() != file(300 + i % 50)) std::abort();
                table.forget(nodeid, 1);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(table.size() == 1);
}
