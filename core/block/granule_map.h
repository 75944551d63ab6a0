// SPDX-License-Identifier: MIT
// Bytes of a huge, mostly untouched range: cut into granules, of which only those ever written exist.
// Not thread-safe: the devices that use it lock.
#pragma once

#include "base/bytes.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace glassfs::block {

class GranuleMap {
  public:
    // `granule`: bytes, a power of two.
    explicit GranuleMap(u64 granule) : granule_(granule) {}

    u64 granule() const { return granule_; }
    u64 allocated() const { return bytes_of_.size() * granule_; }  // bytes held

    // Null when the granule was never written.
    const u8* find(u64 number) const {
        auto found = bytes_of_.find(number);
        return found == bytes_of_.end() ? nullptr : found->second.get();
    }
    u8* find(u64 number) { return const_cast<u8*>(std::as_const(*this).find(number)); }

    // A new granule of zeros; it must not exist yet.
    u8* insert(u64 number) {
        auto bytes = std::make_unique<u8[]>(static_cast<std::size_t>(granule_));
        u8* raw = bytes.get();
        bytes_of_.emplace(number, std::move(bytes));
        return raw;
    }
    void erase(u64 number) { bytes_of_.erase(number); }

    // Calls visit(number) for the granules that exist in [first, last): looks at whichever is fewer, the
    // numbers in between or the granules that exist. The visitor may erase the granule that it is called for.
    template <class F>
    void for_existing(u64 first, u64 last, F&& visit) {
        if (last - first <= bytes_of_.size()) {
            for (u64 number = first; number < last; ++number) {
                if (bytes_of_.contains(number)) visit(number);
            }
            return;
        }
        for (auto at = bytes_of_.begin(); at != bytes_of_.end();) {
            u64 number = at->first;
            ++at;  // before the visit: erasing leaves other iterators valid
            if (number >= first && number < last) visit(number);
        }
    }

    // Cuts [at, at + length) at granule borders: step(number, offset in the granule, offset in the range,
    // bytes).
    template <class F>
    void for_pieces(u64 at, u64 length, F&& step) const {
        for (u64 done = 0; done < length;) {
            u64 inside = (at + done) & (granule_ - 1);
            u64 bytes = std::min(granule_ - inside, length - done);
            step((at + done) / granule_, inside, done, bytes);
            done += bytes;
        }
    }

  private:
    u64 granule_;
    std::unordered_map<u64, std::unique_ptr<u8[]>> bytes_of_;
};

}  // namespace glassfs::block
