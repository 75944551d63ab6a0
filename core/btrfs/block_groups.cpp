// SPDX-License-Identifier: MIT
#include "btrfs/block_groups.h"

#include "btrfs/superblock.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u64 types[3] = {block_group_data, block_group_system, block_group_metadata};

u64 rounded_up(u64 value, u64 align) {
    return (value + align - 1) / align * align;
}

}  // namespace

std::vector<FreeRange> ranges_under_superblocks(const Chunk& chunk) {
    const u64 n = chunk.stripes.size();
    const u64 element = chunk.stripe_len;
    u64 columns = 1;  // elements of different content in one row
    if ((chunk.type & block_group_raid0) != 0) columns = n;
    if ((chunk.type & block_group_raid10) != 0) columns = n / chunk.sub_stripes;
    if (chunk.parity_stripes() != 0) columns = chunk.data_stripes();
    std::set<u64> begins;
    for (std::size_t i = 0; i < n; ++i) {
        u64 physical = chunk.stripes[i].physical.value;
        for (u64 super : super_offsets) {
            if (super + super_size <= physical || super >= physical + chunk.stripe_bytes()) continue;
            u64 first = (std::max(super, physical) - physical) / element;
            u64 last = (super + super_size - 1 - physical) / element;
            for (u64 row = first; row <= last; ++row) {
                if (chunk.parity_stripes() != 0) {  // which column it is depends on the row: all of them
                    for (u64 column = 0; column < columns; ++column) begins.insert(row * columns + column);
                } else if (columns == 1) {
                    begins.insert(row);
                } else {
                    u64 column = (chunk.type & block_group_raid10) != 0 ? i / chunk.sub_stripes : i;
                    begins.insert(row * columns + column);
                }
            }
        }
    }
    std::vector<FreeRange> out;
    for (u64 begin : begins) {
        u64 at = begin * element;
        if (at < chunk.length) out.push_back({chunk.logical + at, std::min(element, chunk.length - at)});
    }
    return out;
}

std::vector<FreeRange> without_ranges(const std::vector<FreeRange>& ranges,
                                      const std::vector<FreeRange>& taken) {
    std::vector<FreeRange> out;
    for (const FreeRange& range : ranges) {
        u64 at = range.addr.value;
        const u64 end = at + range.length;
        for (const FreeRange& hole : taken) {
            const u64 hole_end = hole.addr.value + hole.length;
            if (hole_end <= at || hole.addr.value >= end) continue;
            if (hole.addr.value > at) out.push_back({LogicalAddr{at}, hole.addr.value - at});
            at = std::min(end, hole_end);
        }
        if (at < end) out.push_back({LogicalAddr{at}, end - at});
    }
    return out;
}

BlockGroup& BlockGroups::add(BlockGroup group) {
    u64 start = group.start;
    auto [at, added] = groups_.emplace(start, std::move(group));
    GLASSFS_ASSERT(added);
    BlockGroup& in = at->second;
    ++count_by_flags_[in.flags];
    if (!in.has_item) changed_.insert(start);
    for (int i = 0; i < 3; ++i) {
        if ((in.flags & types[i]) != 0 && !in.read_only) free_bytes_[i] += in.free_bytes();
    }
    update_candidate(in);
    return in;
}

void BlockGroups::remove(u64 start) {
    auto found = groups_.find(start);
    GLASSFS_ASSERT(found != groups_.end());
    BlockGroup& group = found->second;
    for (int i = 0; i < 3; ++i) {
        if ((group.flags & types[i]) != 0 && !group.read_only) free_bytes_[i] -= group.free_bytes();
        with_room_[i].erase(start);
    }
    changed_.erase(start);
    emptied_.erase(start);
    --count_by_flags_[group.flags];
    groups_.erase(found);
}

std::vector<u64> BlockGroups::removable() {
    std::vector<u64> out;
    std::map<u64, u64> left = count_by_flags_;
    for (auto at = emptied_.begin(); at != emptied_.end();) {
        const BlockGroup& group = groups_.at(*at);
        if (group.used != 0) {
            at = emptied_.erase(at);
            continue;
        }
        ++at;
        if (group.reserved != 0 || group.pinned != 0 || left[group.flags] <= 1) continue;
        --left[group.flags];
        out.push_back(group.start);
    }
    return out;
}

bool BlockGroups::commit_makes_room(u64 type) const {
    auto holds_type = [&](const FreeRange& range) {
        auto next = groups_.upper_bound(range.addr.value);
        return next != groups_.begin() && (std::prev(next)->second.flags & type) != 0;
    };
    if (std::any_of(pinned_.begin(), pinned_.end(), holds_type)) return true;
    return std::any_of(emptied_.begin(), emptied_.end(), [&](u64 start) {
        const BlockGroup& group = groups_.at(start);
        return group.used == 0 && group.reserved == 0 && count_by_flags_.at(group.flags) > 1;
    });
}

BlockGroup* BlockGroups::find(LogicalAddr addr) {
    auto next = groups_.upper_bound(addr.value);
    if (next == groups_.begin()) return nullptr;
    BlockGroup& group = std::prev(next)->second;
    return addr.value < group.end() ? &group : nullptr;
}

u64 BlockGroups::free_bytes(u64 type) const {
    for (int i = 0; i < 3; ++i) {
        if (types[i] == type) return free_bytes_[i];
    }
    return 0;
}

void BlockGroups::update_candidate(const BlockGroup& group) {
    bool room = !group.read_only && group.free_bytes() != 0;
    for (int i = 0; i < 3; ++i) {
        if ((group.flags & types[i]) == 0) continue;
        if (room)
            with_room_[i].insert(group.start);
        else
            with_room_[i].erase(group.start);
    }
}

void BlockGroups::mark_changed(BlockGroup& group) {
    changed_.insert(group.start);
}

// The space under superblock copies counts as free in the free space tree; here it is taken out.
Result<void> BlockGroups::load(BlockGroup& group) {
    if (group.loaded) return {};
    std::vector<FreeRange> ranges = TRY(loader_(group));
    u64 sum = 0;
    for (const FreeRange& range : ranges) {
        bool inside = range.addr.value >= group.start && range.length <= group.length &&
                      range.addr.value - group.start <= group.length - range.length;
        if (!inside)
            return fail(Cause::FreeSpaceWrong, {.block = range.addr.value}, "outside of its block group");
        put_free(group, range.addr.value, range.length);
        sum += range.length;
    }
    if (sum > group.length) return fail(Cause::FreeSpaceWrong, {.block = group.start}, "more than there is");
    group.loaded = true;
    group.hole_max = ~0ULL;
    return {};
}

void BlockGroups::put_free(BlockGroup& group, u64 begin, u64 length) {
    auto next = group.free.lower_bound(begin);
    if (next != group.free.end() && begin + length == next->first) {
        length += next->second;
        next = group.free.erase(next);
    }
    if (next != group.free.begin()) {
        auto previous = std::prev(next);
        if (previous->first + previous->second == begin) {
            previous->second += length;
            if (group.hole_max != ~0ULL) group.hole_max = std::max(group.hole_max, previous->second);
            return;
        }
    }
    group.free.emplace_hint(next, begin, length);
    if (group.hole_max != ~0ULL) group.hole_max = std::max(group.hole_max, length);
}

// First fit behind the last allocation, then from the begin; the longest piece when none has `wanted`.
std::optional<FreeRange> BlockGroups::take(BlockGroup& group, u64 wanted, u64 least, u64 align) {
    if (group.hole_max < least) return std::nullopt;
    auto best = group.free.end();
    u64 best_length = 0;
    u64 hole_max = 0;
    auto usable = [&](const auto& hole) {
        u64 begin = rounded_up(hole.first, align);
        u64 skipped = begin - hole.first;
        return skipped < hole.second ? hole.second - skipped : 0;
    };
    auto look = [&](auto from, auto to) {
        for (auto hole = from; hole != to; ++hole) {
            hole_max = std::max(hole_max, hole->second);
            u64 length = usable(*hole);
            if (length > best_length) {
                best = hole;
                best_length = length;
                if (length >= wanted) return true;
            }
        }
        return false;
    };
    auto middle = group.free.lower_bound(group.cursor);
    if (middle != group.free.begin() && std::prev(middle)->first + std::prev(middle)->second > group.cursor) {
        --middle;
    }
    if (!look(middle, group.free.end()) && !look(group.free.begin(), middle)) {
        group.hole_max = hole_max;
        if (best_length < least || best_length == 0) return std::nullopt;
    }
    u64 hole_begin = best->first, hole_end = best->first + best->second;
    u64 begin = rounded_up(hole_begin, align);
    u64 length = std::min(best_length, wanted);
    group.free.erase(best);
    if (begin > hole_begin) group.free.emplace(hole_begin, begin - hole_begin);
    if (begin + length < hole_end) group.free.emplace(begin + length, hole_end - begin - length);
    group.cursor = begin + length;
    return FreeRange{LogicalAddr{begin}, length};
}

Result<void> BlockGroups::check_refusal() {
    if (refuse_in_ == 0 || --refuse_in_ != 0) return {};
    refused_ = true;
    return fail(Cause::NoSpace, "refused on request");
}

Result<std::optional<FreeRange>> BlockGroups::allocate(u64 type, u64 wanted, u64 least, u64 align) {
    TRY(check_refusal());
    int index = type == block_group_data ? 0 : type == block_group_system ? 1 : 2;
    for (u64 at = 0;;) {
        auto next = with_room_[index].lower_bound(at);
        if (next == with_room_[index].end()) return std::optional<FreeRange>{};
        BlockGroup& group = groups_.at(*next);
        at = group.start + 1;
        if (group.free_bytes() < least || group.hole_max < least) continue;
        TRY(load(group));
        auto taken = take(group, wanted, least, align);
        if (!taken) continue;
        group.reserved += taken->length;
        for (int i = 0; i < 3; ++i) {
            if ((group.flags & types[i]) != 0) free_bytes_[i] -= taken->length;
        }
        update_candidate(group);
        return taken;
    }
}

Result<bool> BlockGroups::allocate_at(LogicalAddr addr, u64 length) {
    BlockGroup* group = find(addr);
    if (group == nullptr || group->read_only) return false;
    TRY(check_refusal());
    TRY(load(*group));
    auto next = group->free.upper_bound(addr.value);
    if (next == group->free.begin()) return false;
    auto hole = std::prev(next);
    u64 hole_begin = hole->first, hole_end = hole->first + hole->second;
    if (hole_end < addr.value + length) return false;
    group->free.erase(hole);
    if (addr.value > hole_begin) group->free.emplace(hole_begin, addr.value - hole_begin);
    if (addr.value + length < hole_end)
        group->free.emplace(addr.value + length, hole_end - addr.value - length);
    group->reserved += length;
    for (int i = 0; i < 3; ++i) {
        if ((group->flags & types[i]) != 0) free_bytes_[i] -= length;
    }
    group->cursor = addr.value + length;
    update_candidate(*group);
    return true;
}

void BlockGroups::return_reserved(LogicalAddr addr, u64 length) {
    BlockGroup* group = find(addr);
    GLASSFS_ASSERT(group != nullptr && group->reserved >= length);
    group->reserved -= length;
    for (int i = 0; i < 3; ++i) {
        if ((group->flags & types[i]) != 0 && !group->read_only) free_bytes_[i] += length;
    }
    if (group->loaded) put_free(*group, addr.value, length);
    update_candidate(*group);
}

void BlockGroups::reserved_to_used(LogicalAddr addr, u64 length) {
    BlockGroup* group = find(addr);
    GLASSFS_ASSERT(group != nullptr && group->reserved >= length);
    group->reserved -= length;
    group->used += length;
    mark_changed(*group);
}

void BlockGroups::used_to_pinned(LogicalAddr addr, u64 length) {
    BlockGroup* group = find(addr);
    GLASSFS_ASSERT(group != nullptr && group->used >= length);
    group->used -= length;
    group->pinned += length;
    pinned_.push_back({addr, length});
    pinned_bytes_ += length;
    if (group->used == 0) emptied_.insert(group->start);
    mark_changed(*group);
}

void BlockGroups::unpin(const std::function<void(LogicalAddr, u64 length)>& freed) {
    for (const FreeRange& range : pinned_) {
        BlockGroup* group = find(range.addr);
        if (group == nullptr) continue;  // removed with its chunk
        group->pinned -= range.length;
        for (int i = 0; i < 3; ++i) {
            if ((group->flags & types[i]) != 0 && !group->read_only) free_bytes_[i] += range.length;
        }
        if (group->loaded) put_free(*group, range.addr.value, range.length);
        update_candidate(*group);
        freed(range.addr, range.length);
    }
    pinned_.clear();
    pinned_bytes_ = 0;
}

}  // namespace glassfs::btrfs
