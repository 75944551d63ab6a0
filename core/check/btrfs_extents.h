// SPDX-License-Identifier: MIT
// The extent tree against reality. Recorded: what extent items and their references say. Found: what tree
// blocks and file extents really refer to. How a reference has to be recorded follows from the block that
// holds it:
//
//   the block's own extent has FULL_BACKREF, or it belongs to a relocation tree:  by the block's address
//   (shared) otherwise:                                                                     by the tree in
//   the block's header
//
// so that a block that snapshots share counts once, whoever it is reached from.
// Internal to the check layer.
#pragma once

#include "btrfs/extent_ref.h"
#include "check/btrfs_blocks.h"

#include <unordered_set>

namespace glassfs::check {

struct ExtentRecord {
    u64 start = 0;   // logical address
    u64 length = 0;  // bytes
    u64 refs = 0;
    u64 flags = 0;
    u8 level = 0;  // of a tree block
    bool is_data() const { return (flags & btrfs::extent_flag_data) != 0; }
    u64 end() const { return start + length; }
};

struct BlockGroup {
    u64 start = 0;
    u64 length = 0;
    u64 used = 0;
    u64 flags = 0;
    u64 end() const { return start + length; }
};

// Half-open ranges of logical addresses.
struct Range {
    u64 begin = 0;
    u64 end = 0;
    friend bool operator==(const Range&, const Range&) = default;
};

class ExtentCheck {
  public:
    explicit ExtentCheck(BlockReader& reader) : reader_(reader), findings_(reader.findings()) {}

    // First: extents, recorded references and block groups, from the extent and block group trees.
    void read_recorded();
    // For each tree: visits blocks that no earlier tree has, and notes what they refer to.
    void note_tree(const TreeRoot&, const std::optional<DropState>&);
    // Last.
    void compare_refs();
    void check_used_bytes();

    const std::vector<ExtentRecord>& extents() const { return extents_; }    // by start
    const std::vector<BlockGroup>& block_groups() const { return groups_; }  // by start
    u64 tree_blocks_recorded() const;
    // Whether any extent holds the first or any byte of the range.
    bool covers(Range range) const;
    // False when the extent tree could not be read whole: then what depends on it would only be noise.
    bool complete() const { return complete_; }

  private:
    struct Ref {
        u64 extent = 0;
        KeyType type = KeyType::Untyped;
        u64 root_or_parent = 0;
        u64 objectid = 0;
        u64 offset = 0;
        u32 count = 0;
        auto identity() const { return std::tie(extent, type, root_or_parent, objectid, offset); }
    };

    void read_extent_item(const ItemView&);
    void read_keyed_ref(const ItemView&);
    void read_block_group(const ItemView&);
    void check_place(const ExtentRecord&, const Where&);
    const ExtentRecord* find(u64 start) const;
    bool refers_by_address(const TreeBlock&) const;
    void note_block(const BlockPtr&, const std::optional<DropState>&, const TreeRoot&);
    void note_file_extent(const TreeBlock& leaf, u32 slot, bool by_address);
    void check_owner(const TreeBlock&, const TreeRoot&);
    void check_tree_block_record(const TreeBlock&, u64 tree);
    void report_difference(const Ref* found, const Ref* recorded);
    void check_ref_sums();
    static void merge_equal(std::vector<Ref>&);

    BlockReader& reader_;
    Findings& findings_;
    std::vector<ExtentRecord> extents_;
    std::vector<BlockGroup> groups_;
    std::vector<Ref> recorded_;
    std::vector<Ref> found_;
    std::unordered_set<u64> visited_;
    bool complete_ = false;
};

}  // namespace glassfs::check
