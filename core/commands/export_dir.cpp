// SPDX-License-Identifier: MIT
// Export, in four steps: (1) walk the volume and make the directories, writable by us alone; (2) files,
// symlinks and devices, by several threads, in the order of inode numbers, so that leaves of the tree and
// runs on disk are read once; (3) further names of hard-linked files; (4) attributes of directories, from the
// deepest up, because (2) and (3) change their times and their final mode may forbid writing.
//
// Every step reaches a directory by opening one name after the other from the target, never following a
// symlink, so that neither hostile names nor a target that somebody changes meanwhile lead outside.
#include "commands/export_dir.h"

#include "base/text.h"
#include "commands/file_data.h"
#include "commands/paths.h"
#include "commands/workers.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/stat.h>

namespace glassfs::commands {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr std::size_t salvage_bytes = 4096;  // around an unreadable place, bytes are read in such steps
constexpr std::size_t batch_leaves = 64;

struct Directory {
    u32 parent;  // index; the target's own for itself
    std::string name;
    vfs::Attributes attributes;
};

struct Leaf {
    u32 directory;
    std::string name;
    vfs::Attributes attributes;
    bool made = false;
};

struct Link {
    u32 directory;
    std::string name;
    u32 leaf;
};

class Exporter {
  public:
    Exporter(vfs::FileSystem& files, HostFile target, const ExportOptions& options)
        : files_(files), target_(std::move(target)), options_(options) {}

    Result<ExportTotals> run(vfs::NodeId top, const std::string& top_path) {
        top_path_ = top_path == "/" ? "" : top_path;
        vfs::Attributes attributes = TRY(files_.getattr(top));
        directories_.push_back({0, "", attributes});
        top_is_directory_ = attributes.type == vfs::FileType::Directory;
        if (top_is_directory_)
            make_directories();
        else
            plan_leaf(0, std::string(last_name(top_path)), attributes);
        bool all = !cancelled_ && make_leaves();
        if (all) make_links();
        if (top_is_directory_) finish_directories();
        if (!all) return fail(Cause::Cancelled);
        return totals_;
    }

  private:
    DirectoryOpener make_opener() const {
        return {target_, [this](u32 number) {
                    return DirectoryOpener::Name{directories_[number].parent, directories_[number].name};
                }};
    }

    void failed(const std::string& path, const Error& error) {
        std::scoped_lock lock(mutex_);
        ++totals_.errors;
        if (options_.failed) options_.failed(path, error);
    }

    std::string path_of(u32 directory, std::string_view name) const {
        if (!top_is_directory_) return top_path_;
        std::string path(name);
        for (; directory != 0; directory = directories_[directory].parent) {
            path = directories_[directory].name + (path.empty() ? "" : "/") + path;
        }
        return top_path_ + "/" + path;
    }

    void make_directories() {
        DirectoryOpener opener = make_opener();
        std::vector<u32> todo{0};
        std::map<vfs::NodeId, u32> entered;
        while (!todo.empty() && !cancelled_) {
            u32 index = todo.back();
            todo.pop_back();
            std::string path = path_of(index, "");
            vfs::NodeId id = directories_[index].attributes.id;
            Listing listing = sorted_listing(files_, id);
            if (listing.error) failed(path, *listing.error);
            bool again = !entered.emplace(id, index).second;
            if (again && !listing.entries.empty()) {
                failed(path,
                       Error{Cause::TooManySymlinks, {}, "a directory with several names; copied once"});
            }
            if (again) continue;
            std::vector<u32> made;
            for (const vfs::DirEntry& entry : listing.entries) {
                if (auto child = plan(opener, index, entry)) made.push_back(*child);
            }
            todo.insert(todo.end(), made.rbegin(), made.rend());
            cancelled_ = options_.progress && !options_.progress(-1, path);
        }
    }

    // The index of a directory that was made.
    std::optional<u32> plan(DirectoryOpener& opener, u32 parent, const vfs::DirEntry& entry) {
        auto refused = [&](const Error& error) {
            failed(path_of(parent, entry.name), error);
            return std::nullopt;
        };
        if (!possible_name(entry.name)) {
            return refused(Error{Cause::InvalidArgument, {}, "a name that no file may have"});
        }
        auto attributes = files_.getattr(entry.id);
        if (!attributes) return refused(attributes.error());
        if (attributes->type != vfs::FileType::Directory) {
            plan_leaf(parent, entry.name, *attributes);
            return std::nullopt;
        }
        auto directory = opener.open(parent);
        if (!directory) return refused(directory.error());
        if (auto made = make_directory(**directory, entry.name, options_.existing); !made) {
            return refused(made.error());
        }
        directories_.push_back({parent, entry.name, *attributes});
        ++totals_.directories;
        return static_cast<u32>(directories_.size() - 1);
    }

    void plan_leaf(u32 directory, const std::string& name, const vfs::Attributes& attributes) {
        if (attributes.nlink > 1) {
            auto [known, first] = linked_.emplace(attributes.id, static_cast<u32>(leaves_.size()));
            if (!first) {
                links_.push_back({directory, name, known->second});
                return;
            }
        }
        if (attributes.type == vfs::FileType::Regular) bytes_total_ += attributes.bytes;
        leaves_.push_back({directory, name, attributes});
    }

    bool make_leaves() {
        std::vector<u32> order(leaves_.size());
        for (u32 i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::sort(order, {}, [&](u32 i) { return leaves_[i].attributes.id; });
        std::size_t batches = (order.size() + batch_leaves - 1) / batch_leaves;
        auto batch = [&](std::size_t number) {
            DirectoryOpener opener = make_opener();
            std::size_t end = std::min(order.size(), (number + 1) * batch_leaves);
            for (std::size_t i = number * batch_leaves; i < end; ++i) {
                Leaf& leaf = leaves_[order[i]];
                if (auto done = make_leaf(opener, leaf); !done) {
                    failed(path_of(leaf.directory, leaf.name), done.error());
                }
            }
        };
        return parallel_for(options_.jobs, batches, batch, [&] {
            double done = double(bytes_done_.load()) / double(std::max<u64>(1, bytes_total_));
            return !options_.progress || options_.progress(std::min(1.0, done), "copying files");
        });
    }

    Result<void> make_leaf(DirectoryOpener& opener, Leaf& leaf) {
        const HostFile& directory = *TRY(opener.open(leaf.directory));
        const vfs::Attributes& a = leaf.attributes;
        auto xattrs = files_.xattrs(a.id);
        std::vector<vfs::Xattr> none;
        const std::vector<vfs::Xattr>& attributes_too = xattrs ? *xattrs : none;
        if (a.type == vfs::FileType::Regular) {
            TRY(make_file(directory, leaf, attributes_too));
        } else if (a.type == vfs::FileType::Unknown) {
            return fail(Cause::NotSupported, text("a file of unknown type, mode %06o", a.mode));
        } else {
            if (a.type == vfs::FileType::Symlink) {
                std::string target = TRY(files_.readlink(a.id));
                TRY(make_symlink(directory, leaf.name, target, options_.existing));
            } else {
                TRY(make_node(directory, leaf.name, a, options_.existing));
            }
            leaf.made = true;
            count(totals_.others);
            TRY(set_attributes_of_name(directory, leaf.name, a, attributes_too));
        }
        if (!xattrs) return fail(xattrs.error());
        return {};
    }

    void count(u64& counter, u64 amount = 1) {
        std::scoped_lock lock(mutex_);
        counter += amount;
    }

    Result<void> make_file(const HostFile& directory, Leaf& leaf, const std::vector<vfs::Xattr>& xattrs) {
        const vfs::Attributes& a = leaf.attributes;
        // Files that hold less than their size have holes, or are compressed, or lie inside of a leaf.
        std::vector<DataRange> ranges;
        if (a.bytes < a.size)
            ranges = TRY(data_ranges(files_, a));
        else if (a.size > 0)
            ranges.push_back({0, a.size});
        HostFile file = TRY(create_file(directory, leaf.name, options_.existing));
        leaf.made = true;
        Copied copied = copy_ranges(file, a, ranges);
        if (copied.error && copied.bytes == 0) {
            TRY(remove_file(directory, leaf.name));
            leaf.made = false;
            return fail(std::move(*copied.error));
        }
        if (ranges.empty() || ranges.back().end < a.size || copied.error) {
            TRY(set_size(file, a.size));
        }
        TRY(set_attributes(file, a, xattrs));
        if (copied.error) {
            copied.error->detail +=
                text("%s%llu bytes are missing, zeros in the copy", copied.error->detail.empty() ? "" : "; ",
                     static_cast<unsigned long long>(copied.lost));
            return fail(std::move(*copied.error));
        }
        count(totals_.files);
        count(totals_.data_bytes, copied.bytes);
        return {};
    }

    struct Copied {
        u64 bytes = 0;
        u64 lost = 0;
        std::optional<Error> error = {};  // the first
    };

    // Unreadable places are left as holes.
    Copied copy_ranges(const HostFile& file, const vfs::Attributes& a, const std::vector<DataRange>& ranges) {
        thread_local Buffer buffer(piece_bytes);
        Copied copied;
        std::size_t step = buffer.size();
        for (const DataRange& range : ranges) {
            for (u64 at = range.begin; at < range.end;) {
                std::size_t wanted = static_cast<std::size_t>(std::min<u64>(step, range.end - at));
                auto got = files_.read(a.id, at, MutBytes(buffer.data(), wanted));
                if (got && *got > 0) {
                    auto written = write_at(file, at, Bytes(buffer.data(), *got));
                    if (!written) return {copied.bytes, a.size - at, written.error()};
                    at += *got;
                    copied.bytes += *got;
                    bytes_done_ += *got;
                    if (step < buffer.size() && at % buffer.size() == 0) step = buffer.size();
                    continue;
                }
                if (got)
                    return {copied.bytes, range.end - at, Error{Cause::InvalidArgument, {}, "ends early"}};
                if (!copied.error) copied.error = got.error();
                if (got.error().cause == Cause::DataNotInDump) return copied;
                if (step > salvage_bytes) {
                    step = salvage_bytes;
                    continue;
                }
                at += wanted;
                copied.lost += wanted;
            }
        }
        return copied;
    }

    void make_links() {
        DirectoryOpener from = make_opener(), to = make_opener();
        for (const Link& link : links_) {
            const Leaf& leaf = leaves_[link.leaf];
            auto done = [&]() -> Result<void> {
                if (!leaf.made) return fail(Cause::NotFound, "its first name could not be copied");
                const HostFile& from_directory = *TRY(from.open(leaf.directory));
                const HostFile& to_directory = *TRY(to.open(link.directory));
                return make_link(from_directory, leaf.name, to_directory, link.name, options_.existing);
            }();
            if (done)
                ++totals_.links;
            else
                failed(path_of(link.directory, link.name), done.error());
        }
    }

    void finish_directories() {
        for (std::size_t i = directories_.size(); i-- > 0;) {
            u32 index = static_cast<u32>(i);
            // Opened anew each time: the mode of a parent is still ours, that of a child no longer.
            DirectoryOpener opener = make_opener();
            auto done = [&]() -> Result<void> {
                const HostFile& directory = *TRY(opener.open(index));
                auto xattrs = TRY(files_.xattrs(directories_[i].attributes.id));
                return set_attributes(directory, directories_[i].attributes, xattrs);
            }();
            if (!done) failed(path_of(index, ""), done.error());
        }
    }

    vfs::FileSystem& files_;
    HostFile target_;
    const ExportOptions& options_;
    std::string top_path_;
    bool top_is_directory_ = false;
    bool cancelled_ = false;
    std::vector<Directory> directories_;  // parents before children
    std::vector<Leaf> leaves_;
    std::vector<Link> links_;
    std::map<vfs::NodeId, u32> linked_;  // leaves with several names
    u64 bytes_total_ = 0;
    std::atomic<u64> bytes_done_ = 0;
    std::mutex mutex_;  // totals_, and calls of options_.failed
    ExportTotals totals_;
};

Result<HostFile> open_target(const std::string& path, Existing existing) {
    bool made = ::mkdir(path.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) return host_failure("mkdir");
    int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return host_failure("open directory");
    HostFile target(descriptor);
    if (!made && existing == Existing::Fail && !TRY(is_empty_directory(target))) {
        return fail(Cause::Exists, "the directory is not empty (--force writes into it)");
    }
    return target;
}

}  // namespace

Result<ExportTotals> export_directory(vfs::FileSystem& files, vfs::NodeId top, const std::string& top_path,
                                      const std::string& target, const ExportOptions& options) {
    HostFile directory = TRY(open_target(target, options.existing));
    return Exporter(files, std::move(directory), options).run(top, top_path);
}

}  // namespace glassfs::commands
