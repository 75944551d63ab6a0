// SPDX-License-Identifier: MIT
// How code reports what it does. A Tracer is a small handle, copied freely; without a sink it costs one null
// test:
//
//     auto op = trace.span("lookup", [&] { return escaped(name); });   // until the end of the scope
//     trace([&] { return TreeBlockRead{addr, level, generation, owner}; });
//
// Spans nest on their thread: an outermost one is an operation (an entry of the file system was called),
// those inside are its phases, and events belong to the innermost. The functions given are called only when
// somebody listens.
#pragma once

#include "trace/event.h"

#include <string>
#include <utility>

namespace glassfs::trace {

using SpanId = u64;
inline constexpr SpanId no_span = 0;

// What a tracer reports to (recorder.h). Called from any thread.
class Sink {
  public:
    virtual ~Sink() = default;
    virtual SpanId begin(SpanId parent, const char* name, std::string detail) = 0;
    virtual void end(SpanId) = 0;
    virtual void event(SpanId, Event) = 0;
    // Whether events that change a device should come with the bytes from before.
    virtual bool wants_images() const = 0;
    // An event that changed `before.size()` bytes of a device, from byte `physical`.
    virtual void change(SpanId, Event, u64 device, PhysicalAddr physical, Buffer before) = 0;
};

// Lives on the stack of the thread that made it and ends with its scope.
class Span {
  public:
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    ~Span();

  private:
    friend class Tracer;
    Span() = default;
    Span(Sink* sink, SpanId parent, const char* name, std::string detail);

    Sink* sink_ = nullptr;
    SpanId id_ = no_span;
    Span* outer_ = nullptr;  // on this thread, of whichever sink
};

class Tracer {
  public:
    Tracer() = default;  // nobody listens
    explicit Tracer(Sink* sink) : sink_(sink) {}

    // `make` returns one of the event structs.
    template <class F>
    void operator()(F&& make) const {
        if (sink_) sink_->event(current(), Event{std::forward<F>(make)()});
    }

    [[nodiscard]] Span span(const char* name) const {
        return sink_ ? Span(sink_, current(), name, {}) : Span();
    }
    // `detail` returns a std::string: what the operation works on.
    template <class F>
    [[nodiscard]] Span span(const char* name, F&& detail) const {
        return sink_ ? Span(sink_, current(), name, std::forward<F>(detail)()) : Span();
    }

    bool wants_images() const { return sink_ && sink_->wants_images(); }
    // As operator(), with what the event overwrote.
    template <class F>
    void change(u64 device, PhysicalAddr physical, Buffer before, F&& make) const {
        if (sink_) {
            sink_->change(current(), Event{std::forward<F>(make)()}, device, physical, std::move(before));
        }
    }

  private:
    SpanId current() const;  // innermost span of this sink on this thread

    Sink* sink_ = nullptr;
};

}  // namespace glassfs::trace
