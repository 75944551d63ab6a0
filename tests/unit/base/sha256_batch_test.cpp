// SPDX-License-Identifier: MIT
// Hashing many messages at once gives what hashing each alone gives.
#include "base/sha256_batch.h"

#include "samples.h"

#include <doctest/doctest.h>

using namespace glassfs;

TEST_CASE("base/sha256_batch: any number of messages of any lengths hash as each alone does") {
    for (std::size_t count = 0; count < 40; ++count) {
        std::vector<Buffer> messages;
        for (std::size_t i = 0; i < count; ++i) {
            messages.push_back(samples::noise(i % 3 == 0 ? i + 50 : (i * count * 37) % 700, i + count));
        }
        const std::vector<Bytes> views(messages.begin(), messages.end());
        std::vector<Sha256Digest> by_lanes(count);
        std::vector<Sha256Digest> by_choice(count);
        sha256_batch_lanes(views, by_lanes);
        sha256_batch(views, by_choice);
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(by_lanes[i] == Sha256::portable(messages[i]));
            CHECK(by_choice[i] == by_lanes[i]);
        }
    }
}

TEST_CASE("base/sha256_batch: messages on both sides of what a host is asked for keep their places") {
    std::vector<Buffer> messages;
    for (std::size_t i = 0; i < 20; ++i) {
        messages.push_back(samples::noise(sha256_host_bytes_min - 10 + i, i));
    }
    const std::vector<Bytes> views(messages.begin(), messages.end());
    std::vector<Sha256Digest> digests(views.size());
    sha256_batch(views, digests);
    for (std::size_t i = 0; i < views.size(); ++i) CHECK(digests[i] == Sha256::portable(views[i]));
}

TEST_CASE("base/sha256_batch: one long message among short ones keeps its place") {
    const Buffer big = samples::noise(100000, 1);
    const Buffer small = samples::noise(10, 2);
    const std::vector<Bytes> views = {small, big, small, {}, small, small, big};
    std::vector<Sha256Digest> digests(views.size());
    sha256_batch_lanes(views, digests);
    for (std::size_t i = 0; i < views.size(); ++i) CHECK(digests[i] == Sha256::portable(views[i]));
}
