// SPDX-License-Identifier: MIT
#include "btrfs/inode_table.h"

#include "btrfs/cursor.h"
#include "btrfs/file_pages.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"
#include "btrfs/xattr_edit.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::NodeId;

ChangedMark& ChangedMark::operator=(bool changed) {
    if (changed == changed_) return *this;
    changed_ = changed;
    if (list_ == nullptr) return *this;
    if (changed)
        list_->push_back(inode_);
    else
        std::erase(*list_, inode_);
    return *this;
}

InodePtr InodeTable::make(NodeId id, const disk::btrfs_inode_item& item) {
    auto inode = std::make_shared<Inode>();
    inode->id = id;
    inode->item = item;
    inode->changed.list_ = &changed_;
    return inode;
}

Result<disk::btrfs_inode_item> InodeTable::read_item(NodeId id) {
    Cursor cursor(volume_, TRY(volume_.tree_root(id.tree)));
    Key key = make_key(id.ino.value, KeyType::InodeItem, 0);
    bool found = TRY(cursor.seek(key));
    // A name that leads nowhere is ENOENT to whoever follows it, not damage: Linux says so too.
    if (!found || cursor.key() != key) {
        return fail(Cause::NotFound, {.key = key, .tree = id.tree}, "there is no such inode");
    }
    TRY(cursor.check());
    auto item = load<disk::btrfs_inode_item>(cursor.data());
    // What a subvolume's root directory inherited, Linux stores in the attribute only, and sets the flag when
    // it reads it.
    if (id.ino.value == first_free_objectid) TRY(apply_stored_compression(cursor.root(), id, item));
    return item;
}

Result<void> InodeTable::apply_stored_compression(const TreeRoot& root, NodeId id,
                                                  disk::btrfs_inode_item& item) {
    HashedEntry found = TRY(find_xattr(volume_, root, id.ino.value, compression_xattr));
    if (!found.found()) return {};
    auto wish = compression_wish(as_text(found.value));
    if (!wish || *wish == CompressionWish::Default) return {};
    u64 flag = *wish == CompressionWish::None ? inode_nocompress : inode_compress;
    item.flags = (item.flags & ~(inode_compress | inode_nocompress)) | flag;
    return {};
}

InodePtr InodeTable::find(Shard& at, NodeId id) {
    std::lock_guard lock(at.mutex);
    auto known = at.by_id.find(id);
    if (known == at.by_id.end()) return nullptr;
    at.by_use.splice(at.by_use.begin(), at.by_use, known->second);
    return *known->second;
}

InodePtr InodeTable::find(NodeId id) {
    return find(shard(id), id);
}

Result<InodePtr> InodeTable::get(NodeId id) {
    Shard& at = shard(id);
    if (InodePtr known = find(at, id)) return known;
    if (dropped_trees_.contains(id.tree))
        return fail(Cause::NotFound, {.tree = id.tree}, "the subvolume is deleted");
    InodePtr inode = make(id, TRY(read_item(id)));
    std::lock_guard lock(at.mutex);
    // Another reader may have been faster.
    if (auto known = at.by_id.find(id); known != at.by_id.end()) return *known->second;
    put(at, inode);
    return inode;
}

InodePtr InodeTable::add(NodeId id, const disk::btrfs_inode_item& item) {
    InodePtr inode = make(id, item);
    Shard& at = shard(id);
    std::lock_guard lock(at.mutex);
    GLASSFS_ASSERT(!at.by_id.contains(id));
    put(at, inode);
    return inode;
}

// Nobody else has it and nobody can get at it, as the shard's mutex is held.
bool InodeTable::disposable(const InodePtr& inode) {
    if (inode.use_count() != 1 || inode->changed || inode->orphan || inode->holds != 0) return false;
    std::shared_lock lock(inode->lock, std::try_to_lock);
    return lock.owns_lock() && inode->pages == nullptr;
}

void InodeTable::put(Shard& at, const InodePtr& inode) {
    at.by_use.push_front(inode);
    at.by_id[inode->id] = at.by_use.begin();
    for (int tries = 0; tries < 2 && at.by_id.size() > kept_max / shard_count; ++tries) {
        auto oldest = std::prev(at.by_use.end());
        if (disposable(*oldest)) {
            at.by_id.erase((*oldest)->id);
            at.by_use.erase(oldest);
        } else {
            at.by_use.splice(at.by_use.begin(), at.by_use, oldest);
        }
    }
}

void InodeTable::drop(NodeId id) {
    Shard& at = shard(id);
    std::lock_guard lock(at.mutex);
    auto known = at.by_id.find(id);
    if (known == at.by_id.end()) return;
    (*known->second)->gone = true;
    (*known->second)->changed = false;
    (*known->second)->changed.list_ = nullptr;
    at.by_use.erase(known->second);
    at.by_id.erase(known);
}

void InodeTable::drop_tree(u64 tree) {
    dropped_trees_.insert(tree);
    for (const InodePtr& inode : all()) {
        if (inode->id.tree == tree) drop(inode->id);
    }
}

std::vector<InodePtr> InodeTable::all() {
    std::vector<InodePtr> out;
    for (Shard& at : shards_) {
        std::lock_guard lock(at.mutex);
        out.insert(out.end(), at.by_use.begin(), at.by_use.end());
    }
    return out;
}

Result<void> InodeTable::flush(Transaction& tx, Inode& inode) {
    inode.item.transid = tx.generation().value;
    Tree* tree = TRY(tx.tree(inode.id.tree));
    TimeSpec now = tx.now();
    tree->item.ctransid = tx.generation().value;
    tree->item.ctime = {static_cast<u64>(now.seconds), now.nanos};
    TRY(put_item(tx, *tree, make_key(inode.id.ino.value, KeyType::InodeItem, 0), inode.item));
    inode.changed = false;
    return {};
}

// In order of their keys: neighbours share leaves.
Result<void> InodeTable::flush(Transaction& tx) {
    std::vector<Inode*> changed = std::exchange(changed_, {});
    std::sort(changed.begin(), changed.end(), [](const Inode* a, const Inode* b) { return a->id < b->id; });
    for (auto at = changed.begin(); at != changed.end(); ++at) {
        if (auto done = flush(tx, **at); !done) {
            changed_.insert(changed_.end(), at, changed.end());
            return done;
        }
    }
    return {};
}

bool InodeTable::any_changed(u64 tree) const {
    return std::any_of(changed_.begin(), changed_.end(),
                       [&](const Inode* inode) { return inode->id.tree == tree; });
}

bool InodeTable::any_held(u64 tree) {
    std::vector<InodePtr> known = all();
    return std::any_of(known.begin(), known.end(),
                       [&](const InodePtr& inode) { return inode->holds != 0 && inode->id.tree == tree; });
}

std::vector<InodePtr> InodeTable::with_pages() {
    std::vector<InodePtr> out = all();
    std::erase_if(out, [](const InodePtr& inode) {
        std::shared_lock lock(inode->lock);
        return inode->pages == nullptr;
    });
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
    return out;
}

}  // namespace glassfs::btrfs
