// SPDX-License-Identifier: MIT
#include "block/faulty_device.h"

#include <algorithm>

namespace glassfs::block {

void FaultyDevice::add(const Fault& fault) {
    std::lock_guard lock(mutex_);
    faults_.push_back(fault);
}

void FaultyDevice::clear() {
    std::lock_guard lock(mutex_);
    faults_.clear();
}

u64 FaultyDevice::calls(Access access) const {
    std::lock_guard lock(mutex_);
    return calls_.at(static_cast<std::size_t>(access));
}

u64 FaultyDevice::faults_hit() const {
    std::lock_guard lock(mutex_);
    return hit_;
}

std::optional<Fault> FaultyDevice::next(Access access, u64 at, u64 length) {
    std::lock_guard lock(mutex_);
    ++calls_.at(static_cast<std::size_t>(access));
    for (Fault& fault : faults_) {
        if (fault.access != access || fault.count == 0) continue;
        bool touches = access == Access::Flush || fault.length == 0 ||
                       (at < fault.begin ? fault.begin - at < length : at - fault.begin < fault.length);
        if (!touches) continue;
        if (fault.skip > 0) {
            --fault.skip;
            continue;
        }
        if (fault.count != Fault::forever) --fault.count;
        ++hit_;
        return fault;
    }
    return std::nullopt;
}

Result<void> FaultyDevice::read(u64 at, MutBytes out) {
    TRY(check_range(*this, at, out.size()));
    auto fault = next(Access::Read, at, out.size());
    if (!fault) return base_->read(at, out);
    if (fault->kind == Fault::Kind::Fail) return fail(Cause::InjectedFault, name());
    if (fault->kind == Fault::Kind::Tear) {
        TRY(base_->read(at, out.first(static_cast<std::size_t>(std::min<u64>(fault->bytes, out.size())))));
        return fail(Cause::InjectedFault, name());
    }
    TRY(base_->read(at, out));
    if (fault->bytes < out.size()) out[static_cast<std::size_t>(fault->bytes)] ^= 1;
    return {};
}

Result<void> FaultyDevice::write(u64 at, Bytes data) {
    TRY(check_range(*this, at, data.size()));
    auto fault = next(Access::Write, at, data.size());
    if (!fault) return base_->write(at, data);
    if (fault->kind == Fault::Kind::Fail) return fail(Cause::InjectedFault, name());
    if (fault->kind == Fault::Kind::Tear) {
        TRY(base_->write(at, data.first(static_cast<std::size_t>(std::min<u64>(fault->bytes, data.size())))));
        return fail(Cause::InjectedFault, name());
    }
    Buffer flipped(data.begin(), data.end());
    if (fault->bytes < flipped.size()) flipped[static_cast<std::size_t>(fault->bytes)] ^= 1;
    return base_->write(at, flipped);
}

Result<void> FaultyDevice::flush() {
    auto fault = next(Access::Flush, 0, 0);
    if (fault && fault->kind != Fault::Kind::Flip) return fail(Cause::InjectedFault, name());
    return base_->flush();
}

Result<void> FaultyDevice::discard(u64 at, u64 length) {
    TRY(check_range(*this, at, length));
    auto fault = next(Access::Discard, at, length);
    if (fault && fault->kind != Fault::Kind::Flip) return fail(Cause::InjectedFault, name());
    return base_->discard(at, length);
}

}  // namespace glassfs::block
