// SPDX-License-Identifier: MIT
// An opened btrfs, below files and directories: devices, chunk map, tree blocks and tree roots.
//
// Opening goes superblock -> system chunk array -> chunk tree -> root tree. After that the maps don't change,
// so readers run in parallel; only the caches lock. Every tree block that leaves read_block() has its
// checksum and structure verified; a bad copy is replaced by the next mirror's.
//
// Mounted for writing (writable_volume.h), maps, roots and changed blocks do change, always under the
// exclusive side of blocks_mutex(): whoever reads such a volume holds reading() for as long as it follows
// pointers.
#pragma once

#include "block/buffer_cache.h"
#include "btrfs/device_set.h"
#include "btrfs/superblock.h"
#include "trace/trace.h"

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

namespace glassfs::btrfs {

using BlockPtr = std::shared_ptr<const TreeBlock>;

// What a parent pointer or root item says of a block; unset: unknown.
struct BlockExpectation {
    std::optional<u8> level = {};
    std::optional<Generation> generation = {};
    std::optional<Key> first_key = {};
};

// Whether a block is what its parent says of it. Cause::BlockLevel, BlockGeneration, BlockFirstKey.
Result<void> check_expectation(const TreeBlock&, const BlockExpectation&);

struct TreeRoot {
    u64 id = 0;  // root objectid
    LogicalAddr bytenr;
    u8 level = 0;
    Generation generation;
    BlockExpectation expectation() const { return {level, generation, {}}; }
};

// What mount_verify() saw.
struct VerifyCounters {
    u64 dev_extents = 0;
    u64 device_lookups = 0;  // one per device, as its dev extents are neighbours
};

class Volume {
  public:
    struct Options {
        u64 cache_bytes = 128ULL << 20;
        trace::Tracer tracer = {};
        // A moment inside of a transaction, from a recording: blocks that are newer than the devices, by
        // logical address (trace::memory_device), and the roots that lead to them.
        std::shared_ptr<block::Device> memory = {};
        std::vector<TreeRoot> roots = {};
    };

    // Any order of devices; those that belong to another file system are an error (Cause::DeviceForeign),
    // missing ones are noted. Damage of a tree that isn't needed to open it is left for whoever reads it.
    static Result<std::unique_ptr<Volume>> open(std::vector<std::shared_ptr<block::Device>>, const Options&);

    const disk::btrfs_super_block& super() const { return super_; }
    const Geometry& geometry() const { return geometry_; }
    const ChunkMap& chunk_map() const { return chunk_map_; }
    const DeviceSet& devices() const { return devices_; }
    bool is_metadump() const { return devices_.identity(); }
    bool log_pending() const { return super_.log_root != 0; }
    // Device items of the chunk tree, missing devices included, by devid.
    const std::map<u64, disk::btrfs_dev_item>& device_items() const { return device_items_; }
    std::vector<std::string> notes() const { return notes_; }
    // Problems met while opening that Linux would refuse to mount for, in the order found; what is readable
    // is.
    const std::vector<Error>& open_errors() const { return open_errors_; }
    const VerifyCounters& verify_counters() const { return verify_counters_; }

    // A verified block. Errors: of the device, ChunkMissing, Block*, those of check_structure().
    Result<BlockPtr> read_block(LogicalAddr, const BlockExpectation& = {});
    // A copy of a block that is newer in memory than on the devices; null: it isn't. Needs reading().
    Result<BlockPtr> newer_block(LogicalAddr);
    // One copy as it lies on disk, unverified (inspector, checker); node_size bytes.
    Result<Buffer> read_raw_block(LogicalAddr, u32 mirror) const;
    // Verifies checksum, identity and structure of a raw copy.
    Result<void> verify_block(const TreeBlock&) const;
    // Copies of the byte at `addr`; 0 when no chunk maps it.
    u32 mirrors(LogicalAddr addr) const;
    // Data as it lies on disk, unverified.
    Result<void> read_data(LogicalAddr addr, MutBytes out, u32 mirror) const {
        return devices_.read(chunk_map_, addr, out, mirror);
    }

    // Root of a tree by its id: the root tree (1), chunk tree (3), any tree with a root item.
    // Cause::RootMissing, or what is wrong with the item.
    Result<TreeRoot> tree_root(u64 id);
    // The root item itself, short ones of old kernels filled up with zeros.
    Result<disk::btrfs_root_item> root_item(u64 id);
    TreeRoot root_tree() const;
    TreeRoot chunk_tree() const;
    std::optional<TreeRoot> log_root_tree() const;  // the tree of log trees' roots

    // Keeps the writer from changing blocks in memory. Not recursive.
    std::shared_lock<std::shared_mutex> reading() { return std::shared_lock(blocks_mutex_); }

  private:
    // The writer's half: blocks in memory that are newer than the disk, and roots that point to them.
    friend class WritableVolume;
    friend class Transaction;
    friend class ChunkAllocator;
    std::shared_mutex& blocks_mutex() { return blocks_mutex_; }
    void set_live_root(const TreeRoot& root) { live_roots_[root.id] = root; }
    void drop_live_root(u64 id) { live_roots_.erase(id); }
    void forget_root_item(u64 id);

    std::shared_mutex blocks_mutex_;
    std::unordered_map<u64, std::shared_ptr<TreeBlock>> changed_blocks_;  // by address
    std::unordered_map<u64, TreeRoot> live_roots_;

    Volume(const Options& options) : options_(options), cache_(options.cache_bytes) {}

    Result<void> open_devices(std::vector<std::shared_ptr<block::Device>>);
    Result<void> adopt_superblock(const FoundSuperblock&);
    Result<void> read_system_chunks();
    Result<void> read_chunk_tree();
    Result<void> check_devices_complete();
    Result<void> mount_verify();
    Result<void> check_dev_extent(const Key&, Bytes item, u64 device_bytes, u64& previous_end);
    Result<BlockPtr> read_block_mirrors(LogicalAddr, const BlockExpectation&);
    Result<BlockPtr> block_in_memory(LogicalAddr);

    Options options_;
    disk::btrfs_super_block super_ = {};
    Geometry geometry_;
    ChunkMap chunk_map_;
    DeviceSet devices_;
    std::map<u64, disk::btrfs_dev_item> device_items_;
    std::vector<std::string> notes_;
    std::vector<Error> open_errors_;
    VerifyCounters verify_counters_;
    block::BufferCache<TreeBlock> cache_;
    std::mutex roots_mutex_;
    std::unordered_map<u64, disk::btrfs_root_item> root_items_;
};

// Does this device (or one of its superblock copies) look like btrfs, or like a metadata dump of one?
bool probe(block::Device&);

}  // namespace glassfs::btrfs
