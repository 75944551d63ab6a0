// SPDX-License-Identifier: MIT
#include "btrfs/leaf_builder.h"

#include <algorithm>

namespace glassfs::btrfs {

bool LeafBuilder::add(const Key& key, Bytes data) {
    GLASSFS_ASSERT(nritems_ == 0 || last_ < key);
    std::size_t entry_at = TreeBlock::header_size + std::size_t{nritems_} * TreeBlock::item_size;
    if (entry_at + TreeBlock::item_size + data.size() > data_begin_) return false;
    data_begin_ -= static_cast<u32>(data.size());
    std::copy(data.begin(), data.end(), bytes_.data() + data_begin_);
    disk::btrfs_item item{to_disk_key(key), data_begin_ - TreeBlock::header_size,
                          static_cast<u32>(data.size())};
    std::memcpy(bytes_.data() + entry_at, &item, sizeof item);
    ++nritems_;
    last_ = key;
    return true;
}

Buffer LeafBuilder::finish(const Geometry& geometry, LogicalAddr addr, Generation generation, u64 owner,
                           const Uuid& chunk_tree_uuid) && {
    constexpr u64 mixed_backref_revision = 1ULL << 56;
    constexpr u64 written = 1;
    disk::btrfs_header header{};
    header.fsid = geometry.metadata_fsid;
    header.bytenr = addr.value;
    header.flags = written | mixed_backref_revision;
    header.chunk_tree_uuid = chunk_tree_uuid;
    header.generation = generation.value;
    header.owner = owner;
    header.nritems = nritems_;
    header.level = 0;
    std::memcpy(bytes_.data(), &header, sizeof header);
    seal_block(geometry.csum_type, bytes_);
    return std::move(bytes_);
}

void seal_block(ChecksumType type, MutBytes block) {
    Checksum sum = checksum(type, Bytes(block).subspan(sizeof(disk::Csum)));
    std::copy(sum.bytes.begin(), sum.bytes.end(), block.begin());
}

}  // namespace glassfs::btrfs
