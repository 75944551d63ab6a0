// SPDX-License-Identifier: MIT
#include "lab/chunkalloc.h"

#include "btrfs/mkfs.h"
#include "btrfs/names.h"

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

}  // namespace

// Draws from events. Dev extents are told as items of the device tree, their length by the event of the chunk
// that they belong to, which follows (or, when a chunk goes, comes behind them as well).
class ChunkallocSide::Listener final : public trace::Sink {
  public:
    Listener(u64 device_bytes, u32 cells) {
        picture.cell_bytes = std::max<u64>(1, (device_bytes + cells - 1) / cells);
        picture.allocated.resize(cells);
    }

    trace::SpanId begin(trace::SpanId, const char*, std::string) override { return trace::no_span; }
    void end(trace::SpanId) override {}
    bool wants_images() const override { return false; }
    void change(trace::SpanId span, trace::Event event, u64, PhysicalAddr, Buffer) override {
        this->event(span, std::move(event));
    }
    void event(trace::SpanId, trace::Event event) override {
        std::visit([&](const auto& e) { see(e); }, event);
    }

    // What was there before there was anything to listen to.
    void take(const inspect::SpaceMap& map) {
        for (const auto& extent : map.dev_extents) draw(extent.start.value, extent.length, +1);
        picture.dev_extents = map.dev_extents.size();
    }

    DevicePicture picture;

  private:
    static bool is_dev_extent(const auto& e) {
        return e.tree == btrfs::dev_tree_objectid && e.type == static_cast<u8>(btrfs::KeyType::DevExtent);
    }
    void see(const trace::ItemInserted& e) {
        if (is_dev_extent(e)) made_.push_back(e.offset);
    }
    void see(const trace::ItemDeleted& e) {
        if (is_dev_extent(e)) gone_.push_back(e.offset);
    }
    void see(const trace::ChunkAlloc& e) {
        for (u64 start : made_) {
            draw(start, e.length, +1);
            picture.placements = (picture.placements ^ start) * 0x100000001b3ULL + 1;
        }
        picture.dev_extents += made_.size();
        made_.clear();
    }
    void see(const trace::ChunkRemove& e) {
        for (u64 start : gone_) draw(start, e.length, -1);
        picture.dev_extents -= std::min<u64>(picture.dev_extents, gone_.size());
        gone_.clear();
    }
    void see(const trace::DevExtentSearch& e) { picture.search = e; }
    void see(const trace::AllocHintMoved& e) { picture.hint = e.to.value; }
    void see(const auto&) {}

    void draw(u64 start, u64 length, int sign) {
        const u64 end = start + length;
        for (u64 at = start; at < end;) {
            const auto cell = static_cast<std::size_t>(at / picture.cell_bytes);
            if (cell >= picture.allocated.size()) return;
            const u64 here = std::min(end, (u64{cell} + 1) * picture.cell_bytes) - at;
            u64& bytes = picture.allocated[cell];
            bytes = sign > 0 ? bytes + here : bytes - std::min(bytes, here);
            at += here;
        }
    }

    std::vector<u64> made_, gone_;
};

ChunkallocSide::~ChunkallocSide() = default;

Result<std::unique_ptr<ChunkallocSide>> ChunkallocSide::make(u64 device_bytes, std::string_view mode,
                                                             u32 cells) {
    std::unique_ptr<ChunkallocSide> side(new ChunkallocSide);
    side->device_bytes_ = device_bytes;
    side->device_ = std::make_shared<block::RamDevice>(device_bytes);
    auto environment = std::make_shared<SeededEnvironment>(1);
    // One copy of everything: a copy of the trees would only be memory here.
    TRY(btrfs::mkfs({side->device_}, {.metadata_profile = 0}, *environment));
    mount::Options mounting;
    mounting.access = mount::Access::ReadWrite;
    mounting.environment = environment;
    mounting.discard = true;  // or the device in memory would keep every block that ever was
    if (cells != 0) {
        side->listener_ = std::make_unique<Listener>(device_bytes, cells);
        mounting.tracer = trace::Tracer(side->listener_.get());
    }
    side->volume_ = TRY(mount::open({side->device_}, mounting));
    if (side->listener_) side->listener_->take(TRY(side->volume_->inspector().space()));
    TRY(side->set_mode(mode));
    side->search_times_ = side->volume_->time_searches(now_ns);
    GLASSFS_ASSERT(side->search_times_ != nullptr);
    vfs::FileSystem& files = side->volume_->files();
    side->file_ = TRY(files.create(files.root(), "filled", {}));
    return side;
}

Result<void> ChunkallocSide::set_mode(std::string_view mode) {
    return volume_->set_experiment("chunkalloc", mode);
}

const DevicePicture& ChunkallocSide::picture() const {
    GLASSFS_ASSERT(listener_ != nullptr);
    return listener_->picture;
}

u64 ChunkallocSide::memory_bytes() const {
    return device_->allocated();
}

ChunkallocStep ChunkallocSide::now() {
    return {bytes_, now_ns(), counter(*volume_, "searches"), counter(*volume_, "dev_extents_visited"),
            counter(*volume_, "device_tree_leaves_read")};
}

ChunkallocStep ChunkallocSide::since(const ChunkallocStep& before) {
    ChunkallocStep step = now();
    step.ns -= before.ns;
    step.searches -= before.searches;
    step.dev_extents_visited -= before.dev_extents_visited;
    step.leaves_read -= before.leaves_read;
    return step;
}

// Allocates up to `end`, or to the volume's. Returns how far it came.
Result<u64> ChunkallocSide::allocate(u64 end, const Progress& progress) {
    u64 at = bytes_;
    while (at < end) {
        u64 length = std::min(piece_bytes, end - at);
        // Down to single sectors, as somebody would who wants the last of it.
        auto fill = [&] {
            return volume_->files().fallocate(file_, vfs::FallocateMode::Allocate, at, length);
        };
        auto done = fill();
        while (!done && done.error().code() == Errno::NOSPC && length > 4096) {
            length = length / 2 / 4096 * 4096;
            done = fill();
        }
        if (!done && done.error().code() == Errno::NOSPC) return at;
        TRY(std::move(done));
        bytes_ = at += length;
        const double fraction = static_cast<double>(at) / static_cast<double>(device_bytes_);
        if (progress && !progress(fraction)) return fail(Cause::Cancelled);
    }
    return at;
}

Result<ChunkallocStep> ChunkallocSide::grow(u64 bytes, const Progress& progress) {
    const ChunkallocStep before = now();
    const u64 end = bytes_ + bytes;
    bytes_ = TRY(allocate(end, progress));
    full_ = bytes_ < end;
    TRY(volume_->files().sync());
    return since(before);
}

Result<ChunkallocStep> ChunkallocSide::punch(u64 at, u64 length) {
    const ChunkallocStep before = now();
    vfs::FileSystem& files = volume_->files();
    TRY(files.fallocate(file_, vfs::FallocateMode::PunchHole, at, length));
    // What was freed is pinned until one commit is done; the next one removes the empty chunks, and their
    // space is free behind that.
    for (int commits = 0; commits < 3; ++commits) {
        TRY(files.setattr(file_, {.mode = 0644}));
        TRY(files.sync());
    }
    return since(before);
}

Result<ChunkallocRun> run_chunkalloc(const ChunkallocOptions& options, std::string_view mode,
                                     const ChunkallocSide::Progress& progress) {
    if (options.step_bytes == 0) return fail(Cause::InvalidArgument, "steps of no bytes");
    auto side = TRY(ChunkallocSide::make(options.device_bytes, mode));
    auto chunks = [&] {
        for (const mount::Counter& one : side->counters()) {
            if (std::string_view(one.name) == "chunks_allocated") return one.value;
        }
        return u64{0};
    };
    ChunkallocRun run;
    run.mode = mode;
    const u64 chunks_before = chunks();
    while (!side->full()) {
        run.steps.push_back(TRY(side->grow(options.step_bytes, progress)));
        run.ns += run.steps.back().ns;
    }
    run.bytes = side->bytes();
    run.chunks = chunks() - chunks_before;
    run.search_times = side->search_times();
    run.counters = side->counters();
    return run;
}

}  // namespace glassfs::lab
