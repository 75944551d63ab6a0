// SPDX-License-Identifier: MIT
// Independent pieces of work on a few threads.
#pragma once

#include "base/bytes.h"

#include <functional>

namespace glassfs::commands {

// Calls work(i) once for each i < count, on the caller's thread and on up to jobs - 1 others, in roughly
// ascending order; returns when all are done. `tick` (may be empty) is called now and then on the caller's
// thread; when it returns false no further pieces are begun. Returns whether all were done.
bool parallel_for(u32 jobs, std::size_t count, const std::function<void(std::size_t)>& work,
                  const std::function<bool()>& tick);

}  // namespace glassfs::commands
