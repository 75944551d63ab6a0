// SPDX-License-Identifier: MIT
#include "block/slice_device.h"

namespace glassfs::block {

Result<std::shared_ptr<SliceDevice>> SliceDevice::make(std::shared_ptr<Device> base, u64 begin, u64 length,
                                                       const std::string& suffix) {
    TRY(check_range(*base, begin, length));
    std::string name = base->name() + suffix;
    return std::shared_ptr<SliceDevice>(new SliceDevice(std::move(base), begin, length, std::move(name)));
}

Result<void> SliceDevice::read(u64 at, MutBytes out) {
    TRY(check_range(*this, at, out.size()));
    return base_->read(begin_ + at, out);
}

Result<void> SliceDevice::write(u64 at, Bytes data) {
    TRY(check_range(*this, at, data.size()));
    return base_->write(begin_ + at, data);
}

Result<void> SliceDevice::discard(u64 at, u64 length) {
    TRY(check_range(*this, at, length));
    return base_->discard(begin_ + at, length);
}

}  // namespace glassfs::block
