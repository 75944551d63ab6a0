// SPDX-License-Identifier: MIT
// Changes of extents' references that the extent tree doesn't have yet. Changing the extent tree copies
// blocks of the extent tree, which changes references: so changes are collected here, those that cancel out
// vanish, and the rest is applied in order of address, round after round, until nothing new comes
// (WritableVolume::settle).
#pragma once

#include "btrfs/extent_ref.h"

#include <map>

namespace glassfs::btrfs {

// The change of one reference. `ref.count` is not used.
struct RefChange {
    ExtentRef ref;
    s64 change = 0;
};

enum class ExtentKind : u8 { Data, TreeBlock };

struct RefHead {
    LogicalAddr addr;
    u64 length = 0;  // bytes
    ExtentKind kind = ExtentKind::TreeBlock;
    u8 level = 0;         // of a tree block
    bool is_new = false;  // allocated in this transaction: there is no extent item yet
    u64 set_flags = 0;    // to add to the extent item's flags
    std::vector<RefChange> changes = {};
    s64 total() const;  // of all changes
};

class DelayedRefs {
  public:
    // Cause::ExtentOverlap: known already with another length or kind.
    [[nodiscard]] Result<void> allocated(LogicalAddr, u64 length, ExtentKind, u8 level);
    [[nodiscard]] Result<void> modify(LogicalAddr, u64 length, ExtentKind, u8 level, const ExtentRef&,
                                      s64 change);
    [[nodiscard]] Result<void> set_flags(LogicalAddr, u64 length, u8 level, u64 flags);

    const RefHead* find(LogicalAddr) const;
    // Takes the head out.
    std::optional<RefHead> take(LogicalAddr);
    // The one with the lowest address at or behind `from`.
    std::optional<RefHead> take_next(LogicalAddr from);
    bool empty() const { return heads_.empty(); }
    std::size_t size() const { return heads_.size(); }

  private:
    Result<RefHead*> head(LogicalAddr, u64 length, ExtentKind, u8 level);

    std::map<u64, RefHead> heads_;
};

}  // namespace glassfs::btrfs
