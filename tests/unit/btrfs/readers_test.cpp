// SPDX-License-Identifier: MIT
// Readers in parallel, with a cache too small for all: what ThreadSanitizer watches.
#include "support/crafted_volume.h"

#include <atomic>
#include <thread>

using namespace glassfs;
using namespace glassfs::btrfs;

TEST_CASE("btrfs/readers: threads that read one volume at once all get what one alone gets") {
    support::CraftedVolume crafted;
    auto volume = Volume::open(crafted.devices, {.cache_bytes = 600 << 10});
    REQUIRE(volume);
    auto files = FileSystem::open(**volume, nullptr, "", {});
    REQUIRE(files);
    const auto alone = (*files)->getattr((*files)->root());
    REQUIRE(alone);
    std::atomic<int> wrong = 0;
    auto read = [&](u64 first_tree) {
        const u64 ids[] = {extent_tree_objectid, dev_tree_objectid,  fs_tree_objectid,
                           csum_tree_objectid,   uuid_tree_objectid, free_space_tree_objectid};
        for (int round = 0; round < 200; ++round) {
            auto attributes = (*files)->getattr((*files)->root());
            if (!attributes || attributes->mtime != alone->mtime) ++wrong;
            if ((*files)->lookup((*files)->root(), "no").error().cause != Cause::NotFound) ++wrong;
            auto root = (*volume)->tree_root(ids[(first_tree + static_cast<u64>(round)) % std::size(ids)]);
            if (!root || !(*volume)->read_block(root->bytenr, root->expectation())) ++wrong;
        }
    };
    std::vector<std::thread> threads;
    for (u64 i = 0; i < 4; ++i) threads.emplace_back(read, i);
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}
