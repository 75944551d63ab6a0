// SPDX-License-Identifier: MIT
// New names: files of every type, symlinks, files without a name, links. Each is one step. All that can be
// refused is refused before the step's first change, in the order in which Linux looks.
#include "btrfs/file_system.h"
#include "btrfs/name_edit.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"
#include "btrfs/xattr_edit.h"

#include <algorithm>

namespace glassfs::btrfs {

using vfs::FileType;
using vfs::NodeId;

namespace {

constexpr u32 mode_type = 0170000, mode_setuid = 04000, mode_setgid = 02000;
constexpr u32 links_max = 65535;
constexpr std::size_t changed_inodes_max = 256;
constexpr std::size_t path_max = 4095;  // bytes, as Linux takes a symlink's target

u8 entry_type(u32 mode) {
    switch (vfs::file_type_of_mode(mode)) {
        case FileType::Regular:
            return ft_regular;
        case FileType::Directory:
            return ft_dir;
        case FileType::CharDevice:
            return ft_chrdev;
        case FileType::BlockDevice:
            return ft_blkdev;
        case FileType::Fifo:
            return ft_fifo;
        case FileType::Socket:
            return ft_sock;
        case FileType::Symlink:
            return ft_symlink;
        case FileType::Unknown:
            break;
    }
    return ft_unknown;
}

bool is_dot_name(std::string_view name) {
    return name == "." || name == "..";
}

// Group and flags come from the directory, as far as Linux lets them.
disk::btrfs_inode_item fresh_inode(const Transaction& tx, const disk::btrfs_inode_item& dir,
                                   const vfs::NewInode& from, u32 mode) {
    const FileType type = vfs::file_type_of_mode(mode);
    disk::btrfs_inode_item item{};
    item.generation = item.transid = tx.generation().value;
    item.nlink = 1;
    item.uid = from.uid;
    item.gid = from.gid;
    if (type == FileType::Directory) mode &= ~(mode_setuid | mode_setgid);
    if ((dir.mode & mode_setgid) != 0) {
        item.gid = dir.gid;
        if (type == FileType::Directory) mode |= mode_setgid;
    }
    item.mode = mode;
    if (type == FileType::CharDevice || type == FileType::BlockDevice) {
        item.rdev = u64{from.rdev.major} << 20 | from.rdev.minor;
    }
    u64 flags = dir.flags & (inode_compress | inode_nocompress | inode_nodatacow);
    if ((flags & inode_nodatacow) != 0 && type == FileType::Regular) flags |= inode_nodatasum;
    if ((flags & inode_nocompress) != 0) flags &= ~inode_compress;
    item.flags = flags;
    item.atime = item.ctime = item.mtime = item.otime = to_disk_time(tx.now());
    return item;
}

TimeSpec from_disk_time(const disk::btrfs_timespec& time) {
    return {static_cast<s64>(time.sec.get()), time.nsec};
}

Result<void> check_target(std::string_view target) {
    if (target.empty()) return fail(Cause::NotFound, "an empty target");
    if (target.size() > path_max) return fail(Cause::NameTooLong);
    return {};
}

// It lies inside of its item, and must be shorter than a sector.
bool target_fits(const Geometry& geometry, std::string_view target) {
    std::size_t space =
        geometry.node_size - TreeBlock::header_size - TreeBlock::item_size - disk::file_extent_inline_at;
    return target.size() <= space && target.size() < geometry.sector_size;
}

Buffer inline_extent(Generation generation, std::string_view data) {
    disk::btrfs_file_extent_item extent{};
    extent.generation = generation.value;
    extent.ram_bytes = data.size();
    extent.type = file_extent_inline;
    Buffer item(disk::file_extent_inline_at + data.size());
    std::memcpy(item.data(), &extent, disk::file_extent_inline_at);
    std::copy(data.begin(), data.end(), item.begin() + disk::file_extent_inline_at);
    return item;
}

}  // namespace

void touch_directory(Inode& dir, std::string_view name, s64 names, TimeSpec now) {
    dir.item.size = dir.item.size + static_cast<u64>(names * 2 * static_cast<s64>(name.size()));
    dir.item.sequence = dir.item.sequence + 1;
    dir.item.mtime = dir.item.ctime = to_disk_time(now);
    dir.changed = true;
}

void touch_inode(Inode& inode, TimeSpec now) {
    inode.item.sequence = inode.item.sequence + 1;
    inode.item.ctime = to_disk_time(now);
    inode.changed = true;
}

// ---- What all operations on names share

Result<Transaction> FileSystem::begin(u64 tree, Need need) {
    if (store_ == nullptr) return fail(Cause::ReadOnly);
    TRY(drop_in_passing());
    for (bool made_room = false;;) {
        auto begun = store_->begin(need);
        const bool full = !begun && begun.error().cause == Cause::NoSpace && !store_->aborted();
        if (full && dying_count_ != 0 && !made_room) {
            made_room = true;
            TRY(clean_up_all());
            TRY(store_->commit());
            continue;
        }
        auto tx = TRY(std::move(begun));
        // A commit must write them all, and has only so much room kept for it.
        if (inodes_.changed_count() >= changed_inodes_max) {
            TRY(inodes_.flush(tx));
            tx.keep();
        }
        if (!orphans_cleaned_.insert(tree).second) return tx;
        auto orphans = find_orphans(tx, tree);
        if (!orphans) {
            if (orphans.error().cause != Cause::RootMissing) orphans_cleaned_.erase(tree);
            return fail(std::move(orphans).error());
        }
        if (orphans->empty()) return tx;
        tx.done();
        { Transaction ended = std::move(tx); }
        TRY(clean_orphans(tree, *orphans));
    }
}

Result<InodePtr> FileSystem::directory(NodeId id) {
    InodePtr inode = TRY(inodes_.get(id));
    if (inode->type() != FileType::Directory) return fail(Cause::NotADirectory);
    return inode;
}

Result<NewName> FileSystem::new_name(Transaction& tx, NodeId dir, std::string_view name, Cause refusal) {
    if (name.empty()) return fail(Cause::NotFound, "an empty name");
    NewName out;
    const bool empty_subvol = dir.ino.value == empty_subvol_dir_objectid;
    if (!empty_subvol) out.dir = TRY(directory(dir));
    if (is_dot_name(name)) return fail(Cause::Exists, escaped(name));
    if (!empty_subvol && out.dir->item.nlink == 0) return fail(Cause::NotFound, "the directory was removed");
    if (name.size() > name_len_max) return fail(Cause::NameTooLong);
    out.tree = TRY(tx.tree(dir.tree));
    out.name = name;
    if (!empty_subvol) {
        out.place = TRY(find_hashed(volume_, out.tree->root, dir.ino.value, KeyType::DirItem, name));
        if (out.place.found()) return fail(Cause::Exists, escaped(name));
    }
    if (empty_subvol) return fail(refusal);  // it knows nothing of its subvolume being read-only
    if ((out.dir->item.flags & inode_immutable) != 0)
        return fail(Cause::NotPermitted, "an immutable directory");
    if ((out.tree->item.flags & root_subvol_rdonly) != 0)
        return fail(Cause::ReadOnly, "a read-only subvolume");
    if (!has_room_for_name(volume_.geometry(), out.place, name)) {
        return fail(Cause::ValueOverflow, "too many names with the same hash");
    }
    return out;
}

// One more than the highest that the tree has at the first look, then counted on.
Result<u64> FileSystem::take_inode_number(Transaction& tx, Tree& tree) {
    u64& next = next_inode_number_[tree.id()];
    if (next == 0) {
        Cursor cursor(tx.volume(), tree.root);
        bool found = TRY(cursor.seek_back({last_free_objectid, 0xff, ~0ULL}));
        u64 highest = found ? cursor.key().objectid : 0;
        next = std::max(highest, first_free_objectid - 1) + 1;
    }
    if (next > last_free_objectid) return fail(Cause::NoSpace, "no inode number is left");
    return next++;
}

Result<u64> FileSystem::take_dir_index(Transaction& tx, Inode& dir) {
    if (!dir.next_index) {
        Tree* tree = TRY(tx.tree(dir.id.tree));
        dir.next_index = TRY(next_dir_index(tx.volume(), tree->root, dir.id.ino.value));
    }
    return (*dir.next_index)++;
}

// What chattr +c or the xattr itself made a directory hand on. Only the method, not a level behind it.
Result<bool> FileSystem::inherit_compression(Transaction& tx, Tree& tree, const Inode& dir, u64 inode) {
    if ((dir.item.flags & inode_compress) == 0) return false;
    TreeRoot root = TRY(volume_.tree_root(dir.id.tree));
    HashedEntry found = TRY(find_xattr(volume_, root, dir.id.ino.value, compression_xattr));
    if (!found.found()) return false;
    std::string_view method;
    switch (compression_wish(as_text(found.value)).value_or(CompressionWish::Default)) {
        case CompressionWish::Zlib:
            method = "zlib";
            break;
        case CompressionWish::Lzo:
            method = "lzo";
            break;
        case CompressionWish::Zstd:
            method = "zstd";
            break;
        case CompressionWish::Default:
        case CompressionWish::None:
            return false;
    }
    TRY(put_xattr(tx, tree, inode, {}, compression_xattr, as_bytes(method)));
    return true;
}

Result<NodeId> FileSystem::add_new_inode(Transaction& tx, const NewName& place,
                                         const disk::btrfs_inode_item& item, const InheritedAcl& acl) {
    const u64 inode = TRY(take_inode_number(tx, *place.tree));
    const u64 index = TRY(take_dir_index(tx, *place.dir));
    TRY(insert_inode(tx, *place.tree, inode, item, place.dir_number(), place.name, index));
    const u8 type = entry_type(item.mode);
    if (type == ft_dir || type == ft_regular) TRY(inherit_compression(tx, *place.tree, *place.dir, inode));
    TRY(put_inherited_acl(tx, *place.tree, inode, acl));
    EntryTarget target{make_key(inode, KeyType::InodeItem, 0), type};
    TRY(add_dir_entry(tx, *place.tree, place.dir_number(), place.name, place.place, index, target));
    touch_directory(*place.dir, place.name, +1, from_disk_time(item.ctime));
    return NodeId{place.tree->id(), InodeNo{inode}};
}

// ---- Operations

Result<NodeId> FileSystem::create(NodeId dir, std::string_view name, const vfs::NewInode& wanted) {
    auto op = trace_.span("create", [&] { return escaped(name); });
    const u8 type = entry_type(wanted.mode);
    if (type == ft_unknown || type == ft_symlink) return fail(Cause::InvalidArgument, "no type to create");
    auto tx = TRY(begin(dir.tree, {.items = 10}));
    Cause refusal = type == ft_regular ? Cause::AccessDenied : Cause::NotPermitted;
    NewName place = TRY(new_name(tx, dir, name, refusal));
    InheritedAcl acl = TRY(inherit_acl(*place.dir, wanted));
    disk::btrfs_inode_item item = fresh_inode(tx, place.dir->item, wanted, acl.mode);
    NodeId out = TRY(add_new_inode(tx, place, item, acl));
    tx.done();
    return out;
}

Result<NodeId> FileSystem::symlink(NodeId dir, std::string_view name, std::string_view target,
                                   const vfs::NewInode& wanted) {
    auto op = trace_.span("symlink", [&] { return escaped(name); });
    TRY(check_target(target));
    auto tx = TRY(begin(dir.tree, {.items = 8}));
    NewName place = TRY(new_name(tx, dir, name, Cause::NotPermitted));
    if (!target_fits(volume_.geometry(), target)) return fail(Cause::NameTooLong);
    disk::btrfs_inode_item item = fresh_inode(tx, place.dir->item, wanted, 0120777);
    item.size = item.nbytes = target.size();
    NodeId out = TRY(add_new_inode(tx, place, item, {}));
    Buffer extent = inline_extent(tx.generation(), target);
    TRY(insert_item(tx, *place.tree, make_key(out.ino.value, KeyType::ExtentData, 0), Bytes(extent)));
    tx.done();
    return out;
}

Result<NodeId> FileSystem::tmpfile(NodeId dir_id, const vfs::NewInode& wanted) {
    auto op = trace_.span("tmpfile");
    auto tx = TRY(begin(dir_id.tree, {.items = 8}));
    Tree* tree = TRY(tx.tree(dir_id.tree));
    if (dir_id.ino.value == empty_subvol_dir_objectid) return fail(Cause::NotSupported);
    InodePtr dir = TRY(directory(dir_id));
    if ((dir->item.flags & inode_immutable) != 0) return fail(Cause::NotPermitted, "an immutable directory");
    if ((tree->item.flags & root_subvol_rdonly) != 0) return fail(Cause::ReadOnly, "a read-only subvolume");
    vfs::NewInode file = wanted;
    file.mode = (wanted.mode & ~mode_type) | 0100000;
    InheritedAcl acl = TRY(inherit_acl(*dir, file));
    disk::btrfs_inode_item item = fresh_inode(tx, dir->item, file, acl.mode);
    item.nlink = 0;
    NodeId out{tree->id(), InodeNo{TRY(take_inode_number(tx, *tree))}};
    TRY(insert_item(tx, *tree, make_key(out.ino.value, KeyType::InodeItem, 0), item));
    TRY(inherit_compression(tx, *tree, *dir, out.ino.value));
    TRY(put_inherited_acl(tx, *tree, out.ino.value, acl));
    TRY(insert_item(tx, *tree, make_key(orphan_objectid, KeyType::OrphanItem, out.ino.value), Bytes{}));
    InodePtr inode = inodes_.add(out, item);
    inode->orphan = inode->linkable = true;
    inode->holds = 1;
    tx.done();
    return out;
}

Result<void> FileSystem::link(NodeId id, NodeId dir, std::string_view name) {
    auto op = trace_.span("link", [&] { return escaped(name); });
    auto tx = TRY(begin(dir.tree, {.items = 8}));
    const bool empty_subvol = id.ino.value == empty_subvol_dir_objectid;
    InodePtr inode = empty_subvol ? nullptr : TRY(inodes_.get(id));
    NewName place = TRY(new_name(tx, dir, name, Cause::NotPermitted));
    if (empty_subvol || inode->type() == FileType::Directory) return fail(Cause::NotPermitted, "a directory");
    if ((inode->item.flags & (inode_immutable | inode_append)) != 0) return fail(Cause::NotPermitted);
    if (inode->item.nlink == 0 && !inode->linkable) return fail(Cause::NotFound, "its last name was removed");
    if (id.tree != dir.tree) return fail(Cause::CrossDevice);
    if (inode->item.nlink >= links_max) return fail(Cause::TooManyLinks);
    const u64 number = id.ino.value;
    InodeRef ref = TRY(place_inode_ref(volume_, place.tree->root, number, place.dir_number(), name));
    const u64 index = TRY(take_dir_index(tx, *place.dir));
    TRY(add_inode_ref(tx, *place.tree, number, place.dir_number(), name, ref, index));
    EntryTarget target{make_key(number, KeyType::InodeItem, 0), entry_type(inode->item.mode)};
    TRY(add_dir_entry(tx, *place.tree, place.dir_number(), name, place.place, index, target));
    if (inode->orphan) {
        TRY(erase_item(tx, *place.tree, make_key(orphan_objectid, KeyType::OrphanItem, number)));
        inode->orphan = inode->linkable = false;
    }
    const TimeSpec now = tx.now();
    inode->item.nlink = inode->item.nlink + 1;
    touch_inode(*inode, now);
    touch_directory(*place.dir, name, +1, now);
    tx.done();
    return {};
}

}  // namespace glassfs::btrfs
