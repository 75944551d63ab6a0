// SPDX-License-Identifier: MIT
// Tar: 512-byte blocks. A header, preceded by an extended header ("x") whose records "LENGTH key=value\n" say
// what the old header can't; then the data, padded to a block. Two blocks of zeros end the archive.
#include "commands/tar.h"

#include "base/text.h"
#include "commands/file_data.h"
#include "commands/paths.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace glassfs::commands {

namespace {

constexpr std::size_t block_bytes = 512;
constexpr std::size_t piece_bytes = 1 << 20;

// The old header's fields (POSIX ustar), all bytes.
struct Header {
    std::array<char, 100> name;
    std::array<char, 8> mode, uid, gid;
    std::array<char, 12> size, mtime;
    std::array<char, 8> checksum;
    char type;
    std::array<char, 100> link;
    std::array<char, 8> magic_and_version;
    std::array<char, 32> user_name, group_name;
    std::array<char, 8> major, minor;
    std::array<char, 155> prefix;
    std::array<char, 12> unused;
};
static_assert(sizeof(Header) == block_bytes);

template <std::size_t N>
bool put_octal(std::array<char, N>& field, u64 value) {
    u64 largest = (u64{1} << std::min<std::size_t>(63, 3 * (N - 1))) - 1;
    bool fits = value <= largest;
    if (!fits) value = 0;
    for (std::size_t i = N - 1; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
    return fits;
}

template <std::size_t N>
bool put_text(std::array<char, N>& field, std::string_view value) {
    std::memcpy(field.data(), value.data(), std::min(N, value.size()));
    bool plain = std::ranges::all_of(value, [](char c) { return static_cast<u8>(c) < 0x80; });
    return value.size() <= N && plain;
}

void seal(Header& header) {
    header.checksum.fill(' ');
    u64 sum = 0;
    for (u8 byte : Bytes(reinterpret_cast<const u8*>(&header), sizeof header)) sum += byte;
    std::string digits = text("%06llo", static_cast<unsigned long long>(sum));
    std::memcpy(header.checksum.data(), digits.data(), 6);
    header.checksum[6] = '\0';
}

// "LENGTH key=value\n", where LENGTH counts its own digits.
std::string pax_record(std::string_view key, std::string_view value) {
    std::size_t rest = key.size() + value.size() + 3;
    std::size_t length = rest + 1;
    while (std::to_string(length).size() + rest != length) ++length;
    std::string out = std::to_string(length) + " ";
    return ((out += key) += '=').append(value) += '\n';
}

struct Member {
    std::string path;
    const vfs::Attributes* attributes;
    char type = '0';
    std::string link = {};
    u64 stored_bytes = 0;
    std::string records = {};  // pax
};

class TarWriter {
  public:
    TarWriter(vfs::FileSystem& files, const Sink& out, const TarOptions& options)
        : files_(files), out_(out), options_(options), buffer_(piece_bytes) {}

    Result<TarTotals> write(vfs::NodeId top, const std::string& top_path) {
        bool cancelled = false;
        std::size_t strip = top_path.ends_with('/') ? top_path.size() : top_path.size() + 1;
        walk(files_, top, top_path, [&](const Visit& visit) {
            std::string path = options_.prefix;
            if (visit.depth > 0)
                (path += path.empty() ? "" : "/") += visit.path.substr(strip);
            else if (visit.attributes && visit.attributes->type != vfs::FileType::Directory) {
                (path += path.empty() ? "" : "/") += last_name(top_path);
            }
            if (options_.progress && !options_.progress(-1, visit.path)) cancelled = true;
            return !cancelled && add(visit, path);
        });
        if (cancelled) return fail(Cause::Cancelled);
        out_(std::string(2 * block_bytes, '\0'));
        return totals_;
    }

  private:
    void failed(const std::string& path, const Error& error) {
        ++totals_.errors;
        if (options_.failed) options_.failed(path, error);
    }

    // Whether to go into the directory.
    bool add(const Visit& visit, const std::string& path) {
        if (!visit.attributes) {
            failed(visit.path, visit.attributes.error());
            return false;
        }
        if (visit.depth > 0 && !possible_name(visit.name)) {
            failed(visit.path, Error{Cause::InvalidArgument, {}, "a name that no file may have"});
            return false;
        }
        if (visit.listing.error) failed(visit.path, *visit.listing.error);
        if (auto done = add_member(*visit.attributes, path); !done) failed(visit.path, done.error());
        return visit.attributes->type == vfs::FileType::Directory;
    }

    Result<void> add_member(const vfs::Attributes& a, const std::string& path) {
        Member member{path, &a};
        if (a.type != vfs::FileType::Directory && a.nlink > 1) {
            auto [known, first] = names_.emplace(a.id, path);
            if (!first) {
                member.type = '1';
                member.link = known->second;
                header(member);
                ++totals_.links;
                return {};
            }
        }
        for (const vfs::Xattr& xattr : TRY(files_.xattrs(a.id))) {
            member.records += pax_record("SCHILY.xattr." + xattr.name, as_text(xattr.value));
        }
        switch (a.type) {
            case vfs::FileType::Regular: {
                auto done = add_file(member);
                if (!done) names_.erase(a.id);
                return done;
            }
            case vfs::FileType::Directory:
                if (path.empty()) return {};
                member.type = '5';
                member.path += '/';
                ++totals_.directories;
                break;
            case vfs::FileType::Symlink:
                member.type = '2';
                member.link = TRY(files_.readlink(a.id));
                ++totals_.others;
                break;
            case vfs::FileType::CharDevice:
                member.type = '3';
                ++totals_.others;
                break;
            case vfs::FileType::BlockDevice:
                member.type = '4';
                ++totals_.others;
                break;
            case vfs::FileType::Fifo:
                member.type = '6';
                ++totals_.others;
                break;
            case vfs::FileType::Socket:
            case vfs::FileType::Unknown:
                return fail(Cause::NotSupported, std::string("tar has no ") + vfs::file_type_name(a.type));
        }
        header(member);
        return {};
    }

    Result<void> add_file(Member& member) {
        const vfs::Attributes& a = *member.attributes;
        std::vector<DataRange> ranges = TRY(data_ranges(files_, a));
        u64 data = 0;
        for (const DataRange& range : ranges) data += range.end - range.begin;
        bool sparse = options_.sparse && data < a.size;
        if (!sparse) ranges.assign(a.size > 0 ? 1 : 0, DataRange{0, a.size});
        // The first piece before the header: a file that can't be read at all is left out.
        std::size_t ahead = 0;
        if (!ranges.empty())
            ahead = TRY(files_.read(a.id, ranges[0].begin, piece(ranges[0], ranges[0].begin)));
        std::string map;
        if (sparse) {
            bool ends_with_hole = ranges.empty() || ranges.back().end < a.size;
            map = std::to_string(ranges.size() + (ends_with_hole ? 1 : 0)) + "\n";
            for (const DataRange& range : ranges) {
                map += std::to_string(range.begin) + "\n" + std::to_string(range.end - range.begin) + "\n";
            }
            if (ends_with_hole) map += std::to_string(a.size) + "\n0\n";
            map.resize((map.size() + block_bytes - 1) / block_bytes * block_bytes);
            member.records += pax_record("GNU.sparse.major", "1") + pax_record("GNU.sparse.minor", "0") +
                              pax_record("GNU.sparse.name", member.path) +
                              pax_record("GNU.sparse.realsize", std::to_string(a.size));
            member.path = "GNUSparseFile.0/" + std::string(last_name(member.path));
        }
        member.stored_bytes = map.size() + (sparse ? data : a.size);
        header(member);
        out_(map);
        return write_ranges(a, ranges, ahead, member.stored_bytes - map.size());
    }

    MutBytes piece(const DataRange& range, u64 at) {
        return {buffer_.data(), static_cast<std::size_t>(std::min<u64>(buffer_.size(), range.end - at))};
    }

    // `ahead` bytes of the first range are already in the buffer. Exactly `promised` bytes and padding are
    // written, whatever happens.
    Result<void> write_ranges(const vfs::Attributes& a, const std::vector<DataRange>& ranges,
                              std::size_t ahead, u64 promised) {
        Result<void> done;
        u64 written = 0;
        for (const DataRange& range : ranges) {
            for (u64 at = range.begin; done && at < range.end;) {
                Result<std::size_t> got = ahead;
                if (ahead == 0) got = files_.read(a.id, at, piece(range, at));
                ahead = 0;
                if (got && *got == 0) got = fail(Cause::InvalidArgument, "the file ends before its size");
                if (!got) {
                    done = fail(got.error());
                    break;
                }
                out_(as_text(Bytes(buffer_.data(), *got)));
                at += *got;
                written += *got;
            }
        }
        totals_.data_bytes += written;
        totals_.files += done ? 1 : 0;
        for (u64 left = promised - written; left > 0;) {
            std::string zeros(static_cast<std::size_t>(std::min<u64>(left, piece_bytes)), '\0');
            out_(zeros);
            left -= zeros.size();
        }
        pad(promised);
        return done;
    }

    void pad(u64 written) {
        std::size_t over = static_cast<std::size_t>(written % block_bytes);
        if (over != 0) out_(std::string(block_bytes - over, '\0'));
    }

    void header(const Member& member) {
        const vfs::Attributes& a = *member.attributes;
        Header header{};
        std::string records;
        auto also = [&](bool fits, const char* key, const std::string& value) {
            if (!fits) records += pax_record(key, value);
        };
        also(put_text(header.name, member.path), "path", member.path);
        also(put_text(header.link, member.link), "linkpath", member.link);
        put_octal(header.mode, a.mode & 07777);
        also(put_octal(header.uid, a.uid), "uid", std::to_string(a.uid));
        also(put_octal(header.gid, a.gid), "gid", std::to_string(a.gid));
        also(put_octal(header.size, member.stored_bytes), "size", std::to_string(member.stored_bytes));
        bool whole = a.mtime.nanos == 0 && a.mtime.seconds >= 0;
        bool fits = put_octal(header.mtime, a.mtime.seconds >= 0 ? static_cast<u64>(a.mtime.seconds) : 0);
        also(whole && fits, "mtime", pax_time(a.mtime));
        records +=
            pax_record("atime", pax_time(a.atime)) + pax_record("ctime", pax_time(a.ctime)) + member.records;
        header.type = member.type;
        std::memcpy(header.magic_and_version.data(), "ustar\00000", 8);
        if (a.type == vfs::FileType::CharDevice || a.type == vfs::FileType::BlockDevice) {
            put_octal(header.major, a.rdev.major);
            put_octal(header.minor, a.rdev.minor);
        }
        seal(header);
        extended(records, member.path);
        out_(as_text(Bytes(reinterpret_cast<const u8*>(&header), sizeof header)));
    }

    // Before 1970 a time is a negative decimal fraction: -1.25 is 0.75 s after the second -2.
    static std::string pax_time(const TimeSpec& time) {
        if (time.seconds >= 0 || time.nanos == 0 || time.nanos >= 1'000'000'000) return stamp(time);
        s64 seconds = time.seconds + 1;
        return text("-%lld.%09u", static_cast<long long>(-seconds), 1'000'000'000 - time.nanos);
    }

    void extended(const std::string& records, const std::string& path) {
        Header header{};
        put_text(header.name, "PaxHeaders.0/" + std::string(last_name(path)).substr(0, 80));
        put_octal(header.mode, 0644);
        put_octal(header.uid, 0);
        put_octal(header.gid, 0);
        put_octal(header.mtime, 0);
        put_octal(header.size, records.size());
        header.type = 'x';
        std::memcpy(header.magic_and_version.data(), "ustar\00000", 8);
        seal(header);
        out_(as_text(Bytes(reinterpret_cast<const u8*>(&header), sizeof header)));
        out_(records);
        pad(records.size());
    }

    vfs::FileSystem& files_;
    const Sink& out_;
    const TarOptions& options_;
    Buffer buffer_;
    std::map<vfs::NodeId, std::string> names_;  // first names of files that have several
    TarTotals totals_;
};

}  // namespace

Result<TarTotals> write_tar(vfs::FileSystem& files, vfs::NodeId top, const std::string& top_path,
                            const Sink& out, const TarOptions& options) {
    return TarWriter(files, out, options).write(top, top_path);
}

}  // namespace glassfs::commands
