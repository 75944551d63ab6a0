// SPDX-License-Identifier: MIT
// Where on a device there is room for a chunk. The device tree lists what is taken (dev extents); free is
// what lies between them, from the device's second MiB on. The search takes the first hole that is long
// enough:
//
//      0   1 MiB               hint
//      |....|##|.|####|..|######|                |####|......|##|      # dev extents   . holes
//           scan >>>>>>>>>>>>>>>>>
//                               hint >
//
// Scan begins at 1 MiB and passes every dev extent before the hole, so that the n-th chunk costs O(n). Hint
// begins at the device's hint, below which no hole of `hint_hole_bytes` (16 MiB) or more begins. Both find
// the same place: of the holes below the hint the length of the largest is known (or a bound of it), so that
// they are searched when one could be long enough, or the largest hole is asked for, and only then.
//
// The hint is kept in memory: built while dev extents are verified at mount, moved up by allocations and by
// searches (who has walked from the hint knows where the next hole of 16 MiB is), moved down by freeing. It
// is no cache of free space: it may be too low, never too high.
//
// What the running transaction allocates is taken at once, in the device tree or not yet (pending). What it
// frees stays taken until its commit is durable (pinned), since until then the last superblock's chunks still
// lie there.
//
// A dev extent may cover the superblock copies at 64 MiB and 256 GiB, as Linux's do: it is the block groups
// that leave them out. Only the first MiB, with the first copy, is never given away.
#pragma once

#include "base/histogram.h"
#include "btrfs/volume.h"

#include <array>
#include <functional>
#include <map>

namespace glassfs::btrfs {

inline constexpr u64 device_reserved_bytes = 1ULL << 20;  // at the begin of each device
inline constexpr u64 hint_hole_bytes = 16ULL << 20;       // holes shorter than this may lie below the hint

enum class DevExtentSearchMode : u8 { Scan, Hint };
enum class HintMove : u8 { Built, Proved, Allocated, Freed, Reset };  // what made a hint move

struct DevExtentCounters {
    u64 searches = 0;
    u64 dev_extents_visited = 0;
    u64 leaves_read = 0;                 // of the device tree
    u64 searches_below = 0;              // that had to look below the hint, for a short hole
    std::array<u64, 5> hint_moves = {};  // by HintMove
    u64 moves(HintMove reason) const { return hint_moves[static_cast<std::size_t>(reason)]; }
};

// A free range of a device.
struct FreeDevExtent {
    PhysicalAddr start;
    u64 length = 0;  // bytes, of the whole hole; less than wanted: the first of the largest holes, 0: none
    friend bool operator==(const FreeDevExtent&, const FreeDevExtent&) = default;
};

// The dev extents of a volume, as the running transaction sees them.
class DevExtentSource {
  public:
    // A dev extent's position and length in bytes; false ends the walk.
    using Visit = std::function<bool(u64 start, u64 length)>;

    virtual ~DevExtentSource() = default;
    // Those of a device in rising order, beginning with the last one that starts at or before `from`, or the
    // first behind it. Returns the leaves that were read.
    virtual Result<u64> for_each_from(u64 devid, u64 from, const Visit& visit) const = 0;
};

// They as they lie in a device tree. `root` is asked at each walk, since the tree's root moves.
class DeviceTree final : public DevExtentSource {
  public:
    DeviceTree(Volume& volume, std::function<TreeRoot()> root) : volume_(volume), root_(std::move(root)) {}
    Result<u64> for_each_from(u64 devid, u64 from, const Visit& visit) const override;

  private:
    Volume& volume_;
    std::function<TreeRoot()> root_;
};

// Takes in holes in rising order: where the first one of hint_hole_bytes is, and how long those before it
// are.
struct HoleSurvey {
    std::optional<u64> first_long = {};  // its begin
    u64 largest_before = 0;              // bytes

    void add(u64 begin, u64 end) {
        if (first_long) return;
        if (end - begin >= hint_hole_bytes) {
            first_long = begin;
        } else {
            largest_before = std::max(largest_before, end - begin);
        }
    }
};

class DevExtents;

// Builds the hints at mount: is shown each dev extent in the device tree's order, which is that of verifying
// them. If not all come, the hints are lower, not wrong.
class HintBuilder {
  public:
    void visit(u64 devid, u64 start, u64 length);

  private:
    friend class DevExtents;
    struct Device {
        HoleSurvey survey;
        u64 end = device_reserved_bytes;  // of what was visited
    };
    std::map<u64, Device> devices_;
};

// The devices of one volume. Belongs to its one writer: calls must not overlap.
class DevExtents {
  public:
    explicit DevExtents(trace::Tracer tracer = {}) : trace_(tracer) {}

    DevExtentSearchMode mode() const { return mode_; }
    void set_mode(DevExtentSearchMode mode) { mode_ = mode; }  // any time
    const DevExtentCounters& counters() const { return counters_; }

    // Measures each search from now on. `now_ns`: a clock that only goes forward.
    void set_stopwatch(std::function<u64()> now_ns) { now_ns_ = std::move(now_ns); }
    const Histogram& search_times() const { return search_times_; }

    // Every device is added before it is asked for. Its hint is at the first usable byte until it is built or
    // moved.
    void add_device(u64 devid, u64 total_bytes);
    void remove_device(u64 devid);
    // A shrunk device's hint is reset.
    void resize_device(u64 devid, u64 total_bytes);
    // Another device stands behind this id now.
    void reset_hint(u64 devid);
    void build_hints(const HintBuilder&);
    PhysicalAddr hint(u64 devid) const;
    // Holes that begin below the hint are at most this long, in bytes.
    u64 largest_below_hint(u64 devid) const;

    // The first hole of at least `wanted` bytes, else the first of the largest. Changes nothing but hint and
    // counters. Cause::DeviceMissing: never added; Cause::InvalidArgument: nothing wanted; what reading
    // gives.
    Result<FreeDevExtent> find_free(const DevExtentSource&, u64 devid, u64 wanted);

    // The range is taken from now on, in the device tree or not.
    void allocated(u64 devid, PhysicalAddr start, u64 length);
    // That allocation's dev extent is in the device tree now.
    void in_tree(u64 devid, PhysicalAddr start);
    // That allocation came to nothing before its dev extent was in the tree.
    void dropped(u64 devid, PhysicalAddr start);
    // The dev extent has left the tree; the range is free after committed().
    void freed(u64 devid, PhysicalAddr start, u64 length);
    // Something was freed since the last commit.
    bool anything_freed() const;
    // The commit is durable: all that was allocated is in the tree, and what was freed is free.
    void committed();

  private:
    enum class Taken : u8 { Pending, Pinned };
    struct TakenRange {
        u64 end = 0;
        Taken why = Taken::Pending;
    };
    struct Device {
        u64 id = 0;
        u64 total_bytes = 0;
        u64 hint = device_reserved_bytes;
        u64 largest_below = 0;            // a bound for the holes that begin below the hint, in bytes
        std::map<u64, TakenRange> taken;  // by begin; they don't overlap
    };
    struct Walk {
        u64 begin = 0;  // nothing is free between where the walk was sent and here
        bool fits = false;
        FreeDevExtent best;
        HoleSurvey survey;
    };

    Result<FreeDevExtent> search(const DevExtentSource&, Device&, u64 wanted);
    Device& device(u64 devid);
    const Device& device(u64 devid) const;
    Result<Walk> walk(const DevExtentSource&, const Device&, u64 from, u64 to, u64 wanted);
    template <class F>
    static bool holes_of_gap(const Device&, u64 begin, u64 end, F&& hole);
    void learn(Device&, const Walk&, u64 from);
    void move_hint(Device&, u64 to, HintMove reason);
    void now_free(Device&, u64 start);

    trace::Tracer trace_;
    DevExtentSearchMode mode_ = DevExtentSearchMode::Hint;
    DevExtentCounters counters_;
    std::function<u64()> now_ns_;
    Histogram search_times_;
    std::map<u64, Device> devices_;
};

}  // namespace glassfs::btrfs
