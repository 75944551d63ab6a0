// SPDX-License-Identifier: MIT
#include "fuse/node_table.h"

namespace glassfs::fuse {

std::size_t NodeTable::Hash::operator()(const Identity& identity) const noexcept {
    u64 hash = identity.node.ino.value * 0x9e37'79b9'7f4a'7c15;
    hash = (hash ^ (hash >> 32) ^ identity.node.tree) * 0xd6e8'feb8'6659'fd93;
    return static_cast<std::size_t>((hash ^ (hash >> 32)) + identity.generation);
}

NodeTable::NodeTable(vfs::NodeId root) {
    Entry entry{{root, 0}, 1, true};
    entries_.emplace(root_nodeid, entry);
}

// A new identity of an inode number takes its place: the old one's number goes on meaning the old inode,
// which is held open or gone.
Nodeid NodeTable::enter(vfs::NodeId node, u64 generation) {
    std::unique_lock lock(mutex_);
    Entry& root = entries_.at(root_nodeid);
    if (node == root.identity.node) return root_nodeid;
    Identity identity{node, generation};
    auto [known, is_new] = nodeids_.try_emplace(identity, next_);
    if (is_new) entries_.emplace(next_++, Entry{identity, 0, false});
    ++entries_.at(known->second).count;
    return known->second;
}

Nodeid NodeTable::enter_alone(vfs::NodeId node) {
    std::unique_lock lock(mutex_);
    entries_.emplace(next_, Entry{{node, 0}, 1, true});
    return next_++;
}

void NodeTable::forget(Nodeid nodeid, u64 count) {
    if (nodeid == root_nodeid) return;
    std::unique_lock lock(mutex_);
    auto entry = entries_.find(nodeid);
    if (entry == entries_.end()) return;
    entry->second.count -= std::min(count, entry->second.count);
    if (entry->second.count > 0) return;
    if (!entry->second.alone) nodeids_.erase(entry->second.identity);
    entries_.erase(entry);
}

Result<vfs::NodeId> NodeTable::node(Nodeid nodeid) const {
    std::shared_lock lock(mutex_);
    auto entry = entries_.find(nodeid);
    if (entry == entries_.end()) return fail(Cause::NotFound, "a forgotten nodeid");
    return entry->second.identity.node;
}

std::size_t NodeTable::size() const {
    std::shared_lock lock(mutex_);
    return entries_.size();
}

}  // namespace glassfs::fuse
