// SPDX-License-Identifier: MIT
#include "block/recording_device.h"

#include "base/environment.h"

namespace glassfs::block {
namespace {

Result<void> scatter(Device& device, const RecordingDevice::Entry& entry, SeededEnvironment& dice,
                     std::size_t unit) {
    Bytes data = entry.data;
    for (std::size_t done = 0; done < data.size();) {
        // Pieces end at multiples of the unit on the device, not in the write.
        std::size_t bytes = unit - static_cast<std::size_t>((entry.at + done) % unit);
        bytes = std::min(bytes, data.size() - done);
        if (dice.random() & 1) TRY(device.write(entry.at + done, data.subspan(done, bytes)));
        done += bytes;
    }
    return {};
}

Result<void> apply(Device& device, const RecordingDevice::Entry& entry) {
    using Kind = RecordingDevice::Entry::Kind;
    if (entry.kind == Kind::Write) return device.write(entry.at, entry.data);
    if (entry.kind == Kind::Discard) return device.discard(entry.at, entry.length);
    return {};
}

}  // namespace

RecordingDevice::RecordingDevice(std::shared_ptr<Device> base, std::size_t piece_bytes)
    : base_(base), piece_bytes_(piece_bytes), now_(std::move(base)) {}

Result<void> RecordingDevice::write(u64 at, Bytes data) {
    std::lock_guard lock(mutex_);
    TRY(now_.write(at, data));
    log_.push_back({Entry::Kind::Write, at, data.size(), Buffer(data.begin(), data.end())});
    return {};
}

Result<void> RecordingDevice::flush() {
    std::lock_guard lock(mutex_);
    log_.push_back({Entry::Kind::Flush, 0, 0, {}});
    return {};
}

Result<void> RecordingDevice::discard(u64 at, u64 length) {
    std::lock_guard lock(mutex_);
    TRY(now_.discard(at, length));
    log_.push_back({Entry::Kind::Discard, at, length, {}});
    return {};
}

std::size_t RecordingDevice::entry_count() const {
    std::lock_guard lock(mutex_);
    return log_.size();
}

std::vector<RecordingDevice::Entry> RecordingDevice::entries() const {
    std::lock_guard lock(mutex_);
    return log_;
}

Result<std::shared_ptr<Device>> RecordingDevice::state_at(std::size_t cut, Unflushed unflushed,
                                                          u64 seed) const {
    std::lock_guard lock(mutex_);
    GLASSFS_ASSERT(cut <= log_.size());
    std::size_t durable = cut;  // entries before this one are covered by a flush
    while (durable > 0 && log_[durable - 1].kind != Entry::Kind::Flush) --durable;

    auto state = std::make_shared<OverlayDevice>(base_);
    SeededEnvironment dice(seed);
    for (std::size_t i = 0; i < cut; ++i) {
        if (i < durable || unflushed == Unflushed::Kept) {
            TRY(apply(*state, log_[i]));
        } else if (unflushed == Unflushed::Scattered && log_[i].kind == Entry::Kind::Write) {
            TRY(scatter(*state, log_[i], dice, piece_bytes_));
        }
    }
    return state;
}

}  // namespace glassfs::block
