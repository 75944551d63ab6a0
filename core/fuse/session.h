// SPDX-License-Identifier: MIT
// A mounted file system as a directory of this machine, through FUSE: for programs that know nothing of us.
//
//     program -> system call -> kernel's fuse -> /dev/fuse -> libfuse3's threads -> Server -> vfs::FileSystem
//
// The kernel checks permissions (default_permissions), keeps what it has read and looked up, and asks from
// several threads at once. What it was told is durable after fsync(), after sync_seconds at most, and when
// serve() has ended; FUSE passes neither sync(2) nor a request at umount on, so that umount returns before
// the last sync is done.
//
// Inode numbers: a FUSE mount is one device, though a btrfs has a device number for each subvolume. The
// inodes of the mounted subvolume show their own number; those of others have the subvolume's tree id above
// it (shown_ino()).
#pragma once

#include "vfs/file_system.h"

#include <functional>
#include <memory>
#include <string>

namespace glassfs::fuse {

enum class Access : u8 { ReadOnly, ReadWrite };

struct SessionOptions {
    std::string source = {};     // what is mounted, as mount(8) and df show it
    std::string directory = {};  // where
    std::string further = {};    // options for libfuse or the kernel, as behind mount's -o
    Access access = Access::ReadOnly;
    u32 sync_seconds = 30;  // at most this long is a change not durable
    // Is told one line of each failure that isn't the caller's fault (damage, devices); from any thread.
    std::function<void(const std::string&)> log = {};
};

class Session {
  public:
    virtual ~Session() = default;  // takes the mount away

    // The file system is mounted when this returns; requests wait for serve(). `files` must outlive the
    // session. Cause::NotSupported: built without libfuse3; NotFound, NotADirectory; else NotPermitted and
    // what libfuse said.
    static Result<std::unique_ptr<Session>> mount(vfs::FileSystem& files, SessionOptions options);

    // The process goes on in the background, without terminal; the one that was started ends with code 0. No
    // thread may run yet.
    virtual Result<void> to_background() = 0;
    // Answers requests until the directory is unmounted or a signal comes (INT, TERM, HUP); then a last
    // sync().
    virtual Result<void> serve() = 0;
};

}  // namespace glassfs::fuse
