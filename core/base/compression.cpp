// SPDX-License-Identifier: MIT
// zlib, zstd and LZO as btrfs frames them; the header describes the formats.
#include "base/compression.h"

#include "base/endian.h"
#include "base/lzo.h"
#include "base/text.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <string>
#include <zlib.h>
#include <zstd.h>

namespace glassfs {
namespace {

Failure bad(std::string detail) {
    return fail(Cause::CompressedDataBad, std::move(detail));
}

constexpr int kLevelDefault = 3;

// ---- zlib

constexpr int kRawDeflate = -MAX_WBITS;
constexpr std::size_t kZlibHeaderSize = 2;

// RFC 1950: deflate, a window of at most 32 KiB, the check bits, no preset dictionary.
bool zlib_header_valid(Bytes in) {
    if (in.size() < kZlibHeaderSize) return false;
    const bool deflate = (in[0] & 0x0f) == Z_DEFLATED && (in[0] >> 4) <= 7;
    return deflate && (in[0] * 256 + in[1]) % 31 == 0 && (in[1] & 0x20) == 0;
}

// Reads what is inside of the zlib stream as raw deflate: the trailing Adler-32 then isn't computed.
class Inflater {
  public:
    Inflater() : ready_(inflateInit2(&stream_, kRawDeflate) == Z_OK) {}
    ~Inflater() {
        if (ready_) inflateEnd(&stream_);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    Result<std::size_t> run(Bytes in, MutBytes out) {
        if (!ready_ || inflateReset(&stream_) != Z_OK) return fail(Cause::OutOfMemory, "zlib");
        stream_.next_in = const_cast<Bytef*>(in.data());  // zlib's interface lacks the const, it only reads
        stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(in.size(), UINT_MAX));
        stream_.next_out = out.data();
        stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), UINT_MAX));
        const int status = inflate(&stream_, Z_SYNC_FLUSH);
        const auto produced = static_cast<std::size_t>(stream_.next_out - out.data());
        if (status == Z_STREAM_END || stream_.avail_out == 0) return produced;
        if (status == Z_MEM_ERROR) return fail(Cause::OutOfMemory, "zlib");
        if (status != Z_DATA_ERROR) return bad("zlib: the stream ends early");
        return bad(std::string("zlib: ") + (stream_.msg != nullptr ? stream_.msg : "invalid data"));
    }

  private:
    z_stream stream_{};
    bool ready_;
};

Result<std::size_t> zlib_decompress(Bytes in, MutBytes out) {
    static thread_local Inflater inflater;
    if (!zlib_header_valid(in)) return bad("zlib: no zlib header");
    return inflater.run(in.subspan(kZlibHeaderSize), out);
}

Result<std::size_t> zlib_compress(int level, Bytes in, MutBytes out) {
    auto size = static_cast<uLongf>(out.size());
    const int status =
        compress2(out.data(), &size, in.data(), static_cast<uLong>(in.size()), std::clamp(level, 1, 9));
    if (status == Z_BUF_ERROR) return fail(Cause::NoSpace, "zlib: does not get small enough");
    if (status != Z_OK) return fail(Cause::OutOfMemory, "zlib");
    return static_cast<std::size_t>(size);
}

// ---- zstd

constexpr int kZstdWindowLogMax = 17;  // Linux refuses a frame whose window is larger

struct FreeZstd {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// The general way: stops when `out` is full, and never minds what follows the frame.
Result<std::size_t> zstd_decompress_streaming(ZSTD_DCtx* context, Bytes in, MutBytes out) {
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kZstdWindowLogMax);
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos < output.size) {
        const std::size_t in_before = input.pos;
        const std::size_t out_before = output.pos;
        const std::size_t status = ZSTD_decompressStream(context, &output, &input);
        if (ZSTD_isError(status) != 0) return bad(std::string("zstd: ") + ZSTD_getErrorName(status));
        if (status == 0) break;
        if (input.pos == in_before && output.pos == out_before) return bad("zstd: the frame ends early");
    }
    return output.pos;
}

Result<std::size_t> zstd_decompress(Bytes in, MutBytes out) {
    static thread_local const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
    if (context == nullptr) return fail(Cause::OutOfMemory, "zstd");
    // One call straight into `out` saves the copy through zstd's window. It demands that the whole frame
    // is there and fits; otherwise the other way finds out what the matter is.
    const std::size_t frame = ZSTD_findFrameCompressedSize(in.data(), in.size());
    if (ZSTD_isError(frame) == 0) {
        const std::size_t size = ZSTD_decompressDCtx(context.get(), out.data(), out.size(), in.data(), frame);
        if (ZSTD_isError(size) == 0) return size;
    }
    return zstd_decompress_streaming(context.get(), in, out);
}

Result<std::size_t> zstd_compress(int level, Bytes in, MutBytes out) {
    static thread_local const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
    if (context == nullptr) return fail(Cause::OutOfMemory, "zstd");
    ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, std::clamp(level, 1, 15));
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kZstdWindowLogMax);
    const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), in.data(), in.size());
    if (ZSTD_isError(size) != 0) return fail(Cause::NoSpace, "zstd: does not get small enough");
    return size;
}

// ---- LZO in segments

constexpr std::size_t kLengthSize = sizeof(Le32);

// Where the length that follows `at` stands: behind the padding, if it would cross a sector boundary.
std::size_t length_position(std::size_t at, u32 sectorsize) {
    const std::size_t left = sectorsize - at % sectorsize;
    return left < kLengthSize ? at + left : at;
}

// Decompresses one segment to the front of `out`; what a sector has beyond the end of `out` is dropped.
Result<std::size_t> lzo_segment_decompress(Bytes segment, MutBytes out, u32 sectorsize) {
    if (out.size() >= sectorsize) return lzo1x_decompress(segment, out.first(sectorsize));
    Buffer sector(sectorsize);
    const std::size_t produced = TRY(lzo1x_decompress(segment, sector));
    const std::size_t kept = std::min(produced, out.size());
    std::copy_n(sector.begin(), kept, out.begin());
    return kept;
}

// Linux tells lengths that can't be (EUCLEAN) from segments that can't be decompressed (EIO).
Failure bad_framing(std::string detail) {
    return fail(Cause::CompressedFramingBad, std::move(detail));
}

Result<std::size_t> lzo_decompress(Bytes in, MutBytes out, u32 sectorsize) {
    if (in.size() < kLengthSize) return bad_framing("lzo: no total length");
    const std::size_t total = load<Le32>(in).get();
    if (total < kLengthSize || total > in.size()) {
        return bad_framing(text("lzo: total length %zu, the extent has %zu", total, in.size()));
    }
    static constexpr const char* beyond_total = "lzo: a segment's length lies beyond the total length";
    std::size_t at = kLengthSize;
    std::size_t produced = 0;
    while (at < total && produced < out.size()) {
        at = length_position(at, sectorsize);
        if (at + kLengthSize > total) return bad_framing(beyond_total);
        const std::size_t length = load<Le32>(in, at).get();
        at += kLengthSize;
        if (length > total - at) {
            return bad_framing(text("lzo: segment of %zu bytes, %zu are left", length, total - at));
        }
        produced += TRY(lzo_segment_decompress(in.subspan(at, length), out.subspan(produced), sectorsize));
        at += length;
    }
    return produced;
}

Result<std::size_t> lzo_compress(Bytes in, MutBytes out, u32 sectorsize) {
    const auto no_space = [] { return fail(Cause::NoSpace, "lzo: does not get small enough"); };
    if (out.size() < kLengthSize) return no_space();
    Buffer segment(lzo1x_worst_case(sectorsize));
    std::size_t at = kLengthSize;
    for (std::size_t from = 0; from < in.size(); from += sectorsize) {
        const Bytes sector = in.subspan(from, std::min<std::size_t>(sectorsize, in.size() - from));
        const std::size_t length = lzo1x_1_compress(sector, segment);
        const std::size_t header = length_position(at, sectorsize);
        if (header + kLengthSize + length > out.size()) return no_space();
        std::fill_n(out.data() + at, header - at, u8{0});
        const Le32 stored = static_cast<u32>(length);
        std::memcpy(out.data() + header, &stored, kLengthSize);
        std::copy_n(segment.begin(), length, out.data() + header + kLengthSize);
        at = header + kLengthSize + length;
    }
    const Le32 total = static_cast<u32>(at);
    std::memcpy(out.data(), &total, kLengthSize);
    return at;
}

// ---- Dispatch

Result<std::size_t> decompress_only(Compression compression, Bytes in, MutBytes out, u32 sectorsize) {
    switch (compression) {
        case Compression::None: {
            const std::size_t size = std::min(in.size(), out.size());
            std::copy_n(in.begin(), size, out.begin());
            return size;
        }
        case Compression::Zlib:
            return zlib_decompress(in, out);
        case Compression::Lzo:
            return lzo_decompress(in, out, sectorsize);
        case Compression::Zstd:
            return zstd_decompress(in, out);
    }
    return fail(Cause::CompressionUnknown, text("compression %u", static_cast<unsigned>(compression)));
}

}  // namespace

const char* compression_name(Compression compression) {
    switch (compression) {
        case Compression::None:
            return "none";
        case Compression::Zlib:
            return "zlib";
        case Compression::Lzo:
            return "lzo";
        case Compression::Zstd:
            return "zstd";
    }
    return "unknown";
}

Result<std::size_t> decompress(Compression compression, Bytes in, MutBytes out, u32 sectorsize) {
    GLASSFS_ASSERT(sectorsize > 0);
    const std::size_t produced = TRY(decompress_only(compression, in, out, sectorsize));
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(produced), out.end(), u8{0});
    return produced;
}

Result<std::size_t> compress(Compression compression, int level, Bytes in, MutBytes out, u32 sectorsize) {
    GLASSFS_ASSERT(sectorsize > 0);
    if (in.size() > kCompressedExtentSizeMax) {
        return fail(Cause::InvalidArgument, text("%zu bytes are too many for one extent", in.size()));
    }
    const int chosen = level == 0 ? kLevelDefault : level;
    switch (compression) {
        case Compression::Zlib:
            return zlib_compress(chosen, in, out);
        case Compression::Lzo:
            return lzo_compress(in, out, sectorsize);
        case Compression::Zstd:
            return zstd_compress(chosen, in, out);
        case Compression::None:
            break;
    }
    return fail(Cause::CompressionUnknown, text("compression %u", static_cast<unsigned>(compression)));
}

}  // namespace glassfs
