// SPDX-License-Identifier: MIT
#include "btrfs/chunk_allocator.h"

#include "btrfs/cursor.h"
#include "btrfs/free_space_tree.h"
#include "btrfs/profile_shape.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u64 MiB = 1ULL << 20, GiB = 1ULL << 30;
constexpr u64 data_chunk_max = 10 * GiB, stripe_max = GiB;

Buffer chunk_item(const Chunk& chunk, u32 sector_size) {
    disk::btrfs_chunk head{};
    head.length = chunk.length;
    head.owner = extent_tree_objectid;
    head.stripe_len = chunk.stripe_len;
    head.type = chunk.type;
    head.io_align = head.io_width = static_cast<u32>(stripe_length);
    head.sector_size = sector_size;
    head.num_stripes = static_cast<u16>(chunk.stripes.size());
    head.sub_stripes = chunk.sub_stripes;
    Buffer item(sizeof head + chunk.stripes.size() * sizeof(disk::btrfs_stripe));
    std::memcpy(item.data(), &head, sizeof head);
    for (std::size_t i = 0; i < chunk.stripes.size(); ++i) {
        const Stripe& stripe = chunk.stripes[i];
        disk::btrfs_stripe on_disk{stripe.devid, stripe.physical.value, stripe.dev_uuid};
        std::memcpy(item.data() + sizeof head + i * sizeof on_disk, &on_disk, sizeof on_disk);
    }
    return item;
}

Key chunk_key(u64 logical) {
    return make_key(first_chunk_tree_objectid, KeyType::ChunkItem, logical);
}

}  // namespace

ChunkAllocator::ChunkAllocator(Volume& volume, trace::Tracer tracer)
    : volume_(volume), trace_(tracer), dev_extents_(tracer), device_tree_(volume, [&volume] {
          auto root = volume.tree_root(dev_tree_objectid);
          return root ? *root : TreeRoot{};  // the volume can't be opened for writing without it
      }) {}

Result<void> ChunkAllocator::load() {
    TRY(volume_.tree_root(dev_tree_objectid));
    HintBuilder hints;
    for (const auto& [devid, item] : volume_.device_items()) {
        dev_extents_.add_device(devid, item.total_bytes);
        TRY(device_tree_.for_each_from(devid, 0, [&](u64 start, u64 length) {
            hints.visit(devid, start, length);
            return true;
        }));
    }
    dev_extents_.build_hints(hints);
    const auto& chunks = volume_.chunk_map().chunks();
    for (const auto& entry : chunks) ++chunks_of_type_[entry.second.type];
    if (!chunks.empty()) next_logical_ = chunks.rbegin()->second.end().value;
    return {};
}

// On mixed volumes a block group holds both.
u64 ChunkAllocator::full_type(u64 type) const {
    bool mixed = (volume_.super().incompat_flags & incompat_mixed_groups) != 0;
    return mixed && type != block_group_system ? block_group_data | block_group_metadata : type;
}

// The safest one of those that block groups of this type have and the devices allow.
u64 ChunkAllocator::profile_of(u64 type) const {
    u64 seen = 0;
    for (const auto& [flags, count] : chunks_of_type_) {
        if ((flags & type) == type) seen |= flags & block_group_profile_mask;
    }
    return safest_shape(volume_, seen).profile;
}

u64 ChunkAllocator::device_bytes() const {
    u64 sum = 0;
    for (const auto& [devid, item] : volume_.device_items()) sum += item.total_bytes;
    return sum;
}

Result<std::optional<ChunkAllocator::Plan>> ChunkAllocator::plan(u64 type) {
    const u64 profile = profile_of(type);
    const ProfileShape& shape = shape_of(profile);
    u64 chunk_max = (type & block_group_data) != 0 ? data_chunk_max
                    : type == block_group_system   ? 32 * MiB
                    : device_bytes() > 50 * GiB    ? GiB
                                                   : 256 * MiB;
    const u64 stripe_wanted = std::min(chunk_max, stripe_max);
    chunk_max = std::min(chunk_max, device_bytes() / 10);
    struct Candidate {
        u64 devid;
        FreeDevExtent hole;
    };
    std::vector<Candidate> devices;
    for (const auto& [devid, item] : volume_.device_items()) {
        FreeDevExtent hole =
            TRY(dev_extents_.find_free(device_tree_, devid, stripe_wanted * shape.per_device));
        hole.length = std::min(hole.length, stripe_wanted * shape.per_device);
        if (hole.length >= stripe_length * shape.per_device) devices.push_back({devid, hole});
    }
    // The longest holes first, and of equals the emptiest device.
    auto unallocated = [&](u64 devid) {
        const auto& item = volume_.device_items().at(devid);
        return item.total_bytes - item.bytes_used;
    };
    std::stable_sort(devices.begin(), devices.end(), [&](const Candidate& a, const Candidate& b) {
        if (a.hole.length != b.hole.length) return a.hole.length > b.hole.length;
        return unallocated(a.devid) > unallocated(b.devid);
    });
    std::size_t count = devices.size() / shape.multiple_of * shape.multiple_of;
    if (shape.devices_max != 0) count = std::min<std::size_t>(count, shape.devices_max);
    const std::size_t stripes_fit = (volume_.geometry().node_size / 4 - sizeof(disk::btrfs_chunk)) / 32;
    count = std::min(count, stripes_fit / shape.multiple_of * shape.multiple_of);
    if (count < shape.devices_min || count == 0) return std::optional<Plan>{};
    devices.resize(count);
    u64 stripe = devices.back().hole.length / shape.per_device;
    const u64 stripes = count * shape.per_device;
    const u64 columns = stripes / shape.copies;
    if (stripe * columns > chunk_max) {
        u64 even = (chunk_max / columns + 16 * MiB - 1) / (16 * MiB) * (16 * MiB);
        stripe = std::min(stripe, even);
    }
    stripe = std::min(stripe, stripe_wanted) / stripe_length * stripe_length;
    if (stripe == 0) return std::optional<Plan>{};
    Plan plan;
    plan.stripe_bytes = stripe;
    plan.chunk = {LogicalAddr{next_logical_},
                  stripe * columns,
                  type | profile,
                  stripe_length,
                  static_cast<u16>(profile == block_group_raid10 ? 2 : 1),
                  {}};
    for (const Candidate& device : devices) {
        for (u32 i = 0; i < shape.per_device; ++i) {
            plan.chunk.stripes.push_back(
                {device.devid, device.hole.start + i * stripe, volume_.device_items().at(device.devid).uuid});
        }
    }
    return std::optional<Plan>(std::move(plan));
}

// The chunk tree lies in system chunks: writing down a chunk needs room there, for each block on the way and
// its split.
Result<void> ChunkAllocator::ensure_system_room(Transaction& tx) {
    Tree* tree = TRY(tx.tree(chunk_tree_objectid));
    u64 wanted = u64{volume_.geometry().node_size} * (tree->root.level + 2U) * 8;
    if (groups_->free_bytes(block_group_system) >= wanted) return {};
    auto planned = TRY(plan(block_group_system));
    if (!planned) return {};  // perhaps it suffices
    return write(tx, *planned);
}

Result<bool> ChunkAllocator::allocate(Transaction& tx, u64 type) {
    if (type != block_group_system) TRY(ensure_system_room(tx));
    auto planned = TRY(plan(full_type(type)));
    if (!planned) return false;
    TRY(write(tx, *planned));
    return true;
}

Result<void> ChunkAllocator::write_device_item(Transaction& tx, u64 devid, s64 used_change) {
    auto& item = volume_.device_items_.at(devid);
    item.bytes_used = item.bytes_used + static_cast<u64>(used_change);
    Tree* tree = TRY(tx.tree(chunk_tree_objectid));
    return put_item(tx, *tree, make_key(dev_items_objectid, KeyType::DevItem, devid), item);
}

// A chunk that is written down in part must not be taken for want of room, which callers get over.
Result<void> ChunkAllocator::write(Transaction& tx, const Plan& plan) {
    auto done = try_write(tx, plan);
    if (!done) tx.store().abort("chunk allocation: " + done.error().message());
    return done;
}

Result<void> ChunkAllocator::try_write(Transaction& tx, const Plan& plan) {
    const Chunk& chunk = plan.chunk;
    Buffer item = chunk_item(chunk, volume_.geometry().sector_size);
    const Key key = chunk_key(chunk.logical.value);
    if ((chunk.type & block_group_system) != 0) TRY(add_to_superblock(tx, key, item));
    Tree* chunk_tree = TRY(tx.tree(chunk_tree_objectid));
    Tree* device_tree = TRY(tx.tree(dev_tree_objectid));
    TRY(insert_item(tx, *chunk_tree, key, Bytes(item)));
    disk::btrfs_dev_extent extent{chunk_tree_objectid, first_chunk_tree_objectid, chunk.logical.value,
                                  plan.stripe_bytes, tx.store().chunk_tree_uuid()};
    for (const Stripe& stripe : chunk.stripes) {
        dev_extents_.allocated(stripe.devid, stripe.physical, plan.stripe_bytes);
        TRY(insert_item(tx, *device_tree, make_key(stripe.devid, KeyType::DevExtent, stripe.physical.value),
                        extent));
        dev_extents_.in_tree(stripe.devid, stripe.physical);
        TRY(write_device_item(tx, stripe.devid, static_cast<s64>(plan.stripe_bytes)));
    }
    TRY(volume_.chunk_map_.add(key, item));
    ++chunks_of_type_[chunk.type];
    ++chunks_allocated_;
    next_logical_ = chunk.end().value;
    BlockGroup group;
    group.start = chunk.logical.value;
    group.length = chunk.length;
    group.flags = chunk.type;
    group.has_item = false;
    group.loaded = true;
    auto taken = ranges_under_superblocks(chunk);
    for (const FreeRange& range : taken) group.super_bytes += range.length;
    for (const FreeRange& range : without_ranges({{chunk.logical, chunk.length}}, taken)) {
        group.free.emplace(range.addr.value, range.length);
    }
    if ((chunk.type & (block_group_raid1c3 | block_group_raid1c4)) != 0) {
        auto& super = tx.store().super();
        super.incompat_flags = super.incompat_flags | incompat_raid1c34;
    }
    trace_([&] {
        return trace::ChunkAlloc{chunk.logical.value, chunk.length, chunk.type, chunk.stripes.size()};
    });
    return free_space_begin(tx, tx.store().groups().add(std::move(group)));
}

Result<void> ChunkAllocator::add_to_superblock(Transaction& tx, const Key& key, Bytes item) {
    auto& super = tx.store().super();
    disk::btrfs_disk_key on_disk = to_disk_key(key);
    u32 size = super.sys_chunk_array_size;
    if (size + sizeof on_disk + item.size() > super.sys_chunk_array.size()) {
        return fail(Cause::NoSpace, {.key = key}, "the superblock's system chunk array is full");
    }
    std::memcpy(super.sys_chunk_array.data() + size, &on_disk, sizeof on_disk);
    std::copy(item.begin(), item.end(), super.sys_chunk_array.begin() + size + sizeof on_disk);
    super.sys_chunk_array_size = static_cast<u32>(size + sizeof on_disk + item.size());
    return {};
}

void ChunkAllocator::remove_from_superblock(Transaction& tx, u64 start) {
    auto& super = tx.store().super();
    std::size_t size = super.sys_chunk_array_size;
    for (std::size_t at = 0; at < size;) {
        Bytes rest = Bytes(super.sys_chunk_array).subspan(at);
        Key key = to_key(view<disk::btrfs_disk_key>(rest));
        const auto& chunk = view<disk::btrfs_chunk>(rest, sizeof(disk::btrfs_disk_key));
        std::size_t entry =
            sizeof(disk::btrfs_disk_key) + sizeof chunk + chunk.num_stripes * sizeof(disk::btrfs_stripe);
        if (key.offset != start) {
            at += entry;
            continue;
        }
        u8* bytes = super.sys_chunk_array.data();
        std::memmove(bytes + at, bytes + at + entry, size - at - entry);
        size -= entry;
        std::memset(bytes + size, 0, entry);
    }
    super.sys_chunk_array_size = static_cast<u32>(size);
}

Result<void> ChunkAllocator::remove(Transaction& tx, u64 start) {
    const Chunk* found = volume_.chunk_map().find(LogicalAddr{start});
    BlockGroup* group = tx.store().groups().find(LogicalAddr{start});
    GLASSFS_ASSERT(found != nullptr && group != nullptr && group->start == start);
    GLASSFS_ASSERT(group->used == 0 && group->reserved == 0 && group->pinned == 0);
    const Chunk chunk = *found;
    TRY(free_space_end(tx, *group));
    if (group->has_item) {
        bool own_tree = (tx.store().super().compat_ro_flags & compat_ro_block_group_tree) != 0;
        Tree* tree = TRY(tx.tree(own_tree ? block_group_tree_objectid : extent_tree_objectid));
        TRY(erase_item(tx, *tree, make_key(start, KeyType::BlockGroupItem, chunk.length)));
    }
    if ((chunk.type & block_group_system) != 0) remove_from_superblock(tx, start);
    Tree* chunk_tree = TRY(tx.tree(chunk_tree_objectid));
    Tree* device_tree = TRY(tx.tree(dev_tree_objectid));
    for (const Stripe& stripe : chunk.stripes) {
        TRY(erase_item(tx, *device_tree, make_key(stripe.devid, KeyType::DevExtent, stripe.physical.value)));
        TRY(write_device_item(tx, stripe.devid, -static_cast<s64>(chunk.stripe_bytes())));
        dev_extents_.freed(stripe.devid, stripe.physical, chunk.stripe_bytes());
    }
    TRY(erase_item(tx, *chunk_tree, chunk_key(start)));
    trace_([&] { return trace::ChunkRemove{start, chunk.length}; });
    tx.store().groups().remove(start);
    volume_.chunk_map_.remove(LogicalAddr{start});
    if (--chunks_of_type_[chunk.type] == 0) chunks_of_type_.erase(chunk.type);
    return {};
}

u64 ChunkAllocator::bytes_possible(u64 type) const {
    return unallocated_bytes(volume_, shape_of(profile_of(full_type(type))));
}

}  // namespace glassfs::btrfs
