// SPDX-License-Identifier: MIT
#include "mount/glass_file.h"

#include "base/compression.h"
#include "base/crc32c.h"
#include "base/endian.h"
#include "base/text.h"
#include "block/ram_device.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

namespace glassfs::mount {

namespace {

constexpr std::string_view magic = "GLASSVOL";
constexpr u32 version = 1;
constexpr std::size_t header_bytes = 16;
constexpr std::size_t piece_bytes = 128 << 10;
constexpr std::size_t granule = 4096;  // zeros are left out in these
constexpr u32 devices_max = 64;
constexpr u64 device_size_max = 1ULL << 60;
constexpr std::size_t name_bytes_max = 4096;
constexpr u64 block_bytes_min = 4096, block_bytes_max = 65536;  // of tree blocks

template <class T>
void put(Buffer& to, const T& number) {
    const std::size_t at = to.size();
    to.resize(at + sizeof(T));
    std::memcpy(to.data() + at, &number, sizeof(T));
}
void put(Buffer& to, Bytes bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

bool all_zero(Bytes bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](u8 byte) { return byte == 0; });
}

// What isn't zero on a device, as ranges.
Result<void> put_device(Buffer& to, const GlassFile::Held& held) {
    block::Device& device = *held.device;
    if (device.size() > glass_device_bytes_max) {
        return fail(Cause::InvalidArgument,
                    "a device of " + size_text(device.size()) + " is too large to be saved");
    }
    // Its folders are nobody's business to whom the recording is sent.
    const std::string path = device.name();
    const std::string name = path.substr(path.rfind('/') + 1).substr(0, name_bytes_max);
    put(to, Le64(held.number));
    put(to, Le64(device.size()));
    put(to, Le32(static_cast<u32>(name.size())));
    put(to, as_bytes(name));
    const std::size_t count_at = to.size();
    put(to, Le32(0));
    u32 count = 0;
    Buffer piece(piece_bytes);
    for (u64 at = 0; at < device.size(); at += piece_bytes) {
        MutBytes bytes =
            MutBytes(piece).first(static_cast<std::size_t>(std::min<u64>(piece_bytes, device.size() - at)));
        TRY(device.read(at, bytes));
        for (std::size_t i = 0; i < bytes.size();) {
            const std::size_t step = std::min(granule, bytes.size() - i);
            if (all_zero(Bytes(bytes).subspan(i, step))) {
                i += step;
                continue;
            }
            std::size_t end = i + step;
            while (end < bytes.size() &&
                   !all_zero(Bytes(bytes).subspan(end, std::min(granule, bytes.size() - end)))) {
                end += std::min(granule, bytes.size() - end);
            }
            put(to, Le64(at + i));
            put(to, Le32(static_cast<u32>(end - i)));
            put(to, Bytes(bytes).subspan(i, end - i));
            ++count;
            i = end;
        }
        if (to.size() > glass_bytes_max) return fail(Cause::InvalidArgument, "there is too much to be saved");
    }
    const Le32 counted(count);
    std::memcpy(to.data() + count_at, &counted, sizeof(counted));
    return {};
}

Failure bad(const char* what) {
    return fail(Cause::RecordingBad, what);
}

// Reads from unpacked bytes, and never behind their end.
class Reader {
  public:
    explicit Reader(Bytes bytes) : left_(bytes) {}

    Result<Bytes> take(u64 count) {
        if (count > left_.size()) return bad("it ends too early");
        Bytes out = left_.first(static_cast<std::size_t>(count));
        left_ = left_.subspan(out.size());
        return out;
    }
    Result<u32> number32() { return u32{load<Le32>(TRY(take(4)))}; }
    Result<u64> number64() { return u64{load<Le64>(TRY(take(8)))}; }
    bool at_end() const { return left_.empty(); }

    template <class F>
    Result<void> ranges(F&& visit) {
        for (u32 left = TRY(number32()); left > 0; --left) {
            const u64 at = TRY(number64());
            TRY(visit(at, TRY(take(TRY(number32())))));
        }
        return {};
    }

  private:
    Bytes left_;
};

Result<Buffer> unpack(Bytes file, u64 bytes_max) {
    if (file.size() < header_bytes || as_text(file.first(magic.size())) != magic) return bad("it isn't one");
    if (load<Le32>(file, 8) != version) return bad("another version");
    Bytes body = file.subspan(header_bytes);
    if (load<Le32>(file, 12) != crc32c(body)) return bad("its checksum is wrong");
    Reader reader(body);
    Buffer out;
    for (;;) {
        const u32 length = TRY(reader.number32());
        if (length == 0) break;
        const u32 packed = TRY(reader.number32());
        if (length > piece_bytes || packed > length) return bad("a piece of a wrong length");
        if (out.size() + length > bytes_max) return bad("too much is in it");
        Bytes bytes = TRY(reader.take(packed));
        const std::size_t at = out.size();
        out.resize(at + length);
        MutBytes to = MutBytes(out).subspan(at);
        if (packed == length) {
            std::copy(bytes.begin(), bytes.end(), to.begin());
            continue;
        }
        auto got = decompress(Compression::Zlib, bytes, to, granule);
        if (!got || *got != length) return bad("a piece that can't be unpacked");
    }
    if (!reader.at_end()) return bad("something follows its end");
    return out;
}

Result<GlassFile::Held> take_device(Reader& reader, u64 bytes_max) {
    GlassFile::Held held{TRY(reader.number64()), nullptr};
    const u64 size = TRY(reader.number64());
    const u32 name_bytes = TRY(reader.number32());
    if (size > device_size_max || name_bytes > name_bytes_max) return bad("a device that can't be");
    std::string name(as_text(TRY(reader.take(name_bytes))));
    auto device = std::make_shared<block::RamDevice>(size, std::move(name), granule);
    TRY(reader.ranges([&](u64 at, Bytes bytes) -> Result<void> {
        if (at > size || bytes.size() > size - at) return bad("bytes behind a device's end");
        TRY(device->write(at, bytes));
        // Many short ranges far apart take more than their bytes.
        if (device->allocated() > bytes_max) return bad("too much is in it");
        return {};
    }));
    held.device = std::move(device);
    return held;
}

}  // namespace

bool is_glass_file(block::Device& device) {
    std::array<u8, magic.size()> head{};
    return device.size() >= header_bytes && device.read(0, head) && as_text(head) == magic;
}

Result<Buffer> save_glass(const GlassFile& file) {
    Buffer plain;
    put(plain, Le32(static_cast<u32>(file.devices.size())));
    for (const GlassFile::Held& held : file.devices) TRY(put_device(plain, held));
    put(plain, Le32(static_cast<u32>(file.memory.size())));
    for (const auto& [at, bytes] : file.memory) {
        put(plain, Le64(at));
        put(plain, Le32(static_cast<u32>(bytes.size())));
        put(plain, Bytes(bytes));
    }
    const Buffer recording = file.recording.save();
    put(plain, Le64(recording.size()));
    put(plain, Bytes(recording));
    if (plain.size() > glass_bytes_max) return fail(Cause::InvalidArgument, "there is too much to be saved");

    Buffer out;
    put(out, as_bytes(magic));
    put(out, Le32(version));
    put(out, Le32(0));
    Buffer packed(piece_bytes);
    for (Bytes left = plain; !left.empty();) {
        Bytes piece = left.first(std::min(left.size(), piece_bytes));
        left = left.subspan(piece.size());
        auto size = compress(Compression::Zlib, 0, piece, MutBytes(packed).first(piece.size() - 1), granule);
        put(out, Le32(static_cast<u32>(piece.size())));
        put(out, Le32(static_cast<u32>(size ? *size : piece.size())));
        put(out, size ? Bytes(packed).first(*size) : piece);
    }
    put(out, Le32(0));
    const Le32 sum(crc32c(Bytes(out).subspan(header_bytes)));
    std::memcpy(out.data() + 12, &sum, sizeof(sum));
    return out;
}

Result<GlassFile> load_glass(Bytes bytes, u64 bytes_max) {
    const Buffer plain = TRY(unpack(bytes, bytes_max));
    Reader reader(plain);
    GlassFile file;
    const u32 devices = TRY(reader.number32());
    if (devices > devices_max) return bad("too many devices");
    std::set<u64> numbers = {trace::memory_device};
    for (u32 i = 0; i < devices; ++i) {
        file.devices.push_back(TRY(take_device(reader, bytes_max)));
        if (!numbers.insert(file.devices.back().number).second) return bad("a device twice");
    }
    TRY(reader.ranges([&](u64 at, Bytes range) -> Result<void> {
        if (range.size() < block_bytes_min || range.size() > block_bytes_max)
            return bad("a block that can't be");
        file.memory.emplace_back(at, Buffer(range.begin(), range.end()));
        return {};
    }));
    const u64 length = TRY(reader.number64());
    Bytes recording = TRY(reader.take(length));
    if (!reader.at_end()) return bad("something follows the recording");
    file.recording = TRY(trace::Recording::load(Buffer(recording.begin(), recording.end())));
    return file;
}

Result<GlassFile> load_glass(block::Device& device) {
    if (device.size() > glass_bytes_max) return bad("it is too large");
    Buffer bytes(static_cast<std::size_t>(device.size()));
    TRY(device.read(0, bytes));
    return load_glass(Bytes(bytes));
}

}  // namespace glassfs::mount
