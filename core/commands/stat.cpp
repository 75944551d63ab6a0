// SPDX-License-Identifier: MIT
// stat: all about one file.
#include "base/text.h"
#include "commands/paths.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

const char* kind_name(vfs::FileExtent::Kind kind) {
    switch (kind) {
        case vfs::FileExtent::Kind::Data:
            return "data";
        case vfs::FileExtent::Kind::Hole:
            return "hole";
        case vfs::FileExtent::Kind::Unwritten:
            return "unwritten";
        case vfs::FileExtent::Kind::Inline:
            return "inline";
    }
    return "?";
}

struct Run {
    u64 begin;
    u64 end;
};

// The file's runs of data as a program sees them that alternates SEEK_DATA and SEEK_HOLE.
Result<std::vector<Run>> data_runs(vfs::FileSystem& files, vfs::NodeId id, u64 size) {
    std::vector<Run> runs;
    for (u64 at = 0; at < size;) {
        auto begin = files.seek(id, at, vfs::Whence::Data);
        if (!begin && begin.error().cause == Cause::NoDataBehind) break;
        if (!begin) return fail(begin.error());
        u64 end = TRY(files.seek(id, *begin, vfs::Whence::Hole));
        if (end <= at) return fail(Cause::InvalidArgument, "data without length");
        runs.push_back({*begin, end});
        at = end;
    }
    return runs;
}

struct Facts {
    std::string path;
    vfs::Attributes attributes;
    Result<std::vector<vfs::Xattr>> xattrs;
    Result<std::string> target = std::string();
    std::vector<vfs::FileExtent> extents = {};
    Result<void> extents_read = {};
    Result<std::vector<Run>> runs = std::vector<Run>();
};

Facts gather(Context& context, std::string path, const vfs::Attributes& attributes) {
    vfs::FileSystem& files = context.volume.files();
    Facts facts{std::move(path), attributes, files.xattrs(attributes.id)};
    if (attributes.type == vfs::FileType::Symlink) facts.target = files.readlink(attributes.id);
    if (attributes.type == vfs::FileType::Regular && context.arguments.has("extents")) {
        facts.extents_read = files.extents(attributes.id, [&](const vfs::FileExtent& extent) {
            facts.extents.push_back(extent);
            return true;
        });
        facts.runs = data_runs(files, attributes.id, attributes.size);
    }
    return facts;
}

std::string extents_json(const std::vector<vfs::FileExtent>& extents) {
    JsonArray out;
    for (const auto& extent : extents) {
        JsonObject one;
        one.add("file_offset", extent.file_offset)
            .add("length", extent.length)
            .add("physical", extent.physical);
        one.add("disk_length", extent.disk_length).add("kind", kind_name(extent.kind));
        one.add("compression", extent.compression);
        out.raw(one.str());
    }
    return out.str();
}

std::string runs_json(const std::vector<Run>& runs) {
    JsonArray out;
    for (const Run& run : runs) {
        out.raw(JsonArray().raw(std::to_string(run.begin)).raw(std::to_string(run.end)).str());
    }
    return out.str();
}

std::string document(Context& context, const Facts& facts) {
    const vfs::Attributes& a = facts.attributes;
    JsonObject out = entry_json(context.volume.files(), facts.path, a);
    out.add("bytes", a.bytes).add("block_size", a.block_size);
    out.add("atime", stamp(a.atime)).add("ctime", stamp(a.ctime)).add("btime", stamp(a.btime));
    out.add("generation", a.generation).add("flags", a.flags);
    if (facts.xattrs && !facts.xattrs->empty()) {
        JsonObject xattrs;
        for (const auto& xattr : *facts.xattrs) xattrs.add(escaped(xattr.name), hex_bytes(xattr.value));
        out.raw("xattrs", xattrs.str());
    }
    if (a.type == vfs::FileType::Regular && context.arguments.has("extents")) {
        out.raw("extents", extents_json(facts.extents));
        if (facts.runs) out.raw("data", runs_json(*facts.runs));
    }
    return out.line();
}

// A value as text when it is text, else in hex.
std::string xattr_value(const Buffer& value) {
    std::string_view words = as_text(value);
    return !words.empty() && printable(words) == words ? '"' + std::string(words) + '"'
                                                       : "0x" + hex_bytes(value);
}

std::string extents_text(const Facts& facts) {
    std::string out = text("  %zu extents\n", facts.extents.size());
    for (const auto& extent : facts.extents) {
        out += text("    %16s +%-14s %-9s", grouped(extent.file_offset).c_str(),
                    grouped(extent.length).c_str(), kind_name(extent.kind));
        bool on_disk =
            extent.kind == vfs::FileExtent::Kind::Data || extent.kind == vfs::FileExtent::Kind::Unwritten;
        if (on_disk) out += " at " + std::to_string(extent.physical);
        if (std::string_view(extent.compression) != "none") {
            out += text(", %s, %s bytes on disk", extent.compression, grouped(extent.disk_length).c_str());
        }
        out += '\n';
    }
    if (!facts.runs) return out;
    out += "  data:";
    for (const Run& run : *facts.runs) {
        out += text(" [%s, %s)", grouped(run.begin).c_str(), grouped(run.end).c_str());
    }
    return out + (facts.runs->empty() ? " none\n" : "\n");
}

std::string paragraph(Context& context, const Facts& facts) {
    const vfs::Attributes& a = facts.attributes;
    using LL = unsigned long long;
    std::string out = coloured_name(facts.path, a, context.style);
    if (a.type == vfs::FileType::Symlink && facts.target) {
        out += " -> " + name_text(*facts.target, context.style);
    }
    out +=
        text("\n  %s, inode %llu of tree %llu, %u link%s\n", vfs::file_type_name(a.type),
             static_cast<LL>(a.id.ino.value), static_cast<LL>(a.id.tree), a.nlink, a.nlink == 1 ? "" : "s");
    out += text("  mode   %s (%04o), owner %u:%u\n", mode_text(a.mode).c_str(), a.mode & 07777, a.uid, a.gid);
    if (a.type == vfs::FileType::CharDevice || a.type == vfs::FileType::BlockDevice) {
        out += text("  device %u:%u\n", a.rdev.major, a.rdev.minor);
    }
    out += "  size   " + grouped(a.size) + " bytes, " + grouped(a.bytes) + " on disk\n";
    auto time = [&](const char* name, const TimeSpec& when) {
        out += text("  %-6s %s\n", name, time_text(when.seconds, when.nanos).c_str());
    };
    time("mtime", a.mtime);
    time("ctime", a.ctime);
    time("atime", a.atime);
    time("btime", a.btime);
    out += text("  generation %llu, flags 0x%llx\n", static_cast<LL>(a.generation), static_cast<LL>(a.flags));
    if (facts.xattrs) {
        for (const auto& xattr : *facts.xattrs) {
            out +=
                "  xattr  " + name_text(xattr.name, context.style) + " = " + xattr_value(xattr.value) + "\n";
        }
    }
    if (context.arguments.has("extents") && a.type == vfs::FileType::Regular) out += extents_text(facts);
    return out;
}

}  // namespace

ExitCode run_stat(Context& context) {
    ExitCode code = ExitCode::Done;
    Follow follow = context.arguments.has("dereference") ? Follow::Yes : Follow::No;
    for (const std::string& operand : context.arguments.operands) {
        std::string path = join_path(context.cwd, operand);
        auto failed = [&](const Error& error) {
            context.complain(path, error);
            code = ExitCode::Problems;
        };
        auto id = resolve_operand(context, operand, follow);
        if (!id) {
            failed(id.error());
            continue;
        }
        auto attributes = context.volume.files().getattr(*id);
        if (!attributes) {
            failed(attributes.error());
            continue;
        }
        Facts facts = gather(context, path, *attributes);
        context.out(context.json() ? document(context, facts) : paragraph(context, facts));
        if (!facts.xattrs) failed(facts.xattrs.error());
        if (!facts.target) failed(facts.target.error());
        if (!facts.extents_read) failed(facts.extents_read.error());
        if (!facts.runs) failed(facts.runs.error());
    }
    return code;
}

}  // namespace glassfs::commands
