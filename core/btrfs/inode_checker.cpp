// SPDX-License-Identifier: MIT
// Items that describe an inode: the inode item, the names that lead to it, its verity data; and the log's
// notes.

#include "base/crc32c.h"
#include "btrfs/item_checker.h"

namespace glassfs::btrfs::checker {

namespace {

constexpr u32 mode_type_mask = 0170000;
constexpr u32 mode_directory = 0040000;

bool is_file_type(u32 mode) {
    switch (mode & mode_type_mask) {
        case 0010000:  // fifo
        case 0020000:  // character device
        case 0040000:  // directory
        case 0060000:  // block device
        case 0100000:  // regular file
        case 0120000:  // symlink
        case 0140000:  // socket
            return true;
        default:
            return false;
    }
}

Result<void> check_inode_key(const ItemContext& item) {
    if (is_inode_number(item.key.objectid)) return {};
    return item.bad(Cause::KeyBad, say(item.key.objectid, " is no inode number"));
}

}  // namespace

Result<void> check_inode_item(const ItemContext& item) {
    constexpr u64 flags_known = 0xfff | inode_root_item_init | inode_ro_verity;
    TRY(check_inode_key(item));
    if (item.key.offset != 0) return item.bad(Cause::KeyBad, say("offset ", item.key.offset, ", expected 0"));
    TRY(item.exactly(sizeof(disk::btrfs_inode_item)));
    const auto& inode = view<disk::btrfs_inode_item>(item.data);
    if (inode.generation > item.generation_max()) {
        return item.bad(Cause::InodeItemBad,
                        say("generation ", inode.generation.get(), ", at most ", item.generation_max()));
    }
    if (inode.transid > item.generation_max()) {
        return item.bad(Cause::InodeItemBad,
                        say("transid ", inode.transid.get(), ", at most ", item.generation_max()));
    }
    u32 mode = inode.mode;
    if ((mode & ~(mode_type_mask | 07777)) != 0 || !is_file_type(mode)) {
        return item.bad(Cause::InodeItemBad, text("mode 0%o", mode));
    }
    if ((mode & mode_type_mask) == mode_directory && inode.nlink > 1) {
        return item.bad(Cause::InodeItemBad, say("directory with nlink ", inode.nlink.get()));
    }
    if ((inode.flags & ~flags_known) != 0)
        return item.bad(Cause::InodeItemBad, say("flags ", hex(inode.flags)));
    return {};
}

// An array of (index, name) by which the directory key.offset knows the inode. mkfs.btrfs writes one for the
// tree FS_TREE (5) into the root tree's directory, so the key need not be an inode number.
Result<void> check_inode_ref(const ItemContext& item) {
    TRY(item.at_least(sizeof(disk::btrfs_inode_ref) + 1));
    for (std::size_t at = 0; at < item.data.size();) {
        std::size_t left = item.data.size() - at;
        if (left < sizeof(disk::btrfs_inode_ref))
            return item.bad(Cause::InodeRefBad, say(left, " bytes left over"));
        std::size_t name_len = view<disk::btrfs_inode_ref>(item.data, at).name_len;
        left -= sizeof(disk::btrfs_inode_ref);
        if (name_len == 0 || name_len > name_len_max || name_len > left) {
            return item.bad(Cause::InodeRefBad, say("name_len ", name_len, " with ", left, " bytes left"));
        }
        at += sizeof(disk::btrfs_inode_ref) + name_len;
    }
    return {};
}

// As INODE_REF, but by hash of (directory, name), for inodes with more names than fit into one item.
Result<void> check_inode_extref(const ItemContext& item) {
    TRY(check_inode_key(item));
    TRY(item.at_least(sizeof(disk::btrfs_inode_extref) + 1));
    for (std::size_t at = 0; at < item.data.size();) {
        std::size_t left = item.data.size() - at;
        if (left < sizeof(disk::btrfs_inode_extref)) {
            return item.bad(Cause::InodeRefBad, say(left, " bytes left over"));
        }
        const auto& ref = view<disk::btrfs_inode_extref>(item.data, at);
        std::size_t name_len = ref.name_len;
        left -= sizeof(disk::btrfs_inode_extref);
        if (name_len == 0 || name_len > name_len_max || name_len > left) {
            return item.bad(Cause::InodeRefBad, say("name_len ", name_len, " with ", left, " bytes left"));
        }
        at += sizeof(disk::btrfs_inode_extref);
        u32 hash = crc32c_raw(static_cast<u32>(ref.parent_objectid.get()), item.data.subspan(at, name_len));
        if (hash != item.key.offset) {
            return item.bad(Cause::InodeRefBad, say("hash ", item.key.offset, ", the name's is ", hash));
        }
        at += name_len;
    }
    return {};
}

// (inode, VERITY_DESC, 0) has the size; behind it and in VERITY_MERKLE items are pieces of a byte stream.
Result<void> check_verity(const ItemContext& item) {
    TRY(check_inode_key(item));
    if (type_of(item.key) == KeyType::VerityDescItem && item.key.offset == 0) {
        return item.exactly(sizeof(disk::btrfs_verity_descriptor_item));
    }
    return item.at_least(1);
}

// (ORPHAN, ORPHAN_ITEM, inode or root): the key says it all.
Result<void> check_orphan(const ItemContext& item) {
    if (item.key.objectid != orphan_objectid) return item.bad(Cause::KeyBad, "objectid is not ORPHAN");
    return item.exactly(0);
}

// (directory, DIR_LOG, first): the log knows everything from `first` to `end` of that directory.
Result<void> check_dir_log(const ItemContext& item) {
    TRY(check_inode_key(item));
    TRY(item.exactly(sizeof(disk::btrfs_dir_log_item)));
    u64 end = view<disk::btrfs_dir_log_item>(item.data).end;
    if (end < item.key.offset) return item.bad(Cause::LogItemBad, say("range ends at ", end));
    return {};
}

}  // namespace glassfs::btrfs::checker
