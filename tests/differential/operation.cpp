// SPDX-License-Identifier: MIT
#include "operation.h"

#include <array>
#include <cstdio>

namespace glassfs::differential {

namespace {

struct Described {
    const char* word;
    unsigned weight;
};

constexpr Described operations[] = {
#define GLASSFS_OPERATION_DESCRIBED(name, word, weight) {word, weight},
    GLASSFS_OPERATIONS(GLASSFS_OPERATION_DESCRIBED)
#undef GLASSFS_OPERATION_DESCRIBED
};

constexpr const char* rename_words[] = {"", " noreplace", " exchange"};
constexpr const char* xattr_words[] = {"", " create", " replace"};
constexpr const char* fallocate_words[] = {"allocate",  "keep-size", "punch", "zero",
                                           "zero-keep", "collapse",  "insert"};

std::string shown_ref(const NodeRef& ref) {
    if (ref.handle) return "held:" + std::to_string(*ref.handle);
    std::string out;
    for (const auto& name : ref.path) out += "/" + shown(name);
    return out.empty() ? "/" : out;
}

std::string shown_octal(u32 mode) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%o", mode);
    return text.data();
}

std::string shown_time(const char* word, const std::optional<TimeSpec>& time) {
    if (!time) return "";
    return std::string(word) + std::to_string(time->seconds) + "." + std::to_string(time->nanos);
}

std::string shown_change(const vfs::AttributeChange& change) {
    std::string out;
    if (change.mode) out += " mode " + shown_octal(*change.mode);
    if (change.uid) out += " uid " + std::to_string(*change.uid);
    if (change.gid) out += " gid " + std::to_string(*change.gid);
    return out + shown_time(" atime ", change.atime) + shown_time(" mtime ", change.mtime);
}

std::string range(u64 at, u64 length) {
    return " [" + std::to_string(at) + " +" + std::to_string(length) + "]";
}

std::string shown_inode(const vfs::NewInode& inode) {
    std::string out = " mode " + shown_octal(inode.mode);
    if (inode.uid || inode.gid)
        out += " owner " + std::to_string(inode.uid) + ":" + std::to_string(inode.gid);
    if (inode.rdev.major || inode.rdev.minor) {
        out += " device " + std::to_string(inode.rdev.major) + ":" + std::to_string(inode.rdev.minor);
    }
    return out;
}

std::string arguments(const Operation& op) {
    switch (op.kind) {
        case OperationKind::Create:
        case OperationKind::MakeDirectory:
        case OperationKind::MakeNode:
        case OperationKind::CreateSubvolume:
            return shown_inode(op.inode);
        case OperationKind::Tmpfile:
            return shown_inode(op.inode) + " as held:" + std::to_string(op.handle);
        case OperationKind::Hold:
            return " as held:" + std::to_string(op.handle);
        case OperationKind::Release:
            return " held:" + std::to_string(op.handle);
        case OperationKind::Symlink:
            return " -> " + shown(op.target) + " (" + std::to_string(op.target.size()) + " bytes)";
        case OperationKind::Rename:
            return rename_words[static_cast<int>(op.rename)];
        case OperationKind::Write:
        case OperationKind::Read:
            return range(op.at, op.length);
        case OperationKind::Truncate:
            return " to " + std::to_string(op.length);
        case OperationKind::Seek:
            return (op.whence == vfs::Whence::Data ? " data at " : " hole at ") + std::to_string(op.at);
        case OperationKind::Fallocate:
            return range(op.at, op.length) + " " + fallocate_words[static_cast<int>(op.fallocate)];
        case OperationKind::Clone:
            return range(op.at, op.length) + " to " + std::to_string(op.to_at);
        case OperationKind::SetAttributes:
            return shown_change(op.change);
        case OperationKind::SetFlags:
            return " flags " + std::to_string(op.flags);
        case OperationKind::SetXattr:
            return " of " + std::to_string(op.length) + " bytes" + xattr_words[static_cast<int>(op.xattr)];
        case OperationKind::Snapshot:
            return op.snapshot == vfs::SnapshotKind::ReadOnly ? " read-only" : "";
        case OperationKind::CreateMany:
        case OperationKind::LinkMany:
        case OperationKind::UnlinkMany:
            return " * " + std::to_string(op.count);
        default:
            return "";
    }
}

}  // namespace

const char* operation_word(OperationKind kind) {
    return operations[static_cast<std::size_t>(kind)].word;
}

unsigned operation_weight(OperationKind kind) {
    return operations[static_cast<std::size_t>(kind)].weight;
}

std::optional<OperationKind> operation_of(std::string_view word) {
    for (std::size_t i = 0; i < operation_kinds; ++i) {
        if (operations[i].word == word) return static_cast<OperationKind>(i);
    }
    return std::nullopt;
}

namespace {

std::string escaped(std::string_view raw) {
    std::string out;
    for (char c : raw) {
        if (c > ' ' && c <= '~' && c != '%') {
            out += c;
        } else {
            std::array<char, 4> text{};
            std::snprintf(text.data(), text.size(), "%%%02X", static_cast<unsigned>(static_cast<u8>(c)));
            out += text.data();
        }
    }
    return out;
}

}  // namespace

std::string shown(std::string_view raw) {
    constexpr std::size_t head = 10, tail = 10, limit = 24;
    if (raw.size() <= limit) return escaped(raw);
    return escaped(raw.substr(0, head)) + "..(" + std::to_string(raw.size()) + ").." +
           escaped(raw.substr(raw.size() - tail));
}

std::string numbered_name(const std::string& stem, u64 number) {
    return stem + "-" + std::to_string(number);
}

std::string describe(const Operation& op) {
    std::string out = operation_word(op.kind);
    bool by_name = !op.name.empty();
    if (op.kind == OperationKind::Sync || op.kind == OperationKind::Release) return out + arguments(op);
    out += " " + shown_ref(op.node);
    if (by_name) out += " \"" + shown(op.name) + "\"";
    bool second = op.kind == OperationKind::Link || op.kind == OperationKind::LinkMany ||
                  op.kind == OperationKind::Rename || op.kind == OperationKind::Clone ||
                  op.kind == OperationKind::Snapshot;
    if (second) {
        out += ", " + shown_ref(op.other);
        if (!op.other_name.empty()) out += " \"" + shown(op.other_name) + "\"";
    }
    return out + arguments(op);
}

Buffer make_data(u64 seed, u64 length) {
    Buffer out(static_cast<std::size_t>(length));
    SeededEnvironment noise(seed);
    if (seed % 2 == 0) {
        u64 word = noise.random();
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<u8>((word >> (i % 8 * 8)) + i / 977);
        return out;
    }
    for (std::size_t i = 0; i < out.size();) {
        u64 word = noise.random();
        for (int k = 0; k < 8 && i < out.size(); ++k, word >>= 8) out[i++] = static_cast<u8>(word);
    }
    return out;
}

}  // namespace glassfs::differential
