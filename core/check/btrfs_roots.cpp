// SPDX-License-Identifier: MIT
#include "check/btrfs_roots.h"

#include "base/xxhash64.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace glassfs::check {

namespace disk = btrfs::disk;

void RootCheck::read() {
    for_each_item(reader_, reader_.volume().root_tree(), [&](const ItemView& item) {
        switch (type_of(item.key)) {
            case KeyType::RootItem:
                return read_root_item(item);
            case KeyType::RootRef:
            case KeyType::RootBackref:
                return read_root_ref(item);
            case KeyType::OrphanItem:
                orphans_.push_back(item.key.offset);
                return;
            default:
                return;
        }
    });
    check_required();
}

void RootCheck::read_root_item(const ItemView& item) {
    disk::btrfs_root_item root{};  // short ones are filled up with zeros
    std::copy_n(item.data.begin(), std::min(item.data.size(), sizeof(root)), reinterpret_cast<u8*>(&root));
    RootRecord record;
    record.root = {item.key.objectid, LogicalAddr{root.bytenr}, root.level, Generation{root.generation}};
    record.key_offset = item.key.offset;
    record.refs = root.refs;
    record.flags = root.flags;
    record.where = item.where();
    Key progress = btrfs::to_key(root.drop_progress);
    if (progress.objectid != 0) record.drop = DropState{progress, root.drop_level};
    roots_.push_back(std::move(record));
}

void RootCheck::read_root_ref(const ItemView& item) {
    bool forward = type_of(item.key) == KeyType::RootRef;
    const auto& ref = view<disk::btrfs_root_ref>(item.data);
    Bytes name = item.data.subspan(sizeof(ref));
    names_.push_back({forward ? item.key.objectid : item.key.offset,
                      forward ? item.key.offset : item.key.objectid, ref.dirid, ref.sequence, xxhash64(name),
                      forward ? SubvolumeName::Kind::RootRef : SubvolumeName::Kind::RootBackref,
                      item.where()});
}

bool RootCheck::known(u64 tree) const {
    return std::any_of(roots_.begin(), roots_.end(),
                       [&](const RootRecord& record) { return record.root.id == tree; });
}

bool RootCheck::has_orphan(u64 tree) const {
    return std::find(orphans_.begin(), orphans_.end(), tree) != orphans_.end();
}

// Without these no volume can be mounted.
void RootCheck::check_required() const {
    for (u64 tree : {btrfs::extent_tree_objectid, btrfs::dev_tree_objectid, btrfs::fs_tree_objectid,
                     btrfs::csum_tree_objectid}) {
        if (!known(tree)) findings_.problem(Cause::RootMissing, {.tree = tree}, btrfs::objectid_name(tree));
    }
}

namespace {

// What is known of one name, by whom.
struct NameState {
    std::array<const SubvolumeName*, 4> by_kind = {};
    const SubvolumeName* get(SubvolumeName::Kind kind) const {
        return by_kind[static_cast<std::size_t>(kind)];
    }
    bool linked() const {
        return get(SubvolumeName::Kind::DirItem) != nullptr && get(SubvolumeName::Kind::RootRef) != nullptr;
    }
};

using NameKey = std::tuple<u64, u64, u64, u64>;  // parent, child, directory, hash of the name

std::string wrong_link(const NameState& state) {
    using Kind = SubvolumeName::Kind;
    const SubvolumeName* index = state.get(Kind::DirIndex);
    const SubvolumeName* ref = state.get(Kind::RootRef);
    const SubvolumeName* backref = state.get(Kind::RootBackref);
    if (index == nullptr) return "no DIR_INDEX";
    if (backref == nullptr) return "no ROOT_BACKREF";
    if (index->index != ref->index) return "DIR_INDEX has another index";
    if (backref->index != ref->index) return "ROOT_BACKREF has another index";
    return "";
}

// Trees that can be reached from the top level through linked names.
std::set<u64> reachable_trees(const std::map<NameKey, NameState>& names) {
    std::set<u64> reached{btrfs::fs_tree_objectid};
    std::vector<u64> open{btrfs::fs_tree_objectid};
    while (!open.empty()) {
        u64 parent = open.back();
        open.pop_back();
        for (auto at = names.lower_bound({parent, 0, 0, 0}); at != names.end(); ++at) {
            auto [tree, child, dir, hash] = at->first;
            if (tree != parent) break;
            if (at->second.linked() && reached.insert(child).second) open.push_back(child);
        }
    }
    return reached;
}

}  // namespace

void RootCheck::check_names() {
    std::map<NameKey, NameState> names;
    for (const SubvolumeName& name : names_) {
        NameState& state = names[{name.parent, name.child, name.dir, name.name_hash}];
        state.by_kind[static_cast<std::size_t>(name.kind)] = &name;
    }
    for (const auto& [key, state] : names) {
        if (!state.linked()) continue;
        const Where& where = state.get(SubvolumeName::Kind::RootRef)->where;
        if (std::string wrong = wrong_link(state); !wrong.empty()) {
            findings_.problem(Cause::RootRefBad, where, wrong);
        }
        if (!known(std::get<1>(key))) {
            findings_.problem(Cause::RootMissing, where,
                              say("subvolume ", std::get<1>(key), " has no root item"));
        }
    }
    std::set<u64> reached = reachable_trees(names);
    for (const RootRecord& record : roots_) {
        u64 tree = record.root.id;
        if (!is_subvolume(tree) || reached.contains(tree)) continue;
        if (has_orphan(tree)) continue;  // its deletion goes on at the next mount
        if (record.deleted())
            findings_.warning(Cause::RootUnreachable, record.where, "deleted, but no orphan item");
        else
            findings_.problem(Cause::RootUnreachable, record.where, say("subvolume ", tree));
    }
}

}  // namespace glassfs::check
