// SPDX-License-Identifier: MIT
#include "btrfs/delayed_refs.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {
bool same_reference(const ExtentRef& a, const ExtentRef& b) {
    return a.type == b.type && a.root == b.root && a.parent == b.parent && a.objectid == b.objectid &&
           a.offset == b.offset;
}
}  // namespace

s64 RefHead::total() const {
    s64 sum = 0;
    for (const RefChange& change : changes) sum += change.change;
    return sum;
}

Result<RefHead*> DelayedRefs::head(LogicalAddr addr, u64 length, ExtentKind kind, u8 level) {
    auto [at, added] = heads_.try_emplace(addr.value);
    RefHead& head = at->second;
    if (added) {
        head.addr = addr;
        head.length = length;
        head.kind = kind;
        head.level = level;
    }
    if (head.length != length || head.kind != kind || head.level != level) {
        return fail(Cause::ExtentOverlap, {.block = addr.value}, "referred to with different lengths");
    }
    return &head;
}

Result<void> DelayedRefs::allocated(LogicalAddr addr, u64 length, ExtentKind kind, u8 level) {
    RefHead* fresh = TRY(head(addr, length, kind, level));
    // Changes of what was here before can't be left: its space was pinned until they had run.
    if (fresh->is_new || !fresh->changes.empty()) return fail(Cause::ExtentOverlap, {.block = addr.value});
    fresh->is_new = true;
    return {};
}

Result<void> DelayedRefs::modify(LogicalAddr addr, u64 length, ExtentKind kind, u8 level,
                                 const ExtentRef& ref, s64 change) {
    RefHead& of = *TRY(head(addr, length, kind, level));
    auto known = std::find_if(of.changes.begin(), of.changes.end(),
                              [&](const RefChange& other) { return same_reference(other.ref, ref); });
    if (known == of.changes.end()) {
        of.changes.push_back({ref, change});
        return {};
    }
    known->change += change;
    if (known->change == 0) of.changes.erase(known);
    return {};
}

Result<void> DelayedRefs::set_flags(LogicalAddr addr, u64 length, u8 level, u64 flags) {
    TRY(head(addr, length, ExtentKind::TreeBlock, level))->set_flags |= flags;
    return {};
}

const RefHead* DelayedRefs::find(LogicalAddr addr) const {
    auto found = heads_.find(addr.value);
    return found == heads_.end() ? nullptr : &found->second;
}

std::optional<RefHead> DelayedRefs::take(LogicalAddr addr) {
    auto found = heads_.find(addr.value);
    if (found == heads_.end()) return std::nullopt;
    RefHead out = std::move(found->second);
    heads_.erase(found);
    return out;
}

std::optional<RefHead> DelayedRefs::take_next(LogicalAddr from) {
    auto found = heads_.lower_bound(from.value);
    if (found == heads_.end()) return std::nullopt;
    RefHead out = std::move(found->second);
    heads_.erase(found);
    return out;
}

}  // namespace glassfs::btrfs
