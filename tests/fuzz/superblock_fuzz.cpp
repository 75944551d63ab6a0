// SPDX-License-Identifier: MIT
// A superblock with its system chunk array, checksum made right: opening must end in a volume or an error.
// What lies behind the superblock in the input is the begin of the device, so that chunks can lead somewhere.
#include "block/ram_device.h"
#include "btrfs/volume.h"

#include <algorithm>

using namespace glassfs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < sizeof(btrfs::disk::btrfs_super_block)) return 0;
    auto super = load<btrfs::disk::btrfs_super_block>({data, size});
    super.magic = btrfs::super_magic;
    if (checksum_type(super.csum_type)) super.csum = btrfs::superblock_checksum(super).bytes;
    auto device = std::make_shared<block::RamDevice>(u64{1} << 40);
    Bytes rest{data + sizeof super, size - sizeof super};
    if (!device->write(0, rest.first(std::min<std::size_t>(rest.size(), btrfs::super_offsets[0])))) return 0;
    if (!device->write(btrfs::super_offsets[0], {reinterpret_cast<const u8*>(&super), sizeof super}))
        return 0;
    auto volume = btrfs::Volume::open({device}, {});
    if (volume) (void)(*volume)->read_block((*volume)->root_tree().bytenr);
    return 0;
}
