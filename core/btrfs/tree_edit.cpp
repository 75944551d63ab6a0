// SPDX-License-Identifier: MIT
// Descending, inserting and splitting. What deletion does to the tree is in tree_merge.cpp.
#include "btrfs/tree_edit.h"

#include "btrfs/block_edit.h"
#include "btrfs/cursor.h"
#include "btrfs/tree_merge.h"
#include "btrfs/writable_volume.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

// What an insertion or a growth wants of its leaf.
struct Wanted {
    Key key;
    u32 room;     // bytes
    bool exists;  // the item at the slot grows; else one is inserted there
};

// The index of the child that holds `key`: the last one whose first key isn't behind it.
u32 child_slot(const TreeBlock& node, const Key& key) {
    u32 slot = node.lower_bound(key);
    if (slot < node.nritems() && node.key(slot) == key) return slot;
    return slot == 0 ? 0 : slot - 1;
}

BlockExpectation expectation(const TreeBlock& parent, u32 slot) {
    return {static_cast<u8>(parent.level() - 1), Generation{parent.pointer(slot).generation},
            parent.key(slot)};
}

// A new root above the old one, which becomes its only child.
Result<void> insert_root(Transaction& tx, Tree& tree, EditPath& path) {
    const u32 level = path.levels;
    if (level >= max_level) return fail(Cause::DepthExceeded, {.tree = tree.id()});
    TreeBlock& old = *path.blocks[level - 1];
    WritableBlock root = TRY(tx.allocate_block(tree, static_cast<u8>(level)));
    node_insert(*root, 0, old.nritems() == 0 ? Key{} : old.key(0), old.addr(), old.generation());
    tx.set_root(tree, *root);
    path.blocks[level] = root;
    path.slots[level] = 0;
    ++path.levels;
    tx.store().trace([&] { return trace::RootInserted{tree.id(), root->level(), root->addr()}; });
    return {};
}

// The second half of a full node goes to a new one behind it; behind the last pointer only what must.
Result<void> split_node(Transaction& tx, Tree& tree, EditPath& path, u32 level) {
    if (level + 1 == path.levels) TRY(insert_root(tx, tree, path));
    TreeBlock& node = *path.blocks[level];
    const u32 n = node.nritems();
    const u32 slot = path.slots[level];
    const bool at_end = slot + 1 == n;
    const u32 cut = at_end ? n - 1 : n / 2;
    WritableBlock right = TRY(tx.allocate_block(tree, static_cast<u8>(level)));
    node_move_tail(node, cut, *right);
    TreeBlock& parent = *path.blocks[level + 1];
    const u32 parent_slot = path.slots[level + 1];
    node_insert(parent, parent_slot + 1, right->key(0), right->addr(), right->generation());
    tx.store().trace([&] {
        return trace::NodeSplit{tree.id(), static_cast<u8>(level), node.addr(), right->addr(), n - cut};
    });
    if (slot >= cut) {
        path.blocks[level] = right;
        path.slots[level] = slot - cut;
        path.slots[level + 1] = parent_slot + 1;
    }
    return {};
}

// The first key of the block at `level` changed: tell the parents, as far up as it is their first one too.
void set_first_key(EditPath& path, u32 level, const Key& key) {
    for (u32 above = level + 1; above < path.levels; ++above) {
        set_key(*path.blocks[above], path.slots[above], key);
        if (path.slots[above] != 0) return;
    }
}

// A new leaf behind the path's, with `key` as its first one.
Result<WritableBlock> add_leaf(Transaction& tx, Tree& tree, EditPath& path, const Key& key) {
    if (path.levels == 1) TRY(insert_root(tx, tree, path));
    WritableBlock leaf = TRY(tx.allocate_block(tree, 0));
    node_insert(*path.blocks[1], path.slots[1] + 1, key, leaf->addr(), leaf->generation());
    return leaf;
}

void go_right(EditPath& path, const WritableBlock& leaf, u32 slot) {
    path.blocks[0] = leaf;
    path.slots[0] = slot;
    ++path.slots[1];
}

// The neighbour of the path's leaf, if it is there and has at least `room` bytes.
Result<WritableBlock> neighbour(Transaction& tx, Tree& tree, EditPath& path, s32 step, u32 room) {
    if (path.levels == 1) return WritableBlock{};
    TreeBlock& parent = *path.blocks[1];
    const u32 slot = path.slots[1];
    if (step < 0 ? slot == 0 : slot + 1 >= parent.nritems()) return WritableBlock{};
    const u32 other = step < 0 ? slot - 1 : slot + 1;
    LogicalAddr addr{parent.pointer(other).blockptr};
    BlockPtr block = TRY(tx.volume().read_block(addr, expectation(parent, other)));
    if (block->free_bytes() < room) return WritableBlock{};
    return TRY(tx.make_writable(tree, block, path.blocks[1], other));
}

// Items from the leaf's end to its right neighbour, about half of the difference.
Result<void> push_right(Transaction& tx, Tree& tree, EditPath& path, const Wanted& wanted) {
    TreeBlock& leaf = *path.blocks[0];
    if (path.slots[0] == leaf.nritems()) return {};  // appending: the items here stay
    WritableBlock right = TRY(neighbour(tx, tree, path, +1, wanted.room + leaf.size() / 8));
    if (right == nullptr) return {};
    u32 n = leaf.nritems(), first = n;
    while (first > path.slots[0] + 1) {
        u32 moved = leaf_item_bytes(leaf, first - 1, n);
        if (moved > right->free_bytes() || leaf_used_bytes(*right) + moved > leaf_used_bytes(leaf) - moved)
            break;
        --first;
    }
    if (first == n) return {};
    leaf_move_tail(leaf, first, *right);
    set_key(*path.blocks[1], path.slots[1] + 1, right->key(0));
    tx.store().trace([&] { return trace::LeafPushed{tree.id(), leaf.addr(), right->addr(), n - first}; });
    return {};
}

Result<void> push_left(Transaction& tx, Tree& tree, EditPath& path, const Wanted& wanted) {
    TreeBlock& leaf = *path.blocks[0];
    WritableBlock left = TRY(neighbour(tx, tree, path, -1, wanted.room + leaf.size() / 8));
    if (left == nullptr) return {};
    u32 count = 0;
    while (count < path.slots[0] && count + 1 < leaf.nritems()) {
        u32 moved = leaf_item_bytes(leaf, 0, count + 1);
        if (moved > left->free_bytes() || leaf_used_bytes(*left) + moved > leaf_used_bytes(leaf) - moved)
            break;
        ++count;
    }
    if (count == 0) return {};
    leaf_move_head(leaf, count, *left);
    path.slots[0] -= count;
    set_first_key(path, 0, leaf.key(0));
    tx.store().trace([&] { return trace::LeafPushed{tree.id(), leaf.addr(), left->addr(), count}; });
    return {};
}

// Where to cut a leaf so that both sides hold what they must, the wanted bytes included, and are as even as
// can be. The cut counts items that stay on the left; the wanted item is on the right when its slot is not
// below the cut.
std::optional<u32> best_cut(const TreeBlock& leaf, u32 slot, const Wanted& wanted) {
    const u32 n = leaf.nritems();
    const u32 space = TreeBlock::capacity(leaf.size());
    const u32 total = leaf_used_bytes(leaf) + wanted.room;
    std::optional<u32> best;
    u32 best_difference = ~0U;
    for (u32 cut = 0; cut <= n; ++cut) {
        // An insertion at the cut itself goes to the right, so that its new leaf begins with it.
        u32 left = leaf_item_bytes(leaf, 0, cut);
        if (slot < cut) left += wanted.room;
        u32 right = total - left;
        bool empty = left == 0 || right == 0;
        if (empty || left > space || right > space) continue;
        u32 difference = left > right ? left - right : right - left;
        if (difference < best_difference) {
            best = cut;
            best_difference = difference;
        }
    }
    return best;
}

Result<void> split_at(Transaction& tx, Tree& tree, EditPath& path, u32 cut, const Key& right_key) {
    WritableBlock left = path.blocks[0];
    const u32 n = left->nritems();
    WritableBlock right = TRY(add_leaf(tx, tree, path, right_key));
    leaf_move_tail(*left, cut, *right);
    tx.store().trace([&] { return trace::LeafSplit{tree.id(), left->addr(), right->addr(), cut, n - cut}; });
    if (path.slots[0] >= cut) go_right(path, right, path.slots[0] - cut);
    return {};
}

Result<void> split_leaf(Transaction& tx, Tree& tree, EditPath& path, const Wanted& wanted) {
    TreeBlock& leaf = *path.blocks[0];
    const u32 slot = path.slots[0];
    if (slot == leaf.nritems())
        return split_at(tx, tree, path, slot, wanted.key);  // a new leaf, for the item alone
    if (auto cut = best_cut(leaf, slot, wanted)) {
        bool item_first = *cut == slot && !wanted.exists;
        return split_at(tx, tree, path, *cut, item_first ? wanted.key : leaf.key(*cut));
    }
    // Too big for either side: what follows goes one leaf on, what precedes stays, and it gets one for
    // itself.
    if (wanted.exists) {
        if (slot + 1 < leaf.nritems()) TRY(split_at(tx, tree, path, slot + 1, leaf.key(slot + 1)));
        if (slot > 0) TRY(split_at(tx, tree, path, slot, wanted.key));
        return {};
    }
    EditPath tail = path;
    TRY(split_at(tx, tree, tail, slot, leaf.key(slot)));
    for (u32 level = 1; level < tail.levels; ++level) {
        path.blocks[level] = tail.blocks[level];
        path.slots[level] = tail.slots[level];
    }
    path.levels = tail.levels;
    --path.slots[1];
    if (slot == 0) return {};  // nothing precedes: the leaf is empty now, and its own
    return split_at(tx, tree, path, slot, wanted.key);
}

Result<void> make_leaf_room(Transaction& tx, Tree& tree, EditPath& path, const Wanted& wanted) {
    auto enough = [&] { return path.leaf().free_bytes() >= wanted.room; };
    if (enough()) return {};
    if (wanted.room > TreeBlock::capacity(path.leaf().size())) {
        return fail(Cause::ItemSize, {.key = wanted.key, .tree = tree.id()}, "does not fit into a leaf");
    }
    if (path.slots[0] == path.leaf().nritems()) {
        // Behind everything here: it may as well be the first in the next leaf.
        if (WritableBlock right = TRY(neighbour(tx, tree, path, +1, wanted.room))) {
            go_right(path, right, 0);
            return {};
        }
    }
    TRY(push_right(tx, tree, path, wanted));
    if (!enough()) TRY(push_left(tx, tree, path, wanted));
    if (!enough()) TRY(split_leaf(tx, tree, path, wanted));
    GLASSFS_ASSERT(enough());
    return {};
}

}  // namespace

MutBytes EditPath::changed_data() const {
    return leaf_data(*blocks[0], slots[0]);
}

Result<bool> find_for_change(Transaction& tx, Tree& tree, const Key& key, u32 room, EditPath& path) {
    path.levels = tree.root.level + 1U;
    u32 level = tree.root.level;
    path.blocks[level] = TRY(tx.writable_at(tree, tree.root.bytenr, tree.root.expectation(), {}, 0));
    for (; level > 0; --level) {
        path.slots[level] = child_slot(*path.blocks[level], key);
        // Below, a split in three may add two pointers.
        if (room > 0 && path.blocks[level]->nritems() + 2 > node_pointers_max(tx.geometry().node_size)) {
            TRY(split_node(tx, tree, path, level));
        }
        const WritableBlock& node = path.blocks[level];
        const u32 slot = path.slots[level];
        path.blocks[level - 1] = TRY(tx.writable_at(tree, LogicalAddr{node->pointer(slot).blockptr},
                                                    expectation(*node, slot), node, slot));
    }
    path.slots[0] = path.leaf().lower_bound(key);
    bool exists = path.at_item() && path.key() == key;
    if (room > 0) TRY(make_leaf_room(tx, tree, path, {key, room, exists}));
    return exists;
}

MutBytes make_item_at(EditPath& path, const Key& key, u32 size) {
    const u32 slot = path.slots[0];
    MutBytes data = leaf_insert(path.leaf(), slot, key, size);
    if (slot == 0) set_first_key(path, 0, key);
    return data;
}

void tell_inserted(Transaction& tx, Tree& tree, const EditPath& path) {
    tx.store().trace([&] {
        const Key key = path.key();
        return trace::ItemInserted{tree.id(),
                                   path.leaf().addr(),
                                   path.slots[0],
                                   key.objectid,
                                   key.type,
                                   key.offset,
                                   static_cast<u32>(path.data().size())};
    });
}

MutBytes resize_at(EditPath& path, u32 size) {
    return leaf_resize(path.leaf(), path.slots[0], size);
}

void change_key_at(EditPath& path, const Key& key) {
    set_key(path.leaf(), path.slots[0], key);
    if (path.slots[0] == 0) set_first_key(path, 0, key);
}

Result<void> erase_at(Transaction& tx, Tree& tree, EditPath& path, u32 count) {
    TreeBlock& leaf = path.leaf();
    const u32 slot = path.slots[0];
    for (u32 i = slot; i < slot + count; ++i) {
        tx.store().trace([&] {
            Key key = leaf.key(i);
            return trace::ItemDeleted{tree.id(), leaf.addr(), i, key.objectid, key.type, key.offset};
        });
    }
    leaf_erase(leaf, slot, count);
    if (slot == 0 && leaf.nritems() > 0) set_first_key(path, 0, leaf.key(0));
    return shrink_tree(tx, tree, path);
}

Result<void> insert_item(Transaction& tx, Tree& tree, const Key& key, Bytes data) {
    EditPath path;
    u32 size = static_cast<u32>(data.size());
    if (TRY(find_for_change(tx, tree, key, TreeBlock::item_size + size, path))) {
        return fail(Cause::Exists, {.key = key, .tree = tree.id()});
    }
    insert_at(tx, tree, path, key, size,
              [&](MutBytes item) { std::copy(data.begin(), data.end(), item.begin()); });
    return {};
}

Result<void> put_item(Transaction& tx, Tree& tree, const Key& key, Bytes data) {
    u32 size = static_cast<u32>(data.size());
    EditPath path;
    if (!TRY(find_for_change(tx, tree, key, 0, path))) return insert_item(tx, tree, key, data);
    u32 old = static_cast<u32>(path.data().size());
    if (size > old) TRY(find_for_change(tx, tree, key, size - old, path));
    MutBytes item = size == old ? path.changed_data() : resize_at(path, size);
    std::copy(data.begin(), data.end(), item.begin());
    return {};
}

Result<void> erase_item(Transaction& tx, Tree& tree, const Key& key) {
    EditPath path;
    if (!TRY(find_for_change(tx, tree, key, 0, path))) {
        return fail(Cause::ItemMissing, {.key = key, .tree = tree.id()});
    }
    return erase_at(tx, tree, path);
}

Result<u64> erase_items(Transaction& tx, Tree& tree, const Key& first, const Key& last) {
    u64 erased = 0;
    for (;;) {
        Cursor cursor(tx.volume(), tree.root);
        if (!TRY(cursor.seek(first)) || cursor.key() > last) return erased;
        EditPath path;
        TRY(find_for_change(tx, tree, cursor.key(), 0, path));
        u32 count = 1;
        while (path.slot() + count < path.leaf().nritems() && path.leaf().key(path.slot() + count) <= last) {
            ++count;
        }
        TRY(erase_at(tx, tree, path, count));
        erased += count;
    }
}

Result<std::optional<Buffer>> find_item(Transaction& tx, const Tree& tree, const Key& key) {
    Cursor cursor(tx.volume(), tree.root);
    if (!TRY(cursor.seek(key)) || cursor.key() != key) return std::optional<Buffer>{};
    TRY(cursor.check());
    return std::optional<Buffer>(Buffer(cursor.data().begin(), cursor.data().end()));
}

}  // namespace glassfs::btrfs
