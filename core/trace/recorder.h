// SPDX-License-Identifier: MIT
// The sink that keeps what happens. Memory is bounded: when it is used up, whole operations are forgotten,
// the oldest first (the oldest finished one, if there is one), while the counters go on counting everything.
// Of what is forgotten, the step that moved each tree's root last stays: every later state needs it.
#pragma once

#include "trace/recording.h"

#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>

namespace glassfs::trace {

class Recorder final : public Sink {
  public:
    enum class Keep : u8 {
        Everything,  // events, spans and images
        Events,      // no images: earlier states can't be rebuilt
        Counters,    // only how often each event happened: no lock, no memory
    };

    explicit Recorder(Keep keep = Keep::Everything, u64 memory_limit = 256ULL << 20)
        : keep_(keep), memory_limit_(memory_limit) {}

    Tracer tracer() { return Tracer(this); }  // valid as long as the recorder lives

    // How often an event happened since the beginning.
    template <class E>
    u64 count() const {
        return counters_[event_index<E>()].load(std::memory_order_relaxed);
    }
    u64 memory_used() const;  // bytes, about
    u64 operations_dropped() const;

    // What is kept now. Cheap in memory: images are shared with the recorder. Running operations have no end
    // yet.
    Recording recording() const;

    // While one lives, its thread's operations aren't recorded, by no recorder: those of somebody who looks
    // at a volume that another one changes.
    class Muted {
      public:
        Muted();
        ~Muted();
        Muted(const Muted&) = delete;
        Muted& operator=(const Muted&) = delete;
    };

    SpanId begin(SpanId parent, const char* name, std::string detail) override;
    void end(SpanId span) override;
    void event(SpanId span, Event event) override;
    bool wants_images() const override { return keep_ == Keep::Everything; }
    void change(SpanId span, Event event, u64 device, PhysicalAddr physical, Buffer before) override;

  private:
    // An outermost span and everything inside, or a single event outside of any span.
    struct Operation {
        std::vector<Step> steps;
        u64 cost = 0;  // bytes
        bool finished = false;
    };

    void add_event(SpanId span, Event event, std::shared_ptr<const Change> change);
    void add(SpanId operation, Step step, u64 cost);
    void shrink();
    void remember_root(const Step& step);

    const Keep keep_;
    const u64 memory_limit_;  // bytes
    std::array<std::atomic<u64>, event_type_count> counters_{};

    mutable std::mutex mutex_;                // everything below
    std::map<SpanId, Operation> operations_;  // by their outermost span, which is the order they began in
    std::unordered_map<SpanId, SpanId> operation_of_;  // of spans that are open
    SpanId next_span_ = 1;
    u64 next_number_ = 0;
    u64 rebuildable_from_ = 0;
    u64 used_ = 0;  // bytes
    u64 dropped_ = 0;
    std::map<u64, Step> forgotten_roots_;  // TreeRootMoved, by tree
};

}  // namespace glassfs::trace
