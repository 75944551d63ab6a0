// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4): a btrfs checksum, and the digest of file contents in manifests.
#pragma once

#include "base/bytes.h"

#include <array>
#include <memory>

namespace glassfs {

using Sha256Digest = std::array<u8, 32>;

// A hash in the making that the host computes. Used by the thread that began it, and by no other.
class Sha256Stream {
  public:
    virtual ~Sha256Stream() = default;
    virtual void update(Bytes bytes) = 0;
    virtual Sha256Digest finish() = 0;
};

// A host that has the CPU's instructions where this code hasn't (node's crypto, under WASM) can offer to
// hash: `begin` is called on any thread. Messages whose first piece has fewer than sha256_host_bytes_min
// bytes aren't worth the way there. Null, as at the start: no host. To be set while nobody hashes.
using Sha256Host = std::unique_ptr<Sha256Stream> (*)();
void set_sha256_host(Sha256Host begin);
Sha256Host sha256_host();
inline constexpr std::size_t sha256_host_bytes_min = 4096;

// Incremental: update() any number of times, then finish() once; the object is then spent.
class Sha256 {
  public:
    Sha256();
    void update(Bytes bytes);
    Sha256Digest finish();

    // Whether this CPU's own instructions do the work (and a batch gains nothing).
    static bool uses_instructions();

    // The hash of bytes in one piece, never by CPU instructions or the host: tests compare.
    static Sha256Digest portable(Bytes bytes);

  private:
    using Compress = void (*)(std::array<u32, 8>& state, const u8* blocks, std::size_t count);
    Sha256(Compress compress, Sha256Host host);

    Compress compress_;
    Sha256Host host_;                       // null once the first piece was found too short for it
    std::unique_ptr<Sha256Stream> stream_;  // does the work when it is there
    std::array<u32, 8> state_;
    std::array<u8, 64> pending_{};  // the bytes of an incomplete block: total_ % 64 of them
    u64 total_ = 0;                 // bytes seen so far
};

Sha256Digest sha256(Bytes bytes);

}  // namespace glassfs
