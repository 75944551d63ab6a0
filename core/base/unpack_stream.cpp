// SPDX-License-Identifier: MIT
#include "base/unpack_stream.h"

#include <algorithm>
#include <climits>
#include <string>
#include <zlib.h>
#include <zstd.h>

namespace glassfs {

namespace {

Failure bad(const char* format, const char* what) {
    return fail(Cause::CompressedDataBad, std::string(format) + ": " + what);
}

constexpr int gzip_header = 16;  // to inflateInit2(): expect gzip's header, verify its checksum

class GzipStream final : public UnpackStream {
  public:
    GzipStream() : ready_(inflateInit2(&stream_, MAX_WBITS + gzip_header) == Z_OK) {}
    ~GzipStream() override {
        if (ready_) inflateEnd(&stream_);
    }
    bool at_end() const override { return ended_; }

    Result<std::size_t> run(Bytes& in, MutBytes out) override {
        if (!ready_) return fail(Cause::OutOfMemory, "zlib");
        if (in.empty()) return 0;
        if (ended_) {
            // Another member, or padding (tapes, and writers that fill whole blocks), which is no data.
            if (in[0] != 0x1f) {
                in = {};
                return 0;
            }
            if (inflateReset(&stream_) != Z_OK) return fail(Cause::OutOfMemory, "zlib");
            ended_ = false;
        }
        stream_.next_in = const_cast<Bytef*>(in.data());  // zlib's interface lacks the const, it only reads
        stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(in.size(), UINT_MAX));
        stream_.next_out = out.data();
        stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), UINT_MAX));
        const int status = inflate(&stream_, Z_NO_FLUSH);
        in = in.subspan(static_cast<std::size_t>(stream_.next_in - in.data()));
        if (status == Z_MEM_ERROR) return fail(Cause::OutOfMemory, "zlib");
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return bad("gzip", stream_.msg != nullptr ? stream_.msg : "invalid data");
        ended_ = status == Z_STREAM_END;
        return static_cast<std::size_t>(stream_.next_out - out.data());
    }

  private:
    z_stream stream_{};
    bool ready_;
    bool ended_ = false;
};

struct FreeZstd {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdStream final : public UnpackStream {
  public:
    ZstdStream() : context_(ZSTD_createDCtx()) {
        if (context_) ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window_log_max);
    }
    bool at_end() const override { return ended_; }

    Result<std::size_t> run(Bytes& in, MutBytes out) override {
        if (!context_) return fail(Cause::OutOfMemory, "zstd");
        ZSTD_inBuffer input{in.data(), in.size(), 0};
        ZSTD_outBuffer output{out.data(), out.size(), 0};
        const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input);
        if (ZSTD_isError(status) != 0) return bad("zstd", ZSTD_getErrorName(status));
        if (input.pos > 0 || output.pos > 0) ended_ = status == 0;
        in = in.subspan(input.pos);
        return output.pos;
    }

  private:
    std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
    bool ended_ = false;
};

}  // namespace

Packing packing_of(Bytes head) {
    auto begins = [&](std::initializer_list<u8> magic) {
        return head.size() >= magic.size() && std::equal(magic.begin(), magic.end(), head.begin());
    };
    if (begins({0x1f, 0x8b, 0x08})) return Packing::Gzip;
    if (begins({0x28, 0xb5, 0x2f, 0xfd})) return Packing::Zstd;
    if (begins({0xfd, '7', 'z', 'X', 'Z', 0})) return Packing::Xz;
    return begins({'B', 'Z', 'h'}) ? Packing::Bzip2 : Packing::None;
}

const char* packing_name(Packing packing) {
    switch (packing) {
        case Packing::None:
            return "not packed";
        case Packing::Gzip:
            return "gzip";
        case Packing::Zstd:
            return "zstd";
        case Packing::Xz:
            return "xz";
        case Packing::Bzip2:
            return "bzip2";
    }
    return "";
}

Result<std::unique_ptr<UnpackStream>> UnpackStream::make(Packing packing) {
    if (packing == Packing::Gzip) return std::make_unique<GzipStream>();
    if (packing == Packing::Zstd) return std::make_unique<ZstdStream>();
    return fail(Cause::NotSupported, std::string("images packed by ") + packing_name(packing) +
                                         " can't be opened, those by gzip and zstd can: unpack it first");
}

}  // namespace glassfs
