// SPDX-License-Identifier: MIT
#include "mount/mount.h"

#include "btrfs/file_system.h"
#include "btrfs/writable_volume.h"
#include "check/btrfs_check.h"
#include "inspect/btrfs_inspector.h"
#include "mount/system_environment.h"

#include <map>

namespace glassfs::mount {

namespace {

constexpr InodeFlag btrfs_flags[] = {
    {'a', 128, "can only be appended to"},
    {'A', 512, "reading doesn't change the access time"},
    {'c', 2048, "compressed"},
    {'C', 2, "no copy on write"},
    {'d', 256, "not dumped"},
    {'D', 1024, "changes of the directory are synchronous"},
    {'i', 64, "can't be changed"},
    {'m', 8, "never compressed"},
    {'S', 32, "changes are synchronous"},
};

constexpr const char* chunkalloc_modes[] = {"scan", "hint"};

// Paths of subvolumes, from the top level: each directory on the way is listed once.
class SubvolumePaths {
  public:
    explicit SubvolumePaths(vfs::FileSystem& files) : files_(files) {}

    std::string of(u64 tree) {
        std::string path;
        vfs::NodeId at = root_of(tree);
        for (u32 depth = 0; at != root_of(btrfs::fs_tree_objectid) && depth < depth_max; ++depth) {
            auto parent = files_.parent(at);
            if (!parent || *parent == at) break;
            path = name_of(*parent, at) + (path.empty() ? "" : "/") + path;
            at = *parent;
        }
        return path;
    }

  private:
    static constexpr u32 depth_max = 4096;  // a damaged volume may go in circles

    static vfs::NodeId root_of(u64 tree) { return {tree, InodeNo{btrfs::first_free_objectid}}; }

    const std::string& name_of(vfs::NodeId directory, vfs::NodeId child) {
        auto [names, first] = names_.try_emplace(directory);
        if (first) {
            // An error leaves names out.
            (void)files_.readdir(directory, 0, [&](const vfs::DirEntry& entry) {
                if (entry.type == vfs::FileType::Directory) names->second.emplace(entry.id, entry.name);
                return true;
            });
        }
        return names->second.try_emplace(child, "?").first->second;
    }

    vfs::FileSystem& files_;
    std::map<vfs::NodeId, std::map<vfs::NodeId, std::string>> names_;
};

class BtrfsVolume final : public Volume {
  public:
    static Result<std::unique_ptr<Volume>> open(std::vector<std::shared_ptr<block::Device>> devices,
                                                const Options& options) {
        btrfs::Volume::Options reading{options.cache_bytes, options.tracer, options.moment.memory, {}};
        for (const trace::TreeRootMoved& moved : options.moment.roots) {
            reading.roots.push_back({moved.tree, moved.root, moved.level, moved.generation});
        }
        auto volume = TRY(btrfs::Volume::open(std::move(devices), reading));
        std::shared_ptr<Environment> environment = options.environment;
        if (environment == nullptr) environment = std::make_shared<SystemEnvironment>();
        std::unique_ptr<btrfs::WritableVolume> store;
        if (options.access == Access::ReadWrite) {
            btrfs::WritableVolume::Options writing;
            writing.discard = options.discard;
            store = TRY(btrfs::WritableVolume::open(*volume, *environment, writing, options.tracer));
        }
        auto files = TRY(btrfs::FileSystem::open(*volume, store.get(), options.subvolume, options.tracer));
        return std::unique_ptr<Volume>(
            new BtrfsVolume(std::move(volume), std::move(store), std::move(files), std::move(environment)));
    }

    vfs::FileSystem& files() override { return *files_; }
    inspect::Inspector& inspector() override { return inspector_; }
    Result<check::Report> check(const check::Options& options,
                                const std::function<bool(double)>& progress) override {
        // What is checked is what a commit leaves; nobody may change it meanwhile.
        TRY(files_->sync());
        auto lock = volume_->reading();
        return check::check_btrfs(*volume_, options, progress);
    }
    Result<void> close() override {
        while (TRY(files_->clean_up())) {
        }
        return files_->sync();
    }
    Environment& environment() override { return *environment_; }
    std::map<u64, Buffer> blocks_in_memory() override {
        return store_ == nullptr ? std::map<u64, Buffer>{} : store_->shadows().copies();
    }
    std::vector<Experiment> experiments() override {
        if (store_ == nullptr) return {};
        bool hint = store_->chunk_search() == btrfs::DevExtentSearchMode::Hint;
        return {{"chunkalloc", chunkalloc_modes, chunkalloc_modes[hint ? 1 : 0]}};
    }
    Result<void> set_experiment(std::string_view name, std::string_view mode) override {
        if (store_ == nullptr || name != "chunkalloc") return Volume::set_experiment(name, mode);
        if (mode != chunkalloc_modes[0] && mode != chunkalloc_modes[1])
            return Volume::set_experiment(name, mode);
        store_->set_chunk_search(mode == chunkalloc_modes[0] ? btrfs::DevExtentSearchMode::Scan
                                                             : btrfs::DevExtentSearchMode::Hint);
        return {};
    }
    std::vector<Counter> counters() override;
    const Histogram* time_searches(std::function<u64()> now_ns) override {
        if (store_ == nullptr) return nullptr;
        store_->chunks().dev_extents().set_stopwatch(std::move(now_ns));
        return &store_->chunks().dev_extents().search_times();
    }
    std::span<const InodeFlag> inode_flags() const override { return btrfs_flags; }
    Result<std::vector<Subvolume>> subvolumes() override {
        SubvolumePaths paths(*files_);
        std::vector<Subvolume> out;
        for (const inspect::TreeInfo& tree : inspector_.trees()) {
            if (!tree.is_subvolume || tree.id == btrfs::fs_tree_objectid) continue;
            auto root = volume_->root_item(tree.id);
            if (root && root->refs == 0) continue;  // deleted, and still being dropped
            bool read_only = root && (root->flags & btrfs::root_subvol_rdonly) != 0;
            out.push_back({tree.id, tree.generation, paths.of(tree.id),
                           read_only ? vfs::SnapshotKind::ReadOnly : vfs::SnapshotKind::Writable});
        }
        return out;
    }

    Result<vfs::NodeId> subvolume(u64 id) override {
        return files_->subvolume(id == 0 ? btrfs::fs_tree_objectid : id);
    }
    Result<void> set_default_subvolume(u64 id) override { return files_->set_default_subvolume(id); }

  private:
    BtrfsVolume(std::unique_ptr<btrfs::Volume> volume, std::unique_ptr<btrfs::WritableVolume> store,
                std::unique_ptr<btrfs::FileSystem> files, std::shared_ptr<Environment> environment)
        : environment_(std::move(environment)),
          volume_(std::move(volume)),
          store_(std::move(store)),
          files_(std::move(files)),
          inspector_(*volume_, *files_) {}

    std::shared_ptr<Environment> environment_;
    std::unique_ptr<btrfs::Volume> volume_;
    std::unique_ptr<btrfs::WritableVolume> store_;  // null: mounted read-only
    std::unique_ptr<btrfs::FileSystem> files_;
    inspect::BtrfsInspector inspector_;
};

std::vector<Counter> BtrfsVolume::counters() {
    if (store_ == nullptr) return {};
    const btrfs::DevExtentCounters& search = store_->chunks().dev_extents().counters();
    const btrfs::CommitCounters& commit = store_->counters();
    using Move = btrfs::HintMove;
    return {{"searches", search.searches},
            {"dev_extents_visited", search.dev_extents_visited},
            {"device_tree_leaves_read", search.leaves_read},
            {"searches_below_hint", search.searches_below},
            {"hint_moves_built", search.moves(Move::Built)},
            {"hint_moves_proved", search.moves(Move::Proved)},
            {"hint_moves_allocated", search.moves(Move::Allocated)},
            {"hint_moves_freed", search.moves(Move::Freed)},
            {"hint_moves_reset", search.moves(Move::Reset)},
            {"chunks_allocated", store_->chunks().chunks_allocated()},
            {"commits", commit.commits},
            {"blocks_written", commit.blocks_written},
            {"blocks_copied", commit.cow_blocks}};
}

}  // namespace

Result<void> Volume::set_experiment(std::string_view name, std::string_view mode) {
    return fail(Cause::InvalidArgument,
                "no experiment " + std::string(name) + " with mode " + std::string(mode));
}

const Histogram* Volume::time_searches(std::function<u64()>) {
    return nullptr;
}

Environment& Volume::environment() {
    static SystemEnvironment system;
    return system;
}

Result<std::unique_ptr<Volume>> open(std::vector<std::shared_ptr<block::Device>> devices,
                                     const Options& options) {
    if (devices.empty()) return fail(Cause::InvalidArgument, "no device given");
    for (const auto& device : devices) {
        if (!btrfs::probe(*device)) return fail(Cause::UnknownFileSystem, device->name());
    }
    return BtrfsVolume::open(std::move(devices), options);
}

}  // namespace glassfs::mount
