// SPDX-License-Identifier: MIT
// Inodes, names and what is read of them; host_files.cpp has what changes one inode.
#include "host_fs.h"

#include "host_errors.h"
#include "host_owner.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace glassfs::differential {

using vfs::FileType;
using vfs::NewInode;

namespace {

struct RawEntry {  // linux_dirent64
    u64 ino;
    s64 next;
    u16 length;
    u8 type;
    char name[1];
};

FileType type_of_entry(u8 type) {
    return vfs::file_type_of_mode(static_cast<u32>(DTTOIF(type)));
}

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

Result<std::unique_ptr<HostFs>> HostFs::open(const std::string& directory) {
    ::umask(0);
    if (auto made = done(::prctl(PR_SET_SECUREBITS, 1 << 2)); !made) return fail(made.error());
    std::unique_ptr<HostFs> files(new HostFs());
    Descriptor top(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (top.number() < 0) return last_error();
    files->root_ = TRY(files->adopt(std::move(top)));
    files->hold(files->root_);
    return files;
}

void HostFs::forget() {
    std::erase_if(nodes_, [](const auto& entry) { return entry.second.holds == 0; });
}

Result<vfs::NodeId> HostFs::adopt(Descriptor descriptor) {
    struct stat found {};
    if (::fstat(descriptor.number(), &found) != 0) return last_error();
    NodeId id{found.st_dev, InodeNo{found.st_ino}};
    Node& node = nodes_[id];
    if (node.path.number() < 0) node.path = std::move(descriptor);
    return id;
}

Result<int> HostFs::path_of(NodeId id) {
    auto found = nodes_.find(id);
    if (found == nodes_.end()) return fail(Cause::NotFound, "not looked up");
    return found->second.path.number();
}

// A descriptor that can do more than O_PATH's. Only files and directories are opened: behind a device node
// there could be a device.
Result<Descriptor> HostFs::reopen(NodeId id, int flags) {
    auto type = TRY(type_of(id));
    if (type != FileType::Regular && type != FileType::Directory) {
        return fail((flags & O_DIRECTORY) ? Cause::NotADirectory : Cause::InvalidArgument);
    }
    std::string path = "/proc/self/fd/" + std::to_string(TRY(path_of(id)));
    Descriptor opened(::open(path.c_str(), flags | O_CLOEXEC));
    if (opened.number() < 0) return last_error();
    return opened;
}

Result<vfs::NodeId> HostFs::lookup(NodeId dir, std::string_view name) {
    int parent = TRY(path_of(dir));
    Descriptor found(::openat(parent, std::string(name).c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (found.number() < 0) return last_error();
    return adopt(std::move(found));
}

Result<vfs::NodeId> HostFs::parent(NodeId dir) {
    if (dir == root_) return root_;
    return lookup(dir, "..");
}

// The numbers in the entries are the host's; of a subvolume's name it is the number in its own tree.
Result<void> HostFs::readdir(NodeId dir, u64 cookie, const std::function<bool(const vfs::DirEntry&)>& visit) {
    Descriptor opened = TRY(reopen(dir, O_RDONLY | O_DIRECTORY));
    if (cookie != 0 && ::lseek(opened.number(), static_cast<off_t>(cookie), SEEK_SET) < 0)
        return last_error();
    alignas(RawEntry) char buffer[32768];
    for (;;) {
        long bytes = ::syscall(SYS_getdents64, opened.number(), buffer, sizeof buffer);
        if (bytes < 0) return last_error();
        if (bytes == 0) return {};
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const RawEntry*>(buffer + at);
            at += entry->length;
            std::string name = buffer + at - entry->length + offsetof(RawEntry, name);
            if (name == "." || name == "..") continue;
            NodeId id{dir.tree, InodeNo{entry->ino}};
            if (!visit({name, id, type_of_entry(entry->type), static_cast<u64>(entry->next)})) return {};
        }
    }
}

Result<vfs::NodeId> HostFs::create(NodeId dir, std::string_view name, const NewInode& wanted) {
    int parent = TRY(path_of(dir));
    std::string path(name);
    {
        OwnedBy owner(wanted);
        if (vfs::file_type_of_mode(wanted.mode) == FileType::Directory) {
            TRY(done(::mkdirat(parent, path.c_str(), wanted.mode & 07777)));
        } else {
            dev_t device = ::makedev(wanted.rdev.major, wanted.rdev.minor);
            TRY(done(::mknodat(parent, path.c_str(), wanted.mode, device)));
        }
    }
    return lookup(dir, name);
}

Result<vfs::NodeId> HostFs::symlink(NodeId dir, std::string_view name, std::string_view target,
                                    const NewInode& wanted) {
    int parent = TRY(path_of(dir));
    {
        OwnedBy owner(wanted);
        TRY(done(::symlinkat(std::string(target).c_str(), parent, std::string(name).c_str())));
    }
    return lookup(dir, name);
}

Result<vfs::NodeId> HostFs::tmpfile(NodeId dir, const NewInode& wanted) {
    int parent = TRY(path_of(dir));
    OwnedBy owner(wanted);
    Descriptor made(::openat(parent, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, wanted.mode & 07777));
    if (made.number() < 0) return last_error();
    NodeId id = TRY(adopt(std::move(made)));
    hold(id);
    return id;
}

Result<void> HostFs::link(NodeId id, NodeId dir, std::string_view name) {
    int from = TRY(path_of(id)), to = TRY(path_of(dir));
    return done(::linkat(from, "", to, std::string(name).c_str(), AT_EMPTY_PATH));
}

Result<void> HostFs::unlink(NodeId dir, std::string_view name) {
    return done(::unlinkat(TRY(path_of(dir)), std::string(name).c_str(), 0));
}

Result<void> HostFs::rmdir(NodeId dir, std::string_view name) {
    return done(::unlinkat(TRY(path_of(dir)), std::string(name).c_str(), AT_REMOVEDIR));
}

Result<void> HostFs::rename(NodeId from_dir, std::string_view from, NodeId to_dir, std::string_view to,
                            vfs::RenameKind kind) {
    int old_parent = TRY(path_of(from_dir)), new_parent = TRY(path_of(to_dir));
    unsigned flags = kind == vfs::RenameKind::NoReplace  ? RENAME_NOREPLACE
                     : kind == vfs::RenameKind::Exchange ? RENAME_EXCHANGE
                                                         : 0U;
    return done(
        ::renameat2(old_parent, std::string(from).c_str(), new_parent, std::string(to).c_str(), flags));
}

void HostFs::hold(NodeId id) {
    if (auto found = nodes_.find(id); found != nodes_.end()) found->second.holds += 1;
}

Result<void> HostFs::release(NodeId id) {
    auto found = nodes_.find(id);
    if (found == nodes_.end()) return fail(Cause::NotFound);
    if (found->second.holds > 0) found->second.holds -= 1;
    return {};
}

Result<vfs::NodeId> HostFs::create_subvolume(NodeId dir, std::string_view name, const NewInode& wanted) {
    Descriptor parent = TRY(reopen(dir, O_RDONLY | O_DIRECTORY));
    btrfs_ioctl_vol_args request{};
    name.copy(request.name, BTRFS_PATH_NAME_MAX);
    {
        OwnedBy owner(wanted);
        ::umask(~wanted.mode & 0777);  // the only way to give it a mode
        long answer = ::ioctl(parent.number(), BTRFS_IOC_SUBVOL_CREATE, &request);
        ::umask(0);
        TRY(done(answer));
    }
    return lookup(dir, name);
}

Result<vfs::NodeId> HostFs::snapshot(NodeId source, NodeId dir, std::string_view name,
                                     vfs::SnapshotKind kind) {
    Descriptor from = TRY(reopen(source, O_RDONLY));
    Descriptor parent = TRY(reopen(dir, O_RDONLY | O_DIRECTORY));
    btrfs_ioctl_vol_args_v2 request{};
    request.fd = from.number();
    if (kind == vfs::SnapshotKind::ReadOnly) request.flags = BTRFS_SUBVOL_RDONLY;
    name.copy(request.name, BTRFS_SUBVOL_NAME_MAX);
    TRY(done(::ioctl(parent.number(), BTRFS_IOC_SNAP_CREATE_V2, &request)));
    return lookup(dir, name);
}

Result<void> HostFs::delete_subvolume(NodeId dir, std::string_view name) {
    Descriptor parent = TRY(reopen(dir, O_RDONLY | O_DIRECTORY));
    btrfs_ioctl_vol_args request{};
    name.copy(request.name, BTRFS_PATH_NAME_MAX);
    return done(::ioctl(parent.number(), BTRFS_IOC_SNAP_DESTROY, &request));
}

}  // namespace glassfs::differential
