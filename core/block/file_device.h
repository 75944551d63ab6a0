// SPDX-License-Identifier: MIT
// A file or block device of the host, through POSIX calls: native, and in node through Emscripten's file
// functions.
#pragma once

#include "block/device.h"

#include <memory>

namespace glassfs::block {

class FileDevice final : public Device {
  public:
    enum class Access : u8 { ReadOnly, ReadWrite };

    // An existing regular file or block device; its size is taken now. Cause::DeviceOpenFailed (no such file,
    // or not a file), Cause::AccessDenied, Cause::IsADirectory, Cause::ReadOnly.
    static Result<std::shared_ptr<FileDevice>> open(const std::string& path,
                                                    Access access = Access::ReadOnly);
    // A file of `size` bytes of zeros, sparse where the host can; what the file held before is lost.
    // Read-write. Also Cause::NoSpace.
    static Result<std::shared_ptr<FileDevice>> create(const std::string& path, u64 size);

    ~FileDevice() override;

    u64 size() const override { return size_; }
    std::string name() const override { return path_; }
    bool read_only() const override { return access_ == Access::ReadOnly; }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override;
    Result<void> discard(u64 at, u64 length) override;  // a hole, where the host can; else nothing

  private:
    FileDevice(int file, std::string path, u64 size, Access access)
        : file_(file), path_(std::move(path)), size_(size), access_(access) {}

    int file_;  // descriptor
    std::string path_;
    u64 size_;
    Access access_;
};

}  // namespace glassfs::block
