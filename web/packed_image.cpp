// SPDX-License-Identifier: MIT
// Unpacking, with every number checked: a transfer may have been cut short.
#include "web/packed_image.h"

#include "base/text.h"
#include "block/ram_device.h"

#include <bit>
#include <cstring>

namespace glassfs::web {

namespace {

static_assert(std::endian::native == std::endian::little);

class Reader {
  public:
    explicit Reader(Bytes rest) : rest_(rest) {}
    bool at_end() const { return rest_.empty(); }

    Result<u64> number() {
        u64 value = 0;
        const Bytes raw = TRY(bytes(sizeof value));
        std::memcpy(&value, raw.data(), sizeof value);
        return value;
    }

    Result<Bytes> bytes(u64 length) {
        if (length > rest_.size()) {
            return fail(Cause::DeviceOpenFailed,
                        "the packed image ends " + grouped(length - rest_.size()) + " bytes too early");
        }
        const Bytes out = rest_.first(static_cast<std::size_t>(length));
        rest_ = rest_.subspan(out.size());
        return out;
    }

  private:
    Bytes rest_;
};

}  // namespace

Result<std::shared_ptr<block::Device>> unpack_image(Bytes packed, const std::string& name) {
    constexpr std::string_view magic = "GLASSIMG";
    Reader reader(packed);
    if (as_text(TRY(reader.bytes(magic.size()))) != magic) {
        return fail(Cause::DeviceOpenFailed, name + " is not a packed image");
    }
    const u64 size = TRY(reader.number());
    auto device = std::make_shared<block::RamDevice>(size, name);
    while (!reader.at_end()) {
        const u64 at = TRY(reader.number());
        const u64 length = TRY(reader.number());
        TRY(device->write(at, TRY(reader.bytes(length))));
    }
    return std::shared_ptr<block::Device>(std::move(device));
}

}  // namespace glassfs::web
