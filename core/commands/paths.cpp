// SPDX-License-Identifier: MIT
// Paths of a volume.
#include "commands/paths.h"

#include "base/text.h"
#include "vfs/path_walk.h"

#include <algorithm>
#include <set>

namespace glassfs::commands {

std::string join_path(std::string_view directory, std::string_view name) {
    if (name.starts_with('/')) return std::string(name);
    std::string out(directory);
    if (!name.empty()) {
        if (!out.ends_with('/')) out += '/';
        out += name;
    }
    return out;
}

std::string child_path(std::string_view directory, std::string_view name) {
    std::string out(directory);
    if (!out.ends_with('/')) out += '/';
    return out += name;
}

std::string tidy_path(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), part.size() + 1));
        if (part.empty() || part == ".") continue;
        if (part != "..")
            parts.push_back(part);
        else if (!parts.empty())
            parts.pop_back();
    }
    std::string out;
    for (std::string_view part : parts) (out += '/') += part;
    return out.empty() ? "/" : out;
}

std::string_view last_name(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    return path.size() <= 1 ? path : path.substr(path.rfind('/') + 1);
}

bool possible_name(std::string_view name) {
    bool separated = name.find('/') != name.npos || name.find('\0') != name.npos;
    return !name.empty() && name != "." && name != ".." && !separated;
}

Result<vfs::NodeId> resolve_operand(const Context& context, std::string_view operand, Follow follow) {
    return vfs::resolve(context.volume.files(), join_path(context.cwd, operand),
                        follow == Follow::Yes ? vfs::FollowLast::Yes : vfs::FollowLast::No);
}

Listing sorted_listing(vfs::FileSystem& files, vfs::NodeId directory) {
    Listing out;
    auto done = files.readdir(directory, 0, [&](const vfs::DirEntry& entry) {
        out.entries.push_back(entry);
        return true;
    });
    if (!done) out.error = done.error();
    std::ranges::sort(out.entries, {}, &vfs::DirEntry::name);
    return out;
}

namespace {

struct Pending {
    std::string path;
    std::size_t name_bytes;  // of the path: its last name, which may hold a '/' on a damaged volume
    vfs::NodeId id;
    u32 depth;
};

}  // namespace

void walk(vfs::FileSystem& files, vfs::NodeId top, const std::string& path,
          const std::function<bool(const Visit&)>& visit) {
    std::vector<Pending> todo{{path, 0, top, 0}};
    std::set<vfs::NodeId> entered;
    while (!todo.empty()) {
        Pending now = std::move(todo.back());
        todo.pop_back();
        Result<vfs::Attributes> attributes = files.getattr(now.id);
        bool is_directory = attributes && attributes->type == vfs::FileType::Directory;
        Listing listing;
        if (is_directory && entered.insert(now.id).second) listing = sorted_listing(files, now.id);
        std::string_view name = std::string_view(now.path).substr(now.path.size() - now.name_bytes);
        bool enter = visit({now.path, name, now.id, attributes, listing, now.depth});
        if (!enter) continue;
        for (auto entry = listing.entries.rbegin(); entry != listing.entries.rend(); ++entry) {
            todo.push_back({child_path(now.path, entry->name), entry->name.size(), entry->id, now.depth + 1});
        }
    }
}

JsonObject entry_json(vfs::FileSystem& files, std::string_view path, const vfs::Attributes& attributes) {
    JsonObject out;
    out.add("path", escaped(path)).add("name", escaped(last_name(path)));
    out.add("type", vfs::file_type_name(attributes.type));
    out.add("ino", attributes.id.ino.value).add("tree", attributes.id.tree);
    out.add("mode", text("%04o", attributes.mode & 07777));
    out.add("uid", attributes.uid).add("gid", attributes.gid).add("nlink", attributes.nlink);
    out.add("size", attributes.size).add("mtime", stamp(attributes.mtime));
    if (attributes.type == vfs::FileType::CharDevice || attributes.type == vfs::FileType::BlockDevice) {
        out.add("rdev", text("%u:%u", attributes.rdev.major, attributes.rdev.minor));
    }
    if (attributes.type == vfs::FileType::Symlink) {
        auto target = files.readlink(attributes.id);
        if (target)
            out.add("target", escaped(*target));
        else
            out.raw("error", error_json(target.error()).str());
    }
    return out;
}

}  // namespace glassfs::commands
