// SPDX-License-Identifier: MIT
// Reading file data off the devices: each sector is compared with the checksum tree, and one that doesn't fit
// is taken from the next mirror. Compressed extents are decompressed whole and kept for a while, since a
// reader comes back for their other parts.
#pragma once

#include "base/compression.h"
#include "btrfs/cursor.h"

namespace glassfs::btrfs {

enum class DataChecksums : u8 { Verify, None };  // None: the inode has NODATASUM

class DataReader {
  public:
    explicit DataReader(Volume& volume) : volume_(volume), decompressed_(decompressed_bytes_max) {}

    // Bytes [at, at + out.size()) of an uncompressed extent that lies at `disk`. Any alignment.
    // Causes: DataChecksum, CsumMissing, DataNotInDump, those of the devices.
    Result<void> read_plain(LogicalAddr disk, u64 at, MutBytes out, DataChecksums);

    // All `ram_bytes` bytes of a compressed extent of `disk_bytes` bytes. Also CompressedDataBad.
    Result<std::shared_ptr<const Buffer>> read_compressed(LogicalAddr disk, u64 disk_bytes, u64 ram_bytes,
                                                          Compression, DataChecksums);

    // Other data lies at this address from now on.
    void forget(LogicalAddr disk) { decompressed_.drop(disk.value); }

  private:
    struct Sums {
        Buffer bytes;               // checksum_size bytes a sector
        std::vector<bool> present;  // per sector
    };
    static constexpr u64 decompressed_bytes_max = 32ULL << 20;

    Result<void> read_sectors(LogicalAddr disk, MutBytes out, DataChecksums);
    Result<Sums> look_up_sums(LogicalAddr disk, std::size_t sectors);
    Result<void> read_pieces(LogicalAddr disk, MutBytes out);
    Result<void> verify(LogicalAddr disk, MutBytes out, const Sums&);
    Result<void> repair_sector(LogicalAddr disk, MutBytes sector, Bytes wanted);
    bool fits(Bytes sector, Bytes sum) const;

    Volume& volume_;
    block::BufferCache<Buffer> decompressed_;  // by logical address on disk
};

}  // namespace glassfs::btrfs
