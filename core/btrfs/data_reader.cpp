// SPDX-License-Identifier: MIT
#include "btrfs/data_reader.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {
constexpr u64 compressed_ram_bytes_max = 16ULL << 20;  // Linux writes at most 128 KiB an extent
}

Result<void> DataReader::read_plain(LogicalAddr disk, u64 at, MutBytes out, DataChecksums sums) {
    if (volume_.geometry().has(incompat_raid_stripe_tree)) {
        return fail(Cause::UnsupportedFeature, "file data mapped by the RAID stripe tree");
    }
    u64 sector = volume_.geometry().sector_size;
    u64 begin = at / sector * sector;
    u64 end = (at + out.size() + sector - 1) / sector * sector;
    if (begin == at && end == at + out.size()) return read_sectors(disk + begin, out, sums);
    Buffer sectors(static_cast<std::size_t>(end - begin));
    TRY(read_sectors(disk + begin, sectors, sums));
    std::copy_n(sectors.begin() + static_cast<std::ptrdiff_t>(at - begin), out.size(), out.begin());
    return {};
}

Result<std::shared_ptr<const Buffer>> DataReader::read_compressed(LogicalAddr disk, u64 disk_bytes,
                                                                  u64 ram_bytes, Compression kind,
                                                                  DataChecksums sums) {
    if (auto known = decompressed_.get(disk.value); known != nullptr && known->size() == ram_bytes)
        return known;
    if (ram_bytes > compressed_ram_bytes_max || disk_bytes > compressed_ram_bytes_max) {
        return fail(Cause::CompressedDataBad, "extent of " + std::to_string(ram_bytes) + " bytes");
    }
    Buffer stored(static_cast<std::size_t>(disk_bytes));
    TRY(read_plain(disk, 0, stored, sums));
    auto plain = std::make_shared<Buffer>(static_cast<std::size_t>(ram_bytes));
    auto length = decompress(kind, stored, *plain, volume_.geometry().sector_size);
    // A bad extent is an I/O error whatever is wrong in it; only inline data can be more precise.
    if (!length) return fail(Cause::CompressedDataBad, {.block = disk.value}, length.error().detail);
    decompressed_.put(disk.value, plain, ram_bytes);
    return plain;
}

Result<void> DataReader::read_sectors(LogicalAddr disk, MutBytes out, DataChecksums sums) {
    if (sums == DataChecksums::None) return read_pieces(disk, out);
    Sums expected = TRY(look_up_sums(disk, out.size() / volume_.geometry().sector_size));
    TRY(read_pieces(disk, out));
    return verify(disk, out, expected);
}

// The whole range from mirror 0, or where that fails each piece (which lies on one device) from the first
// mirror that can be read.
Result<void> DataReader::read_pieces(LogicalAddr disk, MutBytes out) {
    auto whole = volume_.read_data(disk, out, 0);
    if (whole || volume_.mirrors(disk) <= 1) return whole;
    while (!out.empty()) {
        Mapping piece = TRY(volume_.chunk_map().map(disk, out.size(), 0));
        MutBytes part = out.first(static_cast<std::size_t>(piece.length));
        Result<void> done;
        for (u32 mirror = 0; mirror < piece.chunk->mirrors(); ++mirror) {
            done = volume_.read_data(disk, part, mirror);
            if (done) break;
        }
        TRY(std::move(done));
        disk = disk + piece.length;
        out = out.subspan(part.size());
    }
    return {};
}

Result<DataReader::Sums> DataReader::look_up_sums(LogicalAddr disk, std::size_t sectors) {
    const std::size_t width = checksum_size(volume_.geometry().csum_type);
    const u64 sector = volume_.geometry().sector_size;
    Sums sums{Buffer(sectors * width), std::vector<bool>(sectors)};
    const LogicalAddr end = disk + sectors * sector;
    Cursor cursor(volume_, TRY(volume_.tree_root(csum_tree_objectid)));
    Key first = make_key(extent_csum_objectid, KeyType::ExtentCsum, disk.value);
    bool more = TRY(cursor.seek_back(first));
    if (!more) more = TRY(cursor.seek(first));
    for (; more; more = TRY(cursor.next())) {
        Key key = cursor.key();
        if (key.objectid != extent_csum_objectid || type_of(key) != KeyType::ExtentCsum) {
            if (key > first) break;
            continue;
        }
        if (key.offset >= end.value) break;
        TRY(cursor.check());
        Bytes stored = cursor.data();
        u64 item_end = key.offset + stored.size() / width * sector;
        u64 from = std::max(key.offset, disk.value);
        u64 to = std::min(item_end, end.value);
        if (from >= to) continue;
        std::size_t target = static_cast<std::size_t>((from - disk.value) / sector);
        std::size_t count = static_cast<std::size_t>((to - from) / sector);
        std::size_t source = static_cast<std::size_t>((from - key.offset) / sector);
        std::copy_n(stored.begin() + static_cast<std::ptrdiff_t>(source * width), count * width,
                    sums.bytes.begin() + static_cast<std::ptrdiff_t>(target * width));
        std::fill_n(sums.present.begin() + static_cast<std::ptrdiff_t>(target), count, true);
    }
    return sums;
}

bool DataReader::fits(Bytes sector, Bytes sum) const {
    ChecksumType type = volume_.geometry().csum_type;
    return checksum(type, sector) == checksum_stored(type, sum);
}

Result<void> DataReader::verify(LogicalAddr disk, MutBytes out, const Sums& sums) {
    const std::size_t sector = volume_.geometry().sector_size;
    const std::size_t width = checksum_size(volume_.geometry().csum_type);
    for (std::size_t i = 0; i < sums.present.size(); ++i) {
        MutBytes bytes = out.subspan(i * sector, sector);
        Bytes wanted = Bytes(sums.bytes).subspan(i * width, width);
        LogicalAddr at = disk + i * sector;
        if (!sums.present[i]) return fail(Cause::CsumMissing, {.block = at.value});
        if (!fits(bytes, wanted)) TRY(repair_sector(at, bytes, wanted));
    }
    return {};
}

Result<void> DataReader::repair_sector(LogicalAddr disk, MutBytes sector, Bytes wanted) {
    u32 mirrors = volume_.mirrors(disk);
    for (u32 mirror = 0; mirror < mirrors; ++mirror) {
        if (volume_.read_data(disk, sector, mirror) && fits(sector, wanted)) return {};
    }
    // A volume restored from a metadata dump has checksums for data that was never restored.
    u64 dump_flags = super_flag_metadump | super_flag_metadump_v2;
    bool dump = (volume_.super().flags & dump_flags) != 0;
    return fail(dump ? Cause::DataNotInDump : Cause::DataChecksum, {.block = disk.value});
}

}  // namespace glassfs::btrfs
