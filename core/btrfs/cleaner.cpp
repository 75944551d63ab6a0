// SPDX-License-Identifier: MIT
#include "btrfs/cleaner.h"

#include "btrfs/cursor.h"
#include "btrfs/tree_edit.h"

namespace glassfs::btrfs {

namespace {

bool is_full(u64 flags) {
    return (flags & extent_flag_full_backref) != 0;
}

// The last child whose first key isn't behind `key`.
u32 slot_of(const TreeBlock& node, const Key& key) {
    u32 slot = node.lower_bound(key);
    if (slot < node.nritems() && node.key(slot) == key) return slot;
    return slot == 0 ? 0 : slot - 1;
}

}  // namespace

TreeDropper::Child TreeDropper::root_of(const Tree& tree) {
    return {tree.root.bytenr, tree.root.level, tree.root.expectation(), nullptr};
}

TreeDropper::Child TreeDropper::child_at(const Frame& frame, u32 slot) {
    const auto& pointer = frame.block->pointer(slot);
    const u8 level = static_cast<u8>(frame.block->level() - 1);
    return {LogicalAddr{pointer.blockptr},
            level,
            {level, Generation{pointer.generation}, frame.block->key(slot)},
            &frame};
}

// Goes to where the last one who worked on this tree stopped: all nodes on the way are this tree's alone.
Result<void> TreeDropper::begin(Transaction& tx, Tree& tree) {
    begun_ = true;
    path_.reserve(max_level);
    converting_.reserve(max_level);
    const Key progress = to_key(tree.item.drop_progress);
    if (progress == Key{}) return {};
    Child child = root_of(tree);
    for (;;) {
        auto info = TRY(tx.store().extent_info(tx, child.addr, child.level));
        if (info.refs != 1) return fail(Cause::RefCountWrong, Where{.block = child.addr.value, .tree = id_});
        Frame frame;
        frame.block = TRY(tx.volume().read_block(child.addr, child.expect));
        if (frame.block->level() == 0)
            return fail(Cause::RootItemBad, {.tree = id_}, "drop_progress in a leaf");
        frame.full = is_full(info.flags);
        frame.slot = slot_of(*frame.block, progress);
        path_.push_back(std::move(frame));
        if (child.level <= tree.item.drop_level) return {};
        child = child_at(path_.back(), path_.back().slot);
    }
}

Result<void> TreeDropper::drop_ref(Transaction& tx, const Child& child) {
    ExtentRef ref;
    if (child.parent != nullptr && child.parent->full) {
        ref.type = KeyType::SharedBlockRef;
        ref.parent = child.parent->block->addr().value;
    } else {
        ref.type = KeyType::TreeBlockRef;
        ref.root = id_;
    }
    const u32 size = tx.geometry().node_size;
    return tx.store().refs().modify(child.addr, size, ExtentKind::TreeBlock, child.level, ref, -1);
}

Result<void> TreeDropper::convert_block(Transaction& tx, const BlockPtr& block, u64 flags) {
    if (!is_full(flags)) {
        using Kind = WritableVolume::RefKind;
        TRY(tx.store().modify_child_refs(tx, *block, Kind::FullBackref, +1));
        TRY(tx.store().modify_child_refs(tx, *block, Kind::Tree, -1));
        TRY(tx.store().refs().set_flags(block->addr(), block->size(), block->level(),
                                        extent_flag_full_backref));
    }
    if (!block->is_leaf()) converting_.push_back({block, 0, true});
    return {};
}

// Goes on rewriting below a shared block, as far as this step may.
Result<void> TreeDropper::convert(Transaction& tx, Tree& tree) {
    while (!converting_.empty() && left_ > 0) {
        Frame& frame = converting_.back();
        if (frame.slot == frame.block->nritems()) {
            converting_.pop_back();
            continue;
        }
        Child child = child_at(frame, frame.slot++);
        if (child.expect.generation->value <= tree.root_key_offset) continue;
        --left_;
        auto info = TRY(tx.store().extent_info(tx, child.addr, child.level));
        if (info.refs == 0) return fail(Cause::RefMissing, Where{.block = child.addr.value, .tree = id_});
        if (child.level == 0 && is_full(info.flags)) continue;
        BlockPtr block = TRY(tx.volume().read_block(child.addr, child.expect));
        if (block->owner() == id_) TRY(convert_block(tx, block, info.flags));
    }
    return {};
}

// True: the child is gone. Else it is still there: a frame for it was put on the path, or rewriting below it
// has begun.
Result<bool> TreeDropper::drop_child(Transaction& tx, Tree& tree, const Child& child) {
    --left_;
    auto info = TRY(tx.store().extent_info(tx, child.addr, child.level));
    if (info.refs == 0) return fail(Cause::RefMissing, Where{.block = child.addr.value, .tree = id_});
    const bool full = is_full(info.flags);
    if (info.refs > 1) {
        // Is there anything in this tree's name below?
        bool own = child.parent != nullptr && child.expect.generation->value > tree.root_key_offset &&
                   !(child.level == 0 && full);
        if (own && converted_ != child.addr) {
            converted_ = child.addr;
            BlockPtr block = TRY(tx.volume().read_block(child.addr, child.expect));
            if (block->owner() == id_) {
                TRY(convert_block(tx, block, info.flags));
                return false;
            }
        }
    } else {
        BlockPtr block = TRY(tx.volume().read_block(child.addr, child.expect));
        if (!full && block->owner() != id_) {
            return fail(Cause::ExtentRefBad, {.block = child.addr.value, .tree = id_},
                        "another tree's block");
        }
        if (!block->is_leaf()) {
            path_.push_back({block, 0, full});
            return false;
        }
        using Kind = WritableVolume::RefKind;
        TRY(tx.store().modify_child_refs(tx, *block, full ? Kind::FullBackref : Kind::Tree, -1));
    }
    TRY(drop_ref(tx, child));
    return true;
}

// Nodes all of whose children are gone go too, so that the path ends at a child that is still there.
Result<void> TreeDropper::leave_finished(Transaction& tx, Tree& tree) {
    while (!path_.empty() && path_.back().slot == path_.back().block->nritems()) {
        path_.pop_back();
        if (path_.empty()) {
            root_dropped_ = true;
            return drop_ref(tx, root_of(tree));
        }
        Frame& parent = path_.back();
        TRY(drop_ref(tx, child_at(parent, parent.slot)));
        ++parent.slot;
    }
    return {};
}

Result<bool> TreeDropper::step(Transaction& tx, u32 blocks_max) {
    Tree* tree = TRY(tx.tree(id_));
    if (tree->item.refs != 0)
        return fail(Cause::InvalidArgument, {.tree = id_}, "the subvolume isn't deleted");
    TRY(tx.store().write_root_item(tx,
                                   *tree));  // a change: an error below leaves the volume as it is on disk
    if (!begun_) TRY(begin(tx, *tree));
    left_ = blocks_max;
    while (left_ > 0 && !root_dropped_) {
        if (!converting_.empty()) {
            TRY(convert(tx, *tree));
        } else if (path_.empty()) {
            root_dropped_ = TRY(drop_child(tx, *tree, root_of(*tree)));
        } else {
            const std::size_t depth = path_.size();
            const Child child = child_at(path_.back(), path_.back().slot);
            if (TRY(drop_child(tx, *tree, child))) ++path_[depth - 1].slot;
            TRY(leave_finished(tx, *tree));
        }
    }
    if (root_dropped_) {
        TRY(finish(tx, *tree));
        return true;
    }
    if (!path_.empty()) {
        const Frame& at = path_.back();
        tree->item.drop_progress = to_disk_key(at.block->key(at.slot));
        tree->item.drop_level = at.block->level();
        tree->item_changed = true;
    }
    return false;
}

Result<void> TreeDropper::finish(Transaction& tx, Tree& tree) {
    Tree* roots = TRY(tx.tree(root_tree_objectid));
    TRY(erase_item(tx, *roots, make_key(id_, KeyType::RootItem, tree.root_key_offset)));
    const Key note = make_key(orphan_objectid, KeyType::OrphanItem, id_);
    if (TRY(find_item(tx, *roots, note))) TRY(erase_item(tx, *roots, note));
    tx.store().forget_tree(id_);
    return {};
}

Result<DeletedTrees> find_deleted_trees(Transaction& tx) {
    DeletedTrees out;
    const Tree* roots = TRY(tx.tree(root_tree_objectid));
    const Key first = make_key(orphan_objectid, KeyType::OrphanItem, 0);
    const Key last = make_key(orphan_objectid, KeyType::OrphanItem, ~0ULL);
    std::vector<u64> noted;
    TRY(for_each_item(tx.volume(), roots->root, first, last, [&](const Cursor& at) -> Result<bool> {
        noted.push_back(at.key().offset);
        return true;
    }));
    for (u64 id : noted) {
        auto item = tx.volume().root_item(id);
        if (item && item->refs == 0) out.trees.push_back(id);
        if (item || item.error().cause != Cause::RootMissing) continue;
        // The root tree has inodes too, those of old free space caches; notes of theirs are not for us.
        bool is_inode = TRY(find_item(tx, *roots, make_key(id, KeyType::InodeItem, 0))).has_value();
        if (!is_inode) out.stale.push_back(id);
    }
    return out;
}

}  // namespace glassfs::btrfs
