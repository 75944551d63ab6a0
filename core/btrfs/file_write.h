// SPDX-License-Identifier: MIT
// Changing the data of files. write() puts bytes into FilePages and nothing else; they get their place on
// disk when the file is written back (write_back.h): for fsync and sync, before a snapshot, and when too much
// is dirty in memory.
//
// Room for data is counted when it becomes dirty, so that a full volume is an error of write(), not of
// fsync().
#pragma once

#include "btrfs/data_reader.h"
#include "btrfs/file_extents.h"
#include "btrfs/file_pages.h"

namespace glassfs::btrfs {

inline constexpr u64 file_bytes_max = 0x7fff'ffff'ffff'ffff;

class FileWriter {
  public:
    struct Limits {
        u64 dirty_bytes_max = 64ULL << 20;  // in memory, of all files
        u32 inline_bytes_max = 2048;        // of a file whose data goes into its item; Linux's max_inline
    };

    FileWriter(Volume&, WritableVolume&, DataReader&, InodeTable&);

    // The operations of vfs::FileSystem. They take the inode's lock.
    Result<std::size_t> write(vfs::NodeId, u64 at, Bytes data);
    Result<void> truncate(vfs::NodeId, u64 size);
    Result<void> fallocate(vfs::NodeId, vfs::FallocateMode, u64 at, u64 length);
    Result<void> clone_range(vfs::NodeId from, u64 from_at, u64 length, vfs::NodeId to, u64 to_at);

    // Gives dirty data its place on disk; durable with the next commit. No inode's lock may be held. The
    // first error; the data of files that failed stays dirty.
    Result<void> write_back(const InodePtr&);
    Result<void> write_back_all();
    Result<void> write_back_tree(u64 tree);

    // While it is held nothing is written in place, and no write back is between its steps: what a snapshot
    // made meanwhile shares stays as it is. First write_back_tree(), then this, then the snapshot's step.
    [[nodiscard]] std::unique_lock<std::shared_mutex> pause() { return std::unique_lock(in_place_mutex_); }

    // Dirty data of an inode that goes. Inside of a step, with the inode's lock.
    void forget(Inode& inode) { drop_pages(inode); }

    // Called, without locks, when there is no room: whatever may give some before the next commit.
    void when_full(std::function<Result<void>()> make_room) { make_room_ = std::move(make_room); }

    u64 dirty_bytes() const { return *dirty_bytes_; }
    Limits& limits() { return limits_; }

  private:
    friend class WriteBack;
    // A sector's content, to become dirty.
    struct Sector {
        u64 at = 0;
        Buffer bytes;
    };
    using Sectors = std::vector<Sector>;
    enum class SizeChange : u8 { Grow, Keep };
    enum class Preallocate : u8 { Holes, HolesAndData };
    // Room that is going to be used by what becomes dirty in a moment.
    class Claim {
      public:
        Claim(std::atomic<u64>& total, u64 bytes) : total_(total), bytes_(bytes) { total_ += bytes_; }
        ~Claim() { total_ -= bytes_; }
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;

      private:
        std::atomic<u64>& total_;
        u64 bytes_;
    };
    struct CloneRange {
        u64 from_at = 0;
        u64 length = 0;
        u64 to_at = 0;
        u64 from_end() const { return from_at + length; }
        u64 to_end() const { return to_at + length; }
    };

    u64 down(u64 at) const { return at / sector_ * sector_; }
    u64 up(u64 at) const { return (at + sector_ - 1) / sector_ * sector_; }

    // From here on, where an Inode is given, its lock is held exclusively.
    Result<InodePtr> find(vfs::NodeId);
    Result<void> check_changeable(const Inode&);
    u64 size_now(const Inode&);
    // `once`, and when there was no room for it, once more after everything that may give some.
    template <class F>
    auto with_room(std::unique_lock<std::shared_mutex>& lock, F&& once) -> decltype(once());

    // Room.
    Result<u64> data_room(u64 wanted);
    Result<bool> writes_in_place(const Inode&, u64 begin, u64 end);
    Result<u64> room_up_to(const Inode&, u64 begin, u64 end);
    Result<void> need_room(const Inode&, const Sectors&);

    // Becoming dirty.
    Result<void> add_sector(const Inode&, u64 at, Sectors&);
    Result<void> add_end_sector(const Inode&, Sectors&);
    enum class Holds : u8 { Nothing, Unwritten, Data };
    Result<Holds> what_is_at(const Inode&, u64 at);
    Result<void> begin_change(Transaction&, const InodePtr&, u64 size, const Sectors&);
    FilePages& pages_of(const InodePtr&);
    void drop_pages(Inode&);
    void touch(Transaction&, Inode&);
    Result<void> grow_on_disk(Transaction&, Tree&, Inode&, u64 size);

    Result<std::size_t> write_some(const InodePtr&, u64 at, Bytes data);
    Result<std::size_t> write_piece(const InodePtr&, u64 at, Bytes data);
    Result<void> grow(const InodePtr&, u64 size);
    Result<void> shrink(const InodePtr&, u64 size);
    Result<bool> begins_compressed_inline(const Inode&);

    // Writing back.
    Result<void> relieve();
    Result<void> write_back_locked(const std::vector<InodePtr>&);
    struct DirtyFile {
        u64 order = 0;  // FilePages::order()
        InodePtr inode;
    };
    Result<void> write_back_each(std::vector<DirtyFile>);
    std::vector<DirtyFile> oldest_dirty(std::size_t count_max, u64 tree = 0);

    // fallocate.cpp
    Result<void> fallocate_locked(const InodePtr&, vfs::FallocateMode, u64 begin, u64 end);
    Result<void> allocate_range(const InodePtr&, u64 begin, u64 end, SizeChange, Preallocate);
    Result<std::vector<FilePages::Range>> ranges_to_allocate(const Inode&, u64 begin, u64 end, Preallocate);
    Result<void> preallocate(const InodePtr&, const std::vector<FilePages::Range>&, u64 size_max);
    Result<void> preallocate_some(const InodePtr&, std::vector<FilePages::Range>& ranges, u64 size_max);
    Result<void> punch(const InodePtr&, u64 begin, u64 end);
    // Sectors that a range covers in part, and the range's bytes in them.
    struct Edges {
        u64 size = 0;  // of the file, which stays
        Sectors sectors = {};
        std::vector<FilePages::Range> zeros = {};
    };
    Result<Edges> find_edges(const Inode&, u64 begin, u64 end, Holds least);
    Result<void> zero_edges(Transaction&, const InodePtr&, const Edges&);
    Result<void> erase_range(const InodePtr&, u64 begin, u64 end, const Edges&);

    // clone.cpp
    Result<void> check_clone(const Inode& from, const Inode& to, CloneRange&);
    Result<void> clone_locked(const InodePtr& from, const InodePtr& to, const CloneRange&);
    Result<void> clone_inline(const InodePtr& from, const InodePtr& to, const CloneRange&);
    Result<u64> clone_step(const Inode& from, const InodePtr& to, const CloneRange&, u64 from_at);

    Volume& volume_;
    WritableVolume& store_;
    DataReader& data_;
    InodeTable& inodes_;
    const u64 sector_;
    Limits limits_;
    std::shared_ptr<std::atomic<u64>> dirty_bytes_ = std::make_shared<std::atomic<u64>>(0);
    std::atomic<u64> claimed_bytes_ = 0;
    std::function<Result<void>()> make_room_ = [] { return Result<void>{}; };
    std::shared_mutex in_place_mutex_;
    std::mutex relief_mutex_;  // one thread at a time makes room in memory
    std::mutex dirty_mutex_;   // of what follows
    u64 next_order_ = 0;
    std::map<u64, std::weak_ptr<Inode>> dirty_;  // files with dirty data, oldest first
};

template <class F>
auto FileWriter::with_room(std::unique_lock<std::shared_mutex>& lock, F&& once) -> decltype(once()) {
    auto done = once();
    if (done || done.error().cause != Cause::NoSpace || store_.aborted()) return done;
    // What is dirty still occupies its old place, and what is free now can't be used before a commit.
    lock.unlock();
    TRY(write_back_all());
    TRY(make_room_());
    TRY(store_.commit_for_room(block_group_data));
    lock.lock();
    return once();
}

}  // namespace glassfs::btrfs
