// SPDX-License-Identifier: MIT
// Volumes on devices of a test's own, mounted for writing, and what can be seen of them as text.
#pragma once

#include "base/crc32c.h"
#include "base/text.h"
#include "btrfs/file_system.h"
#include "btrfs/writable_volume.h"
#include "check/btrfs_check.h"

namespace glassfs::support {

using Devices = std::vector<std::shared_ptr<block::Device>>;

// A volume on devices that are given, mounted for writing.
struct Mounted {
    static Result<Mounted> open(const Devices& devices, u64 seed, const btrfs::Volume::Options& options = {},
                                std::string_view subvolume = "") {
        Mounted out;
        out.environment = std::make_unique<SeededEnvironment>(seed);
        out.volume = TRY(btrfs::Volume::open(devices, options));
        out.store = TRY(btrfs::WritableVolume::open(*out.volume, *out.environment, {}, {}));
        out.files = TRY(btrfs::FileSystem::open(*out.volume, out.store.get(), subvolume, {}));
        return out;
    }
    std::unique_ptr<SeededEnvironment> environment;
    std::unique_ptr<btrfs::Volume> volume;
    std::unique_ptr<btrfs::WritableVolume> store;
    std::unique_ptr<btrfs::FileSystem> files;
};

// Everything that a user can see below `dir`, a line for each name.
inline Result<void> describe(vfs::FileSystem& files, vfs::NodeId dir, const std::string& path,
                             std::string& out) {
    std::vector<vfs::DirEntry> entries;
    TRY(files.readdir(dir, 0, [&](const vfs::DirEntry& entry) {
        entries.push_back(entry);
        return true;
    }));
    for (const vfs::DirEntry& entry : entries) {
        vfs::NodeId id = TRY(files.lookup(dir, entry.name));
        vfs::Attributes is = TRY(files.getattr(id));
        out += path + "/" + escaped(entry.name) + " " + text("%o %u", is.mode, is.nlink) + " " +
               std::to_string(is.size);
        if (is.type == vfs::FileType::Regular) {
            Buffer content(static_cast<std::size_t>(is.size));
            std::size_t length = TRY(files.read(id, 0, content));
            out += text(" %08x", crc32c(Bytes(content).first(length)));
        }
        if (is.type == vfs::FileType::Symlink) out += " -> " + TRY(files.readlink(id));
        for (const vfs::Xattr& xattr : TRY(files.xattrs(id))) {
            out += " " + xattr.name + text("=%08x", crc32c(xattr.value));
        }
        out += "\n";
        if (is.type == vfs::FileType::Directory)
            TRY(describe(files, id, path + "/" + escaped(entry.name), out));
    }
    return {};
}

inline std::string described(vfs::FileSystem& files) {
    std::string out;
    auto done = describe(files, files.root(), "", out);
    return done ? out : "can't be read: " + done.error().message();
}

// What the checker says of the devices as they are, a line for each problem.
inline std::string problems(const Devices& devices) {
    auto volume = btrfs::Volume::open(devices, {});
    if (!volume) return volume.error().message();
    auto report = check::check_btrfs(**volume, {}, {});
    if (!report) return report.error().message();
    std::string out;
    for (const check::Issue& issue : report->issues) {
        if (issue.severity == check::Severity::Problem) out += issue.error.message() + "\n";
    }
    return out;
}

}  // namespace glassfs::support
