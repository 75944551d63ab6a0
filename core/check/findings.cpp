// SPDX-License-Identifier: MIT
#include "check/findings.h"

#include <algorithm>

namespace glassfs::check {

void Findings::add(Severity severity, Error error) {
    ++report_.issues_total;
    bool first_problem = severity == Severity::Problem && !has_problem_;
    has_problem_ = has_problem_ || first_problem;
    if (report_.issues.size() < options_.issues_max) {
        report_.issues.push_back({severity, std::move(error)});
    } else if (first_problem && !report_.issues.empty()) {
        // Warnings may have filled the list; the verdict must not depend on that.
        report_.issues.back() = {severity, std::move(error)};
    }
}

void Findings::begin_phase(double end) {
    phase_begin_ = phase_end_;
    phase_end_ = end;
    advance(0, 1);
}

void Findings::advance(u64 done, u64 total) {
    if (!progress_ || cancelled_) return;
    double part = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    cancelled_ = !progress_(phase_begin_ + part * (phase_end_ - phase_begin_));
}

}  // namespace glassfs::check
