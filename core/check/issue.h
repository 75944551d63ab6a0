// SPDX-License-Identifier: MIT
// What a check found: typed causes with their place, the same type that reading reports.
#pragma once

#include "base/error.h"

#include <vector>

namespace glassfs::check {

enum class Severity : u8 { Warning, Problem };

struct Issue {
    Severity severity = Severity::Problem;
    Error error;
};

struct Options {
    bool data_checksums = true;       // read all data and compare its checksums
    std::size_t issues_max = 10'000;  // further ones are counted, not kept
};

struct Report {
    std::vector<Issue> issues;
    u64 issues_total = 0;
    u64 blocks_read = 0;  // tree blocks
    u64 data_bytes_read = 0;
    bool clean() const {
        for (const Issue& issue : issues) {
            if (issue.severity == Severity::Problem) return false;
        }
        return true;
    }
};

}  // namespace glassfs::check
