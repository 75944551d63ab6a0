// SPDX-License-Identifier: MIT
// Directories: DIR_ITEM finds a name by its hash (names with the same hash share an item), DIR_INDEX lists
// the names in the order of their creation.
#include "base/crc32c.h"
#include "btrfs/file_system.h"

namespace glassfs::btrfs {

using vfs::NodeId;

u64 name_hash(std::string_view name) {
    return crc32c_raw(~1U, as_bytes(name));
}

std::vector<NamedEntry> parse_entries(Bytes item) {
    std::vector<NamedEntry> out;
    while (item.size() >= sizeof(disk::btrfs_dir_item)) {
        const auto& head = view<disk::btrfs_dir_item>(item);
        Bytes rest = item.subspan(sizeof head);
        std::size_t name_len = head.name_len;
        std::size_t data_len = head.data_len;
        if (rest.size() < name_len + data_len) break;  // check_item() refuses this
        out.push_back({&head, as_text(rest.first(name_len)), rest.subspan(name_len, data_len)});
        item = rest.subspan(name_len + data_len);
    }
    return out;
}

namespace {

vfs::FileType to_file_type(u8 type) {
    switch (type) {
        case ft_regular:
            return vfs::FileType::Regular;
        case ft_dir:
            return vfs::FileType::Directory;
        case ft_chrdev:
            return vfs::FileType::CharDevice;
        case ft_blkdev:
            return vfs::FileType::BlockDevice;
        case ft_fifo:
            return vfs::FileType::Fifo;
        case ft_sock:
            return vfs::FileType::Socket;
        case ft_symlink:
            return vfs::FileType::Symlink;
        default:
            return vfs::FileType::Unknown;
    }
}

}  // namespace

Result<void> FileSystem::require_directory(NodeId id) {
    if (id.ino.value == empty_subvol_dir_objectid) return {};
    auto item = TRY(inode_item(id));
    if (vfs::file_type_of_mode(item.mode) == vfs::FileType::Directory) return {};
    return fail(Cause::NotADirectory);
}

// Does the root tree say that subvolume `child_tree` hangs at this name of this directory?
Result<bool> FileSystem::root_ref_matches(NodeId dir, std::string_view name, u64 child_tree) {
    Cursor cursor(volume_, volume_.root_tree());
    Key key = make_key(dir.tree, KeyType::RootRef, child_tree);
    bool found = TRY(cursor.seek(key));
    if (!found || cursor.key() != key) return false;
    TRY(cursor.check());
    const auto& ref = view<disk::btrfs_root_ref>(cursor.data());
    std::string_view ref_name = as_text(cursor.data().subspan(sizeof ref, ref.name_len));
    return ref.dirid == dir.ino.value && ref_name == name;
}

Result<NodeId> FileSystem::resolve_location(NodeId dir, std::string_view name, const Key& location) {
    if (type_of(location) != KeyType::RootItem) return NodeId{dir.tree, InodeNo{location.objectid}};
    if (TRY(root_ref_matches(dir, name, location.objectid))) {
        auto root = subvolume_root(location.objectid);
        if (root || root.error().code() != Errno::NOENT) return root;
    }
    return NodeId{dir.tree, InodeNo{empty_subvol_dir_objectid}};
}

Result<NodeId> FileSystem::lookup(NodeId dir, std::string_view name) {
    auto op = trace_.span("lookup", [&] { return escaped(name); });
    if (name.size() > name_len_max) return fail(Cause::NameTooLong);
    TRY(require_directory(dir));
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NotFound, escaped(name));
    Cursor cursor(volume_, TRY(volume_.tree_root(dir.tree)));
    Key key = make_key(dir.ino.value, KeyType::DirItem, name_hash(name));
    bool found = TRY(cursor.seek(key));
    if (found && cursor.key() == key) {
        TRY(cursor.check());
        for (const NamedEntry& entry : parse_entries(cursor.data())) {
            if (entry.name == name) return resolve_location(dir, name, to_key(entry.head->location));
        }
    }
    return fail(Cause::NotFound, escaped(name));
}

Result<NodeId> FileSystem::parent(NodeId dir) {
    if (dir == root_) return dir;
    if (dir.ino.value == empty_subvol_dir_objectid) return subvolume_root(dir.tree);
    NodeId own_root = TRY(subvolume_root(dir.tree));
    bool at_subvolume_root = dir == own_root;
    Cursor cursor(volume_, at_subvolume_root ? volume_.root_tree() : TRY(volume_.tree_root(dir.tree)));
    u64 objectid = at_subvolume_root ? dir.tree : dir.ino.value;
    KeyType type = at_subvolume_root ? KeyType::RootBackref : KeyType::InodeRef;
    bool found = TRY(cursor.seek(make_key(objectid, type, 0)));
    if (!found || cursor.key().objectid != objectid || type_of(cursor.key()) != type) {
        if (at_subvolume_root) return dir;  // the top level
        return fail(Cause::InodeRefBad, {.tree = dir.tree}, "directory without a parent");
    }
    TRY(cursor.check());
    if (!at_subvolume_root) return NodeId{dir.tree, InodeNo{cursor.key().offset}};
    return NodeId{cursor.key().offset, InodeNo{view<disk::btrfs_root_ref>(cursor.data()).dirid}};
}

Result<void> FileSystem::readdir(NodeId dir, u64 cookie,
                                 const std::function<bool(const vfs::DirEntry&)>& visit) {
    auto op = trace_.span("readdir");
    TRY(require_directory(dir));
    if (dir.ino.value == empty_subvol_dir_objectid || cookie == ~0ULL) return {};
    Key first = make_key(dir.ino.value, KeyType::DirIndex, cookie == 0 ? 0 : cookie + 1);
    Key last = make_key(dir.ino.value, KeyType::DirIndex, ~0ULL);
    TreeRoot root = TRY(volume_.tree_root(dir.tree));
    return for_each_item(volume_, root, first, last, [&](const Cursor& at) -> Result<bool> {
        TRY(at.check());
        for (const NamedEntry& entry : parse_entries(at.data())) {
            vfs::DirEntry out;
            out.name = entry.name;
            Key location = to_key(entry.head->location);
            // A subvolume that can't be reached is listed all the same; going there says why.
            out.id = resolve_location(dir, entry.name, location)
                         .value_or(NodeId{location.objectid, InodeNo{first_free_objectid}});
            out.type = to_file_type(entry.head->type);
            out.cookie = at.key().offset;
            if (!visit(out)) return false;
        }
        return true;
    });
}

}  // namespace glassfs::btrfs
