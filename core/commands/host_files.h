// SPDX-License-Identifier: MIT
// Files of the host for export and import: POSIX calls relative to an open directory, none of which ever
// follows a symbolic link or leaves the directory, with failures as Errors.
#pragma once

#include "commands/file_data.h"
#include "vfs/file_system.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace glassfs::commands {

// A file descriptor that is closed with its owner.
class HostFile {
  public:
    HostFile() = default;
    explicit HostFile(int descriptor) : descriptor_(descriptor) {}
    HostFile(HostFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    HostFile& operator=(HostFile&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~HostFile();
    int get() const { return descriptor_; }

  private:
    int descriptor_ = -1;
};

// What errno says after a failed call: the nearest Cause, and the call.
Failure host_failure(const char* call, Cause otherwise = Cause::DeviceWriteFailed);

// Opens directories below one that is open, by number, and keeps some open.
class DirectoryOpener {
  public:
    struct Name {
        u32 parent;  // number; 0 is the directory at the top
        const std::string& name;
    };
    DirectoryOpener(const HostFile& top, std::function<Name(u32)> name_of)
        : top_(top), name_of_(std::move(name_of)) {}
    // Valid until the next call.
    Result<const HostFile*> open(u32 number);

  private:
    const HostFile& top_;
    std::function<Name(u32)> name_of_;
    std::map<u32, HostFile> open_;
};

enum class Existing : u8 { Fail, Replace };

// A new, empty file for writing. Replace: what has the name is unlinked first (never a directory).
Result<HostFile> create_file(const HostFile& directory, const std::string& name, Existing existing);
// Makes the directory; one that exists already is fine with Replace.
Result<void> make_directory(const HostFile& directory, const std::string& name, Existing existing);
Result<HostFile> open_directory(const HostFile& directory, const std::string& name);
Result<bool> is_empty_directory(const HostFile& directory);
Result<void> make_symlink(const HostFile& directory, const std::string& name, const std::string& target,
                          Existing);
// A fifo, socket or device node.
Result<void> make_node(const HostFile& directory, const std::string& name, const vfs::Attributes&, Existing);
Result<void> make_link(const HostFile& from, const std::string& from_name, const HostFile& to,
                       const std::string& to_name, Existing);
Result<void> remove_file(const HostFile& directory, const std::string& name);
Result<void> write_at(const HostFile& file, u64 at, Bytes bytes);
Result<void> set_size(const HostFile& file, u64 size);

// Owner (as root), mode, xattrs, times, in this order: each may undo what an earlier one set.
Result<void> set_attributes(const HostFile& file, const vfs::Attributes&, const std::vector<vfs::Xattr>&);
// The same for what can't be opened: symlinks, devices.
Result<void> set_attributes_of_name(const HostFile& directory, const std::string& name,
                                    const vfs::Attributes&, const std::vector<vfs::Xattr>&);

// Reading.
struct HostInode {
    vfs::Attributes attributes;  // without id, btime, generation and flags
    u64 device = 0;
    u64 inode = 0;
};
Result<HostFile> open_host_directory(const std::string& path);  // symlinks are followed
Result<HostInode> stat_file(const HostFile& file);
Result<HostInode> stat_name(const HostFile& directory, const std::string& name);
Result<std::vector<std::string>> list_names(const HostFile& directory);  // sorted, without "." and ".."
// A regular file. Cause::NotSupported for everything else.
Result<HostFile> open_file(const HostFile& directory, const std::string& name);
// Less than out.size() only at the end of the file.
Result<std::size_t> read_at(const HostFile& file, u64 at, MutBytes out);
// By SEEK_DATA and SEEK_HOLE; all of the file where the host doesn't know them.
Result<std::vector<DataRange>> data_ranges(const HostFile& file, u64 size);
Result<std::string> read_symlink(const HostFile& directory, const std::string& name);
// None where the host has no such thing.
Result<std::vector<vfs::Xattr>> read_xattrs(const HostFile& file);
Result<std::vector<vfs::Xattr>> read_xattrs_of_name(const HostFile& directory, const std::string& name);

}  // namespace glassfs::commands
