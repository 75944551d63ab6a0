// SPDX-License-Identifier: MIT
// Chunks: the map from logical to physical addresses is built of these, so a bad one would send reads
// anywhere.

#include "btrfs/item_checker.h"

namespace glassfs::btrfs {

using checker::say;

namespace checker {

std::string wrong_block_group_type(u64 type, bool mixed_groups) {
    constexpr u64 mixed = block_group_data | block_group_metadata;
    u64 known = block_group_type_mask | block_group_profile_mask;
    u64 contents = type & block_group_type_mask;
    u64 profile = type & block_group_profile_mask;
    if ((type & ~known) != 0) return say("unknown bits in type ", hex(type));
    if (profile != 0 && !has_one_bit(profile)) return say("several profiles in type ", hex(type));
    if (contents == 0) return say("no contents in type ", hex(type));
    if (contents == mixed)
        return mixed_groups ? "" : say("mixed contents without MIXED_GROUPS in type ", hex(type));
    if (!has_one_bit(contents)) return say("contradicting contents in type ", hex(type));
    return "";
}

}  // namespace checker

namespace {

// How many stripes a profile allows.
struct StripeRule {
    u64 profile;
    u16 stripes_min;
    u16 stripes_max;
    u16 multiple_of;
};

constexpr u16 any_number = 0xffff;
constexpr StripeRule stripe_rules[] = {
    {0, 1, 1, 1},
    {block_group_raid0, 1, any_number, 1},
    {block_group_raid1, 2, 2, 1},
    {block_group_dup, 2, 2, 1},
    {block_group_raid10, 2, any_number, 2},
    {block_group_raid5, 2, any_number, 1},
    {block_group_raid6, 3, any_number, 1},
    {block_group_raid1c3, 3, 3, 1},
    {block_group_raid1c4, 4, 4, 1},
};

std::string wrong_stripe_count(const disk::btrfs_chunk& chunk) {
    u64 profile = chunk.type & block_group_profile_mask;
    u16 count = chunk.num_stripes;
    if (profile == block_group_raid10 && chunk.sub_stripes != 2) {
        return say("sub_stripes ", chunk.sub_stripes.get(), ", expected 2");
    }
    for (const StripeRule& rule : stripe_rules) {
        if (rule.profile != profile) continue;
        if (count >= rule.stripes_min && count <= rule.stripes_max && count % rule.multiple_of == 0)
            return "";
        return say("num_stripes ", count, " in type ", hex(chunk.type));
    }
    return say("no single profile in type ", hex(chunk.type));
}

std::string wrong_extent(const Geometry& geometry, u64 logical, const disk::btrfs_chunk& chunk) {
    u64 length = chunk.length;
    if (logical % geometry.sector_size != 0) return say("logical address ", logical, " is not aligned");
    if (chunk.sector_size != geometry.sector_size) return say("sector_size ", chunk.sector_size.get());
    if (length == 0 || length % geometry.sector_size != 0) return say("length ", length);
    if (checker::sum_overflows(logical, length)) return say("length ", length, " overflows");
    if (chunk.stripe_len != stripe_length)
        return say("stripe_len ", chunk.stripe_len.get(), ", expected 65536");
    // Stripe numbers inside of a chunk are 32 bits wide in Linux.
    if (length >= u64{0xffffffff} * stripe_length) return say("length ", length, " is too big");
    return "";
}

}  // namespace

Result<void> check_chunk(const Geometry& geometry, const Key& key, Bytes bytes) {
    Where where{.key = key};
    if (bytes.size() < sizeof(disk::btrfs_chunk)) {
        return fail(Cause::ItemSize, where,
                    say("size ", bytes.size(), ", at least ", sizeof(disk::btrfs_chunk)));
    }
    const auto& chunk = view<disk::btrfs_chunk>(bytes);
    if (chunk.num_stripes == 0) return fail(Cause::ChunkBad, where, "num_stripes 0");
    std::size_t expected = sizeof(disk::btrfs_chunk) + chunk.num_stripes * sizeof(disk::btrfs_stripe);
    if (bytes.size() != expected) {
        return fail(Cause::ItemSize, where, say("size ", bytes.size(), ", expected ", expected));
    }
    std::string wrong = wrong_extent(geometry, key.offset, chunk);
    if (wrong.empty()) {
        wrong = checker::wrong_block_group_type(chunk.type, geometry.has(incompat_mixed_groups));
    }
    if (wrong.empty()) wrong = wrong_stripe_count(chunk);
    if (wrong.empty() && key.objectid != first_chunk_tree_objectid) wrong = "objectid, expected 256";
    if (!wrong.empty()) return fail(Cause::ChunkBad, where, wrong);
    return {};
}

}  // namespace glassfs::btrfs
