// SPDX-License-Identifier: MIT
#include "ui/model/timeline.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

using trace::TreeBlockChanged;

// What has no step of its own: changed bytes belong to the step that they come with, blocks become clean with
// their commit, and a tree block's read is told by TreeBlockRead.
bool is_silent(const trace::Event& event) {
    return std::holds_alternative<trace::TreeBlockClean>(event) ||
           std::holds_alternative<trace::TreeRootMoved>(event) ||
           std::holds_alternative<trace::BlockRead>(event);
}

class Builder {
  public:
    explicit Builder(Timeline& to) : to_(to) {}

    void add(const trace::Step& step) {
        if (const auto* span = step.begin()) {
            if (span->parent == trace::no_span) begin(step, *span);
            return;
        }
        if (step.is_end()) {
            if (open_ && step.span == open_) end(step.number + 1);
            return;
        }
        const trace::Event& event = *step.event();
        if (const auto* changed = std::get_if<TreeBlockChanged>(&event)) {
            changes_.push_back(*changed);
            if (changed->by_itself != 0) tell_alone(step.number);
        } else if (!is_silent(event)) {
            push(step.number, event);
        }
    }

  private:
    void begin(const trace::Step& step, const trace::SpanBegin& span) {
        if (open_) end(step.number);
        open_ = step.span;
        TimelineOperation operation;
        operation.name = span.name == "command" ? span.detail : span.name;
        if (span.name != "command" && !span.detail.empty()) operation.name += " " + span.detail;
        operation.begin = operation.end = step.number;
        operation.first = static_cast<u32>(to_.steps.size());
        to_.operations.push_back(std::move(operation));
    }
    void end(u64 position) {
        to_.operations.back().end = position;
        open_ = trace::no_span;
    }
    // Neighbouring ranges of one block that changed together are one step.
    void tell_alone(u64 number) {
        TimelineStep* last = to_.steps.empty() ? nullptr : &to_.steps.back();
        const TreeBlockChanged changed = changes_.back();
        const auto* before = last ? std::get_if<TreeBlockChanged>(&last->event) : nullptr;
        const bool same =
            before && before->block == changed.block && last->number + last->changes.size() == number;
        if (!same) {
            push(number, changed);
            return;
        }
        last->changes.push_back(changed);
        last->position = number + 1;
        changes_.clear();
    }
    void push(u64 number, const trace::Event& event) {
        if (to_.operations.empty() || !open_) {
            if (const auto* moved = std::get_if<trace::AllocHintMoved>(&event)) {
                to_.first_hints[moved->device] = moved->to.value;
            }
            changes_.clear();
            return;
        }
        TimelineOperation& operation = to_.operations.back();
        operation.commits |= std::holds_alternative<trace::TransactionCommit>(event);
        ++operation.count;
        to_.steps.push_back({number, number + 1, static_cast<u32>(to_.operations.size() - 1), event,
                             std::exchange(changes_, {})});
    }

    Timeline& to_;
    trace::SpanId open_ = trace::no_span;
    std::vector<TreeBlockChanged> changes_;
};

}  // namespace

std::size_t Timeline::step_at(u64 position) const {
    auto behind = std::ranges::upper_bound(steps, position, {}, &TimelineStep::position);
    return behind == steps.begin() ? none : static_cast<std::size_t>(behind - steps.begin()) - 1;
}

std::vector<BlockWriter> writers_of(const Timeline& line, LogicalAddr block, u32 offset, u32 size,
                                    u64 position, std::size_t count_max) {
    std::vector<BlockWriter> out;
    const std::size_t last = line.step_at(position);
    for (std::size_t i = last == Timeline::none ? 0 : last + 1; i-- > 0 && out.size() < count_max;) {
        const TimelineStep& step = line.steps[i];
        const auto* copy = std::get_if<trace::CowBlock>(&step.event);
        if (copy != nullptr && copy->to == block) {
            out.push_back({i, block, copy->from});
            block = copy->from;
            continue;
        }
        const bool wrote = std::ranges::any_of(step.changes, [&](const TreeBlockChanged& change) {
            return change.block == block && change.offset < u64{offset} + size &&
                   u64{change.offset} + change.length > offset;
        });
        if (wrote) out.push_back({i, block, std::nullopt});
    }
    return out;
}

Timeline make_timeline(const trace::Recording& recording) {
    Timeline out;
    Builder builder(out);
    for (const trace::Step& step : recording.steps) builder.add(step);
    out.first = recording.rebuildable_from;
    out.end = recording.steps_total;
    out.steps_total = recording.steps_total;
    return out;
}

}  // namespace glassfs::ui
