// SPDX-License-Identifier: MIT
// Everything that would make two runs of the same commands differ comes from here: clock, random bytes,
// UUIDs, hash seeds. With a seed it is reproducible, so recordings, crash tests and shared links give the
// same bytes.
#pragma once

#include "base/bytes.h"
#include "base/text.h"

namespace glassfs {

struct TimeSpec {
    s64 seconds = 0;  // since 1970-01-01 UTC
    u32 nanos = 0;
    friend auto operator<=>(const TimeSpec&, const TimeSpec&) = default;
};

class Environment {
  public:
    virtual ~Environment() = default;
    virtual TimeSpec now() = 0;
    virtual u64 random() = 0;  // uniform over all 64-bit values
    Uuid uuid();               // version 4 from random()
};

// Starts at a fixed time that advances by a microsecond at each look; random numbers from `seed`
// (SplitMix64).
class SeededEnvironment final : public Environment {
  public:
    explicit SeededEnvironment(u64 seed, TimeSpec start = {1'700'000'000, 0}) : state_(seed), time_(start) {}
    TimeSpec now() override;
    u64 random() override;

  private:
    u64 state_;
    TimeSpec time_;
};

}  // namespace glassfs
