// SPDX-License-Identifier: MIT
// What a tree does when blocks run empty.
#pragma once

#include "btrfs/tree_edit.h"

namespace glassfs::btrfs {

// After items were taken from the path's leaf: an empty leaf leaves the tree, one that fits into a neighbour
// is merged with it, and so for the nodes above; a root with one pointer gives way to its child. The path is
// used up.
Result<void> shrink_tree(Transaction&, Tree&, EditPath&);

}  // namespace glassfs::btrfs
