// SPDX-License-Identifier: MIT
// The plan: three chunks (system, metadata, data) one behind the other in the logical address space and on
// each device from 1 MiB on; then every tree as one leaf at the begin of the metadata chunk (the chunk tree:
// of the system chunk); then the leaves, and the superblocks last.
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
constexpr Generation first_generation{1};

struct Member {
    std::shared_ptr<block::Device> device;
    u64 bytes = 0;  // usable, whole sectors
    u64 used = 0;   // by dev extents
    u64 next = reserved_bytes;
    Uuid uuid = {};
};

struct TreePlan {
    u64 id = 0;
    LogicalAddr addr;
};

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
        plan_trees();
        return write();
    }

  private:
    Result<void> check_options() const;
    Result<void> adopt(const std::vector<std::shared_ptr<block::Device>>&);
    Result<void> plan_chunks();
    Result<void> plan_chunk(u64 type, u64 profile, u64 stripe_bytes);
    void plan_trees();
    Result<void> write();
    Result<void> write_leaf(const TreePlan&, LeafBuilder);
    Result<void> write_logical(const Chunk&, LogicalAddr, Bytes);
    Result<void> write_superblocks();

    LeafBuilder root_tree();
    LeafBuilder extent_tree();
    LeafBuilder chunk_tree();
    LeafBuilder dev_tree();
    LeafBuilder subvolume();
    LeafBuilder free_space_tree();
    LeafBuilder block_group_tree();
    LeafBuilder uuid_tree();
    void put(LeafBuilder& leaf, const Key& key, Bytes item) { GLASSFS_ASSERT(leaf.add(key, item)); }
    template <class T>
    void put(LeafBuilder& leaf, const Key& key, const T& item) {
        put(leaf, key, Bytes(reinterpret_cast<const u8*>(&item), sizeof item));
    }
    void put_block_groups(LeafBuilder&, u64 begin, u64 end);
    disk::btrfs_root_item root_item(const TreePlan&) const;
    disk::btrfs_inode_item directory_inode() const;
    disk::btrfs_dev_item dev_item(std::size_t index) const;
    Buffer chunk_item(const Chunk&) const;
    const TreePlan& tree(u64 id) const;
    u64 used_bytes(const Chunk&) const;

    const MkfsOptions& options_;
    Environment& environment_;
    Geometry geometry_;
    Uuid fsid_ = {};
    Uuid chunk_tree_uuid_ = {};
    Uuid fs_tree_uuid_ = {};
    TimeSpec now_;
    std::vector<Member> members_;
    std::vector<Chunk> chunks_;  // system, metadata, data
    std::vector<TreePlan> trees_;
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

// A chunk's stripes may be small on small devices: a tenth of all space for its type, in whole 64 KiB.
u64 metadata_stripe_bytes(u64 total, u64 copies) {
    u64 wanted = total >= 50 * GiB ? GiB : 256 * MiB;
    u64 tenth = total / 10 / copies / stripe_length * stripe_length;
    return std::clamp<u64>(tenth, std::min<u64>(wanted, 32 * MiB), wanted);
}
constexpr u64 system_stripe_bytes = 8 * MiB, data_stripe_bytes = 8 * MiB;

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
    TRY(plan_chunk(block_group_system, metadata, system_stripe_bytes));
    TRY(plan_chunk(block_group_metadata, metadata, metadata_stripe_bytes(total, shape->sub_stripes)));
    return plan_chunk(block_group_data, data, data_stripe_bytes);
}

// Takes the devices with the most room left first, as an allocator does.
Result<void> Maker::plan_chunk(u64 type, u64 profile, u64 stripe_bytes) {
    const ProfileShape& shape = *shape_of(profile);
    if (members_.size() < shape.devices_min) {
        return fail(Cause::InvalidArgument, flags_text(profile, block_group_flag_names) + " needs " +
                                                std::to_string(shape.devices_min) + " devices");
    }
    std::vector<std::size_t> order(members_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return members_[a].bytes - members_[a].used > members_[b].bytes - members_[b].used;
    });
    std::size_t count =
        shape.all_devices ? members_.size() / shape.multiple * shape.multiple : shape.multiple;
    Chunk chunk;
    chunk.logical = chunks_.empty() ? LogicalAddr{first_logical} : chunks_.back().end();
    chunk.type = type | profile;
    chunk.stripe_len = stripe_length;
    chunk.sub_stripes = static_cast<u16>(profile == block_group_raid10 ? 2 : 1);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t index = profile == block_group_dup ? order[0] : order[i];
        Member& member = members_[index];
        if (member.bytes - member.next < stripe_bytes) return fail(Cause::NoSpace, member.device->name());
        chunk.stripes.push_back({index + 1, PhysicalAddr{member.next}, member.uuid});
        member.next += stripe_bytes;
        member.used += stripe_bytes;
    }
    chunk.length = stripe_bytes * (count / shape.sub_stripes);
    chunks_.push_back(std::move(chunk));
    return {};
}

void Maker::plan_trees() {
    std::vector<u64> ids = {root_tree_objectid, extent_tree_objectid, dev_tree_objectid,
                            fs_tree_objectid,   csum_tree_objectid,   uuid_tree_objectid};
    if (options_.free_space_tree) ids.push_back(free_space_tree_objectid);
    if (options_.block_group_tree) ids.push_back(block_group_tree_objectid);
    ids.push_back(data_reloc_tree_objectid);
    trees_.push_back({chunk_tree_objectid, chunks_[0].logical});
    for (std::size_t i = 0; i < ids.size(); ++i) {
        trees_.push_back({ids[i], chunks_[1].logical + i * options_.node_size});
    }
}

const TreePlan& Maker::tree(u64 id) const {
    return *std::find_if(trees_.begin(), trees_.end(), [&](const TreePlan& plan) { return plan.id == id; });
}

u64 Maker::used_bytes(const Chunk& chunk) const {
    u64 blocks = static_cast<u64>(std::count_if(trees_.begin(), trees_.end(), [&](const TreePlan& plan) {
        return plan.addr >= chunk.logical && plan.addr < chunk.end();
    }));
    return blocks * options_.node_size;
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

disk::btrfs_root_item Maker::root_item(const TreePlan& plan) const {
    disk::btrfs_root_item root{};
    root.inode.generation = 1;
    root.inode.size = 3;
    root.inode.nlink = 1;
    root.inode.nbytes = options_.node_size;
    root.inode.mode = 040755;
    root.generation = root.generation_v2 = first_generation.value;
    root.bytenr = plan.addr.value;
    root.bytes_used = options_.node_size;
    root.refs = 1;
    bool has_files = plan.id == fs_tree_objectid || plan.id == data_reloc_tree_objectid;
    if (has_files) root.root_dirid = first_free_objectid;
    if (plan.id == fs_tree_objectid) {
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

LeafBuilder Maker::root_tree() {
    constexpr std::string_view name = "default";
    LeafBuilder leaf(options_.node_size);
    for (u64 id : {extent_tree_objectid, dev_tree_objectid, fs_tree_objectid}) {
        put(leaf, make_key(id, KeyType::RootItem, 0), root_item(tree(id)));
    }
    put(leaf, make_key(root_tree_dir_objectid, KeyType::InodeItem, 0), directory_inode());
    put(leaf, make_key(root_tree_dir_objectid, KeyType::InodeRef, root_tree_dir_objectid), Bytes(self_ref()));
    disk::btrfs_dir_item entry{};
    entry.location = to_disk_key(make_key(fs_tree_objectid, KeyType::RootItem, ~0ULL));
    entry.name_len = static_cast<u16>(name.size());
    entry.type = ft_dir;
    put(leaf, make_key(root_tree_dir_objectid, KeyType::DirItem, name_hash(name)),
        Bytes(named_item(entry, name)));
    for (const TreePlan& plan : trees_) {
        if (plan.id <= root_tree_dir_objectid) continue;
        put(leaf, make_key(plan.id, KeyType::RootItem, 0), root_item(plan));
    }
    return leaf;
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
    std::vector<TreePlan> by_addr = trees_;
    std::sort(by_addr.begin(), by_addr.end(), [](const auto& a, const auto& b) { return a.addr < b.addr; });
    u64 done = 0;  // block groups that begin before have been put
    for (const TreePlan& plan : by_addr) {
        struct {
            disk::btrfs_extent_item extent;
            disk::btrfs_extent_inline_ref ref;
        } item{{1, first_generation.value, extent_flag_tree_block},
               {static_cast<u8>(KeyType::TreeBlockRef), plan.id}};
        // A block group's key sorts behind the extent that begins where it does, before all others inside.
        if (!options_.block_group_tree) put_block_groups(leaf, done, plan.addr.value);
        done = plan.addr.value;
        put(leaf, make_key(plan.addr.value, KeyType::MetadataItem, 0), item);
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
        u64 used = used_bytes(chunk);  // all at the chunk's begin
        put(leaf, make_key(chunk.logical.value, KeyType::FreeSpaceInfo, chunk.length),
            disk::btrfs_free_space_info{1, 0});
        put(leaf, make_key(chunk.logical.value + used, KeyType::FreeSpaceExtent, chunk.length - used),
            Bytes{});
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

Result<void> Maker::write_logical(const Chunk& chunk, LogicalAddr addr, Bytes bytes) {
    ChunkMap map;
    TRY(map.add(make_key(first_chunk_tree_objectid, KeyType::ChunkItem, chunk.logical.value),
                chunk_item(chunk)));
    for (u32 mirror = 0; mirror < chunk.mirrors(); ++mirror) {
        for (std::size_t done = 0; done < bytes.size();) {
            Mapping to = TRY(map.map(addr + done, bytes.size() - done, mirror));
            std::size_t devid = static_cast<std::size_t>(chunk.stripes[to.stripe].devid);
            Bytes part = bytes.subspan(done, static_cast<std::size_t>(to.length));
            TRY(members_[devid - 1].device->write(to.physical.value, part));
            done += part.size();
        }
    }
    return {};
}

Result<void> Maker::write_leaf(const TreePlan& plan, LeafBuilder leaf) {
    Buffer bytes = std::move(leaf).finish(geometry_, plan.addr, first_generation, plan.id, chunk_tree_uuid_);
    return write_logical(chunks_[plan.id == chunk_tree_objectid ? 0 : 1], plan.addr, bytes);
}

Result<void> Maker::write() {
    Buffer zeros(static_cast<std::size_t>(reserved_bytes));
    for (const Member& member : members_) TRY(member.device->write(0, zeros));  // older signatures
    for (const TreePlan& plan : trees_) {
        switch (plan.id) {
            case root_tree_objectid:
                TRY(write_leaf(plan, root_tree()));
                break;
            case extent_tree_objectid:
                TRY(write_leaf(plan, extent_tree()));
                break;
            case chunk_tree_objectid:
                TRY(write_leaf(plan, chunk_tree()));
                break;
            case dev_tree_objectid:
                TRY(write_leaf(plan, dev_tree()));
                break;
            case csum_tree_objectid:
                TRY(write_leaf(plan, LeafBuilder(options_.node_size)));
                break;
            case uuid_tree_objectid:
                TRY(write_leaf(plan, uuid_tree()));
                break;
            case free_space_tree_objectid:
                TRY(write_leaf(plan, free_space_tree()));
                break;
            case block_group_tree_objectid:
                TRY(write_leaf(plan, block_group_tree()));
                break;
            default:
                TRY(write_leaf(plan, subvolume()));
                break;
        }
    }
    return write_superblocks();
}

Result<void> Maker::write_superblocks() {
    disk::btrfs_super_block super{};
    super.fsid = fsid_;
    super.flags = 1;  // WRITTEN
    super.magic = super_magic;
    super.generation = super.chunk_root_generation = first_generation.value;
    super.root = tree(root_tree_objectid).addr.value;
    super.chunk_root = tree(chunk_tree_objectid).addr.value;
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
    u64 profile = metadata_profile(options, count);
    u64 copies = profile == block_group_dup ? 2 : 1;  // on one device
    u64 data_copies = options.data_profile.value_or(0) == block_group_dup ? 2 : 1;
    return reserved_bytes + copies * (system_stripe_bytes + 32 * MiB) + data_copies * data_stripe_bytes;
}

Result<void> mkfs(const std::vector<std::shared_ptr<block::Device>>& devices, const MkfsOptions& options,
                  Environment& environment) {
    return Maker(options, environment).run(devices);
}

}  // namespace glassfs::btrfs
