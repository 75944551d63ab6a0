// SPDX-License-Identifier: MIT
// The plan: three chunks (system, metadata, data) one behind the other in the logical address space and on
// each device from 1 MiB on; then every tree as one leaf (the root tree as two and a node where blocks are
// too small) at the begin of the metadata chunk (the chunk tree: of the system chunk), but for places where a
// copy of the superblock lies; then the leaves, and the superblocks last. Nothing is written before the whole
// plan stands.
#include "btrfs/mkfs.h"

#include "btrfs/chunk_map.h"
#include "btrfs/file_system.h"
#include "btrfs/leaf_builder.h"
#include "btrfs/superblock.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u64 MiB = 1ULL << 20, GiB = 1ULL << 30;
constexpr u64 reserved_bytes = MiB;      // of each device's begin: boot loaders, the first superblock
constexpr u64 first_logical = 22020096;  // where mkfs.btrfs's lasting chunks begin
constexpr u64 super_range = 64 << 10;    // what Linux keeps free of everything else around a superblock
constexpr Generation first_generation{1};

struct Member {
    std::shared_ptr<block::Device> device;
    u64 bytes = 0;  // usable, whole sectors
    u64 used = 0;   // by dev extents
    u64 next = reserved_bytes;
    Uuid uuid = {};
};

struct BlockPlan {
    u64 tree = 0;
    u8 level = 0;
    LogicalAddr addr = {};
};

struct Item {
    Key key;
    Buffer data;
};

enum class RootLeaves : u8 { One, Two };

// How many stripes a profile takes, and how many of them are copies of each other.
struct ProfileShape {
    u64 profile;
    u32 devices_min;
    u32 sub_stripes;   // copies
    bool all_devices;  // stripes over as many as there are
    u32 multiple;      // the number of stripes is a multiple of this
};
constexpr ProfileShape shapes[] = {
    {0, 1, 1, false, 1},
    {block_group_dup, 1, 2, false, 2},
    {block_group_raid1, 2, 2, false, 2},
    {block_group_raid1c3, 3, 3, false, 3},
    {block_group_raid1c4, 4, 4, false, 4},
    {block_group_raid0, 1, 1, true, 1},
    {block_group_raid10, 2, 2, true, 2},
};

const ProfileShape* shape_of(u64 profile) {
    for (const ProfileShape& shape : shapes) {
        if (shape.profile == profile) return &shape;
    }
    return nullptr;
}

class Maker {
  public:
    Maker(const MkfsOptions& options, Environment& environment)
        : options_(options), environment_(environment) {}

    Result<void> run(const std::vector<std::shared_ptr<block::Device>>& devices) {
        TRY(check_options());
        TRY(adopt(devices));
        TRY(plan_chunks());
        for (RootLeaves leaves : {RootLeaves::One, RootLeaves::Two}) {
            TRY(plan_trees(leaves));
            build_blocks();
            if (!overfull_) return write();
        }
        return fail(Cause::InvalidArgument, std::to_string(members_.size()) +
                                                " devices are too many for node size " +
                                                std::to_string(options_.node_size));
    }

  private:
    Result<void> check_options() const;
    Result<void> adopt(const std::vector<std::shared_ptr<block::Device>>&);
    Result<void> plan_chunks();
    // `stripe_bytes`: at most. `spare`: bytes to leave on each device for the chunks that follow.
    Result<void> plan_chunk(u64 type, u64 profile, u64 stripe_bytes, u64 spare);
    std::vector<std::size_t> devices_by_room() const;
    Result<void> plan_trees(RootLeaves);
    Result<LogicalAddr> place_block(const Chunk&, LogicalAddr from) const;
    Result<bool> holds_superblock(LogicalAddr, u64 length) const;
    void build_blocks();
    std::vector<Buffer> blocks_of(u64 tree);
    std::vector<Buffer> root_blocks();
    Buffer sealed(LeafBuilder leaf, std::size_t block);
    Result<void> write();
    Result<void> wipe(block::Device&, u64 at, u64 length);
    Result<void> write_logical(LogicalAddr, Bytes);
    Result<void> write_superblocks();

    std::vector<Item> root_tree();
    LeafBuilder extent_tree();
    LeafBuilder chunk_tree();
    LeafBuilder dev_tree();
    LeafBuilder subvolume();
    LeafBuilder free_space_tree();
    LeafBuilder block_group_tree();
    LeafBuilder uuid_tree();
    void put(LeafBuilder& leaf, const Key& key, Bytes item) { overfull_ |= !leaf.add(key, item); }
    template <class T>
    void put(LeafBuilder& leaf, const Key& key, const T& item) {
        put(leaf, key, Bytes(reinterpret_cast<const u8*>(&item), sizeof item));
    }
    void put_block_groups(LeafBuilder&, u64 begin, u64 end);
    disk::btrfs_root_item root_item(u64 tree) const;
    disk::btrfs_inode_item directory_inode() const;
    disk::btrfs_dev_item dev_item(std::size_t index) const;
    Buffer chunk_item(const Chunk&) const;
    const BlockPlan& root_of(u64 tree) const;
    std::vector<LogicalAddr> blocks_in(const Chunk&) const;  // ascending
    u64 used_bytes(const Chunk& chunk) const { return blocks_in(chunk).size() * options_.node_size; }

    const MkfsOptions& options_;
    Environment& environment_;
    Geometry geometry_;
    Uuid fsid_ = {};
    Uuid chunk_tree_uuid_ = {};
    Uuid fs_tree_uuid_ = {};
    TimeSpec now_;
    std::vector<Member> members_;
    std::vector<Chunk> chunks_;  // system, metadata, data
    ChunkMap map_;
    std::vector<BlockPlan> plan_;  // a tree's blocks from its root on
    std::vector<Buffer> blocks_;   // of plan_
    bool overfull_ = false;        // something didn't fit into a leaf
};

bool is_power_of_two(u64 n) {
    return n != 0 && (n & (n - 1)) == 0;
}

Result<void> Maker::check_options() const {
    const MkfsOptions& o = options_;
    if (o.label.size() >= sizeof(disk::Label))
        return fail(Cause::InvalidArgument, "label longer than 255 bytes");
    if (o.label.find('\n') != std::string::npos)
        return fail(Cause::InvalidArgument, "line break in the label");
    if (!is_power_of_two(o.sector_size) || o.sector_size < 4096 || o.sector_size > node_size_max) {
        return fail(Cause::InvalidArgument, "sector size " + std::to_string(o.sector_size));
    }
    if (!is_power_of_two(o.node_size) || o.node_size < o.sector_size || o.node_size > node_size_max) {
        return fail(Cause::InvalidArgument, "node size " + std::to_string(o.node_size));
    }
    if (o.block_group_tree && !(o.free_space_tree && o.no_holes)) {
        return fail(Cause::InvalidArgument, "block-group-tree needs no-holes and free-space-tree");
    }
    return {};
}

Result<void> Maker::adopt(const std::vector<std::shared_ptr<block::Device>>& devices) {
    if (devices.empty()) return fail(Cause::InvalidArgument, "no device given");
    u64 least = mkfs_device_bytes_min(options_, devices.size());
    now_ = environment_.now();
    fsid_ = environment_.uuid();
    if (options_.uuid) fsid_ = *options_.uuid;
    chunk_tree_uuid_ = environment_.uuid();
    fs_tree_uuid_ = environment_.uuid();
    for (const auto& device : devices) {
        if (device->read_only()) return fail(Cause::ReadOnly, device->name());
        u64 bytes = device->size() / options_.sector_size * options_.sector_size;
        if (bytes < least) {
            return fail(Cause::NoSpace, device->name() + " has " + size_text(device->size()) + ", at least " +
                                            std::to_string(least) + " bytes are needed");
        }
        members_.push_back({device, bytes, 0, reserved_bytes, environment_.uuid()});
    }
    geometry_.node_size = options_.node_size;
    geometry_.sector_size = options_.sector_size;
    geometry_.csum_type = options_.checksum;
    geometry_.generation = first_generation.value;
    geometry_.metadata_fsid = fsid_;
    geometry_.incompat = incompat_mixed_backref | incompat_extended_iref | incompat_skinny_metadata;
    if (options_.node_size > 4096) geometry_.incompat |= incompat_big_metadata;
    if (options_.no_holes) geometry_.incompat |= incompat_no_holes;
    return {};
}

u64 metadata_profile(const MkfsOptions& options, std::size_t devices) {
    return options.metadata_profile.value_or(devices > 1 ? block_group_raid1 : block_group_dup);
}

// A tenth of all space for metadata, in whole 64 KiB, within bounds.
u64 metadata_stripe_bytes(u64 total, u64 copies) {
    u64 most = total > 50 * GiB ? GiB : 256 * MiB;
    u64 tenth = total / 10 / copies / stripe_length * stripe_length;
    return std::clamp<u64>(tenth, 32 * MiB, most);
}
constexpr u64 system_stripe_bytes = 8 * MiB, data_stripe_bytes = 8 * MiB;
constexpr u64 metadata_stripe_bytes_min = 28 * MiB;

// How many stripes of a chunk lie on the same device.
u64 stripes_on_one_device(u64 profile) {
    return profile == block_group_dup ? 2 : 1;
}

Result<void> Maker::plan_chunks() {
    u64 total = 0;
    for (const Member& member : members_) total += member.bytes;
    u64 metadata = metadata_profile(options_, members_.size());
    u64 data = options_.data_profile.value_or(0);
    const ProfileShape* shape = shape_of(metadata);
    if (shape == nullptr || shape_of(data) == nullptr) {
        return fail(Cause::InvalidArgument,
                    "profile " + flags_text(shape == nullptr ? metadata : data, block_group_flag_names));
    }
    if (((metadata | data) & (block_group_raid1c3 | block_group_raid1c4)) != 0) {
        geometry_.incompat |= incompat_raid1c34;
    }
    u64 data_spare = stripes_on_one_device(data) * data_stripe_bytes;
    u64 metadata_bytes = metadata_stripe_bytes(total, shape->sub_stripes);
    TRY(plan_chunk(block_group_system, metadata, system_stripe_bytes, 0));
    TRY(plan_chunk(block_group_metadata, metadata, metadata_bytes, data_spare));
    TRY(plan_chunk(block_group_data, data, data_stripe_bytes, 0));
    for (const Chunk& chunk : chunks_) {
        TRY(map_.add(make_key(first_chunk_tree_objectid, KeyType::ChunkItem, chunk.logical.value),
                     chunk_item(chunk)));
    }
    return {};
}

std::vector<std::size_t> Maker::devices_by_room() const {
    std::vector<std::size_t> order(members_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return members_[a].bytes - members_[a].used > members_[b].bytes - members_[b].used;
    });
    return order;
}

// Takes the devices with the most room left first, as an allocator does.
Result<void> Maker::plan_chunk(u64 type, u64 profile, u64 stripe_bytes, u64 spare) {
    const ProfileShape& shape = *shape_of(profile);
    if (members_.size() < shape.devices_min) {
        return fail(Cause::InvalidArgument, flags_text(profile, block_group_flag_names) + " needs " +
                                                std::to_string(shape.devices_min) + " devices");
    }
    std::vector<std::size_t> order = devices_by_room();
    std::size_t count =
        shape.all_devices ? members_.size() / shape.multiple * shape.multiple : shape.multiple;
    u64 on_one = stripes_on_one_device(profile);
    const Member& fullest = members_[order[count / on_one - 1]];
    u64 room = (fullest.bytes - fullest.next - std::min(spare, fullest.bytes - fullest.next)) / on_one;
    stripe_bytes = std::min(stripe_bytes, room / stripe_length * stripe_length);
    if (stripe_bytes < stripe_length) return fail(Cause::NoSpace, fullest.device->name());
    Chunk chunk;
    chunk.logical = chunks_.empty() ? LogicalAddr{first_logical} : chunks_.back().end();
    chunk.type = type | profile;
    chunk.stripe_len = stripe_length;
    chunk.sub_stripes = static_cast<u16>(profile == block_group_raid10 ? 2 : 1);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t index = order[i / on_one];
        Member& member = members_[index];
        chunk.stripes.push_back({index + 1, PhysicalAddr{member.next}, member.uuid});
        member.next += stripe_bytes;
        member.used += stripe_bytes;
    }
    chunk.length = stripe_bytes * (count / shape.sub_stripes);
    chunks_.push_back(std::move(chunk));
    return {};
}

Result<bool> Maker::holds_superblock(LogicalAddr addr, u64 length) const {
    for (u32 mirror = 0; mirror < map_.find(addr)->mirrors(); ++mirror) {
        for (u64 done = 0; done < length;) {
            Mapping to = TRY(map_.map(addr + done, length - done, mirror));
            for (u64 super : super_offsets) {
                u64 begin = to.physical.value;
                if (begin < super + super_range && super < begin + to.length) return true;
            }
            done += to.length;
        }
    }
    return false;
}

// The first place at or behind `from` where no mirror of a tree block covers a superblock.
Result<LogicalAddr> Maker::place_block(const Chunk& chunk, LogicalAddr from) const {
    for (LogicalAddr at = from; chunk.end() - at >= options_.node_size; at = at + options_.node_size) {
        if (!TRY(holds_superblock(at, options_.node_size))) return at;
    }
    return fail(Cause::NoSpace, "the first chunk is too small for the trees");
}

Result<void> Maker::plan_trees(RootLeaves root_leaves) {
    std::vector<BlockPlan> wanted = {{root_tree_objectid}};
    if (root_leaves == RootLeaves::Two) wanted = {{root_tree_objectid, 1}, wanted[0], wanted[0]};
    for (u64 id :
         {extent_tree_objectid, dev_tree_objectid, fs_tree_objectid, csum_tree_objectid, uuid_tree_objectid,
          free_space_tree_objectid, block_group_tree_objectid, data_reloc_tree_objectid}) {
        if (id == free_space_tree_objectid && !options_.free_space_tree) continue;
        if (id == block_group_tree_objectid && !options_.block_group_tree) continue;
        wanted.push_back({id});
    }
    plan_ = {{chunk_tree_objectid, 0, TRY(place_block(chunks_[0], chunks_[0].logical))}};
    LogicalAddr next = chunks_[1].logical;
    for (BlockPlan& block : wanted) {
        block.addr = TRY(place_block(chunks_[1], next));
        next = block.addr + options_.node_size;
        plan_.push_back(block);
    }
    return {};
}

const BlockPlan& Maker::root_of(u64 tree) const {
    return *std::find_if(plan_.begin(), plan_.end(),
                         [&](const BlockPlan& block) { return block.tree == tree; });
}

std::vector<LogicalAddr> Maker::blocks_in(const Chunk& chunk) const {
    std::vector<LogicalAddr> blocks;
    for (const BlockPlan& block : plan_) {
        if (block.addr >= chunk.logical && block.addr < chunk.end()) blocks.push_back(block.addr);
    }
    std::sort(blocks.begin(), blocks.end());
    return blocks;
}

disk::btrfs_timespec to_disk_time(TimeSpec time) {
    return {static_cast<u64>(time.seconds), time.nanos};
}

disk::btrfs_inode_item Maker::directory_inode() const {
    disk::btrfs_inode_item inode{};
    inode.generation = first_generation.value;
    inode.transid = first_generation.value;
    inode.nbytes = options_.node_size;
    inode.nlink = 1;
    inode.mode = 040755;
    inode.atime = inode.ctime = inode.mtime = inode.otime = to_disk_time(now_);
    return inode;
}

disk::btrfs_root_item Maker::root_item(u64 tree) const {
    disk::btrfs_root_item root{};
    root.inode.generation = 1;
    root.inode.size = 3;
    root.inode.nlink = 1;
    root.inode.nbytes = options_.node_size;
    root.inode.mode = 040755;
    root.generation = root.generation_v2 = first_generation.value;
    root.bytenr = root_of(tree).addr.value;
    root.bytes_used = options_.node_size;
    root.refs = 1;
    bool has_files = tree == fs_tree_objectid || tree == data_reloc_tree_objectid;
    if (has_files) root.root_dirid = first_free_objectid;
    if (tree == fs_tree_objectid) {
        root.inode.flags = inode_root_item_init;
        root.uuid = fs_tree_uuid_;
        root.ctime = root.otime = to_disk_time(now_);
    }
    return root;
}

// An item with a name behind its fixed part.
template <class T>
Buffer named_item(const T& head, std::string_view name) {
    Buffer item(sizeof head + name.size());
    std::memcpy(item.data(), &head, sizeof head);
    std::copy(name.begin(), name.end(), item.begin() + sizeof head);
    return item;
}

// An INODE_REF of a directory that is its own parent.
Buffer self_ref() {
    return named_item(disk::btrfs_inode_ref{0, 2}, "..");
}

template <class T>
Buffer bytes_of(const T& item) {
    const u8* begin = reinterpret_cast<const u8*>(&item);
    return Buffer(begin, begin + sizeof item);
}

std::vector<Item> Maker::root_tree() {
    constexpr std::string_view name = "default";
    std::vector<Item> items;
    auto put_root = [&](u64 tree) {
        items.push_back({make_key(tree, KeyType::RootItem, 0), bytes_of(root_item(tree))});
    };
    for (u64 tree : {extent_tree_objectid, dev_tree_objectid, fs_tree_objectid}) put_root(tree);
    items.push_back({make_key(root_tree_dir_objectid, KeyType::InodeItem, 0), bytes_of(directory_inode())});
    items.push_back(
        {make_key(root_tree_dir_objectid, KeyType::InodeRef, root_tree_dir_objectid), self_ref()});
    disk::btrfs_dir_item entry{};
    entry.location = to_disk_key(make_key(fs_tree_objectid, KeyType::RootItem, ~0ULL));
    entry.name_len = static_cast<u16>(name.size());
    entry.type = ft_dir;
    items.push_back(
        {make_key(root_tree_dir_objectid, KeyType::DirItem, name_hash(name)), named_item(entry, name)});
    for (const BlockPlan& block : plan_) {
        if (block.tree > root_tree_dir_objectid) put_root(block.tree);
    }
    return items;
}

void Maker::put_block_groups(LeafBuilder& leaf, u64 begin, u64 end) {
    for (const Chunk& chunk : chunks_) {
        if (chunk.logical.value < begin || chunk.logical.value >= end) continue;
        disk::btrfs_block_group_item group{used_bytes(chunk), first_chunk_tree_objectid, chunk.type};
        put(leaf, make_key(chunk.logical.value, KeyType::BlockGroupItem, chunk.length), group);
    }
}

LeafBuilder Maker::extent_tree() {
    LeafBuilder leaf(options_.node_size);
    std::vector<BlockPlan> by_addr = plan_;
    std::sort(by_addr.begin(), by_addr.end(), [](const auto& a, const auto& b) { return a.addr < b.addr; });
    u64 done = 0;  // block groups that begin before have been put
    for (const BlockPlan& block : by_addr) {
        struct {
            disk::btrfs_extent_item extent;
            disk::btrfs_extent_inline_ref ref;
        } item{{1, first_generation.value, extent_flag_tree_block},
               {static_cast<u8>(KeyType::TreeBlockRef), block.tree}};
        // A block group's key sorts behind the extent that begins where it does, before all others inside.
        if (!options_.block_group_tree) put_block_groups(leaf, done, block.addr.value);
        done = block.addr.value;
        put(leaf, make_key(block.addr.value, KeyType::MetadataItem, block.level), item);
    }
    if (!options_.block_group_tree) put_block_groups(leaf, done, ~0ULL);
    return leaf;
}

LeafBuilder Maker::block_group_tree() {
    LeafBuilder leaf(options_.node_size);
    put_block_groups(leaf, 0, ~0ULL);
    return leaf;
}

disk::btrfs_dev_item Maker::dev_item(std::size_t index) const {
    const Member& member = members_[index];
    disk::btrfs_dev_item item{};
    item.devid = index + 1;
    item.total_bytes = member.bytes;
    item.bytes_used = member.used;
    item.io_align = item.io_width = item.sector_size = options_.sector_size;
    item.uuid = member.uuid;
    item.fsid = fsid_;
    return item;
}

Buffer Maker::chunk_item(const Chunk& chunk) const {
    disk::btrfs_chunk head{};
    head.length = chunk.length;
    head.owner = extent_tree_objectid;
    head.stripe_len = chunk.stripe_len;
    head.type = chunk.type;
    head.io_align = head.io_width = static_cast<u32>(stripe_length);
    head.sector_size = options_.sector_size;
    head.num_stripes = static_cast<u16>(chunk.stripes.size());
    head.sub_stripes = chunk.sub_stripes;
    Buffer item(sizeof head + chunk.stripes.size() * sizeof(disk::btrfs_stripe));
    std::memcpy(item.data(), &head, sizeof head);
    for (std::size_t i = 0; i < chunk.stripes.size(); ++i) {
        disk::btrfs_stripe stripe{chunk.stripes[i].devid, chunk.stripes[i].physical.value,
                                  chunk.stripes[i].dev_uuid};
        std::memcpy(item.data() + sizeof head + i * sizeof stripe, &stripe, sizeof stripe);
    }
    return item;
}

LeafBuilder Maker::chunk_tree() {
    LeafBuilder leaf(options_.node_size);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        put(leaf, make_key(dev_items_objectid, KeyType::DevItem, i + 1), dev_item(i));
    }
    for (const Chunk& chunk : chunks_) {
        put(leaf, make_key(first_chunk_tree_objectid, KeyType::ChunkItem, chunk.logical.value),
            Bytes(chunk_item(chunk)));
    }
    return leaf;
}

LeafBuilder Maker::dev_tree() {
    std::vector<std::pair<Key, disk::btrfs_dev_extent>> extents;
    for (const Chunk& chunk : chunks_) {
        for (const Stripe& stripe : chunk.stripes) {
            extents.emplace_back(
                make_key(stripe.devid, KeyType::DevExtent, stripe.physical.value),
                disk::btrfs_dev_extent{chunk_tree_objectid, first_chunk_tree_objectid, chunk.logical.value,
                                       chunk.stripe_bytes(), chunk_tree_uuid_});
        }
    }
    std::sort(extents.begin(), extents.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    LeafBuilder leaf(options_.node_size);
    for (const auto& [key, extent] : extents) put(leaf, key, extent);
    return leaf;
}

LeafBuilder Maker::subvolume() {
    LeafBuilder leaf(options_.node_size);
    put(leaf, make_key(first_free_objectid, KeyType::InodeItem, 0), directory_inode());
    put(leaf, make_key(first_free_objectid, KeyType::InodeRef, first_free_objectid), Bytes(self_ref()));
    return leaf;
}

LeafBuilder Maker::free_space_tree() {
    LeafBuilder leaf(options_.node_size);
    for (const Chunk& chunk : chunks_) {
        // Ranges that superblocks lie in are free here: Linux takes them out when it loads a block group.
        std::vector<std::pair<LogicalAddr, u64>> free;
        LogicalAddr done = chunk.logical;
        for (LogicalAddr block : blocks_in(chunk)) {
            if (block > done) free.emplace_back(done, block - done);
            done = block + options_.node_size;
        }
        if (chunk.end() > done) free.emplace_back(done, chunk.end() - done);
        put(leaf, make_key(chunk.logical.value, KeyType::FreeSpaceInfo, chunk.length),
            disk::btrfs_free_space_info{static_cast<u32>(free.size()), 0});
        for (const auto& [addr, length] : free) {
            put(leaf, make_key(addr.value, KeyType::FreeSpaceExtent, length), Bytes{});
        }
    }
    return leaf;
}

// The first half of the UUID is the key's objectid, the second its offset.
LeafBuilder Maker::uuid_tree() {
    LeafBuilder leaf(options_.node_size);
    Key key = make_key(load<Le64>(fs_tree_uuid_), KeyType::UuidKeySubvol, load<Le64>(fs_tree_uuid_, 8));
    put(leaf, key, disk::btrfs_uuid_entry{fs_tree_objectid});
    return leaf;
}

Buffer Maker::sealed(LeafBuilder leaf, std::size_t block) {
    const BlockPlan& plan = plan_[block];
    return std::move(leaf).finish(geometry_, plan.addr, first_generation, plan.tree, chunk_tree_uuid_);
}

// The root tree, which comes behind the chunk tree in the plan.
std::vector<Buffer> Maker::root_blocks() {
    constexpr std::size_t first = 1;
    std::vector<Item> items = root_tree();
    bool one_leaf = plan_[first].level == 0;
    std::size_t half = one_leaf ? items.size() : items.size() / 2;
    LeafBuilder left(options_.node_size), right(options_.node_size);
    for (std::size_t i = 0; i < items.size(); ++i)
        put(i < half ? left : right, items[i].key, Bytes(items[i].data));
    if (one_leaf) return {sealed(std::move(left), first)};
    Buffer node = sealed(LeafBuilder(options_.node_size), first);
    disk::btrfs_header header = load<disk::btrfs_header>(node);
    header.level = 1;
    header.nritems = 2;
    std::memcpy(node.data(), &header, sizeof header);
    for (std::size_t i = 0; i < 2; ++i) {
        disk::btrfs_key_ptr pointer{to_disk_key(items[i * half].key), plan_[first + 1 + i].addr.value,
                                    first_generation.value};
        std::memcpy(node.data() + sizeof header + i * sizeof pointer, &pointer, sizeof pointer);
    }
    seal_block(geometry_.csum_type, node);
    return {std::move(node), sealed(std::move(left), first + 1), sealed(std::move(right), first + 2)};
}

std::vector<Buffer> Maker::blocks_of(u64 tree) {
    auto leaf = [&]() -> LeafBuilder {
        switch (tree) {
            case extent_tree_objectid:
                return extent_tree();
            case chunk_tree_objectid:
                return chunk_tree();
            case dev_tree_objectid:
                return dev_tree();
            case csum_tree_objectid:
                return LeafBuilder(options_.node_size);
            case uuid_tree_objectid:
                return uuid_tree();
            case free_space_tree_objectid:
                return free_space_tree();
            case block_group_tree_objectid:
                return block_group_tree();
            default:
                return subvolume();
        }
    };
    return {sealed(leaf(), blocks_.size())};
}

void Maker::build_blocks() {
    blocks_.clear();
    std::size_t array = sizeof(disk::btrfs_disk_key) + chunk_item(chunks_[0]).size();
    overfull_ = array > sizeof(disk::btrfs_super_block::sys_chunk_array);
    while (blocks_.size() < plan_.size()) {
        u64 tree = plan_[blocks_.size()].tree;
        for (Buffer& block : tree == root_tree_objectid ? root_blocks() : blocks_of(tree)) {
            blocks_.push_back(std::move(block));
        }
    }
}

Result<void> Maker::write_logical(LogicalAddr addr, Bytes bytes) {
    const Chunk& chunk = *map_.find(addr);
    for (u32 mirror = 0; mirror < chunk.mirrors(); ++mirror) {
        for (std::size_t done = 0; done < bytes.size();) {
            Mapping to = TRY(map_.map(addr + done, bytes.size() - done, mirror));
            std::size_t devid = static_cast<std::size_t>(chunk.stripes[to.stripe].devid);
            Bytes part = bytes.subspan(done, static_cast<std::size_t>(to.length));
            TRY(members_[devid - 1].device->write(to.physical.value, part));
            done += part.size();
        }
    }
    return {};
}

// Zeros, written only where there are none yet, so that a sparse file stays sparse.
Result<void> Maker::wipe(block::Device& device, u64 at, u64 length) {
    Buffer piece(64 << 10), zeros(piece.size());
    for (u64 done = 0; done < length; done += piece.size()) {
        MutBytes part(piece.data(), static_cast<std::size_t>(std::min<u64>(piece.size(), length - done)));
        TRY(device.read(at + done, part));
        if (std::ranges::all_of(part, [](u8 byte) { return byte == 0; })) continue;
        TRY(device.write(at + done, Bytes(zeros).first(part.size())));
    }
    return {};
}

Result<void> Maker::write() {
    for (const Member& member : members_) {
        u64 bytes = member.device->size();
        TRY(member.device->discard(0, bytes));
        // Signatures of what was there: most begin a device, some (a second partition table) end it.
        TRY(wipe(*member.device, 0, reserved_bytes));
        TRY(wipe(*member.device, bytes - reserved_bytes, reserved_bytes));
    }
    for (std::size_t i = 0; i < plan_.size(); ++i) TRY(write_logical(plan_[i].addr, blocks_[i]));
    return write_superblocks();
}

Result<void> Maker::write_superblocks() {
    disk::btrfs_super_block super{};
    super.fsid = fsid_;
    super.flags = 1;  // WRITTEN
    super.magic = super_magic;
    super.generation = super.chunk_root_generation = first_generation.value;
    super.root = root_of(root_tree_objectid).addr.value;
    super.root_level = root_of(root_tree_objectid).level;
    super.chunk_root = root_of(chunk_tree_objectid).addr.value;
    super.root_dir_objectid = root_tree_dir_objectid;
    super.num_devices = members_.size();
    super.sectorsize = super.stripesize = options_.sector_size;
    super.nodesize = super.leafsize = options_.node_size;
    super.incompat_flags = geometry_.incompat;
    if (options_.free_space_tree) {
        super.compat_ro_flags = compat_ro_free_space_tree | compat_ro_free_space_tree_valid;
    }
    if (options_.block_group_tree) super.compat_ro_flags = super.compat_ro_flags | compat_ro_block_group_tree;
    super.csum_type = static_cast<u16>(options_.checksum);
    super.cache_generation = options_.free_space_tree ? 0 : ~0ULL;
    super.uuid_tree_generation = first_generation.value;
    std::copy(options_.label.begin(), options_.label.end(), super.label.begin());
    u64 total = 0;
    for (const Member& member : members_) total += member.bytes;
    super.total_bytes = total;
    u64 used = 0;
    for (const Chunk& chunk : chunks_) used += used_bytes(chunk);
    super.bytes_used = used;
    Buffer system = chunk_item(chunks_[0]);
    disk::btrfs_disk_key key =
        to_disk_key(make_key(first_chunk_tree_objectid, KeyType::ChunkItem, chunks_[0].logical.value));
    super.sys_chunk_array_size = static_cast<u32>(sizeof key + system.size());
    std::memcpy(super.sys_chunk_array.data(), &key, sizeof key);
    std::copy(system.begin(), system.end(), super.sys_chunk_array.begin() + sizeof key);
    for (const Member& member : members_) TRY(member.device->flush());
    for (std::size_t i = 0; i < members_.size(); ++i) {
        super.dev_item = dev_item(i);
        for (u64 offset : super_offsets) {
            if (offset + super_size > members_[i].bytes) break;
            super.bytenr = offset;
            super.csum = superblock_checksum(super).bytes;
            TRY(members_[i].device->write(offset, {reinterpret_cast<const u8*>(&super), sizeof super}));
        }
        TRY(members_[i].device->flush());
    }
    return {};
}

}  // namespace

u64 mkfs_device_bytes_min(const MkfsOptions& options, std::size_t count) {
    u64 copies = stripes_on_one_device(metadata_profile(options, count));
    u64 data_copies = stripes_on_one_device(options.data_profile.value_or(0));
    return reserved_bytes + copies * (system_stripe_bytes + metadata_stripe_bytes_min) +
           data_copies * data_stripe_bytes;
}

Result<void> mkfs(const std::vector<std::shared_ptr<block::Device>>& devices, const MkfsOptions& options,
                  Environment& environment) {
    return Maker(options, environment).run(devices);
}

}  // namespace glassfs::btrfs
