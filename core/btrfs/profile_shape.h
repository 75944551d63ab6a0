// SPDX-License-Identifier: MIT
// What the profiles of new chunks want of devices. (RAID5 and RAID6 aren't written.)
#pragma once

#include "btrfs/names.h"
#include "btrfs/volume.h"

namespace glassfs::btrfs {

struct ProfileShape {
    u64 profile;
    u32 per_device;  // stripes on each
    u32 copies;      // stripes with the same content
    u32 devices_min;
    u32 devices_max;  // 0: all that there are
    u32 multiple_of;  // devices
};
// The safest first.
inline constexpr ProfileShape profile_shapes[] = {
    {block_group_raid1c4, 1, 4, 4, 4, 4},
    {block_group_raid1c3, 1, 3, 3, 3, 3},
    {block_group_raid10, 1, 2, 2, 0, 2},
    {block_group_raid1, 1, 2, 2, 2, 2},
    {block_group_dup, 2, 2, 1, 1, 1},
    {block_group_raid0, 1, 1, 1, 0, 1},
    {0, 1, 1, 1, 1, 1},
};

// Single for what isn't in the list. `flags` may have a block group's type as well.
const ProfileShape& shape_of(u64 flags);
// The safest one of several profiles, given as bits, that the devices allow.
const ProfileShape& safest_shape(const Volume&, u64 profiles);
// How many bytes of new chunks would fit, about.
u64 unallocated_bytes(const Volume&, const ProfileShape&);

}  // namespace glassfs::btrfs
