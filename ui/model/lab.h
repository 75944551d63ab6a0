// SPDX-License-Identifier: MIT
// The Lab: the experiment's workload on two volumes in memory, side A in the baseline's mode and side B in
// the improved one. A thread of its own works on plans in order; the UI thread looks at snapshots and never
// waits. In lockstep each side does the same next step before either goes on.
#pragma once

#include "lab/chunkalloc.h"
#include "ui/model/worker.h"

#include <array>
#include <atomic>
#include <memory>

namespace glassfs::ui {

struct LabSide {
    std::string mode;
    lab::DevicePicture picture;
    std::vector<lab::ChunkallocStep> steps;  // of runs, at most chart_points_max: every n-th is kept
    lab::ChunkallocStep last;                // the newest, whether it is in `steps` or not
    Histogram search_times;
    u64 bytes = 0;  // allocated by the workload
    u64 ns = 0;     // of all its steps
    u64 searches = 0, visited = 0, leaves_read = 0;
    u64 memory_bytes = 0;
    bool full = false;
    bool waits = false;  // stopped before the other side, by the plan
};

struct LabSnapshot {
    static constexpr u32 cells = 4096;  // of the pictures
    std::array<LabSide, 2> sides;       // A, B
    u64 device_bytes = 0;               // 0: nothing has been run
    bool running = false;
    bool cancelled = false;  // the last plan: what is here is a part
    double fraction = 0;     // of the running plan, 0 to 1
    double seconds = 0;      // that it has taken so far
    std::optional<Error> error;
    // Whether both sides' dev extents are the same, in the same order; nothing while they can't be compared.
    std::optional<bool> same_placements;

    double seconds_left() const { return fraction <= 0 ? 0 : seconds * (1 - fraction) / fraction; }
};

class LabModel {
  public:
    static constexpr std::size_t chart_points_max = 512;

    struct Plan {
        u64 device_bytes = 4ULL << 40;
        u64 filled_bytes = 0;  // before the comparison, in the improved mode on both sides
        u64 step_bytes = 1ULL << 30;
        u64 steps_max = 1;                 // after that; ~0: until the volumes are full
        u64 baseline_bytes_max = ~u64{0};  // side A waits from here on
    };

    LabModel() = default;
    ~LabModel();

    // Called on the lab's thread when there is a new snapshot. Set before anything else.
    void set_notify(std::function<void()> notify) { notify_ = std::move(notify); }

    void start(const Plan&);                // in place of what is there
    void go_on(u64 step_bytes, u64 steps);  // more of the same, in lockstep
    void punch(u64 at, u64 length);         // both sides free this range of the file
    void cancel();                          // the running plan and those that wait
    bool busy() const { return pending_ != 0; }
    std::shared_ptr<const LabSnapshot> snapshot() const;  // never null

  private:
    using Sides = std::array<std::unique_ptr<lab::ChunkallocSide>, 2>;
    void push(std::function<Result<void>()> work);
    Result<void> make(const Plan&);
    Result<void> fill(const Plan&);
    Result<void> run(u64 step_bytes, u64 steps, u64 baseline_bytes_max);
    void note(std::size_t side, const lab::ChunkallocStep& step);
    void publish(double fraction);
    bool go_on_after(double fraction);

    std::function<void()> notify_;
    mutable std::mutex mutex_;
    std::shared_ptr<const LabSnapshot> shown_ = std::make_shared<LabSnapshot>();
    std::atomic<u64> pending_ = 0;
    std::atomic<u64> cancel_to_ = 0;  // plans with a number up to this one end
    u64 plans_ = 0;

    // Of the lab's thread.
    Sides sides_;
    LabSnapshot now_;
    std::array<Histogram, 2> times_before_;  // of filling the volumes, which isn't compared
    u64 running_plan_ = 0;
    u64 keep_every_ = 1;  // steps, for the chart
    u64 steps_seen_ = 0;
    double began_ = 0, published_ = 0;  // seconds
    Plan plan_;
    Worker worker_{Worker::Order::InOrder, 64};  // last: its thread ends before anything above goes
};

}  // namespace glassfs::ui
