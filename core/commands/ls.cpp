// SPDX-License-Identifier: MIT
// ls: list directories.
#include "base/text.h"
#include "commands/paths.h"
#include "commands/run.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

struct Row {
    std::string path;  // of the volume
    std::string name;  // as shown
    vfs::NodeId id;
    Result<vfs::Attributes> attributes;
};

std::string size_or_device(const vfs::Attributes& attributes) {
    bool device =
        attributes.type == vfs::FileType::CharDevice || attributes.type == vfs::FileType::BlockDevice;
    if (device) return text("%u,%u", attributes.rdev.major, attributes.rdev.minor);
    return grouped(attributes.size);
}

class Lister {
  public:
    explicit Lister(Context& context) : context_(context), files_(context.volume.files()) {}

    void list(const std::string& path, vfs::NodeId id, bool titled) {
        auto attributes = files_.getattr(id);
        bool as_directory = attributes && attributes->type == vfs::FileType::Directory &&
                            !context_.arguments.has("directory");
        if (!as_directory) return show({{path, path, id, std::move(attributes)}});
        bool recursive = context_.arguments.has("recursive");
        if (!recursive) return list_entries(path, sorted_listing(files_, id), titled);
        walk(files_, id, path, [&](const Visit& visit) {
            bool is_directory = visit.attributes && visit.attributes->type == vfs::FileType::Directory;
            if (is_directory) list_entries(visit.path, visit.listing, true);
            return is_directory;
        });
    }

    ExitCode result() const { return failed_ ? ExitCode::Problems : ExitCode::Done; }

    void failed(std::string_view path, const Error& error) {
        context_.complain(path, error);
        failed_ = true;
    }

  private:
    void list_entries(const std::string& path, const Listing& listing, bool titled) {
        if (titled && !context_.json()) {
            context_.out((first_ ? "" : "\n") + name_text(path, context_.style) + ":\n");
        }
        first_ = false;
        std::vector<Row> rows;
        for (const vfs::DirEntry& entry : listing.entries) {
            rows.push_back({child_path(path, entry.name), entry.name, entry.id, files_.getattr(entry.id)});
        }
        show(rows);
        if (listing.error) failed(path, *listing.error);
    }

    void show(const std::vector<Row>& rows) {
        std::size_t links = 0, owner = 0, size = 0, number = 0;
        for (const Row& row : rows) {
            number = std::max(number, std::to_string(row.id.ino.value).size());
            if (!row.attributes) continue;
            links = std::max(links, std::to_string(row.attributes->nlink).size());
            owner = std::max(owner, owner_text(*row.attributes).size());
            size = std::max(size, size_or_device(*row.attributes).size());
        }
        std::string out;
        for (const Row& row : rows) {
            if (!row.attributes) {
                failed(row.path, row.attributes.error());
                continue;
            }
            if (context_.json()) {
                out += entry_json(files_, row.path, *row.attributes).line();
                continue;
            }
            if (context_.arguments.has("inode")) {
                out += text("%*llu ", static_cast<int>(number),
                            static_cast<unsigned long long>(row.id.ino.value));
            }
            if (context_.arguments.has("long")) out += long_columns(*row.attributes, links, owner, size);
            out += coloured_name(row.name, *row.attributes, context_.style);
            if (context_.arguments.has("long")) out += link_target(row);
            out += '\n';
        }
        context_.out(out);
    }

    static std::string owner_text(const vfs::Attributes& attributes) {
        return text("%u:%u", attributes.uid, attributes.gid);
    }

    static std::string long_columns(const vfs::Attributes& attributes, std::size_t links, std::size_t owner,
                                    std::size_t size) {
        std::string time = time_text(attributes.mtime.seconds, attributes.mtime.nanos);
        return text("%s %*u %-*s %*s %s ", mode_text(attributes.mode).c_str(), static_cast<int>(links),
                    attributes.nlink, static_cast<int>(owner), owner_text(attributes).c_str(),
                    static_cast<int>(size), size_or_device(attributes).c_str(),
                    time.substr(0, time.rfind('.')).c_str());
    }

    std::string link_target(const Row& row) {
        if (row.attributes->type != vfs::FileType::Symlink) return "";
        auto target = files_.readlink(row.id);
        if (target) return " -> " + name_text(*target, context_.style);
        failed(row.path, target.error());
        return " -> ?";
    }

    Context& context_;
    vfs::FileSystem& files_;
    bool first_ = true;
    bool failed_ = false;
};

}  // namespace

ExitCode run_ls(Context& context) {
    std::vector<std::string> operands = context.arguments.operands;
    if (operands.empty()) operands.push_back(context.cwd);
    Lister lister(context);
    for (const std::string& operand : operands) {
        std::string path = join_path(context.cwd, operand);
        Follow follow = context.arguments.has("directory") ? Follow::No : Follow::Yes;
        auto id = resolve_operand(context, operand, follow);
        // A symlink that leads nowhere is still something to list.
        if (!id && follow == Follow::Yes) id = resolve_operand(context, operand, Follow::No);
        if (id)
            lister.list(path, *id, operands.size() > 1);
        else
            lister.failed(path, id.error());
    }
    return lister.result();
}

}  // namespace glassfs::commands
