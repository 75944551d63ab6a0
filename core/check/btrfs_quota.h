// SPDX-License-Identifier: MIT
// Quota numbers, counted anew. Each extent belongs to the set of subvolumes that reach it; a group's
// `referenced` is the sum of all extents that any member reaches, `exclusive` of those that only members
// reach.
//
// Sets of subvolumes are few where extents are many, so each distinct set is kept once: as (set without its
// last member, last member). Subvolumes must come one after the other. Internal to the check layer.
#pragma once

#include "check/btrfs_roots.h"

#include <map>
#include <unordered_map>

namespace glassfs::check {

class QuotaCheck {
  public:
    explicit QuotaCheck(BlockReader& reader) : reader_(reader), findings_(reader.findings()) {}

    // Reads the quota tree, when there is one.
    void read(const std::vector<RootRecord>&);
    // Whether numbers can be compared: quota is on, and nothing says that they are still being counted.
    bool wanted() const { return wanted_; }
    // The subvolume `tree` reaches the extent at `start`.
    void note(u64 tree, u64 start, u64 bytes);
    void compare(const std::vector<RootRecord>&);

  private:
    struct Numbers {
        u64 referenced = 0;
        u64 exclusive = 0;
    };
    struct Group {
        Numbers recorded;
        Numbers counted;
        Where where;
        std::set<u64> trees;  // subvolumes that are members, directly or through other groups
    };
    struct TreeSet {
        u32 without_last = 0;
        u64 last = 0;
        u64 bytes = 0;
    };
    struct Extent {
        u64 bytes = 0;
        u32 set = 0;
    };

    void read_item(const ItemView&);
    void resolve_members();
    std::set<u64> members(u32 set) const;

    BlockReader& reader_;
    Findings& findings_;
    bool wanted_ = false;
    bool inconsistent_ = false;
    std::map<u64, Group> groups_;
    std::multimap<u64, u64> children_;      // group -> member group
    std::vector<TreeSet> sets_{TreeSet{}};  // 0: the empty set
    std::map<std::pair<u32, u64>, u32> set_ids_;
    std::unordered_map<u64, Extent> extents_;
};

}  // namespace glassfs::check
