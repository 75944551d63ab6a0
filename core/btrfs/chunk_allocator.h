// SPDX-License-Identifier: MIT
// Making and removing chunks. A new chunk takes a free range on each of its devices (dev_extents.h), and is
// written down five times: a dev extent for each stripe (device tree), the chunk and the devices' used bytes
// (chunk tree; the superblock's array for a system chunk), its block group, and its free space.
#pragma once

#include "btrfs/block_groups.h"
#include "btrfs/dev_extents.h"
#include "btrfs/transaction.h"

namespace glassfs::btrfs {

class ChunkAllocator {
  public:
    ChunkAllocator(Volume& volume, trace::Tracer tracer);

    // Devices and hints as the device tree has them now.
    Result<void> load();

    // A chunk for `type` (block_group_data, _metadata or _system), in the profile that the volume's block
    // groups of this type have. False: the devices have no room. Sizes are Linux's: stripes of at most 1 GiB,
    // as many as there are devices where the profile stripes, at most a tenth of all space.
    Result<bool> allocate(Transaction&, u64 type);
    // How many bytes of new chunks of this type would fit, about.
    u64 bytes_possible(u64 type) const;
    // Takes an empty block group and its chunk out. Its dev extents are free after the commit.
    Result<void> remove(Transaction&, u64 start);
    void committed() { dev_extents_.committed(); }
    u64 chunks_allocated() const { return chunks_allocated_; }  // since mounting

    DevExtents& dev_extents() { return dev_extents_; }
    const DevExtents& dev_extents() const { return dev_extents_; }

  private:
    struct Plan {
        Chunk chunk;
        u64 stripe_bytes = 0;
    };

    u64 full_type(u64 type) const;
    u64 profile_of(u64 type) const;
    u64 device_bytes() const;
    Result<std::optional<Plan>> plan(u64 type);
    Result<void> ensure_system_room(Transaction&);
    Result<void> write(Transaction&, const Plan&);
    Result<void> try_write(Transaction&, const Plan&);
    Result<void> write_device_item(Transaction&, u64 devid, s64 used_change);
    Result<void> add_to_superblock(Transaction&, const Key&, Bytes item);
    void remove_from_superblock(Transaction&, u64 start);

    Volume& volume_;
    trace::Tracer trace_;
    DevExtents dev_extents_;
    DeviceTree device_tree_;
    std::map<u64, u64> chunks_of_type_;  // type and profile flags -> how many chunks
    u64 next_logical_ = 0;               // logical addresses aren't used twice while mounted
    u64 chunks_allocated_ = 0;
    const BlockGroups* groups_ = nullptr;
    friend class WritableVolume;
};

}  // namespace glassfs::btrfs
