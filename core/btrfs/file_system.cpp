// SPDX-License-Identifier: MIT
// Subvolumes, inodes and attributes.
#include "btrfs/file_system.h"

#include "btrfs/file_write.h"
#include "btrfs/space_use.h"

#include <algorithm>
#include <charconv>

namespace glassfs::btrfs {

using vfs::Attributes;
using vfs::NodeId;

namespace {

std::optional<u64> parse_number(std::string_view word) {
    u64 value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
    return value;
}

TimeSpec to_time(const disk::btrfs_timespec& time) {
    return {static_cast<s64>(time.sec.get()), time.nsec};
}

// btrfs stores Linux's internal dev_t: 12 bits of major above 20 bits of minor.
vfs::DeviceNumber to_device_number(u64 rdev) {
    return {static_cast<u32>(rdev >> 20), static_cast<u32>(rdev & 0xfffff)};
}

}  // namespace

FileSystem::FileSystem(Volume& volume, WritableVolume* store, trace::Tracer tracer)
    : volume_(volume), store_(store), inodes_(volume), data_(volume), trace_(tracer) {
    if (store == nullptr) return;
    writer_ = std::make_unique<FileWriter>(volume, *store, data_, inodes_);
    writer_->when_full([this] { return clean_up_all(); });
}
FileSystem::~FileSystem() {
    if (store_ != nullptr) store_->before_commit({});
}

std::shared_lock<std::shared_mutex> FileSystem::reading() const {
    return store_ == nullptr ? std::shared_lock<std::shared_mutex>() : volume_.reading();
}

Result<std::unique_ptr<FileSystem>> FileSystem::open(Volume& volume, WritableVolume* store,
                                                     std::string_view subvolume, trace::Tracer tracer) {
    std::unique_ptr<FileSystem> fs(new FileSystem(volume, store, tracer));
    {
        auto lock = fs->reading();
        TRY(fs->open_root(subvolume));
    }
    if (store != nullptr) {
        store->before_commit([files = fs.get()](Transaction& tx) { return files->inodes_.flush(tx); });
        // What can't be deleted stays as it is, and is tried again at the next mount.
        (void)fs->clean_after_crash();
    }
    return fs;
}

Result<void> FileSystem::open_root(std::string_view subvolume) {
    if (auto id = parse_number(subvolume)) {
        root_ = TRY(subvolume_root(*id));
        return {};
    }
    if (subvolume.empty()) {
        u64 id = TRY(default_subvolume());
        auto root = subvolume_root(id);
        // Damaged or absent: everything else of the volume can still be looked at.
        root_ = root ? *root : NodeId{id, InodeNo{first_free_objectid}};
        return {};
    }
    root_ = TRY(subvolume_root(fs_tree_objectid));
    NodeId at = root_;
    while (!subvolume.empty()) {
        std::string_view name = subvolume.substr(0, subvolume.find('/'));
        subvolume.remove_prefix(std::min(subvolume.size(), name.size() + 1));
        if (!name.empty()) at = TRY(lookup_name(at, name));
    }
    if (at.ino.value != first_free_objectid) return fail(Cause::InvalidArgument, "not a subvolume");
    root_ = at;
    return {};
}

// The entry "default" of the root tree's directory names it; without one it is the top level.
Result<u64> FileSystem::default_subvolume() {
    constexpr std::string_view name = "default";
    Cursor cursor(volume_, volume_.root_tree());
    Key key = make_key(root_tree_dir_objectid, KeyType::DirItem, name_hash(name));
    auto found = cursor.seek(key);
    if (!found || !*found || cursor.key() != key || !cursor.check()) return fs_tree_objectid;
    for (const NamedEntry& entry : parse_entries(cursor.data())) {
        if (entry.name == name && entry.head->location.type == static_cast<u8>(KeyType::RootItem)) {
            return entry.head->location.objectid.get();
        }
    }
    return fs_tree_objectid;
}

Result<NodeId> FileSystem::subvolume_root(u64 tree) {
    bool is_subvolume =
        tree == fs_tree_objectid || (tree >= first_free_objectid && tree <= last_free_objectid);
    if (!is_subvolume) return fail(Cause::RootMissing, {.tree = tree}, "not a subvolume");
    auto item = TRY(volume_.root_item(tree));
    // Deleted: what is left of it is on its way out, and nothing in it can be relied on.
    if (item.refs == 0) return fail(Cause::RootMissing, {.tree = tree}, "the subvolume is deleted");
    u64 dir = item.root_dirid;
    return NodeId{tree, InodeNo{dir == 0 ? first_free_objectid : dir}};
}

Result<disk::btrfs_inode_item> FileSystem::inode_item(NodeId id) {
    return TRY(inodes_.get(id))->item;
}

Result<InodePtr> FileSystem::file_inode(NodeId id) {
    if (id.ino.value == empty_subvol_dir_objectid) return fail(Cause::IsADirectory);
    auto lock = reading();
    return inodes_.get(id);
}

Result<Attributes> FileSystem::getattr(NodeId id) {
    auto op = trace_.span("getattr");
    Attributes out;
    out.id = id;
    out.block_size = volume_.geometry().sector_size;
    if (id.ino.value == empty_subvol_dir_objectid) {
        out.type = vfs::FileType::Directory;
        out.mode = 0040755;
        out.nlink = 1;
        return out;
    }
    InodePtr inode = TRY(file_inode(id));
    // What is dirty counts as well; it stays while it is looked at.
    std::shared_lock data(inode->lock);
    auto lock = reading();
    const auto& item = inode->item;
    out.mode = item.mode;
    out.type = vfs::file_type_of_mode(out.mode);
    out.uid = item.uid;
    out.gid = item.gid;
    out.nlink = item.nlink;
    out.size = size_of(*inode);
    u64 sector = volume_.geometry().sector_size;
    out.bytes = (TRY(allocated_bytes(volume_, *inode)) + sector - 1) / sector * sector;
    out.rdev = to_device_number(item.rdev);
    out.atime = to_time(item.atime);
    out.mtime = to_time(item.mtime);
    out.ctime = to_time(item.ctime);
    out.btime = to_time(item.otime);
    out.generation = item.generation;
    out.flags = item.flags;
    return out;
}

Result<vfs::StatFs> FileSystem::statfs() {
    auto lock = reading();
    const auto& super = store_ == nullptr ? volume_.super() : store_->super();
    auto space = space_use(volume_, super, store_ == nullptr ? nullptr : &store_->groups());
    if (space) return space;
    // Damaged, or without these trees: what the superblock says.
    u64 used = std::min(super.bytes_used.get(), super.total_bytes.get());
    return vfs::StatFs{super.sectorsize, super.total_bytes, used, super.total_bytes - used};
}

Result<std::vector<vfs::Xattr>> FileSystem::xattrs(NodeId id) {
    auto op = trace_.span("listxattr");
    auto lock = reading();
    std::vector<vfs::Xattr> out;
    if (id.ino.value == empty_subvol_dir_objectid) return out;
    Key first = make_key(id.ino.value, KeyType::XattrItem, 0);
    Key last = make_key(id.ino.value, KeyType::XattrItem, ~0ULL);
    TreeRoot root = TRY(volume_.tree_root(id.tree));
    TRY(for_each_item(volume_, root, first, last, [&](const Cursor& at) -> Result<bool> {
        TRY(at.check());
        for (const NamedEntry& entry : parse_entries(at.data())) {
            out.push_back({std::string(entry.name), Buffer(entry.value.begin(), entry.value.end())});
        }
        return true;
    }));
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return out;
}

}  // namespace glassfs::btrfs
