// SPDX-License-Identifier: MIT
#include "compare.h"

#include <algorithm>

namespace glassfs::differential {

using vfs::Attributes;
using vfs::FileExtent;
using vfs::FileType;
using vfs::NodeId;

namespace {

constexpr std::size_t differences_max = 12;
constexpr u64 stand_in_inode = 2, subvolume_root_inode = 256;
constexpr u64 flags_shown =
    (1 << 1) | (1 << 3) | (1 << 5) | (1 << 6) | (1 << 7) | (1 << 8) | (1 << 9) | (1 << 10) | (1 << 11);

// A clock's: differs on the two sides. Times that an operation sets are far away from it.
bool is_recent(TimeSpec time) {
    return time.seconds > 1'500'000'000 && time.seconds < 3'000'000'000;
}

std::string text(TimeSpec time) {
    return std::to_string(time.seconds) + "." + std::to_string(time.nanos);
}

class Differences {
  public:
    explicit Differences(std::string where) : where_(std::move(where)) {}
    template <class T>
    void check(const char* what, const T& left, const T& right) {
        if (left == right) return;
        add(std::string(what) + " " + shown_value(left) + " here, " + shown_value(right) + " there");
    }
    void add(const std::string& what) { found_.push_back(where_ + ": " + what); }
    void check_time(const char* what, TimeSpec left, TimeSpec right) {
        if (is_recent(left) && is_recent(right)) return;
        if (left != right) add(std::string(what) + " " + text(left) + " here, " + text(right) + " there");
    }
    std::vector<std::string> take() { return std::move(found_); }
    bool empty() const { return found_.empty(); }

  private:
    static std::string shown_value(const std::string& value) { return "\"" + shown(value) + "\""; }
    static std::string shown_value(u64 value) { return std::to_string(value); }

    std::string where_;
    std::vector<std::string> found_;
};

void compare_attributes(Differences& out, const Attributes& left, const Attributes& right) {
    out.check<std::string>("type", vfs::file_type_name(left.type), vfs::file_type_name(right.type));
    bool stand_in = left.id.ino.value == stand_in_inode, there = right.id.ino.value == stand_in_inode;
    if (stand_in != there) out.add("a nested subvolume's stand-in on one side");
    if (stand_in) return;
    out.check<u64>("mode", left.mode, right.mode);
    out.check<u64>("uid", left.uid, right.uid);
    out.check<u64>("gid", left.gid, right.gid);
    out.check<u64>("nlink", left.nlink, right.nlink);
    out.check("size", left.size, right.size);
    out.check<u64>("rdev major", left.rdev.major, right.rdev.major);
    out.check<u64>("rdev minor", left.rdev.minor, right.rdev.minor);
    // A host tells no flags of anything else.
    if (left.type == FileType::Regular || left.type == FileType::Directory) {
        out.check("flags", left.flags & flags_shown, right.flags & flags_shown);
    }
    out.check_time("atime", left.atime, right.atime);
    out.check_time("mtime", left.mtime, right.mtime);
}

std::string changed(const Attributes& before, const Attributes& after) {
    std::string out;
    if (before.atime != after.atime) out += "atime ";
    if (before.mtime != after.mtime) out += "mtime ";
    if (before.ctime != after.ctime) out += "ctime ";
    if (before.btime != after.btime) out += "btime ";
    return out.empty() ? "nothing" : out;
}

class TreeComparison {
  public:
    TreeComparison(Side& left, Side& right, const CompareOptions& options)
        : left_(left.files()), right_(right.files()), options_(options) {}

    std::vector<std::string> run() {
        directory(left_.root(), right_.root(), "");
        return std::move(found_);
    }

  private:
    void add(const std::string& path, const std::string& what) {
        found_.push_back((path.empty() ? "/" : path) + ": " + what);
    }
    bool enough() const { return found_.size() >= differences_max; }
    void node(NodeId left, NodeId right, const std::string& path);
    void directory(NodeId left, NodeId right, const std::string& path);
    void extended_attributes(NodeId left, NodeId right, const std::string& path);
    void file(NodeId left, NodeId right, u64 size, const std::string& path);
    void contents(NodeId left, NodeId right, u64 begin, u64 end, const std::string& path);

    vfs::FileSystem& left_;
    vfs::FileSystem& right_;
    CompareOptions options_;
    std::map<NodeId, std::pair<NodeId, std::string>> pairs_;  // inodes with several names
    std::vector<std::string> found_;
};

struct Run {
    u64 begin = 0;
    u64 end = 0;
    friend bool operator==(const Run&, const Run&) = default;
};

std::string text(const std::vector<Run>& runs) {
    std::string out;
    for (const auto& run : runs) {
        if (out.size() > 200) return out + "...";
        out += std::to_string(run.begin) + "-" + std::to_string(run.end) + " ";
    }
    return out.empty() ? "none" : out;
}

// As SEEK_DATA and SEEK_HOLE find them.
Result<std::vector<Run>> data_runs(vfs::FileSystem& files, NodeId id, u64 size) {
    std::vector<Run> out;
    for (u64 at = 0; at < size;) {
        auto begin = files.seek(id, at, vfs::Whence::Data);
        if (!begin && begin.error().code() == Errno::NXIO) break;
        if (!begin) return fail(begin.error());
        at = TRY(files.seek(id, *begin, vfs::Whence::Hole));
        out.push_back({*begin, at});
        if (at <= *begin) return fail(Cause::InjectedFault, "SEEK_HOLE doesn't move");
    }
    return out;
}

// Runs of extents of one kind, in whole blocks: neither where they lie nor how they are cut.
Result<std::vector<Run>> extent_runs(vfs::FileSystem& files, NodeId id, FileExtent::Kind wanted) {
    std::vector<Run> out;
    TRY(files.extents(id, [&](const FileExtent& extent) {
        auto kind = extent.kind == FileExtent::Kind::Inline ? FileExtent::Kind::Data : extent.kind;
        if (kind != wanted || extent.length == 0) return true;
        u64 end = (extent.file_offset + extent.length + 4095) / 4096 * 4096;
        if (!out.empty() && out.back().end == extent.file_offset) {
            out.back().end = end;
        } else {
            out.push_back({extent.file_offset, end});
        }
        return true;
    }));
    return out;
}

template <class T>
std::string error_text(const Result<T>& result) {
    return result ? "OK" : result.error().message();
}

void TreeComparison::node(NodeId left, NodeId right, const std::string& path) {
    auto here = left_.getattr(left), there = right_.getattr(right);
    if (!here || !there)
        return add(path, "getattr: " + error_text(here) + " here, " + error_text(there) + " there");
    Differences found(path);
    compare_attributes(found, *here, *there);
    bool same_type = here->type == there->type;
    // A directory occupies nothing, but for the root that mkfs made, which has a node's bytes.
    if (options_.blocks && here->type != FileType::Directory) found.check("bytes", here->bytes, there->bytes);
    for (auto& line : found.take()) found_.push_back(line);
    if (!same_type) return;
    if (here->type != FileType::Directory) {
        auto [entry, fresh] = pairs_.try_emplace(left, right, path);
        if (!fresh) {
            if (entry->second.first != right)
                add(path, "is one inode with " + entry->second.second + " here only");
            return;
        }
    }
    extended_attributes(left, right, path);
    if (here->type == FileType::Regular) file(left, right, std::min(here->size, there->size), path);
    if (here->type == FileType::Symlink) {
        auto target = left_.readlink(left), other = right_.readlink(right);
        if (!target || !other || *target != *other) {
            add(path, "readlink: " + (target ? shown(*target) : error_text(target)) + " here, " +
                          (other ? shown(*other) : error_text(other)) + " there");
        }
    }
    if (here->type == FileType::Directory && here->id.ino.value != stand_in_inode)
        directory(left, right, path);
}

struct Listed {
    std::string name;
    FileType type = FileType::Unknown;
};

Result<std::vector<Listed>> listed(vfs::FileSystem& files, NodeId dir) {
    std::vector<Listed> out;
    TRY(files.readdir(dir, 0, [&](const vfs::DirEntry& entry) {
        out.push_back({entry.name, entry.type});
        return true;
    }));
    return out;
}

void TreeComparison::directory(NodeId left, NodeId right, const std::string& path) {
    auto here = listed(left_, left), there = listed(right_, right);
    if (!here || !there)
        return add(path, "readdir: " + error_text(here) + " here, " + error_text(there) + " there");
    for (std::size_t i = 0; i < std::max(here->size(), there->size()); ++i) {
        if (i >= here->size()) return add(path, "\"" + shown((*there)[i].name) + "\" is missing here");
        if (i >= there->size()) return add(path, "\"" + shown((*here)[i].name) + "\" is here only");
        const Listed &mine = (*here)[i], &other = (*there)[i];
        if (mine.name != other.name) {
            return add(path, "entry " + std::to_string(i) + " is \"" + shown(mine.name) + "\" here, \"" +
                                 shown(other.name) + "\" there");
        }
        std::string below = path + "/" + shown(mine.name);
        if (mine.type != other.type) add(below, "readdir's type differs");
        auto id = left_.lookup(left, mine.name), other_id = right_.lookup(right, mine.name);
        if (!id || !other_id) {
            add(below, "lookup: " + error_text(id) + " here, " + error_text(other_id) + " there");
            continue;
        }
        auto above = left_.parent(*id);
        if (mine.type == FileType::Directory && id->ino.value != stand_in_inode &&
            (!above || *above != left)) {
            add(below, "its parent isn't the directory it is in");
        }
        node(*id, *other_id, below);
        if (enough()) return;
    }
}

void TreeComparison::extended_attributes(NodeId left, NodeId right, const std::string& path) {
    auto here = left_.xattrs(left), there = right_.xattrs(right);
    if (!here || !there)
        return add(path, "xattrs: " + error_text(here) + " here, " + error_text(there) + " there");
    auto names = [](const std::vector<vfs::Xattr>& list) {
        std::string out;
        for (const auto& xattr : list) out += xattr.name + " ";
        return out;
    };
    if (names(*here) != names(*there)) {
        return add(path, "xattrs " + names(*here) + "here, " + names(*there) + "there");
    }
    for (std::size_t i = 0; i < here->size(); ++i) {
        if ((*here)[i].value != (*there)[i].value) add(path, "value of xattr " + shown((*here)[i].name));
    }
}

void TreeComparison::file(NodeId left, NodeId right, u64 size, const std::string& path) {
    auto here = data_runs(left_, left, size), there = data_runs(right_, right, size);
    if (!here || !there)
        return add(path, "seek: " + error_text(here) + " here, " + error_text(there) + " there");
    if (*here != *there) add(path, "data at " + text(*here) + "here, " + text(*there) + "there");
    // Where either has data; in a hole of both there is nothing to read.
    for (const auto& run : *here) contents(left, right, run.begin, run.end, path);
    if (*here != *there) {
        for (const auto& run : *there) contents(left, right, run.begin, run.end, path);
    }
    if (!options_.blocks) return;
    auto mine = extent_runs(left_, left, FileExtent::Kind::Unwritten);
    auto other = extent_runs(right_, right, FileExtent::Kind::Unwritten);
    if (!mine || !other)
        return add(path, "extents: " + error_text(mine) + " here, " + error_text(other) + " there");
    if (*mine != *other) add(path, "unwritten at " + text(*mine) + "here, " + text(*other) + "there");
}

void TreeComparison::contents(NodeId left, NodeId right, u64 begin, u64 end, const std::string& path) {
    constexpr u64 piece = 1 << 20;
    for (u64 at = begin; at < end; at += piece) {
        std::size_t bytes = static_cast<std::size_t>(std::min(piece, end - at));
        Buffer mine(bytes), other(bytes);
        auto got = left_.read(left, at, mine), there = right_.read(right, at, other);
        if (!got || !there || *got != bytes || *there != bytes) {
            return add(path, "read at " + std::to_string(at) + ": " + error_text(got) + " here, " +
                                 error_text(there) + " there");
        }
        auto [place, unused] = std::mismatch(mine.begin(), mine.end(), other.begin());
        if (place != mine.end()) {
            u64 where = at + static_cast<u64>(place - mine.begin());
            return add(path, "content differs from byte " + std::to_string(where) + " on");
        }
    }
}

}  // namespace

Watched watch(Side& side, const std::vector<std::optional<NodeId>>& nodes) {
    Watched out;
    for (const auto& node : nodes) {
        auto stat = node ? side.files().getattr(*node) : Result<Attributes>(fail(Cause::NotFound));
        out.push_back(stat ? std::optional(*stat) : std::nullopt);
    }
    return out;
}

std::vector<std::string> compare_watched(const Watched& left_before, const Watched& left_after,
                                         const Watched& right_before, const Watched& right_after,
                                         const CompareOptions& options) {
    Differences out("touched inode");
    if (left_before.size() != right_before.size()) {
        out.add("not the same inodes are reached");
        return out.take();
    }
    for (std::size_t i = 0; i < left_before.size(); ++i) {
        if (left_before[i].has_value() != right_before[i].has_value()) out.add("is there on one side");
        // Without a name left an inode is gone here, but not in a host's table of descriptors.
        if (!left_after[i] || !right_after[i] || !left_before[i] || !right_before[i]) continue;
        if (left_after[i]->nlink == 0 && right_after[i]->nlink == 0) continue;
        compare_attributes(out, *left_after[i], *right_after[i]);
        u64 number = left_after[i]->id.ino.value;
        if (!options.changes || number == stand_in_inode || number == subvolume_root_inode) continue;
        std::string here = changed(*left_before[i], *left_after[i]);
        std::string there = changed(*right_before[i], *right_after[i]);
        out.check("changed times:", here, there);
    }
    return out.take();
}

std::vector<std::string> compare_trees(Side& left, Side& right, const CompareOptions& options) {
    auto out = TreeComparison(left, right, options).run();
    left.forget();
    right.forget();
    return out;
}

}  // namespace glassfs::differential
