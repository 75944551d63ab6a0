// SPDX-License-Identifier: MIT
#include "block/device_store.h"

namespace glassfs::block {

void DeviceStore::add(u64 id, std::shared_ptr<Device> device) {
    devices_[id] = std::make_shared<OverlayDevice>(std::move(device));
}

std::shared_ptr<Device> DeviceStore::device(u64 id) const {
    auto found = devices_.find(id);
    return found == devices_.end() ? nullptr : found->second;
}

Result<void> DeviceStore::read(u64 id, PhysicalAddr at, MutBytes out) {
    auto found = device(id);
    return found ? found->read(at.value, out) : fail(Cause::DeviceMissing, Where{.device = id});
}

Result<void> DeviceStore::write(u64 id, PhysicalAddr at, Bytes data) {
    auto found = device(id);
    return found ? found->write(at.value, data) : fail(Cause::DeviceMissing, Where{.device = id});
}

}  // namespace glassfs::block
