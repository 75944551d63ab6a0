// SPDX-License-Identifier: MIT
// Paths of a volume as commands use them: from an operand to an inode, sorted listings, and a walk of
// everything below a directory.
#pragma once

#include "commands/context.h"
#include "commands/json.h"

#include <functional>
#include <string>
#include <vector>

namespace glassfs::commands {

enum class Follow : u8 { No, Yes };

// "b" from "/a" -> "/a/b"; an absolute path stays. Not simplified.
std::string join_path(std::string_view directory, std::string_view name);
// The name as it is, even one that begins with '/' (damaged volumes).
std::string child_path(std::string_view directory, std::string_view name);
// Without ".", ".." and doubled slashes, as text (symlinks not looked at): what a prompt shows.
std::string tidy_path(std::string_view path);
std::string_view last_name(std::string_view path);  // "/" of the root

Result<vfs::NodeId> resolve_operand(const Context& context, std::string_view operand, Follow follow);

// Entries sorted by name (bytes). Those read before an error are returned with it.
struct Listing {
    std::vector<vfs::DirEntry> entries;
    std::optional<Error> error;
};
Listing sorted_listing(vfs::FileSystem& files, vfs::NodeId directory);

// Whether a file of a host may have this name: damaged volumes have names with '/' or "..".
bool possible_name(std::string_view name);

struct Visit {
    const std::string& path;  // of the volume, raw bytes
    std::string_view name;    // as the directory has it; empty where the walk began
    vfs::NodeId id;
    const Result<vfs::Attributes>& attributes;
    const Listing& listing;  // of a directory
    u32 depth;               // 0: where the walk began
};

// Depth first, sorted by name, a directory before its entries. `visit` returns whether to go into the
// directory. A directory that contains itself is entered once (damaged volumes).
void walk(vfs::FileSystem& files, vfs::NodeId top, const std::string& path,
          const std::function<bool(const Visit&)>& visit);

// What ls, find and stat tell of a file in JSON.
JsonObject entry_json(vfs::FileSystem& files, std::string_view path, const vfs::Attributes& attributes);

}  // namespace glassfs::commands
