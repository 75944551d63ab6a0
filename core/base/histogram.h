// SPDX-License-Identifier: MIT
// How often something took how long: a count for each power of two of nanoseconds.
#pragma once

#include "base/bytes.h"

#include <array>
#include <bit>

namespace glassfs {

class Histogram {
  public:
    static constexpr std::size_t bucket_count = 48;

    void add(u64 ns) {
        std::size_t bucket = static_cast<std::size_t>(std::bit_width(ns));
        ++buckets_[bucket < bucket_count ? bucket : bucket_count - 1];
        ++count_;
        total_ns_ += ns;
    }
    // What was added since `before`, an earlier state of this one.
    Histogram since(const Histogram& before) const {
        Histogram out = *this;
        for (std::size_t i = 0; i < bucket_count; ++i) out.buckets_[i] -= before.buckets_[i];
        out.count_ -= before.count_;
        out.total_ns_ -= before.total_ns_;
        return out;
    }
    u64 count() const { return count_; }
    u64 total_ns() const { return total_ns_; }
    u64 mean_ns() const { return count_ == 0 ? 0 : total_ns_ / count_; }
    // Bucket i counts what took less than 2^i ns, and not less than half of that.
    const std::array<u64, bucket_count>& buckets() const { return buckets_; }
    // What `percent` of all stayed below: the upper end of the bucket in which that one is, in ns.
    u64 percentile_ns(u64 percent) const {
        u64 wanted = (count_ * percent + 99) / 100;
        u64 seen = 0;
        for (std::size_t i = 0; i < bucket_count; ++i) {
            seen += buckets_[i];
            if (seen >= wanted && seen > 0) return u64{1} << i;
        }
        return 0;
    }

  private:
    std::array<u64, bucket_count> buckets_{};
    u64 count_ = 0;
    u64 total_ns_ = 0;
};

}  // namespace glassfs
