// SPDX-License-Identifier: MIT
// Recordings as files: what is saved plays the same, and files that were cut or changed are refused.
#include "mount/glass_file.h"

#include "base/compression.h"
#include "base/crc32c.h"
#include "base/endian.h"
#include "block/ram_device.h"
#include "mount/format.h"
#include "mount/recorded_volume.h"

#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::mount;

namespace {

constexpr u64 MiB = 1ULL << 20;

std::unique_ptr<RecordedVolume> made(std::vector<std::shared_ptr<block::Device>>& devices) {
    devices = {std::make_shared<block::RamDevice>(128 * MiB, "one")};
    SeededEnvironment environment(5);
    FormatOptions options;
    options.node_size = 4096;
    REQUIRE(format(devices, options, &environment));
    Options mounting;
    mounting.environment = std::make_shared<SeededEnvironment>(6);
    auto volume = RecordedVolume::open(devices, mounting);
    REQUIRE_MESSAGE(volume, (volume ? "" : volume.error().message()));
    return std::move(*volume);
}

void work(RecordedVolume& volume) {
    vfs::FileSystem& files = volume.live().files();
    for (int i = 0; i < 30; ++i) {
        auto operation = volume.tracer().span("command");
        auto file = files.create(files.root(), "file " + std::to_string(i), {});
        REQUIRE(file);
        Buffer data(static_cast<std::size_t>(100 + i * 700), static_cast<u8>(i));
        REQUIRE(files.write(*file, 0, data));
        if (i % 7 == 6) REQUIRE(files.sync());
    }
}

// Every block of every tree, with its bytes.
std::map<u64, Buffer> blocks_of(Volume& volume) {
    std::map<u64, Buffer> out;
    for (const auto& tree : volume.inspector().trees()) {
        if (tree.error) continue;
        REQUIRE(volume.inspector().walk_tree(tree.id, [&](const inspect::NodeRecord& record) {
            auto block = volume.inspector().block(record.addr);
            REQUIRE(block);
            out[record.addr.value] = *block->raw;
            return true;
        }));
    }
    return out;
}

// The file with another body, and the checksum that fits.
Buffer sealed(Buffer file) {
    const Le32 sum(crc32c(Bytes(file).subspan(16)));
    std::memcpy(file.data() + 12, &sum, sizeof(sum));
    return file;
}

// What the file's pieces hold, as one piece after another that isn't packed.
Buffer with_plain_pieces(Bytes file) {
    Buffer out(file.begin(), file.begin() + 16);
    for (std::size_t at = 16;;) {
        const u32 length = load<Le32>(file, at);
        out.insert(out.end(), file.begin() + static_cast<std::ptrdiff_t>(at),
                   file.begin() + static_cast<std::ptrdiff_t>(at) + 4);
        if (length == 0) return sealed(std::move(out));
        const u32 packed = load<Le32>(file, at + 4);
        Buffer plain(length);
        Bytes bytes = file.subspan(at + 8, packed);
        if (packed == length)
            plain.assign(bytes.begin(), bytes.end());
        else
            REQUIRE(decompress(Compression::Zlib, bytes, plain, 4096).value() == length);
        out.insert(out.end(), out.end() - 4, out.end());
        out.insert(out.end(), plain.begin(), plain.end());
        at += 8 + packed;
    }
}

}  // namespace

TEST_CASE("mount/glass_file: a saved recording plays the same moments, also those between commits") {
    std::vector<std::shared_ptr<block::Device>> devices;
    auto volume = made(devices);
    work(*volume);
    auto bytes = save_glass(volume->file());
    REQUIRE_MESSAGE(bytes, (bytes ? "" : bytes.error().message()));
    CHECK(bytes->size() < MiB);
    auto past = volume->past();

    block::RamDevice file(bytes->size(), "run.glass");
    REQUIRE(file.write(0, *bytes));
    REQUIRE(is_glass_file(file));
    CHECK_FALSE(is_glass_file(*devices[0]));
    auto loaded = load_glass(file);
    REQUIRE_MESSAGE(loaded, (loaded ? "" : loaded.error().message()));
    auto played = RecordedVolume::play(std::move(*loaded));
    REQUIRE_MESSAGE(played, (played ? "" : played.error().message()));
    CHECK((*played)->played());
    CHECK_FALSE(volume->played());
    CHECK((*played)->recording().save() == volume->recording().save());
    CHECK(blocks_of((*played)->live()) == blocks_of(volume->live()));
    auto again = (*played)->past();
    const u64 last = past->last();
    REQUIRE(again->last() == last);
    // Backwards and forwards, at the ends of operations.
    std::vector<u64> moments;
    for (const trace::Step& step : volume->recording().steps) {
        if (step.is_end() && step.number % 5 == 0) moments.push_back(step.number + 1);
    }
    REQUIRE(moments.size() > 5);
    std::reverse(moments.begin(), moments.end());
    moments.push_back(last);
    for (u64 moment : moments) {
        CAPTURE(moment);
        auto here = past->at(moment), there = again->at(moment);
        REQUIRE_MESSAGE(here, (here ? "" : here.error().message()));
        REQUIRE_MESSAGE(there, (there ? "" : there.error().message()));
        CHECK(blocks_of(**here) == blocks_of(**there));
        CHECK(past->changed_blocks() == again->changed_blocks());
    }
    // It is read-only, and saved again it is the same file.
    auto& files = (*played)->live().files();
    CHECK(files.create(files.root(), "x", {}).error().code() == Errno::ROFS);
    CHECK(save_glass((*played)->file()).value() == *bytes);
}

TEST_CASE("mount/glass_file: what was cut or changed anywhere is refused, and what can't be saved") {
    std::vector<std::shared_ptr<block::Device>> devices;
    auto volume = made(devices);
    auto operation = volume->tracer().span("command");
    REQUIRE(volume->live().files().create(volume->live().files().root(), "a", {}));
    const Buffer good = save_glass(volume->file()).value();
    REQUIRE(load_glass(good));
    for (std::size_t i = 0; i < good.size(); i += 1 + good.size() / 400) {
        CAPTURE(i);
        Buffer changed = good;
        changed[i] ^= 1;
        CHECK(load_glass(changed).error().cause == Cause::RecordingBad);
        CHECK(load_glass(Bytes(good).first(i)).error().cause == Cause::RecordingBad);
    }
    Buffer longer = good;
    longer.push_back(0);
    CHECK(load_glass(longer).error().cause == Cause::RecordingBad);
    GlassFile large;
    large.devices.push_back({1, std::make_shared<block::RamDevice>(glass_device_bytes_max + 1)});
    CHECK(save_glass(large).error().cause == Cause::InvalidArgument);
}

TEST_CASE("mount/glass_file: whatever is in a file with a right checksum, it is refused or can be played") {
    std::vector<std::shared_ptr<block::Device>> devices;
    auto volume = made(devices);
    {
        auto operation = volume->tracer().span("command");
        REQUIRE(volume->live().files().create(volume->live().files().root(), "a", {}));
    }
    const Buffer plain = with_plain_pieces(save_glass(volume->file()).value());
    REQUIRE(load_glass(plain));
    u64 refused = 0, played = 0;
    // The heads of the first device and its ranges at every byte, and the rest here and there.
    for (std::size_t at = 24; at < plain.size(); at += at < 100 ? 1 : 1 + plain.size() / 300) {
        for (int flip : {0x01, 0x80, 0xff}) {
            CAPTURE(at);
            Buffer changed = plain;
            changed[at] = static_cast<u8>(changed[at] ^ flip);
            auto loaded = load_glass(sealed(std::move(changed)));
            if (!loaded) {
                CHECK(loaded.error().cause == Cause::RecordingBad);
                ++refused;
                continue;
            }
            // A damaged volume may not open; what opens can be gone through.
            auto shown = RecordedVolume::play(std::move(*loaded));
            if (!shown) continue;
            auto past = (*shown)->past();
            (void)past->at(past->first());
            (void)past->at(past->last());
            ++played;
        }
    }
    CHECK(refused > 50);
    CHECK(played > 100);
}

TEST_CASE("mount/glass_file: many short ranges far apart don't take more memory than is allowed") {
    Buffer body;
    auto put = [&](const auto& number) {
        Bytes bytes(reinterpret_cast<const u8*>(&number), sizeof(number));
        body.insert(body.end(), bytes.begin(), bytes.end());
    };
    const u32 count = 257;  // of 4 KiB each in memory: one more than a mebibyte
    put(Le32(1)), put(Le64(1)), put(Le64(1ULL << 40)), put(Le32(0)), put(Le32(count));
    for (u64 i = 0; i < count; ++i) put(Le64(i << 20)), put(Le32(1)), body.push_back(1);
    Buffer file;
    for (char c : std::string_view("GLASSVOL")) file.push_back(static_cast<u8>(c));
    file.insert(file.end(), {1, 0, 0, 0, 0, 0, 0, 0});
    const Le32 length(static_cast<u32>(body.size()));
    for (int twice = 0; twice < 2; ++twice) {
        Bytes bytes(reinterpret_cast<const u8*>(&length), sizeof(length));
        file.insert(file.end(), bytes.begin(), bytes.end());
    }
    file.insert(file.end(), body.begin(), body.end());
    file.insert(file.end(), {0, 0, 0, 0});
    auto loaded = load_glass(sealed(std::move(file)), MiB);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().detail == "too much is in it");
}
