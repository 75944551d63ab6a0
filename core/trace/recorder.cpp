// SPDX-License-Identifier: MIT
#include "trace/recorder.h"

#include <algorithm>

namespace glassfs::trace {
namespace {

// What an operation costs beside its steps: a node of the map and the vector's slack, roughly.
constexpr u64 operation_overhead = 128;

thread_local int muted = 0;

bool changes_device(const Event& event) {
    return std::holds_alternative<BlockWrite>(event) || std::holds_alternative<BlockDiscard>(event);
}

}  // namespace

Recorder::Muted::Muted() {
    ++muted;
}
Recorder::Muted::~Muted() {
    --muted;
}

SpanId Recorder::begin(SpanId parent, const char* name, std::string detail) {
    if (keep_ == Keep::Counters || muted > 0) return no_span;
    std::lock_guard lock(mutex_);
    SpanId span = next_span_++;
    auto outer = operation_of_.find(parent);
    SpanId operation = outer == operation_of_.end() ? span : outer->second;
    operation_of_.emplace(span, operation);
    if (operation == span) {
        operations_[operation].cost = operation_overhead;
        used_ += operation_overhead;
    }
    u64 cost = sizeof(Step) + sizeof(SpanBegin) + detail.size();
    SpanBegin begin{operation == span ? no_span : parent, name, std::move(detail)};
    add(operation, Step{next_number_++, span, std::make_shared<const SpanBegin>(std::move(begin)), nullptr},
        cost);
    shrink();
    return span;
}

void Recorder::end(SpanId span) {
    if (keep_ == Keep::Counters || span == no_span) return;
    std::lock_guard lock(mutex_);
    auto found = operation_of_.find(span);
    GLASSFS_ASSERT(found != operation_of_.end());
    SpanId operation = found->second;
    operation_of_.erase(found);
    add(operation, Step{next_number_++, span, SpanEnd{}, nullptr}, sizeof(Step));
    if (operation == span) {
        auto kept = operations_.find(operation);
        if (kept != operations_.end()) kept->second.finished = true;
    }
    shrink();
}

void Recorder::event(SpanId span, Event event) {
    add_event(span, std::move(event), nullptr);
}

void Recorder::change(SpanId span, Event event, u64 device, PhysicalAddr physical, Buffer before) {
    std::shared_ptr<const Change> change;
    if (keep_ == Keep::Everything) {
        change = std::make_shared<const Change>(Change{device, physical, std::move(before)});
    }
    add_event(span, std::move(event), std::move(change));
}

void Recorder::add_event(SpanId span, Event event, std::shared_ptr<const Change> change) {
    counters_[event.index()].fetch_add(1, std::memory_order_relaxed);
    if (keep_ == Keep::Counters || (muted > 0 && !change)) return;
    std::lock_guard lock(mutex_);
    auto outer = operation_of_.find(span);
    bool alone = outer == operation_of_.end();
    SpanId operation = alone ? next_span_++ : outer->second;
    if (alone) {
        operations_[operation] = {{}, operation_overhead, true};
        used_ += operation_overhead;
    }
    u64 number = next_number_++;
    if (!change && changes_device(event)) rebuildable_from_ = number + 1;
    u64 cost = sizeof(Step) + (change ? sizeof(Change) + change->before.size() : 0);
    add(operation, Step{number, alone ? no_span : span, std::move(event), std::move(change)}, cost);
    shrink();
}

// The mutex is held. Steps of an operation that was dropped while it runs are dropped as well.
void Recorder::add(SpanId operation, Step step, u64 cost) {
    auto kept = operations_.find(operation);
    if (kept == operations_.end()) {
        remember_root(step);
        if (step.change) rebuildable_from_ = step.number + 1;
        return;
    }
    kept->second.steps.push_back(std::move(step));
    kept->second.cost += cost;
    used_ += cost;
}

// The mutex is held. Drops operations until the rest fits.
void Recorder::shrink() {
    while (used_ > memory_limit_ && !operations_.empty()) {
        auto victim =
            std::ranges::find_if(operations_, [](const auto& entry) { return entry.second.finished; });
        if (victim == operations_.end()) victim = operations_.begin();
        for (const Step& step : victim->second.steps) {
            if (step.change) rebuildable_from_ = std::max(rebuildable_from_, step.number + 1);
            remember_root(step);
        }
        used_ -= victim->second.cost;
        operations_.erase(victim);
        ++dropped_;
    }
}

// The mutex is held. Operations are not dropped in the order of their steps.
void Recorder::remember_root(const Step& step) {
    const auto* moved = step.event() ? std::get_if<TreeRootMoved>(step.event()) : nullptr;
    if (!moved) return;
    Step& last = forgotten_roots_[moved->tree];
    if (last.event() == nullptr || last.number < step.number) last = {step.number, no_span, *moved, nullptr};
}

u64 Recorder::memory_used() const {
    std::lock_guard lock(mutex_);
    return used_;
}

u64 Recorder::operations_dropped() const {
    std::lock_guard lock(mutex_);
    return dropped_;
}

Recording Recorder::recording() const {
    std::lock_guard lock(mutex_);
    Recording out;
    out.steps_total = next_number_;
    out.rebuildable_from = rebuildable_from_;
    for (std::size_t type = 0; type < event_type_count; ++type) out.counters[type] = counters_[type];
    for (const auto& [span, operation] : operations_) {
        out.steps.insert(out.steps.end(), operation.steps.begin(), operation.steps.end());
    }
    for (const auto& entry : forgotten_roots_) out.steps.push_back(entry.second);
    std::ranges::sort(out.steps, {}, &Step::number);  // operations of several threads interleave
    return out;
}

}  // namespace glassfs::trace
