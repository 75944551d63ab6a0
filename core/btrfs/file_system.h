// SPDX-License-Identifier: MIT
// Files and directories of a btrfs: the vfs interface over a Volume, and over a WritableVolume when it is mounted for
// writing. Reading: directory.cpp, file_data.cpp. Writing: directory_edit.cpp (names), attribute_edit.cpp, file_write.cpp and
// file_extents.cpp (data), subvolume_edit.cpp.
//
// An inode is (subvolume tree, number). A directory entry that points to a root item enters another subvolume
// at its root directory. A snapshot keeps the entry of a subvolume nested in its origin, but not that
// subvolume: Linux shows an empty directory with inode number 2 there, and so does this.
#pragma once

#include "btrfs/data_reader.h"
#include "btrfs/inode_table.h"
#include "vfs/file_system.h"

namespace glassfs::btrfs {

inline constexpr u64 empty_subvol_dir_objectid = 2;

// Name hash of DIR_ITEM and XATTR_ITEM keys.
u64 name_hash(std::string_view name);

class FileSystem final : public vfs::FileSystem {
  public:
    // `subvolume`: empty for the default one, a decimal tree id, or a path from the top level.
    // The volume must outlive this. A root directory that can't be read is an error only when it is used.
    // `store`: null when mounted read-only.
    static Result<std::unique_ptr<FileSystem>> open(Volume&, WritableVolume* store, std::string_view subvolume,
                                                    trace::Tracer);
    ~FileSystem() override;

    vfs::NodeId root() const override { return root_; }
    Result<vfs::Attributes> getattr(vfs::NodeId) override;
    Result<vfs::NodeId> lookup(vfs::NodeId dir, std::string_view name) override;
    Result<vfs::NodeId> parent(vfs::NodeId dir) override;
    Result<void> readdir(vfs::NodeId dir, u64 cookie,
                         const std::function<bool(const vfs::DirEntry&)>& visit) override;
    Result<std::size_t> read(vfs::NodeId, u64 at, MutBytes out) override;
    Result<std::string> readlink(vfs::NodeId) override;
    Result<std::vector<vfs::Xattr>> xattrs(vfs::NodeId) override;
    Result<u64> seek(vfs::NodeId, u64 at, vfs::Whence) override;
    Result<void> extents(vfs::NodeId, const std::function<bool(const vfs::FileExtent&)>& visit) override;
    Result<vfs::StatFs> statfs() override;

    Result<vfs::NodeId> create(vfs::NodeId dir, std::string_view name, const vfs::NewInode&) override;
    Result<vfs::NodeId> symlink(vfs::NodeId dir, std::string_view name, std::string_view target,
                                const vfs::NewInode&) override;
    Result<vfs::NodeId> tmpfile(vfs::NodeId dir, const vfs::NewInode&) override;
    Result<void> link(vfs::NodeId, vfs::NodeId dir, std::string_view name) override;
    Result<void> unlink(vfs::NodeId dir, std::string_view name) override;
    Result<void> rmdir(vfs::NodeId dir, std::string_view name) override;
    Result<void> rename(vfs::NodeId from_dir, std::string_view from, vfs::NodeId to_dir, std::string_view to,
                        vfs::RenameKind) override;
    Result<std::size_t> write(vfs::NodeId, u64 at, Bytes data) override;
    Result<void> truncate(vfs::NodeId, u64 size) override;
    Result<void> fallocate(vfs::NodeId, vfs::FallocateMode, u64 at, u64 length) override;
    Result<void> clone_range(vfs::NodeId from, u64 from_at, u64 length, vfs::NodeId to, u64 to_at) override;
    Result<void> setattr(vfs::NodeId, const vfs::AttributeChange&) override;
    Result<void> set_flags(vfs::NodeId, u64 flags) override;
    Result<void> set_xattr(vfs::NodeId, std::string_view name, Bytes value, vfs::XattrMode) override;
    Result<void> remove_xattr(vfs::NodeId, std::string_view name) override;
    Result<void> fsync(vfs::NodeId) override;
    Result<void> sync() override;
    void hold(vfs::NodeId) override;
    Result<void> release(vfs::NodeId) override;
    Result<vfs::NodeId> create_subvolume(vfs::NodeId dir, std::string_view name, const vfs::NewInode&) override;
    Result<vfs::NodeId> snapshot(vfs::NodeId source, vfs::NodeId dir, std::string_view name,
                                 vfs::SnapshotKind) override;
    Result<void> delete_subvolume(vfs::NodeId dir, std::string_view name) override;

  private:
    FileSystem(Volume& volume, WritableVolume* store, trace::Tracer tracer);

    Result<u64> default_subvolume();
    Result<vfs::NodeId> subvolume_root(u64 tree);
    Result<disk::btrfs_inode_item> inode_item(vfs::NodeId);
    Result<void> require_directory(vfs::NodeId);
    // Where a directory entry leads, in `dir`. The error of a tree that can't be read.
    Result<vfs::NodeId> resolve_location(vfs::NodeId dir, std::string_view name, const Key& location);
    Result<bool> root_ref_matches(vfs::NodeId dir, std::string_view name, u64 child_tree);
    // Reads from one extent, whose file range begins at `extent_at`, into `out` at file position `at`.
    Result<void> read_extent(const Cursor&, u64 at, MutBytes out, DataChecksums);

    Volume& volume_;
    WritableVolume* store_;
    InodeTable inodes_;
    DataReader data_;
    trace::Tracer trace_;
    vfs::NodeId root_;
};

// The bytes of a file that an EXTENT_DATA item stands for; inline ones end where their data does.
// The item passed check_item().
u64 file_extent_length(Bytes item);

// One (xattr or directory) entry of an item that passed check_item().
struct NamedEntry {
    const disk::btrfs_dir_item* head;
    std::string_view name;
    Bytes value;
};
std::vector<NamedEntry> parse_entries(Bytes item);

}  // namespace glassfs::btrfs
