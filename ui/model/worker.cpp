// SPDX-License-Identifier: MIT
#include "ui/model/worker.h"

namespace glassfs::ui {

Worker::Worker(Order order, std::size_t tasks_max) : order_(order), tasks_max_(tasks_max) {
    thread_ = std::thread([this] { loop(); });
}

Worker::~Worker() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
        tasks_.clear();
    }
    ready_.notify_all();
    thread_.join();
}

std::optional<Worker::Task> Worker::push(Task task) {
    std::optional<Task> dropped;
    {
        std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
        if (tasks_.size() > tasks_max_) {
            dropped = std::move(tasks_.front());
            tasks_.pop_front();
        }
    }
    ready_.notify_one();
    return dropped;
}

void Worker::clear() {
    std::deque<Task> gone;  // destroyed outside of the lock
    std::lock_guard lock(mutex_);
    gone.swap(tasks_);
}

bool Worker::idle() const {
    std::lock_guard lock(mutex_);
    return tasks_.empty() && !running_;
}

std::optional<Worker::Task> Worker::steal() {
    std::lock_guard lock(mutex_);
    if (stop_) return std::nullopt;
    return take_locked();
}

std::optional<Worker::Task> Worker::take_locked() {
    if (tasks_.empty()) return std::nullopt;
    bool newest = order_ == Order::NewestFirst;
    Task task = std::move(newest ? tasks_.back() : tasks_.front());
    if (newest)
        tasks_.pop_back();
    else
        tasks_.pop_front();
    return task;
}

void Worker::loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ready_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
        if (stop_) return;
        Task task = *take_locked();
        running_ = true;
        lock.unlock();
        task.run();
        task = {};  // what it holds goes before the lock is taken again
        lock.lock();
        running_ = false;
    }
}

}  // namespace glassfs::ui
