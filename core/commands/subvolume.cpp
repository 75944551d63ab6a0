// SPDX-License-Identifier: MIT
// subvolume, sync, fsync.
#include "base/text.h"
#include "commands/change.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

ExitCode list(const Context& context) {
    auto all = context.volume.subvolumes();
    if (!all) {
        context.complain("subvolume list", all.error());
        return ExitCode::Problems;
    }
    for (const mount::Subvolume& one : *all) {
        bool read_only = one.kind == vfs::SnapshotKind::ReadOnly;
        if (context.json()) {
            JsonObject line;
            line.add("id", one.id).add("generation", one.generation.value).add("read_only", read_only);
            context.out(line.add("path", escaped(one.path)).line());
        } else {
            using LL = unsigned long long;
            context.out(text("%6llu  %s  ", static_cast<LL>(one.id), read_only ? "ro" : "rw") +
                        name_text(one.path, context.style) + "\n");
        }
    }
    return ExitCode::Done;
}

ExitCode take_snapshot(const Context& context, std::span<const std::string> operands) {
    if (operands.size() != 2) return context.refuse("subvolume snapshot [-r] SOURCE DEST");
    auto done = [&]() -> Result<vfs::NodeId> {
        vfs::NodeId source = TRY(resolve_operand(context, operands[0], Follow::Yes));
        Spot spot = TRY(destination_of(context, operands[1], tidy_path(join_path(context.cwd, operands[0])),
                                       IntoDirectory::Yes));
        if (spot.name.empty()) return fail(Cause::Exists);
        vfs::SnapshotKind kind =
            context.arguments.has("readonly") ? vfs::SnapshotKind::ReadOnly : vfs::SnapshotKind::Writable;
        return context.volume.files().snapshot(source, spot.dir, spot.name, kind);
    }();
    std::string path = join_path(context.cwd, operands[1]);
    if (!done) return finish(context, path, fail(done.error()));
    report(context, path, *done);
    return ExitCode::Done;
}

}  // namespace

ExitCode run_subvolume(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    const std::string verb = operands[0];
    operands = operands.subspan(1);
    vfs::FileSystem& files = context.volume.files();
    if (verb == "list" && operands.empty()) return list(context);
    if (verb == "snapshot") return take_snapshot(context, operands);
    bool create = verb == "create";
    if ((!create && verb != "delete") || operands.empty()) {
        return context.refuse("subvolume: create PATH..., snapshot [-r] SOURCE DEST, delete PATH... or list");
    }
    return for_each_operand(context, operands, [&](const std::string& operand) -> Result<void> {
        Spot spot = TRY(spot_of(context, operand));
        if (spot.name.empty()) return fail(create ? Cause::Exists : Cause::Busy);
        if (!create) return files.delete_subvolume(spot.dir, spot.name);
        TRY(files.create_subvolume(spot.dir, spot.name, {.mode = 0040755}));
        return {};
    });
}

ExitCode run_sync(Context& context) {
    return finish(context, "/", context.volume.files().sync());
}

ExitCode run_fsync(Context& context) {
    return for_each_operand(context, context.arguments.operands,
                            [&](const std::string& operand) -> Result<void> {
                                vfs::NodeId id = TRY(resolve_operand(context, operand, Follow::Yes));
                                return context.volume.files().fsync(id);
                            });
}

}  // namespace glassfs::commands
