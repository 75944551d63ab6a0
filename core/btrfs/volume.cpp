// SPDX-License-Identifier: MIT
// Opening a volume and reading its tree blocks.
#include "btrfs/volume.h"

#include "block/traced_device.h"
#include "btrfs/cursor.h"
#include "btrfs/metadump.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

// Features that change how what we read is laid out, and that we can read. The stripe tree moves data only,
// so that metadata can still be looked at.
constexpr u64 readable_incompat = incompat_mixed_backref | incompat_default_subvol | incompat_mixed_groups |
                                  incompat_compress_lzo | incompat_compress_zstd | incompat_big_metadata |
                                  incompat_extended_iref | incompat_raid56 | incompat_skinny_metadata |
                                  incompat_no_holes | incompat_metadata_uuid | incompat_raid1c34 |
                                  incompat_raid_stripe_tree | incompat_simple_quota;

// What the headers of the volume's blocks carry; `fsid` alone may be changed afterwards.
const Uuid& metadata_uuid_of(const disk::btrfs_super_block& super) {
    return (super.incompat_flags & incompat_metadata_uuid) != 0 ? super.metadata_uuid : super.fsid;
}

bool same_file_system(const disk::btrfs_super_block& a, const disk::btrfs_super_block& b) {
    return a.fsid == b.fsid || metadata_uuid_of(a) == metadata_uuid_of(b);
}

}  // namespace

bool probe(block::Device& device) {
    if (MetadumpDevice::probe(device)) return true;
    for (u64 offset : super_offsets) {
        Buffer bytes(super_size);
        if (device.size() < offset + super_size) break;
        if (!device.read(offset, bytes)) continue;
        if (view<disk::btrfs_super_block>(bytes).magic == super_magic) return true;
    }
    return false;
}

Result<std::unique_ptr<Volume>> Volume::open(std::vector<std::shared_ptr<block::Device>> devices,
                                             const Options& options) {
    std::unique_ptr<Volume> volume(new Volume(options));
    for (const TreeRoot& root : options.roots) volume->set_live_root(root);
    TRY(volume->open_devices(std::move(devices)));
    if (!volume->is_metadump()) TRY(volume->read_system_chunks());
    TRY(volume->read_chunk_tree());
    TRY(volume->check_devices_complete());
    TRY(volume->read_block(volume->root_tree().bytenr, volume->root_tree().expectation()));
    if (auto verified = volume->mount_verify(); !verified) volume->open_errors_.push_back(verified.error());
    return volume;
}

// The newest superblock of all devices speaks for the volume. Seed devices have a file system id of their own
// and are recognised by the UUIDs that the chunks name, so who belongs is settled after the chunk tree.
Result<void> Volume::open_devices(std::vector<std::shared_ptr<block::Device>> devices) {
    if (devices.empty()) return fail(Cause::InvalidArgument, "no device given");
    std::vector<std::pair<FoundSuperblock, std::shared_ptr<block::Device>>> found;
    for (auto& device : devices) {
        if (MetadumpDevice::probe(*device)) {
            if (devices.size() > 1) return fail(Cause::InvalidArgument, "a metadata dump goes alone");
            device = TRY(MetadumpDevice::open(device));
            devices_.set_identity();
        }
        found.emplace_back(TRY(read_superblock(*device)), device);
    }
    auto newest = std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.first.super.generation < b.first.super.generation;
    });
    TRY(adopt_superblock(newest->first));
    for (auto& [superblock, device] : found) {
        const auto& item = superblock.super.dev_item;
        for (const MemberDevice& member : devices_.members()) {
            if (member.uuid == item.uuid) {
                return fail(Cause::DeviceForeign, {.device = item.devid},
                            device->name() + " was given twice");
            }
        }
        for (const std::string& note : superblock.notes) notes_.push_back(device->name() + ": " + note);
        if (superblock.super.generation < super_.generation && same_file_system(superblock.super, super_)) {
            notes_.push_back(device->name() + ": device " + std::to_string(item.devid) +
                             " is older than the rest");
        }
        u64 devid = item.devid;
        auto traced = std::make_shared<block::TracedDevice>(device, devid, options_.tracer);
        devices_.add({devid, item.uuid, superblock.super.generation, std::move(traced), superblock.mirror});
        if (!same_file_system(superblock.super, super_)) {
            devices_.mark_foreign(item.uuid);
            geometry_.seed_fsids.push_back(metadata_uuid_of(superblock.super));
        }
    }
    return {};
}

Result<void> Volume::adopt_superblock(const FoundSuperblock& found) {
    super_ = found.super;
    if (u64 unknown = super_.incompat_flags & ~readable_incompat; unknown != 0) {
        return fail(Cause::UnsupportedFeature, flags_text(unknown, incompat_names));
    }
    geometry_ = Geometry{super_.nodesize,       super_.sectorsize, *checksum_type(super_.csum_type),
                         super_.incompat_flags, super_.generation, metadata_uuid_of(super_)};
    return {};
}

// The superblock carries the system chunks as (key, chunk) pairs back to back: without them the chunk tree,
// which has all chunks, could not be read.
Result<void> Volume::read_system_chunks() {
    Bytes array = Bytes(super_.sys_chunk_array).first(super_.sys_chunk_array_size);
    while (!array.empty()) {
        constexpr std::size_t head = sizeof(disk::btrfs_disk_key) + sizeof(disk::btrfs_chunk);
        if (array.size() < head) return fail(Cause::ChunkBad, "the system chunk array ends within a chunk");
        Key key = to_key(view<disk::btrfs_disk_key>(array));
        const auto& chunk = view<disk::btrfs_chunk>(array, sizeof(disk::btrfs_disk_key));
        std::size_t length = head + std::size_t{chunk.num_stripes} * sizeof(disk::btrfs_stripe);
        if (array.size() < length)
            return fail(Cause::ChunkBad, "the system chunk array ends within a stripe");
        Bytes item = array.first(length).subspan(sizeof(disk::btrfs_disk_key));
        if (type_of(key) != KeyType::ChunkItem) {
            return fail(Cause::ChunkBad, {.key = key}, "not a chunk in the system chunk array");
        }
        TRY(check_chunk(geometry_, key, item));
        TRY(chunk_map_.add(key, item));
        array = array.subspan(length);
    }
    return {};
}

Result<void> Volume::read_chunk_tree() {
    return for_each_item(*this, chunk_tree(), {}, {~0ULL, 0xff, ~0ULL},
                         [&](const Cursor& at) -> Result<bool> {
                             Key key = at.key();
                             if (type_of(key) == KeyType::ChunkItem) {
                                 TRY(at.check());
                                 TRY(chunk_map_.add(key, at.data()));
                             } else if (type_of(key) == KeyType::DevItem) {
                                 TRY(at.check());
                                 device_items_[key.offset] = load<disk::btrfs_dev_item>(at.data());
                             }
                             return true;
                         });
}

// Every device given must be one that the chunk tree names. Every device that is missing must be one that
// each chunk on it can do without.
Result<void> Volume::check_devices_complete() {
    if (is_metadump()) return {};
    for (const Uuid& uuid : devices_.foreign()) {
        bool named = std::any_of(device_items_.begin(), device_items_.end(),
                                 [&](const auto& entry) { return entry.second.uuid == uuid; });
        if (!named) return fail(Cause::DeviceForeign, "device " + uuid_text(uuid));
    }
    for (const auto& [devid, item] : device_items_) {
        if (devices_.find(devid, item.uuid) == nullptr) {
            notes_.push_back("device " + std::to_string(devid) + " is missing");
        }
    }
    for (const auto& [logical, chunk] : chunk_map_.chunks()) {
        u32 missing = 0;
        for (const Stripe& stripe : chunk.stripes) {
            if (devices_.find(stripe.devid, stripe.dev_uuid) == nullptr) ++missing;
        }
        if (missing > chunk.failures_allowed()) {
            open_errors_.push_back({Cause::DevicesMissing,
                                    {},
                                    "chunk " + std::to_string(logical) + " lacks " + std::to_string(missing) +
                                        " of its devices"});
            break;
        }
    }
    return {};
}

// Dev extents and chunks must describe each other. Dev extents lie in the device tree in order of (device,
// physical), so that each device's size is looked up once, when its first dev extent comes.
Result<void> Volume::mount_verify() {
    if (is_metadump()) return {};
    u64 devid = 0;
    u64 device_bytes = 0;
    u64 previous_end = 0;
    u64 stripes = 0;
    for (const auto& entry : chunk_map_.chunks()) stripes += entry.second.stripes.size();
    Key first = make_key(first_free_objectid - 255, KeyType::DevExtent, 0);
    TreeRoot dev_tree = TRY(tree_root(dev_tree_objectid));
    TRY(for_each_item(*this, dev_tree, first, {~0ULL, 0xff, ~0ULL}, [&](const Cursor& at) -> Result<bool> {
        Key key = at.key();
        if (type_of(key) != KeyType::DevExtent) return true;
        TRY(at.check());
        if (key.objectid != devid) {
            ++verify_counters_.device_lookups;
            devid = key.objectid;
            previous_end = 0;
            auto item = device_items_.find(devid);
            if (item == device_items_.end()) return fail(Cause::DevExtentBad, at.where(), "no such device");
            device_bytes = item->second.total_bytes;
        }
        ++verify_counters_.dev_extents;
        if (auto good = check_dev_extent(key, at.data(), device_bytes, previous_end); !good) {
            return fail(good.error().cause, at.where(), good.error().detail);
        }
        return true;
    }));
    if (verify_counters_.dev_extents != stripes) {
        return fail(Cause::DevExtentBad, std::to_string(stripes) + " stripes but " +
                                             std::to_string(verify_counters_.dev_extents) + " dev extents");
    }
    return {};
}

Result<void> Volume::check_dev_extent(const Key& key, Bytes item, u64 device_bytes, u64& previous_end) {
    const auto& extent = view<disk::btrfs_dev_extent>(item);
    u64 end = key.offset + extent.length;
    if (key.offset < previous_end) return fail(Cause::DevExtentBad, "overlaps the one before");
    if (end < key.offset || end > device_bytes)
        return fail(Cause::DevExtentBad, "lies beyond the device's end");
    previous_end = end;
    const Chunk* chunk = chunk_map_.find(LogicalAddr{extent.chunk_offset});
    if (chunk == nullptr || chunk->logical.value != extent.chunk_offset) {
        return fail(Cause::DevExtentBad, "no chunk at " + std::to_string(extent.chunk_offset.get()));
    }
    if (chunk->stripe_bytes() != extent.length) {
        return fail(Cause::DevExtentBad, "length " + std::to_string(extent.length.get()) +
                                             ", the chunk's stripes have " +
                                             std::to_string(chunk->stripe_bytes()));
    }
    for (const Stripe& stripe : chunk->stripes) {
        if (stripe.devid == key.objectid && stripe.physical.value == key.offset) return {};
    }
    return fail(Cause::DevExtentBad, "the chunk has no stripe here");
}

u32 Volume::mirrors(LogicalAddr addr) const {
    if (is_metadump()) return 1;
    const Chunk* chunk = chunk_map_.find(addr);
    return chunk == nullptr ? 0 : chunk->mirrors();
}

Result<Buffer> Volume::read_raw_block(LogicalAddr addr, u32 mirror) const {
    Buffer bytes(geometry_.node_size);
    TRY(devices_.read(chunk_map_, addr, bytes, mirror));
    return bytes;
}

Result<void> Volume::verify_block(const TreeBlock& block) const {
    Bytes bytes = block.bytes();
    Checksum stored = checksum_stored(geometry_.csum_type, block.header().csum);
    if (checksum(geometry_.csum_type, bytes.subspan(sizeof(disk::Csum))) != stored) {
        return fail(Cause::BlockChecksum, {.block = block.addr().value});
    }
    return check_structure(geometry_, block);
}

Result<void> check_expectation(const TreeBlock& block, const BlockExpectation& expect) {
    Where where{.block = block.addr().value};
    if (expect.level && *expect.level != block.level()) {
        return fail(Cause::BlockLevel, where, text("level %u, expected %u", block.level(), *expect.level));
    }
    if (expect.generation && *expect.generation != block.generation()) {
        return fail(Cause::BlockGeneration, where,
                    "generation " + std::to_string(block.generation().value) + ", expected " +
                        std::to_string(expect.generation->value));
    }
    if (expect.first_key && (block.nritems() == 0 || block.key(0) != *expect.first_key)) {
        where.key = expect.first_key;
        return fail(Cause::BlockFirstKey, where);
    }
    return {};
}

// A mirror that missed a write holds an old block with a good checksum: only the expectation tells.
Result<BlockPtr> Volume::read_block_mirrors(LogicalAddr addr, const BlockExpectation& expect) {
    if (addr.value % geometry_.sector_size != 0) return fail(Cause::BlockUnaligned, {.block = addr.value});
    u32 copies = mirrors(addr);
    if (copies == 0) return fail(Cause::ChunkMissing, {.block = addr.value});
    std::optional<Error> first_error;
    for (u32 mirror = 0; mirror < copies; ++mirror) {
        auto bytes = read_raw_block(addr, mirror);
        if (!bytes) {
            if (!first_error) first_error = std::move(bytes).error();
            if (!first_error->where.block) first_error->where.block = addr.value;
            continue;
        }
        auto block = std::make_shared<const TreeBlock>(addr, std::move(*bytes));
        auto good = verify_block(*block);
        if (good) good = check_expectation(*block, expect);
        if (!good) {
            if (!first_error) first_error = std::move(good).error();
            continue;
        }
        options_.tracer([&] {
            return trace::TreeBlockRead{addr, block->level(), block->generation(), block->owner()};
        });
        cache_.put(addr.value, block, block->size());
        return block;
    }
    return fail(std::move(*first_error));
}

// Null: there is none. Between two events of a step a block may be half changed; its structure is checked, as
// what it points to is by whoever follows.
Result<BlockPtr> Volume::block_in_memory(LogicalAddr addr) {
    Buffer bytes(geometry_.node_size);
    TRY(options_.memory->read(addr.value, bytes));
    auto block = std::make_shared<const TreeBlock>(addr, std::move(bytes));
    if (block->header().bytenr != addr.value) return BlockPtr{};
    // New blocks have no items yet.
    if (block->nritems() > 0) TRY(check_structure(geometry_, *block));
    cache_.put(addr.value, block, block->size());
    return block;
}

Result<BlockPtr> Volume::read_block(LogicalAddr addr, const BlockExpectation& expect) {
    BlockPtr block;
    if (auto changed = changed_blocks_.find(addr.value); changed != changed_blocks_.end()) {
        block = changed->second;
    } else {
        block = cache_.get(addr.value);
    }
    if (block == nullptr && options_.memory) block = TRY(block_in_memory(addr));
    if (block == nullptr) return read_block_mirrors(addr, expect);
    // At a moment inside of a transaction, a parent may not have heard of its child's new first key yet.
    TRY(check_expectation(*block, options_.memory ? BlockExpectation{expect.level, {}, {}} : expect));
    return block;
}

Result<BlockPtr> Volume::newer_block(LogicalAddr addr) {
    if (auto changed = changed_blocks_.find(addr.value); changed != changed_blocks_.end()) {
        return std::make_shared<const TreeBlock>(*changed->second);
    }
    return options_.memory ? block_in_memory(addr) : BlockPtr{};
}

TreeRoot Volume::root_tree() const {
    if (auto live = live_roots_.find(root_tree_objectid); live != live_roots_.end()) return live->second;
    return {root_tree_objectid, LogicalAddr{super_.root}, super_.root_level, Generation{super_.generation}};
}

TreeRoot Volume::chunk_tree() const {
    if (auto live = live_roots_.find(chunk_tree_objectid); live != live_roots_.end()) return live->second;
    return {chunk_tree_objectid, LogicalAddr{super_.chunk_root}, super_.chunk_root_level,
            Generation{super_.chunk_root_generation}};
}

std::optional<TreeRoot> Volume::log_root_tree() const {
    if (super_.log_root == 0) return std::nullopt;
    return TreeRoot{tree_log_objectid, LogicalAddr{super_.log_root}, super_.log_root_level,
                    Generation{super_.generation + 1}};
}

Result<disk::btrfs_root_item> Volume::root_item(u64 id) {
    {
        std::lock_guard lock(roots_mutex_);
        if (auto known = root_items_.find(id); known != root_items_.end()) return known->second;
    }
    Cursor cursor(*this, root_tree());
    bool found = TRY(cursor.seek_back(make_key(id, KeyType::RootItem, ~0ULL)));
    if (!found || cursor.key().objectid != id || type_of(cursor.key()) != KeyType::RootItem) {
        return fail(Cause::RootMissing, {.tree = id}, objectid_name(id));
    }
    TRY(cursor.check());
    disk::btrfs_root_item item;
    std::memset(static_cast<void*>(&item), 0, sizeof item);
    std::memcpy(static_cast<void*>(&item), cursor.data().data(), std::min(sizeof item, cursor.data().size()));
    std::lock_guard lock(roots_mutex_);
    root_items_.emplace(id, item);
    return item;
}

void Volume::forget_root_item(u64 id) {
    std::lock_guard lock(roots_mutex_);
    root_items_.erase(id);
}

Result<TreeRoot> Volume::tree_root(u64 id) {
    if (id == root_tree_objectid) return root_tree();
    if (id == chunk_tree_objectid) return chunk_tree();
    if (id == tree_log_objectid) {
        if (auto log = log_root_tree()) return *log;
        return fail(Cause::RootMissing, {.tree = id}, "no log tree is pending");
    }
    if (auto live = live_roots_.find(id); live != live_roots_.end()) return live->second;
    auto item = TRY(root_item(id));
    return TreeRoot{id, LogicalAddr{item.bytenr}, item.level, Generation{item.generation}};
}

}  // namespace glassfs::btrfs
