// SPDX-License-Identifier: MIT
// Items of the root tree and the UUID tree.

#include "btrfs/item_checker.h"

namespace glassfs::btrfs::checker {

namespace {

// The fields that exist in every version.
std::string wrong_root(const ItemContext& item, const disk::btrfs_root_item& root) {
    u64 newest = item.generation_max();
    if (root.generation > newest) return say("generation ", root.generation.get(), ", at most ", newest);
    if (root.last_snapshot > newest)
        return say("last_snapshot ", root.last_snapshot.get(), ", at most ", newest);
    if (!item.sector_aligned(root.bytenr)) return say("bytenr ", root.bytenr.get(), " is not aligned");
    if (root.level >= max_level) return say("level ", root.level, ", at most 7");
    if (root.drop_level >= max_level) return say("drop_level ", root.drop_level, ", at most 7");
    if ((root.flags & ~(root_subvol_rdonly | root_subvol_dead)) != 0) return say("flags ", hex(root.flags));
    return "";
}

}  // namespace

Result<void> check_root_item(const ItemContext& item) {
    if (item.key.objectid == 0) return item.bad(Cause::KeyBad, "root 0");
    bool legacy = item.data.size() == disk::root_item_legacy_size;
    if (!legacy) TRY(item.exactly(sizeof(disk::btrfs_root_item)));
    // A legacy item is shorter than the struct, so it is viewed through a copy with zeros behind.
    disk::btrfs_root_item root{};
    std::copy(item.data.begin(), item.data.end(), reinterpret_cast<u8*>(&root));
    std::string wrong = wrong_root(item, root);
    if (!wrong.empty()) return item.bad(Cause::RootItemBad, wrong);
    if (!legacy && root.generation_v2 > item.generation_max()) {
        return item.bad(Cause::RootItemBad, say("generation_v2 ", root.generation_v2.get()));
    }
    return {};
}

// ROOT_REF (parent root -> child root) and ROOT_BACKREF (the other way): the subvolume's name in its
// directory.
Result<void> check_root_ref(const ItemContext& item) {
    TRY(item.at_least(sizeof(disk::btrfs_root_ref) + 1));
    const auto& ref = view<disk::btrfs_root_ref>(item.data);
    std::size_t name_len = ref.name_len;
    if (name_len == 0 || name_len > name_len_max ||
        item.data.size() != sizeof(disk::btrfs_root_ref) + name_len) {
        return item.bad(Cause::RootRefBad, say("name_len ", name_len, " in ", item.data.size(), " bytes"));
    }
    if (!is_inode_number(ref.dirid)) return item.bad(Cause::RootRefBad, say("dirid ", ref.dirid.get()));
    return {};
}

// The key is the UUID, the data an array of subvolume ids.
Result<void> check_uuid(const ItemContext& item) {
    TRY(item.array_of(sizeof(disk::btrfs_uuid_entry)));
    for (std::size_t at = 0; at < item.data.size(); at += sizeof(disk::btrfs_uuid_entry)) {
        u64 subvolume = view<disk::btrfs_uuid_entry>(item.data, at).subvol_id;
        if (subvolume != fs_tree_objectid && subvolume < first_free_objectid) {
            return item.bad(Cause::UuidItemBad, say("subvolume ", subvolume));
        }
    }
    return {};
}

// (FREE_SPACE, 0, block group) and (FREE_INO, 0, 0): which file has the cache.
Result<void> check_space_header(const ItemContext& item) {
    if (item.key.objectid != free_space_objectid && item.key.objectid != free_ino_objectid) {
        return item.bad(Cause::ItemTypeUnknown, "type 0");
    }
    TRY(item.exactly(sizeof(disk::btrfs_free_space_header)));
    Key location = to_key(view<disk::btrfs_free_space_header>(item.data).location);
    if (type_of(location) != KeyType::InodeItem || !is_inode_number(location.objectid)) {
        return item.bad(Cause::FreeSpaceBad, say("leads to (", location.objectid, " ", location.type, ")"));
    }
    return {};
}

}  // namespace glassfs::btrfs::checker
