// SPDX-License-Identifier: MIT
// What the core reports while it works: plain structs of copied values, in one variant. They are named after
// the kernel's tracepoints and functions where those exist. An event is added with the code that emits it: a
// struct here with its name and fields, and an entry in the variant; text and files follow from the fields.
#pragma once

#include "base/strong.h"

#include <string>
#include <variant>

namespace glassfs::trace {

// A device answered a read. Emitted by block/traced_device.h.
struct BlockRead {
    u64 device = 0;  // the number that the traced device was given: btrfs' devid
    PhysicalAddr physical;
    u64 length = 0;  // bytes

    static constexpr const char* name = "BlockRead";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("physical", e.physical), f("length", e.length);
    }
    friend bool operator==(const BlockRead&, const BlockRead&) = default;
};

struct BlockWrite {
    u64 device = 0;
    PhysicalAddr physical;
    u64 length = 0;  // bytes

    static constexpr const char* name = "BlockWrite";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("physical", e.physical), f("length", e.length);
    }
    friend bool operator==(const BlockWrite&, const BlockWrite&) = default;
};

struct BlockDiscard {
    u64 device = 0;
    PhysicalAddr physical;
    u64 length = 0;  // bytes

    static constexpr const char* name = "BlockDiscard";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("physical", e.physical), f("length", e.length);
    }
    friend bool operator==(const BlockDiscard&, const BlockDiscard&) = default;
};

// Everything written to the device before is durable.
struct BlockFlush {
    u64 device = 0;

    static constexpr const char* name = "BlockFlush";
    static void fields(auto& e, auto&& f) { f("device", e.device); }
    friend bool operator==(const BlockFlush&, const BlockFlush&) = default;
};

// A btrfs tree block came from a device (not from the cache) and passed its checks.
struct TreeBlockRead {
    LogicalAddr logical;
    u8 level = 0;
    Generation generation;
    u64 owner = 0;  // tree id in its header

    static constexpr const char* name = "TreeBlockRead";
    static void fields(auto& e, auto&& f) {
        f("logical", e.logical), f("level", e.level), f("generation", e.generation), f("owner", e.owner);
    }
    friend bool operator==(const TreeBlockRead&, const TreeBlockRead&) = default;
};

using Event = std::variant<BlockRead, BlockWrite, BlockDiscard, BlockFlush, TreeBlockRead>;

inline constexpr std::size_t event_type_count = std::variant_size_v<Event>;

// The index of an event type in the variant, for counters.
template <class E, std::size_t I = 0>
constexpr std::size_t event_index() {
    if constexpr (std::is_same_v<E, std::variant_alternative_t<I, Event>>)
        return I;
    else
        return event_index<E, I + 1>();
}

const char* event_name(std::size_t index);  // "BlockRead"; the index must be below event_type_count
inline const char* event_name(const Event& event) {
    return event_name(event.index());
}
std::string event_text(const Event&);  // "BlockRead device=1 physical=65536 length=4096"

}  // namespace glassfs::trace
