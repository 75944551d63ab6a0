// SPDX-License-Identifier: MIT
// Import, in four steps: (1) walk the host's directories into a plan, sorted by name, a directory before what
// is in it; (2) make everything in this order, so that inode numbers and data follow it and the same
// directory gives the same volume; (3) further names of hard-linked files; (4) attributes of directories,
// since (2) and (3) change their times.
//
// In step 2 other threads read the next batch of small files while this one writes the last: the volume has
// one writer, and reading the host is the other half of the work.
#include "commands/import_dir.h"

#include "base/text.h"
#include "commands/paths.h"
#include "commands/workers.h"

#include <algorithm>
#include <map>
#include <thread>

namespace glassfs::commands {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr u64 small_bytes = 1 << 20;  // files up to this size are read ahead
constexpr std::size_t batch_items = 512;
constexpr u64 batch_bytes = 16 << 20;
constexpr std::size_t chunk_items = 32;  // of a batch, for one thread at a time

struct Directory {
    u32 parent;  // index; the top's own for itself
    std::string name;
    HostInode host;
    std::optional<vfs::NodeId> made = {};
};

// A directory to make, or anything else.
struct Item {
    u32 parent;  // index of a directory
    std::string name;
    HostInode host;
    std::optional<u32> directory = {};  // its own index
    std::optional<vfs::NodeId> made = {};
};

struct Link {
    u32 parent;
    std::string name;
    std::size_t item;
};

// What an item holds, read ahead.
struct Content {
    struct Piece {
        u64 at;
        Buffer bytes;
    };
    std::vector<Piece> pieces = {};
    HostFile file = {};  // a large one: still to be read
    std::string target = {};
    std::vector<vfs::Xattr> xattrs = {};
    std::optional<Error> error = {};
};

class Importer {
  public:
    Importer(vfs::FileSystem& files, HostFile source, std::string source_path, const ImportOptions& options)
        : files_(files),
          source_(std::move(source)),
          source_path_(std::move(source_path)),
          options_(options) {}

    Result<ExportTotals> run(vfs::NodeId target) {
        directories_.push_back({0, "", TRY(stat_file(source_)), target});
        TRY(plan());
        TRY(make_items());
        make_links();
        finish_directories();
        return totals_;
    }

  private:
    DirectoryOpener make_opener() const {
        return {source_, [this](u32 number) {
                    return DirectoryOpener::Name{directories_[number].parent, directories_[number].name};
                }};
    }

    std::string path_of(u32 directory, std::string_view name) const {
        std::string path(name);
        for (; directory != 0; directory = directories_[directory].parent) {
            path = directories_[directory].name + (path.empty() ? "" : "/") + path;
        }
        return child_path(source_path_, path);
    }

    void failed(const std::string& path, const Error& error) {
        ++totals_.errors;
        if (options_.failed) options_.failed(path, error);
    }

    Result<void> plan() {
        DirectoryOpener opener = make_opener();
        std::vector<u32> todo{0};
        while (!todo.empty()) {
            u32 index = todo.back();
            todo.pop_back();
            if (options_.progress && !options_.progress(-1, path_of(index, "")))
                return fail(Cause::Cancelled);
            if (index != 0) items_.push_back(item_of(index));
            auto directory = opener.open(index);
            auto names = directory ? list_names(**directory) : fail(directory.error());
            if (!names) {
                failed(path_of(index, ""), names.error());
                continue;
            }
            std::size_t first = directories_.size();
            for (const std::string& name : *names) plan_name(**directory, index, name);
            for (std::size_t i = directories_.size(); i-- > first;) todo.push_back(static_cast<u32>(i));
        }
        return {};
    }

    Item item_of(u32 directory) const {
        const Directory& d = directories_[directory];
        return {d.parent, d.name, d.host, directory};
    }

    void plan_name(const HostFile& directory, u32 index, const std::string& name) {
        auto host = stat_name(directory, name);
        if (!host) return failed(path_of(index, name), host.error());
        const vfs::Attributes& a = host->attributes;
        if (a.type == vfs::FileType::Directory) {
            bool elsewhere = host->device != directories_[0].host.device;
            if (elsewhere && options_.mount_points == MountPoints::Skip) return;
            directories_.push_back({index, name, *host});
            return;
        }
        if (a.nlink > 1) {
            auto [known, first] = linked_.emplace(std::pair(host->device, host->inode), items_.size());
            if (!first) {
                links_.push_back({index, name, known->second});
                return;
            }
        }
        if (a.type == vfs::FileType::Regular) bytes_total_ += a.bytes;
        items_.push_back({index, name, *host});
    }

    std::size_t batch_end(std::size_t begin) const {
        u64 bytes = 0;
        std::size_t end = begin;
        while (end < items_.size() && end - begin < batch_items && bytes < batch_bytes) {
            u64 size = items_[end++].host.attributes.size;
            bytes += size <= small_bytes ? size : 0;
        }
        return end;
    }

    std::vector<Content> read_batch(std::size_t begin, std::size_t end, u32 jobs) const {
        std::vector<Content> contents(end - begin);
        std::size_t chunks = (contents.size() + chunk_items - 1) / chunk_items;
        auto read_chunk = [&](std::size_t number) {
            DirectoryOpener opener = make_opener();
            std::size_t last = std::min(contents.size(), (number + 1) * chunk_items);
            for (std::size_t i = number * chunk_items; i < last; ++i) {
                auto done = read_item(opener, items_[begin + i], contents[i]);
                if (!done) contents[i].error = done.error();
            }
        };
        parallel_for(jobs, chunks, read_chunk, {});
        return contents;
    }

    static Result<void> read_item(DirectoryOpener& opener, const Item& item, Content& content) {
        if (item.directory) return {};
        const HostFile& directory = *TRY(opener.open(item.parent));
        const vfs::Attributes& a = item.host.attributes;
        if (a.type != vfs::FileType::Regular) {
            if (a.type == vfs::FileType::Symlink) content.target = TRY(read_symlink(directory, item.name));
            content.xattrs = TRY(read_xattrs_of_name(directory, item.name));
            return {};
        }
        content.file = TRY(open_file(directory, item.name));
        content.xattrs = TRY(read_xattrs(content.file));
        if (a.size > small_bytes) return {};
        for (const DataRange& range : TRY(ranges_of(content.file, a))) {
            Buffer bytes(static_cast<std::size_t>(range.end - range.begin));
            bytes.resize(TRY(read_at(content.file, range.begin, bytes)));
            content.pieces.push_back({range.begin, std::move(bytes)});
        }
        content.file = HostFile();
        return {};
    }

    // Only a file that occupies less than its size can have holes.
    static Result<std::vector<DataRange>> ranges_of(const HostFile& file, const vfs::Attributes& a) {
        if (a.size == 0) return std::vector<DataRange>();
        if (a.bytes >= a.size) return std::vector<DataRange>{{0, a.size}};
        return data_ranges(file, a.size);
    }

    Result<void> make_items() {
        u32 helpers = std::max<u32>(options_.jobs, 1) - 1;
        std::size_t begin = 0, end = batch_end(0);
        std::vector<Content> contents = read_batch(begin, end, options_.jobs);
        while (begin < end) {
            std::size_t next_end = batch_end(end);
            std::vector<Content> next;
            std::thread ahead;
            if (helpers > 0 && end < next_end) {
                ahead = std::thread([&] { next = read_batch(end, next_end, helpers); });
            }
            auto made = make_batch(begin, contents);
            if (ahead.joinable())
                ahead.join();
            else if (made)
                next = read_batch(end, next_end, 1);
            TRY(std::move(made));
            contents = std::move(next);
            begin = end;
            end = next_end;
        }
        return {};
    }

    Result<void> make_batch(std::size_t begin, std::vector<Content>& contents) {
        for (std::size_t i = 0; i < contents.size(); ++i) {
            Item& item = items_[begin + i];
            if (options_.progress) {
                double done = double(bytes_done_ + begin + i) / double(bytes_total_ + items_.size());
                if (!options_.progress(std::min(1.0, done), item.name)) return fail(Cause::Cancelled);
            }
            Content& content = contents[i];
            auto made = content.error ? fail(*content.error) : make(item, content);
            if (!made && made.error().cause == Cause::Cancelled) return made;
            if (!made) failed(path_of(item.parent, item.name), made.error());
            content = Content();
        }
        return {};
    }

    Result<void> make(Item& item, const Content& content) {
        if (!directories_[item.parent].made) {
            return fail(Cause::NotFound, "its directory could not be made");
        }
        vfs::NodeId parent = *directories_[item.parent].made;
        const vfs::Attributes& a = item.host.attributes;
        if (item.directory) {
            directories_[*item.directory].made = TRY(make_directory(parent, item.name, a));
            ++totals_.directories;
            return {};
        }
        vfs::NodeId id = TRY(make_inode(parent, item, content));
        item.made = id;
        if (a.type == vfs::FileType::Regular) {
            TRY(write_content(id, item, content));
            ++totals_.files;
        } else {
            ++totals_.others;
        }
        return finish(id, a, content.xattrs);
    }

    Result<vfs::NodeId> make_directory(vfs::NodeId parent, const std::string& name,
                                       const vfs::Attributes& a) {
        auto made = files_.create(parent, name, {.mode = a.mode, .uid = a.uid, .gid = a.gid});
        if (made || made.error().cause != Cause::Exists) return made;
        vfs::NodeId there = TRY(files_.lookup(parent, name));
        if (TRY(files_.getattr(there)).type == vfs::FileType::Directory) return there;
        return made;
    }

    Result<vfs::NodeId> make_inode(vfs::NodeId parent, const Item& item, const Content& content) {
        const vfs::Attributes& a = item.host.attributes;
        vfs::NewInode inode{.mode = a.mode, .uid = a.uid, .gid = a.gid, .rdev = a.rdev};
        auto create = [&] {
            return a.type == vfs::FileType::Symlink ? files_.symlink(parent, item.name, content.target, inode)
                                                    : files_.create(parent, item.name, inode);
        };
        auto made = create();
        bool replace = !made && made.error().cause == Cause::Exists && options_.existing == Existing::Replace;
        if (!replace) return made;
        TRY(files_.unlink(parent, item.name));
        return create();
    }

    Result<void> write_content(vfs::NodeId id, const Item& item, const Content& content) {
        u64 end = 0;
        for (const Content::Piece& piece : content.pieces) {
            TRY(write(id, piece.at, piece.bytes));
            end = piece.at + piece.bytes.size();
        }
        u64 size = item.host.attributes.size;
        if (content.file.get() >= 0) {
            Buffer buffer(piece_bytes);
            for (const DataRange& range : TRY(ranges_of(content.file, item.host.attributes))) {
                for (u64 at = range.begin; at < range.end;) {
                    MutBytes piece(buffer.data(),
                                   static_cast<std::size_t>(std::min<u64>(buffer.size(), range.end - at)));
                    std::size_t got = TRY(read_at(content.file, at, piece));
                    if (got == 0) break;
                    TRY(write(id, at, Bytes(piece).first(got)));
                    at += got;
                    end = at;
                    if (options_.progress && !options_.progress(fraction(), item.name)) {
                        return fail(Cause::Cancelled);
                    }
                }
            }
        }
        if (end < size) return files_.truncate(id, size);
        return {};
    }

    double fraction() const {
        return std::min(1.0, double(bytes_done_) / double(std::max<u64>(1, bytes_total_)));
    }

    Result<void> write(vfs::NodeId id, u64 at, Bytes bytes) {
        std::size_t written = TRY(files_.write(id, at, bytes));
        if (written < bytes.size()) return fail(Cause::NoSpace);
        bytes_done_ += written;
        totals_.data_bytes += written;
        return {};
    }

    // Times come last: everything else changes them.
    Result<void> finish(vfs::NodeId id, const vfs::Attributes& a, const std::vector<vfs::Xattr>& xattrs) {
        Result<void> done;
        for (const vfs::Xattr& xattr : xattrs) {
            auto set = files_.set_xattr(id, xattr.name, xattr.value, vfs::XattrMode::Any);
            if (set || !done) continue;
            Error error = set.error();
            error.detail = "xattr " + escaped(xattr.name) + (error.detail.empty() ? "" : ": ") + error.detail;
            done = fail(std::move(error));
        }
        auto times = files_.setattr(id, {.atime = a.atime, .mtime = a.mtime});
        return done ? times : done;
    }

    void make_links() {
        for (const Link& link : links_) {
            const Item& item = items_[link.item];
            auto done = [&]() -> Result<void> {
                const Directory& parent = directories_[link.parent];
                if (!item.made || !parent.made) {
                    return fail(Cause::NotFound, "its first name could not be copied");
                }
                auto linked = files_.link(*item.made, *parent.made, link.name);
                bool replace = !linked && linked.error().cause == Cause::Exists &&
                               options_.existing == Existing::Replace;
                if (!replace) return linked;
                TRY(files_.unlink(*parent.made, link.name));
                return files_.link(*item.made, *parent.made, link.name);
            }();
            if (done)
                ++totals_.links;
            else
                failed(path_of(link.parent, link.name), done.error());
        }
    }

    void finish_directories() {
        DirectoryOpener opener = make_opener();
        for (u32 i = 0; i < directories_.size(); ++i) {
            const Directory& directory = directories_[i];
            if (!directory.made) continue;
            auto done = [&]() -> Result<void> {
                const vfs::Attributes& a = directory.host.attributes;
                auto xattrs = TRY(read_xattrs(*TRY(opener.open(i))));
                // One that was there already, or the top, has other owners and another mode.
                TRY(files_.setattr(*directory.made, {.uid = a.uid, .gid = a.gid}));
                TRY(files_.setattr(*directory.made, {.mode = a.mode & 07777}));
                return finish(*directory.made, a, xattrs);
            }();
            if (!done) failed(path_of(i, ""), done.error());
        }
    }

    vfs::FileSystem& files_;
    HostFile source_;
    std::string source_path_;
    const ImportOptions& options_;
    std::vector<Directory> directories_;  // parents before children; 0 is the top
    std::vector<Item> items_;
    std::vector<Link> links_;
    std::map<std::pair<u64, u64>, std::size_t>
        linked_;  // the first names of inodes with several, by host inode
    u64 bytes_total_ = 0;
    u64 bytes_done_ = 0;
    ExportTotals totals_;
};

}  // namespace

Result<ExportTotals> import_directory(vfs::FileSystem& files, HostFile source, const std::string& source_path,
                                      vfs::NodeId target, const ImportOptions& options) {
    return Importer(files, std::move(source), source_path, options).run(target);
}

}  // namespace glassfs::commands
