// SPDX-License-Identifier: MIT
#include "lab/chunkalloc.h"

#include "block/ram_device.h"
#include "btrfs/mkfs.h"

#include <algorithm>
#include <chrono>

namespace glassfs::lab {

namespace {

constexpr u64 piece_bytes = 16ULL << 30;  // of one fallocate: often enough to be cancelled

u64 now_ns() {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

u64 counter(mount::Volume& volume, std::string_view name) {
    for (const mount::Counter& one : volume.counters()) {
        if (one.name == name) return one.value;
    }
    return 0;
}

// Allocates up to `end`, or to the volume's. Returns how far it came.
Result<u64> allocate(vfs::FileSystem& files, vfs::NodeId file, u64 at, u64 end, u64 device_bytes,
                     const std::function<bool(double)>& progress) {
    while (at < end) {
        u64 length = std::min(piece_bytes, end - at);
        // Down to single sectors, as somebody would who wants the last of it.
        auto done = files.fallocate(file, vfs::FallocateMode::Allocate, at, length);
        while (!done && done.error().code() == Errno::NOSPC && length > 4096) {
            length = length / 2 / 4096 * 4096;
            done = files.fallocate(file, vfs::FallocateMode::Allocate, at, length);
        }
        if (!done && done.error().code() == Errno::NOSPC) return at;
        TRY(std::move(done));
        at += length;
        double fraction = static_cast<double>(at) / static_cast<double>(device_bytes);
        if (progress && !progress(fraction)) return fail(Cause::Cancelled);
    }
    return at;
}

}  // namespace

Result<ChunkallocRun> run_chunkalloc(const ChunkallocOptions& options, std::string_view mode,
                                     const std::function<bool(double)>& progress) {
    if (options.step_bytes == 0) return fail(Cause::InvalidArgument, "steps of no bytes");
    std::vector<std::shared_ptr<block::Device>> devices = {
        std::make_shared<block::RamDevice>(options.device_bytes)};
    auto environment = std::make_shared<SeededEnvironment>(1);
    TRY(btrfs::mkfs(devices, {}, *environment));
    mount::Options mounting;
    mounting.access = mount::Access::ReadWrite;
    mounting.environment = environment;
    mounting.discard = true;  // or the device in memory would keep every block that ever was
    auto volume = TRY(mount::open(devices, mounting));
    TRY(volume->set_experiment("chunkalloc", mode));
    const Histogram* times = volume->time_searches(now_ns);
    GLASSFS_ASSERT(times != nullptr);
    vfs::FileSystem& files = volume->files();
    vfs::NodeId file = TRY(files.create(files.root(), "filled", {}));

    ChunkallocRun run;
    run.mode = mode;
    u64 chunks_before = counter(*volume, "chunks_allocated");
    for (bool full = false; !full;) {
        ChunkallocStep before{0, now_ns(), counter(*volume, "searches"),
                              counter(*volume, "dev_extents_visited"),
                              counter(*volume, "device_tree_leaves_read")};
        u64 end = run.bytes + options.step_bytes;
        u64 reached = TRY(allocate(files, file, run.bytes, end, options.device_bytes, progress));
        TRY(files.sync());
        full = reached < end;
        run.bytes = reached;
        run.steps.push_back({reached, now_ns() - before.ns, counter(*volume, "searches") - before.searches,
                             counter(*volume, "dev_extents_visited") - before.dev_extents_visited,
                             counter(*volume, "device_tree_leaves_read") - before.leaves_read});
        run.ns += run.steps.back().ns;
    }
    run.chunks = counter(*volume, "chunks_allocated") - chunks_before;
    run.search_times = *times;
    run.counters = volume->counters();
    return run;
}

}  // namespace glassfs::lab
