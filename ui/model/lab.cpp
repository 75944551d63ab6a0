// SPDX-License-Identifier: MIT
#include "ui/model/lab.h"

#include <algorithm>
#include <chrono>

namespace glassfs::ui {

namespace {

constexpr std::array<const char*, 2> modes = {"scan", "hint"};
constexpr double publish_every = 0.04;  // seconds

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

LabModel::~LabModel() {
    cancel();
}

std::shared_ptr<const LabSnapshot> LabModel::snapshot() const {
    std::lock_guard lock(mutex_);
    return shown_;
}

void LabModel::cancel() {
    cancel_to_ = plans_;
}

void LabModel::push(std::function<Result<void>()> work) {
    const u64 number = ++plans_;
    ++pending_;
    auto task = [this, number, work = std::move(work)] {
        running_plan_ = number;
        began_ = published_ = seconds_now();
        now_.error.reset();
        now_.cancelled = false;
        now_.running = true;
        auto done = cancel_to_ >= number ? Result<void>(fail(Cause::Cancelled)) : work();
        now_.running = false;
        if (!done && done.error().cause == Cause::Cancelled) {
            now_.cancelled = true;
        } else if (!done) {
            now_.error = done.error();
        }
        publish(now_.cancelled ? now_.fraction : 1);
        --pending_;  // whoever sees that nothing is pending sees the last snapshot
    };
    if (worker_.push({std::move(task), {}})) --pending_;
}

void LabModel::start(const Plan& plan) {
    cancel();
    push([this, plan]() -> Result<void> {
        TRY(make(plan));
        TRY(fill(plan));
        return run(plan.step_bytes, plan.steps_max, plan.baseline_bytes_max);
    });
}

void LabModel::go_on(u64 step_bytes, u64 steps) {
    push([this, step_bytes, steps] { return run(step_bytes, steps, plan_.baseline_bytes_max); });
}

void LabModel::punch(u64 at, u64 length) {
    push([this, at, length]() -> Result<void> {
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            if (sides_[i]) note(i, TRY(sides_[i]->punch(at, length)));
        }
        return {};
    });
}

Result<void> LabModel::make(const Plan& plan) {
    if (plan.step_bytes == 0) return fail(Cause::InvalidArgument, "steps of no bytes");
    now_ = {};
    now_.running = true;
    times_before_ = {};
    plan_ = plan;
    steps_seen_ = 0;
    const u64 steps = plan.steps_max == ~u64{0} ? plan.device_bytes / plan.step_bytes : plan.steps_max;
    keep_every_ = std::max<u64>(1, (steps + chart_points_max - 1) / chart_points_max);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        sides_[i].reset();
        sides_[i] = TRY(lab::ChunkallocSide::make(plan.device_bytes, modes[i], LabSnapshot::cells));
        now_.sides[i].mode = modes[i];
    }
    now_.device_bytes = plan.device_bytes;
    publish(0);
    return {};
}

// What is there before the comparison begins: made in the improved mode, so that it doesn't take for ever.
Result<void> LabModel::fill(const Plan& plan) {
    if (plan.filled_bytes == 0) return {};
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        TRY(sides_[i]->set_mode(modes.back()));
        auto progress = [&](double) {
            times_before_[i] = sides_[i]->search_times();
            const double share =
                static_cast<double>(sides_[i]->bytes()) / static_cast<double>(plan.filled_bytes);
            return go_on_after((static_cast<double>(i) + share) / 2 * 0.95);
        };
        TRY(sides_[i]->grow(plan.filled_bytes, progress));
        TRY(sides_[i]->set_mode(modes[i]));
        times_before_[i] = sides_[i]->search_times();
    }
    return {};
}

Result<void> LabModel::run(u64 step_bytes, u64 steps, u64 baseline_bytes_max) {
    const u64 begin = sides_[1] ? sides_[1]->bytes() : 0;
    for (u64 done = 0; done < steps; ++done) {
        bool more = false;
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            if (!sides_[i] || sides_[i]->full()) continue;
            now_.sides[i].waits = i == 0 && sides_[i]->bytes() >= baseline_bytes_max;
            if (now_.sides[i].waits) continue;
            auto fraction = [&] {
                if (steps != ~u64{0}) return static_cast<double>(done) / static_cast<double>(steps);
                const u64 end = plan_.device_bytes;
                return end <= begin ? 1.0
                                    : static_cast<double>(sides_[i]->bytes() - begin) /
                                          static_cast<double>(end - begin);
            };
            note(i, TRY(sides_[i]->grow(step_bytes, [&](double) { return go_on_after(fraction()); })));
            if (!go_on_after(fraction())) return fail(Cause::Cancelled);
            more |= !sides_[i]->full();
        }
        ++steps_seen_;
        if (!more) break;
    }
    return {};
}

void LabModel::note(std::size_t i, const lab::ChunkallocStep& step) {
    LabSide& side = now_.sides[i];
    side.last = step;
    side.ns += step.ns;
    side.searches += step.searches;
    side.visited += step.dev_extents_visited;
    side.leaves_read += step.leaves_read;
    if (steps_seen_ % keep_every_ == 0 && side.steps.size() < 2 * chart_points_max)
        side.steps.push_back(step);
}

// False: the plan is to end.
bool LabModel::go_on_after(double fraction) {
    if (seconds_now() - published_ >= publish_every) publish(fraction);
    return cancel_to_ < running_plan_;
}

void LabModel::publish(double fraction) {
    now_.fraction = fraction;
    now_.seconds = seconds_now() - began_;
    published_ = seconds_now();
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (!sides_[i]) continue;
        LabSide& side = now_.sides[i];
        side.picture = sides_[i]->picture();
        side.search_times = sides_[i]->search_times().since(times_before_[i]);
        side.bytes = sides_[i]->bytes();
        side.full = sides_[i]->full();
        side.memory_bytes = sides_[i]->memory_bytes();
    }
    now_.same_placements.reset();
    if (sides_[0] && sides_[1] && now_.sides[0].picture.dev_extents == now_.sides[1].picture.dev_extents) {
        now_.same_placements = now_.sides[0].picture.placements == now_.sides[1].picture.placements;
    }
    auto copy = std::make_shared<const LabSnapshot>(now_);
    {
        std::lock_guard lock(mutex_);
        shown_ = std::move(copy);
    }
    if (notify_) notify_();
}

}  // namespace glassfs::ui
