// SPDX-License-Identifier: MIT
#include "mount/mount.h"

#include "check/btrfs_check.h"
#include "inspect/btrfs_inspector.h"

namespace glassfs::mount {

namespace {

class BtrfsVolume final : public Volume {
  public:
    static Result<std::unique_ptr<Volume>> open(std::vector<std::shared_ptr<block::Device>> devices,
                                                const Options& options) {
        auto volume = TRY(btrfs::Volume::open(std::move(devices), {options.cache_bytes, options.tracer}));
        auto files = TRY(btrfs::FileSystem::open(*volume, nullptr, options.subvolume, options.tracer));
        return std::unique_ptr<Volume>(new BtrfsVolume(std::move(volume), std::move(files)));
    }

    vfs::FileSystem& files() override { return *files_; }
    inspect::Inspector& inspector() override { return inspector_; }
    Result<check::Report> check(const check::Options& options,
                                const std::function<bool(double)>& progress) override {
        return check::check_btrfs(*volume_, options, progress);
    }

  private:
    BtrfsVolume(std::unique_ptr<btrfs::Volume> volume, std::unique_ptr<btrfs::FileSystem> files)
        : volume_(std::move(volume)), files_(std::move(files)), inspector_(*volume_, *files_) {}

    std::unique_ptr<btrfs::Volume> volume_;
    std::unique_ptr<btrfs::FileSystem> files_;
    inspect::BtrfsInspector inspector_;
};

}  // namespace

Result<std::unique_ptr<Volume>> open(std::vector<std::shared_ptr<block::Device>> devices,
                                     const Options& options) {
    if (devices.empty()) return fail(Cause::InvalidArgument, "no device given");
    for (const auto& device : devices) {
        if (!btrfs::probe(*device)) return fail(Cause::UnknownFileSystem, device->name());
    }
    return BtrfsVolume::open(std::move(devices), options);
}

}  // namespace glassfs::mount
