// SPDX-License-Identifier: MIT
// Writing files of the host.
#include "commands/host_files.h"

#include "base/text.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Not every host has xattrs; where the calls are missing these are null.
extern "C" {
[[gnu::weak]] int fsetxattr(int, const char*, const void*, std::size_t, int);
[[gnu::weak]] int lsetxattr(const char*, const char*, const void*, std::size_t, int);
}

namespace glassfs::commands {

HostFile::~HostFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Failure host_failure(const char* call) {
    int number = errno;
    Cause cause = Cause::DeviceWriteFailed;
    switch (number) {
        case ENOENT:
            cause = Cause::NotFound;
            break;
        case EEXIST:
            cause = Cause::Exists;
            break;
        case ENOTDIR:
            cause = Cause::NotADirectory;
            break;
        case EISDIR:
            cause = Cause::IsADirectory;
            break;
        case ELOOP:
            cause = Cause::TooManySymlinks;
            break;
        case ENAMETOOLONG:
            cause = Cause::NameTooLong;
            break;
        case EACCES:
        case EPERM:
            cause = Cause::AccessDenied;
            break;
        case ENOSPC:
        case EDQUOT:
            cause = Cause::NoSpace;
            break;
        case EROFS:
            cause = Cause::ReadOnly;
            break;
        case EINVAL:
            cause = Cause::InvalidArgument;
            break;
        case ENOTSUP:
        case ENOSYS:
            cause = Cause::NotSupported;
            break;
        default:
            break;
    }
    std::string detail = call;
    if (cause == Cause::DeviceWriteFailed) detail += std::string(": ") + std::strerror(number);
    return fail(cause, std::move(detail));
}

namespace {

// Runs `make`, which returns a negative number when it fails; with Replace once more without the name's old
// bearer.
template <class F>
int make_or_replace(const HostFile& directory, const std::string& name, Existing existing, F&& make) {
    int made = make();
    if (made < 0 && errno == EEXIST && existing == Existing::Replace) {
        if (::unlinkat(directory.get(), name.c_str(), 0) != 0) return -1;
        made = make();
    }
    return made;
}

bool is_root() {
    return ::geteuid() == 0;
}

mode_t mode_bits(const vfs::Attributes& attributes) {
    // Set-user-id without its owner would be somebody else's.
    return static_cast<mode_t>(attributes.mode & (is_root() ? 07777U : 01777U));
}

void fill_times(const vfs::Attributes& attributes, timespec (&times)[2]) {
    auto convert = [](const TimeSpec& time) {
        timespec out{};
        out.tv_sec = static_cast<time_t>(time.seconds);
        out.tv_nsec = static_cast<long>(time.nanos % 1'000'000'000);
        return out;
    };
    times[0] = convert(attributes.atime);
    times[1] = convert(attributes.mtime);
}

}  // namespace

Result<HostFile> create_file(const HostFile& directory, const std::string& name, Existing existing) {
    int file = make_or_replace(directory, name, existing, [&] {
        return ::openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        0600);
    });
    if (file < 0) return host_failure("create");
    return HostFile(file);
}

Result<void> make_directory(const HostFile& directory, const std::string& name, Existing existing) {
    if (::mkdirat(directory.get(), name.c_str(), 0700) == 0) return {};
    if (errno == EEXIST && existing == Existing::Replace) return {};
    return host_failure("mkdir");
}

Result<HostFile> open_directory(const HostFile& directory, const std::string& name) {
    int file = ::openat(directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return host_failure("open directory");
    return HostFile(file);
}

Result<bool> is_empty_directory(const HostFile& directory) {
    int copy = ::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* listing = copy < 0 ? nullptr : ::fdopendir(copy);
    if (!listing) return host_failure("open directory");
    bool empty = true;
    while (const dirent* entry = ::readdir(listing)) {
        std::string_view name = entry->d_name;
        if (name != "." && name != "..") empty = false;
    }
    ::closedir(listing);
    return empty;
}

Result<void> make_symlink(const HostFile& directory, const std::string& name, const std::string& target,
                          Existing existing) {
    int made = make_or_replace(directory, name, existing,
                               [&] { return ::symlinkat(target.c_str(), directory.get(), name.c_str()); });
    if (made < 0) return host_failure("symlink");
    return {};
}

Result<void> make_node(const HostFile& directory, const std::string& name, const vfs::Attributes& attributes,
                       Existing existing) {
    mode_t mode = static_cast<mode_t>((attributes.mode & 0170000U) | 0600U);
    int made = make_or_replace(directory, name, existing, [&] {
        return ::mknodat(directory.get(), name.c_str(), mode,
                         makedev(attributes.rdev.major, attributes.rdev.minor));
    });
    if (made < 0) return host_failure("mknod");
    return {};
}

Result<void> make_link(const HostFile& from, const std::string& from_name, const HostFile& to,
                       const std::string& to_name, Existing existing) {
    int made = make_or_replace(to, to_name, existing, [&] {
        return ::linkat(from.get(), from_name.c_str(), to.get(), to_name.c_str(), 0);
    });
    if (made < 0) return host_failure("link");
    return {};
}

Result<void> remove_file(const HostFile& directory, const std::string& name) {
    if (::unlinkat(directory.get(), name.c_str(), 0) != 0) return host_failure("unlink");
    return {};
}

Result<void> write_at(const HostFile& file, u64 at, Bytes bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return host_failure("write");
        at += static_cast<u64>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> set_size(const HostFile& file, u64 size) {
    if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) return host_failure("truncate");
    return {};
}

Result<void> set_attributes(const HostFile& file, const vfs::Attributes& attributes,
                            const std::vector<vfs::Xattr>& xattrs) {
    if (is_root() && ::fchown(file.get(), attributes.uid, attributes.gid) != 0) return host_failure("chown");
    if (::fchmod(file.get(), mode_bits(attributes)) != 0) return host_failure("chmod");
    Result<void> done;
    for (const vfs::Xattr& xattr : xattrs) {
        bool set = fsetxattr &&
                   fsetxattr(file.get(), xattr.name.c_str(), xattr.value.data(), xattr.value.size(), 0) == 0;
        if (!set && done) done = host_failure(text("xattr %s", escaped(xattr.name).c_str()).c_str());
    }
    timespec times[2];
    fill_times(attributes, times);
    if (::futimens(file.get(), times) != 0 && done) done = host_failure("times");
    return done;
}

Result<void> set_attributes_of_name(const HostFile& directory, const std::string& name,
                                    const vfs::Attributes& attributes,
                                    const std::vector<vfs::Xattr>& xattrs) {
    int at = directory.get();
    const char* c_name = name.c_str();
    if (is_root() && ::fchownat(at, c_name, attributes.uid, attributes.gid, AT_SYMLINK_NOFOLLOW) != 0) {
        return host_failure("chown");
    }
    bool is_symlink = attributes.type == vfs::FileType::Symlink;
    // The name was made just now and is no symlink; Linux can't change the mode of one, nor needs to.
    if (!is_symlink && ::fchmodat(at, c_name, mode_bits(attributes), 0) != 0) return host_failure("chmod");
    Result<void> done;
    for (const vfs::Xattr& xattr : xattrs) {
        std::string path = text("/proc/self/fd/%d/", at) + name;
        bool set = lsetxattr && lsetxattr(path.c_str(), xattr.name.c_str(), xattr.value.data(),
                                          xattr.value.size(), 0) == 0;
        if (!set && done) done = host_failure(text("xattr %s", escaped(xattr.name).c_str()).c_str());
    }
    timespec times[2];
    fill_times(attributes, times);
    if (::utimensat(at, c_name, times, AT_SYMLINK_NOFOLLOW) != 0 && done) done = host_failure("times");
    return done;
}

}  // namespace glassfs::commands
