// SPDX-License-Identifier: MIT
// LZO1X, our own codec, written from the public description of the stream.
//
// A stream is a row of instructions. Each copies a match (bytes that were already produced, `distance` back),
// a run of literals, or both: the two lowest bits that belong to a match say how many literals (0-3) follow
// it. What an instruction below 16 means depends on the literals that came just before it ("state"):
//
//     first byte                  length             distance
//     0000LLLL                    3 + L literals     -               after 0 literals
//     0000DDSS hhhhhhhh           2                  1 + ...         after 1-3 literals
//     0000DDSS hhhhhhhh           3                  2049 + ...      after a run of 4 or more
//     0001HLLL DDDDDDSS DDDDDDDD  2 + L              16384 + ...     a distance of 16384 itself ends the
//     stream 001LLLLL DDDDDDSS DDDDDDDD  2 + L              1 + ... 01LDDDSS hhhhhhhh           3 + L 1 + ...
//     1LLDDDSS hhhhhhhh           5 + L              1 + ...
//
// L of zero in the first, fourth and fifth form means that bytes follow: each zero adds 255, the first other
// byte adds itself and the largest L that fits. A first byte above 17 starts with (byte - 17) literals.
#pragma once

#include "base/bytes.h"
#include "base/error.h"

namespace glassfs {

// Decompresses one whole stream, end marker included, and returns the bytes produced. The stream may be
// anything: no read or write leaves `in` and `out`. Cause::CompressedDataBad if it is damaged, has bytes
// behind its end, or produces more than `out` holds. Bytes of `out` behind the result are unspecified.
Result<std::size_t> lzo1x_decompress(Bytes in, MutBytes out);

// Bytes that lzo1x_1_compress() may need for `size` bytes of input.
constexpr std::size_t lzo1x_worst_case(std::size_t size) {
    return size + size / 16 + 64 + 3;
}

// Compresses greedily, as LZO1X-1 does: any LZO1X decoder reads the stream. `out` has at least
// lzo1x_worst_case(in.size()) bytes. Returns the bytes written.
std::size_t lzo1x_1_compress(Bytes in, MutBytes out);

}  // namespace glassfs
