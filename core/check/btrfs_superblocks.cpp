// SPDX-License-Identifier: MIT
// Opening takes the newest good copy of the superblock; here all of them are looked at. A commit writes every
// copy, so that a differing one is damaged or was left behind.
#include "check/btrfs_space.h"

#include <algorithm>

namespace glassfs::check {

namespace disk = btrfs::disk;

namespace {

std::string wrong_copy(const disk::btrfs_super_block& copy, u64 offset, u64 generation) {
    if (auto good = btrfs::check_superblock(copy, offset); !good) return good.error().detail;
    auto type = checksum_type(copy.csum_type);
    if (!type || checksum_stored(*type, copy.csum) != btrfs::superblock_checksum(copy))
        return "checksum mismatch";
    if (copy.generation != generation)
        return say("generation ", copy.generation.get(), ", expected ", generation);
    return "";
}

void check_copies(Findings& findings, const btrfs::MemberDevice& member, u64 total_bytes) {
    for (u64 offset : btrfs::super_offsets) {
        if (offset + btrfs::super_size > std::min(total_bytes, member.device->size())) break;
        Where where{.device = member.devid, .block = offset};
        Buffer bytes(btrfs::super_size);
        auto read = member.device->read(offset, bytes);
        if (!read) {
            findings.warning(read.error().cause, where, "a copy of the superblock");
            continue;
        }
        std::string wrong = wrong_copy(view<disk::btrfs_super_block>(bytes), offset, member.generation);
        if (!wrong.empty()) findings.warning(Cause::SuperblockBad, where, wrong);
    }
}

bool is_seed(const btrfs::Volume& volume, const btrfs::MemberDevice& member) {
    const auto& seeds = volume.devices().foreign();
    return std::find(seeds.begin(), seeds.end(), member.uuid) != seeds.end();
}

}  // namespace

void check_superblocks(BlockReader& reader) {
    const btrfs::Volume& volume = reader.volume();
    Findings& findings = reader.findings();
    constexpr u64 metadump = btrfs::super_flag_metadump | btrfs::super_flag_metadump_v2;
    // A dump has one copy, and so has what was restored from it.
    if (volume.is_metadump() || (volume.super().flags & metadump) != 0) return;
    for (const btrfs::MemberDevice& member : volume.devices().members()) {
        auto found = btrfs::read_superblock(*member.device);
        if (!found) continue;
        const disk::btrfs_super_block& super = found->super;
        check_copies(findings, member, super.dev_item.total_bytes);
        if (is_seed(volume, member) || super.fsid == volume.super().fsid) continue;
        // The change of a file system's id goes device by device; these stopped between two of them.
        findings.problem(
            Cause::DeviceForeign, {.device = member.devid},
            say("fsid ", uuid_text(super.fsid), ", the newest device has ", uuid_text(volume.super().fsid)));
    }
}

}  // namespace glassfs::check
