// SPDX-License-Identifier: MIT
#include "btrfs/device_set.h"

#include "btrfs/raid56.h"

namespace glassfs::btrfs {

const MemberDevice* DeviceSet::find(u64 devid, const Uuid& uuid) const {
    for (const MemberDevice& member : members_) {
        if (member.uuid == uuid) return &member;
    }
    for (const MemberDevice& member : members_) {
        if (member.devid == devid) return &member;
    }
    return nullptr;
}

Result<void> DeviceSet::read(const ChunkMap& map, LogicalAddr addr, MutBytes out, u32 mirror) const {
    if (identity_) return members_.front().device->read(addr.value, out);
    while (!out.empty()) {
        Mapping mapping = TRY(map.map(addr, out.size(), mirror));
        std::size_t length = static_cast<std::size_t>(mapping.length);
        TRY(read_piece(mapping, out.first(length), mirror));
        out = out.subspan(length);
        addr = addr + length;
    }
    return {};
}

Result<void> DeviceSet::write(const ChunkMap& map, LogicalAddr addr, Bytes data) const {
    while (!data.empty()) {
        u64 length = data.size();
        u32 mirrors = 1;
        for (u32 mirror = 0; mirror < mirrors; ++mirror) {
            Mapping mapping = TRY(map.map(addr, length, mirror));
            if (mapping.chunk->parity_stripes() != 0) {
                return fail(Cause::UnsupportedFeature, {.block = addr.value}, "writing to RAID5/6");
            }
            mirrors = mapping.chunk->mirrors();
            length = mapping.length;  // the same for every mirror
            const Stripe& stripe = mapping.chunk->stripes[mapping.stripe];
            const MemberDevice* member = find(stripe.devid, stripe.dev_uuid);
            if (member == nullptr) return fail(Cause::DeviceMissing, {.device = stripe.devid});
            TRY(member->device->write(mapping.physical.value, data.first(static_cast<std::size_t>(length))));
        }
        data = data.subspan(static_cast<std::size_t>(length));
        addr = addr + length;
    }
    return {};
}

Result<void> DeviceSet::discard(const ChunkMap& map, LogicalAddr addr, u64 length) const {
    while (length != 0 && map.find(addr) != nullptr) {
        u64 piece = length;
        u32 mirrors = 1;
        for (u32 mirror = 0; mirror < mirrors; ++mirror) {
            Mapping mapping = TRY(map.map(addr, piece, mirror));
            mirrors = mapping.chunk->mirrors();
            piece = mapping.length;
            const Stripe& stripe = mapping.chunk->stripes[mapping.stripe];
            const MemberDevice* member = find(stripe.devid, stripe.dev_uuid);
            if (member != nullptr) TRY(member->device->discard(mapping.physical.value, piece));
        }
        addr = addr + piece;
        length -= piece;
    }
    return {};
}

Result<void> DeviceSet::read_piece(const Mapping& mapping, MutBytes out, u32 mirror) const {
    const Chunk& chunk = *mapping.chunk;
    auto read_stripe = [&](u32 index, u64 in_stripe, MutBytes into) -> Result<void> {
        const Stripe& stripe = chunk.stripes[index];
        const MemberDevice* member = find(stripe.devid, stripe.dev_uuid);
        if (member == nullptr) return fail(Cause::DeviceMissing, {.device = stripe.devid});
        return member->device->read(stripe.physical.value + in_stripe, into);
    };
    u64 in_stripe = mapping.physical - chunk.stripes[mapping.stripe].physical;
    if (chunk.parity_stripes() == 0 || mirror == 0) return read_stripe(mapping.stripe, in_stripe, out);

    u32 n = static_cast<u32>(chunk.stripes.size());
    auto read_element = [&](u32 element, MutBytes into) {
        return read_stripe((element + mapping.row) % n, in_stripe, into);
    };
    return rebuild_element(chunk.data_stripes(), chunk.parity_stripes(), mapping.data_index, mirror,
                           read_element, out);
}

}  // namespace glassfs::btrfs
