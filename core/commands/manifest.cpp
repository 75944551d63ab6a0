// SPDX-License-Identifier: MIT
// manifest: one line of JSON for every path, sorted by path, with a digest of each file's content.
//
// The tree is walked first; then the lines are made in windows of some thousand paths. Within a window files
// are read in the order of their inode numbers (neighbours in the tree share leaves) by several threads, and
// written in the order of their paths, so that the output is the same however many threads there are.
#include "base/sha256.h"
#include "base/sha256_batch.h"
#include "base/text.h"
#include "commands/paths.h"
#include "commands/run.h"
#include "commands/workers.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <span>

namespace glassfs::commands {

namespace {

constexpr std::size_t window_paths = 8192;
constexpr std::size_t piece_bytes = 1 << 20;
constexpr std::size_t batch_files = 8;  // hashed side by side where the CPU has no instructions for it
constexpr u64 batched_bytes_max = 1 << 20;

struct Record {
    std::string path;  // escaped
    Result<vfs::Attributes> attributes;
    std::string digest = {};  // as JSON, when it was made with those of other files
};

class ManifestWriter {
  public:
    ManifestWriter(Context& context, u64 hash_bytes_max)
        : context_(context), files_(context.volume.files()), hash_bytes_max_(hash_bytes_max) {}

    bool run(vfs::NodeId top) {
        bool gone_on = true;
        walk(files_, top, "/", [&](const Visit& visit) {
            Result<vfs::Attributes> attributes = visit.attributes;
            if (visit.listing.error) attributes = fail(*visit.listing.error);
            if (attributes && attributes->type == vfs::FileType::Regular) bytes_total_ += attributes->size;
            records_.push_back({escaped(visit.path), std::move(attributes), {}});
            gone_on = gone_on && context_.report_progress(-1, visit.path);
            // What was listed before an error is not gone into: the directory's own line tells of it.
            return gone_on && !visit.listing.error;
        });
        std::ranges::sort(records_, {}, &Record::path);
        for (std::size_t begin = 0; gone_on && begin < records_.size(); begin += window_paths) {
            gone_on = write_window(begin, std::min(records_.size(), begin + window_paths));
        }
        return gone_on;
    }

    bool failed() const { return failed_; }

  private:
    bool write_window(std::size_t begin, std::size_t end) {
        std::vector<std::size_t> order(end - begin);
        std::iota(order.begin(), order.end(), begin);
        std::ranges::sort(order, {}, [&](std::size_t i) {
            return records_[i].attributes ? records_[i].attributes->id : vfs::NodeId{};
        });
        std::vector<std::string> lines(end - begin);
        const std::size_t group = Sha256::uses_instructions() ? 1 : batch_files;
        bool all = parallel_for(
            context_.jobs, (order.size() + group - 1) / group,
            [&](std::size_t i) {
                auto mine = std::span(order).subspan(i * group, std::min(group, order.size() - i * group));
                if (group > 1) digest_together(mine);
                for (std::size_t at : mine) lines[at - begin] = line(records_[at]);
            },
            [&] {
                u64 total = std::max<u64>(1, bytes_total_);
                return context_.report_progress(double(bytes_done_.load()) / double(total), "reading files");
            });
        std::string out;
        for (const std::string& one : lines) out += one;
        context_.out(out);
        return all;
    }

    // Small files with one name; whatever can't be read is left to line(), which tells of it.
    void digest_together(std::span<const std::size_t> group) {
        std::vector<std::size_t> which;
        std::vector<Buffer> contents;
        for (std::size_t i : group) {
            const auto& a = records_[i].attributes;
            if (!a || a->type != vfs::FileType::Regular || a->nlink != 1) continue;
            if (a->size > std::min(batched_bytes_max, hash_bytes_max_)) continue;
            Buffer bytes(static_cast<std::size_t>(a->size));
            auto got = files_.read(a->id, 0, bytes);
            if (!got) continue;
            bytes.resize(*got);
            bytes_done_ += *got;
            contents.push_back(std::move(bytes));
            which.push_back(i);
        }
        std::vector<Bytes> messages(contents.begin(), contents.end());
        std::vector<Sha256Digest> digests(messages.size());
        sha256_batch(messages, digests);
        for (std::size_t k = 0; k < which.size(); ++k) {
            records_[which[k]].digest = '"' + hex_bytes(digests[k]) + '"';
        }
    }

    // Keys in alphabetical order; what reading the source as a mount would have done first fails first.
    std::string line(const Record& record) {
        if (!record.attributes) {
            failed_ = true;
            return JsonObject()
                .add("error", errno_name(record.attributes.error().code()))
                .add("path", record.path)
                .line();
        }
        const vfs::Attributes& a = *record.attributes;
        JsonObject xattrs;
        std::string target, digest;
        auto contents = read_contents(record, xattrs, target, digest);
        JsonObject out;
        if (!contents) {
            failed_ = true;
            out.add("error", errno_name(contents.error().code()));
        }
        out.add("gid", a.gid).add("ino", a.id.ino.value).add("mode", text("%04o", a.mode & 07777));
        out.add("mtime", stamp(a.mtime)).add("nlink", a.nlink).add("path", record.path);
        if (a.type == vfs::FileType::CharDevice || a.type == vfs::FileType::BlockDevice) {
            out.add("rdev", text("%u:%u", a.rdev.major, a.rdev.minor));
        }
        if (!digest.empty()) out.raw("sha256", digest);
        out.add("size", a.size);
        if (!target.empty()) out.add("target", target);
        out.add("type", vfs::file_type_name(a.type)).add("uid", a.uid);
        if (!xattrs.empty()) out.raw("xattrs", xattrs.str());
        return out.line();
    }

    Result<void> read_contents(const Record& record, JsonObject& xattrs, std::string& target,
                               std::string& digest) {
        const vfs::Attributes& a = *record.attributes;
        std::map<std::string, std::string> sorted;
        for (const vfs::Xattr& xattr : TRY(files_.xattrs(a.id))) {
            sorted.emplace(escaped(xattr.name), hex_bytes(xattr.value));
        }
        for (const auto& [name, value] : sorted) xattrs.add(name, value);
        if (a.type == vfs::FileType::Symlink) target = escaped(TRY(files_.readlink(a.id)));
        if (a.type == vfs::FileType::Regular) {
            digest = record.digest.empty() ? TRY(digest_of(a)) : record.digest;
        }
        return {};
    }

    // As JSON: a string, or null.
    Result<std::string> digest_of(const vfs::Attributes& a) {
        if (a.size > hash_bytes_max_) return "null";
        if (a.nlink > 1) {
            std::scoped_lock lock(linked_mutex_);
            if (auto known = linked_.find(a.id); known != linked_.end()) return known->second;
        }
        thread_local Buffer buffer(piece_bytes);
        Sha256 hash;
        for (u64 at = 0; at < a.size;) {
            std::size_t wanted = static_cast<std::size_t>(std::min<u64>(buffer.size(), a.size - at));
            std::size_t got = TRY(files_.read(a.id, at, MutBytes(buffer.data(), wanted)));
            if (got == 0) break;
            hash.update(Bytes(buffer.data(), got));
            at += got;
            bytes_done_ += got;
        }
        std::string digest = '"' + hex_bytes(hash.finish()) + '"';
        if (a.nlink > 1) {
            std::scoped_lock lock(linked_mutex_);
            linked_.emplace(a.id, digest);
        }
        return digest;
    }

    Context& context_;
    vfs::FileSystem& files_;
    u64 hash_bytes_max_;
    std::vector<Record> records_;
    u64 bytes_total_ = 0;
    std::atomic<u64> bytes_done_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex linked_mutex_;
    std::map<vfs::NodeId, std::string> linked_;  // digests of files with several names
};

}  // namespace

ExitCode run_manifest(Context& context) {
    auto hash_bytes_max = context.arguments.number("max-hash", u64{1} << 28);
    if (!hash_bytes_max) {
        context.complain(hash_bytes_max.error().detail);
        return ExitCode::NotRun;
    }
    std::string operand = context.arguments.operands.empty() ? "" : context.arguments.operands[0];
    auto top = resolve_operand(context, operand, Follow::Yes);
    if (!top) {
        context.complain(join_path(context.cwd, operand), top.error());
        return ExitCode::Problems;
    }
    ManifestWriter writer(context, *hash_bytes_max);
    if (!writer.run(*top)) return ExitCode::NotRun;
    return writer.failed() ? ExitCode::Problems : ExitCode::Done;
}

}  // namespace glassfs::commands
