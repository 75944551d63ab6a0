// SPDX-License-Identifier: MIT
// A new file system on devices, its choices by name: what a form or a command line gives.
#pragma once

#include "base/environment.h"
#include "block/device.h"

#include <memory>
#include <string>
#include <vector>

namespace glassfs::mount {

struct FormatOptions {
    std::string label = {};
    u32 node_size = 16384;
    std::string checksum = {};  // "crc32c", "xxhash", "sha256", "blake2"; empty: crc32c
    // "single", "dup", "raid0", "raid1", "raid1c3", "raid1c4", "raid10"; empty: what suits the devices.
    std::string metadata_profile = {};
    std::string data_profile = {};
};

// The choices of the two, by their names. Cause::InvalidArgument: "one of crc32c, xxhash, .., not md5".
Result<u64> checksum_named(const std::string& name);  // a ChecksumType
Result<u64> profile_named(const std::string& name);   // a block group's profile flag, 0: single

// Overwrites what is on the devices. Cause::InvalidArgument says which option, before anything is written;
// Cause::NoSpace: a device is too small. Null: the host's clock and randomness.
Result<void> format(const std::vector<std::shared_ptr<block::Device>>& devices, const FormatOptions&,
                    Environment* = nullptr);

}  // namespace glassfs::mount
