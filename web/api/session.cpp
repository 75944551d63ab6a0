// SPDX-License-Identifier: MIT
#include "api/session.h"

#include "vfs/path_walk.h"

#include <algorithm>

namespace glassfs::api {

using vfs::FileType;
using vfs::NodeId;

namespace {

constexpr u32 directory_type = 040000, regular_type = 0100000, permission_bits = 07777;
constexpr std::size_t directories_kept_max = 4096;
constexpr u32 fds_max = 65536;
constexpr u32 first_fd = 3;  // below it are the standard streams of whoever expects them

std::string_view without_slashes_at_end(std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    return path;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(std::vector<std::shared_ptr<block::Device>> devices,
                                               const mount::Options& options) {
    return std::unique_ptr<Session>(new Session(TRY(mount::open(std::move(devices), options))));
}

Result<void> Session::close() {
    for (const auto& file : opened_) {
        if (file) TRY(files().release(file->node));
    }
    opened_.clear();
    forget_directories();
    return volume_->close();
}

// ---- Paths

Result<NodeId> Session::directory(NodeId start, std::string_view path) {
    const bool absolute = start == files().root();
    if (absolute) {
        auto known = directories_.find(path);
        if (known != directories_.end()) return known->second;
    }
    NodeId found = TRY(vfs::resolve(files(), start, path, vfs::FollowLast::Yes));
    if (TRY(files().getattr(found)).type != FileType::Directory) return fail(Cause::NotADirectory);
    if (absolute) {
        if (directories_.size() >= directories_kept_max) forget_directories();
        directories_.emplace(path, found);
    }
    return found;
}

Result<Place> Session::locate_from(NodeId start, std::string_view path, Follow follow, u32 depth) {
    if (depth > vfs::symlinks_max) return fail(Cause::TooManySymlinks);
    if (path.empty()) return fail(Cause::NotFound, "empty path");
    if (path.size() > vfs::path_length_max) return fail(Cause::NameTooLong);
    if (path.front() == '/') start = files().root();
    std::string_view bare = without_slashes_at_end(path);
    Place place;
    place.slash = bare.size() < path.size();
    const std::size_t cut = bare.rfind('/');
    const std::string_view head = cut == bare.npos ? std::string_view() : bare.substr(0, cut);
    const std::string_view name = bare.substr(cut == bare.npos ? 0 : cut + 1);
    if (name.empty() || name == "." || name == "..") {
        place.node =
            name.empty() ? files().root() : TRY(vfs::resolve(files(), start, path, vfs::FollowLast::Yes));
        place.dir = *place.node;
        place.attributes = TRY(files().getattr(*place.node));
        return place;
    }
    place.dir = head.empty() ? start : TRY(directory(start, head));
    if (name.size() > vfs::name_length_max) return fail(Cause::NameTooLong);
    auto found = files().lookup(place.dir, name);
    if (!found && found.error().cause != Cause::NotFound) return fail(std::move(found).error());
    place.name = name;
    if (!found) return place;
    place.node = *found;
    if (follow == Follow::No && !place.slash) return place;
    place.attributes = TRY(files().getattr(*found));
    if (place.attributes->type == FileType::Symlink) {
        const std::string target = TRY(files().readlink(*found));
        if (target.empty()) return fail(Cause::NotFound);
        const bool slash = place.slash;
        place = TRY(locate_from(place.dir, target, Follow::Yes, depth + 1));
        place.slash |= slash;
    }
    if (place.slash && place.attributes && place.attributes->type != FileType::Directory)
        return fail(Cause::NotADirectory);
    return place;
}

Result<Place> Session::locate(std::string_view path, Follow follow) {
    return locate_from(files().root(), path, follow, 0);
}

Result<NodeId> Session::resolve(std::string_view path, Follow follow) {
    Place place = TRY(locate(path, follow));
    if (!place.node) return fail(Cause::NotFound);
    return *place.node;
}

Result<vfs::Attributes> Session::stat(std::string_view path, Follow follow) {
    Place place = TRY(locate(path, follow));
    if (!place.node) return fail(Cause::NotFound);
    if (place.attributes) return *place.attributes;
    return files().getattr(*place.node);
}

Result<Place> Session::new_place(std::string_view path, bool for_directory) {
    Place place = TRY(locate(path, Follow::No));
    if (place.node) return fail(Cause::Exists);
    if (place.slash && !for_directory) return fail(Cause::NotFound);
    return place;
}

Result<Place> Session::old_place(std::string_view path) {
    const std::string_view bare = without_slashes_at_end(path);
    Place place = TRY(locate(bare.empty() ? path : bare, Follow::No));
    if (!place.node) return fail(Cause::NotFound);
    if (!place.name.empty()) {
        place.slash = bare.size() < path.size();
        if (place.slash && TRY(files().getattr(*place.node)).type != FileType::Directory)
            return fail(Cause::NotADirectory);
        return place;
    }
    if (bare.empty()) return fail(Cause::Busy);
    if (bare.ends_with("..")) return fail(Cause::NotEmpty);
    return fail(Cause::InvalidArgument);
}

// ---- Files

Result<NodeId> Session::file_for(std::string_view path, u32 flags, u32 mode) {
    const bool exclusive = (flags & open_create) != 0 && (flags & open_exclusive) != 0;
    const bool follow = !exclusive && (flags & open_no_follow) == 0;
    Place place = TRY(locate(path, follow ? Follow::Yes : Follow::No));
    if (!place.node) {
        if ((flags & open_create) == 0) return fail(Cause::NotFound);
        if (place.slash) return fail(Cause::IsADirectory);
        return files().create(place.dir, place.name, new_inode(regular_type | (mode & permission_bits)));
    }
    if (exclusive) return fail(Cause::Exists);
    const FileType type = place.attributes ? place.attributes->type : TRY(files().getattr(*place.node)).type;
    if (type == FileType::Symlink) return fail(Cause::TooManySymlinks);
    const bool writes = (flags & open_access_mask) != 0;
    if (type == FileType::Directory) {
        if (writes || (flags & open_create) != 0) return fail(Cause::IsADirectory);
        return *place.node;
    }
    if ((flags & open_directory) != 0) return fail(Cause::NotADirectory);
    if (type != FileType::Regular) return fail(Cause::NotSupported);
    const bool filled = place.attributes ? place.attributes->size != 0 : true;
    if ((flags & open_truncate) != 0 && filled) TRY(files().truncate(*place.node, 0));
    return *place.node;
}

Result<u32> Session::open_file(std::string_view path, u32 flags, u32 mode) {
    u32 slot = 0;
    while (slot < opened_.size() && opened_[slot]) ++slot;
    if (slot >= fds_max) return fail(Cause::OutOfMemory, "too many open files");
    NodeId node = TRY(file_for(path, flags, mode));
    files().hold(node);
    if (slot == opened_.size()) opened_.emplace_back();
    opened_[slot] = OpenedFile{node, flags, 0};
    return slot + first_fd;
}

OpenedFile* Session::opened(u32 fd) {
    const u32 slot = fd - first_fd;
    if (fd < first_fd || slot >= opened_.size() || !opened_[slot]) return nullptr;
    return &*opened_[slot];
}

Result<void> Session::close_file(u32 fd) {
    const NodeId node = opened(fd)->node;
    opened_[fd - first_fd].reset();
    return files().release(node);
}

Result<std::size_t> Session::read(OpenedFile& file, std::optional<u64> at, MutBytes out) {
    const std::size_t got = TRY(files().read(file.node, at.value_or(file.position), out));
    if (!at) file.position += got;
    return got;
}

Result<std::size_t> Session::write(OpenedFile& file, std::optional<u64> at, Bytes data) {
    if ((file.flags & open_append) != 0) at = TRY(files().getattr(file.node)).size;
    const std::size_t done = TRY(files().write(file.node, at.value_or(file.position), data));
    if (!at) file.position += done;
    return done;
}

// ---- Names

Result<void> Session::make_directory(std::string_view path, u32 mode) {
    Place place = TRY(new_place(path, true));
    TRY(files().create(place.dir, place.name, new_inode(directory_type | (mode & permission_bits))));
    return {};
}

Result<void> Session::remove_directory(std::string_view path) {
    Place place = TRY(old_place(path));
    forget_directories();
    return files().rmdir(place.dir, place.name);
}

Result<void> Session::unlink(std::string_view path) {
    Place place = TRY(old_place(path));
    const FileType type = TRY(files().getattr(*place.node)).type;
    if (type == FileType::Directory) return fail(Cause::IsADirectory);
    if (type == FileType::Symlink) forget_directories();
    return files().unlink(place.dir, place.name);
}

Result<void> Session::rename(std::string_view from, std::string_view to) {
    Place source = TRY(old_place(from));
    Place target =
        TRY(locate(without_slashes_at_end(to).empty() ? to : without_slashes_at_end(to), Follow::No));
    if (target.name.empty()) return fail(Cause::Busy);
    const FileType type = TRY(files().getattr(*source.node)).type;
    const bool slash = to.ends_with('/');
    if (slash && type != FileType::Directory) return fail(Cause::NotADirectory);
    const bool over_symlink = target.node && TRY(files().getattr(*target.node)).type == FileType::Symlink;
    if (type != FileType::Regular || over_symlink) forget_directories();
    return files().rename(source.dir, source.name, target.dir, target.name, vfs::RenameKind::Replace);
}

Result<void> Session::link(std::string_view from, std::string_view to) {
    const NodeId node = TRY(resolve(from, Follow::No));
    Place place = TRY(new_place(to, false));
    return files().link(node, place.dir, place.name);
}

Result<void> Session::symlink(std::string_view target, std::string_view path) {
    Place place = TRY(new_place(path, false));
    TRY(files().symlink(place.dir, place.name, target, new_inode(0120777)));
    return {};
}

Result<void> Session::copy_file(std::string_view from, std::string_view to, u32 flags) {
    const vfs::Attributes source = TRY(stat(from, Follow::Yes));
    if (source.type == FileType::Directory) return fail(Cause::IsADirectory);
    if (source.type != FileType::Regular) return fail(Cause::NotSupported);
    const NodeId target = TRY(file_for(to, open_write_only | open_create | flags, source.mode));
    if (target == source.id) return {};
    TRY(files().truncate(target, 0));
    if (source.size == 0) return {};
    auto cloned = files().clone_range(source.id, 0, 0, target, 0);
    if (cloned) return {};
    Buffer piece(1 << 20);
    for (u64 at = 0; at < source.size;) {
        const std::size_t got = TRY(files().read(source.id, at, piece));
        if (got == 0) break;
        if (TRY(files().write(target, at, Bytes(piece).first(got))) < got) return fail(Cause::NoSpace);
        at += got;
    }
    return {};
}

// ---- Subvolumes

Result<void> Session::create_subvolume(std::string_view path) {
    Place place = TRY(new_place(path, true));
    TRY(files().create_subvolume(place.dir, place.name, new_inode(directory_type | 0755)));
    return {};
}

Result<void> Session::snapshot(NodeId source, std::string_view path, vfs::SnapshotKind kind) {
    Place place = TRY(new_place(path, true));
    TRY(files().snapshot(source, place.dir, place.name, kind));
    return {};
}

Result<void> Session::exchange(std::string_view one, std::string_view other) {
    Place first = TRY(old_place(one));
    Place second = TRY(old_place(other));
    forget_directories();
    return files().rename(first.dir, first.name, second.dir, second.name, vfs::RenameKind::Exchange);
}

Result<void> Session::delete_subvolume(std::string_view path) {
    Place place = TRY(old_place(path));
    forget_directories();
    return files().delete_subvolume(place.dir, place.name);
}

Result<u64> Session::roll_back(u64 subvolume) {
    const NodeId source = TRY(volume_->subvolume(subvolume));
    const NodeId top = TRY(volume_->subvolume(0));
    std::string name;
    for (u32 number = 1; name.empty(); ++number) {
        std::string next = "rollback-" + std::to_string(number);
        auto taken = files().lookup(top, next);
        if (!taken && taken.error().cause != Cause::NotFound) return fail(std::move(taken).error());
        if (!taken) name = std::move(next);
    }
    const NodeId made = TRY(files().snapshot(source, top, name, vfs::SnapshotKind::Writable));
    TRY(volume_->set_default_subvolume(made.tree));
    return files().root().tree;
}

Result<void> Session::remove_old_root(u64 tree) {
    const NodeId top = TRY(volume_->subvolume(0));
    std::string name;
    TRY(files().readdir(top, 0, [&](const vfs::DirEntry& entry) {
        if (entry.id.tree == tree && tree != top.tree) name = entry.name;
        return name.empty();
    }));
    return name.empty() ? Result<void>{} : files().delete_subvolume(top, name);
}

}  // namespace glassfs::api
