// SPDX-License-Identifier: MIT
// cp, clone: contents from one file of the volume to another, copied or shared.
#include "base/text.h"
#include "commands/change.h"
#include "commands/file_data.h"
#include "commands/run.h"

#include <map>

namespace glassfs::commands {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;

class Copier {
  public:
    explicit Copier(const Context& context)
        : context_(context),
          files_(context.volume.files()),
          recursive_(context.arguments.has("recursive") || context.arguments.has("archive")),
          preserve_(context.arguments.has("preserve") || context.arguments.has("archive")),
          reflink_(context.arguments.has("reflink")) {}

    Result<void> run(const std::string& from, const std::string& to, IntoDirectory into) {
        Follow follow = recursive_ ? Follow::No : Follow::Yes;
        vfs::NodeId source = TRY(resolve_operand(context_, from, follow));
        vfs::Attributes attributes = TRY(files_.getattr(source));
        Spot spot = TRY(destination_of(context_, to, tidy_path(join_path(context_.cwd, from)), into));
        bool directory = attributes.type == vfs::FileType::Directory;
        if (directory && !recursive_) return fail(Cause::IsADirectory, "-r copies directories");
        if (!directory && spot.slash) return fail(Cause::NotADirectory);
        if (directory) TRY(refuse_into_itself(source, spot.dir));
        return copy(attributes, spot);
    }

  private:
    // What is to be copied into a directory.
    struct Pending {
        vfs::Attributes source;
        Spot target;
    };
    // A directory's attributes are set when it is full.
    struct Made {
        vfs::Attributes source;
        vfs::NodeId copy;
    };

    Result<void> refuse_into_itself(vfs::NodeId source, vfs::NodeId into) {
        for (vfs::NodeId at = into;;) {
            if (at == source) return fail(Cause::InvalidArgument, "a directory into itself");
            vfs::NodeId parent = TRY(files_.parent(at));
            if (parent == at) return {};
            at = parent;
        }
    }

    Result<void> copy(const vfs::Attributes& source, const Spot& target) {
        std::vector<Pending> todo{{source, target}};
        std::vector<Made> directories;
        while (!todo.empty()) {
            Pending now = std::move(todo.back());
            todo.pop_back();
            if (!context_.report_progress(-1, now.target.path)) return fail(Cause::Cancelled);
            if (now.source.type != vfs::FileType::Directory) {
                if (auto done = copy_leaf(now.source, now.target); !done) return at(now.target, done.error());
                continue;
            }
            auto made = make_directory(now.source, now.target);
            if (!made) return at(now.target, made.error());
            directories.push_back({now.source, *made});
            Listing listing = sorted_listing(files_, now.source.id);
            if (listing.error) return at(now.target, *listing.error);
            for (auto entry = listing.entries.rbegin(); entry != listing.entries.rend(); ++entry) {
                todo.push_back({TRY(files_.getattr(entry->id)),
                                {*made, entry->name, child_path(now.target.path, entry->name)}});
            }
        }
        for (std::size_t i = directories.size(); i-- > 0;) {
            TRY(finish_inode(directories[i].source, directories[i].copy));
        }
        return {};
    }

    static Failure at(const Spot& target, Error error) {
        error.detail = escaped(target.path) + (error.detail.empty() ? "" : ": ") + error.detail;
        return fail(std::move(error));
    }

    Result<vfs::NodeId> make_directory(const vfs::Attributes& source, const Spot& target) {
        if (target.name.empty()) return target.dir;
        auto there = files_.lookup(target.dir, target.name);
        if (!there && there.error().cause == Cause::NotFound) {
            return files_.create(target.dir, target.name, {.mode = source.mode & ~07000U});
        }
        if (there && TRY(files_.getattr(*there)).type != vfs::FileType::Directory) {
            return fail(Cause::NotADirectory);
        }
        return there;
    }

    Result<void> copy_leaf(const vfs::Attributes& source, const Spot& target) {
        if (auto seen = linked_.find(source.id); seen != linked_.end()) {
            return files_.link(seen->second, target.dir, target.name);
        }
        auto there = files_.lookup(target.dir, target.name);
        if (!there && there.error().cause != Cause::NotFound) return fail(there.error());
        bool regular = source.type == vfs::FileType::Regular;
        vfs::NodeId copy;
        if (there) {
            vfs::Attributes old = TRY(files_.getattr(*there));
            if (old.id == source.id) return fail(Cause::InvalidArgument, "it is the same file");
            if (!regular) return fail(Cause::Exists);
            Opened file = TRY(open_for_writing(context_, target.path, Missing::Fail));
            if (file.attributes.id == source.id) return fail(Cause::InvalidArgument, "it is the same file");
            copy = file.attributes.id;
            TRY(files_.truncate(copy, 0));
        } else {
            copy = TRY(make_leaf(source, target));
        }
        if (regular) TRY(copy_data(source, copy));
        if (preserve_ && source.nlink > 1) linked_.emplace(source.id, copy);
        return finish_inode(source, copy);
    }

    Result<vfs::NodeId> make_leaf(const vfs::Attributes& source, const Spot& target) {
        if (source.type == vfs::FileType::Symlink) {
            return files_.symlink(target.dir, target.name, TRY(files_.readlink(source.id)),
                                  {.mode = 0120777});
        }
        u32 mode = source.type == vfs::FileType::Regular ? source.mode & ~07000U : source.mode;
        return files_.create(target.dir, target.name, {.mode = mode, .rdev = source.rdev});
    }

    Result<void> copy_data(const vfs::Attributes& source, vfs::NodeId copy) {
        if (source.size == 0) return {};
        if (reflink_) return files_.clone_range(source.id, 0, 0, copy, 0);
        Buffer buffer(static_cast<std::size_t>(std::min<u64>(piece_bytes, source.size)));
        for (const DataRange& range : TRY(data_ranges(files_, source))) {
            for (u64 at = range.begin; at < range.end;) {
                MutBytes piece(buffer.data(),
                               static_cast<std::size_t>(std::min<u64>(buffer.size(), range.end - at)));
                std::size_t got = TRY(files_.read(source.id, at, piece));
                if (got == 0) break;
                std::size_t put = TRY(files_.write(copy, at, piece.first(got)));
                if (put < got) return fail(Cause::NoSpace);
                at += got;
                if (!context_.report_progress(-1, "copying")) return fail(Cause::Cancelled);
            }
        }
        return files_.truncate(copy, source.size);
    }

    Result<void> finish_inode(const vfs::Attributes& source, vfs::NodeId copy) {
        if (!preserve_) return {};
        for (const vfs::Xattr& xattr : TRY(files_.xattrs(source.id))) {
            TRY(files_.set_xattr(copy, xattr.name, xattr.value, vfs::XattrMode::Any));
        }
        vfs::AttributeChange change{
            .uid = source.uid, .gid = source.gid, .atime = source.atime, .mtime = source.mtime};
        TRY(files_.setattr(copy, change));
        // A new owner takes set-user-id away, so the mode comes last.
        if (source.type == vfs::FileType::Symlink) return {};
        return files_.setattr(copy, {.mode = source.mode & 07777});
    }

    const Context& context_;
    vfs::FileSystem& files_;
    bool recursive_, preserve_, reflink_;
    std::map<vfs::NodeId, vfs::NodeId> linked_;  // sources with several names, and their copies
};

}  // namespace

ExitCode run_cp(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    const std::string& target = operands.back();
    IntoDirectory into =
        context.arguments.has("no-target-directory") ? IntoDirectory::No : IntoDirectory::Yes;
    if (operands.size() > 2) {
        auto id = resolve_operand(context, target, Follow::Yes);
        auto attributes = id ? context.volume.files().getattr(*id) : fail(id.error());
        bool directory = attributes && attributes->type == vfs::FileType::Directory;
        if (!directory || into == IntoDirectory::No) {
            return context.refuse("cp: several sources need a directory to go into: " + escaped(target));
        }
    }
    Copier copier(context);
    return for_each_operand(context, operands.first(operands.size() - 1),
                            [&](const std::string& operand) { return copier.run(operand, target, into); });
}

ExitCode run_clone(Context& context) {
    const Arguments& given = context.arguments;
    auto from_at = given.number("from", 0), length = given.number("length", 0), to_at = given.number("to", 0);
    for (const auto* number : {&from_at, &length, &to_at}) {
        if (!*number) return context.refuse("clone: " + number->error().detail);
    }
    auto done = [&]() -> Result<void> {
        vfs::NodeId source = TRY(resolve_operand(context, given.operands[0], Follow::Yes));
        Opened target = TRY(open_for_writing(context, given.operands[1], Missing::Create));
        return context.volume.files().clone_range(source, *from_at, *length, target.attributes.id, *to_at);
    }();
    return finish(context, join_path(context.cwd, given.operands[1]), done);
}

}  // namespace glassfs::commands
