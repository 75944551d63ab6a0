// SPDX-License-Identifier: MIT
// From a path to an inode, with the rules and errors of Linux's path lookup (path_resolution(7)).
#pragma once

#include "vfs/file_system.h"

namespace glassfs::vfs {

// Whether a symlink that is the path's last component is followed (stat) or meant itself (lstat).
enum class FollowLast : u8 { No, Yes };

inline constexpr std::size_t path_length_max = 4095;  // bytes, without a terminating NUL
inline constexpr std::size_t name_length_max = 255;   // bytes
inline constexpr unsigned symlinks_max = 40;          // followed in one resolution

// The inode that `path` names. "/" and absolute symlinks mean the volume's root, and ".." doesn't lead above
// it; a relative path begins at the root (or at `start`). A trailing slash demands a directory and follows a
// symlink. Cause::NotFound (also an empty path or symlink), Cause::NotADirectory, Cause::TooManySymlinks,
// Cause::NameTooLong, and what the file system gives.
Result<NodeId> resolve(FileSystem& files, std::string_view path, FollowLast follow_last);
Result<NodeId> resolve(FileSystem& files, NodeId start, std::string_view path, FollowLast follow_last);

}  // namespace glassfs::vfs
