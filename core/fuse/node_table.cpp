// SPDX-License-Identifier: MIT
#include "fuse/node_table.h"

namespace glassfs::fuse {

std::size_t NodeTable::Hash::operator()(vfs::NodeId node) const noexcept {
    u64 hash = node.ino.value * 0x9e37'79b9'7f4a'7c15;
    hash = (hash ^ (hash >> 32) ^ node.tree) * 0xd6e8'feb8'6659'fd93;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
}

NodeTable::NodeTable(vfs::NodeId root) {
    entries_.emplace(root_nodeid, Entry{root, 1, false, false});
    nodeids_.emplace(root, root_nodeid);
}

Nodeid NodeTable::enter(vfs::NodeId node) {
    std::unique_lock lock(mutex_);
    auto [known, is_new] = nodeids_.try_emplace(node, next_);
    if (is_new) entries_.emplace(next_++, Entry{node, 0, false, false});
    ++entries_.at(known->second).count;
    return known->second;
}

Nodeid NodeTable::enter_alone(vfs::NodeId node) {
    std::unique_lock lock(mutex_);
    entries_.emplace(next_, Entry{node, 1, true, false});
    return next_++;
}

std::optional<vfs::NodeId> NodeTable::forget(Nodeid nodeid, u64 count) {
    if (nodeid == root_nodeid) return std::nullopt;
    std::unique_lock lock(mutex_);
    auto found = entries_.find(nodeid);
    if (found == entries_.end()) return std::nullopt;
    Entry& entry = found->second;
    entry.count -= std::min(count, entry.count);
    if (entry.count > 0) return std::nullopt;
    std::optional<vfs::NodeId> held;
    if (entry.held) held = entry.node;
    if (!entry.alone) nodeids_.erase(entry.node);
    entries_.erase(found);
    return held;
}

bool NodeTable::hold(vfs::NodeId node) {
    std::unique_lock lock(mutex_);
    auto known = nodeids_.find(node);
    return known != nodeids_.end() && !std::exchange(entries_.at(known->second).held, true);
}

std::vector<vfs::NodeId> NodeTable::take_held() {
    std::unique_lock lock(mutex_);
    std::vector<vfs::NodeId> held;
    for (auto& [nodeid, entry] : entries_) {
        if (std::exchange(entry.held, false)) held.push_back(entry.node);
    }
    return held;
}

Result<vfs::NodeId> NodeTable::node(Nodeid nodeid) const {
    std::shared_lock lock(mutex_);
    auto entry = entries_.find(nodeid);
    if (entry == entries_.end()) return fail(Cause::NotFound, "a forgotten nodeid");
    return entry->second.node;
}

std::size_t NodeTable::size() const {
    std::shared_lock lock(mutex_);
    return entries_.size();
}

}  // namespace glassfs::fuse
