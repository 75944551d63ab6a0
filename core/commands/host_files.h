// SPDX-License-Identifier: MIT
// Writing files of the host for export: POSIX calls relative to an open directory, none of which ever follows
// a symbolic link or leaves the directory, with failures as Errors.
#pragma once

#include "vfs/file_system.h"

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
Failure host_failure(const char* call);

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

}  // namespace glassfs::commands
