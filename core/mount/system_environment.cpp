// SPDX-License-Identifier: MIT
#include "mount/system_environment.h"

#include <chrono>

namespace glassfs::mount {

TimeSpec SystemEnvironment::now() {
    using namespace std::chrono;
    auto since = system_clock::now().time_since_epoch();
    auto whole = floor<seconds>(since);
    return {whole.count(), static_cast<u32>(duration_cast<nanoseconds>(since - whole).count())};
}

u64 SystemEnvironment::random() {
    std::scoped_lock lock(mutex_);
    u64 high = device_() & 0xffff'ffffU;
    return high << 32 | (device_() & 0xffff'ffffU);
}

}  // namespace glassfs::mount
