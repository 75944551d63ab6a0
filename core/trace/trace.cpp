// SPDX-License-Identifier: MIT
// Spans as a list of stack frames: each thread knows its innermost span, and each span the one around it.
#include "trace/trace.h"

namespace glassfs::trace {
namespace {

thread_local Span* innermost = nullptr;

}  // namespace

SpanId Tracer::current() const {
    // Spans of other sinks may lie in between: two volumes, each with a recorder, used by one thread.
    for (Span* span = innermost; span; span = span->outer_) {
        if (span->sink_ == sink_) return span->id_;
    }
    return no_span;
}

Span::Span(Sink* sink, SpanId parent, const char* name, std::string detail)
    : sink_(sink), id_(sink->begin(parent, name, std::move(detail))), outer_(innermost) {
    innermost = this;
}

Span::~Span() {
    if (!sink_) return;
    innermost = outer_;
    sink_->end(id_);
}

}  // namespace glassfs::trace
