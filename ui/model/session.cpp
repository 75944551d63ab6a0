// SPDX-License-Identifier: MIT
#include "ui/model/session.h"

#include "block/partition.h"
#include "block/unpack.h"
#include "ui/model/session_impl.h"

namespace glassfs::ui {

using Clock = std::chrono::steady_clock;

void Session::Impl::changed() {
    revision.fetch_add(1);
    if (notify) notify();
}

void Session::Impl::reset_locked() {
    ++epoch;
    ++moment;
    volume.reset();
    past.reset();
    timeline.reset();
    position = 0;
    moment_error.reset();
    newer_blocks = std::make_shared<std::map<u64, u64>>();
    devices.clear();
    in_memory = false;
    root = {};
    open_error.reset();
    requests.clear();
    walker.clear();
    jobber.clear();
    for (const auto& job : jobs) job->cancel = true;
    if (command_cancel) command_cancel->store(true);
    jobs.clear();
    console_first += console.size();
    console.clear();
    completed.clear();
    origin.reset();
    walks.clear();
    cwd = "/";
    info.clear();
    superblock.clear();
    trees.clear();
    blocks.clear();
    fields.clear();
    paths.clear();
    key_paths.clear();
    space.clear();
    experiments.clear();
    attributes.clear();
    directories.clear();
    xattrs.clear();
    extents.clear();
    links.clear();
    file_bytes.clear();
    resolved.clear();
    if (!recorded) return;
    // What was done and not synced becomes durable, on a worker.
    jobber.push({[left = std::move(recorded)] { (void)left->live().close(); }, {}});
    recorded.reset();
}

void Session::Impl::start_opening_locked(std::string with_name) {
    reset_locked();
    state = SessionState::Opening;
    name = std::move(with_name);
    open_since = Clock::now();
}

void Session::Impl::finish_opening(u64 asked, Result<std::unique_ptr<mount::Volume>> opened) {
    // An open volume's facts are there at once: nobody sees one that is open and unknown.
    std::shared_ptr<const Result<inspect::VolumeInfo>> facts;
    if (opened) facts = std::make_shared<const Result<inspect::VolumeInfo>>((*opened)->inspector().info());
    std::lock_guard lock(mutex);
    if (asked != epoch) return;
    if (opened) {
        volume = std::move(*opened);
        root = volume->files().root();
        auto& slot = info.slot(0);
        slot.result = std::move(facts);
        slot.moment = moment;
        state = SessionState::Open;
    } else {
        open_error = std::move(opened).error();
        state = SessionState::Failed;
    }
    changed();
}

Session::Session() : impl_(std::make_unique<Impl>()) {}

Session::~Session() {
    std::lock_guard lock(impl_->mutex);
    impl_->reset_locked();
    impl_->notify = nullptr;
}

void Session::open(Devices devices, std::string name) {
    open_from([devices = std::move(devices)]() -> Result<Devices> { return devices; }, std::move(name));
}

namespace {
using Opened = Result<std::unique_ptr<mount::Volume>>;

// A whole disk: the first partition with a file system that is known here.
Opened mount_partition(const std::shared_ptr<block::Device>& disk, Error otherwise) {
    auto found = block::partitions(*disk);
    if (!found) return fail(std::move(otherwise));
    for (const block::Partition& partition : *found) {
        auto opened = mount::open({TRY(block::partition_device(disk, partition))});
        if (opened || opened.error().cause != Cause::UnknownFileSystem) return opened;
    }
    return fail(std::move(otherwise));
}

Opened mount_devices(const Session::Devices& devices) {
    Opened opened = mount::open(devices);
    if (opened || devices.size() != 1 || opened.error().cause != Cause::UnknownFileSystem) return opened;
    return mount_partition(devices[0], std::move(opened).error());
}
}  // namespace

void Session::open_from(std::function<Result<Devices>()> make, std::string name) {
    Impl& s = *impl_;
    view.forget_volume();
    std::lock_guard lock(s.mutex);
    s.start_opening_locked(std::move(name));
    epoch_ = s.epoch;
    auto open = [&s, make = std::move(make), asked = s.epoch] {
        auto unpack = [&]() -> Result<Devices> {
            Devices devices = TRY(make());
            // Whoever opens something else meanwhile doesn't wait for this.
            for (auto& device : devices)
                device = TRY(block::unpacked(device, [&](u64) { return s.current_epoch() == asked; }));
            return devices;
        };
        auto devices = unpack();
        if (devices && devices->size() == 1 && mount::is_glass_file(*devices->front())) {
            auto file = mount::load_glass(*devices->front());
            s.finish_opening_recorded(
                asked, file ? mount::RecordedVolume::play(std::move(*file)) : fail(std::move(file).error()));
            return;
        }
        auto opened = devices ? mount_devices(*devices) : Opened(fail(std::move(devices).error()));
        if (opened) {
            std::lock_guard relock(s.mutex);
            if (asked == s.epoch) s.devices = std::move(*devices);
        }
        s.finish_opening(asked, std::move(opened));
    };
    s.requests.push({std::move(open), {}});
    s.changed();
}

void Session::open_volume(Mount mount, std::string name) {
    Impl& s = *impl_;
    view.forget_volume();
    std::lock_guard lock(s.mutex);
    s.start_opening_locked(std::move(name));
    epoch_ = s.epoch;
    s.requests.push(
        {[&s, mount = std::move(mount), asked = s.epoch] { s.finish_opening(asked, mount()); }, {}});
    s.changed();
}

void Session::close() {
    view.forget_volume();
    std::lock_guard lock(impl_->mutex);
    impl_->reset_locked();
    impl_->state = SessionState::Empty;
    impl_->name.clear();
    epoch_ = impl_->epoch;
    impl_->changed();
}

void Session::fail_open(Error error, std::string name) {
    close();
    std::lock_guard lock(impl_->mutex);
    impl_->state = SessionState::Failed;
    impl_->name = std::move(name);
    impl_->open_error = std::move(error);
    impl_->changed();
}

SessionState Session::state() {
    std::lock_guard lock(impl_->mutex);
    return impl_->state;
}

std::string Session::name() {
    std::lock_guard lock(impl_->mutex);
    return impl_->name;
}

std::optional<Error> Session::open_error() {
    std::lock_guard lock(impl_->mutex);
    return impl_->open_error;
}

double Session::opening_seconds() {
    std::lock_guard lock(impl_->mutex);
    if (impl_->state != SessionState::Opening) return 0;
    return std::chrono::duration<double>(Clock::now() - impl_->open_since).count();
}

u64 Session::revision() const {
    return impl_->revision.load();
}

void Session::set_notify(std::function<void()> notify) {
    std::lock_guard lock(impl_->mutex);
    impl_->notify = std::move(notify);
}

bool Session::busy() {
    return !impl_->requests.idle() || !impl_->walker.idle() || !impl_->jobber.idle();
}

vfs::NodeId Session::root() {
    std::lock_guard lock(impl_->mutex);
    return impl_->root;
}

Answer<inspect::VolumeInfo> Session::info() {
    return impl_->ask(impl_->info, 0,
                      [](mount::Volume& v) -> Result<inspect::VolumeInfo> { return v.inspector().info(); });
}

Answer<Superblock> Session::superblock() {
    return impl_->ask(impl_->superblock, 0, [](mount::Volume& v) -> Result<Superblock> {
        return Superblock{v.inspector().superblock(), v.inspector().superblock_raw()};
    });
}

Answer<std::vector<inspect::TreeInfo>> Session::trees() {
    using Trees = std::vector<inspect::TreeInfo>;
    return impl_->ask(impl_->trees, 0,
                      [](mount::Volume& v) -> Result<Trees> { return v.inspector().trees(); });
}

Answer<inspect::BlockView> Session::block(LogicalAddr addr) {
    return impl_->ask(impl_->blocks, addr.value,
                      [addr](mount::Volume& v) { return v.inspector().block(addr); });
}

Answer<std::vector<inspect::Field>> Session::item_fields(LogicalAddr addr, u32 slot) {
    return impl_->ask(impl_->fields, std::pair(addr.value, slot),
                      [addr, slot](mount::Volume& v) { return v.inspector().item_fields(addr, slot); });
}

Answer<std::vector<inspect::PathStep>> Session::path_to(vfs::NodeId node) {
    return impl_->ask(impl_->paths, node, [node](mount::Volume& v) { return v.inspector().path_to(node); });
}

Answer<std::vector<inspect::PathStep>> Session::path_to_key(u64 tree, KeyRef key) {
    return impl_->ask(impl_->key_paths, std::pair(tree, key),
                      [tree, key](mount::Volume& v) { return v.inspector().path_to_key(tree, key); });
}

std::optional<Error> Session::follow_wanted_key() {
    if (!view.wanted_key || state() != SessionState::Open) return std::nullopt;
    const auto [tree, key] = *view.wanted_key;
    auto path = path_to_key(tree, key);
    const auto* last = path && !path->empty() ? &path->back() : nullptr;
    auto leaf = last != nullptr && last->block ? block(*last->block) : Answer<inspect::BlockView>();
    const Error* error = path.error() ? path.error() : leaf.error();
    if (error == nullptr && (path.pending() || leaf.pending())) return std::nullopt;
    view.wanted_key.reset();
    if (error != nullptr) return *error;
    const u32 slot = last->slot.value_or(0);
    if (slot >= leaf->items.size() || leaf->items[slot].key != key) {
        return Error{Cause::NotFound, {}, "no such item at this moment"};
    }
    view.select_slot(*last->block, slot);
    return std::nullopt;
}

Answer<inspect::SpaceMap> Session::space() {
    return impl_->ask(impl_->space, 0, [](mount::Volume& v) { return v.inspector().space(); });
}

Answer<std::vector<mount::Experiment>> Session::experiments() {
    return impl_->ask(impl_->experiments, 0, [](mount::Volume& v) -> Result<std::vector<mount::Experiment>> {
        return v.experiments();
    });
}

}  // namespace glassfs::ui
