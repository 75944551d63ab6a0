// SPDX-License-Identifier: MIT
// A btrfs volume's trees, their names, and the ways to things.
#include "inspect/btrfs_inspector.h"
#include "inspect/btrfs_items.h"

#include <algorithm>

namespace glassfs::inspect {

using btrfs::Cursor;
using btrfs::Key;
using btrfs::KeyType;
using btrfs::TreeRoot;
namespace disk = btrfs::disk;

namespace {

bool is_subvolume(u64 tree) {
    return tree == btrfs::fs_tree_objectid ||
           (tree >= btrfs::first_free_objectid && tree <= btrfs::last_free_objectid);
}

TreeInfo info_of(const TreeRoot& root, std::string name) {
    TreeInfo info;
    info.id = root.id;
    info.name = std::move(name);
    info.root = root.bytenr;
    info.level = root.level;
    info.generation = root.generation;
    info.is_subvolume = is_subvolume(root.id);
    return info;
}

}  // namespace

std::string tree_id_name(u64 tree) {
    return btrfs::objectid_name(tree);
}

std::string key_type_word(u8 type) {
    return btrfs::key_type_name(type);
}

// The name under which a subvolume hangs in its parent; empty when nothing says one.
std::string BtrfsInspector::subvolume_name(u64 tree) {
    Cursor cursor(volume_, volume_.root_tree());
    auto found = cursor.seek(btrfs::make_key(tree, KeyType::RootBackref, 0));
    if (!found || !*found || cursor.key().objectid != tree ||
        btrfs::type_of(cursor.key()) != KeyType::RootBackref) {
        return {};
    }
    return btrfs_item_summary(cursor.key(), cursor.data());
}

std::string BtrfsInspector::tree_name(u64 tree) {
    if ((tree & log_tree_flag) != 0 && tree < btrfs::last_free_objectid) {
        return "LOG_TREE of " + btrfs::objectid_name(tree & ~log_tree_flag);
    }
    std::string name = btrfs::objectid_name(tree);
    if (!is_subvolume(tree) || tree == btrfs::fs_tree_objectid) return name;
    std::string hangs_as = subvolume_name(tree);
    return hangs_as.empty() ? name : name + " " + hangs_as;
}

std::vector<TreeInfo> BtrfsInspector::trees() {
    auto lock = volume_.reading();
    std::vector<TreeInfo> out;
    out.push_back(info_of(volume_.root_tree(), tree_name(btrfs::root_tree_objectid)));
    out.push_back(info_of(volume_.chunk_tree(), tree_name(btrfs::chunk_tree_objectid)));
    auto walked = btrfs::for_each_item(
        volume_, volume_.root_tree(), {}, {~0ULL, 0xff, ~0ULL}, [&](const Cursor& at) -> Result<bool> {
            if (btrfs::type_of(at.key()) != KeyType::RootItem) return true;
            u64 id = at.key().objectid;
            if (id == btrfs::tree_reloc_objectid) {
                // One for each tree that a balance is moving, all with this id.
                TreeInfo info;
                info.id = id;
                std::string name = tree_name(id) + " of " + btrfs::objectid_name(at.key().offset);
                if (auto good = at.check()) {
                    const auto& item = view<disk::btrfs_root_item>(at.data());
                    TreeRoot root{id, LogicalAddr{item.bytenr}, item.level, Generation{item.generation}};
                    info = info_of(root, std::move(name));
                } else {
                    info.name = std::move(name);
                    info.error = good.error();
                }
                out.push_back(std::move(info));
                return true;
            }
            if (!out.empty() && out.back().id == id) out.pop_back();  // a newer root of the same tree
            TreeInfo info;
            if (auto root = volume_.tree_root(id)) {
                info = info_of(*root, tree_name(id));
            } else {
                info.id = id;
                info.name = tree_name(id);
                info.error = root.error();
            }
            out.push_back(std::move(info));
            return true;
        });
    if (!walked) out.front().error = walked.error();
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    add_log_trees(out);
    return out;
}

void BtrfsInspector::add_log_trees(std::vector<TreeInfo>& out) {
    auto root = volume_.log_root_tree();
    if (!root) return;
    TreeInfo log_root = info_of(*root, "LOG_ROOT_TREE");
    log_root.is_log = true;
    out.push_back(log_root);
    std::size_t log_root_at = out.size() - 1;
    Key first = btrfs::make_key(btrfs::tree_log_objectid, KeyType::RootItem, 0);
    Key last = btrfs::make_key(btrfs::tree_log_objectid, KeyType::RootItem, ~0ULL);
    auto walked = btrfs::for_each_item(volume_, *root, first, last, [&](const Cursor& at) -> Result<bool> {
        u64 id = log_tree_id(at.key().offset);
        TreeInfo info;
        if (auto tree = log_tree_root(at.key().offset)) {
            info = info_of(*tree, tree_name(id));
        } else {
            info.name = tree_name(id);
            info.error = tree.error();
        }
        info.id = id;
        info.is_log = true;
        info.is_subvolume = false;
        out.push_back(std::move(info));
        return true;
    });
    if (!walked) out[log_root_at].error = walked.error();
}

Result<TreeRoot> BtrfsInspector::log_tree_root(u64 subvolume) {
    auto root = volume_.log_root_tree();
    if (!root) return fail(Cause::RootMissing, "no log tree is pending");
    Cursor cursor(volume_, *root);
    Key key = btrfs::make_key(btrfs::tree_log_objectid, KeyType::RootItem, subvolume);
    bool found = TRY(cursor.seek(key));
    if (!found || cursor.key() != key)
        return fail(Cause::RootMissing, {.tree = subvolume}, "no log of this tree");
    TRY(cursor.check());
    const auto& item = view<disk::btrfs_root_item>(cursor.data());
    return TreeRoot{log_tree_id(subvolume), LogicalAddr{item.bytenr}, item.level,
                    Generation{item.generation}};
}

Result<TreeRoot> BtrfsInspector::root_of(u64 tree) {
    if ((tree & log_tree_flag) != 0 && tree < btrfs::last_free_objectid) {
        return log_tree_root(tree & ~log_tree_flag);
    }
    return volume_.tree_root(tree);
}

VolumeInfo BtrfsInspector::info() {
    auto lock = volume_.reading();
    const auto& super = volume_.super();
    VolumeInfo info;
    info.format = "btrfs";
    Bytes label = super.label;
    info.label = printable(as_text(
        label.first(static_cast<std::size_t>(std::find(label.begin(), label.end(), u8{0}) - label.begin()))));
    info.uuid = uuid_text(super.fsid);
    info.total = super.total_bytes;
    info.used = super.bytes_used;
    info.block_size = super.nodesize;
    info.sector_size = super.sectorsize;
    info.generation = Generation{super.generation};
    info.checksum_type = checksum_name(volume_.geometry().csum_type);
    for (const ValueName& feature : btrfs::incompat_names) {
        if ((super.incompat_flags & feature.value) != 0) info.features.push_back(feature.name);
    }
    for (const ValueName& feature : btrfs::compat_ro_names) {
        if ((super.compat_ro_flags & feature.value) != 0) info.features.push_back(feature.name);
    }
    for (const auto& [devid, item] : volume_.device_items()) {
        const auto* member = volume_.is_metadump() ? &volume_.devices().members().front()
                                                   : volume_.devices().find(devid, item.uuid);
        info.devices.push_back({devid, uuid_text(item.uuid), item.total_bytes, item.bytes_used,
                                member != nullptr ? member->device->name() : "", member == nullptr});
    }
    info.log_pending = volume_.log_pending();
    info.metadump = volume_.is_metadump();
    info.notes = volume_.notes();
    for (const Error& error : volume_.open_errors()) info.notes.push_back(error.message());
    return info;
}

// One step per block on the way, root first; the leaf's step is where the cursor stands.
void BtrfsInspector::append_path(std::vector<PathStep>& out, const Cursor& cursor, const std::string& name) {
    for (const Cursor::Step& step : cursor.path()) {
        bool root = &step == &cursor.path().front();
        std::string what = step.block->is_leaf() && !root ? "leaf" : root ? name : "node";
        out.push_back(
            {std::move(what),
             text("%llu, slot %u", static_cast<unsigned long long>(step.block->addr().value), step.slot),
             step.block->addr(), step.slot});
    }
}

Result<std::vector<PathStep>> BtrfsInspector::path_to_key(u64 tree, KeyRef key) {
    auto lock = volume_.reading();
    std::vector<PathStep> out;
    u32 mirror = volume_.devices().members().front().super_mirror;
    out.push_back({"superblock", "at " + size_text(btrfs::super_offsets[mirror]), {}, {}});
    TreeRoot root = TRY(root_of(tree));
    bool by_superblock = tree == btrfs::root_tree_objectid || tree == btrfs::chunk_tree_objectid ||
                         tree == btrfs::tree_log_objectid;
    if (!by_superblock) {
        bool log = (tree & log_tree_flag) != 0 && tree < btrfs::last_free_objectid;
        Cursor up(volume_, log ? *volume_.log_root_tree() : volume_.root_tree());
        Key root_key =
            log ? btrfs::make_key(btrfs::tree_log_objectid, KeyType::RootItem, tree & ~log_tree_flag)
                : btrfs::make_key(tree, KeyType::RootItem, 0);
        if (TRY(up.seek(root_key))) append_path(out, up, log ? "LOG_ROOT_TREE" : "ROOT_TREE");
    }
    Cursor cursor(volume_, root);
    if (TRY(cursor.seek(key))) append_path(out, cursor, tree_name(tree));
    return out;
}

Result<std::vector<PathStep>> BtrfsInspector::path_to(vfs::NodeId id) {
    auto out = TRY(path_to_key(id.tree, btrfs::make_key(id.ino.value, KeyType::InodeItem, 0)));
    auto attributes = TRY(files_.getattr(id));
    if (attributes.type != vfs::FileType::Regular && attributes.type != vfs::FileType::Symlink) return out;
    auto lock = volume_.reading();
    Cursor cursor(volume_, TRY(root_of(id.tree)));
    bool found = TRY(cursor.seek(btrfs::make_key(id.ino.value, KeyType::ExtentData, 0)));
    bool extent_data = found && cursor.key().objectid == id.ino.value &&
                       btrfs::type_of(cursor.key()) == KeyType::ExtentData && cursor.check();
    if (!extent_data) return out;
    const auto& extent = view<disk::btrfs_file_extent_item>(cursor.data());
    if (extent.type == btrfs::file_extent_inline) {
        u32 at = cursor.leaf().data_at(cursor.slot()) + static_cast<u32>(disk::file_extent_inline_at);
        std::size_t size = cursor.data().size() - disk::file_extent_inline_at;
        out.push_back(
            {"data", grouped(size) + " B at " + hex(at) + " in leaf", cursor.leaf().addr(), cursor.slot()});
    } else if (extent.disk_bytenr != 0) {
        out.push_back(
            {"data", "extent " + std::to_string(extent.disk_bytenr) + ", " + size_text(extent.disk_num_bytes),
             cursor.leaf().addr(), cursor.slot()});
    }
    return out;
}

}  // namespace glassfs::inspect
