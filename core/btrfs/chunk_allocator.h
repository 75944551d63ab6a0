// SPDX-License-Identifier: MIT
// Making and removing chunks: dev extents (found by dev_extents.h), chunk item, device items, block group, free space.
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

    // A chunk for `type` (block_group_data, _metadata, _system; both bits on mixed volumes), in the profile that the
    // volume's block groups of this type have. False: the devices have no room. Makes sure of room in the system
    // chunks first.
    Result<bool> allocate(Transaction&, u64 type);
    // How many bytes of new chunks of this type would fit, about: what statfs and reservations count on.
    u64 bytes_possible(u64 type) const;
    // Takes an empty block group and its chunk out. Its dev extents are free after the commit.
    Result<void> remove(Transaction&, u64 start);
    // After a commit.
    void committed() { dev_extents_.committed(); }

    DevExtents& dev_extents() { return dev_extents_; }
    const DevExtents& dev_extents() const { return dev_extents_; }

  private:
    u64 profile_of(u64 type) const;
    Result<void> ensure_system_room(Transaction&);

    Volume& volume_;
    trace::Tracer trace_;
    DevExtents dev_extents_;
    DeviceTree device_tree_;
};

}  // namespace glassfs::btrfs
