// SPDX-License-Identifier: MIT
// The calls that api/core.js makes. One instance of the module holds one volume.
//
// Strings and bytes lie in memory of this side: paths, UTF-8 without a terminator, one behind the other in
// `arguments` (the caller gives their lengths); bytes that are read or written in `transfer`, which grows on
// demand; what has no fixed size comes back in `output`. Numbers come back in `numbers`. A call returns 0 or
// a count, or an errno as a negative number, with a sentence in `message`. Positions and sizes are doubles:
// exact up to 2^53.
//
// A `target` is the length of a path in `arguments`, or -1 - fd.
#include "api/js_device.h"
#include "api/session.h"
#include "mount/format.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <emscripten.h>
#include <utility>

using namespace glassfs;
using namespace glassfs::api;

namespace {

constexpr std::size_t arguments_size = 16384;  // two paths and a NUL each: path_length_max is 4095
constexpr int bad_descriptor = -static_cast<int>(Errno::BADF);

struct Shared {
    std::array<char, arguments_size> arguments{};
    std::array<double, 32> numbers{};
};
Shared shared;
Buffer transfer, output;
std::string message;
std::unique_ptr<Session> session;

int code_of(const Error& error) {
    message = error.message();
    return -static_cast<int>(error.code());
}
int code_of(const Result<void>& result) {
    return result ? 0 : code_of(result.error());
}

std::string_view first_path(int length) {
    return {shared.arguments.data(), static_cast<std::size_t>(length)};
}
std::string_view second_path(int first, int second) {
    return {shared.arguments.data() + first, static_cast<std::size_t>(second)};
}

double seconds_of(const TimeSpec& time) {
    return static_cast<double>(time.seconds);
}

void put(const vfs::Attributes& a) {
    auto rdev = static_cast<double>((u64{a.rdev.major} << 8) | (a.rdev.minor & 0xff) |
                                    (u64{a.rdev.minor & ~0xffU} << 12));
    const double all[] = {static_cast<double>(a.id.tree),
                          static_cast<double>(a.id.ino.value),
                          static_cast<double>(a.mode),
                          static_cast<double>(a.nlink),
                          static_cast<double>(a.uid),
                          static_cast<double>(a.gid),
                          rdev,
                          static_cast<double>(a.size),
                          static_cast<double>(a.block_size),
                          static_cast<double>(a.bytes / 512),
                          seconds_of(a.atime),
                          static_cast<double>(a.atime.nanos),
                          seconds_of(a.mtime),
                          static_cast<double>(a.mtime.nanos),
                          seconds_of(a.ctime),
                          static_cast<double>(a.ctime.nanos),
                          seconds_of(a.btime),
                          static_cast<double>(a.btime.nanos)};
    std::copy(std::begin(all), std::end(all), shared.numbers.begin());
}

// output, where it is and how long, as numbers 0 and 1.
int give_output() {
    shared.numbers[0] = static_cast<double>(reinterpret_cast<std::uintptr_t>(output.data()));
    shared.numbers[1] = static_cast<double>(output.size());
    return 0;
}

int give_text(std::string_view text) {
    output.assign(text.begin(), text.end());
    return give_output();
}

Result<vfs::NodeId> node_of(int target, Follow follow) {
    if (target >= 0) return session->resolve(first_path(target), follow);
    OpenedFile* file = session->opened(static_cast<u32>(-1 - target));
    if (file == nullptr) return fail(Cause::InvalidArgument);
    return file->node;
}

bool bad(int target) {
    return target < 0 && session->opened(static_cast<u32>(-1 - target)) == nullptr;
}

std::vector<std::shared_ptr<block::Device>> devices(int count) {
    std::vector<std::shared_ptr<block::Device>> out;
    for (u32 i = 0; i < static_cast<u32>(count); ++i) {
        out.push_back(std::make_shared<JsDevice>(i, static_cast<u64>(shared.numbers[i])));
    }
    return out;
}

std::optional<u64> position(double at) {
    return at < 0 ? std::nullopt : std::optional(static_cast<u64>(at));
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    return out + "\"";
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE void* glassfs_arguments() {
    return shared.arguments.data();
}
EMSCRIPTEN_KEEPALIVE void* glassfs_numbers() {
    return shared.numbers.data();
}
// At least `size` bytes of transfer; what was in it is lost when it moves.
EMSCRIPTEN_KEEPALIVE void* glassfs_transfer(double size) {
    if (transfer.size() < size) transfer.resize(static_cast<std::size_t>(size));
    return transfer.data();
}
// The sentence of the last error; it is given once.
EMSCRIPTEN_KEEPALIVE int glassfs_message() {
    return give_text(std::exchange(message, {}));
}

// A new file system on `count` devices, whose sizes are in numbers. arguments: label, checksum, metadata
// profile.
EMSCRIPTEN_KEEPALIVE int glassfs_format(int count, int node_size, int label, int checksum, int profile) {
    mount::FormatOptions options;
    options.label = first_path(label);
    options.checksum = second_path(label, checksum);
    options.metadata_profile = second_path(label + checksum, profile);
    options.node_size = static_cast<u32>(node_size);
    return code_of(mount::format(devices(count), options));
}

EMSCRIPTEN_KEEPALIVE int glassfs_open(int count, int subvolume, int discard, double uid, double gid) {
    mount::Options options;
    options.access = mount::Access::ReadWrite;
    options.subvolume = first_path(subvolume);
    options.discard = discard != 0;
    auto opened = Session::open(devices(count), options);
    if (!opened) return code_of(opened.error());
    session = std::move(*opened);
    session->set_owner(static_cast<u32>(uid), static_cast<u32>(gid));
    return 0;
}

EMSCRIPTEN_KEEPALIVE int glassfs_close() {
    int code = code_of(session->close());
    session.reset();
    return code;
}

EMSCRIPTEN_KEEPALIVE int glassfs_sync() {
    return code_of(session->files().sync());
}

EMSCRIPTEN_KEEPALIVE int glassfs_stat(int target, int follow) {
    if (bad(target)) return bad_descriptor;
    auto found = target >= 0 ? session->stat(first_path(target), follow ? Follow::Yes : Follow::No)
                             : session->files().getattr(session->opened(static_cast<u32>(-1 - target))->node);
    if (!found) return code_of(found.error());
    put(*found);
    return 0;
}

// The whole file into `output` (see give_output); with numbers[0] = -1 when it has more than `size_max`
// bytes, which are numbers[1].
EMSCRIPTEN_KEEPALIVE int glassfs_read_file(int path, double size_max) {
    auto found = session->stat(first_path(path), Follow::Yes);
    if (!found) return code_of(found.error());
    if (found->type != vfs::FileType::Regular) {
        bool directory = found->type == vfs::FileType::Directory;
        return -static_cast<int>(directory ? Errno::ISDIR : Errno::OPNOTSUPP);
    }
    shared.numbers[0] = -1;
    shared.numbers[1] = static_cast<double>(found->size);
    if (shared.numbers[1] > size_max) return 0;
    const auto size = static_cast<std::size_t>(found->size);
    if (output.size() < size) output.resize(size);
    auto got = session->files().read(found->id, 0, MutBytes(output).first(size));
    if (!got) return code_of(got.error());
    give_output();
    shared.numbers[1] = static_cast<double>(*got);
    return 0;
}

// `length` bytes of transfer into a file, at its end or from its begin, as the flags say.
EMSCRIPTEN_KEEPALIVE int glassfs_write_file(int path, int flags, int mode, int length) {
    auto node = session->file_for(first_path(path), static_cast<u32>(flags), static_cast<u32>(mode));
    if (!node) return code_of(node.error());
    u64 at = 0;
    if ((static_cast<u32>(flags) & open_append) != 0) {
        auto found = session->files().getattr(*node);
        if (!found) return code_of(found.error());
        at = found->size;
    }
    if (length == 0) return 0;
    auto done = session->files().write(*node, at, Bytes(transfer).first(static_cast<std::size_t>(length)));
    if (!done) return code_of(done.error());
    return *done == static_cast<std::size_t>(length) ? 0 : code_of(Error{Cause::NoSpace});
}

EMSCRIPTEN_KEEPALIVE int glassfs_open_file(int path, int flags, int mode) {
    auto fd = session->open_file(first_path(path), static_cast<u32>(flags), static_cast<u32>(mode));
    return fd ? static_cast<int>(*fd) : code_of(fd.error());
}

EMSCRIPTEN_KEEPALIVE int glassfs_close_file(int fd) {
    if (session->opened(static_cast<u32>(fd)) == nullptr) return bad_descriptor;
    return code_of(session->close_file(static_cast<u32>(fd)));
}

// Into transfer. `at` < 0: at the position.
EMSCRIPTEN_KEEPALIVE int glassfs_read(int fd, double at, int length) {
    OpenedFile* file = session->opened(static_cast<u32>(fd));
    if (file == nullptr || (file->flags & open_access_mask) == open_write_only) return bad_descriptor;
    auto got = session->read(*file, position(at), MutBytes(transfer).first(static_cast<std::size_t>(length)));
    return got ? static_cast<int>(*got) : code_of(got.error());
}

EMSCRIPTEN_KEEPALIVE int glassfs_write(int fd, double at, int length) {
    OpenedFile* file = session->opened(static_cast<u32>(fd));
    if (file == nullptr || (file->flags & open_access_mask) == 0) return bad_descriptor;
    auto done = session->write(*file, position(at), Bytes(transfer).first(static_cast<std::size_t>(length)));
    return done ? static_cast<int>(*done) : code_of(done.error());
}

EMSCRIPTEN_KEEPALIVE int glassfs_truncate(int target, double size) {
    if (bad(target)) return bad_descriptor;
    if (target < 0) {
        const u32 flags = session->opened(static_cast<u32>(-1 - target))->flags;
        if ((flags & open_access_mask) == 0) return -static_cast<int>(Errno::INVAL);
    }
    auto node = node_of(target, Follow::Yes);
    if (!node) return code_of(node.error());
    return code_of(session->files().truncate(*node, static_cast<u64>(size)));
}

EMSCRIPTEN_KEEPALIVE int glassfs_fsync(int fd) {
    OpenedFile* file = session->opened(static_cast<u32>(fd));
    if (file == nullptr) return bad_descriptor;
    return code_of(session->files().fsync(file->node));
}

// output: a byte for each entry's vfs::FileType, then the names with a NUL behind each. Returns how many.
EMSCRIPTEN_KEEPALIVE int glassfs_readdir(int path) {
    auto node = session->resolve(first_path(path), Follow::Yes);
    if (!node) return code_of(node.error());
    static std::string names;
    names.clear();
    output.clear();
    auto listed = session->files().readdir(*node, 0, [](const vfs::DirEntry& entry) {
        output.push_back(static_cast<u8>(entry.type));
        names.append(entry.name);
        names.push_back('\0');
        return true;
    });
    if (!listed) return code_of(listed.error());
    const int count = static_cast<int>(output.size());
    output.insert(output.end(), names.begin(), names.end());
    give_output();
    return count;
}

EMSCRIPTEN_KEEPALIVE int glassfs_mkdir(int path, int mode) {
    return code_of(session->make_directory(first_path(path), static_cast<u32>(mode)));
}
EMSCRIPTEN_KEEPALIVE int glassfs_rmdir(int path) {
    return code_of(session->remove_directory(first_path(path)));
}
EMSCRIPTEN_KEEPALIVE int glassfs_unlink(int path) {
    return code_of(session->unlink(first_path(path)));
}
EMSCRIPTEN_KEEPALIVE int glassfs_rename(int from, int to) {
    return code_of(session->rename(first_path(from), second_path(from, to)));
}
EMSCRIPTEN_KEEPALIVE int glassfs_link(int from, int to) {
    return code_of(session->link(first_path(from), second_path(from, to)));
}
EMSCRIPTEN_KEEPALIVE int glassfs_symlink(int target, int path) {
    return code_of(session->symlink(first_path(target), second_path(target, path)));
}
EMSCRIPTEN_KEEPALIVE int glassfs_copy_file(int from, int to, int exclusive) {
    const u32 flags = exclusive ? open_exclusive : 0;
    return code_of(session->copy_file(first_path(from), second_path(from, to), flags));
}

EMSCRIPTEN_KEEPALIVE int glassfs_readlink(int path) {
    auto node = session->resolve(first_path(path), Follow::No);
    if (!node) return code_of(node.error());
    auto found = session->files().getattr(*node);
    if (!found) return code_of(found.error());
    if (found->type != vfs::FileType::Symlink) return -static_cast<int>(Errno::INVAL);
    auto target = session->files().readlink(*node);
    return target ? give_text(*target) : code_of(target.error());
}

// Numbers below 0 (of `mode`, `uid`, `gid`) leave what is there. Times only with `times`: numbers 0 to 3, the
// seconds and nanoseconds of atime and mtime.
EMSCRIPTEN_KEEPALIVE int glassfs_setattr(int target, int follow, int mode, double uid, double gid,
                                         int times) {
    if (bad(target)) return bad_descriptor;
    auto node = node_of(target, follow ? Follow::Yes : Follow::No);
    if (!node) return code_of(node.error());
    vfs::AttributeChange change;
    if (mode >= 0) change.mode = static_cast<u32>(mode);
    if (uid >= 0) change.uid = static_cast<u32>(uid);
    if (gid >= 0) change.gid = static_cast<u32>(gid);
    if (times) {
        const auto& n = shared.numbers;
        change.atime = TimeSpec{static_cast<s64>(n[0]), static_cast<u32>(n[1])};
        change.mtime = TimeSpec{static_cast<s64>(n[2]), static_cast<u32>(n[3])};
    }
    return code_of(session->files().setattr(*node, change));
}

// numbers: block size, then bytes in all, used, free.
EMSCRIPTEN_KEEPALIVE int glassfs_statfs() {
    auto found = session->files().statfs();
    if (!found) return code_of(found.error());
    const u64 all[] = {found->block_size, found->total, found->used, found->free};
    for (std::size_t i = 0; i < std::size(all); ++i) shared.numbers[i] = static_cast<double>(all[i]);
    return 0;
}

EMSCRIPTEN_KEEPALIVE int glassfs_create_subvolume(int path) {
    return code_of(session->create_subvolume(first_path(path)));
}
// `source`: the length of a path, or -1: the subvolume whose id is in numbers[0].
EMSCRIPTEN_KEEPALIVE int glassfs_snapshot(int source, int path, int read_only) {
    auto from = source >= 0 ? session->resolve(first_path(source), Follow::Yes)
                            : session->volume().subvolume(static_cast<u64>(shared.numbers[0]));
    if (!from) return code_of(from.error());
    const auto kind = read_only ? vfs::SnapshotKind::ReadOnly : vfs::SnapshotKind::Writable;
    return code_of(session->snapshot(*from, second_path(std::max(source, 0), path), kind));
}
EMSCRIPTEN_KEEPALIVE int glassfs_delete_subvolume(int path) {
    return code_of(session->delete_subvolume(first_path(path)));
}
EMSCRIPTEN_KEEPALIVE int glassfs_exchange(int one, int other) {
    return code_of(session->exchange(first_path(one), second_path(one, other)));
}

// The root becomes a snapshot of a subvolume, after the volume has been closed and opened again. numbers[0]:
// the tree that was the root.
EMSCRIPTEN_KEEPALIVE int glassfs_roll_back(double subvolume) {
    auto old = session->roll_back(static_cast<u64>(subvolume));
    if (!old) return code_of(old.error());
    shared.numbers[0] = static_cast<double>(*old);
    return 0;
}
EMSCRIPTEN_KEEPALIVE int glassfs_remove_old_root(double tree) {
    return code_of(session->remove_old_root(static_cast<u64>(tree)));
}

// output: JSON, [{ id, path, readOnly, generation }].
EMSCRIPTEN_KEEPALIVE int glassfs_subvolumes() {
    auto found = session->volume().subvolumes();
    if (!found) return code_of(found.error());
    std::string text;
    for (const mount::Subvolume& one : *found) {
        text += (text.empty() ? "" : ",") + ("{\"id\":" + std::to_string(one.id)) +
                ",\"path\":" + quoted(one.path) +
                ",\"readOnly\":" + (one.kind == vfs::SnapshotKind::ReadOnly ? "true" : "false") +
                ",\"generation\":" + std::to_string(one.generation.value) + "}";
    }
    return give_text("[" + text + "]");
}

// output: JSON, { clean, issues: [{ severity, message }], issuesTotal, blocksRead, bytesRead }.
EMSCRIPTEN_KEEPALIVE int glassfs_check(int data) {
    check::Options options;
    options.data_checksums = data != 0;
    options.issues_max = 1000;
    auto report = session->volume().check(options, [](double) { return true; });
    if (!report) return code_of(report.error());
    std::string issues;
    for (const check::Issue& issue : report->issues) {
        const bool problem = issue.severity == check::Severity::Problem;
        issues += (issues.empty() ? "{\"severity\":\"" : ",{\"severity\":\"") +
                  std::string(problem ? "problem" : "warning") +
                  "\",\"message\":" + quoted(issue.error.message()) + "}";
    }
    return give_text(std::string("{\"clean\":") + (report->clean() ? "true" : "false") + ",\"issues\":[" +
                     issues + "],\"issuesTotal\":" + std::to_string(report->issues_total) +
                     ",\"blocksRead\":" + std::to_string(report->blocks_read) +
                     ",\"bytesRead\":" + std::to_string(report->data_bytes_read) + "}");
}

}  // extern "C"
