// SPDX-License-Identifier: MIT
// Block groups in memory: how much of each is used, and where it is free. One block group stands for one
// chunk.
//
//   length = used (extents in the extent tree) + reserved (handed out, extent item still to come)
//          + pinned (freed, but in use by the last commit) + under superblock copies + free
//
// The free ranges of a block group are read when it is first allocated from, as the last commit left them:
// what has been freed since is pinned and not free in either view. Not thread-safe: the writer's lock
// protects it.
#pragma once

#include "btrfs/chunk_map.h"

#include <functional>
#include <set>

namespace glassfs::btrfs {

// What a block group's item in the free space tree says.
struct FreeSpaceInfo {
    u32 ranges = 0;
    bool bitmaps = false;
};

struct BlockGroup {
    u64 start = 0;
    u64 length = 0;
    u64 flags = 0;
    u64 used = 0;
    u64 reserved = 0;
    u64 pinned = 0;
    u64 super_bytes = 0;     // under superblock copies
    bool has_item = true;    // false: its BLOCK_GROUP_ITEM is still to be inserted
    u64 item_used = 0;       // what the item says
    bool read_only = false;  // on its way out: nothing is allocated here
    bool loaded = false;
    u64 hole_max = ~0ULL;          // no free range is longer (an upper bound)
    u64 cursor = 0;                // where the last allocation ended
    std::map<u64, u64> free = {};  // begin -> length; valid when loaded
    std::optional<FreeSpaceInfo> space_info = {};  // once the item was read or made
    u64 end() const { return start + length; }
    u64 free_bytes() const { return length - used - reserved - pinned - super_bytes; }
    u64 type() const { return flags & block_group_type_mask; }
};

struct FreeRange {
    LogicalAddr addr;
    u64 length = 0;  // bytes
};

class BlockGroups {
  public:
    // Fills in a block group's free ranges as of the last commit.
    using Loader = std::function<Result<std::vector<FreeRange>>(const BlockGroup&)>;
    void set_loader(Loader loader) { loader_ = std::move(loader); }

    BlockGroup& add(BlockGroup group);
    void remove(u64 start);
    BlockGroup* find(LogicalAddr);
    std::map<u64, BlockGroup>& all() { return groups_; }
    const std::map<u64, BlockGroup>& all() const { return groups_; }

    // Free bytes in block groups that hold `type` (block_group_data, _metadata or _system), writable ones
    // only.
    u64 free_bytes(u64 type) const;

    // Takes at most `wanted` bytes in one piece, at least `least`, from a block group of `type`; addresses
    // are multiples of `align`. Nothing when there is no such piece. `least` == `wanted` is a fast first fit.
    Result<std::optional<FreeRange>> allocate(u64 type, u64 wanted, u64 least, u64 align);
    // Takes exactly this range if all of it is free.
    Result<bool> allocate_at(LogicalAddr, u64 length);
    // A reservation came to nothing; the range was never used by a commit.
    void return_reserved(LogicalAddr, u64 length);
    // The reserved range now has an extent item.
    void reserved_to_used(LogicalAddr, u64 length);
    // The extent item is gone: free after the next commit.
    void used_to_pinned(LogicalAddr, u64 length);
    // The commit is durable. Calls `freed` for each range that became free.
    void unpin(const std::function<void(LogicalAddr, u64 length)>& freed);
    // For tests: the allocation behind `after` more of them fails with Cause::NoSpace, once.
    void refuse_allocation(u64 after) { refuse_in_ = after + 1; }
    void refuse_no_allocation() { refuse_in_ = 0; }
    bool refused_allocation() const { return refused_; }
    bool anything_pinned() const { return !pinned_.empty(); }
    u64 pinned_bytes() const { return pinned_bytes_; }
    // Whether the next commit makes room for `type`: by what is pinned, or by empty block groups that go.
    bool commit_makes_room(u64 type) const;

    // Empty block groups that can go: nothing in them, not even pinned, and not the last one of their kind.
    std::vector<u64> removable();

    // Block groups whose items must be written, in order of address.
    std::set<u64>& changed() { return changed_; }

  private:
    Result<void> load(BlockGroup&);
    Result<void> check_refusal();
    static void put_free(BlockGroup&, u64 begin, u64 length);
    std::optional<FreeRange> take(BlockGroup&, u64 wanted, u64 least, u64 align);
    void mark_changed(BlockGroup&);
    std::vector<std::set<u64>*> candidates(u64 type);
    void update_candidate(const BlockGroup&);

    std::map<u64, BlockGroup> groups_;
    std::set<u64> with_room_[3];  // data, system, metadata: starts of block groups that have free bytes
    std::set<u64> changed_;
    std::set<u64> emptied_;              // ran empty at some time: candidates for removable()
    std::map<u64, u64> count_by_flags_;  // block groups
    std::vector<FreeRange> pinned_;
    u64 pinned_bytes_ = 0;
    u64 free_bytes_[3] = {};
    u64 refuse_in_ = 0;  // 0: never
    bool refused_ = false;
    Loader loader_;
};

// `ranges` without what `taken` covers; both in order.
std::vector<FreeRange> without_ranges(const std::vector<FreeRange>& ranges,
                                      const std::vector<FreeRange>& taken);

// The logical ranges of a chunk that lie under a device's superblock copies, in order; whole stripe elements.
std::vector<FreeRange> ranges_under_superblocks(const Chunk&);

}  // namespace glassfs::btrfs
