// SPDX-License-Identifier: MIT
#include "block/overlay_device.h"

#include <bit>
#include <mutex>

namespace glassfs::block {

OverlayDevice::OverlayDevice(std::shared_ptr<Device> base, u64 granule)
    : base_(std::move(base)), granules_(granule) {
    GLASSFS_ASSERT(std::has_single_bit(granule));
}

Result<void> OverlayDevice::read(u64 at, MutBytes out) {
    TRY(check_range(*this, at, out.size()));
    std::shared_lock lock(mutex_);
    // Neighbouring granules that were not written become one read of the base.
    u64 pending = 0;  // bytes before the current piece that are still to come from the base
    Result<void> result;
    auto read_pending = [&](u64 until) {
        if (pending == 0 || !result) return;
        MutBytes piece =
            out.subspan(static_cast<std::size_t>(until - pending), static_cast<std::size_t>(pending));
        result = base_->read(at + until - pending, piece);
        pending = 0;
    };
    granules_.for_pieces(at, out.size(), [&](u64 number, u64 inside, u64 done, u64 bytes) {
        const u8* granule = granules_.find(number);
        if (!granule) {
            pending += bytes;
            return;
        }
        read_pending(done);
        std::memcpy(out.data() + done, granule + inside, static_cast<std::size_t>(bytes));
    });
    read_pending(out.size());
    return result;
}

Result<void> OverlayDevice::copy_up(u64 number) {
    if (granules_.find(number)) return {};
    u64 begin = number * granules_.granule();
    u64 length = std::min(granules_.granule(), size() - begin);  // the last one may be cut off
    Buffer before(static_cast<std::size_t>(length));
    TRY(base_->read(begin, before));
    std::memcpy(granules_.insert(number), before.data(), before.size());
    return {};
}

Result<void> OverlayDevice::write(u64 at, Bytes data) {
    TRY(check_range(*this, at, data.size()));
    std::unique_lock lock(mutex_);
    Result<void> result;
    // First all copying from the base, which can fail, so that a write is done whole or not at all.
    granules_.for_pieces(at, data.size(), [&](u64 number, u64, u64, u64 bytes) {
        if (result && bytes != granules_.granule()) result = copy_up(number);
    });
    if (!result) return result;
    granules_.for_pieces(at, data.size(), [&](u64 number, u64 inside, u64 done, u64 bytes) {
        u8* granule = granules_.find(number);
        if (!granule) granule = granules_.insert(number);
        std::memcpy(granule + inside, data.data() + done, static_cast<std::size_t>(bytes));
    });
    return {};
}

Result<void> OverlayDevice::discard(u64 at, u64 length) {
    TRY(check_range(*this, at, length));
    if (length == 0) return {};
    std::unique_lock lock(mutex_);
    u64 granule = granules_.granule();
    u64 first = at / granule;
    u64 last = (at + length - 1) / granule;
    granules_.for_existing(first, last + 1, [&](u64 number) {
        u64 begin = number == first ? at % granule : 0;
        u64 end = number == last ? (at + length - 1) % granule + 1 : granule;
        std::memset(granules_.find(number) + begin, 0, static_cast<std::size_t>(end - begin));
    });
    return {};
}

u64 OverlayDevice::allocated() const {
    std::shared_lock lock(mutex_);
    return granules_.allocated();
}

}  // namespace glassfs::block
