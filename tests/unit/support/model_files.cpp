// SPDX-License-Identifier: MIT
// The model's file data: writing, sizes, allocation, shared extents.
#include "support/model_fs.h"
#include "support/model_rules.h"

namespace glassfs::support {

using vfs::FallocateMode;
using vfs::FileType;
using Lock = std::lock_guard<std::mutex>;

namespace {

// To bytes beyond file_bytes_max, however large both are.
bool ends_beyond_limit(u64 at, u64 length) {
    return at > file_bytes_max || length > file_bytes_max - at;
}

u64 rounded_up(u64 bytes) {
    return (bytes + ModelBlocks::block - 1) / ModelBlocks::block * ModelBlocks::block;
}

}  // namespace

Result<std::size_t> ModelFs::read(NodeId id, u64 at, MutBytes out) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    if (inode->stat.type == FileType::Directory) return fail(Cause::IsADirectory);
    if (inode->stat.type != FileType::Regular) return fail(Cause::InvalidArgument);
    return inode->blocks.read(at, out);
}

Result<u64> ModelFs::seek(NodeId id, u64 at, vfs::Whence whence) {
    Lock lock(mutex_);
    Inode* inode = TRY(find(id));
    if (at >= inode->blocks.size()) return fail(Cause::NoDataBehind);
    auto found = inode->blocks.seek(at, whence);
    if (!found) return fail(Cause::NoDataBehind);
    return *found;
}

Result<void> ModelFs::extents(NodeId id, const std::function<bool(const vfs::FileExtent&)>& visit) {
    ModelBlocks blocks;
    {
        Lock lock(mutex_);
        blocks = TRY(find(id))->blocks;
    }
    blocks.extents(visit);
    return {};
}

// As open() for writing and what takes a file descriptor then.
Result<ModelFs::Inode*> ModelFs::writable_file(NodeId id) {
    Inode* inode = TRY(find(id));
    if (inode->stat.type == FileType::Directory) return fail(Cause::IsADirectory);
    if (inode->stat.type != FileType::Regular) return fail(Cause::InvalidArgument);
    TRY(may_change(id));
    if (inode->stat.flags & flag_append) return fail(Cause::NotPermitted);
    return inode;
}

Result<std::size_t> ModelFs::write(NodeId id, u64 at, Bytes data) {
    Lock lock(mutex_);
    Inode* inode = TRY(writable_file(id));
    if (ends_beyond_limit(at, data.size())) return fail(Cause::InvalidArgument);
    if (data.empty()) return std::size_t{0};
    inode->blocks.write(at, data);
    touch(id, environment_.now());
    return data.size();
}

// Even to the same size: the times change, and what is allocated behind the end is freed.
Result<void> ModelFs::truncate(NodeId id, u64 size) {
    Lock lock(mutex_);
    Inode* inode = TRY(writable_file(id));
    if (size > file_bytes_max) return fail(Cause::InvalidArgument);
    inode->blocks.truncate(size);
    touch(id, environment_.now());
    return {};
}

Result<void> ModelFs::fallocate(NodeId id, FallocateMode mode, u64 begin, u64 length) {
    Lock lock(mutex_);
    Inode* inode = TRY(writable_file(id));
    if (length == 0 || length > file_bytes_max || begin > file_bytes_max) return fail(Cause::InvalidArgument);
    if (ends_beyond_limit(begin, length)) return fail(Cause::FileTooBig);
    switch (mode) {
        case FallocateMode::Allocate:
            inode->blocks.allocate(begin, length, SizeChange::Grow);
            break;
        case FallocateMode::KeepSize:
            inode->blocks.allocate(begin, length, SizeChange::Keep);
            break;
        case FallocateMode::PunchHole:
            inode->blocks.punch(begin, length);
            break;
        case FallocateMode::ZeroRange:
            inode->blocks.zero_range(begin, length, SizeChange::Grow);
            break;
        case FallocateMode::ZeroRangeKeepSize:
            inode->blocks.zero_range(begin, length, SizeChange::Keep);
            break;
        case FallocateMode::CollapseRange:
        case FallocateMode::InsertRange:
            return fail(Cause::NotSupported);
    }
    touch(id, environment_.now());
    return {};
}

// `length` 0 becomes the rest of `from`.
Result<void> ModelFs::check_clone(const Inode& from, NodeId from_id, u64 from_at, u64& length,
                                  const Inode& to, NodeId to_id, u64 to_at) const {
    constexpr u64 block = ModelBlocks::block;
    u64 from_size = from.blocks.size();
    if (length > file_bytes_max || ends_beyond_limit(from_at, length) || ends_beyond_limit(to_at, length) ||
        (from.stat.flags & flag_nodatasum) != (to.stat.flags & flag_nodatasum)) {
        return fail(Cause::InvalidArgument);
    }
    if (length == 0) {
        if (from_at > from_size) return fail(Cause::InvalidArgument);
        length = from_size - from_at;
        if (length == 0) return {};
    }
    bool to_end = from_at + length == from_size;
    if (from_at % block != 0 || to_at % block != 0 || from_at >= from_size || length > from_size - from_at ||
        ends_beyond_limit(to_at, length)) {
        return fail(Cause::InvalidArgument);
    }
    // A part of a block can only become a last block: the rest of it isn't the source's.
    if (length % block != 0 && (!to_end || to_at + length < to.blocks.size())) {
        return fail(Cause::InvalidArgument);
    }
    u64 covered = rounded_up(length);
    if (from_id == to_id && to_at < from_at + covered && from_at < to_at + covered) {
        return fail(Cause::InvalidArgument);
    }
    return {};
}

Result<void> ModelFs::clone_range(NodeId from_id, u64 from_at, u64 length, NodeId to_id, u64 to_at) {
    Lock lock(mutex_);
    Inode* from = TRY(find(from_id));
    Inode* to = TRY(writable_file(to_id));
    if (from->stat.type == FileType::Directory) return fail(Cause::IsADirectory);
    if (from->stat.type != FileType::Regular) return fail(Cause::InvalidArgument);
    TRY(check_clone(*from, from_id, from_at, length, *to, to_id, to_at));
    if (length == 0) return {};
    to->blocks.clone(from->blocks, from_at, length, to_at);
    touch(to_id, environment_.now());
    return {};
}

}  // namespace glassfs::support
