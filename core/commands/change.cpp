// SPDX-License-Identifier: MIT
#include "commands/change.h"

#include "base/text.h"
#include "commands/command_table.h"
#include "vfs/path_walk.h"

#include <charconv>

namespace glassfs::commands {

namespace {

Result<Spot> spot_from(vfs::FileSystem& files, vfs::NodeId start, std::string path) {
    if (path.empty()) return fail(Cause::NotFound, "empty path");
    Spot spot;
    spot.path = path;
    while (path.size() > 1 && path.ends_with('/')) {
        path.pop_back();
        spot.slash = true;
    }
    std::size_t slash = path.rfind('/');
    spot.name = path.substr(slash == std::string::npos ? 0 : slash + 1);
    std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    spot.dir = TRY(vfs::resolve(files, start, directory, vfs::FollowLast::Yes));
    return spot;
}

}  // namespace

Result<Spot> spot_of(const Context& context, std::string_view operand) {
    if (operand.empty()) return fail(Cause::NotFound, "empty path");
    vfs::FileSystem& files = context.volume.files();
    return spot_from(files, files.root(), join_path(context.cwd, operand));
}

Result<vfs::NodeId> lookup_spot(const Context& context, const Spot& spot) {
    if (spot.name.empty()) return fail(Cause::Busy);
    return context.volume.files().lookup(spot.dir, spot.name);
}

Result<Spot> destination_of(const Context& context, std::string_view operand, std::string_view source,
                            IntoDirectory into) {
    vfs::FileSystem& files = context.volume.files();
    auto there = resolve_operand(context, operand, Follow::Yes);
    bool directory = there && TRY(files.getattr(*there)).type == vfs::FileType::Directory;
    if (!directory || into == IntoDirectory::No) return spot_of(context, operand);
    std::string name(last_name(source));
    return Spot{*there, name, child_path(join_path(context.cwd, operand), name)};
}

Result<Opened> open_for_writing(const Context& context, std::string_view operand, Missing missing, u32 mode) {
    vfs::FileSystem& files = context.volume.files();
    Spot spot = TRY(spot_of(context, operand));
    for (u32 followed = 0; followed <= vfs::symlinks_max; ++followed) {
        auto found =
            spot.name.empty() || spot.name == "." || spot.name == ".."
                ? vfs::resolve(files, spot.dir, spot.name.empty() ? "/" : spot.name, vfs::FollowLast::Yes)
                : files.lookup(spot.dir, spot.name);
        bool create = !found && found.error().cause == Cause::NotFound && missing == Missing::Create;
        if (create && spot.slash) return fail(Cause::IsADirectory);
        vfs::NodeId id =
            create ? TRY(files.create(spot.dir, spot.name, {.mode = 0100000 | mode})) : TRY(std::move(found));
        vfs::Attributes attributes = TRY(files.getattr(id));
        if (attributes.type == vfs::FileType::Symlink) {
            spot = TRY(spot_from(files, spot.dir, TRY(files.readlink(id))));
            continue;
        }
        if (attributes.type == vfs::FileType::Directory) return fail(Cause::IsADirectory);
        if (spot.slash) return fail(Cause::NotADirectory);
        if (attributes.type != vfs::FileType::Regular) {
            return fail(Cause::InvalidArgument, std::string("it is a ") + file_type_name(attributes.type));
        }
        return Opened{attributes, create};
    }
    return fail(Cause::TooManySymlinks);
}

Result<vfs::NodeId> make_directories(const Context& context, const std::string& path, u32 mode) {
    vfs::FileSystem& files = context.volume.files();
    vfs::NodeId at = files.root();
    for (std::size_t begin = 0; begin < path.size();) {
        std::size_t end = std::min(path.find('/', begin), path.size());
        std::string name = path.substr(begin, end - begin);
        begin = end + 1;
        if (name.empty()) continue;
        auto next = vfs::resolve(files, at, name, vfs::FollowLast::Yes);
        bool last = path.find_first_not_of('/', end) == std::string::npos;
        if (!next && next.error().cause == Cause::NotFound) {
            next = files.create(at, name, {.mode = 0040000 | (last ? mode : 0755)});
        }
        at = TRY(std::move(next));
        if (TRY(files.getattr(at)).type != vfs::FileType::Directory) {
            return fail(last ? Cause::Exists : Cause::NotADirectory, name);
        }
    }
    return at;
}

void report(const Context& context, std::string_view path, std::optional<vfs::NodeId> id) {
    if (!context.json()) return;
    JsonObject line;
    line.add("command", context.arguments.command->name).add("path", escaped(path));
    if (id) line.add("ino", id->ino.value).add("tree", id->tree);
    context.out(line.line());
}

ExitCode finish(const Context& context, std::string_view path, const Result<void>& done) {
    if (done) {
        report(context, path);
        return ExitCode::Done;
    }
    context.complain(path, done.error());
    return ExitCode::Problems;
}

ExitCode for_each_operand(const Context& context, std::span<const std::string> operands,
                          const PathChange& change) {
    ExitCode code = ExitCode::Done;
    for (const std::string& operand : operands) {
        code = std::max(code, finish(context, join_path(context.cwd, operand), change(operand)));
    }
    return code;
}

namespace {

Failure bad_mode(std::string_view text) {
    return fail(Cause::InvalidArgument, "not a mode: " + escaped(text));
}

std::optional<u32> octal_mode(std::string_view text) {
    u32 mode = 0;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    bool good = status == std::errc() && end == text.data() + text.size() && mode <= 07777;
    return good ? std::optional(mode) : std::nullopt;
}

// Bits of "rwxXst" for the classes of `who` (bits 0700, 0070, 0007).
std::optional<u32> permission_bits(std::string_view letters, u32 who, u32 before) {
    u32 bits = 0;
    bool any_x = (before & 0111) != 0 || vfs::file_type_of_mode(before) == vfs::FileType::Directory;
    for (char letter : letters) {
        switch (letter) {
            case 'r':
                bits |= 0444 & who;
                break;
            case 'w':
                bits |= 0222 & who;
                break;
            case 'x':
                bits |= 0111 & who;
                break;
            case 'X':
                bits |= any_x ? 0111 & who : 0;
                break;
            case 's':
                bits |= ((who & 0700) != 0 ? 04000U : 0U) | ((who & 070) != 0 ? 02000U : 0U);
                break;
            case 't':
                bits |= 01000;
                break;
            default:
                return {};
        }
    }
    return bits;
}

// One of the parts between commas.
std::optional<u32> symbolic_mode(std::string_view part, u32 before) {
    std::size_t sign = part.find_first_of("+-=");
    if (sign == part.npos) return {};
    u32 who = 0;
    for (char letter : part.substr(0, sign)) {
        if (letter == 'u')
            who |= 0700;
        else if (letter == 'g')
            who |= 0070;
        else if (letter == 'o')
            who |= 0007;
        else if (letter == 'a')
            who |= 0777;
        else
            return {};
    }
    if (who == 0) who = 0777;
    u32 mode = before;
    while (!part.substr(sign).empty()) {
        std::size_t next = std::min(part.find_first_of("+-=", sign + 1), part.size());
        auto bits = permission_bits(part.substr(sign + 1, next - sign - 1), who, before);
        if (!bits) return {};
        u32 special = ((who & 0700) != 0 ? 04000U : 0U) | ((who & 070) != 0 ? 02000U : 0U);
        if (part[sign] == '=') mode &= ~(who | special);
        mode = part[sign] == '-' ? mode & ~*bits : mode | *bits;
        sign = next;
    }
    return mode;
}

}  // namespace

Result<u32> parse_mode(std::string_view text, u32 before) {
    if (auto octal = octal_mode(text)) return *octal;
    u32 mode = before;
    for (std::string_view rest = text;;) {
        std::string_view part = rest.substr(0, rest.find(','));
        auto changed = symbolic_mode(part, mode);
        if (!changed) return bad_mode(text);
        mode = *changed;
        if (part.size() == rest.size()) return mode & 07777;
        rest.remove_prefix(part.size() + 1);
    }
}

Result<u32> mode_option(const Context& context, u32 otherwise) {
    if (!context.arguments.has("mode")) return otherwise;
    std::string given = context.arguments.value("mode");
    auto octal = octal_mode(given);
    if (!octal) return bad_mode(given);
    return *octal;
}

Result<TimeSpec> parse_time(std::string_view text, Environment& environment) {
    if (text == "now") return environment.now();
    bool negative = text.starts_with('-');
    std::string_view digits = text.substr(negative ? 1 : 0);
    s64 seconds = 0;
    auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    bool good = status == std::errc() && !digits.starts_with('-');
    std::string_view rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
    u32 nanos = 0;
    if (good && rest.size() > 1 && rest.size() <= 10 && rest[0] == '.') {
        std::string padded(rest.substr(1));
        padded.resize(9, '0');
        auto [last, fraction] = std::from_chars(padded.data(), padded.data() + 9, nanos);
        good = fraction == std::errc() && last == padded.data() + 9;
    } else {
        good = good && rest.empty();
    }
    if (!good) return fail(Cause::InvalidArgument, "not a time: " + escaped(text));
    return TimeSpec{negative ? -seconds : seconds, nanos};
}

Result<Buffer> parse_hex(std::string_view text) {
    Buffer out;
    auto digit = [](char c) -> u32 {
        if (c >= '0' && c <= '9') return static_cast<u32>(c - '0');
        char lower = static_cast<char>(c | 0x20);
        return lower >= 'a' && lower <= 'f' ? static_cast<u32>(lower - 'a' + 10) : 16;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ') continue;
        u32 high = digit(text[i]), low = i + 1 < text.size() ? digit(text[i + 1]) : 16;
        if (high > 15 || low > 15) return fail(Cause::InvalidArgument, "not hexadecimal: " + escaped(text));
        out.push_back(static_cast<u8>(high << 4 | low));
        ++i;
    }
    return out;
}

}  // namespace glassfs::commands
