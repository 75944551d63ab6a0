// SPDX-License-Identifier: MIT
#include "base/environment.h"

namespace glassfs {

Uuid Environment::uuid() {
    Uuid out;
    for (std::size_t half = 0; half < 2; ++half) {
        u64 bits = random();
        for (std::size_t i = 0; i < 8; ++i) out[half * 8 + i] = static_cast<u8>(bits >> (8 * i));
    }
    out[6] = static_cast<u8>((out[6] & 0x0f) | 0x40);  // RFC 9562: version 4
    out[8] = static_cast<u8>((out[8] & 0x3f) | 0x80);  // and variant
    return out;
}

TimeSpec SeededEnvironment::now() {
    time_.nanos += 1000;
    if (time_.nanos >= 1'000'000'000) {
        time_.nanos -= 1'000'000'000;
        ++time_.seconds;
    }
    return time_;
}

u64 SeededEnvironment::random() {
    u64 z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

}  // namespace glassfs
