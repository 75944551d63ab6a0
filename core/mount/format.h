// SPDX-License-Identifier: MIT
// A new file system on devices, its choices by name: what a form or a command line gives.
#pragma once

#include "base/environment.h"
#include "block/device.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glassfs::mount {

struct FormatOptions {
    std::string label = {};
    u32 node_size = 16384;
    std::string checksum = {};  // "crc32c", "xxhash", "sha256", "blake2"; empty: crc32c
    // "single", "dup", "raid0", "raid1", "raid1c3", "raid1c4", "raid10"; empty: what suits the devices.
    std::string metadata_profile = {};
    std::string data_profile = {};
    // "zlib", "lzo", "zstd": of files made from now on (btrfs.compression of the root directory); empty:
    // none.
    std::string compression = {};
};

// The names that there are, in the order of a form.
std::span<const std::string_view> profile_names();
std::span<const std::string_view> checksum_names();
std::span<const std::string_view> compression_names();

// The choices of the two, by their names. Cause::InvalidArgument: "one of crc32c, xxhash, .., not md5".
Result<u64> checksum_named(const std::string& name);  // a ChecksumType
Result<u64> profile_named(const std::string& name);   // a block group's profile flag, 0: single

// The fewest devices for a profile. Cause::InvalidArgument: no such profile.
Result<u32> devices_needed(const std::string& profile);
// The fewest bytes that each of so many devices must have.
Result<u64> device_bytes_min(const FormatOptions&, std::size_t devices);
// What format() would say to devices of these sizes; for a form, before there are any.
Result<void> check_format(const std::vector<u64>& device_bytes, const FormatOptions&);

// Overwrites what is on the devices. Cause::InvalidArgument says which option, before anything is written;
// Cause::NoSpace: a device is too small. Null: the host's clock and randomness.
Result<void> format(const std::vector<std::shared_ptr<block::Device>>& devices, const FormatOptions&,
                    Environment* = nullptr);

}  // namespace glassfs::mount
