// SPDX-License-Identifier: MIT
// The reference that writing is judged by: the whole interface of vfs/file_system.h in memory, with the
// errors and effects of Linux's btrfs (6.18) for the same calls. tests/differential compares it with a mount.
// What isn't modelled: running out of space, link counts beyond the limit, and ACLs (EOPNOTSUPP here).
//
// An error is found in Linux's order; where several reasons hold, that order is visible:
//   1. the name: "." and "..", a path that isn't a directory, a name that is too long
//   2. whether the name is there
//   3. whether the directory may change: a read-only subvolume, an immutable directory
//   4. the inodes themselves
#pragma once

#include "support/model_blocks.h"
#include "vfs/posix_acl.h"

#include <mutex>

namespace glassfs::support {

struct ModelOptions {
    u32 node_size = 16384;  // limits xattrs and symlinks
    u64 seed = 1;           // of the clock
};

class ModelFs final : public vfs::FileSystem {
  public:
    using NodeId = vfs::NodeId;

    explicit ModelFs(const ModelOptions& = {});

    NodeId root() const override;
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

    Result<void> fsync(NodeId) override { return {}; }
    Result<void> sync() override { return {}; }
    void hold(NodeId) override;
    Result<void> release(NodeId) override;

    Result<NodeId> create_subvolume(NodeId dir, std::string_view name, const vfs::NewInode&) override;
    Result<NodeId> snapshot(NodeId source, NodeId dir, std::string_view name, vfs::SnapshotKind) override;
    Result<void> delete_subvolume(NodeId dir, std::string_view name) override;

  private:
    // Inode 2 of any tree: the empty directory that stands for a subvolume nested in a snapshot's origin.
    enum class Leads : u8 { ToInode, ToSubvolume, ToNothing };
    struct Entry {
        Leads leads = Leads::ToInode;
        u64 target = 0;  // inode number or tree
        u64 index = 0;   // the order of readdir
    };
    enum class Linkable : u8 { No, Yes };  // a tmpfile that never had a name
    struct Inode {
        vfs::Attributes stat;
        ModelBlocks blocks;
        std::string target;
        std::map<std::string, Entry, std::less<>> entries;
        std::map<u64, std::string> order;  // of entries, by index
        u64 next_index = 2;
        NodeId parent;  // of directories
        std::map<std::string, Buffer, std::less<>> xattrs;
        u64 holds = 0;
        Linkable linkable = Linkable::No;
    };
    enum class Access : u8 { ReadWrite, ReadOnly };
    struct Tree {
        std::map<u64, Inode> inodes;
        u64 next_inode = 257;
        Access access = Access::ReadWrite;
        NodeId parent;     // the directory with its name; of the top level, itself
        std::string name;  // in that directory
    };
    enum class WhatFor : u8 { Inode, Subvolume };

    Result<Inode*> find(NodeId);
    Inode& at(NodeId);
    Result<Inode*> directory(NodeId);
    NodeId leads_to(NodeId dir, const Entry&) const;
    NodeId node_of(NodeId dir, const std::string& name);
    bool read_only(NodeId) const;
    Result<void> may_change(NodeId);
    Result<void> may_name(NodeId dir, std::string_view name, WhatFor);
    Result<Entry> existing(NodeId dir, std::string_view name);
    Result<void> may_remove(NodeId dir, NodeId victim);

    NodeId add_inode(NodeId dir, const vfs::NewInode&);
    void add_entry(NodeId dir, std::string_view name, Entry);
    void drop_entry(NodeId dir, std::string_view name);
    void drop_link(NodeId);
    void evict_unused(NodeId);
    void touch(NodeId, TimeSpec);
    void touch_parent(NodeId dir, TimeSpec);
    void add_tree(u64 id, NodeId dir, std::string_view name);
    bool has_subvolumes(u64 tree) const;

    struct Move {
        NodeId from_dir;
        std::string_view from;
        NodeId to_dir;
        std::string_view to;
        vfs::RenameKind kind;
        NodeId source = {};
        std::optional<NodeId> target = {};
    };
    Result<void> check_move_names(Move&);
    Result<void> check_move_ancestry(const Move&);
    Result<void> check_move_access(const Move&);
    Result<void> check_move_subvolumes(const Move&);
    void exchange(const Move&);
    void move(const Move&);
    void moved(NodeId, NodeId dir, std::string_view name, TimeSpec);
    bool is_at_or_below(NodeId dir, NodeId ancestor);

    Result<Inode*> writable_file(NodeId);
    Result<void> check_clone(const Inode& from, NodeId from_id, u64 from_at, u64& length, const Inode& to,
                             NodeId to_id, u64 to_at) const;
    Result<void> check_xattr(NodeId, std::string_view name);
    Result<void> set_acl(NodeId, vfs::AclKind, Bytes value);
    Result<void> set_compression(NodeId, Bytes value);

    mutable std::mutex mutex_;
    ModelOptions options_;
    SeededEnvironment environment_;
    std::map<u64, Tree> trees_;
    u64 next_tree_ = 256;
};

}  // namespace glassfs::support
