// SPDX-License-Identifier: MIT
// Maps of whole trees, published while they are read. A walk of a big tree takes seconds from a slow device,
// so it lets walks that were asked for later go first: they run inside of it, a few levels deep.
#include "ui/model/session_impl.h"

namespace glassfs::ui {

namespace {
constexpr int nested_walks_max = 4;
constexpr auto publish_every = std::chrono::milliseconds(60);
}  // namespace

std::shared_ptr<const TreeMap> Session::tree_map(u64 tree) {
    Impl& s = *impl_;
    std::lock_guard lock(s.mutex);
    if (s.state != SessionState::Open) return nullptr;
    Impl::Walk& walk = s.walks[tree];
    walk.used = ++s.walk_clock;
    if (walk.queued || !s.volume || (walk.map && walk.moment == s.moment)) return walk.map;
    walk.queued = true;
    auto run = [&s, tree, keep = s.volume, asked = s.asked_locked()] { s.walk(keep, asked, tree); };
    auto forget = [&s, tree] { s.walks.erase(tree); };
    if (auto dropped = s.walker.push({std::move(run), std::move(forget)})) dropped->forget();
    return nullptr;
}

void Session::Impl::publish(Asked asked, const std::shared_ptr<const TreeMap>& map) {
    std::lock_guard lock(mutex);
    if (!is_now_locked(asked)) return;
    Walk& walk = walks[map->tree];
    walk.queued = !map->done;
    walk.moment = asked.moment;
    // The picture of another moment stays until the whole of this one is there.
    if (map->done || !walk.map || !walk.map->done) walk.map = map;
    while (walks.size() > walks_max) {
        auto oldest = walks.end();
        for (auto it = walks.begin(); it != walks.end(); ++it) {
            bool can_go = !it->second.queued && it->first != map->tree;
            if (can_go && (oldest == walks.end() || it->second.used < oldest->second.used)) oldest = it;
        }
        if (oldest == walks.end()) break;
        walks.erase(oldest);
    }
    changed();
}

void Session::Impl::walk(const VolumePtr& keep, Asked asked, u64 tree) {
    trace::Recorder::Muted quiet;
    std::shared_lock hold(past_mutex, std::defer_lock);
    if (walk_depth == 0) hold.lock();  // walks inside of walks have it
    if (!is_now(asked)) return;
    TreeMap map;
    map.tree = tree;
    auto open_chunk = std::make_shared<TreeMap::Chunk>();
    auto snapshot = [&] {
        auto copy = std::make_shared<TreeMap>(map);
        if (!open_chunk->empty()) copy->chunks.push_back(std::make_shared<TreeMap::Chunk>(*open_chunk));
        return copy;
    };
    auto last = std::chrono::steady_clock::now();
    auto visit = [&](const inspect::NodeRecord& record) {
        open_chunk->push_back(record);
        map.leaves += record.level == 0 ? 1 : 0;
        map.items += record.level == 0 ? record.items : 0;
        map.bad += record.bad ? 1 : 0;
        if (open_chunk->size() == TreeMap::chunk_size) {
            map.chunks.push_back(std::move(open_chunk));
            open_chunk = std::make_shared<TreeMap::Chunk>();
        }
        auto now = std::chrono::steady_clock::now();
        if (now - last < publish_every) return true;
        publish(asked, snapshot());
        if (walk_depth < nested_walks_max) {
            ++walk_depth;
            if (auto newer = walker.steal()) newer->run();
            --walk_depth;
        }
        last = std::chrono::steady_clock::now();
        std::lock_guard lock(mutex);
        return is_now_locked(asked);
    };
    auto walked = keep->inspector().walk_tree(tree, visit);
    map.done = true;
    if (!walked) map.error = std::move(walked).error();
    publish(asked, snapshot());
}

}  // namespace glassfs::ui
