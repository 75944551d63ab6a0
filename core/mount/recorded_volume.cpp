// SPDX-License-Identifier: MIT
#include "mount/recorded_volume.h"

#include "block/ram_device.h"
#include "btrfs/superblock.h"

#include <array>

namespace glassfs::mount {

namespace {

constexpr u64 memory_bytes = 1ULL << 63;  // of logical addresses

template <class E>
const E* event_of(const trace::Step& step) {
    return step.event() ? std::get_if<E>(step.event()) : nullptr;
}

}  // namespace

Past::Past(trace::Recording recording, std::unique_ptr<block::DeviceStore> store, std::vector<u64> devices,
           Options options)
    : recording_(std::move(recording)),
      store_(std::move(store)),
      devices_(std::move(devices)),
      options_(std::move(options)),
      playback_(recording_, *store_) {}

// Each tree's root is where the last event before the position put it.
Options Past::options_at(u64 position) const {
    Options options = options_;
    options.moment.memory = store_->device(trace::memory_device);
    std::map<u64, trace::TreeRootMoved> roots;
    for (const trace::Step& step : recording_.steps) {
        if (step.number >= position) break;
        if (const auto* moved = event_of<trace::TreeRootMoved>(step)) roots[moved->tree] = *moved;
    }
    for (const auto& entry : roots) options.moment.roots.push_back(entry.second);
    return options;
}

Result<Volume*> Past::at(u64 position) {
    shown_.reset();
    TRY(playback_.go_to(position));
    RecordedVolume::Devices devices;
    for (u64 id : devices_) devices.push_back(store_->device(id));
    shown_ = TRY(open(std::move(devices), options_at(position)));
    return shown_.get();
}

// Blocks whose first change is forgotten show themselves later: they become clean, or are in memory at the
// end.
std::map<u64, u64> Past::changed_blocks() const {
    std::map<u64, u64> blocks;
    for (u64 addr : in_memory_at_last_) blocks[addr] = 0;
    for (const trace::Step& step : recording_.steps) {
        const auto* clean = event_of<trace::TreeBlockClean>(step);
        if (clean) blocks.try_emplace(clean->block.value, 0);
        const auto* changed = event_of<trace::TreeBlockChanged>(step);
        if (changed && step.number < position()) blocks[changed->block.value] = step.number;
    }
    auto memory = store_->device(trace::memory_device);
    std::erase_if(blocks, [&](const auto& entry) {
        std::array<u8, sizeof(btrfs::disk::btrfs_header)> bytes{};
        auto read = memory->read(entry.first, bytes);
        return !read || view<btrfs::disk::btrfs_header>(Bytes(bytes)).bytenr != entry.first;
    });
    return blocks;
}

Result<std::unique_ptr<RecordedVolume>> RecordedVolume::open(Devices devices, Options options,
                                                             u64 memory_limit) {
    std::unique_ptr<RecordedVolume> out(new RecordedVolume());
    out->devices_ = devices;
    out->recorder_ = std::make_unique<trace::Recorder>(trace::Recorder::Keep::Everything, memory_limit);
    options.access = Access::ReadWrite;
    options.tracer = out->recorder_->tracer();
    out->options_ = options;
    out->owned_ = TRY(mount::open(std::move(devices), options));
    out->volume_ = out->owned_.get();
    return out;
}

Result<std::unique_ptr<RecordedVolume>> RecordedVolume::play(GlassFile file) {
    std::unique_ptr<RecordedVolume> out(new RecordedVolume());
    out->played_ = std::move(file);
    out->shown_ = out->past();
    out->volume_ = TRY(out->shown_->at(out->shown_->last()));
    return out;
}

trace::Recording RecordedVolume::recording() const {
    return recorder_ ? recorder_->recording() : played_.recording;
}

GlassFile RecordedVolume::file() {
    if (played()) return played_;
    GlassFile out;
    for (const auto& [addr, bytes] : volume_->blocks_in_memory()) out.memory.emplace_back(addr, bytes);
    // The recording has devices under the numbers that the volume gives them.
    for (const auto& device : devices_) {
        auto super = btrfs::read_superblock(*device);
        if (super) out.devices.push_back({super->super.dev_item.devid, device});
    }
    out.recording = recorder_->recording();
    return out;
}

std::unique_ptr<Past> RecordedVolume::past() {
    return make_past(file());
}

std::unique_ptr<Past> RecordedVolume::make_past(GlassFile file) {
    auto store = std::make_unique<block::DeviceStore>();
    auto memory = std::make_shared<block::RamDevice>(memory_bytes, "memory", 4096);
    std::vector<u64> in_memory, ids;
    for (const auto& [addr, bytes] : file.memory) {
        (void)memory->write(addr, bytes);
        in_memory.push_back(addr);
    }
    store->add(trace::memory_device, memory);
    for (const GlassFile::Held& held : file.devices) {
        ids.push_back(held.number);
        store->add(held.number, held.device);
    }
    Options options = options_;
    options.access = Access::ReadOnly;
    options.tracer = {};
    std::unique_ptr<Past> past(
        new Past(std::move(file.recording), std::move(store), std::move(ids), std::move(options)));
    past->in_memory_at_last_ = std::move(in_memory);
    return past;
}

}  // namespace glassfs::mount
