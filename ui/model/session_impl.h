// SPDX-License-Identifier: MIT
// The inside of a Session, shared by its sources: the state under one mutex, the caches and the threads.
// Results are stored only if the volume that they came from is still the open one (`epoch`).
#pragma once

#include "ui/model/answer_cache.h"
#include "ui/model/worker.h"

#include <chrono>
#include <deque>

namespace glassfs::ui {

using VolumePtr = std::shared_ptr<mount::Volume>;  // a running request keeps its volume

struct Session::Impl {
    std::mutex mutex;  // guards what follows, up to the workers
    SessionState state = SessionState::Empty;
    std::string name;
    std::optional<Error> open_error;
    std::chrono::steady_clock::time_point open_since;
    u64 epoch = 0;
    VolumePtr volume;
    vfs::NodeId root;

    AnswerCache<int, inspect::VolumeInfo> info{1};
    AnswerCache<int, Superblock> superblock{1};
    AnswerCache<int, std::vector<inspect::TreeInfo>> trees{1};
    AnswerCache<u64, inspect::BlockView> blocks{384};
    AnswerCache<std::pair<u64, u32>, std::vector<inspect::Field>> fields{512};
    AnswerCache<vfs::NodeId, std::vector<inspect::PathStep>> paths{64};
    AnswerCache<std::pair<u64, KeyRef>, std::vector<inspect::PathStep>> key_paths{64};
    AnswerCache<vfs::NodeId, vfs::Attributes> attributes{1024};
    AnswerCache<std::pair<vfs::NodeId, u64>, DirPage> directories{256};
    AnswerCache<vfs::NodeId, std::vector<vfs::Xattr>> xattrs{64};
    AnswerCache<vfs::NodeId, ExtentList> extents{64};
    AnswerCache<vfs::NodeId, std::string> links{256};
    AnswerCache<std::pair<vfs::NodeId, u64>, FileBytes> file_bytes{64};
    AnswerCache<std::string, vfs::NodeId> resolved{64};

    struct Walk {
        std::shared_ptr<const TreeMap> map;  // null until the first chunk
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
    void start_opening_locked(std::string name, u64 epoch);
    void finish_opening(u64 epoch, Result<std::unique_ptr<mount::Volume>>);
    void walk(const VolumePtr&, u64 epoch, u64 tree);
    void publish(u64 epoch, const std::shared_ptr<const TreeMap>&);
    void run_command(const VolumePtr&, u64 epoch, std::size_t serial, const std::string& line);

    // The cached answer for `key`, or queues `read(Volume&) -> Result<T>`.
    template <class Key, class T, class Read>
    Answer<T> ask(AnswerCache<Key, T>& cache, const Key& key, Read read) {
        std::lock_guard lock(mutex);
        if (!volume) return {};
        auto& slot = cache.slot(key);
        if (slot.result) return Answer<T>(slot.result);
        if (slot.queued) return {};
        slot.queued = true;
        auto run = [this, &cache, key, read = std::move(read), keep = volume, asked = epoch] {
            auto result = std::make_shared<const Result<T>>(read(*keep));
            std::lock_guard relock(mutex);
            if (asked != epoch) return;
            auto& filled = cache.slot(key);
            filled.result = std::move(result);
            filled.queued = false;
            changed();
        };
        auto forget = [&cache, key] {
            if (auto* dropped = cache.find(key)) dropped->queued = false;
        };
        if (auto dropped = requests.push({std::move(run), std::move(forget)})) {
            if (dropped->forget) dropped->forget();
        }
        return {};
    }
};

}  // namespace glassfs::ui
