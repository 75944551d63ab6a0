// SPDX-License-Identifier: MIT
// Recordings as files: what is saved plays the same, and files that were cut or changed are refused.
#include "mount/glass_file.h"

#include "block/ram_device.h"
#include "mount/format.h"
#include "mount/recorded_volume.h"

#include <algorithm>
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
