// SPDX-License-Identifier: MIT
// A bounded cache of immutable values by number (a block's address): least recently used goes first. Readers
// keep what they hold through a shared_ptr, so eviction never invalidates. Sharded, so that readers run in
// parallel.
#pragma once

#include "base/bytes.h"

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace glassfs::block {

template <class T>
class BufferCache {
  public:
    using Pointer = std::shared_ptr<const T>;
    // `limit`: bytes, the sum of the costs given to put(); a value dearer than a shard's part is not kept.
    explicit BufferCache(u64 limit) : limit_per_shard_(limit / shard_count) {}

    Pointer get(u64 number) {
        Shard& shard = shard_of(number);
        std::lock_guard lock(shard.mutex);
        auto found = shard.by_number.find(number);
        if (found == shard.by_number.end()) return nullptr;
        shard.recent.splice(shard.recent.begin(), shard.recent, found->second);
        return found->second->value;
    }

    // Keeps `value`, which accounts for `cost` bytes; replaces an earlier value of this number.
    void put(u64 number, Pointer value, u64 cost) {
        Shard& shard = shard_of(number);
        std::lock_guard lock(shard.mutex);
        drop_locked(shard, number);
        if (cost > limit_per_shard_) return;
        shard.recent.push_front(Entry{number, std::move(value), cost});
        shard.by_number[number] = shard.recent.begin();
        shard.used += cost;
        while (shard.used > limit_per_shard_) drop_locked(shard, shard.recent.back().number);
    }

    void drop(u64 number) {
        Shard& shard = shard_of(number);
        std::lock_guard lock(shard.mutex);
        drop_locked(shard, number);
    }

    u64 used() {  // bytes
        u64 sum = 0;
        for (Shard& shard : shards_) {
            std::lock_guard lock(shard.mutex);
            sum += shard.used;
        }
        return sum;
    }

  private:
    static constexpr std::size_t shard_count = 16;
    struct Entry {
        u64 number;
        Pointer value;
        u64 cost;
    };
    struct Shard {
        std::mutex mutex;
        std::list<Entry> recent;  // most recently used first
        std::unordered_map<u64, typename std::list<Entry>::iterator> by_number;
        u64 used = 0;
    };

    // Addresses are multiples of a block size: mix, so that neighbours land in different shards.
    Shard& shard_of(u64 number) { return shards_[(number * 0x9e3779b97f4a7c15ULL) >> 60]; }

    static void drop_locked(Shard& shard, u64 number) {
        auto found = shard.by_number.find(number);
        if (found == shard.by_number.end()) return;
        shard.used -= found->second->cost;
        shard.recent.erase(found->second);
        shard.by_number.erase(found);
    }

    u64 limit_per_shard_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace glassfs::block
