// SPDX-License-Identifier: MIT
#include "trace/recording.h"

#include <algorithm>

namespace glassfs::trace {

StepTree Recording::tree() const {
    StepTree tree;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        if (step.is_end()) continue;
        SpanId above = step.begin() ? step.begin()->parent : step.span;
        if (above == no_span)
            tree.top.push_back(i);
        else
            tree.children[above].push_back(i);
    }
    return tree;
}

const Step* Recording::last_writer(u64 device, PhysicalAddr byte, u64 before) const {
    auto end = std::ranges::lower_bound(steps, before, {}, &Step::number);
    while (end != steps.begin()) {
        const Step& step = *--end;
        const Change* change = step.change.get();
        if (change && change->device == device && byte >= change->physical &&
            byte - change->physical < change->before.size()) {
            return &step;
        }
    }
    return nullptr;
}

}  // namespace glassfs::trace
