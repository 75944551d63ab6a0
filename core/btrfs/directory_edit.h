// SPDX-License-Identifier: MIT
// Names as items. A name of a directory stands in three places:
//
//   (dir, DIR_ITEM, hash of the name)   finds it; names with the same hash share an item
//   (dir, DIR_INDEX, index)             lists it; `index` grows from 2 and is never used again
//   (inode, INODE_REF, dir)             leads back: index and name; several names in one directory share an
//   item.
//                                       When that has no room: (inode, INODE_EXTREF, hash of directory and
//                                       name)
//
// The name of a subvolume has (parent tree, ROOT_REF, subvolume) and (subvolume, ROOT_BACKREF, parent tree)
// in the root tree instead of the third.
//
// The functions that search change nothing and say whether an edit will fit; the edits rely on it.
#pragma once

#include "btrfs/cursor.h"
#include "btrfs/dir_items.h"
#include "btrfs/tree_edit.h"

namespace glassfs::btrfs {

// How many bytes an item that is shared by names may have: Linux won't split a leaf for more.
inline u32 shared_item_max(const Geometry& geometry) {
    return geometry.node_size - TreeBlock::header_size - 2 * TreeBlock::item_size;
}

// A place in a DIR_ITEM or XATTR_ITEM.
struct HashedEntry {
    u32 item_size = 0;  // of the item with this hash; 0: there is none
    u32 at = 0;         // where the entry begins in the item, when `size` isn't 0
    u32 size = 0;       // of the entry; 0: the name isn't there
    Key location = {};
    u8 type = ft_unknown;
    Buffer value = {};  // an xattr's
    bool found() const { return size != 0; }
};
Result<HashedEntry> find_hashed(Volume&, const TreeRoot&, u64 objectid, KeyType, std::string_view name);
// Puts an entry at the end of the item of its hash, as `found` (which is not found()) describes it.
Result<void> add_hashed(Transaction&, Tree&, u64 objectid, KeyType, const HashedEntry& found,
                        const disk::btrfs_dir_item& head, std::string_view name, Bytes value);
Result<void> erase_hashed(Transaction&, Tree&, u64 objectid, KeyType, const HashedEntry& found,
                          std::string_view name);

// What a directory entry leads to.
struct EntryTarget {
    Key location;  // an inode item of the same tree, or a root item
    u8 type = ft_unknown;
};

// Whether the hash's DIR_ITEM could take one more name of this length. Linux: EOVERFLOW.
bool has_room_for_name(const Geometry&, const HashedEntry&, std::string_view name);
// DIR_ITEM and DIR_INDEX.
Result<void> add_dir_entry(Transaction&, Tree&, u64 dir, std::string_view name, const HashedEntry& not_found,
                           u64 index, const EntryTarget&);
Result<void> erase_dir_entry(Transaction&, Tree&, u64 dir, std::string_view name, const HashedEntry&,
                             u64 index);
// The index that the next name of a directory gets.
Result<u64> next_dir_index(Volume&, const TreeRoot&, u64 dir);
// The index of a name, found by going through all of them.
Result<std::optional<u64>> search_dir_index(Volume&, const TreeRoot&, u64 dir, std::string_view name);

// The way back from an inode to a name.
struct InodeRef {
    KeyType type = KeyType::InodeRef;  // or InodeExtref
    u32 item_size = 0;                 // of the item; 0: there is none
    u32 at = 0;                        // where the reference begins in the item
    u32 size = 0;                      // of the reference; 0: the name isn't there
    u64 index = 0;
    bool found() const { return size != 0; }
};
Result<InodeRef> find_inode_ref(Volume&, const TreeRoot&, u64 inode, u64 dir, std::string_view name);
// Where a new one goes. Cause::TooManyLinks: nowhere.
Result<InodeRef> place_inode_ref(Volume&, const TreeRoot&, u64 inode, u64 dir, std::string_view name);
Result<void> add_inode_ref(Transaction&, Tree&, u64 inode, u64 dir, std::string_view name,
                           const InodeRef& place, u64 index);
Result<void> erase_inode_ref(Transaction&, Tree&, u64 inode, u64 dir, std::string_view name, const InodeRef&);
// INODE_ITEM and the first INODE_REF of a new inode.
Result<void> insert_inode(Transaction&, Tree&, u64 inode, const disk::btrfs_inode_item&, u64 dir,
                          std::string_view name, u64 index);

// ROOT_REF and ROOT_BACKREF of the subvolume `child` at a name of the directory `dir` in the tree `parent`.
struct RootRefPlace {
    u64 child = 0;
    u64 parent = 0;
    u64 dir = 0;
    std::string_view name = {};
};
Result<void> add_root_ref(Transaction&, const RootRefPlace&, u64 index);
Result<void> erase_root_ref(Transaction&, const RootRefPlace&);
// The index of the subvolume's name, if it hangs there.
Result<std::optional<u64>> find_root_ref(Volume&, const RootRefPlace&);

}  // namespace glassfs::btrfs
