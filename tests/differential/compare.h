// SPDX-License-Identifier: MIT
// What both sides show, compared: single inodes after each operation, the whole trees after some.
#pragma once

#include "side.h"

#include <map>

namespace glassfs::differential {

struct CompareOptions {
    bool blocks = true;   // bytes occupied, and where extents are allocated and unwritten
    bool changes = true;  // which times an operation changes
};

// Attributes at one moment, of the inodes that an operation may change.
using Watched = std::vector<std::optional<vfs::Attributes>>;
Watched watch(Side&, const std::vector<std::optional<vfs::NodeId>>& nodes);

// Differences as lines for people; empty when there are none. The inodes' attributes after an operation, and
// which of their times it changed.
std::vector<std::string> compare_watched(const Watched& left_before, const Watched& left_after,
                                         const Watched& right_before, const Watched& right_after,
                                         const CompareOptions&);

// Names in their order, types, attributes, extended attributes, which names are one inode, contents, where
// data and holes are. Both sides have just been synced. Gives up after some differences.
std::vector<std::string> compare_trees(Side& left, Side& right, const CompareOptions&);

}  // namespace glassfs::differential
