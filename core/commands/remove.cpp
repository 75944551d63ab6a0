// SPDX-License-Identifier: MIT
// rm, rmdir, mv: names that go.
#include "commands/remove.h"

#include "base/text.h"
#include "commands/change.h"
#include "commands/command_table.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

constexpr std::size_t batch_names = 1024;
constexpr std::size_t depth_max = 65536;  // a damaged volume may go in circles

struct Frame {
    vfs::NodeId parent;
    std::string name;
    vfs::NodeId id;
    std::vector<vfs::DirEntry> batch = {};  // entries still to go
};

Failure below(const Frame& frame, const std::string& name, Error error) {
    error.detail = escaped(frame.name + "/" + name) + (error.detail.empty() ? "" : ": ") + error.detail;
    return fail(std::move(error));
}

Result<void> remove_one(const Context& context, const Spot& spot) {
    vfs::FileSystem& files = context.volume.files();
    if (spot.name == "." || spot.name == "..") return fail(Cause::InvalidArgument);
    vfs::NodeId id = TRY(lookup_spot(context, spot));
    bool directory = TRY(files.getattr(id)).type == vfs::FileType::Directory;
    if (!directory) return spot.slash ? fail(Cause::NotADirectory) : files.unlink(spot.dir, spot.name);
    if (!context.arguments.has("recursive")) return fail(Cause::IsADirectory);
    return remove_tree(context, spot.dir, spot.name);
}

}  // namespace

Result<void> remove_tree(const Context& context, vfs::NodeId parent, const std::string& name) {
    vfs::FileSystem& files = context.volume.files();
    std::vector<Frame> frames;
    frames.push_back({parent, name, TRY(files.lookup(parent, name))});
    while (!frames.empty()) {
        Frame& top = frames.back();
        if (top.batch.empty()) {
            TRY(files.readdir(top.id, 0, [&](const vfs::DirEntry& entry) {
                top.batch.push_back(entry);
                return top.batch.size() < batch_names;
            }));
            if (!context.report_progress(-1, top.name)) return fail(Cause::Cancelled);
        }
        if (top.batch.empty()) {
            auto gone = files.rmdir(top.parent, top.name);
            if (!gone && frames.size() > 1) return below(frames[frames.size() - 2], top.name, gone.error());
            TRY(std::move(gone));
            frames.pop_back();
            continue;
        }
        vfs::DirEntry entry = std::move(top.batch.back());
        top.batch.pop_back();
        if (entry.type == vfs::FileType::Directory) {
            if (frames.size() >= depth_max) return fail(Cause::DepthExceeded);
            frames.push_back({top.id, std::move(entry.name), entry.id});
        } else if (auto gone = files.unlink(top.id, entry.name); !gone) {
            return below(top, entry.name, gone.error());
        }
    }
    return {};
}

ExitCode run_rm(Context& context) {
    bool force = context.arguments.has("force");
    return for_each_operand(context, context.arguments.operands,
                            [&](const std::string& operand) -> Result<void> {
                                auto spot = spot_of(context, operand);
                                auto gone = spot ? remove_one(context, *spot) : fail(spot.error());
                                bool missing = !gone && gone.error().cause == Cause::NotFound;
                                if (missing && force) return {};
                                return gone;
                            });
}

ExitCode run_rmdir(Context& context) {
    return for_each_operand(context, context.arguments.operands,
                            [&](const std::string& operand) -> Result<void> {
                                Spot spot = TRY(spot_of(context, operand));
                                if (spot.name.empty()) return fail(Cause::Busy);
                                return context.volume.files().rmdir(spot.dir, spot.name);
                            });
}

namespace {

Result<void> move_one(const Context& context, const std::string& from, const std::string& to,
                      IntoDirectory into, vfs::RenameKind kind) {
    Spot source = TRY(spot_of(context, from));
    Spot target = TRY(destination_of(context, to, from, into));
    if (source.name.empty() || target.name.empty()) return fail(Cause::Busy);
    if (source.slash || target.slash) {
        vfs::NodeId id = TRY(lookup_spot(context, source));
        bool directory = TRY(context.volume.files().getattr(id)).type == vfs::FileType::Directory;
        if (!directory) return fail(Cause::NotADirectory);
    }
    return context.volume.files().rename(source.dir, source.name, target.dir, target.name, kind);
}

}  // namespace

ExitCode run_mv(Context& context) {
    const Arguments& given = context.arguments;
    std::span<const std::string> operands = given.operands;
    const std::string& target = operands.back();
    bool exchange = given.has("exchange");
    if (exchange && given.has("noreplace")) return context.refuse("mv: --exchange or --noreplace?");
    IntoDirectory into =
        exchange || given.has("no-target-directory") ? IntoDirectory::No : IntoDirectory::Yes;
    vfs::RenameKind kind = exchange                 ? vfs::RenameKind::Exchange
                           : given.has("noreplace") ? vfs::RenameKind::NoReplace
                                                    : vfs::RenameKind::Replace;
    if (operands.size() > 2) {
        auto id = resolve_operand(context, target, Follow::Yes);
        auto attributes = id ? context.volume.files().getattr(*id) : fail(id.error());
        bool directory = attributes && attributes->type == vfs::FileType::Directory;
        if (!directory || into == IntoDirectory::No) {
            return context.refuse("mv: several sources need a directory to go into: " + escaped(target));
        }
    }
    return for_each_operand(context, operands.first(operands.size() - 1), [&](const std::string& operand) {
        return move_one(context, operand, target, into, kind);
    });
}

}  // namespace glassfs::commands
