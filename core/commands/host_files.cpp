// SPDX-License-Identifier: MIT
// Files of the host.
#include "commands/host_files.h"

#include "base/text.h"

#include <algorithm>
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
[[gnu::weak]] ssize_t flistxattr(int, char*, std::size_t);
[[gnu::weak]] ssize_t llistxattr(const char*, char*, std::size_t);
[[gnu::weak]] ssize_t fgetxattr(int, const char*, void*, std::size_t);
[[gnu::weak]] ssize_t lgetxattr(const char*, const char*, void*, std::size_t);
}

namespace glassfs::commands {

HostFile::~HostFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Failure host_failure(const char* call, Cause otherwise) {
    int number = errno;
    Cause cause = otherwise;
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
    if (cause == otherwise) detail += std::string(": ") + std::strerror(number);
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
                         static_cast<dev_t>(makedev(attributes.rdev.major, attributes.rdev.minor)));
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

namespace {

constexpr std::size_t open_directories_max = 32;

Failure read_failure(const char* call) {
    return host_failure(call, Cause::DeviceReadFailed);
}

HostInode host_inode(const struct stat& info) {
    auto time = [](const timespec& from) {
        return TimeSpec{static_cast<s64>(from.tv_sec), static_cast<u32>(from.tv_nsec)};
    };
    HostInode inode;
    vfs::Attributes& a = inode.attributes;
    a.mode = static_cast<u32>(info.st_mode);
    a.type = vfs::file_type_of_mode(a.mode);
    a.uid = static_cast<u32>(info.st_uid);
    a.gid = static_cast<u32>(info.st_gid);
    a.nlink = static_cast<u32>(info.st_nlink);
    a.size = static_cast<u64>(info.st_size);
    a.bytes = static_cast<u64>(info.st_blocks) * 512;
    a.rdev = {static_cast<u32>(major(info.st_rdev)), static_cast<u32>(minor(info.st_rdev))};
    a.atime = time(info.st_atim);
    a.mtime = time(info.st_mtim);
    inode.device = static_cast<u64>(info.st_dev);
    inode.inode = static_cast<u64>(info.st_ino);
    return inode;
}

// The whole of what a call gives that says how much that is: names or a value of xattrs.
template <class F>
Result<std::string> grown(const char* what, F&& call) {
    std::string buffer(256, '\0');
    for (;;) {
        ssize_t got = call(buffer.data(), buffer.size());
        if (got >= 0) {
            buffer.resize(static_cast<std::size_t>(got));
            return buffer;
        }
        if (errno == ENOTSUP || errno == ENOSYS) return std::string();
        if (errno != ERANGE || buffer.size() > (1U << 20)) return read_failure(what);
        buffer.resize(buffer.size() * 4);
    }
}

template <class List, class Get>
Result<std::vector<vfs::Xattr>> xattrs_by(List&& list, Get&& get) {
    std::vector<vfs::Xattr> out;
    std::string names = TRY(grown("xattrs", list));
    for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
        const char* name = names.c_str() + at;
        std::string value = TRY(grown(name, [&](char* to, std::size_t size) { return get(name, to, size); }));
        out.push_back({name, Buffer(value.begin(), value.end())});
    }
    return out;
}

}  // namespace

Result<const HostFile*> DirectoryOpener::open(u32 number) {
    if (number == 0) return &top_;
    std::vector<u32> chain;  // from `number` up to the first that is open
    u32 at = number;
    while (at != 0 && !open_.contains(at)) {
        chain.push_back(at);
        at = name_of_(at).parent;
    }
    const HostFile* parent = at == 0 ? &top_ : &open_.at(at);
    for (std::size_t i = chain.size(); i-- > 0;) {
        HostFile opened = TRY(open_directory(*parent, name_of_(chain[i]).name));
        if (open_.size() >= open_directories_max) open_.clear();  // `opened` needs no parent any more
        parent = &(open_[chain[i]] = std::move(opened));
    }
    return parent;
}

Result<HostFile> open_host_directory(const std::string& path) {
    int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return read_failure("open directory");
    return HostFile(file);
}

Result<HostInode> stat_file(const HostFile& file) {
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return read_failure("stat");
    return host_inode(info);
}

Result<HostInode> stat_name(const HostFile& directory, const std::string& name) {
    struct stat info {};
    if (::fstatat(directory.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return read_failure("stat");
    return host_inode(info);
}

Result<std::vector<std::string>> list_names(const HostFile& directory) {
    int copy = ::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* listing = copy < 0 ? nullptr : ::fdopendir(copy);
    if (!listing) return read_failure("open directory");
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(listing)) {
        std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    int failed = errno;
    ::closedir(listing);
    errno = failed;
    if (failed != 0) return read_failure("read directory");
    std::ranges::sort(names);
    return names;
}

Result<HostFile> open_file(const HostFile& directory, const std::string& name) {
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
#ifdef O_NOATIME
    // Reading leaves no trace where the host allows that: to the owner and root.
    HostFile file(::openat(directory.get(), name.c_str(), flags | O_NOATIME));
    if (file.get() < 0 && errno == EPERM) file = HostFile(::openat(directory.get(), name.c_str(), flags));
#else
    HostFile file(::openat(directory.get(), name.c_str(), flags));
#endif
    if (file.get() < 0) return read_failure("open");
    if (TRY(stat_file(file)).attributes.type != vfs::FileType::Regular) {
        return fail(Cause::NotSupported, "it is no regular file any more");
    }
    return file;
}

Result<std::size_t> read_at(const HostFile& file, u64 at, MutBytes out) {
    std::size_t done = 0;
    while (done < out.size()) {
        ssize_t got =
            ::pread(file.get(), out.data() + done, out.size() - done, static_cast<off_t>(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_failure("read");
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<std::vector<DataRange>> data_ranges([[maybe_unused]] const HostFile& file, u64 size) {
    std::vector<DataRange> ranges;
    for (u64 at = 0; at < size;) {
#ifdef SEEK_DATA
        off_t begin = ::lseek(file.get(), static_cast<off_t>(at), SEEK_DATA);
        if (begin < 0 && errno == ENXIO) break;
        off_t end = begin < 0 ? -1 : ::lseek(file.get(), begin, SEEK_HOLE);
        if (begin >= 0 && end > begin) {
            ranges.push_back({static_cast<u64>(begin), std::min(size, static_cast<u64>(end))});
            at = static_cast<u64>(end);
            continue;
        }
#endif
        ranges.push_back({at, size});
        break;
    }
    if (!ranges.empty() && ranges.back().begin >= size) ranges.pop_back();
    return ranges;
}

Result<std::string> read_symlink(const HostFile& directory, const std::string& name) {
    std::string target(4096, '\0');
    ssize_t got = ::readlinkat(directory.get(), name.c_str(), target.data(), target.size());
    if (got < 0) return read_failure("readlink");
    target.resize(static_cast<std::size_t>(got));
    return target;
}

Result<std::vector<vfs::Xattr>> read_xattrs(const HostFile& file) {
    if (!flistxattr || !fgetxattr) return std::vector<vfs::Xattr>();
    return xattrs_by(
        [&](char* to, std::size_t size) { return flistxattr(file.get(), to, size); },
        [&](const char* name, char* to, std::size_t size) { return fgetxattr(file.get(), name, to, size); });
}

Result<std::vector<vfs::Xattr>> read_xattrs_of_name(const HostFile& directory, const std::string& name) {
    if (!llistxattr || !lgetxattr) return std::vector<vfs::Xattr>();
    std::string path = text("/proc/self/fd/%d/", directory.get()) + name;
    return xattrs_by([&](char* to, std::size_t size) { return llistxattr(path.c_str(), to, size); },
                     [&](const char* attribute, char* to, std::size_t size) {
                         return lgetxattr(path.c_str(), attribute, to, size);
                     });
}

}  // namespace glassfs::commands
