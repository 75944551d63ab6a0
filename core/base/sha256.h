// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4): a btrfs checksum, and the digest of file contents in manifests.
#pragma once

#include "base/bytes.h"

#include <array>

namespace glassfs {

using Sha256Digest = std::array<u8, 32>;

// Incremental: update() any number of times, then finish() once; the object is then spent.
class Sha256 {
  public:
    Sha256();
    void update(Bytes bytes);
    Sha256Digest finish();

    // Whether this CPU's own instructions do the work (and a batch gains nothing).
    static bool uses_instructions();

    // The hash of bytes in one piece, never by CPU instructions: tests compare the two.
    static Sha256Digest portable(Bytes bytes);

  private:
    using Compress = void (*)(std::array<u32, 8>& state, const u8* blocks, std::size_t count);
    explicit Sha256(Compress compress);

    Compress compress_;
    std::array<u32, 8> state_;
    std::array<u8, 64> pending_{};  // the bytes of an incomplete block: total_ % 64 of them
    u64 total_ = 0;                 // bytes seen so far
};

Sha256Digest sha256(Bytes bytes);

}  // namespace glassfs
