// SPDX-License-Identifier: MIT
#include "check/findings.h"

#include <doctest/doctest.h>
#include <vector>

using namespace glassfs;
using namespace glassfs::check;

TEST_CASE("check/findings: further issues are counted, not kept") {
    Options options;
    options.issues_max = 2;
    std::function<bool(double)> none;
    Findings findings(options, none);
    for (int i = 0; i < 5; ++i) findings.problem(Cause::KeyOrder, {});
    CHECK(findings.report().issues.size() == 2);
    CHECK(findings.report().issues_total == 5);
}

TEST_CASE(
    "check/findings: a list full of warnings still keeps the first problem, so that the verdict holds") {
    Options options;
    options.issues_max = 3;
    std::function<bool(double)> none;
    Findings findings(options, none);
    for (int i = 0; i < 4; ++i) findings.warning(Cause::DeviceMissing, {});
    CHECK(findings.report().clean());
    findings.problem(Cause::KeyOrder, {}, "first");
    findings.problem(Cause::KeyBad, {}, "second");
    CHECK_FALSE(findings.report().clean());
    CHECK(findings.report().issues.size() == 3);
    CHECK(findings.report().issues.back().error.detail == "first");
}

TEST_CASE("check/findings: progress rises from phase to phase and stops being asked once it was cancelled") {
    Options options;
    std::vector<double> seen;
    std::function<bool(double)> progress = [&](double part) {
        seen.push_back(part);
        return part < 0.7;
    };
    Findings findings(options, progress);
    findings.begin_phase(0.5);
    findings.advance(1, 2);
    CHECK_FALSE(findings.cancelled());
    findings.begin_phase(1.0);
    findings.advance(1, 2);
    CHECK(findings.cancelled());
    findings.advance(2, 2);
    CHECK(seen == std::vector<double>{0, 0.25, 0.5, 0.75});
}
