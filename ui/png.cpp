// SPDX-License-Identifier: MIT
#include "ui/png.h"

#include "base/endian.h"

#include <cstdio>
#include <initializer_list>
#include <zlib.h>

namespace glassfs::ui {

namespace {

void add_u32(Buffer& out, u32 value) {
    for (unsigned shift : {24U, 16U, 8U, 0U}) out.push_back(static_cast<u8>(value >> shift));
}

void add_chunk(Buffer& out, std::string_view type, Bytes data) {
    add_u32(out, static_cast<u32>(data.size()));
    std::size_t begin = out.size();
    for (char c : type) out.push_back(static_cast<u8>(c));
    out.insert(out.end(), data.begin(), data.end());
    add_u32(out, static_cast<u32>(crc32(0, out.data() + begin, static_cast<uInt>(out.size() - begin))));
}

}  // namespace

Result<void> write_png(const std::string& path, int width, int height, Bytes rgb) {
    std::size_t row = static_cast<std::size_t>(width) * 3;
    Buffer raw;
    raw.reserve((row + 1) * static_cast<std::size_t>(height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
        raw.push_back(0);  // no filter
        Bytes line = rgb.subspan(y * row, row);
        raw.insert(raw.end(), line.begin(), line.end());
    }
    uLongf size = compressBound(static_cast<uLong>(raw.size()));
    Buffer packed(size);
    if (compress2(packed.data(), &size, raw.data(), static_cast<uLong>(raw.size()), 6) != Z_OK) {
        return fail(Cause::OutOfMemory, path);
    }
    packed.resize(size);
    Buffer png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    Buffer header;
    add_u32(header, static_cast<u32>(width));
    add_u32(header, static_cast<u32>(height));
    for (u8 b : std::initializer_list<u8>{8, 2, 0, 0, 0}) header.push_back(b);  // 8 bits, RGB
    add_chunk(png, "IHDR", header);
    add_chunk(png, "IDAT", packed);
    add_chunk(png, "IEND", {});
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) return fail(Cause::DeviceWriteFailed, path);
    bool written = std::fwrite(png.data(), 1, png.size(), file) == png.size();
    if (std::fclose(file) != 0 || !written) return fail(Cause::DeviceWriteFailed, path);
    return {};
}

}  // namespace glassfs::ui
