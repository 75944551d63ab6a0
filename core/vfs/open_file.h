// SPDX-License-Identifier: MIT
// An open file: an inode and a position, as a file descriptor has. Thread-safe: calls that use the position
// take turns, as Linux's do; pread() takes no lock. No search state is shared between threads.
#pragma once

#include "vfs/file_system.h"

#include <memory>
#include <mutex>

namespace glassfs::vfs {

enum class SeekFrom : u8 { Set, Current, End, Data, Hole };

inline constexpr u64 position_max = 0x7fff'ffff'ffff'ffff;  // bytes: Linux's loff_t

class OpenFile {
  public:
    // A regular file or a directory (which can be held and sought in, not read). Cause::NotSupported for
    // device nodes, FIFOs and sockets: nothing is behind them here; Cause::TooManySymlinks for a symlink, as
    // O_NOFOLLOW.
    static Result<std::unique_ptr<OpenFile>> open(FileSystem& files, NodeId node);
    // The file that `path` names, symlinks followed.
    static Result<std::unique_ptr<OpenFile>> open(FileSystem& files, std::string_view path);

    NodeId node() const { return node_; }

    // Up to out.size() bytes at the position, which moves behind them; 0 at the end. Cause::IsADirectory.
    Result<std::size_t> read(MutBytes out);
    // The same at byte `at`; the position stays. Cause::InvalidArgument beyond position_max.
    Result<std::size_t> pread(u64 at, MutBytes out);

    // Moves the position and returns it; on an error it stays. Set, Current and End may go behind the end of
    // the file. Data and Hole go to the next one at or behind `offset` (a negative one counts as 0); the end
    // of the file is a hole. Cause::InvalidArgument: before 0 or beyond position_max; Cause::NoDataBehind:
    // `offset` is at or behind the end, or no data follows.
    Result<u64> seek(s64 offset, SeekFrom from);

  private:
    OpenFile(FileSystem& files, NodeId node, FileType type) : files_(files), node_(node), type_(type) {}

    FileSystem& files_;
    NodeId node_;
    FileType type_;
    std::mutex mutex_;
    u64 position_ = 0;  // bytes, at most position_max
};

}  // namespace glassfs::vfs
