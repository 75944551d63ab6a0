// SPDX-License-Identifier: MIT
#include "btrfs/tree_merge.h"

#include "btrfs/block_edit.h"
#include "btrfs/writable_volume.h"

namespace glassfs::btrfs {

namespace {

BlockExpectation expectation(const TreeBlock& parent, u32 slot) {
    return {static_cast<u8>(parent.level() - 1), Generation{parent.pointer(slot).generation},
            parent.key(slot)};
}

u32 used_bytes(const TreeBlock& block) {
    return TreeBlock::capacity(block.size()) - block.free_bytes();
}

// Is it worth looking for a neighbour to merge with?
bool is_sparse(const TreeBlock& block) {
    return used_bytes(block) < TreeBlock::capacity(block.size()) / 3;
}

void raise_first_key(EditPath& path, u32 level) {
    Key key = path.blocks[level]->key(0);
    for (u32 above = level + 1; above < path.levels; ++above) {
        set_key(*path.blocks[above], path.slots[above], key);
        if (path.slots[above] != 0) return;
    }
}

// Takes the pointer to the path's block at `level` out of its parent.
Result<void> unlink_block(Transaction& tx, Tree& tree, EditPath& path, u32 level) {
    TreeBlock& parent = *path.blocks[level + 1];
    node_erase(parent, path.slots[level + 1]);
    if (path.slots[level + 1] == 0 && parent.nritems() > 0) raise_first_key(path, level + 1);
    return tx.free_block(tree, *path.blocks[level]);
}

// The block at `other` in the parent, if all of the path's block fits into it.
Result<BlockPtr> fitting(Transaction& tx, EditPath& path, u32 level, u32 other) {
    const TreeBlock& parent = *path.blocks[level + 1];
    LogicalAddr addr{parent.pointer(other).blockptr};
    BlockPtr block = TRY(tx.volume().read_block(addr, expectation(parent, other)));
    if (block->free_bytes() < used_bytes(*path.blocks[level])) return BlockPtr{};
    return block;
}

// Moves the path's block into a neighbour that has the room. False: none has.
Result<bool> merge(Transaction& tx, Tree& tree, EditPath& path, u32 level) {
    const u32 slot = path.slots[level + 1];
    TreeBlock& block = *path.blocks[level];
    auto report = [&](const TreeBlock& into) {
        tx.store().trace([&] {
            return trace::BlockMerged{tree.id(), static_cast<u8>(level), block.addr(), into.addr()};
        });
    };
    if (slot > 0) {
        if (BlockPtr found = TRY(fitting(tx, path, level, slot - 1))) {
            WritableBlock left = TRY(tx.make_writable(tree, found, path.blocks[level + 1], slot - 1));
            if (level == 0)
                leaf_move_head(block, block.nritems(), *left);
            else
                node_move_head(block, block.nritems(), *left);
            report(*left);
            TRY(unlink_block(tx, tree, path, level));
            return true;
        }
    }
    if (slot + 1 < path.blocks[level + 1]->nritems()) {
        if (BlockPtr found = TRY(fitting(tx, path, level, slot + 1))) {
            WritableBlock right = TRY(tx.make_writable(tree, found, path.blocks[level + 1], slot + 1));
            if (level == 0)
                leaf_move_tail(block, 0, *right);
            else
                node_move_tail(block, 0, *right);
            set_key(*path.blocks[level + 1], slot + 1, right->key(0));
            report(*right);
            TRY(unlink_block(tx, tree, path, level));
            return true;
        }
    }
    return false;
}

// The only child of the root becomes the root. It must be writable: a root is as old as its tree's last
// change.
Result<void> drop_root(Transaction& tx, Tree& tree, WritableBlock root) {
    while (root->level() > 0 && root->nritems() == 1) {
        LogicalAddr addr{root->pointer(0).blockptr};
        BlockPtr child = TRY(tx.volume().read_block(addr, expectation(*root, 0)));
        WritableBlock next = TRY(tx.make_writable(tree, child, root, 0));
        tx.set_root(tree, *next);
        tx.store().trace([&] { return trace::RootDropped{tree.id(), next->level(), next->addr()}; });
        TRY(tx.free_block(tree, *root));
        root = next;
    }
    return {};
}

}  // namespace

Result<void> shrink_tree(Transaction& tx, Tree& tree, EditPath& path) {
    for (u32 level = 0; level + 1 < path.levels; ++level) {
        TreeBlock& block = *path.blocks[level];
        if (block.nritems() == 0) {
            TRY(unlink_block(tx, tree, path, level));
            continue;
        }
        if (!is_sparse(block) || !TRY(merge(tx, tree, path, level))) break;
    }
    WritableBlock root = path.blocks[path.levels - 1];
    if (root->level() > 0 && root->nritems() == 0) {  // everything is gone: an empty leaf is left
        WritableBlock leaf = TRY(tx.allocate_block(tree, 0));
        tx.set_root(tree, *leaf);
        return tx.free_block(tree, *root);
    }
    return drop_root(tx, tree, root);
}

}  // namespace glassfs::btrfs
