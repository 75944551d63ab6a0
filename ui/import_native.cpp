// SPDX-License-Identifier: MIT
#include "ui/import_native.h"

#include "block/file_device.h"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace glassfs::ui {

namespace {

namespace fs = std::filesystem;

class Lister {
  public:
    explicit Lister(Job& job) : job_(job) {}

    // False when the job is cancelled.
    bool add(const fs::path& from, const std::string& as) {
        if (job_.cancel) return false;
        struct stat info = {};
        if (lstat(from.c_str(), &info) != 0) {
            leave_out(as, "it can't be read");
            return true;
        }
        ImportItem item{.path = as,
                        .mtime = TimeSpec{info.st_mtim.tv_sec, static_cast<u32>(info.st_mtim.tv_nsec)}};
        if (S_ISDIR(info.st_mode)) {
            item.type = vfs::FileType::Directory;
            items_.push_back(std::move(item));
            return add_entries(from, as);
        }
        if (S_ISLNK(info.st_mode)) {
            std::error_code failed;
            item.type = vfs::FileType::Symlink;
            item.target = fs::read_symlink(from, failed).string();
        } else if (S_ISREG(info.st_mode)) {
            item.size = static_cast<u64>(info.st_size);
            item.open = [path = from.string()]() -> Result<std::shared_ptr<block::Device>> {
                return TRY(block::FileDevice::open(path));
            };
        } else {
            leave_out(as, "it is neither a file nor a folder");
            return true;
        }
        items_.push_back(std::move(item));
        job_.files_total += 1;
        return true;
    }

    std::vector<ImportItem> take() { return std::move(items_); }

  private:
    bool add_entries(const fs::path& from, const std::string& as) {
        std::error_code failed;
        fs::directory_iterator entries(from, failed);
        if (failed) leave_out(as, failed.message());
        for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
            if (!add(entries->path(), as + "/" + entries->path().filename().string())) return false;
        }
        return true;
    }

    void leave_out(const std::string& path, const std::string& why) {
        job_.files_failed += 1;
        if (job_.failures.size() < Job::failures_max) job_.failures.push_back(path + ": " + why);
        if (!job_.error) job_.error = Error{Cause::DeviceOpenFailed, {}, path + ": " + why};
    }

    Job& job_;
    std::vector<ImportItem> items_;
};

}  // namespace

ImportSource host_files(std::vector<std::string> paths) {
    return [paths = std::move(paths)](Job& job) -> Result<std::vector<ImportItem>> {
        Lister lister(job);
        for (const std::string& path : paths) {
            fs::path from = fs::path(path).lexically_normal();
            if (!from.has_filename()) from = from.parent_path();
            if (!lister.add(from, from.filename().string())) return fail(Cause::Cancelled);
        }
        return lister.take();
    };
}

}  // namespace glassfs::ui
