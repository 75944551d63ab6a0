// SPDX-License-Identifier: MIT
// Names to what mkfs takes.
#include "mount/format.h"

#include "base/text.h"
#include "btrfs/mkfs.h"
#include "mount/system_environment.h"

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

Result<std::optional<u64>> choice(std::string_view what, const std::string& given,
                                  std::span<const NamedNumber> choices) {
    if (given.empty()) return std::optional<u64>();
    for (const NamedNumber& one : choices) {
        if (one.name == given) return std::optional(one.value);
    }
    return fail(Cause::InvalidArgument, std::string(what) + ": " + escaped(given));
}

}  // namespace

Result<void> format(const std::vector<std::shared_ptr<block::Device>>& devices, const FormatOptions& given,
                    Environment* environment) {
    btrfs::MkfsOptions options;
    options.label = given.label;
    options.node_size = given.node_size;
    const auto checksum = TRY(choice("checksum", given.checksum, checksums));
    if (checksum) options.checksum = static_cast<ChecksumType>(*checksum);
    options.metadata_profile = TRY(choice("metadata profile", given.metadata_profile, profiles));
    options.data_profile = TRY(choice("data profile", given.data_profile, profiles));
    SystemEnvironment host;
    return btrfs::mkfs(devices, options, environment ? *environment : host);
}

}  // namespace glassfs::mount
