// SPDX-License-Identifier: MIT
// One mounted volume with its open files, as the system calls of a process with the directory "/" see them:
// the rules of open(2), path_resolution(7) and their errors on top of the vfs interface. Single-threaded.
#pragma once

#include "block/device.h"
#include "mount/mount.h"

#include <unordered_map>

namespace glassfs::api {

// open(2)'s flags with Linux's values, which are also those of node's fs.constants there.
inline constexpr u32 open_write_only = 01, open_read_write = 02, open_access_mask = 03, open_create = 0100,
                     open_exclusive = 0200, open_truncate = 01000, open_append = 02000,
                     open_directory = 0200000, open_no_follow = 0400000;

// Where a path leads. `node` is empty when the last name isn't there; `name` is empty when the path doesn't
// end with a name ("/", "a/.."). `attributes` are there when the last component was to be followed.
struct Place {
    vfs::NodeId dir;
    std::string name;
    std::optional<vfs::NodeId> node = {};
    std::optional<vfs::Attributes> attributes = {};
    bool slash = false;  // the path ends with one: only a directory will do
};

struct OpenedFile {
    vfs::NodeId node;
    u32 flags = 0;
    u64 position = 0;  // bytes
};

enum class Follow : u8 { No, Yes };

class Session {
  public:
    // Mounts the volume on these devices.
    static Result<std::unique_ptr<Session>> open(std::vector<std::shared_ptr<block::Device>>,
                                                 const mount::Options&);
    Result<void> close();

    vfs::FileSystem& files() { return volume_->files(); }
    mount::Volume& volume() { return *volume_; }
    // Who owns new inodes.
    void set_owner(u32 uid, u32 gid) { uid_ = uid, gid_ = gid; }

    // Cause::NotFound only for a directory on the way.
    Result<Place> locate(std::string_view path, Follow);
    // Cause::NotFound also for the last name.
    Result<vfs::NodeId> resolve(std::string_view path, Follow);
    Result<vfs::Attributes> stat(std::string_view path, Follow);

    Result<u32> open_file(std::string_view path, u32 flags, u32 mode);
    Result<void> close_file(u32 fd);
    OpenedFile* opened(u32 fd);  // null: no such descriptor
    // Without `at`, at the position, which moves.
    Result<std::size_t> read(OpenedFile&, std::optional<u64> at, MutBytes out);
    Result<std::size_t> write(OpenedFile&, std::optional<u64> at, Bytes data);

    // The node that a whole-file operation works on: found, or made with `mode`.
    Result<vfs::NodeId> file_for(std::string_view path, u32 flags, u32 mode);

    Result<void> make_directory(std::string_view path, u32 mode);
    Result<void> remove_directory(std::string_view path);
    Result<void> unlink(std::string_view path);
    Result<void> rename(std::string_view from, std::string_view to);
    Result<void> link(std::string_view from, std::string_view to);
    Result<void> symlink(std::string_view target, std::string_view path);
    // Shares the extents of `from`. With open_exclusive, the new file must not be there yet.
    Result<void> copy_file(std::string_view from, std::string_view to, u32 flags);

    Result<void> create_subvolume(std::string_view path);
    // `source`: the root directory of a subvolume.
    Result<void> snapshot(vfs::NodeId source, std::string_view path, vfs::SnapshotKind);
    Result<void> delete_subvolume(std::string_view path);
    // Two names change places, in one step.
    Result<void> exchange(std::string_view one, std::string_view other);
    // The root of what is mounted next is a writable snapshot of this subvolume, in a directory of the top
    // level. Returns the tree whose place it takes.
    Result<u64> roll_back(u64 subvolume);
    // Of a root that another one has taken the place of, when it can go: not the top level, nothing inside.
    Result<void> remove_old_root(u64 tree);

  private:
    explicit Session(std::unique_ptr<mount::Volume> volume) : volume_(std::move(volume)) {}

    Result<Place> locate_from(vfs::NodeId start, std::string_view path, Follow, u32 depth);
    Result<vfs::NodeId> directory(vfs::NodeId start, std::string_view path);
    // A place for a new name. Cause::Exists; Cause::NotFound for "x/" where only a directory may be made.
    Result<Place> new_place(std::string_view path, bool for_directory);
    // Names that are there, of something that is to be removed or moved. Cause::InvalidArgument, ::Busy.
    Result<Place> old_place(std::string_view path);
    void forget_directories() { directories_.clear(); }
    vfs::NewInode new_inode(u32 mode) const { return {mode, uid_, gid_, {}}; }

    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };

    std::unique_ptr<mount::Volume> volume_;
    u32 uid_ = 0, gid_ = 0;
    std::vector<std::optional<OpenedFile>> opened_;
    // Directories by their absolute paths, so that not each call walks from the root. Forgotten as a whole
    // when a directory or symlink goes or moves.
    std::unordered_map<std::string, vfs::NodeId, TextHash, std::equal_to<>> directories_;
};

}  // namespace glassfs::api
