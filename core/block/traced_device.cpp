// SPDX-License-Identifier: MIT
#include "block/traced_device.h"

namespace glassfs::block {

using trace::BlockDiscard, trace::BlockFlush, trace::BlockRead, trace::BlockWrite;

Result<void> TracedDevice::read(u64 at, MutBytes out) {
    TRY(base_->read(at, out));
    trace_([&] { return BlockRead{id_, PhysicalAddr{at}, out.size()}; });
    return {};
}

template <class E, class F>
Result<void> TracedDevice::changed(const E& event, F&& change) {
    if (!trace_.wants_images()) {
        TRY(change());
        trace_([&] { return event; });
        return {};
    }
    std::lock_guard lock(change_mutex_);
    Buffer before(static_cast<std::size_t>(event.length));
    TRY(base_->read(event.physical.value, before));
    auto result = change();
    // A write that failed may have changed a part: the image is kept, so that going back stays exact.
    trace_.change(id_, event.physical, std::move(before), [&] { return event; });
    return result;
}

Result<void> TracedDevice::write(u64 at, Bytes data) {
    TRY(check_range(*this, at, data.size()));
    return changed(BlockWrite{id_, PhysicalAddr{at}, data.size()}, [&] { return base_->write(at, data); });
}

Result<void> TracedDevice::flush() {
    TRY(base_->flush());
    trace_([&] { return BlockFlush{id_}; });
    return {};
}

Result<void> TracedDevice::discard(u64 at, u64 length) {
    TRY(check_range(*this, at, length));
    BlockDiscard event{id_, PhysicalAddr{at}, length};
    // The image of a whole device would take its size in memory. A discard is a hint: a large one is not
    // passed on.
    constexpr u64 image_max = 16 << 20;
    if (trace_.wants_images() && length > image_max) return {};
    return changed(event, [&] { return base_->discard(at, length); });
}

}  // namespace glassfs::block
