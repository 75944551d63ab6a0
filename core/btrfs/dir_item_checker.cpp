// SPDX-License-Identifier: MIT
// DIR_ITEM, DIR_INDEX and XATTR_ITEM share one format: one or more of (where it leads, type, name, value).
// DIR_ITEM and XATTR_ITEM lie at their name's hash; several names with one hash share an item.

#include "base/crc32c.h"
#include "btrfs/item_checker.h"

namespace glassfs::btrfs::checker {

namespace {

std::string wrong_location(const disk::btrfs_dir_item& entry) {
    Key location = to_key(entry.location);
    if (type_of(location) == KeyType::RootItem) {
        bool subvolume = location.objectid == fs_tree_objectid || location.objectid >= first_free_objectid;
        return subvolume ? "" : say("leads to root ", location.objectid);
    }
    if (type_of(location) != KeyType::InodeItem) return say("leads to key type ", location.type);
    if (location.offset != 0 || !is_inode_number(location.objectid)) {
        return say("leads to inode ", location.objectid, ", offset ", location.offset);
    }
    return "";
}

// Of one entry whose fixed part lies inside of the item; `left`: bytes behind the fixed part.
std::string wrong_entry(const ItemContext& item, const disk::btrfs_dir_item& entry, std::size_t left) {
    bool xattr = type_of(item.key) == KeyType::XattrItem;
    std::size_t name_len = entry.name_len;
    std::size_t data_len = entry.data_len;
    if (entry.type >= ft_max || (entry.type == ft_xattr) != xattr) return say("type ", entry.type);
    if (name_len == 0 || name_len > name_len_max) return say("name_len ", name_len);
    if (!xattr && data_len != 0) return say("data_len ", data_len, ", expected 0");
    if (name_len + data_len > left)
        return say("name and data of ", name_len + data_len, " bytes, ", left, " left");
    return xattr ? "" : wrong_location(entry);
}

}  // namespace

Result<void> check_dir_item(const ItemContext& item) {
    bool xattr = type_of(item.key) == KeyType::XattrItem;
    bool hashed = type_of(item.key) != KeyType::DirIndex;
    Cause cause = xattr ? Cause::XattrBad : Cause::DirItemBad;
    if (!is_inode_number(item.key.objectid)) {
        return item.bad(Cause::KeyBad, say(item.key.objectid, " is no inode number"));
    }
    TRY(item.at_least(sizeof(disk::btrfs_dir_item) + 1));
    for (std::size_t at = 0; at < item.data.size();) {
        std::size_t left = item.data.size() - at;
        if (left < sizeof(disk::btrfs_dir_item)) return item.bad(cause, say(left, " bytes left over"));
        const auto& entry = view<disk::btrfs_dir_item>(item.data, at);
        std::string wrong = wrong_entry(item, entry, left - sizeof(disk::btrfs_dir_item));
        if (!wrong.empty()) return item.bad(cause, wrong);
        at += sizeof(disk::btrfs_dir_item);
        Bytes name = item.data.subspan(at, entry.name_len);
        u32 hash = crc32c_raw(~u32{1}, name);
        if (hashed && hash != item.key.offset) {
            return item.bad(Cause::DirHashBad, say("hash ", item.key.offset, ", of \"",
                                                   escaped(as_text(name)), "\" it is ", hash));
        }
        at += name.size() + entry.data_len;
    }
    return {};
}

}  // namespace glassfs::btrfs::checker
