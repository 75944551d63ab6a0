// SPDX-License-Identifier: MIT
// Linux gives a block device to one exclusive opener at a time, and a mount is one.
#include "commands/host_images.h"

#include "base/text.h"
#include "commands/host_files.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>

namespace glassfs::commands {

namespace {

bool is_held(const std::string& device) {
    HostFile file(::open(device.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK));
    return file.get() < 0 && errno == EBUSY;
}

}  // namespace

HostImage look_at_image(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return {};
    HostImage image;
    image.kind = S_ISREG(info.st_mode)   ? HostImage::Kind::File
                 : S_ISBLK(info.st_mode) ? HostImage::Kind::BlockDevice
                                         : HostImage::Kind::Other;
    image.device = static_cast<u64>(S_ISBLK(info.st_mode) ? info.st_rdev : info.st_dev);
    image.inode = S_ISBLK(info.st_mode) ? 0 : static_cast<u64>(info.st_ino);
    return image;
}

bool is_same_image(const std::string& path, std::span<const std::string> others) {
    HostImage image = look_at_image(path);
    return std::ranges::any_of(others, [&](const std::string& other) {
        if (other == path) return true;
        HostImage twin = look_at_image(other);
        bool exists = image.kind != HostImage::Kind::Missing && twin.kind == image.kind;
        return exists && twin.device == image.device && twin.inode == image.inode;
    });
}

Result<void> refuse_image_in_use(const std::string& path) {
    HostImage image = look_at_image(path);
    if (image.kind == HostImage::Kind::BlockDevice && is_held(path)) {
        return fail(Cause::Busy, "it is mounted, or something else has it to itself");
    }
    if (image.kind != HostImage::Kind::File) return {};
    DIR* blocks = ::opendir("/sys/block");
    if (!blocks) return {};
    std::string holder;
    while (const dirent* entry = ::readdir(blocks)) {
        std::string name = entry->d_name;
        if (!name.starts_with("loop")) continue;
        std::ifstream file("/sys/block/" + name + "/loop/backing_file");
        std::string backing;
        if (!std::getline(file, backing) || !is_same_image(path, {&backing, 1})) continue;
        if (is_held("/dev/" + name)) holder = "/dev/" + name;
    }
    ::closedir(blocks);
    if (!holder.empty()) return fail(Cause::Busy, "it is mounted as " + holder);
    return {};
}

}  // namespace glassfs::commands
