// SPDX-License-Identifier: MIT
// A fresh btrfs in memory, mounted for writing, that can be left without a sync (a crash) and checked.
#pragma once

#include "block/ram_device.h"
#include "btrfs/file_system.h"
#include "btrfs/mkfs.h"
#include "btrfs/writable_volume.h"
#include "check/btrfs_check.h"

#include <doctest/doctest.h>

namespace glassfs::support {

class WritableMount {
  public:
    explicit WritableMount(const btrfs::MkfsOptions& options = {}, u64 bytes = 256ULL << 20) {
        devices_.push_back(std::make_shared<block::RamDevice>(bytes, "ram"));
        REQUIRE(btrfs::mkfs(devices_, options, environment_));
        mount();
    }

    btrfs::FileSystem& files() { return *files_; }
    btrfs::WritableVolume& store() { return *store_; }
    btrfs::Volume& volume() { return *volume_; }
    vfs::NodeId root() const { return files_->root(); }
    const std::vector<std::shared_ptr<block::Device>>& devices() const { return devices_; }

    // As after a crash: only what is on the device remains.
    void remount(std::string_view subvolume = {}) {
        files_.reset();
        store_.reset();
        volume_.reset();
        mount(subvolume);
    }
    void sync_and_remount() {
        REQUIRE(files_->sync());
        remount();
    }

    // What the checker says of the device as it is: one line for each problem.
    std::string problems() const {
        auto volume = btrfs::Volume::open(devices_, {});
        if (!volume) return volume.error().message();
        auto report = check::check_btrfs(**volume, {}, {});
        if (!report) return report.error().message();
        std::string out;
        for (const check::Issue& issue : report->issues) out += issue.error.message() + "\n";
        return out;
    }
    // All that deletions have left for later.
    void clean_up() {
        for (bool more = true; more;) {
            auto piece = files_->clean_up();
            REQUIRE_MESSAGE(piece, (piece ? "" : piece.error().message()));
            more = *piece;
        }
    }
    std::string problems_after_sync() {
        auto synced = files_->sync();
        return synced ? problems() : "sync: " + synced.error().message();
    }

    // Paths from the root, without symlinks. A failing step fails the test.
    vfs::NodeId at(std::string_view path) {
        vfs::NodeId node = root();
        while (!path.empty()) {
            std::string_view name = path.substr(0, path.find('/'));
            path.remove_prefix(std::min(path.size(), name.size() + 1));
            auto next = files_->lookup(node, name);
            REQUIRE_MESSAGE(next, name);
            node = *next;
        }
        return node;
    }
    vfs::Attributes stat(std::string_view path) {
        auto attributes = files_->getattr(at(path));
        REQUIRE(attributes);
        return *attributes;
    }
    // The names of a directory in its order, separated by spaces.
    std::string list(std::string_view path) {
        std::string out;
        auto done = files_->readdir(at(path), 0, [&](const vfs::DirEntry& entry) {
            if (!out.empty()) out += ' ';
            out += entry.name;
            return true;
        });
        return done ? out : errno_name(done.error().code());
    }
    bool exists(vfs::NodeId dir, std::string_view name) { return files_->lookup(dir, name).has_value(); }

  private:
    void mount(std::string_view subvolume = {}) {
        auto volume = btrfs::Volume::open(devices_, {});
        REQUIRE(volume);
        volume_ = std::move(*volume);
        auto store = btrfs::WritableVolume::open(*volume_, environment_, {}, {});
        REQUIRE(store);
        store_ = std::move(*store);
        auto files = btrfs::FileSystem::open(*volume_, store_.get(), subvolume, {});
        REQUIRE(files);
        files_ = std::move(*files);
    }

    SeededEnvironment environment_{7};
    std::vector<std::shared_ptr<block::Device>> devices_;
    std::unique_ptr<btrfs::Volume> volume_;
    std::unique_ptr<btrfs::WritableVolume> store_;
    std::unique_ptr<btrfs::FileSystem> files_;
};

inline const char* outcome(const auto& result) {
    return result ? "OK" : errno_name(result.error().code());
}

}  // namespace glassfs::support
