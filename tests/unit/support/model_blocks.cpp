// SPDX-License-Identifier: MIT
#include "support/model_blocks.h"

#include <algorithm>

namespace glassfs::support {

namespace {

constexpr u64 block = ModelBlocks::block;

u64 blocks_of(u64 bytes) {
    return bytes / block + (bytes % block != 0);
}

}  // namespace

bool ModelBlocks::is_data(u64 number) const {
    auto found = blocks_.find(number);
    return found != blocks_.end() && found->second != nullptr;
}

// The page of a block that holds data from now on, and isn't shared.
ModelBlocks::Page& ModelBlocks::data_page(u64 number) {
    auto& page = blocks_[number];
    if (!page) {
        page = std::make_shared<Page>();
        page->fill(0);
    } else if (page.use_count() > 1) {
        page = std::make_shared<Page>(*page);
    }
    return *page;
}

// Within one block that holds data.
void ModelBlocks::zero(u64 begin, u64 end) {
    if (begin == end) return;
    Page& page = data_page(begin / block);
    std::fill(page.begin() + static_cast<std::ptrdiff_t>(begin % block),
              page.begin() + static_cast<std::ptrdiff_t>((end - 1) % block + 1), u8{0});
}

// Before a file grows, Linux zeroes the rest of its last block through the page cache: the block becomes
// data, whatever it was.
void ModelBlocks::materialise_end() {
    if (size_ % block != 0) data_page(size_ / block);
}

void ModelBlocks::grow_to(u64 end, SizeChange change) {
    if (change == SizeChange::Grow) size_ = std::max(size_, end);
}

std::size_t ModelBlocks::read(u64 at, MutBytes out) const {
    if (at >= size_) return 0;
    std::size_t total = static_cast<std::size_t>(std::min<u64>(out.size(), size_ - at));
    for (std::size_t done = 0; done < total;) {
        u64 place = at + done;
        std::size_t inside = static_cast<std::size_t>(place % block);
        std::size_t bytes = std::min<std::size_t>(total - done, block - inside);
        auto found = blocks_.find(place / block);
        MutBytes part = out.subspan(done, bytes);
        if (found == blocks_.end() || !found->second) {
            std::fill(part.begin(), part.end(), u8{0});
        } else {
            std::copy_n(found->second->begin() + static_cast<std::ptrdiff_t>(inside), bytes, part.begin());
        }
        done += bytes;
    }
    return total;
}

void ModelBlocks::write(u64 at, Bytes data) {
    if (at > size_) materialise_end();
    for (std::size_t done = 0; done < data.size();) {
        u64 place = at + done;
        std::size_t inside = static_cast<std::size_t>(place % block);
        std::size_t bytes = std::min<std::size_t>(data.size() - done, block - inside);
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(done), bytes,
                    data_page(place / block).begin() + static_cast<std::ptrdiff_t>(inside));
        done += bytes;
    }
    size_ = std::max(size_, at + data.size());
}

void ModelBlocks::truncate(u64 size) {
    if (size > size_) {
        materialise_end();
    } else {  // also to the same size: what is allocated behind the end goes
        blocks_.erase(blocks_.lower_bound(blocks_of(size)), blocks_.end());
        if (size % block != 0 && is_data(size / block)) zero(size, (size / block + 1) * block);
    }
    size_ = size;
}

void ModelBlocks::allocate(u64 at, u64 length, SizeChange change) {
    u64 end = at + length;
    if (end > size_) materialise_end();
    for (u64 number = at / block; number < blocks_of(end); ++number) blocks_.try_emplace(number);
    grow_to(end, change);
}

void ModelBlocks::zero_range(u64 at, u64 length, SizeChange change) {
    u64 end = at + length;
    if (end > size_) materialise_end();
    for (u64 number = at / block; number < blocks_of(end); ++number) {
        u64 begin_here = std::max(at, number * block), end_here = std::min(end, (number + 1) * block);
        if (end_here - begin_here < block && is_data(number)) {
            zero(begin_here, end_here);
        } else {
            blocks_[number] = nullptr;
        }
    }
    grow_to(end, change);
}

void ModelBlocks::punch(u64 at, u64 length) {
    u64 end = at + length;
    auto first = blocks_.lower_bound(at / block), last = blocks_.lower_bound(blocks_of(end));
    while (first != last) {
        u64 number = first->first;
        u64 begin_here = std::max(at, number * block), end_here = std::min(end, (number + 1) * block);
        if (end_here - begin_here == block) {
            first = blocks_.erase(first);
            continue;
        }
        if (number * block < size_) zero(begin_here, end_here);
        ++first;
    }
}

void ModelBlocks::clone(const ModelBlocks& from, u64 from_at, u64 length, u64 to_at) {
    if (to_at > size_) materialise_end();
    u64 shift = to_at / block - from_at / block;  // may wrap
    u64 first = from_at / block, end = blocks_of(from_at + length);
    Pages copied;
    for (auto at = from.blocks_.lower_bound(first); at != from.blocks_.end() && at->first < end; ++at) {
        copied[at->first + shift] = at->second;
    }
    blocks_.erase(blocks_.lower_bound(first + shift), blocks_.lower_bound(end + shift));
    blocks_.merge(copied);
    size_ = std::max(size_, to_at + length);
}

std::optional<u64> ModelBlocks::seek(u64 at, vfs::Whence whence) const {
    if (whence == vfs::Whence::Data) {
        for (auto next = blocks_.lower_bound(at / block); next != blocks_.end(); ++next) {
            if (!next->second) continue;
            u64 begin = std::max(at, next->first * block);
            return begin < size_ ? std::optional(begin) : std::nullopt;
        }
        return std::nullopt;
    }
    u64 number = at / block;
    if (!is_data(number)) return at;
    while (is_data(number)) ++number;
    return std::min(number * block, size_);
}

void ModelBlocks::extents(const std::function<bool(const vfs::FileExtent&)>& visit) const {
    vfs::FileExtent run;
    auto flush = [&] { return run.length == 0 || visit(run); };
    auto add = [&](vfs::FileExtent::Kind kind, u64 begin, u64 end) {
        if (begin >= end) return true;
        if (run.length != 0 && run.kind == kind) {
            run.length = end - run.file_offset;
            return true;
        }
        if (!flush()) return false;
        run.kind = kind;
        run.file_offset = begin;
        run.length = end - begin;
        return true;
    };
    u64 at = 0;
    for (const auto& [number, page] : blocks_) {
        auto kind = page ? vfs::FileExtent::Kind::Data : vfs::FileExtent::Kind::Unwritten;
        if (!add(vfs::FileExtent::Kind::Hole, at, number * block)) return;
        if (!add(kind, number * block, (number + 1) * block)) return;
        at = (number + 1) * block;
    }
    if (add(vfs::FileExtent::Kind::Hole, at, size_)) flush();
}

}  // namespace glassfs::support
