// SPDX-License-Identifier: MIT
// Answers by key, a bounded number of them: the one not looked at for longest makes room. Not thread-safe.
#pragma once

#include "ui/model/session.h"

#include <map>

namespace glassfs::ui {

template <class Key, class T>
class AnswerCache {
  public:
    using Value = T;
    struct Slot {
        std::shared_ptr<const Result<T>> result;  // null: not yet known
        u64 moment = 0;                           // that it was true of
        bool queued = false;
        u64 used = 0;
    };

    explicit AnswerCache(std::size_t slots_max) : slots_max_(slots_max) {}

    Slot& slot(const Key& key) {
        Slot& found = slots_[key];
        found.used = ++clock_;
        if (slots_.size() > slots_max_) evict();
        return found;
    }
    Slot* find(const Key& key) {
        auto it = slots_.find(key);
        return it == slots_.end() ? nullptr : &it->second;
    }
    void clear() { slots_.clear(); }
    // Requests that were dropped won't come: whoever still wants to know asks again.
    void forget_queued() {
        for (auto& entry : slots_) entry.second.queued = false;
    }
    std::size_t size() const { return slots_.size(); }

  private:
    void evict() {
        auto oldest = slots_.end();
        for (auto it = slots_.begin(); it != slots_.end(); ++it) {
            if (it->second.queued || it->second.used == clock_) continue;
            if (oldest == slots_.end() || it->second.used < oldest->second.used) oldest = it;
        }
        if (oldest != slots_.end()) slots_.erase(oldest);
    }

    std::map<Key, Slot> slots_;
    const std::size_t slots_max_;
    u64 clock_ = 0;
};

}  // namespace glassfs::ui
