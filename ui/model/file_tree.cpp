// SPDX-License-Identifier: MIT
#include "ui/model/file_tree.h"

#include "base/text.h"
#include "commands/show.h"

namespace glassfs::ui {

namespace {
constexpr u32 depth_max = 64;
constexpr std::size_t rows_max = 200'000;

TreeRow row_of(const DirPage::Row& from, const std::string& dir_path, u32 depth) {
    TreeRow row;
    row.depth = depth;
    row.id = from.entry.id;
    row.name = printable(from.entry.name);
    row.path = join_path(dir_path, from.entry.name);
    row.type = from.entry.type;
    row.attributes = from.attributes;
    if (row.attributes) row.type = row.attributes->type;
    if (row.type == vfs::FileType::Symlink) {
        row.target = printable(from.target);
        row.value = row.target;
    } else if (row.type == vfs::FileType::Regular && row.attributes) {
        row.value = short_size(row.attributes->size);
    }
    return row;
}

TreeRow note(TreeRow::Kind kind, vfs::NodeId dir, const std::string& path, u32 depth, std::string name) {
    TreeRow row;
    row.kind = kind;
    row.id = dir;
    row.path = path;
    row.depth = depth;
    row.name = std::move(name);
    return row;
}
}  // namespace

bool FileTree::stale(Session& session, const Listing& listing) const {
    return listing.revision != session.revision() || listing.epoch != session.epoch() ||
           listing.changes != changes_ || listing.open != session.view.open_dirs;
}

const std::vector<TreeRow>& FileTree::rows(Session& session) {
    if (!stale(session, tree_)) return tree_.rows;
    if (pages_epoch_ != session.epoch()) pages_.clear();
    pages_epoch_ = session.epoch();
    tree_ = {session.revision(), session.epoch(), changes_, session.view.open_dirs, {}, {}, {}};
    if (session.state() == SessionState::Open) add(session, tree_.rows, session.root(), "/", 0, true);
    entries_ = 0;
    for (const TreeRow& row : tree_.rows) entries_ += row.kind == TreeRow::Kind::Entry ? 1 : 0;
    return tree_.rows;
}

const std::vector<TreeRow>& FileTree::folder(Session& session, vfs::NodeId dir, const std::string& path) {
    if (!stale(session, folder_) && folder_.dir == dir && folder_.path == path) return folder_.rows;
    folder_ = {session.revision(), session.epoch(), changes_, session.view.open_dirs, dir, path, {}};
    if (session.state() == SessionState::Open) add(session, folder_.rows, dir, path, 0, false);
    return folder_.rows;
}

void FileTree::add(Session& session, std::vector<TreeRow>& out, vfs::NodeId dir, const std::string& path,
                   u32 depth, bool unfold) {
    u64 cookie = 0;
    u32 pages = 1;
    if (auto it = pages_.find(dir); it != pages_.end()) pages += it->second;
    for (u32 page = 0;; ++page) {
        if (page == pages || out.size() > rows_max) {
            out.push_back(note(TreeRow::Kind::More, dir, path, depth, "more"));
            return;
        }
        auto answer = session.directory(dir, cookie);
        if (const Error* error = answer.error()) {
            out.push_back(note(TreeRow::Kind::Failed, dir, path, depth, error->message()));
            return;
        }
        if (!answer) {
            out.push_back(note(TreeRow::Kind::Loading, dir, path, depth, "reading"));
            return;
        }
        for (const DirPage::Row& from : answer->rows) {
            TreeRow row = row_of(from, path, depth);
            bool folder = row.type == vfs::FileType::Directory;
            row.open = folder && unfold && depth < depth_max && session.view.open_dirs.contains(row.id);
            out.push_back(row);
            if (row.open) add(session, out, row.id, row.path, depth + 1, unfold);
        }
        if (answer->last) return;
        cookie = answer->next_cookie;
    }
}

std::string short_size(u64 bytes) {
    static constexpr const char* units[] = {"K", "M", "G", "T", "P", "E"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 999.95 && unit < 5) {
        value /= 1024;
        ++unit;
    }
    return text(value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

std::string mode_text(u32 mode) {
    return commands::mode_text(mode);
}

std::string join_path(const std::string& dir, const std::string& name) {
    return dir.ends_with('/') ? dir + name : dir + "/" + name;
}

std::string parent_path(const std::string& path) {
    std::size_t slash = path.rfind('/');
    return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

std::string last_name(const std::string& path) {
    std::size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    return name.empty() ? "/" : name;
}

}  // namespace glassfs::ui
