// SPDX-License-Identifier: MIT
#include "btrfs/file_pages.h"

#include "btrfs/file_extents.h"

#include <algorithm>

namespace glassfs::btrfs {

FilePages::FilePages(u32 sector_size, u64 size, u64 order, std::shared_ptr<std::atomic<u64>> total)
    : sector_(sector_size), size_(size), order_(order), total_(std::move(total)) {}
FilePages::~FilePages() {
    *total_ -= bytes_;
}

void FilePages::count(s64 change) {
    bytes_ += static_cast<u64>(change);
    *total_ += static_cast<u64>(change);
}

FilePages::Runs::iterator FilePages::at_or_behind(u64 at) {
    auto next = runs_.upper_bound(at);
    if (next == runs_.begin()) return next;
    auto before = std::prev(next);
    return before->first + before->second.size() > at ? before : next;
}

bool FilePages::is_dirty(u64 at) const {
    auto next = runs_.upper_bound(at);
    if (next == runs_.begin()) return false;
    auto before = std::prev(next);
    return before->first + before->second.size() > at;
}

u64 FilePages::clean_bytes(u64 begin, u64 end) const {
    u64 clean = 0;
    for (u64 at = begin; at < end;) {
        auto range = next_range(at);
        u64 to = range ? std::clamp(range->begin, at, end) : end;
        clean += to - at;
        at = range ? std::max(range->end, to) : end;
    }
    return clean;
}

std::optional<FilePages::Range> FilePages::next_range(u64 at) const {
    auto run = runs_.upper_bound(at);
    if (run != runs_.begin()) {
        auto before = std::prev(run);
        if (before->first + before->second.size() > at) run = before;
    }
    if (run == runs_.end()) return std::nullopt;
    Range range{run->first, run->first};
    for (; run != runs_.end() && run->first == range.end; ++run) range.end += run->second.size();
    return range;
}

// Behind the run that ends here, up to its greatest size, so that writing on and on makes few and large ones.
void FilePages::add_run(u64 begin, Bytes data) {
    GLASSFS_ASSERT(begin % sector_ == 0 && data.size() % sector_ == 0);
    count(static_cast<s64>(data.size()));
    auto next = runs_.lower_bound(begin);
    bool in_sequence = false;
    if (next != runs_.begin()) {
        auto before = std::prev(next);
        if (before->first + before->second.size() == begin) {
            Buffer& run = before->second;
            std::size_t taken = std::min(data.size(), run_bytes_max - std::min(run_bytes_max, run.size()));
            run.insert(run.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(taken));
            data = data.subspan(taken);
            begin += taken;
            in_sequence = true;
        }
    }
    while (!data.empty()) {
        Bytes part = data.first(std::min(data.size(), run_bytes_max));
        Buffer run;
        run.reserve(in_sequence ? run_bytes_max : part.size());
        run.assign(part.begin(), part.end());
        next = std::next(runs_.emplace_hint(next, begin, std::move(run)));
        begin += part.size();
        data = data.subspan(part.size());
    }
}

void FilePages::write(u64 at, Bytes data) {
    while (!data.empty()) {
        auto run = at_or_behind(at);
        std::size_t count;
        if (run != runs_.end() && run->first <= at) {
            std::size_t inside = static_cast<std::size_t>(at - run->first);
            count = std::min(data.size(), run->second.size() - inside);
            std::copy_n(data.begin(), count, run->second.begin() + static_cast<std::ptrdiff_t>(inside));
        } else {
            u64 gap = run == runs_.end() ? data.size() : std::min<u64>(data.size(), run->first - at);
            count = static_cast<std::size_t>(gap);
            add_run(at, data.first(count));
        }
        at += count;
        data = data.subspan(count);
    }
}

void FilePages::zero(u64 begin, u64 end) {
    for (auto run = at_or_behind(begin); run != runs_.end() && run->first < end; ++run) {
        u64 from = std::max(begin, run->first) - run->first;
        u64 to = std::min(end - run->first, static_cast<u64>(run->second.size()));
        std::fill(run->second.begin() + static_cast<std::ptrdiff_t>(from),
                  run->second.begin() + static_cast<std::ptrdiff_t>(to), u8{0});
    }
}

void FilePages::drop(u64 begin, u64 end) {
    GLASSFS_ASSERT(begin % sector_ == 0 && (end % sector_ == 0 || end == ~0ULL));
    auto run = at_or_behind(begin);
    while (run != runs_.end() && run->first < end) {
        u64 run_begin = run->first, run_end = run_begin + run->second.size();
        u64 from = std::max(begin, run_begin), to = std::min(end, run_end);
        count(-static_cast<s64>(to - from));
        auto at = [&](u64 position) {
            return run->second.begin() + static_cast<std::ptrdiff_t>(position - run_begin);
        };
        Buffer behind(at(to), run->second.end());
        if (from > run_begin) {
            run->second.erase(at(from), run->second.end());
            ++run;
        } else {
            run = runs_.erase(run);
        }
        if (!behind.empty()) run = std::next(runs_.emplace_hint(run, to, std::move(behind)));
    }
}

void FilePages::read(u64 at, MutBytes out) const {
    auto run = runs_.upper_bound(at);
    if (run != runs_.begin()) --run;
    const u64 end = at + out.size();
    for (; run != runs_.end() && run->first < end; ++run) {
        u64 from = std::max(at, run->first), to = std::min(end, run->first + run->second.size());
        if (from >= to) continue;
        std::copy_n(run->second.begin() + static_cast<std::ptrdiff_t>(from - run->first), to - from,
                    out.begin() + static_cast<std::ptrdiff_t>(from - at));
    }
}

Result<u64> allocated_bytes(Volume& volume, const Inode& inode) {
    u64 bytes = inode.item.nbytes;
    if (inode.pages == nullptr) return bytes;
    const FilePages& pages = *inode.pages;
    TreeRoot root = TRY(volume.tree_root(inode.id.tree));
    for (auto range = pages.next_range(0); range; range = pages.next_range(range->end)) {
        u64 stored = 0;
        auto visit = [&](const Cursor& cursor, u64 begin, u64 end) -> Result<bool> {
            if (begin >= range->end) return false;
            if (is_allocated(cursor.data()))
                stored += std::min(end, range->end) - std::max(begin, range->begin);
            return true;
        };
        TRY(for_each_extent(volume, root, inode.id.ino, range->begin, visit));
        bytes += range->end - range->begin - stored;
    }
    return bytes;
}

}  // namespace glassfs::btrfs
