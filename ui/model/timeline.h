// SPDX-License-Identifier: MIT
// A recording as people step through it: operations (a command each), and the steps of each. A step is what
// the core reported, with the bytes of tree blocks that it changed; nothing here happens again, it is only
// told.
#pragma once

#include "trace/recording.h"

#include <map>
#include <string>
#include <vector>

namespace glassfs::ui {

struct TimelineStep {
    u64 number = 0;     // in the recording; the state behind it is that at `position`
    u64 position = 0;   // for Session::go_to()
    u32 operation = 0;  // index
    trace::Event event;
    std::vector<trace::TreeBlockChanged> changes;  // of bytes, that this step made
};

struct TimelineOperation {
    std::string name;  // "write hello.txt hello"
    u64 begin = 0;     // position before it
    u64 end = 0;       // position behind it
    u32 first = 0;     // steps [first, first + count)
    u32 count = 0;
    bool commits = false;
};

struct Timeline {
    std::vector<TimelineOperation> operations;
    std::vector<TimelineStep> steps;
    u64 first = 0;  // the earliest position that can be shown
    u64 end = 0;    // the present
    u64 steps_total = 0;
    // Where devices' hints were before the first operation, by device: mounting sets them.
    std::map<u64, u64> first_hints;

    // The last step at or before this position; nothing before the first.
    std::size_t step_at(u64 position) const;  // steps.size(): none
    static constexpr std::size_t none = ~std::size_t{0};
};

Timeline make_timeline(const trace::Recording&);

// A step that wrote some of these bytes of a tree block, or brought them there with a copy of another block.
struct BlockWriter {
    std::size_t step = 0;             // index
    LogicalAddr block;                // in which it wrote
    std::optional<LogicalAddr> from;  // the block that was copied: earlier writers wrote there
};
// Before this position, newest first, `count_max` at most. Bytes that moved inside of a leaf were written.
std::vector<BlockWriter> writers_of(const Timeline&, LogicalAddr block, u32 offset, u32 size, u64 position,
                                    std::size_t count_max);

// What a step says of itself. `kind`: R read, A allocate, C copy, W write, S split or move, F free, H hint,
// Q queue, ✓ done.
struct StepText {
    std::string letter;
    std::string pill;    // "COPY"
    std::string title;   // at most 75 characters
    std::string reason;  // one sentence with live numbers
    std::string place;   // what the core calls it
};
StepText step_text(const TimelineStep&);

// The tree block that a step is about, and its tree; nothing for steps about other things.
struct StepBlock {
    u64 tree = 0;
    LogicalAddr block;
    bool read = false;  // it was only read
};
std::optional<StepBlock> step_block(const TimelineStep&);

}  // namespace glassfs::ui
