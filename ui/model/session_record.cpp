// SPDX-License-Identifier: MIT
// A session's volume when it can be written to: the present, and every moment before it.
#include "block/overlay_device.h"
#include "block/ram_device.h"
#include "ui/model/session_impl.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

std::shared_ptr<const std::map<u64, u64>> newer_now(mount::Volume& volume, const Timeline& timeline) {
    auto out = std::make_shared<std::map<u64, u64>>();
    for (const auto& entry : volume.blocks_in_memory()) out->emplace(entry.first, 0);
    for (const TimelineStep& step : timeline.steps) {
        for (const auto& change : step.changes) {
            auto found = out->find(change.block.value);
            if (found != out->end()) found->second = step.number;
        }
    }
    return out;
}

}  // namespace

VolumePtr Session::Impl::live_locked() const {
    return recorded ? VolumePtr(recorded, &recorded->live()) : volume;
}

void Session::Impl::new_moment_locked() {
    ++moment;
    requests.clear();
    walker.clear();
    auto forget = [](auto&... caches) { (caches.forget_queued(), ...); };
    forget(info, superblock, trees, blocks, fields, paths, key_paths, space, experiments, attributes,
           directories, xattrs, extents, links, file_bytes, resolved, completed);
    for (auto& entry : walks) entry.second.queued = false;
}

void Session::open_writable(std::function<Result<Devices>()> make, std::string name,
                            std::function<void(const Error*)> opened,
                            std::shared_ptr<Environment> environment) {
    Impl& s = *impl_;
    view.forget_volume();
    std::lock_guard lock(s.mutex);
    s.start_opening_locked(std::move(name));
    epoch_ = s.epoch;
    auto open = [&s, make = std::move(make), tell = std::move(opened), environment, asked = s.epoch] {
        using Opened = Result<std::unique_ptr<mount::RecordedVolume>>;
        auto devices = make();
        if (devices) {
            std::lock_guard hold(s.mutex);
            if (asked == s.epoch) s.devices = *devices;
        }
        mount::Options options;
        options.environment = environment;
        Opened volume = devices ? mount::RecordedVolume::open(std::move(*devices), options)
                                : Opened(fail(std::move(devices).error()));
        if (tell) tell(volume ? nullptr : &volume.error());
        s.finish_opening_recorded(asked, std::move(volume));
    };
    s.requests.push({std::move(open), {}});
    s.changed();
}

void Session::Impl::finish_opening_recorded(u64 asked,
                                            Result<std::unique_ptr<mount::RecordedVolume>> opened) {
    std::shared_ptr<const Result<inspect::VolumeInfo>> facts;
    if (opened) {
        trace::Recorder::Muted quiet;
        facts = std::make_shared<const Result<inspect::VolumeInfo>>((*opened)->live().inspector().info());
    }
    std::lock_guard lock(mutex);
    if (asked != epoch) return;
    if (!opened) {
        open_error = std::move(opened).error();
        state = SessionState::Failed;
        devices.clear();
        changed();
        return;
    }
    recorded = std::move(*opened);
    volume = live_locked();
    root = volume->files().root();
    auto& slot = info.slot(0);
    slot.result = std::move(facts);
    slot.moment = moment;
    timeline = std::make_shared<const Timeline>(make_timeline(recorded->recording()));
    position = timeline->end;
    state = SessionState::Open;
    changed();
}

void Session::create(std::string name, u64 bytes, const mount::FormatOptions& options,
                     std::optional<u64> seed, u32 devices) {
    std::shared_ptr<Environment> environment;
    if (seed) environment = std::make_shared<SeededEnvironment>(*seed);
    auto make = [bytes, options, name, devices, environment]() -> Result<Devices> {
        Devices made;
        for (u32 i = 0; i < devices; ++i) {
            const std::string one = devices == 1 ? name : name + " " + std::to_string(i + 1);
            made.push_back(std::make_shared<block::RamDevice>(bytes, one, 4096));
        }
        TRY(mount::format(made, options, environment.get()));
        return made;
    };
    open_writable(std::move(make), name, {}, environment);
    std::lock_guard lock(impl_->mutex);
    impl_->in_memory = true;
    if (seed) impl_->origin = VolumeOrigin{name, bytes, devices, options, *seed, {}};
}

std::optional<VolumeOrigin> Session::origin() {
    std::lock_guard lock(impl_->mutex);
    return impl_->state == SessionState::Open ? impl_->origin : std::nullopt;
}

bool Session::edit_in_memory() {
    Devices devices;
    std::string name;
    {
        std::lock_guard lock(impl_->mutex);
        if (impl_->state != SessionState::Open || impl_->recorded || impl_->devices.empty()) return false;
        for (const auto& device : impl_->devices) {
            devices.push_back(std::make_shared<block::OverlayDevice>(device));
        }
        name = impl_->name;
    }
    open_writable([devices = std::move(devices)]() -> Result<Devices> { return devices; }, std::move(name));
    std::lock_guard lock(impl_->mutex);
    impl_->in_memory = true;
    return true;
}

bool Session::writable() {
    std::lock_guard lock(impl_->mutex);
    return impl_->recorded != nullptr && !impl_->recorded->played();
}

bool Session::in_memory() {
    std::lock_guard lock(impl_->mutex);
    return impl_->recorded != nullptr && impl_->in_memory;
}

std::shared_ptr<const Timeline> Session::timeline() {
    std::lock_guard lock(impl_->mutex);
    return impl_->timeline;
}

u64 Session::position() {
    std::lock_guard lock(impl_->mutex);
    return impl_->position;
}

bool Session::in_past() {
    std::lock_guard lock(impl_->mutex);
    return impl_->timeline && impl_->position != impl_->timeline->end;
}

std::shared_ptr<const std::map<u64, u64>> Session::newer_blocks() {
    std::lock_guard lock(impl_->mutex);
    return impl_->newer_blocks;
}

void Session::go_to(u64 position) {
    Impl& s = *impl_;
    std::lock_guard lock(s.mutex);
    if (!s.recorded || !s.timeline) return;
    position = std::clamp(position, std::min(s.timeline->first, s.timeline->end), s.timeline->end);
    if (position == s.position) return;
    s.position = position;
    s.moment_error.reset();
    s.new_moment_locked();
    s.volume = nullptr;
    auto run = [&s, asked = s.asked_locked(), position] { s.show_past(asked, position); };
    s.requests.push({std::move(run), {}});
    s.changed();
}

// On the requests' thread. A command that runs has the volume to itself: then the present is shown.
void Session::Impl::show_past(Asked asked, u64 to) {
    trace::Recorder::Muted quiet;
    std::unique_lock hold(past_mutex);
    std::unique_lock still(command_mutex, std::try_to_lock);
    std::shared_ptr<mount::RecordedVolume> from;
    bool present = !still.owns_lock();
    {
        std::lock_guard lock(mutex);
        if (!is_now_locked(asked)) return;
        from = recorded;
        present |= to == timeline->end;
    }
    mount::Volume* shown = nullptr;
    std::optional<Error> error;
    if (!present) {
        if (!past) past = from->past();
        auto there = past->at(to);
        if (there)
            shown = *there;
        else
            error = std::move(there).error();
    }
    auto newer_there = shown ? std::make_shared<const std::map<u64, u64>>(past->changed_blocks())
                             : newer_now(from->live(), *timeline);
    std::lock_guard lock(mutex);
    if (!is_now_locked(asked)) return;
    volume = shown ? VolumePtr(past, shown) : live_locked();
    if (!shown) position = timeline->end;
    moment_error = std::move(error);
    newer_blocks = std::move(newer_there);
    changed();
}

// On the thread of commands, when one has ended.
void Session::Impl::show_present(u64 asked) {
    std::shared_ptr<mount::RecordedVolume> from;
    {
        std::lock_guard lock(mutex);
        if (asked != epoch || !recorded) return;
        from = recorded;
        new_moment_locked();  // whoever still reads from the moment before gives up
        volume = nullptr;
    }
    trace::Recorder::Muted quiet;
    auto now = std::make_shared<const Timeline>(make_timeline(from->recording()));
    auto newer_there = newer_now(from->live(), *now);
    std::unique_lock hold(past_mutex);
    std::lock_guard lock(mutex);
    if (asked != epoch) return;
    past.reset();
    timeline = std::move(now);
    position = timeline->end;
    moment_error.reset();
    newer_blocks = std::move(newer_there);
    new_moment_locked();
    volume = live_locked();
    changed();
}

std::optional<Error> Session::moment_error() {
    std::lock_guard lock(impl_->mutex);
    return impl_->moment_error;
}

}  // namespace glassfs::ui
