// SPDX-License-Identifier: MIT
// Files of the host, copied into a volume.
//
// Thousands of files are many operations on the timeline, not one: a recording forgets whole operations when
// its memory is used up, and the views show what is there between two of them. Changed data goes to the
// devices every few megabytes, so that nothing that a cancelled job waits for takes long.
#include "base/text.h"
#include "ui/model/session_impl.h"
#include "vfs/path_walk.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr std::size_t piece_bytes = 256 << 10;
constexpr std::size_t batch_files = 64;
constexpr u64 batch_bytes = 8 << 20;
constexpr std::chrono::milliseconds show_every(700);
constexpr int show_share = 10;  // showing takes at most one part in so many of the time

class Importer {
  public:
    Importer(vfs::FileSystem& files, vfs::NodeId into, Job& job) : files_(files), job_(job) {
        folders_[""] = into;
    }

    // Copies items from `next` on until the batch is full. An error is one that ends it all.
    Result<void> batch(const std::vector<ImportItem>& items, std::size_t& next) {
        const u64 from = job_.bytes_done;
        for (std::size_t count = 0; next < items.size() && count < batch_files; ++count, ++next) {
            if (job_.cancel) return fail(Cause::Cancelled);
            auto copied = copy(items[next]);
            const bool ends =
                !copied &&
                (copied.error().cause == Cause::Cancelled || copied.error().cause == Cause::NoSpace ||
                 copied.error().cause == Cause::VolumeAborted || copied.error().cause == Cause::ReadOnly);
            if (ends) return copied;
            if (!copied) note(items[next].path, copied.error());
            if (job_.bytes_done - from >= batch_bytes) {
                ++next;
                break;
            }
        }
        return {};
    }

  private:
    void note(const std::string& path, const Error& error) {
        job_.files_failed += 1;
        if (job_.failures.size() < Job::failures_max)
            job_.failures.push_back(printable(path) + ": " + error.message());
        if (!job_.error) job_.error = Error{error.cause, error.where, path + ": " + error.detail};
    }

    Result<vfs::NodeId> folder(const std::string& path) {
        auto known = folders_.find(path);
        if (known != folders_.end()) return known->second;
        const std::size_t slash = path.rfind('/');
        const vfs::NodeId above = TRY(folder(slash == path.npos ? "" : path.substr(0, slash)));
        const std::string name = slash == path.npos ? path : path.substr(slash + 1);
        auto there = files_.lookup(above, name);
        vfs::NodeId id;
        if (there) {
            id = *there;
            if (TRY(files_.getattr(id)).type != vfs::FileType::Directory) return fail(Cause::NotADirectory);
        } else {
            if (there.error().cause != Cause::NotFound) return fail(there.error());
            id = TRY(files_.create(above, name, {.mode = 040755}));
        }
        folders_[path] = id;
        return id;
    }

    Result<void> copy(const ImportItem& item) {
        if (item.type == vfs::FileType::Directory) {
            TRY(folder(item.path));
            return {};
        }
        const std::size_t slash = item.path.rfind('/');
        const vfs::NodeId dir = TRY(folder(slash == item.path.npos ? "" : item.path.substr(0, slash)));
        const std::string name = slash == item.path.npos ? item.path : item.path.substr(slash + 1);
        auto there = files_.lookup(dir, name);
        if (!there && there.error().cause != Cause::NotFound) return fail(there.error());
        if (there && TRY(files_.getattr(*there)).type == vfs::FileType::Directory)
            return fail(Cause::IsADirectory);
        // Under another name until it is whole, when there is something to replace.
        const std::string at_first = there ? spare_name(dir) : name;
        auto made = item.type == vfs::FileType::Symlink
                        ? files_.symlink(dir, at_first, item.target, {.mode = 0120777})
                        : files_.create(dir, at_first, {.mode = 0100644});
        const vfs::NodeId id = TRY(std::move(made));
        auto filled = item.type == vfs::FileType::Symlink ? Result<void>() : fill(id, item);
        if (filled && there) filled = files_.rename(dir, at_first, dir, name, vfs::RenameKind::Replace);
        if (!filled) {
            (void)files_.unlink(dir, at_first);  // half a file is none; the error says why
            return filled;
        }
        job_.files_done += 1;
        return {};
    }

    std::string spare_name(vfs::NodeId dir) {
        for (;; ++spare_) {
            std::string name = ".import-" + std::to_string(spare_);
            if (!files_.lookup(dir, name)) return name;
        }
    }

    Result<void> fill(vfs::NodeId id, const ImportItem& item) {
        auto device = TRY(item.open());
        const u64 size = device->size();
        Buffer buffer(static_cast<std::size_t>(std::min<u64>(piece_bytes, size)));
        for (u64 at = 0; at < size;) {
            if (job_.cancel) return fail(Cause::Cancelled);
            auto piece =
                MutBytes(buffer).first(static_cast<std::size_t>(std::min<u64>(buffer.size(), size - at)));
            TRY(device->read(at, piece));
            const std::size_t written = TRY(files_.write(id, at, piece));
            if (written < piece.size()) return fail(Cause::NoSpace);
            at += written;
            job_.bytes_done += written;
            unsynced_ += written;
            if (unsynced_ < batch_bytes) continue;
            TRY(files_.sync());
            unsynced_ = 0;
        }
        if (item.mtime) TRY(files_.setattr(id, {.atime = item.mtime, .mtime = item.mtime}));
        return {};
    }

    vfs::FileSystem& files_;
    Job& job_;
    std::map<std::string, vfs::NodeId> folders_;  // by path below the target
    u64 spare_ = 1;
    u64 unsynced_ = 0;
};

std::string batch_name(const Job& job, const std::string& into, std::size_t first, std::size_t of) {
    return "import into " + into + ", " + grouped(first + 1) + " of " + grouped(of) +
           (job.title.empty() ? "" : " (" + job.title + ")");
}

Error full_error(const Job& job) {
    return {Cause::NoSpace,
            {},
            "the volume is full; " + grouped(job.files_done) + " of " + grouped(job.files_total) +
                " files were copied and stay"};
}

}  // namespace

std::shared_ptr<Job> Session::import(ImportSource source, std::string into, std::string title) {
    Impl& s = *impl_;
    auto work = [&s, source = std::move(source), into](mount::Volume& volume, u64 asked,
                                                       Job& job) -> Result<void> {
        const std::vector<ImportItem> items = TRY(source(job));
        job.files_total = static_cast<u64>(std::ranges::count_if(
            items, [](const ImportItem& item) { return item.type != vfs::FileType::Directory; }));
        for (const ImportItem& item : items) job.bytes_total += item.size;
        vfs::FileSystem& files = volume.files();
        const vfs::NodeId folder = TRY(vfs::resolve(files, into, vfs::FollowLast::Yes));
        Importer importer(files, folder, job);
        Result<void> outcome;
        using Clock = std::chrono::steady_clock;
        Clock::time_point show_at = Clock::now() + show_every;
        for (std::size_t next = 0; next < items.size() && outcome;) {
            s.as_operation(batch_name(job, into, next, items.size()),
                           [&] { outcome = importer.batch(items, next); });
            s.changed();
            const auto begin = Clock::now();
            if (begin < show_at) continue;
            s.show_present(asked);
            const auto end = Clock::now();
            show_at = end + std::max<Clock::duration>(show_every, (end - begin) * show_share);
        }
        Result<void> synced;
        s.as_operation("sync", [&] { synced = files.sync(); });
        s.show_present(asked);
        if (!outcome && outcome.error().cause == Cause::NoSpace) return fail(full_error(job));
        TRY(std::move(outcome));
        return synced;
    };
    return s.start_job(std::move(title), std::move(work));
}

}  // namespace glassfs::ui
