// SPDX-License-Identifier: MIT
// A volume mounted for writing: what is in memory beside the tree blocks (trees, block groups, delayed
// references), the running transaction, and its commit. Locks, in the order in which they are taken: an
// inode's, then the writer's (begin(), commit()), then the blocks' (Volume::reading(): shared by readers).
#pragma once

#include "btrfs/block_groups.h"
#include "btrfs/block_shadows.h"
#include "btrfs/chunk_allocator.h"
#include "btrfs/delayed_refs.h"
#include "btrfs/transaction.h"

#include <atomic>
#include <functional>

namespace glassfs::btrfs {

// Where a piece of file data goes.
struct DataExtent {
    LogicalAddr addr;
    u64 length = 0;  // bytes
};

struct CommitCounters {
    u64 commits = 0;
    u64 blocks_written = 0;  // tree blocks, copies not counted
    u64 rounds = 0;          // of delayed references, block group and root items
    u64 cow_blocks = 0;
};

class WritableVolume {
  public:
    struct Options {
        u64 dirty_bytes_max = 128ULL << 20;  // changed tree blocks in memory before a commit is made
        bool discard = false;                // tell the devices of freed space
        DevExtentSearchMode chunk_search = DevExtentSearchMode::Hint;
    };

    // Refuses what can't be written here, by name: missing devices, a pending log, unknown compat_ro features
    // (Cause::ReadOnly and why).
    static Result<std::unique_ptr<WritableVolume>> open(Volume&, Environment&, const Options&, trace::Tracer);

    // Waits for the writer's lock, and makes sure of the room: allocates a chunk or commits when that helps.
    // Cause::NoSpace, Cause::VolumeAborted.
    Result<Transaction> begin(Need need = {});
    // Makes durable what all steps so far have done. Readers go on.
    Result<void> commit();
    // The same, if it makes room for `type` (a type of block groups); otherwise only delayed references are
    // run, and nothing reaches the devices.
    Result<void> commit_for_room(u64 type);
    // Called at the begin of each commit, inside of a step: brings what others keep in memory into the trees.
    void before_commit(std::function<Result<void>(Transaction&)> flush) { flush_ = std::move(flush); }

    Volume& volume() { return volume_; }
    Environment& environment() { return environment_; }
    // Reports an event of a step, behind the bytes of tree blocks that it changed.
    template <class F>
    void trace(F&& make) {
        shadows_.record();
        trace_(std::forward<F>(make));
    }
    const BlockShadows& shadows() const { return shadows_; }
    const CommitCounters& counters() const { return counters_; }
    bool aborted() const { return aborted_; }
    // Cause::VolumeAborted, with what made it so where that is known. Thread-safe.
    Error abort_error() const;
    // Is told of each range that became free with a commit, so that nothing old is kept of it.
    void after_free(std::function<void(LogicalAddr, u64 length)> told) { freed_ = std::move(told); }
    // Bytes that could still be filled with file data, as statfs shows them.
    u64 data_bytes_free();

    // File data. Room for at most `wanted` bytes (whole sectors), at least `least`, in one piece. It belongs
    // to the caller, over several steps if need be, until add_new_data() or return_data(). Cause::NoSpace.
    Result<DataExtent> allocate_data(Transaction&, u64 wanted, u64 least);
    void return_data(Transaction&, const DataExtent&);
    // `offset`: the file position minus the position in the extent, as EXTENT_DATA_REF has it. add_new_data()
    // makes the first reference to an extent that allocate_data() gave, and with it the extent item;
    // add_data_ref() makes another one to an extent that has some. When the last one is dropped, the extent
    // and its checksums go.
    [[nodiscard]] Result<void> add_new_data(Transaction&, const DataExtent&, u64 root, InodeNo, u64 offset);
    [[nodiscard]] Result<void> add_data_ref(Transaction&, const DataExtent&, u64 root, InodeNo, u64 offset,
                                            u32 count = 1);
    [[nodiscard]] Result<void> drop_data_ref(Transaction&, const DataExtent&, u64 root, InodeNo, u64 offset,
                                             u32 count = 1);
    // To all copies. Not durable before the next commit. Needs no step.
    Result<void> write_data(LogicalAddr, Bytes);

    // Trees that begin and end.
    Result<Tree*> create_tree(Transaction&, u64 id, const disk::btrfs_root_item&);
    // A snapshot of `source` (which must not have changed in this transaction) under the id `id`.
    Result<Tree*> copy_tree(Transaction&, Tree& source, u64 id, const disk::btrfs_root_item&);
    // Brings the tree's root item in the root tree up to date now; a commit does it for every tree that has
    // changed.
    Result<void> write_root_item(Transaction&, Tree&);
    // Takes the tree, whose root must be gone, off the list.
    void forget_tree(u64 id);

    // How chunk allocation looks for room; any time.
    DevExtentSearchMode chunk_search();
    void set_chunk_search(DevExtentSearchMode);

    // For the parts of the engine (extent tree, chunk allocator, cleaner).
    BlockGroups& groups() { return groups_; }
    DelayedRefs& refs() { return refs_; }
    ChunkAllocator& chunks() { return chunks_; }
    disk::btrfs_super_block& super() { return super_; }
    const Uuid& chunk_tree_uuid() const { return chunk_tree_uuid_; }
    // How often an extent is referred to, and its flags, delayed references included.
    struct ExtentInfo {
        u64 refs = 0;
        u64 flags = 0;
    };
    Result<ExtentInfo> extent_info(Transaction&, LogicalAddr, u8 level);
    // Adds (+1) or drops (-1) references to everything that a block points to. FullBackref: the block itself
    // is the referrer, by address; else its owner tree is.
    enum class RefKind : u8 { Tree, FullBackref };
    Result<void> modify_child_refs(Transaction&, const TreeBlock&, RefKind, s32 change);
    Result<void> run_delayed_refs(Transaction&);
    // Something was changed in part: nothing is written any more. The first reason that isn't empty is kept.
    void abort(std::string reason);

  private:
    friend class Transaction;
    WritableVolume(Volume& volume, Environment& environment, const Options& options, trace::Tracer tracer);

    Result<void> check_writable() const;
    Result<void> load();
    Result<void> load_block_groups();
    Result<Tree*> load_tree(u64 id);
    Result<bool> ensure_room(Transaction&, Need);  // false: a commit would help
    u64 commit_reserve_bytes() const;
    u64 dirty_bytes() const;

    Result<WritableBlock> copy_block(Transaction&, Tree&, const BlockPtr&);
    Result<void> update_refs_for_copy(Transaction&, Tree&, const TreeBlock& old, const TreeBlock& copy);

    Result<void> commit_locked();
    Result<void> try_commit();
    Result<void> settle(Transaction&);
    Result<bool> remove_empty_groups(Transaction&);
    Result<void> before_first_commit(Transaction&);
    Result<void> mark_quotas(Transaction&);
    Result<void> drop_old_space_cache(Transaction&, const Key& header_key);
    void discard_freed();
    Result<bool> write_root_items(Transaction&);
    Result<bool> write_block_group_items(Transaction&);
    Result<std::vector<WritableBlock>> seal_blocks(Transaction&);
    Result<void> write_blocks(const std::vector<WritableBlock>&);
    Result<void> flush_devices();
    Result<void> write_superblocks();
    void prepare_superblock();
    void finish_commit(const std::vector<WritableBlock>&);

    Volume& volume_;
    Environment& environment_;
    Options options_;
    trace::Tracer trace_;
    BlockShadows shadows_{trace_};
    std::mutex writer_mutex_;
    std::atomic<bool> aborted_ = false;
    mutable std::mutex abort_mutex_;
    std::string abort_reason_;         // of the first error that has one
    Uuid chunk_tree_uuid_{};           // in the header of every tree block
    Generation generation_;            // of the running transaction
    disk::btrfs_super_block super_{};  // as it will be written
    std::map<u64, std::unique_ptr<Tree>> trees_;
    BlockGroups groups_;
    DelayedRefs refs_;
    ChunkAllocator chunks_;
    std::function<Result<void>(Transaction&)> flush_;
    std::function<void(LogicalAddr, u64)> freed_;
    CommitCounters counters_;
    Buffer run_;       // neighbouring blocks on their way to the devices: kept, as fresh memory costs more
    u64 rounds_ = 0;   // of the running commit
    u64 changes_ = 0;  // so far: what tells whether a failed step had changed something
    std::vector<FreeRange> discards_;  // freed by the last commit
    bool first_commit_prepared_ = false;
};

}  // namespace glassfs::btrfs
