// SPDX-License-Identifier: MIT
// The devices of one file system, and reading logical ranges from them through the chunk map.
#pragma once

#include "block/device.h"
#include "btrfs/chunk_map.h"

#include <memory>

namespace glassfs::btrfs {

struct MemberDevice {
    u64 devid = 0;
    Uuid uuid = {};
    u64 generation = 0;
    std::shared_ptr<block::Device> device;
    u32 super_mirror = 0;  // the copy whose superblock was taken
};

class DeviceSet {
  public:
    void add(MemberDevice member) { members_.push_back(std::move(member)); }
    const std::vector<MemberDevice>& members() const { return members_; }
    // The member that a stripe names: by its UUID, then by its id; null when it is missing.
    const MemberDevice* find(u64 devid, const Uuid& uuid) const;

    // Reads [addr, addr + out.size()) from one mirror, piece by piece. The mirror counts from 0. Causes:
    // ChunkMissing, InvalidArgument (a chunk touched has fewer mirrors), DeviceMissing, those of
    // Device::read.
    Result<void> read(const ChunkMap&, LogicalAddr addr, MutBytes out, u32 mirror) const;

    // Writes to all copies. Cause::UnsupportedFeature for RAID5/6; DeviceMissing; those of Device::write.
    Result<void> write(const ChunkMap&, LogicalAddr addr, Bytes data) const;

    // Of all copies; a range that no chunk maps any more is left alone.
    Result<void> discard(const ChunkMap&, LogicalAddr addr, u64 length) const;

    // A member whose superblock names another file system: right only for a seed device.
    void mark_foreign(const Uuid& uuid) { foreign_.push_back(uuid); }
    const std::vector<Uuid>& foreign() const { return foreign_; }

    // A restored or dumped image without stripes of its own: logical addresses are positions on the only
    // device.
    void set_identity() { identity_ = true; }
    bool identity() const { return identity_; }

  private:
    Result<void> read_piece(const Mapping&, MutBytes out, u32 mirror) const;

    std::vector<MemberDevice> members_;
    std::vector<Uuid> foreign_;
    bool identity_ = false;
};

}  // namespace glassfs::btrfs
