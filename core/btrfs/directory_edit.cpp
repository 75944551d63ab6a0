// SPDX-License-Identifier: MIT
#include "btrfs/directory_edit.h"

#include "base/crc32c.h"
#include "btrfs/writable_volume.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u32 entry_head = sizeof(disk::btrfs_dir_item);

Key hashed_key(u64 objectid, KeyType type, std::string_view name) {
    return make_key(objectid, type, name_hash(name));
}

// Makes an item `size` bytes longer, or a new one of that length; `fill` writes the added bytes.
template <class Fill>
Result<void> append(Transaction& tx, Tree& tree, const Key& key, u32 old_size, u32 size, Fill&& fill) {
    EditPath path;
    bool exists =
        TRY(find_for_change(tx, tree, key, size + (old_size == 0 ? TreeBlock::item_size : 0), path));
    if (exists != (old_size != 0)) return fail(Cause::ItemMissing, {.key = key, .tree = tree.id()});
    if (exists)
        fill(resize_at(path, old_size + size).subspan(old_size));
    else
        insert_at(tx, tree, path, key, size, fill);
    return {};
}

// Takes `size` bytes at `at` out of an item; all of them: the item.
Result<void> cut(Transaction& tx, Tree& tree, const Key& key, u32 at, u32 size) {
    EditPath path;
    if (!TRY(find_for_change(tx, tree, key, 0, path))) {
        return fail(Cause::ItemMissing, {.key = key, .tree = tree.id()});
    }
    MutBytes item = path.changed_data();
    if (size == item.size()) return erase_at(tx, tree, path);
    GLASSFS_ASSERT(at + size <= item.size());
    MutBytes behind = item.subspan(at + size);
    std::copy(behind.begin(), behind.end(), item.subspan(at).begin());
    resize_at(path, static_cast<u32>(item.size()) - size);
    return {};
}

void write_entry(MutBytes to, const disk::btrfs_dir_item& head, std::string_view name, Bytes value) {
    std::memcpy(to.data(), &head, sizeof head);
    std::copy(name.begin(), name.end(), to.begin() + entry_head);
    std::copy(value.begin(), value.end(), to.begin() + entry_head + static_cast<std::ptrdiff_t>(name.size()));
}

u32 entry_size(std::string_view name, Bytes value = {}) {
    return entry_head + static_cast<u32>(name.size() + value.size());
}

}  // namespace

Result<HashedEntry> find_hashed(Volume& volume, const TreeRoot& root, u64 objectid, KeyType type,
                                std::string_view name) {
    HashedEntry out;
    Cursor cursor(volume, root);
    Key key = hashed_key(objectid, type, name);
    if (!TRY(cursor.seek(key)) || cursor.key() != key) return out;
    TRY(cursor.check());
    Bytes item = cursor.data();
    out.item_size = static_cast<u32>(item.size());
    for_each_entry(item, [&](const disk::btrfs_dir_item& head, std::string_view entry_name, Bytes value) {
        if (entry_name != name) return true;
        out.at = static_cast<u32>(reinterpret_cast<const u8*>(&head) - item.data());
        out.size = entry_size(entry_name, value);
        out.location = to_key(head.location);
        out.type = head.type;
        if (type == KeyType::XattrItem) out.value.assign(value.begin(), value.end());
        return false;
    });
    return out;
}

Result<void> add_hashed(Transaction& tx, Tree& tree, u64 objectid, KeyType type, const HashedEntry& found,
                        const disk::btrfs_dir_item& head, std::string_view name, Bytes value) {
    Key key = hashed_key(objectid, type, name);
    return append(tx, tree, key, found.item_size, entry_size(name, value),
                  [&](MutBytes to) { write_entry(to, head, name, value); });
}

Result<void> erase_hashed(Transaction& tx, Tree& tree, u64 objectid, KeyType type, const HashedEntry& found,
                          std::string_view name) {
    return cut(tx, tree, hashed_key(objectid, type, name), found.at, found.size);
}

// ---- Directory entries

bool has_room_for_name(const Geometry& geometry, const HashedEntry& found, std::string_view name) {
    return found.item_size == 0 || found.item_size + entry_size(name) <= shared_item_max(geometry);
}

Result<void> add_dir_entry(Transaction& tx, Tree& tree, u64 dir, std::string_view name,
                           const HashedEntry& not_found, u64 index, const EntryTarget& target) {
    disk::btrfs_dir_item head{};
    head.location = to_disk_key(target.location);
    head.transid = tx.generation().value;
    head.name_len = static_cast<u16>(name.size());
    head.type = target.type;
    TRY(add_hashed(tx, tree, dir, KeyType::DirItem, not_found, head, name, {}));
    Key key = make_key(dir, KeyType::DirIndex, index);
    return append(tx, tree, key, 0, entry_size(name), [&](MutBytes to) { write_entry(to, head, name, {}); });
}

Result<void> erase_dir_entry(Transaction& tx, Tree& tree, u64 dir, std::string_view name,
                             const HashedEntry& found, u64 index) {
    TRY(erase_hashed(tx, tree, dir, KeyType::DirItem, found, name));
    return erase_item(tx, tree, make_key(dir, KeyType::DirIndex, index));
}

Result<u64> next_dir_index(Volume& volume, const TreeRoot& root, u64 dir) {
    constexpr u64 first_index = 2;
    Cursor cursor(volume, root);
    bool found = TRY(cursor.seek_back(make_key(dir, KeyType::DirIndex, ~0ULL)));
    if (!found || cursor.key().objectid != dir || type_of(cursor.key()) != KeyType::DirIndex)
        return first_index;
    return std::max(first_index, cursor.key().offset + 1);
}

Result<std::optional<u64>> search_dir_index(Volume& volume, const TreeRoot& root, u64 dir,
                                            std::string_view name) {
    std::optional<u64> index;
    Key first = make_key(dir, KeyType::DirIndex, 0);
    Key last = make_key(dir, KeyType::DirIndex, ~0ULL);
    TRY(for_each_item(volume, root, first, last, [&](const Cursor& at) -> Result<bool> {
        TRY(at.check());
        for_each_entry(at.data(), [&](const disk::btrfs_dir_item&, std::string_view entry_name, Bytes) {
            if (entry_name == name) index = at.key().offset;
            return !index;
        });
        return !index;
    }));
    return index;
}

// ---- From inodes back to names

namespace {

// The hash of an INODE_EXTREF's key.
u64 extref_hash(u64 dir, std::string_view name) {
    return crc32c_raw(static_cast<u32>(dir), as_bytes(name));
}

Key ref_key(KeyType type, u64 inode, u64 dir, std::string_view name) {
    return make_key(inode, type, type == KeyType::InodeRef ? dir : extref_hash(dir, name));
}

u32 ref_head(KeyType type) {
    return type == KeyType::InodeRef ? sizeof(disk::btrfs_inode_ref) : sizeof(disk::btrfs_inode_extref);
}

Result<InodeRef> find_ref(Volume& volume, const TreeRoot& root, KeyType type, u64 inode, u64 dir,
                          std::string_view name) {
    InodeRef out{.type = type};
    Cursor cursor(volume, root);
    Key key = ref_key(type, inode, dir, name);
    if (!TRY(cursor.seek(key)) || cursor.key() != key) return out;
    TRY(cursor.check());
    Bytes item = cursor.data();
    out.item_size = static_cast<u32>(item.size());
    const u32 head = ref_head(type);
    for (u32 at = 0; at + head <= out.item_size;) {
        u32 name_len = 0;
        u64 index = 0;
        bool same_dir = true;
        if (type == KeyType::InodeRef) {
            const auto& ref = view<disk::btrfs_inode_ref>(item, at);
            name_len = ref.name_len;
            index = ref.index;
        } else {
            const auto& ref = view<disk::btrfs_inode_extref>(item, at);
            name_len = ref.name_len;
            index = ref.index;
            same_dir = ref.parent_objectid == dir;
        }
        if (same_dir && as_text(item.subspan(at + head, name_len)) == name) {
            out.at = at;
            out.size = head + name_len;
            out.index = index;
            break;
        }
        at += head + name_len;
    }
    return out;
}

void write_ref(MutBytes to, KeyType type, u64 dir, std::string_view name, u64 index) {
    const u16 name_len = static_cast<u16>(name.size());
    if (type == KeyType::InodeRef) {
        disk::btrfs_inode_ref ref{index, name_len};
        std::memcpy(to.data(), &ref, sizeof ref);
    } else {
        disk::btrfs_inode_extref ref{dir, index, name_len};
        std::memcpy(to.data(), &ref, sizeof ref);
    }
    std::copy(name.begin(), name.end(), to.subspan(ref_head(type)).begin());
}

}  // namespace

Result<InodeRef> find_inode_ref(Volume& volume, const TreeRoot& root, u64 inode, u64 dir,
                                std::string_view name) {
    InodeRef ref = TRY(find_ref(volume, root, KeyType::InodeRef, inode, dir, name));
    if (ref.found() || (volume.geometry().incompat & incompat_extended_iref) == 0) return ref;
    return find_ref(volume, root, KeyType::InodeExtref, inode, dir, name);
}

Result<InodeRef> place_inode_ref(Volume& volume, const TreeRoot& root, u64 inode, u64 dir,
                                 std::string_view name) {
    const Geometry& geometry = volume.geometry();
    for (KeyType type : {KeyType::InodeRef, KeyType::InodeExtref}) {
        if (type == KeyType::InodeExtref && (geometry.incompat & incompat_extended_iref) == 0) break;
        InodeRef place = TRY(find_ref(volume, root, type, inode, dir, name));
        u32 size = ref_head(type) + static_cast<u32>(name.size());
        if (place.item_size == 0 || place.item_size + size <= shared_item_max(geometry)) return place;
    }
    return fail(Cause::TooManyLinks);
}

Result<void> add_inode_ref(Transaction& tx, Tree& tree, u64 inode, u64 dir, std::string_view name,
                           const InodeRef& place, u64 index) {
    Key key = ref_key(place.type, inode, dir, name);
    u32 size = ref_head(place.type) + static_cast<u32>(name.size());
    return append(tx, tree, key, place.item_size, size,
                  [&](MutBytes to) { write_ref(to, place.type, dir, name, index); });
}

Result<void> erase_inode_ref(Transaction& tx, Tree& tree, u64 inode, u64 dir, std::string_view name,
                             const InodeRef& ref) {
    return cut(tx, tree, ref_key(ref.type, inode, dir, name), ref.at, ref.size);
}

Result<void> insert_inode(Transaction& tx, Tree& tree, u64 inode, const disk::btrfs_inode_item& item, u64 dir,
                          std::string_view name, u64 index) {
    const u32 ref_size = ref_head(KeyType::InodeRef) + static_cast<u32>(name.size());
    const Key key = make_key(inode, KeyType::InodeItem, 0);
    const Key back = make_key(inode, KeyType::InodeRef, dir);
    EditPath path;
    const u32 room = 2 * TreeBlock::item_size + sizeof item + ref_size;
    if (TRY(find_for_change(tx, tree, key, room, path)))
        return fail(Cause::Exists, {.key = key, .tree = tree.id()});
    insert_at(tx, tree, path, key, sizeof item,
              [&](MutBytes data) { std::memcpy(data.data(), &item, sizeof item); });
    ++path.slots[0];
    insert_at(tx, tree, path, back, ref_size,
              [&](MutBytes data) { write_ref(data, KeyType::InodeRef, dir, name, index); });
    return {};
}

// ---- Names of subvolumes

namespace {

Key root_ref_key(const RootRefPlace& place) {
    return make_key(place.parent, KeyType::RootRef, place.child);
}
Key root_backref_key(const RootRefPlace& place) {
    return make_key(place.child, KeyType::RootBackref, place.parent);
}

}  // namespace

Result<std::optional<u64>> find_root_ref(Volume& volume, const RootRefPlace& place) {
    Cursor cursor(volume, volume.root_tree());
    const Key key = root_ref_key(place);
    if (!TRY(cursor.seek(key)) || cursor.key() != key) return std::optional<u64>{};
    TRY(cursor.check());
    const auto& ref = view<disk::btrfs_root_ref>(cursor.data());
    std::string_view name = as_text(cursor.data().subspan(sizeof ref, ref.name_len));
    if (ref.dirid != place.dir || name != place.name) return std::optional<u64>{};
    return std::optional<u64>(ref.sequence.get());
}

Result<void> add_root_ref(Transaction& tx, const RootRefPlace& place, u64 index) {
    Tree* root_tree = TRY(tx.tree(root_tree_objectid));
    disk::btrfs_root_ref ref{place.dir, index, static_cast<u16>(place.name.size())};
    Buffer item(sizeof ref + place.name.size());
    std::memcpy(item.data(), &ref, sizeof ref);
    std::copy(place.name.begin(), place.name.end(), item.begin() + sizeof ref);
    TRY(insert_item(tx, *root_tree, root_backref_key(place), Bytes(item)));
    return insert_item(tx, *root_tree, root_ref_key(place), Bytes(item));
}

Result<void> erase_root_ref(Transaction& tx, const RootRefPlace& place) {
    Tree* root_tree = TRY(tx.tree(root_tree_objectid));
    TRY(erase_item(tx, *root_tree, root_backref_key(place)));
    return erase_item(tx, *root_tree, root_ref_key(place));
}

}  // namespace glassfs::btrfs
