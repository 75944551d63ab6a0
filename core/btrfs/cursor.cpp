// SPDX-License-Identifier: MIT
#include "btrfs/cursor.h"

namespace glassfs::btrfs {

Result<BlockPtr> Cursor::child(const Step& parent) const {
    const auto& pointer = parent.block->pointer(parent.slot);
    u8 level = static_cast<u8>(parent.block->level() - 1);
    BlockExpectation expect{level, Generation{pointer.generation}, parent.block->key(parent.slot)};
    return volume_->read_block(LogicalAddr{pointer.blockptr}, expect);
}

// Goes to the leaf that would hold `key`; the leaf's slot is its lower bound, maybe behind the last item. The
// depth is bounded: each child must be one level below its parent.
Result<void> Cursor::descend(const Key& key) {
    path_.clear();
    BlockPtr block = TRY(volume_->read_block(root_.bytenr, root_.expectation()));
    while (!block->is_leaf()) {
        if (block->nritems() == 0)
            return fail(Cause::BlockItemCount, {.block = block->addr().value}, "empty node");
        u32 slot = block->lower_bound(key);
        bool exact = slot < block->nritems() && block->key(slot) == key;
        if (!exact && slot > 0) --slot;  // the child whose range holds the key begins at or before it
        path_.push_back({std::move(block), slot});
        block = TRY(child(path_.back()));
    }
    const u32 slot = block->lower_bound(key);
    path_.push_back({std::move(block), slot});
    return {};
}

Result<bool> Cursor::seek(const Key& key) {
    if (auto done = descend(key); !done) {
        path_.clear();
        return fail(std::move(done).error());
    }
    if (slot() < leaf().nritems()) return true;
    return step_to_sibling(true);
}

Result<bool> Cursor::seek_back(const Key& key) {
    if (auto done = descend(key); !done) {
        path_.clear();
        return fail(std::move(done).error());
    }
    if (slot() < leaf().nritems() && this->key() == key) return true;
    return previous();
}

Result<bool> Cursor::next() {
    if (++path_.back().slot < leaf().nritems()) return true;
    return step_to_sibling(true);
}

Result<bool> Cursor::previous() {
    if (path_.back().slot > 0) {
        --path_.back().slot;
        return true;
    }
    return step_to_sibling(false);
}

// To the first or last item of the neighbouring leaf. Empty leaves (only a root may be one) are passed over.
// Keys must go on rising (or falling) from leaf to leaf: each block checks only its own, and a tree whose
// nodes share children would be walked almost without end.
Result<bool> Cursor::step_to_sibling(bool forward) {
    std::optional<Key> edge;
    if (leaf().nritems() > 0) edge = forward ? leaf().key(leaf().nritems() - 1) : leaf().key(0);
    for (;;) {
        std::size_t depth = path_.count - 1;
        auto at_edge = [&](const Step& step) {
            return forward ? step.slot + 1 >= step.block->nritems() : step.slot == 0;
        };
        while (depth > 0 && at_edge(path_[depth - 1])) --depth;
        if (depth == 0) {
            path_.clear();
            return false;
        }
        path_.shrink_to(depth);
        path_.back().slot += forward ? 1U : -1U;
        while (!path_.back().block->is_leaf()) {
            auto block = child(path_.back());
            if (!block) {
                path_.clear();
                return fail(std::move(block).error());
            }
            u32 items = (*block)->nritems();
            if (items == 0 && !(*block)->is_leaf()) {
                path_.clear();
                return fail(Cause::BlockItemCount, {.block = (*block)->addr().value}, "empty node");
            }
            path_.push_back({std::move(*block), forward || items == 0 ? 0 : items - 1});
        }
        if (leaf().nritems() == 0) continue;
        if (!edge || (forward ? *edge < key() : key() < *edge)) return true;
        Where place = where();
        path_.clear();
        return fail(Cause::KeyOrder, place, "against the leaf beside it");
    }
}

Where Cursor::where() const {
    return {.block = leaf().addr().value, .slot = slot(), .key = key(), .tree = root_.id};
}

Result<void> Cursor::check() const {
    return check_item(volume_->geometry(), leaf(), slot());
}

}  // namespace glassfs::btrfs
