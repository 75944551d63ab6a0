// SPDX-License-Identifier: MIT
// What is on a device, by the marks that each format leaves at a fixed place (as blkid and wipefs know them).
#include "base/text.h"
#include "block/partition.h"
#include "btrfs/volume.h"
#include "mount/mount.h"

namespace glassfs::mount {

namespace {

using namespace std::string_view_literals;

struct Mark {
    const char* format;
    u64 at;  // bytes
    std::string_view bytes;
};

constexpr Mark marks[] = {
    {"XFS", 0, "XFSB"sv},
    {"a LUKS container", 0, "LUKS\xba\xbe"sv},
    {"NTFS", 3, "NTFS    "sv},
    {"exFAT", 3, "EXFAT   "sv},
    {"FAT", 54, "FAT"sv},
    {"FAT", 82, "FAT32"sv},
    {"squashfs", 0, "hsqs"sv},
    {"EROFS", 1024, "\xe2\xe1\xf5\xe0"sv},
    {"F2FS", 1024, "\x10\x20\xf5\xf2"sv},
    {"an LVM volume", 512, "LABELONE"sv},
    {"bcachefs", 4096 + 24, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"sv},
    {"swap space", 4096 - 10, "SWAPSPACE2"sv},
    {"a Linux RAID member", 4096, "\xfc\x4e\x2b\xa9"sv},
    {"ISO 9660", 32769, "CD001"sv},
    {"reiserfs", 65536 + 52, "ReIsEr"sv},
};

bool has(block::Device& device, u64 at, std::string_view bytes) {
    Buffer read(bytes.size());
    return device.size() >= at + bytes.size() && device.read(at, read) && as_text(read) == bytes;
}

// ext2, ext3 and ext4 share a mark; a journal makes it 3, what 3 didn't have makes it 4.
std::string ext_version(block::Device& device) {
    constexpr u64 super = 1024;
    Buffer features(12);
    if (!has(device, super + 0x38, "\x53\xef"sv)) return "";
    if (!device.read(super + 0x5c, features)) return "ext2";
    bool journal = (features[0] & 0x04) != 0;
    bool newer = (features[4] & ~0x16) != 0 || features[5] != 0 || (features[8] & ~0x07) != 0;
    return newer ? "ext4" : journal ? "ext3" : "ext2";
}

}  // namespace

std::string identify(block::Device& device) {
    if (btrfs::probe(device)) return "btrfs";
    if (std::string ext = ext_version(device); !ext.empty()) return ext;
    for (const Mark& mark : marks) {
        if (has(device, mark.at, mark.bytes)) return mark.format;
    }
    auto partitions = block::partitions(device);
    if (partitions && !partitions->empty()) return "a partition table";
    return "";
}

}  // namespace glassfs::mount
