// SPDX-License-Identifier: MIT
// Four lanes, each working through a message of its own. A lane that is done takes the next message; when
// there is none left it idles on a block of zeros whose result nobody reads.
#include "base/sha256_batch.h"

#include "base/endian.h"
#include "base/error.h"
#include "base/sha256_rounds.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace glassfs {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kBlock = 64;

using Vector [[gnu::vector_size(16)]] = u32;  // one u32 a lane

// Where a lane stands in its message: first the message's whole blocks, then one or two of padding.
class Lane {
  public:
    bool active() const { return active_; }
    std::size_t message() const { return message_; }

    void start(std::size_t index, Bytes bytes) {
        active_ = true;
        message_ = index;
        whole_ = bytes.first(bytes.size() / kBlock * kBlock);
        const Bytes rest = bytes.subspan(whole_.size());
        padding_.fill(0);
        std::copy(rest.begin(), rest.end(), padding_.begin());
        padding_[rest.size()] = 0x80;
        const std::size_t size = rest.size() + 1 + sizeof(Be64) <= kBlock ? kBlock : 2 * kBlock;
        const Be64 length_bits = u64{bytes.size()} * 8;
        std::memcpy(padding_.data() + size - sizeof length_bits, &length_bits, sizeof length_bits);
        tail_ = Bytes{padding_}.first(size);
    }

    // The next block of the message; an idle lane's is whatever is in its padding.
    const u8* take_block() {
        if (!active_) return padding_.data();
        Bytes& from = whole_.empty() ? tail_ : whole_;
        const u8* const block = from.data();
        from = from.subspan(kBlock);
        return block;
    }

    bool finished() const { return active_ && whole_.empty() && tail_.empty(); }
    void stop() { active_ = false; }

  private:
    bool active_ = false;
    std::size_t message_ = 0;
    Bytes whole_;
    Bytes tail_;
    std::array<u8, 2 * kBlock> padding_{};
};

using VectorState = sha256_detail::StateOf<Vector>;

void set_lane(VectorState& state, std::size_t lane) {
    for (std::size_t i = 0; i < 8; ++i) state[i][lane] = sha256_detail::kInitial[i];
}

Sha256Digest digest_of(const VectorState& state, std::size_t lane) {
    Sha256Digest digest;
    for (std::size_t i = 0; i < 8; ++i) {
        const Be32 word = u32{state[i][lane]};
        std::memcpy(digest.data() + 4 * i, &word, sizeof word);
    }
    return digest;
}

void compress_lanes(VectorState& state, std::array<Lane, kLanes>& lanes) {
    std::array<const u8*, kLanes> blocks;
    for (std::size_t lane = 0; lane < kLanes; ++lane) blocks[lane] = lanes[lane].take_block();
    sha256_detail::WordsOf<Vector> w;
    for (std::size_t t = 0; t < 16; ++t) {
        auto word = [&](std::size_t lane) { return load<Be32>(Bytes{blocks[lane], kBlock}, 4 * t).get(); };
        w[t] = Vector{word(0), word(1), word(2), word(3)};
    }
    sha256_detail::compress_block<Vector>(state, w);
}

}  // namespace

void sha256_batch_lanes(std::span<const Bytes> messages, std::span<Sha256Digest> digests) {
    GLASSFS_ASSERT(messages.size() == digests.size());
    std::array<Lane, kLanes> lanes;
    VectorState state{};
    std::size_t next = 0;
    std::size_t done = 0;
    while (done < messages.size()) {
        for (std::size_t lane = 0; lane < kLanes && next < messages.size(); ++lane) {
            if (lanes[lane].active()) continue;
            lanes[lane].start(next, messages[next]);
            set_lane(state, lane);
            ++next;
        }
        compress_lanes(state, lanes);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (!lanes[lane].finished()) continue;
            digests[lanes[lane].message()] = digest_of(state, lane);
            lanes[lane].stop();
            ++done;
        }
    }
}

void sha256_batch(std::span<const Bytes> messages, std::span<Sha256Digest> digests) {
    GLASSFS_ASSERT(messages.size() == digests.size());
    const bool lanes = !Sha256::uses_instructions();
    const std::size_t alone_from = !lanes ? 0 : sha256_host() != nullptr ? sha256_host_bytes_min : SIZE_MAX;
    std::vector<Bytes> together;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].size() >= alone_from) {
            digests[i] = sha256(messages[i]);
        } else {
            together.push_back(messages[i]);
            which.push_back(i);
        }
    }
    std::vector<Sha256Digest> made(together.size());
    sha256_batch_lanes(together, made);
    for (std::size_t k = 0; k < which.size(); ++k) digests[which[k]] = made[k];
}

}  // namespace glassfs
