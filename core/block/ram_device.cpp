// SPDX-License-Identifier: MIT
#include "block/ram_device.h"

#include <bit>
#include <mutex>

namespace glassfs::block {

RamDevice::RamDevice(u64 size, std::string name, u64 granule)
    : size_(size), name_(std::move(name)), granules_(granule) {
    GLASSFS_ASSERT(std::has_single_bit(granule));
}

Result<void> RamDevice::read(u64 at, MutBytes out) {
    TRY(check_range(*this, at, out.size()));
    std::shared_lock lock(mutex_);
    granules_.for_pieces(at, out.size(), [&](u64 number, u64 inside, u64 done, u64 bytes) {
        const u8* granule = granules_.find(number);
        if (granule)
            std::memcpy(out.data() + done, granule + inside, static_cast<std::size_t>(bytes));
        else
            std::memset(out.data() + done, 0, static_cast<std::size_t>(bytes));
    });
    return {};
}

Result<void> RamDevice::write(u64 at, Bytes data) {
    TRY(check_range(*this, at, data.size()));
    std::unique_lock lock(mutex_);
    granules_.for_pieces(at, data.size(), [&](u64 number, u64 inside, u64 done, u64 bytes) {
        u8* granule = granules_.find(number);
        if (!granule) granule = granules_.insert(number);
        std::memcpy(granule + inside, data.data() + done, static_cast<std::size_t>(bytes));
    });
    return {};
}

Result<void> RamDevice::discard(u64 at, u64 length) {
    TRY(check_range(*this, at, length));
    if (length == 0) return {};
    std::unique_lock lock(mutex_);
    u64 granule = granules_.granule();
    u64 first = at / granule;
    u64 last = (at + length - 1) / granule;
    granules_.for_existing(first, last + 1, [&](u64 number) {
        u64 begin = number == first ? at % granule : 0;
        u64 end = number == last ? (at + length - 1) % granule + 1 : granule;
        if (begin == 0 && end == granule)
            granules_.erase(number);
        else
            std::memset(granules_.find(number) + begin, 0, static_cast<std::size_t>(end - begin));
    });
    return {};
}

u64 RamDevice::allocated() const {
    std::shared_lock lock(mutex_);
    return granules_.allocated();
}

}  // namespace glassfs::block
