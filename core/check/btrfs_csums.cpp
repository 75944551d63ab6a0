// SPDX-License-Identifier: MIT
#include "check/btrfs_csums.h"

#include <algorithm>

namespace glassfs::check {

namespace {

Range range_of(const ItemView& item, const btrfs::Geometry& geometry) {
    u64 sectors = item.data.size() / checksum_size(geometry.csum_type);
    return {item.key.offset, item.key.offset + sectors * geometry.sector_size};
}

}  // namespace

void CsumMap::read(BlockReader& reader, const ExtentCheck& extents) {
    Findings& findings = reader.findings();
    auto root = reader.volume().tree_root(btrfs::csum_tree_objectid);
    if (!root) return findings.problem(std::move(root).error());
    u64 issues_before = findings.report().issues_total;
    for_each_item(reader, *root, [&](const ItemView& item) {
        if (type_of(item.key) != KeyType::ExtentCsum) return;
        Range range = range_of(item, reader.volume().geometry());
        if (!ranges_.empty() && ranges_.back().end > range.begin) {
            findings.problem(Cause::CsumItemBad, item.where(),
                             say("the item before covers up to ", ranges_.back().end));
            return;
        }
        if (extents.complete() && !extents.covers(range)) findings.problem(Cause::CsumUnused, item.where());
        if (!ranges_.empty() && ranges_.back().end == range.begin)
            ranges_.back().end = range.end;
        else
            ranges_.push_back(range);
    });
    usable_ = findings.report().issues_total == issues_before;
}

u64 CsumMap::covered(Range range) const {
    auto at = std::upper_bound(ranges_.begin(), ranges_.end(), range.begin,
                               [](u64 wanted, const Range& have) { return wanted < have.end; });
    u64 sum = 0;
    for (; at != ranges_.end() && at->begin < range.end; ++at) {
        sum += std::min(at->end, range.end) - std::max(at->begin, range.begin);
    }
    return sum;
}

namespace {

// Compares the sectors of one piece of a checksum item's range.
class DataPiece {
  public:
    DataPiece(BlockReader& reader, const ItemView& item, u64 begin, u32 sectors)
        : volume_(reader.volume()),
          findings_(reader.findings()),
          item_(item),
          begin_(begin),
          good_(sectors, 0) {}

    void check() {
        u32 copies = volume_.mirrors(LogicalAddr{begin_});
        const btrfs::Chunk* chunk = volume_.chunk_map().find(LogicalAddr{begin_});
        bool parity = chunk != nullptr && chunk->parity_stripes() > 0;
        for (u32 mirror = 0; mirror < copies; ++mirror) {
            if (parity && mirror > 0 && all_good()) break;
            check_copy(mirror);
        }
        report();
    }

  private:
    bool all_good() const {
        return std::all_of(good_.begin(), good_.end(), [](u32 copies) { return copies > 0; });
    }

    void check_copy(u32 mirror) {
        std::size_t sector = volume_.geometry().sector_size;
        Buffer bytes(good_.size() * sector);
        auto whole = volume_.read_data(LogicalAddr{begin_}, bytes, mirror);
        if (!whole && whole.error().cause == Cause::DeviceMissing) return;
        ++present_;
        for (std::size_t i = 0; i < good_.size(); ++i) {
            MutBytes part = MutBytes(bytes).subspan(i * sector, sector);
            bool readable = whole || volume_.read_data(LogicalAddr{begin_ + i * sector}, part, mirror);
            if (readable && matches(i, part)) ++good_[i];
        }
        findings_.report().data_bytes_read += bytes.size();
    }

    bool matches(std::size_t index, Bytes part) const {
        const btrfs::Geometry& geometry = volume_.geometry();
        std::size_t size = checksum_size(geometry.csum_type);
        auto first = static_cast<std::size_t>((begin_ - item_.key.offset) / geometry.sector_size);
        Bytes stored = item_.data.subspan((first + index) * size, size);
        return checksum(geometry.csum_type, part) == checksum_stored(geometry.csum_type, stored);
    }

    void report() {
        auto count_bad = [&](auto&& is_bad) { return std::count_if(good_.begin(), good_.end(), is_bad); };
        auto lost = count_bad([](u32 copies) { return copies == 0; });
        if (lost > 0) {
            findings_.problem(Cause::DataChecksum, where([](u32 copies) { return copies == 0; }),
                              say(lost, " sectors without a good copy"));
        }
        u32 best = good_.empty() ? 0 : *std::max_element(good_.begin(), good_.end());
        auto worse = [best](u32 copies) { return copies > 0 && copies < best; };
        auto weak = count_bad(worse);
        if (weak > 0)
            findings_.warning(Cause::DataChecksum, where(worse), say(weak, " sectors with a bad copy"));
        else if (lost == 0 && best < present_ && !good_.empty()) {
            findings_.warning(Cause::DataChecksum, where([](u32) { return true; }),
                              "a copy is bad as a whole");
        }
    }

    template <class Predicate>
    Where where(Predicate is_bad) const {
        Where where = item_.where();
        auto first = std::find_if(good_.begin(), good_.end(), is_bad) - good_.begin();
        where.block = begin_ + static_cast<u64>(first) * volume_.geometry().sector_size;
        where.slot.reset();
        return where;
    }

    btrfs::Volume& volume_;
    Findings& findings_;
    const ItemView& item_;
    u64 begin_;
    std::vector<u32> good_;  // per sector: copies that match
    u32 present_ = 0;
};

}  // namespace

void check_data(BlockReader& reader, u64 data_bytes) {
    constexpr u64 piece_bytes = 1 << 20;
    auto root = reader.volume().tree_root(btrfs::csum_tree_objectid);
    if (!root) return;  // reported by CsumMap::read()
    const btrfs::Geometry& geometry = reader.volume().geometry();
    u64 done = 0;
    for_each_item(reader, *root, [&](const ItemView& item) {
        if (type_of(item.key) != KeyType::ExtentCsum) return;
        Range range = range_of(item, geometry);
        while (range.begin < range.end && !reader.findings().cancelled()) {
            u64 length = std::min(piece_bytes, range.end - range.begin);
            // One piece stays inside of one chunk, which says how many copies there are.
            const btrfs::Chunk* chunk = reader.volume().chunk_map().find(LogicalAddr{range.begin});
            if (chunk != nullptr) length = std::min(length, chunk->end().value - range.begin);
            DataPiece(reader, item, range.begin, static_cast<u32>(length / geometry.sector_size)).check();
            range.begin += length;
            done += length;
            reader.findings().advance(done, data_bytes);
        }
    });
}

}  // namespace glassfs::check
