// SPDX-License-Identifier: MIT
#include "btrfs/metadump.h"

#include "base/compression.h"
#include "base/layout.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

#define META_CLUSTER_HEADER(F)     \
    F(0, Le64, magic, show_hex)    \
    F(8, Le64, bytenr, show_dec)   \
    F(16, Le32, nritems, show_dec) \
    F(20, u8, compress, show_dec)
GLASSFS_LAYOUT(meta_cluster_header, 21, META_CLUSTER_HEADER)

#define META_CLUSTER_ITEM(F)     \
    F(0, Le64, bytenr, show_dec) \
    F(8, Le32, size, show_dec)
GLASSFS_LAYOUT(meta_cluster_item, 12, META_CLUSTER_ITEM)

constexpr u64 block_bytes = 1024;
constexpr u32 items_per_cluster = (block_bytes - sizeof(meta_cluster_header)) / sizeof(meta_cluster_item);

constexpr u64 room_first = 256ULL << 10;  // for what an item unpacks to

// The two versions of the format: magic, and the most bytes that one item can stand for.
struct Version {
    u64 magic;
    u64 item_bytes_max;
};
constexpr Version versions[] = {{0xbd5c25e27295668bULL, 256ULL << 10}, {0x31765f506d55445fULL, 256ULL << 20}};

const Version* version_of(block::Device& file) {
    Buffer block(block_bytes);
    if (file.size() < block_bytes || !file.read(0, block)) return nullptr;
    u64 magic = view<meta_cluster_header>(block).magic;
    for (const Version& version : versions) {
        if (version.magic == magic) return &version;
    }
    return nullptr;
}

}  // namespace

bool MetadumpDevice::probe(block::Device& file) {
    return version_of(file) != nullptr;
}

Result<std::shared_ptr<MetadumpDevice>> MetadumpDevice::open(std::shared_ptr<block::Device> file) {
    const Version* version = version_of(*file);
    if (version == nullptr) return fail(Cause::MetadumpBad, "no cluster at byte 0");
    std::shared_ptr<MetadumpDevice> dump(new MetadumpDevice(std::move(file), version->item_bytes_max));
    TRY(dump->read_clusters(version->magic));
    return dump;
}

Result<void> MetadumpDevice::read_clusters(u64 magic) {
    u64 at = 0;
    while (at + block_bytes <= file_->size()) at = TRY(read_cluster(at, magic));
    if (items_.empty()) return fail(Cause::MetadumpBad, "no items");
    size_ = items_.rbegin()->first + item_bytes_max_;
    return {};
}

Result<u64> MetadumpDevice::read_cluster(u64 at, u64 magic) {
    Buffer block(block_bytes);
    TRY(file_->read(at, block));
    const auto& header = view<meta_cluster_header>(block);
    std::string place = "cluster at byte " + std::to_string(at);
    if (header.magic != magic) return fail(Cause::MetadumpBad, place + " has no magic");
    if (header.bytenr != at) return fail(Cause::MetadumpBad, place + " says it is elsewhere");
    if (header.nritems > items_per_cluster) {
        return fail(Cause::MetadumpBad, place + " has " + std::to_string(header.nritems.get()) + " items");
    }
    if (header.compress > 1) return fail(Cause::MetadumpBad, place + " has an unknown compression");
    u64 data_at = at + block_bytes;
    for (u32 i = 0; i < header.nritems; ++i) {
        const auto& item = view<meta_cluster_item>(block, sizeof header + i * sizeof(meta_cluster_item));
        bool fits = item.size <= file_->size() - data_at;
        if (item.size == 0 || item.size > item_bytes_max_ || !fits) {
            return fail(Cause::MetadumpBad,
                        place + ": item " + std::to_string(i) + " has an impossible size");
        }
        if (item.bytenr > ~0ULL - item_bytes_max_) {
            return fail(Cause::MetadumpBad,
                        place + ": item " + std::to_string(i) + " lies beyond everything");
        }
        items_[item.bytenr] = Item{data_at, item.size, header.compress == 1};
        data_at += item.size;
    }
    return (data_at + block_bytes - 1) / block_bytes * block_bytes;
}

Result<std::shared_ptr<const Buffer>> MetadumpDevice::item_bytes(u64 logical, const Item& item) {
    {
        std::lock_guard lock(mutex_);
        if (last_bytes_ != nullptr && last_logical_ == logical) return last_bytes_;
    }
    Buffer stored(item.stored);
    TRY(file_->read(item.at, stored));
    // Nothing says how much there is: grow as long as all of the room was used.
    Buffer plain;
    u64 room = std::min(item_bytes_max_, room_first);
    for (;; room = std::min(item_bytes_max_, room * 2)) {
        plain.resize(static_cast<std::size_t>(room));
        std::size_t length = TRY(decompress(Compression::Zlib, stored, plain, 4096));
        if (length == room && room < item_bytes_max_) continue;
        plain.resize(length);
        break;
    }
    auto bytes = std::make_shared<const Buffer>(std::move(plain));
    std::lock_guard lock(mutex_);
    last_logical_ = logical;
    last_bytes_ = bytes;
    return bytes;
}

Result<void> MetadumpDevice::read(u64 at, MutBytes out) {
    while (!out.empty()) {
        auto next = items_.upper_bound(at);
        if (next == items_.begin()) return fail(Cause::DataNotInDump, "logical " + std::to_string(at));
        const auto& [logical, item] = *std::prev(next);
        u64 within = at - logical;
        std::shared_ptr<const Buffer> plain;
        if (item.compressed) plain = TRY(item_bytes(logical, item));
        u64 size = plain != nullptr ? plain->size() : item.stored;
        if (within >= size) return fail(Cause::DataNotInDump, "logical " + std::to_string(at));
        std::size_t length = static_cast<std::size_t>(std::min<u64>(out.size(), size - within));
        if (plain != nullptr) {
            std::copy_n(plain->begin() + static_cast<std::ptrdiff_t>(within), length, out.begin());
        } else {
            TRY(file_->read(item.at + within, out.first(length)));
        }
        out = out.subspan(length);
        at += length;
    }
    return {};
}

Result<void> MetadumpDevice::write(u64, Bytes) {
    return fail(Cause::ReadOnly, name());
}
Result<void> MetadumpDevice::discard(u64, u64) {
    return fail(Cause::ReadOnly, name());
}

}  // namespace glassfs::btrfs
