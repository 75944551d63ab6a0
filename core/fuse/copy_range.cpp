// SPDX-License-Identifier: MIT
#include "fuse/copy_range.h"

#include <algorithm>

namespace glassfs::fuse {

namespace {

constexpr u64 position_max = 0x7fff'ffff'ffff'ffff;
constexpr std::size_t piece_bytes = 1 << 20;

// Extents are shared in whole blocks; only the end of `from` may lie within one, and then only at the end of
// `to`.
u64 clonable(const CopyRange& range, u64 from_size, u64 to_size, u64 block) {
    if (range.from_at % block != 0 || range.to_at % block != 0) return 0;
    u64 whole = range.length / block * block;
    bool to_the_end = range.from_at + range.length == from_size && range.to_at + range.length >= to_size;
    return to_the_end ? range.length : whole;
}

Result<u64> copy_bytes(vfs::FileSystem& files, const CopyRange& range, u64 done) {
    Buffer piece(static_cast<std::size_t>(std::min<u64>(range.length - done, piece_bytes)));
    while (done < range.length) {
        auto wanted = static_cast<std::size_t>(std::min<u64>(range.length - done, piece.size()));
        MutBytes out = MutBytes(piece).first(wanted);
        std::size_t got = TRY(files.read(range.from, range.from_at + done, out));
        if (got == 0) break;
        auto written = files.write(range.to, range.to_at + done, Bytes(out).first(got));
        if (!written && done > 0) break;  // what fitted is the answer
        if (!written) return fail(std::move(written).error());
        done += *written;
        if (*written < got) break;
    }
    return done;
}

}  // namespace

Result<u64> copy_range(vfs::FileSystem& files, CopyRange range) {
    vfs::Attributes from = TRY(files.getattr(range.from));
    vfs::Attributes to = TRY(files.getattr(range.to));
    if (range.from_at >= from.size) return u64{0};
    range.length = std::min({range.length, from.size - range.from_at, copy_range_max});
    if (range.to_at > position_max - range.length) return fail(Cause::InvalidArgument);
    u64 shared = clonable(range, from.size, to.size, std::max<u64>(from.block_size, 1));
    if (shared > 0) {
        auto cloned = files.clone_range(range.from, range.from_at, shared, range.to, range.to_at);
        if (!cloned)
            shared = 0;  // other subvolume, other checksums, inline: bytes can be copied all the same
    }
    return copy_bytes(files, range, shared);
}

}  // namespace glassfs::fuse
