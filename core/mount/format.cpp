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

}  // namespace

Result<u64> checksum_named(const std::string& name) {
    return choice(name, checksums);
}

Result<u64> profile_named(const std::string& name) {
    return choice(name, profiles);
}

Result<void> format(const std::vector<std::shared_ptr<block::Device>>& devices, const FormatOptions& given,
                    Environment* environment) {
    btrfs::MkfsOptions options;
    options.label = given.label;
    options.node_size = given.node_size;
    const auto checksum = TRY(chosen("checksum", given.checksum, checksum_named));
    if (checksum) options.checksum = static_cast<ChecksumType>(*checksum);
    options.metadata_profile = TRY(chosen("metadata profile", given.metadata_profile, profile_named));
    options.data_profile = TRY(chosen("data profile", given.data_profile, profile_named));
    SystemEnvironment host;
    return btrfs::mkfs(devices, options, environment ? *environment : host);
}

}  // namespace glassfs::mount
