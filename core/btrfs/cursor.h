// SPDX-License-Identifier: MIT
// A position in a B-tree: the path from root to leaf, held as shared blocks. Moving reads blocks through the
// volume's cache; every child is compared with what its parent says of it (level, generation, first key).
#pragma once

#include "btrfs/volume.h"

#include <array>
#include <span>

namespace glassfs::btrfs {

class Cursor {
  public:
    Cursor(Volume& volume, const TreeRoot& root) : volume_(&volume), root_(root) {}

    // To the first item at or behind `key`; false when there is none (then not valid()).
    Result<bool> seek(const Key& key);
    // To the last item at or before `key`; false when there is none.
    Result<bool> seek_back(const Key& key);
    Result<bool> next();
    Result<bool> previous();

    bool valid() const { return !path_.empty(); }
    // All of these need valid().
    Key key() const { return leaf().key(slot()); }
    Bytes data() const { return leaf().data(slot()); }
    const TreeBlock& leaf() const { return *path_.back().block; }
    const BlockPtr& leaf_pointer() const { return path_.back().block; }
    u32 slot() const { return path_.back().slot; }
    const TreeRoot& root() const { return root_; }
    // Where this item is, for errors.
    Where where() const;
    // check_item() of this item: call before using a typed view of data().
    Result<void> check() const;

    struct Step {
        BlockPtr block;
        u32 slot = 0;
    };
    std::span<const Step> path() const { return {path_.steps.data(), path_.count}; }  // root first

  private:
    // No deeper than a tree may be: child blocks are one level below their parents.
    struct Path {
        std::array<Step, max_level> steps;
        std::size_t count = 0;

        bool empty() const { return count == 0; }
        void clear() { shrink_to(0); }
        void shrink_to(std::size_t size) {
            while (count > size) steps[--count].block.reset();
        }
        void push_back(Step step) {
            GLASSFS_ASSERT(count < max_level);
            steps[count++] = std::move(step);
        }
        Step& back() { return steps[count - 1]; }
        const Step& back() const { return steps[count - 1]; }
        const Step& operator[](std::size_t i) const { return steps[i]; }
    };

    Result<void> descend(const Key& key);
    Result<BlockPtr> child(const Step& parent) const;
    Result<bool> step_to_sibling(bool forward);

    Volume* volume_;
    TreeRoot root_;
    Path path_;
};

// Calls `visit(cursor)` for each item of the key range [first, last] until it returns false.
template <class F>
Result<void> for_each_item(Volume& volume, const TreeRoot& root, const Key& first, const Key& last,
                           F&& visit) {
    Cursor cursor(volume, root);
    bool more = TRY(cursor.seek(first));
    while (more && cursor.key() <= last) {
        Result<bool> go_on = visit(cursor);
        if (!go_on) return fail(std::move(go_on).error());
        if (!*go_on) break;
        more = TRY(cursor.next());
    }
    return {};
}

}  // namespace glassfs::btrfs
