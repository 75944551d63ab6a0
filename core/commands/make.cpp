// SPDX-License-Identifier: MIT
// create, touch, mkdir, mknod, ln: new names.
#include "commands/change.h"
#include "commands/command_table.h"
#include "commands/run.h"
#include "vfs/path_walk.h"

namespace glassfs::commands {

namespace {

// Says so, and what is to be returned.
ExitCode refuse(const Context& context, const Error& error) {
    return context.refuse(std::string(context.arguments.command->name) + ": " + error.detail);
}

// Makes each operand with `make`, which returns the new inode.
ExitCode make_each(const Context& context, std::span<const std::string> operands,
                   const std::function<Result<vfs::NodeId>(const Spot&)>& make) {
    ExitCode code = ExitCode::Done;
    for (const std::string& operand : operands) {
        auto made = [&]() -> Result<vfs::NodeId> {
            Spot spot = TRY(spot_of(context, operand));
            if (spot.name.empty()) return fail(Cause::Exists);
            return make(spot);
        }();
        std::string path = join_path(context.cwd, operand);
        if (made) {
            report(context, path, *made);
            continue;
        }
        context.complain(path, made.error());
        code = ExitCode::Problems;
    }
    return code;
}

Result<vfs::NodeId> make_file(const Context& context, const Spot& spot, const vfs::NewInode& inode) {
    bool directory = vfs::file_type_of_mode(inode.mode) == vfs::FileType::Directory;
    if (spot.slash && !directory) return fail(Cause::IsADirectory);
    return context.volume.files().create(spot.dir, spot.name, inode);
}

Result<vfs::NewInode> node_kind(std::span<const std::string> words, u32 mode) {
    bool device = words[0] == "b" || words[0] == "c";
    if (words.size() != (device ? 3U : 1U)) {
        return fail(Cause::InvalidArgument, "b and c take a major and a minor number, p and s none");
    }
    if (words[0] == "p") return vfs::NewInode{.mode = 0010000 | mode};
    if (words[0] == "s") return vfs::NewInode{.mode = 0140000 | mode};
    if (!device) return fail(Cause::InvalidArgument, "which type? b, c, p or s");
    u64 major = TRY(parse_number(words[1])), minor = TRY(parse_number(words[2]));
    if (major >= 1U << 12 || minor >= 1U << 20) {
        return fail(Cause::InvalidArgument, "major numbers have 12 bits, minor ones 20");
    }
    return vfs::NewInode{.mode = (words[0] == "b" ? 0060000 : 0020000) | mode,
                         .rdev = {static_cast<u32>(major), static_cast<u32>(minor)}};
}

}  // namespace

ExitCode run_create(Context& context) {
    auto mode = mode_option(context, 0644);
    if (!mode) return refuse(context, mode.error());
    return make_each(context, context.arguments.operands,
                     [&](const Spot& spot) { return make_file(context, spot, {.mode = 0100000 | *mode}); });
}

ExitCode run_mkdir(Context& context) {
    auto mode = mode_option(context, 0755);
    if (!mode) return refuse(context, mode.error());
    if (!context.arguments.has("parents")) {
        return make_each(context, context.arguments.operands, [&](const Spot& spot) {
            return make_file(context, spot, {.mode = 0040000 | *mode});
        });
    }
    ExitCode code = ExitCode::Done;
    for (const std::string& operand : context.arguments.operands) {
        std::string path = join_path(context.cwd, operand);
        auto made = make_directories(context, path, *mode);
        if (made)
            report(context, path, *made);
        else
            code = finish(context, path, fail(made.error()));
    }
    return code;
}

ExitCode run_mknod(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    auto mode = mode_option(context, 0644);
    auto inode = mode ? node_kind(operands.subspan(1), *mode) : fail(mode.error());
    if (!inode) return refuse(context, inode.error());
    return make_each(context, operands.first(1),
                     [&](const Spot& spot) { return make_file(context, spot, *inode); });
}

ExitCode run_touch(Context& context) {
    vfs::FileSystem& files = context.volume.files();
    const Arguments& given = context.arguments;
    auto time = parse_time(given.value("time", "now"), context.volume.environment());
    if (!time) return refuse(context, time.error());
    bool only = given.has("access") != given.has("modification");
    bool atime = !only || given.has("access"), mtime = !only || given.has("modification");
    return for_each_operand(context, given.operands, [&](const std::string& operand) -> Result<void> {
        auto id = resolve_operand(context, operand, Follow::Yes);
        bool missing = !id && id.error().cause == Cause::NotFound;
        if (missing && given.has("no-create")) return {};
        bool made = missing;
        if (missing) id = TRY(open_for_writing(context, operand, Missing::Create)).attributes.id;
        if (!id) return fail(id.error());
        if (made && !given.has("time")) return {};
        return files.setattr(*id, {.atime = atime ? std::optional(*time) : std::nullopt,
                                   .mtime = mtime ? std::optional(*time) : std::nullopt});
    });
}

ExitCode run_ln(Context& context) {
    vfs::FileSystem& files = context.volume.files();
    const std::string& target = context.arguments.operands[0];
    const std::string& name = context.arguments.operands[1];
    IntoDirectory into =
        context.arguments.has("no-target-directory") ? IntoDirectory::No : IntoDirectory::Yes;
    auto done = [&]() -> Result<void> {
        Spot spot = TRY(destination_of(context, name, target, into));
        if (spot.name.empty()) return fail(Cause::Exists);
        if (!context.arguments.has("symbolic")) {
            return files.link(TRY(resolve_operand(context, target, Follow::No)), spot.dir, spot.name);
        }
        TRY(files.symlink(spot.dir, spot.name, target, {.mode = 0120777}));
        return {};
    }();
    return finish(context, join_path(context.cwd, name), done);
}

}  // namespace glassfs::commands
