// SPDX-License-Identifier: MIT
#include "api/js_device.h"

#include "base/errno.h"

#include <emscripten.h>

// The bodies are JavaScript.
// clang-format off

// Each returns 0, or the errno that Module.store_failed() has made of what was thrown.
EM_JS(int, glassfs_device_read, (int device, double at, void* out, double length), {
    try {
        Module["store"].read(device, at, HEAPU8.subarray(out, out + length));
        return 0;
    } catch (error) {
        return Module["store_failed"](error);
    }
});
EM_JS(int, glassfs_device_write, (int device, double at, const void* data, double length), {
    try {
        Module["store"].write(device, at, HEAPU8.subarray(data, data + length));
        return 0;
    } catch (error) {
        return Module["store_failed"](error);
    }
});
EM_JS(int, glassfs_device_flush, (int device), {
    try {
        Module["store"].flush(device);
        return 0;
    } catch (error) {
        return Module["store_failed"](error);
    }
});
EM_JS(int, glassfs_device_discard, (int device, double at, double length), {
    try {
        Module["store"].discard(device, at, length);
        return 0;
    } catch (error) {
        return Module["store_failed"](error);
    }
});

// clang-format on

namespace glassfs::api {

namespace {

Result<void> outcome(int code, Cause cause) {
    if (code == 0) return {};
    return fail(code == static_cast<int>(Errno::NOSPC) ? Cause::NoSpace : cause);
}

double number(u64 value) {
    return static_cast<double>(value);
}

}  // namespace

Result<void> JsDevice::read(u64 at, MutBytes out) {
    TRY(block::check_range(*this, at, out.size()));
    const int device = static_cast<int>(index_);
    return outcome(glassfs_device_read(device, number(at), out.data(), number(out.size())),
                   Cause::DeviceReadFailed);
}

Result<void> JsDevice::write(u64 at, Bytes data) {
    TRY(block::check_range(*this, at, data.size()));
    const int device = static_cast<int>(index_);
    return outcome(glassfs_device_write(device, number(at), data.data(), number(data.size())),
                   Cause::DeviceWriteFailed);
}

Result<void> JsDevice::flush() {
    return outcome(glassfs_device_flush(static_cast<int>(index_)), Cause::DeviceFlushFailed);
}

Result<void> JsDevice::discard(u64 at, u64 length) {
    TRY(block::check_range(*this, at, length));
    return outcome(glassfs_device_discard(static_cast<int>(index_), number(at), number(length)),
                   Cause::DeviceWriteFailed);
}

}  // namespace glassfs::api
