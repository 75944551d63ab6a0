// SPDX-License-Identifier: MIT
// Partition tables: GPT (UEFI 2.10, chapter 5) and MBR with extended partitions, in sectors of 512 or 4096
// bytes.
#pragma once

#include "block/device.h"

#include <memory>
#include <vector>

namespace glassfs::block {

struct Partition {
    u32 number = 0;    // as Linux counts: sda1 is 1; logical partitions begin at 5
    u64 begin = 0;     // bytes
    u64 length = 0;    // bytes
    std::string type;  // GPT: the type's UUID in lower case; MBR: "0x83"
    std::string name;  // GPT: its label in UTF-8
    friend bool operator==(const Partition&, const Partition&) = default;
};

// The partitions of a device in the table's order; none when there is no table. Every one lies inside of the
// device. Of a GPT whose first copy is damaged, the copy at the end counts. Cause::PartitionTableBad: both
// copies are damaged, a partition lies outside of the device, or two overlap; and what reading the device
// gives.
Result<std::vector<Partition>> partitions(Device& device);

// The partition as a device: its name is the base's with "p1" appended.
Result<std::shared_ptr<Device>> partition_device(std::shared_ptr<Device> base, const Partition& partition);

}  // namespace glassfs::block
