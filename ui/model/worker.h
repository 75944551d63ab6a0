// SPDX-License-Identifier: MIT
// One thread with a bounded list of tasks. Newest first for what a screen asks for: a person who scrolls on
// no longer needs what was asked for a second ago. In order for commands.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace glassfs::ui {

class Worker {
  public:
    enum class Order { NewestFirst, InOrder };
    struct Task {
        std::function<void()> run;
        std::function<void()> forget;  // when it is dropped; may be empty
    };

    Worker(Order order, std::size_t tasks_max);
    ~Worker();  // drops what waits, and waits for the task that runs
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Returns the task that had to give way when the list is full: the caller calls its `forget`.
    std::optional<Task> push(Task);
    void clear();  // drops what waits without calling `forget`
    bool idle() const;
    // Takes the newest waiting task; for a running task that lets newer ones go first.
    std::optional<Task> steal();

  private:
    void loop();
    std::optional<Task> take_locked();

    const Order order_;
    const std::size_t tasks_max_;
    mutable std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Task> tasks_;
    bool running_ = false;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace glassfs::ui
