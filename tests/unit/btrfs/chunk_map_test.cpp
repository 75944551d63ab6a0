// SPDX-License-Identifier: MIT
#include "btrfs/chunk_map.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::btrfs;

namespace {

constexpr u64 K = 1024, M = K * K;

// A chunk item at logical 1 MiB whose stripe i lies on device i + 1 at (i + 1) * 100 MiB.
Buffer chunk_item(u64 type, u64 length, u16 stripes, u16 sub_stripes = 1) {
    Buffer item(sizeof(disk::btrfs_chunk) + stripes * sizeof(disk::btrfs_stripe));
    disk::btrfs_chunk head;
    head.length = length;
    head.owner = extent_tree_objectid;
    head.stripe_len = stripe_length;
    head.type = type;
    head.io_align = head.io_width = 65536;
    head.sector_size = 4096;
    head.num_stripes = stripes;
    head.sub_stripes = sub_stripes;
    std::memcpy(item.data(), &head, sizeof head);
    for (u16 i = 0; i < stripes; ++i) {
        disk::btrfs_stripe stripe;
        stripe.devid = i + 1U;
        stripe.offset = (i + 1U) * 100 * M;
        stripe.dev_uuid.fill(static_cast<u8>(i + 1));
        std::memcpy(item.data() + sizeof head + i * sizeof stripe, &stripe, sizeof stripe);
    }
    return item;
}

Key chunk_key(u64 logical) {
    return make_key(first_chunk_tree_objectid, KeyType::ChunkItem, logical);
}

ChunkMap one_chunk(u64 type, u64 length, u16 stripes, u16 sub_stripes = 1) {
    ChunkMap map;
    REQUIRE(map.add(chunk_key(M), chunk_item(type, length, stripes, sub_stripes)));
    return map;
}

struct Place {
    u64 devid;
    u64 physical;
    u64 length;
    friend bool operator==(const Place&, const Place&) = default;
};

Place place(const ChunkMap& map, u64 logical, u64 length, u32 mirror = 0) {
    auto mapping = map.map(LogicalAddr{logical}, length, mirror);
    REQUIRE(mapping);
    return {mapping->chunk->stripes[mapping->stripe].devid, mapping->physical.value, mapping->length};
}

}  // namespace

TEST_CASE("btrfs/chunk map: a single chunk is one run of one device") {
    ChunkMap map = one_chunk(block_group_data, 8 * M, 1);
    CHECK(place(map, M, 4096) == Place{1, 100 * M, 4096});
    CHECK(place(map, M + 5 * M + 7, 100 * M) == Place{1, 105 * M + 7, 3 * M - 7});
    CHECK(map.find(LogicalAddr{M})->stripe_bytes() == 8 * M);
    CHECK(map.find(LogicalAddr{M})->mirrors() == 1);
    CHECK(map.find(LogicalAddr{M})->failures_allowed() == 0);
}

TEST_CASE("btrfs/chunk map: what lies outside of every chunk has no place") {
    ChunkMap map = one_chunk(block_group_data, 8 * M, 1);
    CHECK(map.find(LogicalAddr{M - 1}) == nullptr);
    CHECK(map.find(LogicalAddr{9 * M}) == nullptr);
    CHECK(map.map(LogicalAddr{9 * M}, 1, 0).error().cause == Cause::ChunkMissing);
}

TEST_CASE("btrfs/chunk map: every mirror of DUP and RAID1 holds the whole chunk") {
    for (u64 profile : {block_group_dup, block_group_raid1}) {
        ChunkMap map = one_chunk(block_group_metadata | profile, 8 * M, 2);
        CHECK(map.find(LogicalAddr{M})->mirrors() == 2);
        CHECK(place(map, 2 * M, 16384, 0) == Place{1, 101 * M, 16384});
        CHECK(place(map, 2 * M, 16384, 1) == Place{2, 201 * M, 16384});
    }
    CHECK(one_chunk(block_group_raid1c3, M, 3).find(LogicalAddr{M})->failures_allowed() == 2);
    CHECK(one_chunk(block_group_raid1c4, M, 4).find(LogicalAddr{M})->failures_allowed() == 3);
    CHECK(one_chunk(block_group_dup, M, 2).find(LogicalAddr{M})->failures_allowed() == 0);
}

TEST_CASE("btrfs/chunk map: RAID0 deals 64 KiB elements round the devices") {
    ChunkMap map = one_chunk(block_group_data | block_group_raid0, 3 * M, 3);
    CHECK(place(map, M, M) == Place{1, 100 * M, 64 * K});
    CHECK(place(map, M + 64 * K, M) == Place{2, 200 * M, 64 * K});
    CHECK(place(map, M + 3 * 64 * K + 100, M) == Place{1, 100 * M + 64 * K + 100, 64 * K - 100});
    CHECK(place(map, M + 5 * 64 * K, 10) == Place{3, 300 * M + 64 * K, 10});
    CHECK(map.find(LogicalAddr{M})->stripe_bytes() == M);
}

TEST_CASE("btrfs/chunk map: RAID10 deals elements round pairs of copies") {
    ChunkMap map = one_chunk(block_group_data | block_group_raid10, 4 * M, 4, 2);
    CHECK(map.find(LogicalAddr{M})->mirrors() == 2);
    CHECK(map.find(LogicalAddr{M})->stripe_bytes() == 2 * M);
    CHECK(place(map, M, M, 0) == Place{1, 100 * M, 64 * K});
    CHECK(place(map, M, M, 1) == Place{2, 200 * M, 64 * K});
    CHECK(place(map, M + 64 * K, M, 0) == Place{3, 300 * M, 64 * K});
    CHECK(place(map, M + 3 * 64 * K, M, 1) == Place{4, 400 * M + 64 * K, 64 * K});
}

TEST_CASE("btrfs/chunk map: RAID5 and RAID6 rotate the row by one device each time") {
    ChunkMap raid5 = one_chunk(block_group_data | block_group_raid5, 2 * M, 3);
    CHECK(raid5.find(LogicalAddr{M})->stripe_bytes() == M);
    CHECK(raid5.find(LogicalAddr{M})->mirrors() == 2);
    CHECK(place(raid5, M, M) == Place{1, 100 * M, 64 * K});                        // row 0, data 0
    CHECK(place(raid5, M + 64 * K, M) == Place{2, 200 * M, 64 * K});               // row 0, data 1; P on 3
    CHECK(place(raid5, M + 2 * 64 * K, M) == Place{2, 200 * M + 64 * K, 64 * K});  // row 1, data 0
    CHECK(place(raid5, M + 3 * 64 * K, M) == Place{3, 300 * M + 64 * K, 64 * K});  // row 1, data 1; P on 1
    CHECK(place(raid5, M + 5 * 64 * K, M) == Place{1, 100 * M + 2 * 64 * K, 64 * K});

    ChunkMap raid6 = one_chunk(block_group_data | block_group_raid6, 2 * M, 4);
    CHECK(raid6.find(LogicalAddr{M})->mirrors() == 3);
    CHECK(raid6.find(LogicalAddr{M})->failures_allowed() == 2);
    CHECK(place(raid6, M + 7 * 64 * K, 5) == Place{1, 100 * M + 3 * 64 * K, 5});  // row 3, data 1
}

TEST_CASE("btrfs/chunk map: a chunk may come twice, but none may cover part of another") {
    ChunkMap map = one_chunk(block_group_data, 8 * M, 1);
    CHECK(map.add(chunk_key(M), chunk_item(block_group_data, 8 * M, 1)));
    CHECK(map.chunks().size() == 1);
    CHECK(map.add(chunk_key(8 * M), chunk_item(block_group_data, M, 1)).error().cause == Cause::ChunkOverlap);
    CHECK(map.add(chunk_key(0), chunk_item(block_group_data, M + 1, 1)).error().cause == Cause::ChunkOverlap);
    CHECK(map.add(chunk_key(M), chunk_item(block_group_data, 4 * M, 1)).error().cause == Cause::ChunkOverlap);
    CHECK(map.add(chunk_key(9 * M), chunk_item(block_group_data, M, 1)));
    CHECK(map.add(chunk_key(0), chunk_item(block_group_data, M, 1)));
    CHECK(map.chunks().size() == 3);
}

TEST_CASE("btrfs/chunk_map: a mirror that only the chunk before had is refused") {
    ChunkMap map = one_chunk(block_group_metadata | block_group_raid1c4, 16 * M, 4);
    REQUIRE(map.add(chunk_key(17 * M), chunk_item(block_group_metadata | block_group_raid1, 16 * M, 2)));
    CHECK(map.map(LogicalAddr{17 * M - 4096}, 16384, 3));
    CHECK(map.map(LogicalAddr{17 * M}, 16384, 3).error().cause == Cause::InvalidArgument);
    CHECK(map.map(LogicalAddr{17 * M}, 16384, 2).error().cause == Cause::InvalidArgument);
    CHECK(map.map(LogicalAddr{17 * M}, 16384, 1));
}
