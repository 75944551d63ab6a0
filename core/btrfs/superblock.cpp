// SPDX-License-Identifier: MIT
#include "btrfs/superblock.h"

namespace glassfs::btrfs {

Checksum superblock_checksum(const disk::btrfs_super_block& super) {
    Bytes all(reinterpret_cast<const u8*>(&super), sizeof super);
    auto type = checksum_type(super.csum_type);
    return type ? checksum(*type, all.subspan(sizeof super.csum)) : Checksum{};
}

namespace {

Result<void> check_copy(const disk::btrfs_super_block& super, u64 offset) {
    auto type = checksum_type(super.csum_type);
    if (!type) {
        return fail(Cause::SuperblockFieldBad, "csum_type " + std::to_string(super.csum_type.get()));
    }
    if (superblock_checksum(super) != checksum_stored(*type, super.csum)) {
        return fail(Cause::SuperblockBad, "checksum mismatch at byte " + std::to_string(offset));
    }
    return check_superblock(super, offset);
}

}  // namespace

Result<FoundSuperblock> read_superblock(block::Device& device) {
    std::optional<FoundSuperblock> best;
    std::optional<Error> first_error;
    std::vector<std::string> notes;
    bool any_magic = false;
    for (u32 mirror = 0; mirror < std::size(super_offsets); ++mirror) {
        u64 offset = super_offsets[mirror];
        if (device.size() < offset + super_size) break;
        Buffer bytes(super_size);
        if (auto done = device.read(offset, bytes); !done) {
            if (done.error().cause == Cause::DataNotInDump) continue;  // a dump holds one copy
            if (!first_error) first_error = done.error();
            notes.push_back("superblock " + std::to_string(mirror) + ": " + done.error().message());
            continue;
        }
        auto super = load<disk::btrfs_super_block>(bytes);
        if (super.magic != super_magic) {
            if (mirror > 0 && any_magic) {
                notes.push_back("superblock " + std::to_string(mirror) + " has no magic");
            }
            continue;
        }
        any_magic = true;
        if (auto valid = check_copy(super, offset); !valid) {
            if (!first_error) first_error = valid.error();
            notes.push_back("superblock " + std::to_string(mirror) + ": " + valid.error().message());
            continue;
        }
        if (!best || super.generation > best->super.generation) {
            if (best) notes.push_back("superblock " + std::to_string(best->mirror) + " is older");
            best = FoundSuperblock{super, mirror, {}};
        } else if (super.generation < best->super.generation) {
            notes.push_back("superblock " + std::to_string(mirror) + " is older");
        }
    }
    if (best) {
        best->notes = std::move(notes);
        return std::move(*best);
    }
    if (first_error) return fail(std::move(*first_error));
    return fail(Cause::UnknownFileSystem, device.name());
}

}  // namespace glassfs::btrfs
