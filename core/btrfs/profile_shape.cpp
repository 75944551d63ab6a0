// SPDX-License-Identifier: MIT
#include "btrfs/profile_shape.h"

#include "btrfs/dev_extents.h"

#include <algorithm>

namespace glassfs::btrfs {

const ProfileShape& shape_of(u64 flags) {
    for (const ProfileShape& shape : profile_shapes) {
        if (shape.profile == (flags & block_group_profile_mask)) return shape;
    }
    return profile_shapes[std::size(profile_shapes) - 1];
}

const ProfileShape& safest_shape(const Volume& volume, u64 profiles) {
    for (const ProfileShape& shape : profile_shapes) {
        if ((profiles & shape.profile) != 0 && volume.device_items().size() >= shape.devices_min)
            return shape;
    }
    return shape_of(0);
}

u64 unallocated_bytes(const Volume& volume, const ProfileShape& shape) {
    u64 sum = 0, most = 0;
    std::size_t devices = 0;
    for (const auto& [devid, item] : volume.device_items()) {
        u64 room =
            item.total_bytes - std::min<u64>(item.total_bytes, item.bytes_used + device_reserved_bytes);
        if (room < stripe_length * shape.per_device) continue;
        sum += room;
        most = std::max(most, room);
        ++devices;
    }
    if (devices < shape.devices_min) return 0;
    if (shape.copies == 1) return sum;
    if (shape.per_device > 1) return sum / shape.copies;
    // Copies go to different devices: what the largest has beyond the others' share stays empty.
    return std::min(sum / shape.copies, (sum - most) / (shape.copies - 1));
}

}  // namespace glassfs::btrfs
