// SPDX-License-Identifier: MIT
// Probe and open: the only place that names the file systems. Everything above works on the interfaces.
#pragma once

#include "base/environment.h"
#include "base/histogram.h"
#include "block/device.h"
#include "check/issue.h"
#include "inspect/inspector.h"
#include "trace/trace.h"
#include "vfs/file_system.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace glassfs::mount {

enum class Access : u8 { ReadOnly, ReadWrite };

// A moment inside of a transaction, as a recording has it: tree blocks that are newer than the devices, by
// logical address (trace::memory_device), and where the trees' roots are.
struct Moment {
    std::shared_ptr<block::Device> memory = {};
    std::vector<trace::TreeRootMoved> roots = {};
};

struct Options {
    // Subvolume to show as the root: empty for the default one, a decimal tree id, or a path from the top
    // level.
    std::string subvolume;
    u64 cache_bytes = 128ULL << 20;
    trace::Tracer tracer = {};
    Access access = Access::ReadOnly;
    std::shared_ptr<Environment> environment = {};  // null: the host's clock and randomness
    bool discard = false;                           // tell the devices of freed space
    Moment moment = {};                             // for read-only mounts (recorded_volume.h)
};

// A letter of chattr and its bit in vfs::Attributes::flags.
struct InodeFlag {
    char letter;
    u64 bit;
    const char* meaning;
};

struct Subvolume {
    u64 id = 0;
    Generation generation;
    std::string path;  // from the top level, without a slash in front; as far as it can be read
    vfs::SnapshotKind kind = vfs::SnapshotKind::Writable;
};

// A choice between ways to do the same thing, for comparing them (lab/): the first one is the baseline.
struct Experiment {
    const char* name;
    std::span<const char* const> modes;
    const char* mode;  // the one that is used now
};

struct Counter {
    const char* name;
    u64 value;
};

class Volume {
  public:
    virtual ~Volume() = default;
    virtual vfs::FileSystem& files() = 0;
    virtual inspect::Inspector& inspector() = 0;
    // Reads everything; typed issues in the order found. `progress` (0..1) returns false to cancel.
    virtual Result<check::Report> check(const check::Options&,
                                        const std::function<bool(double)>& progress) = 0;

    // Makes everything durable and lets go of the devices; nothing else may be called after it. Destruction
    // without it loses what was not synced, and says nothing.
    virtual Result<void> close() { return files().sync(); }
    // Where times and random numbers of changes come from.
    virtual Environment& environment();
    virtual std::span<const InodeFlag> inode_flags() const { return {}; }
    // By id, without the top level. Cause::NoSuchOperation where the format has none.
    virtual Result<std::vector<Subvolume>> subvolumes() { return fail(Cause::NoSuchOperation); }
    // The root directory of a subvolume by id; 0: of the top level. Cause::NoSuchOperation,
    // Cause::RootMissing.
    virtual Result<vfs::NodeId> subvolume(u64 /*id*/) { return fail(Cause::NoSuchOperation); }
    // Who mounts without naming a subvolume, Linux too, gets this one from the next commit on.
    virtual Result<void> set_default_subvolume(u64 /*id*/) { return fail(Cause::NoSuchOperation); }

    // With a tracer that keeps images: the tree blocks that no commit has written yet, as the last event left
    // them, by logical address.
    virtual std::map<u64, Buffer> blocks_in_memory() { return {}; }

    // None when mounted read-only.
    virtual std::vector<Experiment> experiments() { return {}; }
    // Any time. Cause::InvalidArgument: no such experiment or mode.
    virtual Result<void> set_experiment(std::string_view name, std::string_view mode);
    // What explains the differences, since mounting.
    virtual std::vector<Counter> counters() { return {}; }
    // Measures each search for a free dev extent from now on; `now_ns`: a clock that only goes forward.
    virtual const Histogram* time_searches(std::function<u64()> now_ns);
};

// Opens one file system from the devices given (in any order; a metadump is recognised). Missing devices are
// accepted where the profiles allow it. Cause::UnknownFileSystem, or what the format says.
Result<std::unique_ptr<Volume>> open(std::vector<std::shared_ptr<block::Device>> devices,
                                     const Options& = {});

// What a device holds, in words ("btrfs", "ext4", "a GPT partition table"), whether it can be opened here or
// not; empty: nothing that is known. What can't be read counts as nothing.
std::string identify(block::Device&);

}  // namespace glassfs::mount
