// SPDX-License-Identifier: MIT
#include "trace/playback.h"

#include "base/text.h"

namespace glassfs::trace {

Playback::Playback(const Recording& recording, ByteStore& store)
    : store_(store),
      rebuildable_from_(recording.rebuildable_from),
      steps_total_(recording.steps_total),
      position_(recording.steps_total) {
    for (const Step& step : recording.steps) {
        if (step.change && step.number >= rebuildable_from_)
            changes_.push_back({step.number, step.change, {}});
    }
    applied_ = changes_.size();
}

Result<void> Playback::go_to(u64 position) {
    if (position < first() || position > last()) {
        return fail(
            Cause::InvalidArgument,
            text("step %llu; the recording can show %llu to %llu", static_cast<unsigned long long>(position),
                 static_cast<unsigned long long>(first()), static_cast<unsigned long long>(last())));
    }
    while (applied_ > 0 && changes_[applied_ - 1].number >= position) {
        Applied& undone = changes_[applied_ - 1];
        const Change& change = *undone.change;
        undone.after.resize(change.before.size());
        TRY(store_.read(change.device, change.physical, undone.after));
        TRY(store_.write(change.device, change.physical, change.before));
        --applied_;
        position_ = undone.number;
    }
    while (applied_ < changes_.size() && changes_[applied_].number < position) {
        Applied& redone = changes_[applied_];
        TRY(store_.write(redone.change->device, redone.change->physical, redone.after));
        redone.after = {};
        ++applied_;
        position_ = redone.number + 1;
    }
    position_ = position;
    return {};
}

}  // namespace glassfs::trace
