// SPDX-License-Identifier: MIT
#include "fuse/server.h"

#include <sys/sysmacros.h>

namespace glassfs::fuse {

namespace {

// btrfs shows a directory with this inode number for a nested subvolume that a snapshot doesn't have. A
// subvolume may have several, and they are one inode only in number.
constexpr u64 absent_subvolume_ino = 2;

timespec to_timespec(const TimeSpec& time) {
    timespec out{};
    out.tv_sec = static_cast<time_t>(time.seconds);
    out.tv_nsec = static_cast<long>(time.nanos);
    return out;
}

}  // namespace

Server::Server(vfs::FileSystem& files, const SessionOptions& options)
    : files_(files), options_(options), nodes_(files.root()), root_tree_(files.root().tree) {}

void Server::log(const char* what, const Error& error) const {
    Errno code = error.code();
    bool ours = code == Errno::IO || code == Errno::UCLEAN;
    if (ours && options_.log) options_.log(std::string(what) + ": " + error.message());
}

struct stat Server::to_stat(const vfs::Attributes& attributes) const {
    struct stat out {};
    out.st_ino = shown_ino(attributes.id, root_tree_);
    out.st_mode = attributes.mode;
    out.st_nlink = attributes.nlink;
    out.st_uid = attributes.uid;
    out.st_gid = attributes.gid;
    out.st_rdev = makedev(attributes.rdev.major, attributes.rdev.minor);
    out.st_size = static_cast<off_t>(attributes.size);
    out.st_blksize = static_cast<blksize_t>(attributes.block_size);
    out.st_blocks = static_cast<blkcnt_t>((attributes.bytes + 511) / 512);
    out.st_atim = to_timespec(attributes.atime);
    out.st_mtim = to_timespec(attributes.mtime);
    out.st_ctim = to_timespec(attributes.ctime);
    return out;
}

Result<fuse_entry_param> Server::entry(vfs::NodeId node) {
    fuse_entry_param out{};
    vfs::Attributes attributes = TRY(files_.getattr(node));
    out.attr = to_stat(attributes);
    bool absent = node.tree != 0 && node.ino.value == absent_subvolume_ino;
    out.ino = absent ? nodes_.enter_alone(node) : nodes_.enter(node);
    out.attr_timeout = attributes_timeout();
    out.entry_timeout = names_timeout();
    return out;
}

void Server::release(vfs::NodeId node) {
    if (auto done = files_.release(node); !done) log("release", done.error());
    note_change();
}

void Server::forget(Nodeid nodeid, u64 count) {
    if (auto held = nodes_.forget(nodeid, count)) release(*held);
}

// The kernel has the directory locked, and knows the inode as long as it asks: neither changes meanwhile.
void Server::hold_victim(vfs::NodeId dir, std::string_view name) {
    auto victim = files_.lookup(dir, name);
    if (victim && nodes_.hold(*victim)) files_.hold(*victim);
}

void Server::release_held() {
    for (vfs::NodeId node : nodes_.take_held()) release(node);
}

Result<void> reply_with_entry(fuse_req_t request, Server& server, vfs::NodeId node) {
    fuse_entry_param entry = TRY(server.entry(node));
    if (fuse_reply_entry(request, &entry) != 0) server.give_back(entry);
    return {};
}

}  // namespace glassfs::fuse
