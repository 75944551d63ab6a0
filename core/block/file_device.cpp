// SPDX-License-Identifier: MIT
// pread and pwrite need no lock and no position, so that readers run in parallel on one descriptor.
#include "block/file_device.h"

#include "base/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace glassfs::block {
namespace {

static_assert(sizeof(off_t) == 8, "images are larger than 4 GiB");

// `fallback`: the cause for host errors that have none of their own.
Failure host_failure(Cause fallback, const std::string& path, int host_errno) {
    Cause cause = fallback;
    switch (host_errno) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            cause = Cause::NoSpace;
            break;
        case EACCES:
        case EPERM:
            cause = Cause::AccessDenied;
            break;
        case EISDIR:
            cause = Cause::IsADirectory;
            break;
        case EROFS:
            cause = Cause::ReadOnly;
            break;
        case ENOMEM:
            cause = Cause::OutOfMemory;
            break;
        default:
            break;
    }
    return fail(cause, path + ": " + std::strerror(host_errno));
}

// Runs a call again while a signal interrupts it.
template <class F>
auto uninterrupted(F&& call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

// Of a regular file or a block device; st_size of the latter is 0.
Result<u64> size_of(int file, const std::string& path) {
    struct stat info {};
    if (::fstat(file, &info) < 0) return host_failure(Cause::DeviceOpenFailed, path, errno);
    if (S_ISDIR(info.st_mode)) return fail(Cause::IsADirectory, path);
    if (!S_ISREG(info.st_mode) && !S_ISBLK(info.st_mode)) {
        return fail(Cause::DeviceOpenFailed, path + ": neither a file nor a block device");
    }
    off_t end = ::lseek(file, 0, SEEK_END);
    if (end < 0) return host_failure(Cause::DeviceOpenFailed, path, errno);
    return static_cast<u64>(end);
}

}  // namespace

Result<std::shared_ptr<FileDevice>> FileDevice::open(const std::string& path, Access access) {
    // O_NONBLOCK: a FIFO given by mistake must not hang; files and block devices don't care.
    int flags = (access == Access::ReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK;
    int file = uninterrupted([&] { return ::open(path.c_str(), flags); });
    if (file < 0) return host_failure(Cause::DeviceOpenFailed, path, errno);
    auto size = size_of(file, path);
    if (!size) {
        ::close(file);
        return fail(std::move(size).error());
    }
    return std::shared_ptr<FileDevice>(new FileDevice(file, path, *size, access));
}

Result<std::shared_ptr<FileDevice>> FileDevice::create(const std::string& path, u64 size) {
    if (size > static_cast<u64>(INT64_MAX))
        return fail(Cause::InvalidArgument, path + ": size " + grouped(size));
    int file =
        uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); });
    if (file < 0) return host_failure(Cause::DeviceOpenFailed, path, errno);
    if (::ftruncate(file, static_cast<off_t>(size)) < 0) {
        int reason = errno;
        ::close(file);
        return host_failure(Cause::DeviceWriteFailed, path, reason);
    }
    return std::shared_ptr<FileDevice>(new FileDevice(file, path, size, Access::ReadWrite));
}

FileDevice::~FileDevice() {
    ::close(file_);
}

Result<void> FileDevice::read(u64 at, MutBytes out) {
    TRY(check_range(*this, at, out.size()));
    for (std::size_t done = 0; done < out.size();) {
        ssize_t got = uninterrupted([&] {
            return ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(at + done));
        });
        if (got < 0) return host_failure(Cause::DeviceReadFailed, path_, errno);
        if (got == 0) return fail(Cause::DeviceReadFailed, path_ + ": the file has become shorter");
        done += static_cast<std::size_t>(got);
    }
    return {};
}

Result<void> FileDevice::write(u64 at, Bytes data) {
    if (read_only()) return fail(Cause::ReadOnly, path_);
    TRY(check_range(*this, at, data.size()));
    for (std::size_t done = 0; done < data.size();) {
        ssize_t put = uninterrupted([&] {
            return ::pwrite(file_, data.data() + done, data.size() - done, static_cast<off_t>(at + done));
        });
        if (put < 0) return host_failure(Cause::DeviceWriteFailed, path_, errno);
        if (put == 0) return fail(Cause::DeviceWriteFailed, path_ + ": nothing was written");
        done += static_cast<std::size_t>(put);
    }
    return {};
}

Result<void> FileDevice::flush() {
    if (read_only()) return {};
    if (uninterrupted([&] { return ::fsync(file_); }) < 0) {
        return host_failure(Cause::DeviceFlushFailed, path_, errno);
    }
    return {};
}

Result<void> FileDevice::discard(u64 at, u64 length) {
    if (read_only()) return fail(Cause::ReadOnly, path_);
    TRY(check_range(*this, at, length));
#ifdef __linux__
    // A hint: hosts and file systems without holes leave the bytes as they are. (Other libraries declare
    // fallocate and don't have it.)
    if (length > 0) {
        static_cast<void>(::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                      static_cast<off_t>(at), static_cast<off_t>(length)));
    }
#endif
    return {};
}

}  // namespace glassfs::block
