// SPDX-License-Identifier: MIT
// tree: a directory and what is below it, drawn with lines.
#include "base/text.h"
#include "commands/paths.h"
#include "commands/run.h"

#include <set>

namespace glassfs::commands {

namespace {

class TreeDrawer {
  public:
    TreeDrawer(Context& context, u64 depth_max)
        : context_(context), files_(context.volume.files()), depth_max_(depth_max) {}

    void draw(const std::string& path, vfs::NodeId id) {
        context_.json() ? draw_json(path, id) : draw_text(path, id);
    }
    ExitCode result() const { return failed_ ? ExitCode::Problems : ExitCode::Done; }

  private:
    // Entries of one directory on the way down; an explicit stack, because names nest deeper than ours may.
    struct Level {
        std::string path;
        std::vector<vfs::DirEntry> entries;
        std::size_t next = 0;
    };

    void enter(std::string path, vfs::NodeId id) {
        Listing listing = sorted_listing(files_, id);
        if (listing.error) failed(path, *listing.error);
        if (!listing.entries.empty()) entered_.insert(id);
        levels_.push_back({std::move(path), std::move(listing.entries)});
    }

    void failed(std::string_view path, const Error& error) {
        context_.complain(path, error);
        failed_ = true;
    }

    bool may_enter(const Result<vfs::Attributes>& attributes) const {
        return attributes && attributes->type == vfs::FileType::Directory && levels_.size() < depth_max_ &&
               !entered_.contains(attributes->id);
    }

    std::string suffix(const std::string& path, const vfs::Attributes& attributes) {
        if (attributes.type == vfs::FileType::Symlink) {
            auto target = files_.readlink(attributes.id);
            if (target) return " -> " + name_text(*target, context_.style);
            failed(path, target.error());
        }
        bool sized = attributes.type == vfs::FileType::Regular && context_.arguments.has("size");
        return sized ? "  " + coloured(size_text(attributes.size), Colour::Dim, context_.style) : "";
    }

    void draw_text(const std::string& path, vfs::NodeId id) {
        u64 directories = 0, others = 0;
        context_.out(name_text(path, context_.style) + "\n");
        enter(path, id);
        while (!levels_.empty()) {
            Level& level = levels_.back();
            if (level.next == level.entries.size()) {
                levels_.pop_back();
                continue;
            }
            const vfs::DirEntry entry = level.entries[level.next++];
            std::string line;
            for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
                line += levels_[i].next == levels_[i].entries.size() ? "    " : "│   ";
            }
            line += level.next == level.entries.size() ? "└── " : "├── ";
            std::string child = child_path(level.path, entry.name);
            auto attributes = files_.getattr(entry.id);
            if (!attributes) failed(child, attributes.error());
            line += attributes
                        ? coloured_name(entry.name, *attributes, context_.style) + suffix(child, *attributes)
                        : name_text(entry.name, context_.style) + " (unreadable)";
            context_.out(line + "\n");
            bool is_directory = attributes && attributes->type == vfs::FileType::Directory;
            ++(is_directory ? directories : others);
            if (may_enter(attributes)) enter(std::move(child), entry.id);
        }
        context_.out("\n" + grouped(directories) + (directories == 1 ? " directory, " : " directories, ") +
                     grouped(others) + (others == 1 ? " other\n" : " others\n"));
    }

    void draw_json(const std::string& path, vfs::NodeId id) {
        context_.out("{\"name\": " + json_string(escaped(path)) + ", \"type\": \"dir\", \"children\": [");
        enter(path, id);
        while (!levels_.empty()) {
            Level& level = levels_.back();
            if (level.next == level.entries.size()) {
                levels_.pop_back();
                context_.out("]}");
                continue;
            }
            const vfs::DirEntry entry = level.entries[level.next++];
            std::string child = child_path(level.path, entry.name);
            auto attributes = files_.getattr(entry.id);
            if (!attributes) failed(child, attributes.error());
            JsonObject one;
            one.add("name", escaped(entry.name));
            one.add("type", vfs::file_type_name(attributes ? attributes->type : entry.type));
            if (attributes) one.add("size", attributes->size);
            std::string words = (level.next > 1 ? ", " : "") + one.str();
            if (may_enter(attributes)) {
                words.pop_back();
                context_.out(words + ", \"children\": [");
                enter(std::move(child), entry.id);
            } else {
                context_.out(words);
            }
        }
        context_.out("\n");
    }

    Context& context_;
    vfs::FileSystem& files_;
    u64 depth_max_;
    std::vector<Level> levels_;
    // A directory with several names is drawn once (damaged volumes): it may hold itself, and two names in
    // each of thirty directories are a billion ways to the last.
    std::set<vfs::NodeId> entered_;
    bool failed_ = false;
};

}  // namespace

ExitCode run_tree(Context& context) {
    auto depth_max = context.arguments.number("depth", ~u64{0});
    if (!depth_max) {
        context.complain(depth_max.error().detail);
        return ExitCode::NotRun;
    }
    std::string operand = context.arguments.operands.empty() ? "" : context.arguments.operands[0];
    std::string path = join_path(context.cwd, operand);
    auto id = resolve_operand(context, operand, Follow::Yes);
    auto attributes = id ? context.volume.files().getattr(*id) : fail(id.error());
    if (attributes && attributes->type != vfs::FileType::Directory) attributes = fail(Cause::NotADirectory);
    if (!attributes) {
        context.complain(path, attributes.error());
        return ExitCode::Problems;
    }
    TreeDrawer drawer(context, *depth_max);
    drawer.draw(path, *id);
    return drawer.result();
}

}  // namespace glassfs::commands
