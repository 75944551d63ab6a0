// SPDX-License-Identifier: MIT
// A volume that records what it does, and what it was at any step of that:
//
//     live volume --events, bytes from before--> Recorder --past()--> Past: at(n), at(m) ...
//
// A Past is a value of its own: it covers the steps up to the moment when it was made, on overlays over the
// devices. It is exact as long as nothing more is written to the live volume; whoever writes makes a new one.
#pragma once

#include "block/device_store.h"
#include "mount/glass_file.h"
#include "mount/mount.h"
#include "trace/recorder.h"

namespace glassfs::mount {

class Past {
  public:
    const trace::Recording& recording() const { return recording_; }
    u64 first() const { return playback_.first(); }
    u64 last() const { return playback_.last(); }
    u64 position() const { return playback_.position(); }

    // The volume as it was before step `position` (last(): as it is now), read-only. It replaces the one
    // before, which must not be used any more. Cause::InvalidArgument outside of [first(), last()], or what
    // keeps the volume from being opened as it was there.
    Result<Volume*> at(u64 position);
    // Tree blocks that were newer in memory than on the devices then, by address, with the step that changed
    // each last (0: that step is no longer in the recording).
    std::map<u64, u64> changed_blocks() const;

  private:
    friend class RecordedVolume;
    Past(trace::Recording recording, std::unique_ptr<block::DeviceStore> store, std::vector<u64> devices,
         Options options);
    Options options_at(u64 position) const;

    trace::Recording recording_;
    std::unique_ptr<block::DeviceStore> store_;
    std::vector<u64> devices_;
    std::vector<u64> in_memory_at_last_;  // addresses
    Options options_;
    trace::Playback playback_;
    std::unique_ptr<Volume> shown_;
};

class RecordedVolume {
  public:
    using Devices = std::vector<std::shared_ptr<block::Device>>;

    // As open() with Access::ReadWrite; the tracer of `options` is replaced by the recorder's.
    static Result<std::unique_ptr<RecordedVolume>> open(Devices devices, Options options = {},
                                                        u64 memory_limit = 256ULL << 20);

    // A recording that was saved: live() is its end, and read-only.
    static Result<std::unique_ptr<RecordedVolume>> play(GlassFile);

    Volume& live() { return *volume_; }
    bool played() const { return recorder_ == nullptr; }
    trace::Recorder& recorder() { return *recorder_; }  // of one that isn't played
    // What is kept so far.
    trace::Recording recording() const;
    // Nobody listens to a recording that is played.
    trace::Tracer tracer() { return recorder_ ? recorder_->tracer() : trace::Tracer(); }
    // All that play() needs. Nobody may write to the volume while this runs, or as long as the file is used.
    GlassFile file();
    // Nobody may write to the volume while this runs.
    std::unique_ptr<Past> past();

  private:
    RecordedVolume() = default;

    std::unique_ptr<Past> make_past(GlassFile);

    Devices devices_;
    Options options_;
    GlassFile played_;                           // of a saved recording
    std::unique_ptr<Past> shown_;                // its end, whose volume live() is
    std::unique_ptr<trace::Recorder> recorder_;  // outlives the volume, which reports to it
    std::unique_ptr<Volume> owned_;
    Volume* volume_ = nullptr;
};

}  // namespace glassfs::mount
