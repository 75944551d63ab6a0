// SPDX-License-Identifier: MIT
#include "block/unpack.h"

#include "base/text.h"
#include "base/unpack_stream.h"
#include "block/ram_device.h"
#include "block/slice_device.h"

#include <algorithm>
#include <array>

namespace glassfs::block {

namespace {

constexpr std::size_t granule = 16384;
constexpr std::size_t packed_piece = 256 << 10;
constexpr std::size_t image_piece = 1 << 20;  // whole granules

class Unpacker {
  public:
    Unpacker(std::string name, const UnpackLimits& limits)
        : limits_(limits),
          image_(std::make_shared<RamDevice>(limits.image_bytes, std::move(name), granule)) {}

    // The bytes that follow, whole granules but for the last ones of the image.
    Result<void> add(Bytes bytes) {
        if (bytes.size() > limits_.image_bytes - size_)
            return fail(Cause::FileTooBig, "the image is larger than " + size_text(limits_.image_bytes));
        while (!bytes.empty()) {
            const Bytes part = bytes.first(std::min(granule, bytes.size()));
            if (std::ranges::any_of(part, [](u8 byte) { return byte != 0; })) TRY(image_->write(size_, part));
            size_ += part.size();
            bytes = bytes.subspan(part.size());
        }
        if (image_->allocated() <= limits_.memory_bytes) return {};
        return fail(Cause::FileTooBig, "more than " + size_text(limits_.memory_bytes) +
                                           " of it aren't zeros: unpack it to a file, and open that");
    }

    Result<std::shared_ptr<Device>> take() { return TRY(SliceDevice::make(image_, 0, size_, "")); }

  private:
    UnpackLimits limits_;
    std::shared_ptr<RamDevice> image_;
    u64 size_ = 0;
};

}  // namespace

Result<std::shared_ptr<Device>> unpacked(std::shared_ptr<Device> packed,
                                         const std::function<bool(u64 done)>& progress,
                                         const UnpackLimits& limits) {
    std::array<u8, packing_magic_bytes> head = {};
    if (packed->size() < head.size()) return packed;
    TRY(packed->read(0, head));
    const Packing packing = packing_of(head);
    if (packing == Packing::None) return packed;
    auto stream = TRY(UnpackStream::make(packing));
    Unpacker unpacker(packed->name(), limits);
    Buffer in(packed_piece), out(image_piece);
    std::size_t filled = 0;
    for (u64 at = 0; at < packed->size();) {
        if (!progress(at)) return fail(Cause::Cancelled);
        MutBytes piece =
            MutBytes(in).first(static_cast<std::size_t>(std::min<u64>(packed_piece, packed->size() - at)));
        TRY(packed->read(at, piece));
        at += piece.size();
        for (Bytes rest = piece;;) {
            const std::size_t before = rest.size();
            const std::size_t count = TRY(stream->run(rest, MutBytes(out).subspan(filled)));
            filled += count;
            if (filled == out.size()) {
                TRY(unpacker.add(out));
                filled = 0;
                if (!progress(at)) return fail(Cause::Cancelled);
            } else if (count == 0 && rest.size() == before) {
                break;
            }
        }
    }
    if (!stream->at_end())
        return fail(Cause::CompressedDataBad,
                    std::string(packing_name(packing)) + ": the file ends too early");
    TRY(unpacker.add(Bytes(out).first(filled)));
    return unpacker.take();
}

}  // namespace glassfs::block
