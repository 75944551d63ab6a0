// SPDX-License-Identifier: MIT
// The session's questions about files.
#include "ui/model/session_impl.h"

namespace glassfs::ui {

namespace {

Result<DirPage> read_page(vfs::FileSystem& files, vfs::NodeId dir, u64 cookie) {
    DirPage page;
    page.last = true;
    TRY(files.readdir(dir, cookie, [&](const vfs::DirEntry& entry) {
        if (page.rows.size() == DirPage::rows_max) {
            page.last = false;
            return false;
        }
        page.rows.push_back({entry, {}, {}});
        page.next_cookie = entry.cookie;
        return true;
    }));
    for (DirPage::Row& row : page.rows) {
        if (auto attributes = files.getattr(row.entry.id)) row.attributes = std::move(*attributes);
        if (row.entry.type != vfs::FileType::Symlink) continue;
        if (auto target = files.readlink(row.entry.id)) row.target = std::move(*target);
    }
    return page;
}

Result<ExtentList> read_extents(vfs::FileSystem& files, vfs::NodeId node) {
    ExtentList list;
    TRY(files.extents(node, [&](const vfs::FileExtent& extent) {
        list.more = list.extents.size() == ExtentList::extents_max;
        if (!list.more) list.extents.push_back(extent);
        return !list.more;
    }));
    return list;
}

Result<FileBytes> read_bytes(vfs::FileSystem& files, vfs::NodeId node, u64 offset) {
    FileBytes bytes;
    bytes.offset = offset;
    bytes.data.resize(FileBytes::bytes_max);
    bytes.data.resize(TRY(files.read(node, offset, bytes.data)));
    return bytes;
}

// Names are taken as they are: a view shows paths that it has found, and "." or ".." are none of those.
Result<vfs::NodeId> resolve_path(vfs::FileSystem& files, std::string_view path) {
    vfs::NodeId node = files.root();
    while (!path.empty()) {
        std::size_t end = path.find('/');
        std::string_view name = path.substr(0, end);
        path.remove_prefix(end == path.npos ? path.size() : end + 1);
        if (!name.empty()) node = TRY(files.lookup(node, name));
    }
    return node;
}

}  // namespace

Answer<vfs::Attributes> Session::attributes(vfs::NodeId node) {
    return impl_->ask(impl_->attributes, node, [node](mount::Volume& v) { return v.files().getattr(node); });
}

Answer<DirPage> Session::directory(vfs::NodeId dir, u64 cookie) {
    return impl_->ask(impl_->directories, std::pair(dir, cookie),
                      [dir, cookie](mount::Volume& v) { return read_page(v.files(), dir, cookie); });
}

Answer<std::vector<vfs::Xattr>> Session::xattrs(vfs::NodeId node) {
    return impl_->ask(impl_->xattrs, node, [node](mount::Volume& v) { return v.files().xattrs(node); });
}

Answer<ExtentList> Session::extents(vfs::NodeId node) {
    return impl_->ask(impl_->extents, node,
                      [node](mount::Volume& v) { return read_extents(v.files(), node); });
}

Answer<std::string> Session::readlink(vfs::NodeId node) {
    return impl_->ask(impl_->links, node, [node](mount::Volume& v) { return v.files().readlink(node); });
}

Answer<FileBytes> Session::file_bytes(vfs::NodeId node, u64 offset) {
    offset -= offset % FileBytes::bytes_max;
    return impl_->ask(impl_->file_bytes, std::pair(node, offset),
                      [node, offset](mount::Volume& v) { return read_bytes(v.files(), node, offset); });
}

Answer<vfs::NodeId> Session::resolve(const std::string& path) {
    return impl_->ask(impl_->resolved, path,
                      [path](mount::Volume& v) { return resolve_path(v.files(), path); });
}

std::optional<Error> Session::follow_wanted_path() {
    if (view.wanted_path.empty() || state() != SessionState::Open) return std::nullopt;
    std::string path = view.wanted_path;
    auto node = resolve(path);
    auto found = node ? attributes(*node) : Answer<vfs::Attributes>();
    const Error* error = node.error() ? node.error() : found.error();
    if (error) {
        view.wanted_path.clear();
        return *error;
    }
    if (!found) return std::nullopt;
    // Folders on the way are unfolded once all of them are known.
    std::set<vfs::NodeId> above;
    for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
        auto folder = resolve(path.substr(0, end));
        if (folder.pending()) return std::nullopt;
        if (folder) above.insert(*folder);
    }
    bool is_folder = found->type == vfs::FileType::Directory;
    std::size_t slash = path.rfind('/');
    std::string parent = slash == 0 || slash == path.npos ? "/" : path.substr(0, slash);
    auto parent_node = resolve(parent);
    if (parent_node.pending()) return std::nullopt;
    view.wanted_path.clear();
    view.open_dirs.insert(above.begin(), above.end());
    if (is_folder || parent_node) {
        view.folder = is_folder ? *node : *parent_node;
        view.folder_path = is_folder ? path : parent;
    }
    view.select_file(*node, path);
    return std::nullopt;
}

}  // namespace glassfs::ui
