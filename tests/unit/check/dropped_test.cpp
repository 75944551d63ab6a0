// SPDX-License-Identifier: MIT
#include "check/btrfs_blocks.h"
#include "support/leaf_builder.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::check;
using namespace glassfs::support;

namespace {

Key inode_key(u64 number) {
    return btrfs::make_key(number, KeyType::InodeItem, 0);
}

TreeBlock node_of_level(u8 level) {
    Buffer bytes =
        crafted_node({{inode_key(256), 0x100000}, {inode_key(300), 0x200000}, {inode_key(400), 0x300000}});
    header_of(bytes).level = level;
    return TreeBlock(crafted_addr, bytes);
}

}  // namespace

TEST_CASE("check/dropped: at the level of a half-finished deletion pointers before its key lead nowhere") {
    TreeBlock node = node_of_level(1);
    DropState drop{inode_key(300), 1};
    CHECK(is_dropped(node, 0, drop));
    CHECK_FALSE(is_dropped(node, 1, drop));
    CHECK_FALSE(is_dropped(node, 2, drop));
    CHECK_FALSE(is_dropped(node, 0, std::nullopt));
}

TEST_CASE("check/dropped: above that level a pointer leads nowhere when all that is below it is deleted") {
    TreeBlock node = node_of_level(2);
    CHECK_FALSE(is_dropped(node, 0, DropState{inode_key(299), 1}));
    CHECK(is_dropped(node, 0, DropState{inode_key(300), 1}));
    CHECK_FALSE(is_dropped(node, 1, DropState{inode_key(300), 1}));
    CHECK_FALSE(is_dropped(node, 2, DropState{inode_key(900), 1}));
}

TEST_CASE("check/dropped: below that level everything is still there") {
    CHECK_FALSE(is_dropped(node_of_level(1), 0, DropState{inode_key(400), 2}));
}
