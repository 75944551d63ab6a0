// SPDX-License-Identifier: MIT
#include "check/btrfs_quota.h"

#include <algorithm>

namespace glassfs::check {

namespace disk = btrfs::disk;

namespace {
constexpr u64 status_on = 1, status_rescan = 2, status_inconsistent = 4, status_simple = 8;
constexpr u32 level_shift = 48;  // a group's id is level << 48 | number; at level 0 the number is a subvolume
}  // namespace

void QuotaCheck::read(const std::vector<RootRecord>& roots) {
    bool exists = std::any_of(roots.begin(), roots.end(), [](const RootRecord& record) {
        return record.root.id == btrfs::quota_tree_objectid;
    });
    if (!exists) return;
    auto root = reader_.volume().tree_root(btrfs::quota_tree_objectid);
    if (!root) return findings_.problem(std::move(root).error());
    for_each_item(reader_, *root, [&](const ItemView& item) { read_item(item); });
    // A subvolume that is half deleted still holds on to what it has not yet given back.
    bool deleting = std::any_of(roots.begin(), roots.end(), [](const RootRecord& record) {
        return is_subvolume(record.root.id) && record.deleted();
    });
    wanted_ = wanted_ && !deleting;
    if (wanted_) resolve_members();
}

void QuotaCheck::read_item(const ItemView& item) {
    switch (type_of(item.key)) {
        case KeyType::QgroupStatus: {
            u64 flags = view<Le64>(item.data, 16);
            wanted_ = (flags & status_on) != 0 && (flags & (status_rescan | status_simple)) == 0;
            inconsistent_ = (flags & status_inconsistent) != 0;
            return;
        }
        case KeyType::QgroupInfo: {
            const auto& info = view<disk::btrfs_qgroup_info_item>(item.data);
            Group& group = groups_[item.key.offset];
            group.recorded = {info.rfer, info.excl};
            group.where = item.where();
            return;
        }
        case KeyType::QgroupRelation:
            // Written in both directions; the greater id is the group.
            if (item.key.objectid > item.key.offset) children_.emplace(item.key.objectid, item.key.offset);
            return;
        default:
            return;
    }
}

// A group's level is above its members' levels, so that going by rising id meets members first.
void QuotaCheck::resolve_members() {
    for (auto& [id, group] : groups_) {
        if (id >> level_shift == 0) group.trees = {id};
        auto [first, last] = children_.equal_range(id);
        for (auto child = first; child != last; ++child) {
            auto member = groups_.find(child->second);
            if (member == groups_.end() || member->first >= id) continue;
            group.trees.insert(member->second.trees.begin(), member->second.trees.end());
        }
    }
}

void QuotaCheck::note(u64 tree, u64 start, u64 bytes) {
    Extent& extent = extents_[start];
    extent.bytes = bytes;
    if (extent.set != 0 && sets_[extent.set].last == tree) return;
    auto [id, added] = set_ids_.try_emplace({extent.set, tree}, static_cast<u32>(sets_.size()));
    if (added) sets_.push_back({extent.set, tree, 0});
    extent.set = id->second;
}

std::set<u64> QuotaCheck::members(u32 set) const {
    std::set<u64> trees;
    for (; set != 0; set = sets_[set].without_last) trees.insert(sets_[set].last);
    return trees;
}

void QuotaCheck::compare(const std::vector<RootRecord>& roots) {
    if (!wanted_) return;
    for (const auto& [start, extent] : extents_) sets_[extent.set].bytes += extent.bytes;
    for (u32 set = 1; set < sets_.size(); ++set) {
        if (sets_[set].bytes == 0) continue;
        std::set<u64> trees = members(set);
        for (auto& [id, group] : groups_) {
            auto in_group = [&](u64 tree) { return group.trees.contains(tree); };
            if (std::none_of(trees.begin(), trees.end(), in_group)) continue;
            group.counted.referenced += sets_[set].bytes;
            if (std::all_of(trees.begin(), trees.end(), in_group))
                group.counted.exclusive += sets_[set].bytes;
        }
    }
    for (const RootRecord& record : roots) {
        u64 tree = record.root.id;
        if (!is_subvolume(tree) || groups_.contains(tree) || inconsistent_) continue;
        findings_.problem(Cause::QuotaWrong, record.where, say("subvolume ", tree, " has no group"));
    }
    for (const auto& [id, group] : groups_) {
        if (group.recorded.referenced == group.counted.referenced &&
            group.recorded.exclusive == group.counted.exclusive) {
            continue;
        }
        bool stale = id >> level_shift == 0 &&
                     std::none_of(roots.begin(), roots.end(),
                                  [&](const RootRecord& record) { return record.root.id == id; });
        std::string detail =
            say("group ", id >> level_shift, "/", id & ((1ULL << level_shift) - 1), ": referenced ",
                group.recorded.referenced, ", counted ", group.counted.referenced, "; exclusive ",
                group.recorded.exclusive, ", counted ", group.counted.exclusive);
        if (stale || inconsistent_)
            findings_.warning(Cause::QuotaWrong, group.where, detail);
        else
            findings_.problem(Cause::QuotaWrong, group.where, detail);
    }
}

}  // namespace glassfs::check
