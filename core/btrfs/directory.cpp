// SPDX-License-Identifier: MIT
// Directories: DIR_ITEM finds a name by its hash (names with the same hash share an item), DIR_INDEX lists
// the names in the order of their creation.
#include "base/crc32c.h"
#include "btrfs/directory_edit.h"
#include "btrfs/file_system.h"

namespace glassfs::btrfs {

using vfs::NodeId;

u64 name_hash(std::string_view name) {
    return crc32c_raw(~1U, as_bytes(name));
}

std::vector<NamedEntry> parse_entries(Bytes item) {
    std::vector<NamedEntry> out;
    for_each_entry(item, [&](const disk::btrfs_dir_item& head, std::string_view name, Bytes value) {
        out.push_back({&head, name, value});
        return true;
    });
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
    if (TRY(inodes_.get(id))->type() == vfs::FileType::Directory) return {};
    return fail(Cause::NotADirectory);
}

Result<NodeId> FileSystem::resolve_location(NodeId dir, std::string_view name, const Key& location) {
    if (type_of(location) != KeyType::RootItem) return NodeId{dir.tree, InodeNo{location.objectid}};
    if (TRY(find_root_ref(volume_, {location.objectid, dir.tree, dir.ino.value, name}))) {
        auto root = subvolume_root(location.objectid);
        if (root || root.error().code() != Errno::NOENT) return root;
    }
    return NodeId{dir.tree, InodeNo{empty_subvol_dir_objectid}};
}

Result<NodeId> FileSystem::lookup(NodeId dir, std::string_view name) {
    auto op = trace_.span("lookup", [&] { return escaped(name); });
    auto lock = reading();
    return lookup_name(dir, name);
}

Result<NodeId> FileSystem::lookup_name(NodeId dir, std::string_view name) {
    if (name.size() > name_len_max) return fail(Cause::NameTooLong);
    TRY(require_directory(dir));
    if (dir.ino.value == empty_subvol_dir_objectid) return fail(Cause::NotFound, escaped(name));
    TreeRoot root = TRY(volume_.tree_root(dir.tree));
    HashedEntry found = TRY(find_hashed(volume_, root, dir.ino.value, KeyType::DirItem, name));
    if (!found.found()) return fail(Cause::NotFound, escaped(name));
    return resolve_location(dir, name, found.location);
}

Result<NodeId> FileSystem::parent(NodeId dir) {
    auto lock = reading();
    TRY(require_directory(dir));
    return parent_of(dir);
}

Result<NodeId> FileSystem::parent_of(NodeId dir) {
    if (dir == root_) return dir;
    if (dir.ino.value == empty_subvol_dir_objectid) return subvolume_root(dir.tree);
    if (InodePtr inode = inodes_.find(dir); inode != nullptr && inode->orphan) return inode->last_parent;
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

// Not all at once: `visit` may call the file system, which must not happen under the lock.
Result<void> FileSystem::readdir(NodeId dir, u64 cookie,
                                 const std::function<bool(const vfs::DirEntry&)>& visit) {
    auto op = trace_.span("readdir");
    for (;;) {
        std::vector<vfs::DirEntry> entries = TRY(read_entries(dir, cookie));
        if (entries.empty()) return {};
        cookie = entries.back().cookie;
        for (const vfs::DirEntry& entry : entries) {
            if (!visit(entry)) return {};
        }
    }
}

// The next ones behind `cookie`; none: the end. What can't be read is an error only when nothing precedes it.
Result<std::vector<vfs::DirEntry>> FileSystem::read_entries(NodeId dir, u64 cookie) {
    constexpr std::size_t batch = 128;
    auto lock = reading();
    std::vector<vfs::DirEntry> out;
    TRY(require_directory(dir));
    if (dir.ino.value == empty_subvol_dir_objectid || cookie == ~0ULL) return out;
    if (TRY(inodes_.get(dir))->orphan) return fail(Cause::NotFound, "the directory was removed");
    Key first = make_key(dir.ino.value, KeyType::DirIndex, cookie == 0 ? 0 : cookie + 1);
    Key last = make_key(dir.ino.value, KeyType::DirIndex, ~0ULL);
    TreeRoot root = TRY(volume_.tree_root(dir.tree));
    auto done = for_each_item(volume_, root, first, last, [&](const Cursor& at) -> Result<bool> {
        TRY(at.check());
        for_each_entry(at.data(), [&](const disk::btrfs_dir_item& head, std::string_view name, Bytes) {
            vfs::DirEntry& entry = out.emplace_back();
            Key location = to_key(head.location);
            entry.name = name;
            // A subvolume that can't be reached is listed all the same; going there says why.
            entry.id = resolve_location(dir, name, location)
                           .value_or(NodeId{location.objectid, InodeNo{first_free_objectid}});
            entry.type = to_file_type(head.type);
            entry.cookie = at.key().offset;
            return true;
        });
        return out.size() < batch;
    });
    if (!done && out.empty()) return fail(std::move(done).error());
    return out;
}

}  // namespace glassfs::btrfs
