// SPDX-License-Identifier: MIT
// Standard output and standard error: whole writes, colours only where somebody sees them, a progress line on
// a terminal, and a quiet end when the reader of a pipe has gone.
#pragma once

#include "commands/context.h"

#include <chrono>
#include <string>
#include <string_view>

namespace glassfs::cli {

class Terminal {
  public:
    // `colour`: "auto", "always" or "never".
    explicit Terminal(const std::string& colour);
    ~Terminal();

    commands::Style style() const { return style_; }
    void out(std::string_view bytes);
    void err(std::string_view bytes);
    // Shown on a terminal only, not before a second has passed, at most ten times a second.
    bool progress(double fraction, std::string_view what);
    void flush();

  private:
    using Clock = std::chrono::steady_clock;
    void clear_progress();
    static void write_all(int descriptor, std::string_view bytes);

    commands::Style style_;
    bool progress_wanted_;
    bool progress_shown_ = false;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point shown_ = begin_;
    std::string pending_;  // output not yet written
};

}  // namespace glassfs::cli
