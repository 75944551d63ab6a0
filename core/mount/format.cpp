// SPDX-License-Identifier: MIT
// Names to what mkfs takes.
#include "mount/format.h"

#include "base/text.h"
#include "block/ram_device.h"
#include "btrfs/mkfs.h"
#include "btrfs/profile_shape.h"
#include "btrfs/xattr_edit.h"
#include "mount/mount.h"
#include "mount/system_environment.h"

#include <algorithm>
#include <array>
#include <span>

namespace glassfs::mount {

namespace {

struct NamedNumber {
    std::string_view name;
    u64 value;
};
constexpr NamedNumber profiles[] = {
    {"single", 0},
    {"dup", btrfs::block_group_dup},
    {"raid0", btrfs::block_group_raid0},
    {"raid1", btrfs::block_group_raid1},
    {"raid1c3", btrfs::block_group_raid1c3},
    {"raid1c4", btrfs::block_group_raid1c4},
    {"raid10", btrfs::block_group_raid10},
};
constexpr NamedNumber checksums[] = {
    {"crc32c", static_cast<u64>(ChecksumType::Crc32c)},
    {"xxhash", static_cast<u64>(ChecksumType::Xxhash64)},
    {"sha256", static_cast<u64>(ChecksumType::Sha256)},
    {"blake2", static_cast<u64>(ChecksumType::Blake2b)},
};

constexpr std::string_view compressions[] = {"zlib", "lzo", "zstd"};

template <std::size_t count>
constexpr std::array<std::string_view, count> names_of(const NamedNumber (&choices)[count]) {
    std::array<std::string_view, count> names = {};
    for (std::size_t i = 0; i < count; ++i) names[i] = choices[i].name;
    return names;
}

Result<u64> choice(const std::string& given, std::span<const NamedNumber> choices) {
    std::string names;
    for (const NamedNumber& one : choices) {
        if (one.name == given) return one.value;
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return fail(Cause::InvalidArgument, "one of " + names + ", not " + escaped(given));
}

// Nothing for an empty name; an error says what it is about.
Result<std::optional<u64>> chosen(const char* what, const std::string& name,
                                  Result<u64> (*named)(const std::string&)) {
    if (name.empty()) return std::optional<u64>();
    auto value = named(name);
    if (!value) return fail(Cause::InvalidArgument, std::string(what) + ": " + value.error().detail);
    return std::optional(*value);
}

Result<btrfs::MkfsOptions> options_of(const FormatOptions& given) {
    btrfs::MkfsOptions options;
    options.label = given.label;
    options.node_size = given.node_size;
    const auto checksum = TRY(chosen("checksum", given.checksum, checksum_named));
    if (checksum) options.checksum = static_cast<ChecksumType>(*checksum);
    options.metadata_profile = TRY(chosen("metadata profile", given.metadata_profile, profile_named));
    options.data_profile = TRY(chosen("data profile", given.data_profile, profile_named));
    const bool known = given.compression.empty() || std::ranges::count(compressions, given.compression) > 0;
    if (!known)
        return fail(Cause::InvalidArgument,
                    "compression: one of zlib, lzo, zstd, not " + escaped(given.compression));
    return options;
}

// What is made in the root directory from now on is compressed so.
Result<void> compress_from_now_on(const std::vector<std::shared_ptr<block::Device>>& devices,
                                  const std::string& compression) {
    Options options;
    options.access = Access::ReadWrite;
    auto volume = TRY(open(devices, options));
    const auto root = volume->files().root();
    TRY(volume->files().set_xattr(root, btrfs::compression_xattr, as_bytes(compression),
                                  vfs::XattrMode::Any));
    return volume->close();
}

}  // namespace

std::span<const std::string_view> profile_names() {
    static constexpr auto names = names_of(profiles);
    return names;
}

std::span<const std::string_view> checksum_names() {
    static constexpr auto names = names_of(checksums);
    return names;
}

std::span<const std::string_view> compression_names() {
    return compressions;
}

Result<u64> checksum_named(const std::string& name) {
    return choice(name, checksums);
}

Result<u64> profile_named(const std::string& name) {
    return choice(name, profiles);
}

Result<u32> devices_needed(const std::string& profile) {
    return btrfs::shape_of(TRY(profile_named(profile))).devices_min;
}

Result<u64> device_bytes_min(const FormatOptions& given, std::size_t devices) {
    return btrfs::mkfs_device_bytes_min(TRY(options_of(given)), devices);
}

Result<void> check_format(const std::vector<u64>& device_bytes, const FormatOptions& given) {
    std::vector<std::shared_ptr<block::Device>> devices;
    for (u64 bytes : device_bytes) {
        devices.push_back(
            std::make_shared<block::RamDevice>(bytes, "device " + std::to_string(devices.size() + 1)));
    }
    SystemEnvironment host;
    return btrfs::mkfs(devices, TRY(options_of(given)), host);
}

Result<void> format(const std::vector<std::shared_ptr<block::Device>>& devices, const FormatOptions& given,
                    Environment* environment) {
    SystemEnvironment host;
    TRY(btrfs::mkfs(devices, TRY(options_of(given)), environment ? *environment : host));
    return given.compression.empty() ? Result<void>() : compress_from_now_on(devices, given.compression);
}

}  // namespace glassfs::mount
