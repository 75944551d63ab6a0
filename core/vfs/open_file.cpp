// SPDX-License-Identifier: MIT
#include "vfs/open_file.h"

#include "base/text.h"
#include "vfs/path_walk.h"

namespace glassfs::vfs {
namespace {

// base + offset, if that is a position.
Result<u64> moved(u64 base, s64 offset) {
    u64 distance = offset < 0 ? ~static_cast<u64>(offset) + 1 : static_cast<u64>(offset);
    bool inside = offset < 0 ? distance <= base : base <= position_max && distance <= position_max - base;
    if (!inside) return fail(Cause::InvalidArgument, "no such file position");
    return offset < 0 ? base - distance : base + distance;
}

}  // namespace

Result<std::unique_ptr<OpenFile>> OpenFile::open(FileSystem& files, NodeId node) {
    FileType type = TRY(files.getattr(node)).type;
    if (type == FileType::Symlink) return fail(Cause::TooManySymlinks);
    if (type != FileType::Regular && type != FileType::Directory) {
        return fail(Cause::NotSupported, text("can't open a %s", file_type_name(type)));
    }
    return std::unique_ptr<OpenFile>(new OpenFile(files, node, type));
}

Result<std::unique_ptr<OpenFile>> OpenFile::open(FileSystem& files, std::string_view path) {
    return open(files, TRY(resolve(files, path, FollowLast::Yes)));
}

Result<std::size_t> OpenFile::read(MutBytes out) {
    std::lock_guard lock(mutex_);
    std::size_t got = TRY(pread(position_, out));
    position_ += got;
    return got;
}

Result<std::size_t> OpenFile::pread(u64 at, MutBytes out) {
    if (type_ == FileType::Directory) return fail(Cause::IsADirectory);
    if (at > position_max) return fail(Cause::InvalidArgument, "no such file position");
    // The last byte of the largest file is position_max - 1.
    u64 length = std::min<u64>(out.size(), position_max - at);
    return files_.read(node_, at, out.first(static_cast<std::size_t>(length)));
}

Result<u64> OpenFile::seek(s64 offset, SeekFrom from) {
    std::lock_guard lock(mutex_);
    u64 target = 0;
    switch (from) {
        case SeekFrom::Set:
            target = TRY(moved(0, offset));
            break;
        case SeekFrom::Current:
            target = TRY(moved(position_, offset));
            break;
        case SeekFrom::End:
            target = TRY(moved(TRY(files_.getattr(node_)).size, offset));
            break;
        case SeekFrom::Data:
        case SeekFrom::Hole: {
            u64 begin = offset < 0 ? 0 : static_cast<u64>(offset);
            target = TRY(files_.seek(node_, begin, from == SeekFrom::Data ? Whence::Data : Whence::Hole));
            if (target > position_max) return fail(Cause::InvalidArgument, "no such file position");
            break;
        }
    }
    position_ = target;
    return target;
}

}  // namespace glassfs::vfs
