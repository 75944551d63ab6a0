// SPDX-License-Identifier: MIT
// Built for node only: its crypto is what hashes there.
#include "base/sha256.h"

#include <atomic>
#include <doctest/doctest.h>
#include <thread>
#include <vector>

using namespace glassfs;

namespace {

Buffer noise(std::size_t size, u32 seed) {
    Buffer out(size);
    for (u8& byte : out) byte = static_cast<u8>((seed = seed * 1664525 + 1013904223) >> 24);
    return out;
}

}  // namespace

TEST_CASE("node_host/sha256: node's crypto is offered, and its digests are those of this code") {
    REQUIRE(bool(sha256_host() != nullptr));
    for (std::size_t size : {0UZ, 1UZ, 4095UZ, 4096UZ, 4097UZ, 100000UZ, (1UZ << 20) + 1}) {
        const Buffer bytes = noise(size, 7);
        auto stream = sha256_host()();
        for (std::size_t at = 0; at < size; at += 30000) {
            stream->update(Bytes(bytes).subspan(at, std::min(size - at, std::size_t{30000})));
        }
        CHECK(stream->finish() == Sha256::portable(bytes));
        CHECK(sha256(bytes) == Sha256::portable(bytes));
    }
}

TEST_CASE("node_host/sha256: threads hash at the same time, in memory that grows meanwhile") {
    std::atomic<int> wrong = 0;
    auto work = [&](u32 seed) {
        std::vector<Buffer> kept;  // 16 MiB a thread
        for (u32 i = 0; i < 16; ++i) {
            kept.push_back(noise(1 << 20, seed * 100 + i));
            Sha256 begun_and_left;
            begun_and_left.update(kept.back());
            if (sha256(kept.back()) != Sha256::portable(kept.back())) ++wrong;
        }
    };
    std::vector<std::thread> threads;
    for (u32 seed = 1; seed <= 3; ++seed) threads.emplace_back(work, seed);
    work(0);
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}
