// SPDX-License-Identifier: MIT
// The three compressions of btrfs extents, behind one interface.
//
// An extent holds at most 128 KiB of data and is compressed on its own:
//
//     zlib   one zlib stream
//     zstd   one frame, its window at most 128 KiB; zeros may fill the rest of the last sector
//     lzo    | total | length | LZO1X | length | LZO1X | ... each stream one sector of data; lengths are
//            little-endian, 4 bytes; `total` counts itself. A length never crosses a sector boundary of the
//            extent: where fewer than 4 bytes are left in a sector, it stands at the start of the next.
//
// An inline extent is the same, without padding at its end.
#pragma once

#include "base/bytes.h"
#include "base/error.h"

namespace glassfs {

// The `compression` of a file extent item.
enum class Compression : u8 { None = 0, Zlib = 1, Lzo = 2, Zstd = 3 };

// "none", "zlib", "lzo", "zstd", or "unknown": `compression` may be any byte of a disk.
const char* compression_name(Compression compression);

// Decompresses the extent `in` into `out`, which is as long as the extent's ram_bytes, and returns the bytes
// produced. Data beyond the end of `out` is not produced and not an error. If the extent holds less, the rest
// of `out` is zeroed, as Linux does. `sectorsize` matters to LZO only. Compression::None copies.
//
// Any bytes are safe. Errors: CompressedDataBad (the detail names the format and what is wrong),
// CompressionUnknown. As in Linux, zlib's own checksum is not verified: btrfs's checksum covers the bytes.
// Thread-safe; each thread keeps its own contexts.
Result<std::size_t> decompress(Compression compression, Bytes in, MutBytes out, u32 sectorsize);

// Compresses at most 128 KiB as an extent. `level` 0 is the default (3); zlib knows 1-9, zstd 1-15, LZO has
// none, and more is lowered to the greatest. Returns the bytes written; NoSpace if `out` is too small (give
// it the size that still is worth it), InvalidArgument for too much input, CompressionUnknown.
Result<std::size_t> compress(Compression compression, int level, Bytes in, MutBytes out, u32 sectorsize);

// The most that one compressed extent holds, in bytes of data.
inline constexpr std::size_t kCompressedExtentSizeMax = 128 * 1024;

}  // namespace glassfs
