// SPDX-License-Identifier: MIT
// find: files that fit all of the conditions given.
#include "base/text.h"
#include "commands/glob.h"
#include "commands/paths.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

struct Conditions {
    std::optional<std::string> name;
    std::optional<vfs::FileType> type;
    u64 size_min = 0;
    u64 size_max = ~u64{0};
    std::optional<u64> inode;
    std::optional<u64> newer;

    bool fit(std::string_view path, const vfs::Attributes& attributes) const {
        if (name && !glob_match(*name, last_name(path))) return false;
        if (type && attributes.type != *type) return false;
        if (attributes.size < size_min || attributes.size > size_max) return false;
        if (inode && attributes.id.ino.value != *inode) return false;
        return !newer || attributes.mtime.seconds >= static_cast<s64>(*newer);
    }
};

Result<vfs::FileType> type_of_letter(const std::string& letter) {
    constexpr std::string_view letters = "fdlpscb";
    constexpr vfs::FileType types[] = {
        vfs::FileType::Regular, vfs::FileType::Directory,  vfs::FileType::Symlink,    vfs::FileType::Fifo,
        vfs::FileType::Socket,  vfs::FileType::CharDevice, vfs::FileType::BlockDevice};
    std::size_t at = letter.size() == 1 ? letters.find(letter[0]) : std::string_view::npos;
    if (at == std::string_view::npos) {
        return fail(Cause::InvalidArgument, "--type: one of f d l p s c b, not " + escaped(letter));
    }
    return types[at];
}

Result<Conditions> conditions_of(const Arguments& arguments) {
    Conditions out;
    if (arguments.has("name")) out.name = arguments.value("name");
    if (arguments.has("type")) out.type = TRY(type_of_letter(arguments.value("type")));
    out.size_min = TRY(arguments.number("min-size", 0));
    out.size_max = TRY(arguments.number("max-size", ~u64{0}));
    if (arguments.has("inode")) out.inode = TRY(arguments.number("inode", 0));
    if (arguments.has("newer")) out.newer = TRY(arguments.number("newer", 0));
    return out;
}

}  // namespace

ExitCode run_find(Context& context) {
    auto conditions = conditions_of(context.arguments);
    if (!conditions) {
        context.complain(conditions.error().detail);
        return ExitCode::NotRun;
    }
    vfs::FileSystem& files = context.volume.files();
    ExitCode code = ExitCode::Done;
    auto failed = [&](std::string_view path, const Error& error) {
        context.complain(path, error);
        code = ExitCode::Problems;
    };
    std::vector<std::string> operands = context.arguments.operands;
    if (operands.empty()) operands.push_back(context.cwd);
    bool with_nul = context.arguments.has("null");
    bool cancelled = false;
    for (const std::string& operand : operands) {
        std::string top = join_path(context.cwd, operand);
        auto id = resolve_operand(context, operand, Follow::No);
        if (!id) {
            failed(top, id.error());
            continue;
        }
        walk(files, *id, top, [&](const Visit& visit) {
            if (visit.listing.error) failed(visit.path, *visit.listing.error);
            if (!visit.attributes) {
                failed(visit.path, visit.attributes.error());
                return false;
            }
            if (conditions->fit(visit.path, *visit.attributes)) {
                if (context.json())
                    context.out(entry_json(files, visit.path, *visit.attributes).line());
                else if (with_nul)
                    context.out(visit.path + '\0');
                else
                    context.out(coloured_name(visit.path, *visit.attributes, context.style) + "\n");
            }
            cancelled = cancelled || !context.report_progress(-1, visit.path);
            return !cancelled;
        });
    }
    return cancelled ? ExitCode::NotRun : code;
}

}  // namespace glassfs::commands
