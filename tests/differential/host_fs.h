// SPDX-License-Identifier: MIT
// A directory of the host's kernel as a FileSystem, so that what Linux does can be compared with what another
// FileSystem does, call by call. Meant for the root of a btrfs mounted with noatime, by root.
//
// An inode is addressed by a descriptor that was opened with O_PATH when it was looked up: it goes on leading
// to the inode while names change. Descriptors last until forget(), those of held inodes until release().
#pragma once

#include "vfs/file_system.h"

#include <map>
#include <memory>

namespace glassfs::differential {

class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();
    int number() const { return number_; }

  private:
    int number_ = -1;
};

class HostFs final : public vfs::FileSystem {
  public:
    using NodeId = vfs::NodeId;

    // Makes this process create what it is told to: no umask, and owners that don't cost it its privileges.
    static Result<std::unique_ptr<HostFs>> open(const std::string& directory);

    // Lets go of every inode that isn't held: after it, look them up again.
    void forget();

    NodeId root() const override { return root_; }
    Result<vfs::Attributes> getattr(NodeId) override;
    Result<NodeId> lookup(NodeId dir, std::string_view name) override;
    Result<NodeId> parent(NodeId dir) override;
    Result<void> readdir(NodeId dir, u64 cookie,
                         const std::function<bool(const vfs::DirEntry&)>& visit) override;
    Result<std::size_t> read(NodeId, u64 at, MutBytes out) override;
    Result<std::string> readlink(NodeId) override;
    Result<std::vector<vfs::Xattr>> xattrs(NodeId) override;
    Result<u64> seek(NodeId, u64 at, vfs::Whence) override;
    Result<void> extents(NodeId, const std::function<bool(const vfs::FileExtent&)>& visit) override;
    Result<vfs::StatFs> statfs() override;

    Result<NodeId> create(NodeId dir, std::string_view name, const vfs::NewInode&) override;
    Result<NodeId> symlink(NodeId dir, std::string_view name, std::string_view target,
                           const vfs::NewInode&) override;
    Result<NodeId> tmpfile(NodeId dir, const vfs::NewInode&) override;
    Result<void> link(NodeId, NodeId dir, std::string_view name) override;
    Result<void> unlink(NodeId dir, std::string_view name) override;
    Result<void> rmdir(NodeId dir, std::string_view name) override;
    Result<void> rename(NodeId from_dir, std::string_view from, NodeId to_dir, std::string_view to,
                        vfs::RenameKind) override;

    Result<std::size_t> write(NodeId, u64 at, Bytes data) override;
    Result<void> truncate(NodeId, u64 size) override;
    Result<void> fallocate(NodeId, vfs::FallocateMode, u64 at, u64 length) override;
    Result<void> clone_range(NodeId from, u64 from_at, u64 length, NodeId to, u64 to_at) override;
    Result<void> setattr(NodeId, const vfs::AttributeChange&) override;
    Result<void> set_flags(NodeId, u64 flags) override;
    Result<void> set_xattr(NodeId, std::string_view name, Bytes value, vfs::XattrMode) override;
    Result<void> remove_xattr(NodeId, std::string_view name) override;

    Result<void> fsync(NodeId) override;
    Result<void> sync() override;
    void hold(NodeId) override;
    Result<void> release(NodeId) override;

    Result<NodeId> create_subvolume(NodeId dir, std::string_view name, const vfs::NewInode&) override;
    Result<NodeId> snapshot(NodeId source, NodeId dir, std::string_view name, vfs::SnapshotKind) override;
    Result<void> delete_subvolume(NodeId dir, std::string_view name) override;

  private:
    struct Node {
        Descriptor path;
        u64 holds = 0;
    };

    HostFs() = default;

    Result<NodeId> adopt(Descriptor);
    Result<int> path_of(NodeId);
    Result<Descriptor> reopen(NodeId, int flags);
    Result<vfs::FileType> type_of(NodeId);
    Result<void> set_mode(NodeId, u32 mode);
    Result<void> set_owner(NodeId, const vfs::AttributeChange&);
    Result<u64> read_flags(NodeId);
    Result<u64> first_hole(NodeId, u64 at, u64 found);

    std::map<NodeId, Node> nodes_;
    NodeId root_;
};

}  // namespace glassfs::differential
