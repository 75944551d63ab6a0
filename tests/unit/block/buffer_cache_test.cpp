// SPDX-License-Identifier: MIT
#include "block/buffer_cache.h"

#include <atomic>
#include <doctest/doctest.h>
#include <thread>
#include <vector>

using namespace glassfs;
using namespace glassfs::block;

namespace {

using Cache = BufferCache<std::string>;
Cache::Pointer made(const char* text) {
    return std::make_shared<const std::string>(text);
}

}  // namespace

TEST_CASE("block/cache: a value is found until it is replaced or dropped") {
    Cache cache(16 * 1000);
    CHECK(cache.get(5) == nullptr);
    cache.put(5, made("five"), 100);
    REQUIRE(cache.get(5));
    CHECK(*cache.get(5) == "five");
    cache.put(5, made("cinq"), 30);
    CHECK(*cache.get(5) == "cinq");
    CHECK(cache.used() == 30);
    cache.drop(5);
    cache.drop(6);
    CHECK(cache.get(5) == nullptr);
    CHECK(cache.used() == 0);
}

TEST_CASE("block/cache: the least recently used value goes first, and holders keep what they hold") {
    // 16 shards of 300: numbers that share a shard are those whose mixed upper four bits agree.
    auto shard_of = [](u64 number) { return (number * 0x9e3779b97f4a7c15ULL) >> 60; };
    std::vector<u64> same;
    for (u64 number = 0; same.size() < 4; ++number) {
        if (shard_of(number) == shard_of(0)) same.push_back(number);
    }
    Cache cache(16 * 300);
    for (std::size_t i = 0; i < 3; ++i) cache.put(same[i], made("x"), 100);
    Cache::Pointer held = cache.get(same[1]);
    CHECK(cache.get(same[0]));  // now same[2] is the oldest
    cache.put(same[3], made("y"), 100);
    CHECK(cache.get(same[2]) == nullptr);
    CHECK(cache.get(same[0]));
    CHECK(cache.get(same[1]));
    cache.put(same[2], made("z"), 300);  // fills the shard alone
    CHECK(cache.used() == 300);
    CHECK(cache.get(same[1]) == nullptr);
    CHECK(*held == "x");
}

TEST_CASE("block/cache: a value dearer than a shard's part is not kept and throws nothing else out") {
    Cache cache(16 * 100);
    cache.put(1, made("small"), 100);
    cache.put(1 << 20, made("large"), 101);
    CHECK(cache.get(1 << 20) == nullptr);
    CHECK(cache.get(1));
}

TEST_CASE(
    "block/cache: threads that fill and read it never see another number's value, and the bound holds") {
    constexpr u64 limit = 16 * 1000;
    BufferCache<u64> cache(limit);
    std::atomic<u64> wrong{0};
    std::atomic<u64> found{0};
    std::vector<std::thread> threads;
    for (u64 t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (u64 i = 0; i < 5000; ++i) {
                u64 number = (i * 7 + t * 13) % 400;
                if (auto value = cache.get(number)) {
                    ++found;
                    if (*value != number) ++wrong;
                } else {
                    cache.put(number, std::make_shared<const u64>(number), 100);
                }
                if (i % 100 == 0 && cache.used() > limit) ++wrong;
                if (i % 50 == 0) cache.drop(number);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(found > 0);
}
