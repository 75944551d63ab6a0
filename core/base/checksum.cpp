// SPDX-License-Identifier: MIT
// Dispatch over the four checksums, and their stored form.
#include "base/checksum.h"

#include "base/blake2b.h"
#include "base/crc32c.h"
#include "base/endian.h"
#include "base/sha256.h"
#include "base/xxhash64.h"

#include <algorithm>
#include <cstring>

namespace glassfs {
namespace {

template <class T>
Checksum padded(const T& value) {
    static_assert(sizeof(T) <= kChecksumSizeMax);
    Checksum result;
    std::memcpy(result.bytes.data(), &value, sizeof value);
    result.size = sizeof value;
    return result;
}

}  // namespace

std::optional<ChecksumType> checksum_type(u16 csum_type) {
    if (csum_type > static_cast<u16>(ChecksumType::Blake2b)) return std::nullopt;
    return static_cast<ChecksumType>(csum_type);
}

std::size_t checksum_size(ChecksumType type) {
    switch (type) {
        case ChecksumType::Crc32c:
            return 4;
        case ChecksumType::Xxhash64:
            return 8;
        case ChecksumType::Sha256:
            return 32;
        case ChecksumType::Blake2b:
            return 32;
    }
    return 0;
}

const char* checksum_name(ChecksumType type) {
    switch (type) {
        case ChecksumType::Crc32c:
            return "crc32c";
        case ChecksumType::Xxhash64:
            return "xxhash64";
        case ChecksumType::Sha256:
            return "sha256";
        case ChecksumType::Blake2b:
            return "blake2b";
    }
    return "unknown";
}

Checksum checksum(ChecksumType type, Bytes bytes) {
    switch (type) {
        case ChecksumType::Crc32c:
            return padded(Le32{crc32c(bytes)});
        case ChecksumType::Xxhash64:
            return padded(Le64{xxhash64(bytes)});
        case ChecksumType::Sha256:
            return padded(sha256(bytes));
        case ChecksumType::Blake2b:
            return padded(blake2b_256(bytes));
    }
    return {};
}

Checksum checksum_stored(ChecksumType type, Bytes stored) {
    Checksum result;
    const std::size_t size = checksum_size(type);
    std::copy_n(stored.begin(), std::min(size, stored.size()), result.bytes.begin());
    result.size = static_cast<u8>(size);
    return result;
}

}  // namespace glassfs
