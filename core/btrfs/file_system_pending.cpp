// SPDX-License-Identifier: MIT
// Operations whose writing half isn't there yet; each goes when it is.
#include "btrfs/file_pages.h"
#include "btrfs/file_system.h"

namespace glassfs::btrfs {

using vfs::NodeId;

Result<std::size_t> FileSystem::write(NodeId, u64, Bytes) { return fail(Cause::ReadOnly); }
Result<void> FileSystem::truncate(NodeId, u64) { return fail(Cause::ReadOnly); }
Result<void> FileSystem::fallocate(NodeId, vfs::FallocateMode, u64, u64) { return fail(Cause::ReadOnly); }
Result<void> FileSystem::clone_range(NodeId, u64, u64, NodeId, u64) { return fail(Cause::ReadOnly); }
Result<void> FileSystem::write_back_file(const InodePtr&) { return {}; }

}  // namespace glassfs::btrfs
