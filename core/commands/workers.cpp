// SPDX-License-Identifier: MIT
// Threads take the next index from one counter. They end with the call: nothing outlives it.
#include "commands/workers.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace glassfs::commands {

bool parallel_for(u32 jobs, std::size_t count, const std::function<void(std::size_t)>& work,
                  const std::function<bool()>& tick) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> cancelled = false;
    auto take_and_work = [&](bool ticking) {
        while (!cancelled) {
            std::size_t index = next++;
            if (index >= count) return;
            work(index);
            if (ticking && tick && !tick()) cancelled = true;
        }
    };
    std::vector<std::thread> threads;
    std::size_t helpers = std::min<std::size_t>(jobs > 0 ? jobs - 1 : 0, count > 0 ? count - 1 : 0);
    for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back([&] { take_and_work(false); });
    take_and_work(true);
    for (std::thread& thread : threads) thread.join();
    return !cancelled;
}

}  // namespace glassfs::commands
