// SPDX-License-Identifier: MIT
// The words for file types, and the writing half of a file system that can't write.
#include "vfs/file_system.h"

namespace glassfs::vfs {

const char* file_type_name(FileType type) {
    switch (type) {
        case FileType::Unknown:
            return "unknown";
        case FileType::Regular:
            return "file";
        case FileType::Directory:
            return "dir";
        case FileType::CharDevice:
            return "char";
        case FileType::BlockDevice:
            return "block";
        case FileType::Fifo:
            return "fifo";
        case FileType::Socket:
            return "socket";
        case FileType::Symlink:
            return "symlink";
    }
    return "unknown";
}

FileType file_type_of_mode(u32 mode) {
    switch (mode & 0170000) {
        case 0010000:
            return FileType::Fifo;
        case 0020000:
            return FileType::CharDevice;
        case 0040000:
            return FileType::Directory;
        case 0060000:
            return FileType::BlockDevice;
        case 0100000:
            return FileType::Regular;
        case 0120000:
            return FileType::Symlink;
        case 0140000:
            return FileType::Socket;
        default:
            return FileType::Unknown;
    }
}

Result<NodeId> FileSystem::create(NodeId, std::string_view, const NewInode&) {
    return fail(Cause::ReadOnly);
}
Result<NodeId> FileSystem::symlink(NodeId, std::string_view, std::string_view, const NewInode&) {
    return fail(Cause::ReadOnly);
}
Result<NodeId> FileSystem::tmpfile(NodeId, const NewInode&) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::link(NodeId, NodeId, std::string_view) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::unlink(NodeId, std::string_view) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::rmdir(NodeId, std::string_view) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::rename(NodeId, std::string_view, NodeId, std::string_view, RenameKind) {
    return fail(Cause::ReadOnly);
}
Result<std::size_t> FileSystem::write(NodeId, u64, Bytes) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::truncate(NodeId, u64) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::fallocate(NodeId, FallocateMode, u64, u64) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::clone_range(NodeId, u64, u64, NodeId, u64) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::setattr(NodeId, const AttributeChange&) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::set_flags(NodeId, u64) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::set_xattr(NodeId, std::string_view, Bytes, XattrMode) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::remove_xattr(NodeId, std::string_view) {
    return fail(Cause::ReadOnly);
}
Result<void> FileSystem::fsync(NodeId) {
    return {};
}
Result<void> FileSystem::sync() {
    return {};
}
void FileSystem::hold(NodeId) {}
Result<void> FileSystem::release(NodeId) {
    return {};
}
Result<NodeId> FileSystem::create_subvolume(NodeId, std::string_view, const NewInode&) {
    return fail(Cause::NoSuchOperation);
}
Result<NodeId> FileSystem::snapshot(NodeId, NodeId, std::string_view, SnapshotKind) {
    return fail(Cause::NoSuchOperation);
}
Result<void> FileSystem::delete_subvolume(NodeId, std::string_view) {
    return fail(Cause::NoSuchOperation);
}

}  // namespace glassfs::vfs
