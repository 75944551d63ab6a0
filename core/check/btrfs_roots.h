// SPDX-License-Identifier: MIT
// The root tree: which trees there are, and how subvolumes hang together. A subvolume is reached when
// some reachable tree has a directory entry for it and the root tree a ROOT_REF that says the same; an entry
// without ROOT_REF is what a snapshot shows of a subvolume that was not snapshotted with it. Internal to the
// check layer.
#pragma once

#include "check/btrfs_blocks.h"

namespace glassfs::check {

struct RootRecord {
    TreeRoot root;
    u64 key_offset = 0;
    u32 refs = 0;
    u64 flags = 0;
    std::optional<DropState> drop;
    Where where;
    bool deleted() const { return refs == 0; }
};

// One of the four places that know a subvolume's name.
struct SubvolumeName {
    enum class Kind : u8 { DirItem, DirIndex, RootRef, RootBackref };
    u64 parent = 0;  // tree
    u64 child = 0;   // tree
    u64 dir = 0;     // inode in the parent
    u64 index = 0;   // of its DIR_INDEX; not known to a DIR_ITEM
    u64 name_hash = 0;
    Kind kind = Kind::DirItem;
    Where where;
};

class RootCheck {
  public:
    explicit RootCheck(BlockReader& reader) : reader_(reader), findings_(reader.findings()) {}

    void read();
    // By key; a tree may occur more than once only as a relocation tree.
    const std::vector<RootRecord>& roots() const { return roots_; }
    // Directory entries that lead to subvolumes, noted while the trees are checked.
    void note_name(SubvolumeName name) { names_.push_back(std::move(name)); }
    // When all names are noted.
    void check_names();

  private:
    void read_root_item(const ItemView&);
    void read_root_ref(const ItemView&);
    void check_required() const;
    bool has_orphan(u64 tree) const;
    bool known(u64 tree) const;

    BlockReader& reader_;
    Findings& findings_;
    std::vector<RootRecord> roots_;
    std::vector<u64> orphans_;
    std::vector<SubvolumeName> names_;
};

}  // namespace glassfs::check
