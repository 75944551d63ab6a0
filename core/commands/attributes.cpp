// SPDX-License-Identifier: MIT
// chmod, chown, utimens, chattr, setfattr, rmfattr.
#include "base/text.h"
#include "commands/change.h"
#include "commands/command_table.h"
#include "commands/run.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

using Edit = std::function<Result<void>(const vfs::Attributes&)>;

Follow follow_of(const Arguments& given) {
    return given.has("no-dereference") ? Follow::No : Follow::Yes;
}

Result<void> edit_below(const Context& context, vfs::NodeId top, const std::string& path, const Edit& edit) {
    Result<void> first;
    auto note = [&](const std::string& where, Error error) {
        if (!first) return;
        error.detail = escaped(where) + (error.detail.empty() ? "" : ": ") + error.detail;
        first = fail(std::move(error));
    };
    walk(context.volume.files(), top, path, [&](const Visit& visit) {
        if (visit.listing.error) note(visit.path, *visit.listing.error);
        if (!visit.attributes) {
            note(visit.path, visit.attributes.error());
            return false;
        }
        if (visit.depth > 0 && visit.attributes->type == vfs::FileType::Symlink) return false;
        if (auto done = edit(*visit.attributes); !done) note(visit.path, done.error());
        return context.report_progress(-1, visit.path);
    });
    return first;
}

// Each operand's inode, with -R everything below it as well (symlinks met on the way are left alone).
ExitCode edit_each(const Context& context, std::span<const std::string> operands, const Edit& edit) {
    return for_each_operand(context, operands, [&](const std::string& operand) -> Result<void> {
        vfs::NodeId id = TRY(resolve_operand(context, operand, follow_of(context.arguments)));
        if (context.arguments.has("recursive")) {
            return edit_below(context, id, join_path(context.cwd, operand), edit);
        }
        return edit(TRY(context.volume.files().getattr(id)));
    });
}

Result<u32> parse_id(std::string_view text) {
    u64 id = TRY(parse_number(text));
    if (id > 0xffff'fffeU) return fail(Cause::InvalidArgument, "not a number of an owner: " + escaped(text));
    return static_cast<u32>(id);
}

// "UID", "UID:GID", ":GID".
Result<vfs::AttributeChange> parse_owner(std::string_view text) {
    std::size_t colon = text.find(':');
    vfs::AttributeChange change;
    if (colon != 0) change.uid = TRY(parse_id(text.substr(0, colon)));
    if (colon != text.npos) change.gid = TRY(parse_id(text.substr(colon + 1)));
    return change;
}

ExitCode refuse(const Context& context, const Error& error) {
    return context.refuse(std::string(context.arguments.command->name) + ": " + error.detail);
}

}  // namespace

ExitCode run_chmod(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    const std::string& mode = operands[0];
    if (auto good = parse_mode(mode, 0); !good) return refuse(context, good.error());
    return edit_each(context, operands.subspan(1), [&](const vfs::Attributes& a) -> Result<void> {
        return context.volume.files().setattr(a.id, {.mode = TRY(parse_mode(mode, a.mode))});
    });
}

ExitCode run_chown(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    auto change = parse_owner(operands[0]);
    if (!change) return refuse(context, change.error());
    return edit_each(context, operands.subspan(1),
                     [&](const vfs::Attributes& a) { return context.volume.files().setattr(a.id, *change); });
}

ExitCode run_utimens(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    vfs::AttributeChange change;
    for (std::size_t i : {0U, 1U}) {
        if (operands[i] == "-") continue;
        auto time = parse_time(operands[i], context.volume.environment());
        if (!time) return refuse(context, time.error());
        (i == 0 ? change.atime : change.mtime) = *time;
    }
    return edit_each(context, operands.subspan(2),
                     [&](const vfs::Attributes& a) { return context.volume.files().setattr(a.id, change); });
}

ExitCode run_chattr(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    const std::string& given = operands[0];
    std::span<const mount::InodeFlag> known = context.volume.inode_flags();
    u64 all = 0, named = 0;
    for (const mount::InodeFlag& flag : known) all |= flag.bit;
    bool good = given.size() > 1 && std::string_view("+-=").find(given[0]) != std::string_view::npos;
    for (std::size_t i = 1; good && i < given.size(); ++i) {
        auto found = std::ranges::find(known, given[i], &mount::InodeFlag::letter);
        good = found != known.end();
        if (good) named |= found->bit;
    }
    if (!good) {
        std::string letters;
        for (const mount::InodeFlag& flag : known) letters += flag.letter;
        return context.refuse("chattr: +, - or = and letters of " + letters + ": " + escaped(given));
    }
    return edit_each(context, operands.subspan(1), [&](const vfs::Attributes& a) {
        u64 flags = given[0] == '+'   ? a.flags | named
                    : given[0] == '-' ? a.flags & ~named
                                      : (a.flags & ~all) | named;
        return context.volume.files().set_flags(a.id, flags);
    });
}

ExitCode run_setfattr(Context& context) {
    const Arguments& given = context.arguments;
    vfs::FileSystem& files = context.volume.files();
    if (given.has("name") == given.has("remove")) return context.refuse("setfattr: -n NAME or -x NAME?");
    if (given.has("remove")) {
        std::string name = given.value("remove");
        return edit_each(context, given.operands,
                         [&](const vfs::Attributes& a) { return files.remove_xattr(a.id, name); });
    }
    std::string name = given.value("name"), words = given.value("value");
    bool contradiction =
        (given.has("value") && given.has("hex")) || (given.has("create") && given.has("replace"));
    auto value = given.has("hex") ? parse_hex(given.value("hex")) : Buffer(words.begin(), words.end());
    if (contradiction || !value) {
        return context.refuse("setfattr: " +
                              (value ? "options that exclude each other" : value.error().detail));
    }
    vfs::XattrMode mode = given.has("create")    ? vfs::XattrMode::Create
                          : given.has("replace") ? vfs::XattrMode::Replace
                                                 : vfs::XattrMode::Any;
    return edit_each(context, given.operands,
                     [&](const vfs::Attributes& a) { return files.set_xattr(a.id, name, *value, mode); });
}

ExitCode run_rmfattr(Context& context) {
    std::span<const std::string> operands = context.arguments.operands;
    return edit_each(context, operands.subspan(1), [&](const vfs::Attributes& a) {
        return context.volume.files().remove_xattr(a.id, operands[0]);
    });
}

}  // namespace glassfs::commands
