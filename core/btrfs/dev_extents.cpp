// SPDX-License-Identifier: MIT
#include "btrfs/dev_extents.h"

#include "btrfs/cursor.h"

#include <algorithm>

namespace glassfs::btrfs {

Result<u64> DeviceTree::for_each_from(u64 devid, u64 from, const Visit& visit) const {
    auto is_wanted = [&](const Key& key) {
        return key.objectid == devid && type_of(key) == KeyType::DevExtent;
    };
    Cursor cursor(volume_, root_());
    u64 leaves = 1;
    bool more = TRY(cursor.seek_back(make_key(devid, KeyType::DevExtent, from)));
    if (!more) {
        more = TRY(cursor.seek(make_key(devid, KeyType::DevExtent, 0)));
    } else if (!is_wanted(cursor.key())) {
        more = TRY(cursor.next());
    }
    const TreeBlock* leaf = more ? &cursor.leaf() : nullptr;
    while (more && is_wanted(cursor.key())) {
        TRY(cursor.check());
        u64 start = cursor.key().offset;
        u64 length = view<disk::btrfs_dev_extent>(cursor.data()).length;
        if (start + length < start) return fail(Cause::DevExtentBad, cursor.where(), "wraps around");
        if (!visit(start, length)) break;
        more = TRY(cursor.next());
        if (more && &cursor.leaf() != leaf) {
            leaf = &cursor.leaf();
            if (is_wanted(cursor.key())) ++leaves;
        }
    }
    return leaves;
}

void HintBuilder::visit(u64 devid, u64 start, u64 length) {
    Device& device = devices_[devid];
    if (start > device.end) device.survey.add(device.end, start);
    device.end = std::max(device.end, start + length);
}

void DevExtents::add_device(u64 devid, u64 total_bytes) {
    bool added = devices_.emplace(devid, Device{.id = devid, .total_bytes = total_bytes, .taken = {}}).second;
    GLASSFS_ASSERT(added);
}

void DevExtents::remove_device(u64 devid) {
    devices_.erase(devid);
}

DevExtents::Device& DevExtents::device(u64 devid) {
    auto found = devices_.find(devid);
    GLASSFS_ASSERT(found != devices_.end());
    return found->second;
}

const DevExtents::Device& DevExtents::device(u64 devid) const {
    auto found = devices_.find(devid);
    GLASSFS_ASSERT(found != devices_.end());
    return found->second;
}

PhysicalAddr DevExtents::hint(u64 devid) const {
    return PhysicalAddr{device(devid).hint};
}

u64 DevExtents::largest_below_hint(u64 devid) const {
    return device(devid).largest_below;
}

void DevExtents::move_hint(Device& device, u64 to, HintMove reason) {
    to = std::max(to, device_reserved_bytes);
    if (to == device.hint) return;
    ++counters_.hint_moves[static_cast<std::size_t>(reason)];
    trace_([&] {
        return trace::AllocHintMoved{device.id, PhysicalAddr{device.hint}, PhysicalAddr{to},
                                     static_cast<u8>(reason)};
    });
    device.hint = to;
}

// The new bytes are like freed ones: a hole at the old end goes on in them.
void DevExtents::resize_device(u64 devid, u64 total_bytes) {
    Device& device = this->device(devid);
    u64 old_bytes = device.total_bytes;
    device.total_bytes = total_bytes;
    if (total_bytes > old_bytes) now_free(device, old_bytes);
    if (total_bytes < old_bytes) reset_hint(devid);
}

void DevExtents::reset_hint(u64 devid) {
    Device& device = this->device(devid);
    device.largest_below = 0;
    move_hint(device, device_reserved_bytes, HintMove::Reset);
}

void DevExtents::build_hints(const HintBuilder& builder) {
    for (const auto& [devid, built] : builder.devices_) {
        auto found = devices_.find(devid);
        if (found == devices_.end()) continue;
        Device& device = found->second;
        HoleSurvey survey = built.survey;
        if (built.end < device.total_bytes) survey.add(built.end, device.total_bytes);
        device.largest_below = survey.largest_before;
        move_hint(device, survey.first_long.value_or(device.total_bytes), HintMove::Built);
    }
}

// Calls hole(begin, end) for the parts of a gap between dev extents that nothing pending or pinned takes,
// until it returns false; then returns false.
template <class F>
bool DevExtents::holes_of_gap(const Device& device, u64 begin, u64 end, F&& hole) {
    auto next = device.taken.upper_bound(begin);
    if (next != device.taken.begin()) begin = std::max(begin, std::prev(next)->second.end);
    for (; next != device.taken.end() && next->first < end; ++next) {
        if (next->first > begin && !hole(begin, next->first)) return false;
        begin = std::max(begin, next->second.end);
    }
    return begin >= end || hole(begin, end);
}

// Over the holes of a device that begin in [from, to), and the one that `from` lies in, until one fits.
Result<DevExtents::Walk> DevExtents::walk(const DevExtentSource& tree, const Device& device, u64 from, u64 to,
                                          u64 wanted) {
    Walk walk;
    u64 position = device_reserved_bytes;  // the end of what is taken, so far
    auto before = device.taken.upper_bound(from);
    if (before != device.taken.begin()) position = std::max(position, std::prev(before)->second.end);
    bool started = false;
    auto hole = [&](u64 begin, u64 end) {
        u64 length = end - begin;
        walk.fits = length >= wanted;
        if (length > walk.best.length) walk.best = {PhysicalAddr{begin}, length};
        if (!walk.fits || length >= hint_hole_bytes) walk.survey.add(begin, end);
        return !walk.fits;
    };
    auto gap = [&](u64 end) {
        if (!started) walk.begin = position;
        started = true;
        return position >= end || holes_of_gap(device, position, end, hole);
    };
    u64 visited = 0;
    counters_.leaves_read += TRY(tree.for_each_from(device.id, from, [&](u64 start, u64 length) {
        ++visited;
        if (start > from && !gap(std::min(start, to))) return false;
        position = std::max(position, start + length);
        return position < to;
    }));
    counters_.dev_extents_visited += visited;
    if (!walk.fits) gap(to);
    trace_([&] {
        return trace::DevExtentSearch{device.id, wanted,          PhysicalAddr{from},
                                      visited,   walk.best.start, walk.best.length};
    });
    return walk;
}

// What a walk from `from` (the hint, or the first usable byte) has proved of the hint.
void DevExtents::learn(Device& device, const Walk& walk, u64 from) {
    u64 known = walk.fits ? walk.best.start.value : device.total_bytes;  // all holes that begin below are
    u64 to = walk.survey.first_long.value_or(known);
    if (to < device.hint) return;
    u64 before = from == device.hint ? device.largest_below : 0;
    device.largest_below = std::max(before, walk.survey.largest_before);
    move_hint(device, to, HintMove::Proved);
}

Result<FreeDevExtent> DevExtents::find_free(const DevExtentSource& tree, u64 devid, u64 wanted) {
    if (wanted == 0) return fail(Cause::InvalidArgument, "no bytes wanted");
    auto found = devices_.find(devid);
    if (found == devices_.end()) return fail(Cause::DeviceMissing, {.device = devid});
    if (!now_ns_) return search(tree, found->second, wanted);
    u64 began = now_ns_();
    auto out = search(tree, found->second, wanted);
    search_times_.add(now_ns_() - began);
    return out;
}

Result<FreeDevExtent> DevExtents::search(const DevExtentSource& tree, Device& device, u64 wanted) {
    ++counters_.searches;
    bool from_hint = mode_ == DevExtentSearchMode::Hint && wanted > device.largest_below;
    u64 from = from_hint ? device.hint : device_reserved_bytes;
    if (mode_ == DevExtentSearchMode::Hint && from < device.hint) ++counters_.searches_below;
    Walk walk = TRY(this->walk(tree, device, from, device.total_bytes, wanted));
    FreeDevExtent best = walk.best;
    u64 below_max = device.largest_below;
    if (mode_ == DevExtentSearchMode::Hint) learn(device, walk, from);
    if (!walk.fits && from_hint && below_max > 0 && below_max >= best.length) {
        ++counters_.searches_below;
        Walk below = TRY(this->walk(tree, device, device_reserved_bytes, walk.begin, wanted));
        if (below.best.length >= best.length) best = below.best;
        device.largest_below = std::max(below.survey.largest_before, walk.survey.largest_before);
        if (below.survey.first_long) reset_hint(device.id);  // somebody freed and didn't say so: room is room
    }
    return best;
}

// A hole that begins in the 16 MiB behind the hint, where none is that long, leaves too little before it.
void DevExtents::allocated(u64 devid, PhysicalAddr start, u64 length) {
    Device& device = this->device(devid);
    u64 begin = start.value;
    u64 end = begin + length;
    auto next = device.taken.lower_bound(begin);
    GLASSFS_ASSERT(next == device.taken.end() || next->first >= end);
    GLASSFS_ASSERT(next == device.taken.begin() || std::prev(next)->second.end <= begin);
    device.taken.emplace_hint(next, begin, TakenRange{end, Taken::Pending});
    if (end <= device.hint) return;
    u64 before = begin > device.hint ? begin - device.hint : 0;  // may hold holes
    if (before >= hint_hole_bytes) return;
    device.largest_below = std::max(device.largest_below, before);
    move_hint(device, end, HintMove::Allocated);
}

void DevExtents::in_tree(u64 devid, PhysicalAddr start) {
    Device& device = this->device(devid);
    auto range = device.taken.find(start.value);
    GLASSFS_ASSERT(range != device.taken.end() && range->second.why == Taken::Pending);
    device.taken.erase(range);
}

void DevExtents::dropped(u64 devid, PhysicalAddr start) {
    in_tree(devid, start);
    now_free(device(devid), start.value);
}

void DevExtents::freed(u64 devid, PhysicalAddr start, u64 length) {
    device(devid).taken[start.value] = {start.value + length, Taken::Pinned};
}

// A hole before the range grows by it. If that one may lie below the hint it is shorter than 16 MiB, so what
// they become begins less than that before the range.
void DevExtents::now_free(Device& device, u64 start) {
    u64 earliest = start > hint_hole_bytes ? start - hint_hole_bytes : 0;
    earliest = std::max(earliest, device_reserved_bytes);
    if (earliest < device.hint) move_hint(device, earliest, HintMove::Freed);
}

bool DevExtents::anything_freed() const {
    return std::any_of(devices_.begin(), devices_.end(), [](const auto& entry) {
        return std::any_of(entry.second.taken.begin(), entry.second.taken.end(),
                           [](const auto& range) { return range.second.why == Taken::Pinned; });
    });
}

void DevExtents::committed() {
    for (auto& [devid, device] : devices_) {
        std::map<u64, TakenRange> taken = std::move(device.taken);
        device.taken.clear();
        for (const auto& [start, range] : taken) {
            if (range.why == Taken::Pinned) now_free(device, start);
        }
    }
}

}  // namespace glassfs::btrfs
