// SPDX-License-Identifier: MIT
// Files and directories of a btrfs: the vfs interface over a Volume, and over a WritableVolume when it is
// mounted for writing. Reading: directory.cpp, file_data.cpp. Writing: create.cpp, remove.cpp and rename.cpp
// (names), attribute_edit.cpp, file_write.cpp (data), subvolume_edit.cpp; directory_edit.h and file_extents.h
// are the items below.
//
// An inode is (subvolume tree, number). A directory entry that points to a root item enters another subvolume
// at its root directory. A snapshot keeps the entry of a subvolume nested in its origin, but not that
// subvolume: Linux shows an empty directory with inode number 2 there, and so does this.
#pragma once

#include "btrfs/cleaner.h"
#include "btrfs/data_reader.h"
#include "btrfs/dir_items.h"
#include "btrfs/inode_table.h"
#include "vfs/file_system.h"
#include "vfs/posix_acl.h"

#include <deque>

namespace glassfs::btrfs {

inline constexpr u64 empty_subvol_dir_objectid = 2;

struct Entry;  // name_edit.h
struct InheritedAcl;
struct NewName;
class FileWriter;  // file_write.h
struct Renaming;

class FileSystem final : public vfs::FileSystem {
  public:
    // `subvolume`: empty for the default one, a decimal tree id, or a path from the top level.
    // The volume must outlive this. A root directory that can't be read is an error only when it is used.
    // `store`: null when mounted read-only.
    static Result<std::unique_ptr<FileSystem>> open(Volume&, WritableVolume* store,
                                                    std::string_view subvolume, trace::Tracer);
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
    Result<bool> clean_up() override;
    void hold(vfs::NodeId) override;
    Result<void> release(vfs::NodeId) override;
    Result<vfs::NodeId> create_subvolume(vfs::NodeId dir, std::string_view name,
                                         const vfs::NewInode&) override;
    Result<vfs::NodeId> snapshot(vfs::NodeId source, vfs::NodeId dir, std::string_view name,
                                 vfs::SnapshotKind) override;
    Result<void> delete_subvolume(vfs::NodeId dir, std::string_view name) override;

    // By tree id: its root directory, and to be what mounting gives when no subvolume is named.
    // Cause::RootMissing.
    Result<vfs::NodeId> subvolume(u64 id);
    Result<void> set_default_subvolume(u64 id);

  private:
    FileSystem(Volume& volume, WritableVolume* store, trace::Tracer tracer);
    Result<void> open_root(std::string_view subvolume);

    // Held by public methods that read, and not by what they share with steps. Locks nothing when mounted
    // read-only.
    std::shared_lock<std::shared_mutex> reading() const;
    Result<u64> default_subvolume();
    Result<vfs::NodeId> subvolume_root(u64 tree);
    Result<disk::btrfs_inode_item> inode_item(vfs::NodeId);
    // Takes reading().
    Result<InodePtr> file_inode(vfs::NodeId);
    Result<void> require_writable_file(vfs::NodeId) const;
    Result<void> require_directory(vfs::NodeId);
    Result<vfs::NodeId> lookup_name(vfs::NodeId dir, std::string_view name);
    Result<vfs::NodeId> parent_of(vfs::NodeId dir);
    Result<std::vector<vfs::DirEntry>> read_entries(vfs::NodeId dir, u64 cookie);
    // Where a directory entry leads, in `dir`. The error of a tree that can't be read.
    Result<vfs::NodeId> resolve_location(vfs::NodeId dir, std::string_view name, const Key& location);

    // Steps on names. What a subvolume's last use left to delete (orphans) is deleted before its first step.
    Result<Transaction> begin(u64 tree, Need need);
    Result<InodePtr> directory(vfs::NodeId);
    Result<NewName> new_name(Transaction&, vfs::NodeId dir, std::string_view name,
                             Cause refusal_of_empty_subvol);
    Result<Entry> existing_name(Transaction&, vfs::NodeId dir, std::string_view name);
    Result<void> check_removable(const Entry&);
    Result<u64> take_inode_number(Transaction&, Tree&);
    Result<u64> take_dir_index(Transaction&, Inode& dir);
    Result<bool> inherit_compression(Transaction&, Tree&, const Inode& dir, u64 inode);
    Result<vfs::NodeId> add_new_inode(Transaction&, const NewName&, const disk::btrfs_inode_item&,
                                      const InheritedAcl&);
    Result<void> find_way_back(Entry&);
    Result<void> erase_entry(Transaction&, Entry&);
    // The inode loses a name: it is deleted, or left to evict() as an orphan (true: call it after the step).
    Result<bool> drop_name(Transaction&, const Entry&, TimeSpec now);
    Result<bool> erase_inode_part(Transaction&, Tree&, const InodePtr&, u32 extents_max);
    Result<void> evict(const InodePtr&);
    Result<void> evict_now_or_later(const InodePtr&);
    Result<std::vector<u64>> find_orphans(Transaction&, u64 tree);
    Result<void> clean_orphans(u64 tree, const std::vector<u64>& inodes);
    Result<void> check_ancestors(const Renaming&);
    Error refusal_to_empty_subvol(Transaction&, const Entry& from);
    Result<void> check_rename(Transaction&, const Renaming&);
    Result<void> add_moved_name(Transaction&, Tree&, Inode& dir, std::string_view name, const Entry& what,
                                u64 index);
    Result<InodePtr> replace_name(Transaction&, Renaming&, TimeSpec now);
    Result<void> exchange_names(Transaction&, Renaming&, TimeSpec now);
    Result<bool> is_within(vfs::NodeId dir, vfs::NodeId ancestor);
    Result<void> erase_attribute(vfs::NodeId, std::string_view name, vfs::XattrMode);
    // An empty value takes the list away.
    Result<void> set_acl(vfs::NodeId, vfs::AclKind, Bytes value);
    Result<void> apply_mode_to_acl(Transaction&, Tree&, const Inode&, u32 mode);
    Result<InheritedAcl> inherit_acl(Inode& dir, const vfs::NewInode&);
    Result<void> put_inherited_acl(Transaction&, Tree&, u64 inode, const InheritedAcl&);

    // Subvolumes.
    Result<void> add_subvolume_name(Transaction&, const NewName&, u64 id, u64 location_offset, TimeSpec now);
    Result<std::optional<vfs::NodeId>> try_snapshot(vfs::NodeId source, vfs::NodeId dir,
                                                    std::string_view name, vfs::SnapshotKind);
    Result<void> clean_new_snapshot(u64 tree);
    Result<void> check_subvolume_removable(Transaction&, const Entry&);
    Result<void> kill_subvolume(Transaction&, u64 id);
    // A killed subvolume's tree can be dropped, unless files in it are held.
    void retire_subvolume(u64 id);
    Result<bool> must_wait(Transaction&, const TreeDropper&);
    Result<void> drop_some(u32 blocks);
    Result<void> drop_in_passing();
    Result<void> clean_up_all();
    Result<void> clean_after_crash();

    // Gives the dirty data of all files (of one tree) extents. Called without locks.
    Result<void> write_back(std::optional<u64> tree);

    Volume& volume_;
    WritableVolume* store_;
    InodeTable inodes_;
    DataReader data_;
    std::unique_ptr<FileWriter> writer_;  // null when mounted read-only
    trace::Tracer trace_;
    vfs::NodeId root_;
    // In steps only.
    std::unordered_map<u64, u64> next_inode_number_;  // by tree, once known
    std::set<u64> orphans_cleaned_;                   // trees
    std::set<u64> dead_subvolumes_;                   // killed, and files in them are held
    std::deque<TreeDropper> dying_;                   // deleted trees that are being dropped
    std::atomic<std::size_t> dying_count_ = 0;        // for a look at it outside of steps
};

}  // namespace glassfs::btrfs
