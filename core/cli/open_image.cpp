// SPDX-License-Identifier: MIT
// From file names to a mounted volume.
#include "cli/open_image.h"

#include "base/text.h"
#include "block/file_device.h"
#include "block/partition.h"
#include "commands/host_images.h"

namespace glassfs::cli {

namespace {

using Devices = std::vector<std::shared_ptr<block::Device>>;
using Opened = Result<std::unique_ptr<mount::Volume>>;

Opened open_partitions(const Devices& devices, const ImageSource& source, const mount::Options& options) {
    auto partitions = block::partitions(*devices[0]);
    if (!partitions || partitions->empty()) {
        if (source.partition) return fail(Cause::NotFound, "there is no partition table");
        return fail(Cause::UnknownFileSystem);
    }
    Opened opened = fail(Cause::UnknownFileSystem);
    std::string held;  // numbers of partitions that hold a file system
    u32 count = 0;
    for (const block::Partition& partition : *partitions) {
        if (source.partition && partition.number != *source.partition) continue;
        Devices with_slice = devices;
        with_slice[0] = TRY(block::partition_device(devices[0], partition));
        Opened here = mount::open(with_slice, options);
        if (source.partition) return here;
        if (!here && here.error().cause == Cause::UnknownFileSystem) continue;
        held += text("%s%u", held.empty() ? "" : ", ", partition.number);
        if (++count == 1) opened = std::move(here);
    }
    if (source.partition) {
        return fail(Cause::NotFound,
                    text("no partition %llu", static_cast<unsigned long long>(*source.partition)));
    }
    if (count > 1) return fail(Cause::InvalidArgument, "which partition? --partition one of " + held);
    return opened;
}

Result<Devices> open_devices(const ImageSource& source) {
    Devices devices;
    std::vector<std::string> names = source.further_devices;
    names.insert(names.begin(), source.image);
    using FileAccess = block::FileDevice::Access;
    bool writing = source.access == mount::Access::ReadWrite;
    for (const std::string& name : names) {
        if (writing) TRY(commands::refuse_image_in_use(name));
        auto device = block::FileDevice::open(name, writing ? FileAccess::ReadWrite : FileAccess::ReadOnly);
        if (!device) {
            Error error = device.error();
            if (error.detail.empty()) error.detail = printable(name);
            return fail(error);
        }
        devices.push_back(*device);
    }
    return devices;
}

mount::Options options_of(const ImageSource& source) {
    mount::Options options;
    options.subvolume = source.subvolume;
    options.access = source.access;
    options.environment = source.environment;
    return options;
}

}  // namespace

Result<std::unique_ptr<mount::RecordedVolume>> open_recorded(const ImageSource& source) {
    return mount::RecordedVolume::open(TRY(open_devices(source)), options_of(source));
}

Opened open_image(const ImageSource& source) {
    Devices devices = TRY(open_devices(source));
    const mount::Options options = options_of(source);
    if (source.partition) return open_partitions(devices, source, options);
    Opened whole = mount::open(devices, options);
    if (whole || whole.error().cause != Cause::UnknownFileSystem) return whole;
    Opened partition = open_partitions(devices, source, options);
    bool nothing = !partition && partition.error().cause == Cause::UnknownFileSystem;
    return nothing ? std::move(whole) : std::move(partition);
}

}  // namespace glassfs::cli
