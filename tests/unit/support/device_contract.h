// SPDX-License-Identifier: MIT
// What every writable block device must do, whatever keeps its bytes: the same cases run over the native
// devices (block/contract_test.cpp) and, in a browser, over its stores (tests/browser). A case returns what
// is wrong, or nothing.
#pragma once

#include "base/environment.h"
#include "block/device.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace glassfs::test {

using Complaint = std::string;  // empty: all is well

inline Buffer contract_pattern(std::size_t length, u64 seed) {
    Buffer bytes(length);
    u64 state = seed * 0x9e3779b97f4a7c15 + 1;
    for (u8& byte : bytes) {
        state = state * 6364136223846793005 + 1442695040888963407;
        byte = static_cast<u8>(state >> 56);
    }
    return bytes;
}

inline Complaint reads_as(block::Device& device, u64 at, Bytes wanted, const std::string& what) {
    Buffer got(wanted.size(), 0xee);
    if (auto read = device.read(at, got); !read) return what + ": " + read.error().message();
    const auto differ = std::mismatch(got.begin(), got.end(), wanted.begin()).first;
    if (differ == got.end()) return {};
    return what + ": byte " + std::to_string(at + static_cast<u64>(differ - got.begin())) + " differs";
}

inline Complaint writes(block::Device& device, u64 at, Bytes data) {
    auto written = device.write(at, data);
    return written ? Complaint() : "write at " + std::to_string(at) + ": " + written.error().message();
}

#define GLASSFS_CONTRACT(...)                                                        \
    do {                                                                             \
        if (Complaint complaint = __VA_ARGS__; !complaint.empty()) return complaint; \
    } while (false)

// The cases. Each gets a device of contract_bytes() that nobody has written to.
constexpr u64 contract_bytes() {
    return (24 << 20) + 4096;
}

inline Complaint never_written_is_zeros(block::Device& device) {
    const u64 size = device.size();
    if (size != contract_bytes()) return "its size is " + std::to_string(size);
    for (u64 at : {u64{0}, u64{65535}, size / 2 + 1, size - 70000}) {
        GLASSFS_CONTRACT(reads_as(device, at, Buffer(70000), "at first"));
    }
    GLASSFS_CONTRACT(writes(device, size / 2, contract_pattern(100, 1)));
    GLASSFS_CONTRACT(reads_as(device, size / 2 - 70000, Buffer(70000), "before what was written"));
    GLASSFS_CONTRACT(reads_as(device, size / 2 + 100, Buffer(70000), "behind what was written"));
    return reads_as(device, size - 1, Buffer(1), "the last byte");
}

inline Complaint any_size_and_place(block::Device& device) {
    const u64 size = device.size();
    const std::size_t lengths[] = {1, 511, 4096, 16384, 65536, 65537, 200000, 5 << 20};
    u64 seed = 0;
    for (std::size_t length : lengths) {
        for (u64 at : {u64{0}, u64{1}, u64{65536 - 7}, u64{131072}, size - length}) {
            const Buffer data = contract_pattern(length, ++seed);
            GLASSFS_CONTRACT(writes(device, at, data));
            GLASSFS_CONTRACT(reads_as(device, at, data, "before the flush"));
            if (auto flushed = device.flush(); !flushed) return "flush: " + flushed.error().message();
            GLASSFS_CONTRACT(reads_as(device, at, data, "after the flush"));
        }
    }
    return {};
}

inline Complaint beyond_the_end(block::Device& device) {
    const u64 size = device.size();
    const Buffer mark = contract_pattern(64, 9);
    GLASSFS_CONTRACT(writes(device, size - 64, mark));
    Buffer two(2);
    for (u64 at : {size - 1, size, size + 1, ~u64{0}, ~u64{0} - 1}) {
        auto read = device.read(at, two);
        auto written = device.write(at, two);
        auto discarded = device.discard(at, 2);
        for (const auto* result : {&read, &written, &discarded}) {
            if (*result) return "a range at " + std::to_string(at) + " is taken";
            if (result->error().cause != Cause::BeyondDeviceEnd) return result->error().message();
        }
    }
    if (!device.read(size, MutBytes{})) return "nothing, read at the end, is refused";
    if (!device.write(size, Bytes{})) return "nothing, written at the end, is refused";
    return reads_as(device, size - 64, mark, "after what was refused");
}

inline Complaint discard_keeps_neighbours(block::Device& device) {
    const Buffer data = contract_pattern(1 << 20, 4);
    GLASSFS_CONTRACT(writes(device, 1000, data));
    if (!device.flush()) return "flush";
    constexpr std::size_t from = 100'000, length = 700'001;
    if (!device.discard(1000 + from, length) || !device.discard(5000, 0)) return "discard";
    for (const char* when : {"before the flush", "after the flush"}) {
        GLASSFS_CONTRACT(reads_as(device, 1000, Bytes(data).first(from), when));
        GLASSFS_CONTRACT(reads_as(device, 1000 + from + length, Bytes(data).subspan(from + length), when));
        Buffer inside(length);
        if (!device.read(1000 + from, inside)) return "read of what was discarded";
        for (std::size_t i = 0; i < length; ++i) {
            if (inside[i] != 0 && inside[i] != data[from + i]) return "discarded bytes are something else";
        }
        if (!device.flush()) return "flush after the discard";
    }
    // Written again in part: the rest of the range may not come back as something else.
    GLASSFS_CONTRACT(writes(device, 300'000, Bytes(data).first(10)));
    return reads_as(device, 300'000, Bytes(data).first(10), "written after the discard");
}

// Thousands of overlapping operations; what a discard leaves behind is taken over into the model.
inline Complaint agrees_with_a_model(block::Device& device) {
    const u64 size = device.size();
    Buffer model(static_cast<std::size_t>(size));
    SeededEnvironment random(7);
    for (u64 step = 0; step < 1500; ++step) {
        const u64 length = random.random() % (random.random() % 8 ? 20'000 : 2'000'000) + 1;
        const u64 at = random.random() % (size - length);
        const auto begin = static_cast<std::size_t>(at);
        const auto part = MutBytes(model).subspan(begin, static_cast<std::size_t>(length));
        const u64 kind = random.random() % 20;
        if (kind < 9) {
            const Buffer data = contract_pattern(part.size(), step);
            std::ranges::copy(data, part.begin());
            GLASSFS_CONTRACT(writes(device, at, data));
        } else if (kind < 17) {
            GLASSFS_CONTRACT(reads_as(device, at, part, "step " + std::to_string(step)));
        } else if (kind < 19) {
            if (auto flushed = device.flush(); !flushed) return "flush: " + flushed.error().message();
        } else {
            if (!device.discard(at, length)) return "discard";
            Buffer left(part.size());
            if (!device.read(at, left)) return "read of what was discarded";
            for (std::size_t i = 0; i < left.size(); ++i) {
                if (left[i] != 0 && left[i] != part[i]) return "discarded bytes are something else";
            }
            if (!device.write(at, left)) return "write of what was discarded";
            std::ranges::copy(left, part.begin());
        }
    }
    if (!device.flush()) return "the last flush";
    return reads_as(device, 0, model, "at the end");
}

inline Complaint threads_keep_apart(block::Device& device) {
    constexpr u64 count = 3, stripe = 30'000, rounds = 60;
    std::vector<Complaint> wrong(count);
    std::vector<std::thread> threads;
    for (u64 t = 0; t < count; ++t) {
        threads.emplace_back([&device, &own = wrong[t], t] {
            for (u64 i = 0; i < rounds && own.empty(); ++i) {
                const u64 at = (i * count + t) * stripe;
                const Buffer data = contract_pattern(stripe, i * count + t + 1);
                own = writes(device, at, data);
                if (own.empty()) own = reads_as(device, at, data, "at once");
                if (i % 16 == 0 && !device.flush()) own = "flush";
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (Complaint& one : wrong) GLASSFS_CONTRACT(std::move(one));
    for (u64 i = 0; i < rounds * count; ++i) {
        GLASSFS_CONTRACT(reads_as(device, i * stripe, contract_pattern(stripe, i + 1), "afterwards"));
    }
    return {};
}

inline Complaint flush_costs_nothing_to_ask(block::Device& device) {
    for (int i = 0; i < 3; ++i) {
        if (auto flushed = device.flush(); !flushed) return flushed.error().message();
    }
    return device.read_only() ? "it says that it is read-only" : "";
}

#undef GLASSFS_CONTRACT

struct ContractCase {
    const char* name;
    Complaint (*run)(block::Device&);
};
inline constexpr ContractCase device_contract[] = {
    {"what was never written is zeros, to the last byte", never_written_is_zeros},
    {"what was written is read back, whatever its size and place", any_size_and_place},
    {"ranges beyond the end are refused and change nothing", beyond_the_end},
    {"a discard leaves its neighbours, and zeros or the old bytes", discard_keeps_neighbours},
    {"a long run of overlapping operations agrees with a model", agrees_with_a_model},
    {"threads that write to ranges of their own don't disturb each other", threads_keep_apart},
    {"a flush with nothing to do is no error", flush_costs_nothing_to_ask},
};

}  // namespace glassfs::test
