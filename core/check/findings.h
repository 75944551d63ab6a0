// SPDX-License-Identifier: MIT
// Where the parts of a check put what they find, and where they say how far they are. Internal to the check
// layer.
#pragma once

#include "check/issue.h"

#include <concepts>
#include <functional>
#include <string>

namespace glassfs::check {

// "count 3, expected 4": pieces of text and numbers in a row.
inline void say_one(std::string& out, std::string_view piece) {
    out += piece;
}
inline void say_one(std::string& out, std::integral auto number) {
    out += std::to_string(number);
}
template <class... Pieces>
std::string say(const Pieces&... pieces) {
    std::string out;
    (say_one(out, pieces), ...);
    return out;
}

class Findings {
  public:
    // `progress` (0..1) may be empty; it returns false to cancel.
    Findings(const Options& options, const std::function<bool(double)>& progress)
        : options_(options), progress_(progress) {}

    void problem(Error error) { add(Severity::Problem, std::move(error)); }
    void problem(Cause cause, Where where, std::string detail = {}) {
        add(Severity::Problem, {cause, std::move(where), std::move(detail)});
    }
    void warning(Error error) { add(Severity::Warning, std::move(error)); }
    void warning(Cause cause, Where where, std::string detail = {}) {
        add(Severity::Warning, {cause, std::move(where), std::move(detail)});
    }

    // The next part of the work takes the progress from where it is to `end`.
    void begin_phase(double end);
    // `done` of `total` units of this phase.
    void advance(u64 done, u64 total);
    bool cancelled() const { return cancelled_; }

    Report& report() { return report_; }
    const Options& options() const { return options_; }

  private:
    void add(Severity severity, Error error);

    const Options& options_;
    const std::function<bool(double)>& progress_;
    Report report_;
    double phase_begin_ = 0;
    double phase_end_ = 0;
    bool has_problem_ = false;
    bool cancelled_ = false;
};

}  // namespace glassfs::check
