// SPDX-License-Identifier: MIT
//
//   sector 0            MBR: boot code, 4 entries, 0x55 0xaa. Under GPT one entry of type 0xee covers the
//   disk. sector 1            GPT header: where the entries are, a CRC over itself and one over the entries
//   sectors 2..         GPT entries, 128 bytes each
//   last sector         the header's copy, which has its own copy of the entries in front of it
//
// An extended partition holds a chain of sectors shaped like an MBR: each has one logical partition (relative
// to that sector) and a link to the next (relative to the extended partition's begin).
#include "block/partition.h"

#include "base/layout.h"
#include "base/text.h"
#include "block/slice_device.h"

#include <algorithm>
#include <utility>
#include <zlib.h>

namespace glassfs::block {
namespace disk {

using Code = std::array<u8, 446>;
using Chs = std::array<u8, 3>;
using Utf16Name = std::array<u8, 72>;

#define MBR_ENTRY(F)                    \
    F(0, u8, boot_indicator, show_hex)  \
    F(1, Chs, starting_chs, show_bytes) \
    F(4, u8, os_type, show_hex)         \
    F(5, Chs, ending_chs, show_bytes)   \
    F(8, Le32, starting_lba, show_dec)  \
    F(12, Le32, size_in_lba, show_dec)
GLASSFS_LAYOUT(mbr_entry, 16, MBR_ENTRY)

using Entries = std::array<mbr_entry, 4>;
struct mbr {
    Code boot_code;
    Entries partitions;
    Le16 signature;
};
static_assert(sizeof(mbr) == 512 && offsetof(mbr, partitions) == 446 && offsetof(mbr, signature) == 510);

#define GPT_HEADER(F)                                  \
    F(0, Le64, signature, show_hex)                    \
    F(8, Le32, revision, show_hex)                     \
    F(12, Le32, header_size, show_dec)                 \
    F(16, Le32, header_crc32, show_hex)                \
    F(20, Le32, reserved, show_hex)                    \
    F(24, Le64, my_lba, show_dec)                      \
    F(32, Le64, alternate_lba, show_dec)               \
    F(40, Le64, first_usable_lba, show_dec)            \
    F(48, Le64, last_usable_lba, show_dec)             \
    F(56, Uuid, disk_guid, show_uuid)                  \
    F(72, Le64, partition_entry_lba, show_dec)         \
    F(80, Le32, number_of_partition_entries, show_dec) \
    F(84, Le32, size_of_partition_entry, show_dec)     \
    F(88, Le32, partition_entry_array_crc32, show_hex)
GLASSFS_LAYOUT(gpt_header, 92, GPT_HEADER)

#define GPT_ENTRY(F)                              \
    F(0, Uuid, partition_type_guid, show_uuid)    \
    F(16, Uuid, unique_partition_guid, show_uuid) \
    F(32, Le64, starting_lba, show_dec)           \
    F(40, Le64, ending_lba, show_dec)             \
    F(48, Le64, attributes, show_hex)             \
    F(56, Utf16Name, partition_name, show_text)
GLASSFS_LAYOUT(gpt_entry, 128, GPT_ENTRY)

}  // namespace disk

namespace {

constexpr u16 mbr_signature = 0xaa55;
constexpr u64 gpt_signature = 0x5452415020494645;  // "EFI PART"
constexpr u8 type_protective = 0xee;
constexpr u32 gpt_entries_bytes_max = 1 << 20;  // 8192 entries; tools write 128
constexpr u32 logical_max = 256;

using Table = std::vector<Partition>;

Failure bad(std::string detail) {
    return fail(Cause::PartitionTableBad, std::move(detail));
}

u32 crc32_of(Bytes bytes) {
    return static_cast<u32>(::crc32_z(0, bytes.data(), bytes.size()));
}

Result<Buffer> read_bytes(Device& device, u64 at, u64 length) {
    Buffer bytes(static_cast<std::size_t>(length));
    TRY(device.read(at, bytes));
    return bytes;
}

// The first three groups of a GUID are little-endian numbers; in text they are written from the highest
// digit.
std::string guid_text(Uuid guid) {
    std::reverse(guid.begin(), guid.begin() + 4);
    std::swap(guid[4], guid[5]);
    std::swap(guid[6], guid[7]);
    return uuid_text(guid);
}

void append_utf8(std::string& out, u32 point) {
    auto put = [&](u32 byte) { out += static_cast<char>(byte); };
    if (point < 0x80) return put(point);
    if (point < 0x800) {
        put(0xc0 | point >> 6);
    } else {
        if (point < 0x10000) {
            put(0xe0 | point >> 12);
        } else {
            put(0xf0 | point >> 18);
            put(0x80 | (point >> 12 & 63));
        }
        put(0x80 | (point >> 6 & 63));
    }
    put(0x80 | (point & 63));
}

// UTF-16LE up to the first NUL; a surrogate without its other half becomes U+FFFD.
std::string utf8_of(const disk::Utf16Name& name) {
    std::string out;
    auto unit = [&](std::size_t i) { return u32{name[2 * i]} | u32{name[2 * i + 1]} << 8; };
    for (std::size_t i = 0; i < name.size() / 2 && unit(i) != 0; ++i) {
        u32 point = unit(i);
        if (point >= 0xd800 && point < 0xe000) {
            u32 low = i + 1 < name.size() / 2 ? unit(i + 1) : 0;
            bool pair = point < 0xdc00 && low >= 0xdc00 && low < 0xe000;
            point = pair ? 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
            if (pair) ++i;
        }
        append_utf8(out, point);
    }
    return out;
}

// Adds [lba, lba + sectors) if it lies inside of the device.
Result<void> add(Table& table, const Device& device, u64 sector, u64 lba, u64 sectors, Partition partition) {
    u64 end = device.size() / sector;
    if (lba > end || sectors > end - lba) {
        return bad(text("partition %u ends outside of the device", partition.number));
    }
    partition.begin = lba * sector;
    partition.length = sectors * sector;
    table.push_back(std::move(partition));
    return {};
}

Result<Table> without_overlaps(Table table) {
    Table sorted = table;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i].begin - sorted[i - 1].begin < sorted[i - 1].length) {
            return bad(text("partitions %u and %u overlap", sorted[i - 1].number, sorted[i].number));
        }
    }
    return table;
}

// One copy of a GPT; nullopt when there is no intact header at `lba`.
Result<std::optional<Table>> read_gpt(Device& device, u64 sector, u64 lba) {
    u64 sectors = device.size() / sector;
    if (lba >= sectors) return std::nullopt;
    Buffer block = TRY(read_bytes(device, lba * sector, sector));
    auto header = load<disk::gpt_header>(block);
    u32 header_size = header.header_size;
    if (header.signature != gpt_signature || header_size < sizeof(header) || header_size > sector)
        return std::nullopt;
    std::fill_n(block.begin() + offsetof(disk::gpt_header, header_crc32), 4, u8{0});
    if (crc32_of(Bytes(block).first(header_size)) != header.header_crc32 || header.my_lba != lba)
        return std::nullopt;

    u32 count = header.number_of_partition_entries;
    u32 entry_size = header.size_of_partition_entry;
    u64 bytes = u64{count} * entry_size;
    if (entry_size < sizeof(disk::gpt_entry) || entry_size % 8 != 0 || bytes > gpt_entries_bytes_max)
        return std::nullopt;
    u64 entry_lba = header.partition_entry_lba;
    if (entry_lba >= sectors || bytes > (sectors - entry_lba) * sector) return std::nullopt;
    Buffer entries = TRY(read_bytes(device, entry_lba * sector, bytes));
    if (crc32_of(entries) != header.partition_entry_array_crc32) return std::nullopt;

    Table table;
    for (u32 i = 0; i < count; ++i) {
        auto entry = load<disk::gpt_entry>(entries, std::size_t{i} * entry_size);
        if (entry.partition_type_guid == Uuid{}) continue;
        u64 first = entry.starting_lba;
        u64 last = entry.ending_lba;
        if (last < first || last >= sectors)
            return bad(text("partition %u ends outside of the device", i + 1));
        TRY(add(table, device, sector, first, last - first + 1,
                {i + 1, 0, 0, guid_text(entry.partition_type_guid), utf8_of(entry.partition_name)}));
    }
    return table;
}

Result<Table> find_gpt(Device& device) {
    for (u64 sector : {u64{512}, u64{4096}}) {
        u64 sectors = device.size() / sector;
        if (sectors < 3) continue;
        for (u64 lba : {u64{1}, sectors - 1}) {
            auto table = TRY(read_gpt(device, sector, lba));
            if (table) return without_overlaps(std::move(*table));
        }
    }
    return bad("both copies of the GPT are damaged");
}

bool is_extended(u8 type) {
    return type == 0x05 || type == 0x0f || type == 0x85;
}

// The chain of logical partitions. Links only ever lead forward in what tools write; one that doesn't is a
// loop.
Result<void> add_logical(Table& table, Device& device, u64 begin, u64 sectors) {
    constexpr u64 sector = 512;
    u64 at = begin;
    for (u32 number = 5; number < 5 + logical_max; ++number) {
        Buffer block = TRY(read_bytes(device, at * sector, sector));
        auto boot = load<disk::mbr>(block);
        if (boot.signature != mbr_signature) return bad("an extended partition's chain is broken");
        const auto& logical = boot.partitions[0];
        const auto& link = boot.partitions[1];
        if (logical.os_type != 0 && logical.size_in_lba != 0) {
            TRY(add(table, device, sector, at + logical.starting_lba, logical.size_in_lba,
                    {number, 0, 0, text("0x%02x", logical.os_type), {}}));
        }
        if (!is_extended(link.os_type) || link.size_in_lba == 0) return {};
        u64 next = begin + link.starting_lba;
        if (next <= at || next >= begin + sectors)
            return bad("an extended partition's chain leaves it or loops");
        at = next;
    }
    return bad("too many logical partitions");
}

Result<Table> read_mbr(Device& device, const disk::mbr& boot) {
    Table table;
    for (u32 i = 0; i < 4; ++i) {
        const auto& entry = boot.partitions[i];
        if (entry.os_type == 0 || entry.size_in_lba == 0 || is_extended(entry.os_type)) continue;
        TRY(add(table, device, 512, entry.starting_lba, entry.size_in_lba,
                {i + 1, 0, 0, text("0x%02x", entry.os_type), {}}));
    }
    bool extended_seen = false;
    for (const auto& entry : boot.partitions) {
        if (!is_extended(entry.os_type) || entry.size_in_lba == 0) continue;
        if (std::exchange(extended_seen, true)) return bad("two extended partitions");
        u64 end = device.size() / 512;
        if (entry.starting_lba >= end || entry.size_in_lba > end - entry.starting_lba) {
            return bad("the extended partition ends outside of the device");
        }
        TRY(add_logical(table, device, entry.starting_lba, entry.size_in_lba));
    }
    return without_overlaps(std::move(table));
}

}  // namespace

Result<std::vector<Partition>> partitions(Device& device) {
    if (device.size() < sizeof(disk::mbr)) return Table{};
    auto boot = load<disk::mbr>(TRY(read_bytes(device, 0, sizeof(disk::mbr))));
    if (boot.signature != mbr_signature) return Table{};
    // The boot sector of a file system ends with the same signature and has code where the entries would be.
    for (const auto& entry : boot.partitions) {
        if (entry.boot_indicator != 0 && entry.boot_indicator != 0x80) return Table{};
    }
    bool protective =
        std::ranges::any_of(boot.partitions, [](const auto& e) { return e.os_type == type_protective; });
    return protective ? find_gpt(device) : read_mbr(device, boot);
}

Result<std::shared_ptr<Device>> partition_device(std::shared_ptr<Device> base, const Partition& partition) {
    return TRY(SliceDevice::make(std::move(base), partition.begin, partition.length,
                                 "p" + std::to_string(partition.number)));
}

}  // namespace glassfs::block
