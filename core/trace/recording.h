// SPDX-License-Identifier: MIT
// What was recorded, as a value: steps in the order in which they happened, which form a tree
//
//     operation   "read /etc/hosts"      a span without a parent
//       phase     "lookup"               a span inside
//         event   TreeBlockRead          belongs to the innermost span of its thread
//
// and the bytes that each change of a device overwrote, so that the state at any step can be rebuilt
// (playback.h). Whole operations may be missing: their steps' numbers are then left out.
#pragma once

#include "base/error.h"
#include "trace/trace.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace glassfs::trace {

struct SpanBegin {
    SpanId parent = no_span;
    std::string name;
    std::string detail;
    friend bool operator==(const SpanBegin&, const SpanBegin&) = default;
};

struct SpanEnd {
    friend bool operator==(const SpanEnd&, const SpanEnd&) = default;
};

struct Change {
    u64 device = 0;  // the traced device's number
    PhysicalAddr physical;
    Buffer before;  // what the bytes from there on were
    friend bool operator==(const Change&, const Change&) = default;
};

struct Step {
    u64 number = 0;         // of all steps ever, from 0
    SpanId span = no_span;  // the one that begins or ends here, or the one that the event belongs to
    std::variant<std::shared_ptr<const SpanBegin>, SpanEnd, Event> what;
    std::shared_ptr<const Change> change;  // of an event that changed a device

    const SpanBegin* begin() const {
        auto held = std::get_if<std::shared_ptr<const SpanBegin>>(&what);
        return held ? held->get() : nullptr;
    }
    const Event* event() const { return std::get_if<Event>(&what); }
    bool is_end() const { return std::holds_alternative<SpanEnd>(what); }
};

// Indices into Recording::steps. Ends of spans are not in it.
struct StepTree {
    std::vector<std::size_t> top;  // operations, and events outside of any
    std::unordered_map<SpanId, std::vector<std::size_t>> children;
};

struct Recording {
    std::vector<Step> steps;   // by number
    u64 steps_total = 0;       // numbers given: the last step's is below
    u64 rebuildable_from = 0;  // states before this step are lost with the images of dropped steps
    std::array<u64, event_type_count> counters{};  // by event type, dropped ones included

    template <class E>
    u64 count() const {
        return counters[event_index<E>()];
    }

    StepTree tree() const;
    // The last step with a number below `before` whose change covers this byte; null: none that is recorded.
    const Step* last_writer(u64 device, PhysicalAddr byte, u64 before = ~u64{0}) const;

    // A file: versioned, with a checksum, the same on every host.
    Buffer save() const;
    // Everything is checked: a file that load() accepts keeps what this header promises. Cause::RecordingBad.
    static Result<Recording> load(Bytes file);
};

}  // namespace glassfs::trace
