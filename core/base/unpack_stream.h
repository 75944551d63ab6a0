// SPDX-License-Identifier: MIT
// Files that were packed as a whole, unpacked as a stream: gzip (RFC 1952, several members behind each other)
// and zstd (RFC 8878, several frames). Unlike an extent's (compression.h) their length is known only at the
// end, and their own checksums are verified. Any bytes are safe.
#pragma once

#include "base/bytes.h"
#include "base/error.h"

#include <memory>

namespace glassfs {

enum class Packing : u8 { None, Gzip, Zstd, Xz, Bzip2 };

inline constexpr std::size_t packing_magic_bytes = 6;
// By the first bytes of a file.
Packing packing_of(Bytes head);
const char* packing_name(Packing);  // "gzip"

class UnpackStream {
  public:
    static constexpr int window_log_max = 27;  // of zstd: what --long means; memory is 2 to its power

    // Cause::NotSupported: one that is known, and not unpacked here.
    static Result<std::unique_ptr<UnpackStream>> make(Packing);
    virtual ~UnpackStream() = default;
    // Takes bytes from the front of `in` and returns how many came out. Both may be none: then more input is
    // needed. Cause::CompressedDataBad.
    virtual Result<std::size_t> run(Bytes& in, MutBytes out) = 0;
    // Whether the packed file may end here.
    virtual bool at_end() const = 0;
};

}  // namespace glassfs
