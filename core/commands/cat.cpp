// SPDX-License-Identifier: MIT
// cat: the bytes of files.
#include "base/text.h"
#include "commands/paths.h"
#include "commands/run.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;

struct Range {
    u64 begin;
    u64 end;
};

// Hands the range to `use` in pieces.
Result<void> read_range(Context& context, vfs::NodeId id, Range range, const std::string& path,
                        const std::function<void(Bytes)>& use) {
    Buffer buffer(static_cast<std::size_t>(std::min<u64>(piece_bytes, range.end - range.begin)));
    u64 length = range.end - range.begin;
    for (u64 at = range.begin; at < range.end;) {
        MutBytes piece(buffer.data(), static_cast<std::size_t>(std::min<u64>(buffer.size(), range.end - at)));
        std::size_t got = TRY(context.volume.files().read(id, at, piece));
        if (got == 0) break;
        use(Bytes(buffer.data(), got));
        at += got;
        if (!context.report_progress(double(at - range.begin) / double(length), path)) {
            return fail(Cause::Cancelled);
        }
    }
    return {};
}

Result<void> cat_file(Context& context, const std::string& operand, const std::string& path) {
    vfs::NodeId id = TRY(resolve_operand(context, operand, Follow::Yes));
    vfs::Attributes attributes = TRY(context.volume.files().getattr(id));
    if (attributes.type == vfs::FileType::Directory) return fail(Cause::IsADirectory);
    if (attributes.type != vfs::FileType::Regular) {
        return fail(Cause::InvalidArgument, std::string("it is a ") + vfs::file_type_name(attributes.type));
    }
    Range range{TRY(context.arguments.number("offset", 0)), attributes.size};
    range.begin = std::min(range.begin, range.end);
    u64 length = std::min(TRY(context.arguments.number("length", ~u64{0})), range.end - range.begin);
    u64 wanted = length;
    if (context.cat_bytes_max != 0) length = std::min(length, context.cat_bytes_max);
    range.end = range.begin + length;
    if (!context.json()) {
        TRY(read_range(context, id, range, path, [&](Bytes bytes) { context.out(as_text(bytes)); }));
        if (length < wanted) context.out("\n... " + grouped(wanted - length) + " bytes more\n");
        return {};
    }
    std::string head =
        JsonObject().add("path", escaped(path)).add("size", attributes.size).add("offset", range.begin).str();
    head.pop_back();
    context.out(head + ", \"hex\": \"");
    auto done = read_range(context, id, range, path, [&](Bytes bytes) { context.out(hex_bytes(bytes)); });
    context.out("\"");
    if (!done) context.out(", \"error\": " + error_json(done.error()).str());
    context.out("}\n");
    return done;
}

}  // namespace

ExitCode run_cat(Context& context) {
    ExitCode code = ExitCode::Done;
    for (const char* option : {"offset", "length"}) {
        if (auto number = context.arguments.number(option, 0); !number) {
            context.complain(number.error().detail);
            return ExitCode::NotRun;
        }
    }
    for (const std::string& operand : context.arguments.operands) {
        std::string path = join_path(context.cwd, operand);
        if (auto done = cat_file(context, operand, path); !done) {
            context.complain(path, done.error());
            code = ExitCode::Problems;
        }
    }
    return code;
}

}  // namespace glassfs::commands
