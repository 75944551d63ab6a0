// SPDX-License-Identifier: MIT
// The inside of a Session, shared by its sources: the state under one mutex, the caches and the threads.
// Results are stored only if the volume that they came from is still the open one (`epoch`).
#pragma once

#include "mount/recorded_volume.h"
#include "ui/model/answer_cache.h"
#include "ui/model/worker.h"

#include <chrono>
#include <deque>
#include <shared_mutex>

namespace glassfs::ui {

using VolumePtr = std::shared_ptr<mount::Volume>;  // a running request keeps its volume

struct Session::Impl {
    std::mutex mutex;  // guards what follows, up to the workers
    SessionState state = SessionState::Empty;
    std::string name;
    std::optional<Error> open_error;
    std::chrono::steady_clock::time_point open_since;
    u64 epoch = 0;
    VolumePtr volume;  // answers questions; null for a while when another moment is being prepared
    vfs::NodeId root;
    Session::Devices devices;  // that the volume was opened from
    bool in_memory = false;    // closing the volume loses it

    // Of a volume that is recorded. `moment` is another number for each state of the volume: an answer of an
    // earlier one is shown until there is a newer one.
    std::shared_ptr<mount::RecordedVolume> recorded;
    std::shared_ptr<mount::Past> past;  // used by one thread at a time: past_mutex
    std::shared_mutex past_mutex;       // shared: whoever reads from a moment; exclusive: going to another
    std::shared_ptr<const Timeline> timeline;
    std::shared_ptr<const std::map<u64, u64>> newer_blocks = std::make_shared<std::map<u64, u64>>();
    u64 moment = 1;
    u64 position = 0;
    std::optional<Error> moment_error;
    std::optional<VolumeOrigin> origin;
    std::mutex command_mutex;  // held while a command runs

    AnswerCache<int, inspect::VolumeInfo> info{1};
    AnswerCache<int, Superblock> superblock{1};
    AnswerCache<int, std::vector<inspect::TreeInfo>> trees{1};
    AnswerCache<u64, inspect::BlockView> blocks{384};
    AnswerCache<std::pair<u64, u32>, std::vector<inspect::Field>> fields{512};
    AnswerCache<vfs::NodeId, std::vector<inspect::PathStep>> paths{64};
    AnswerCache<std::pair<u64, KeyRef>, std::vector<inspect::PathStep>> key_paths{64};
    AnswerCache<int, inspect::SpaceMap> space{1};
    AnswerCache<int, std::vector<mount::Experiment>> experiments{1};
    AnswerCache<vfs::NodeId, vfs::Attributes> attributes{1024};
    AnswerCache<std::pair<vfs::NodeId, u64>, DirPage> directories{256};
    AnswerCache<vfs::NodeId, std::vector<vfs::Xattr>> xattrs{64};
    AnswerCache<vfs::NodeId, ExtentList> extents{64};
    AnswerCache<vfs::NodeId, std::string> links{256};
    AnswerCache<std::pair<vfs::NodeId, u64>, FileBytes> file_bytes{64};
    AnswerCache<std::string, vfs::NodeId> resolved{64};

    struct Walk {
        std::shared_ptr<const TreeMap> map;  // null until the first chunk
        u64 moment = 0;                      // of `map`, or of the walk that is queued
        bool queued = false;
        u64 used = 0;
    };
    static constexpr std::size_t walks_max = 12;
    std::map<u64, Walk> walks;
    u64 walk_clock = 0;
    int walk_depth = 0;  // of the walker's thread alone

    std::deque<std::shared_ptr<Job>> jobs;
    std::deque<ConsoleEntry> console;
    std::size_t console_first = 0;  // serial number of its first entry
    AnswerCache<std::pair<std::string, std::string>, std::vector<std::string>> completed{64};
    std::string cwd = "/";
    std::shared_ptr<std::atomic<bool>> command_cancel;

    std::function<void()> notify;
    std::atomic<u64> revision{1};

    // Last members: their threads end before anything above goes away.
    Worker walker{Worker::Order::NewestFirst, 32};
    Worker jobber{Worker::Order::InOrder, 1024};
    Worker requests{Worker::Order::NewestFirst, 256};

    void changed();  // something new to draw; with or without the mutex held
    void reset_locked();
    void start_opening_locked(std::string name);
    void finish_opening(u64 epoch, Result<std::unique_ptr<mount::Volume>>);
    void finish_opening_recorded(u64 epoch, Result<std::unique_ptr<mount::RecordedVolume>>);
    // What was asked for is asked of this state of the volume.
    struct Asked {
        u64 epoch;
        u64 moment;
    };
    u64 current_epoch() {
        std::lock_guard lock(mutex);
        return epoch;
    }
    Asked asked_locked() const { return {epoch, moment}; }
    bool is_now_locked(const Asked& asked) const { return asked.epoch == epoch && asked.moment == moment; }
    bool is_now(const Asked& asked) {
        std::lock_guard lock(mutex);
        return is_now_locked(asked);
    }
    // The volume is another one now: answers are asked for again.
    void new_moment_locked();
    VolumePtr live_locked() const;
    void walk(const VolumePtr&, Asked, u64 tree);
    void publish(Asked, const std::shared_ptr<const TreeMap>&);
    void show_present(u64 epoch);  // after a command: timeline, newer blocks
    void show_past(Asked, u64 position);
    // On the thread of jobs: what `change` does to the volume is an operation of this name.
    // A command can be run again from a link; anything else ends that.
    enum class Origin : u8 { Ends, Stays };
    void as_operation(const std::string& name, const std::function<void()>& change,
                      Origin kept = Origin::Ends);
    // Queues a job on the open volume, whose thread runs `work`; what it returns becomes the job's error.
    std::shared_ptr<Job> start_job(std::string title,
                                   std::function<Result<void>(mount::Volume&, u64 epoch, Job&)> work);
    void run_command(const VolumePtr&, u64 epoch, std::size_t serial, const std::string& line);

    // The cached answer for `key`, or queues `read(Volume&) -> Result<T>`.
    template <class Key, class T, class Read>
    Answer<T> ask(AnswerCache<Key, T>& cache, const Key& key, Read read) {
        std::lock_guard lock(mutex);
        if (state != SessionState::Open) return {};
        auto& slot = cache.slot(key);
        Answer<T> known(slot.result);
        if (slot.result && slot.moment == moment) return known;
        if (slot.queued || !volume) return known;
        slot.queued = true;
        auto run = [this, &cache, key, read = std::move(read), keep = volume, asked = asked_locked()] {
            trace::Recorder::Muted quiet;
            std::shared_lock hold(past_mutex);
            if (!is_now(asked)) return;
            auto result = std::make_shared<const Result<T>>(read(*keep));
            std::lock_guard relock(mutex);
            if (!is_now_locked(asked)) return;
            auto& filled = cache.slot(key);
            filled.result = std::move(result);
            filled.moment = asked.moment;
            filled.queued = false;
            changed();
        };
        auto forget = [&cache, key] {
            if (auto* dropped = cache.find(key)) dropped->queued = false;
        };
        if (auto dropped = requests.push({std::move(run), std::move(forget)})) {
            if (dropped->forget) dropped->forget();
        }
        return known;
    }
};

}  // namespace glassfs::ui
