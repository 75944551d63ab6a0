// SPDX-License-Identifier: MIT
// The host's clock and randomness.
#pragma once

#include "base/environment.h"

#include <mutex>
#include <random>

namespace glassfs::mount {

// Thread-safe.
class SystemEnvironment final : public Environment {
  public:
    TimeSpec now() override;
    u64 random() override;

  private:
    std::mutex mutex_;
    std::random_device device_;
};

}  // namespace glassfs::mount
