// SPDX-License-Identifier: MIT
// Volumes that mkfs doesn't make: seeds, deleted subvolumes, names that lead nowhere, trees that fold back.
#include "support/crafted_volume.h"

using namespace glassfs;
using namespace glassfs::btrfs;
using support::CraftedVolume;
using vfs::NodeId;

namespace {

constexpr NodeId top{fs_tree_objectid, InodeNo{first_free_objectid}};
constexpr u64 subvolume = 300;

// The top level has the name "sub" for subvolume 300, which shares its only leaf.
struct Nested {
    CraftedVolume volume;
    CraftedVolume::Items roots;

    Nested() {
        auto files = volume.items(fs_tree_objectid);
        support::add_name(files, first_free_objectid, 2, "sub", make_key(subvolume, KeyType::RootItem, ~0ULL),
                          ft_dir);
        volume.set_items(fs_tree_objectid, files);
        roots = volume.items(root_tree_objectid);
        roots[root_key()] = roots.at(make_key(fs_tree_objectid, KeyType::RootItem, 0));
        disk::btrfs_root_ref ref{};
        ref.dirid = first_free_objectid;
        ref.sequence = 2;
        ref.name_len = 3;
        roots[ref_key()] = support::item_bytes(ref, "sub");
    }
    static Key root_key() { return make_key(subvolume, KeyType::RootItem, 0); }
    static Key ref_key() { return make_key(fs_tree_objectid, KeyType::RootRef, subvolume); }
    void finish() { volume.set_items(root_tree_objectid, roots); }
};

}  // namespace

TEST_CASE("btrfs/volume: a volume grown from a seed reads the blocks that carry the seed's id") {
    MkfsOptions options;
    options.data_profile = block_group_raid1;
    CraftedVolume crafted(2, options);
    const Uuid seed_id{1, 2, 3};
    crafted.change_super(1, [&](disk::btrfs_super_block& super) {
        super.fsid = seed_id;
        super.dev_item.fsid = seed_id;
        super.generation = 0;
    });
    auto root = crafted.open()->tree_root(fs_tree_objectid);
    REQUIRE(root);
    auto block = crafted.open()->read_raw_block(root->bytenr, 0);
    REQUIRE(block);
    reinterpret_cast<disk::btrfs_header*>(block->data())->fsid = seed_id;
    crafted.write_block(root->bytenr, *block);
    CHECK(crafted.open()->read_block(root->bytenr, root->expectation()));
    auto without = Volume::open({crafted.devices[0]}, {});
    REQUIRE(without);
    CHECK((*without)->read_block(root->bytenr).error().cause == Cause::BlockFsid);
}

TEST_CASE("btrfs/volume: the system chunk array holds chunks and nothing else") {
    CraftedVolume crafted;
    crafted.change_super(0, [](disk::btrfs_super_block& super) {
        super.sys_chunk_array[8] = static_cast<u8>(KeyType::DevItem);
    });
    CHECK(Volume::open(crafted.devices, {}).error().cause == Cause::ChunkBad);
}

TEST_CASE("btrfs/volume: a device whose first superblock can't be read is recognised by the second") {
    class FirstMegabyteLost final : public block::Device {
      public:
        explicit FirstMegabyteLost(std::shared_ptr<block::Device> all) : all_(std::move(all)) {}
        u64 size() const override { return all_->size(); }
        std::string name() const override { return all_->name(); }
        bool read_only() const override { return true; }
        Result<void> read(u64 at, MutBytes out) override {
            if (at < 1 << 20) return fail(Cause::DeviceReadFailed);
            return all_->read(at, out);
        }
        Result<void> write(u64, Bytes) override { return fail(Cause::ReadOnly); }
        Result<void> flush() override { return {}; }
        Result<void> discard(u64, u64) override { return fail(Cause::ReadOnly); }

      private:
        std::shared_ptr<block::Device> all_;
    };
    auto device = std::make_shared<FirstMegabyteLost>(CraftedVolume().devices[0]);
    CHECK(probe(*device));
    CHECK(Volume::open({device}, {}));
}

TEST_CASE("btrfs/cursor: a leaf whose keys belong before its neighbour's ends the walk") {
    CraftedVolume crafted;
    auto [low, high, root] = std::tuple(crafted.take_block(), crafted.take_block(), crafted.take_block());
    auto orphan = [](u64 number) { return make_key(orphan_objectid, KeyType::OrphanItem, number); };
    auto items = crafted.items(fs_tree_objectid);
    Key first = items.begin()->first;
    items[orphan(300)] = {};
    crafted.write_leaf(low, fs_tree_objectid, items);
    crafted.write_leaf(high, fs_tree_objectid, {{orphan(280), {}}, {orphan(400), {}}});
    crafted.write_node(root, fs_tree_objectid, 1, {{first, low}, {orphan(280), high}});
    crafted.set_root(fs_tree_objectid, root, 1);

    auto volume = crafted.open();
    Cursor cursor(*volume, *volume->tree_root(fs_tree_objectid));
    CHECK(cursor.seek(first) == true);
    for (std::size_t i = 1; i < items.size(); ++i) CHECK(cursor.next() == true);
    auto beyond = cursor.next();
    REQUIRE_FALSE(beyond);
    CHECK(beyond.error().cause == Cause::KeyOrder);
    CHECK(beyond.error().where.block == high.value);
    CHECK_FALSE(cursor.valid());
    CHECK(cursor.seek(orphan(280)) == true);
    CHECK(cursor.previous().error().cause == Cause::KeyOrder);
}

TEST_CASE("btrfs/file_system: a name in the root tree's favour enters a subvolume, a deleted one is empty") {
    Nested nested;
    nested.finish();
    {
        auto volume = nested.volume.open();
        auto files = FileSystem::open(*volume, nullptr, "", {});
        REQUIRE(files);
        CHECK((*files)->lookup(top, "sub") == NodeId{subvolume, InodeNo{first_free_objectid}});
        // The shared leaf names it in itself too, but no root reference says so.
        CHECK((*files)->lookup(NodeId{subvolume, InodeNo{first_free_objectid}}, "sub") ==
              NodeId{subvolume, InodeNo{empty_subvol_dir_objectid}});
        CHECK(FileSystem::open(*volume, nullptr, "300", {}));
    }
    reinterpret_cast<disk::btrfs_root_item*>(nested.roots.at(Nested::root_key()).data())->refs = 0;
    nested.finish();
    auto volume = nested.volume.open();
    auto files = FileSystem::open(*volume, nullptr, "", {});
    REQUIRE(files);
    CHECK((*files)->lookup(top, "sub") == NodeId{fs_tree_objectid, InodeNo{empty_subvol_dir_objectid}});
    CHECK(FileSystem::open(*volume, nullptr, "300", {}).error().code() == Errno::NOENT);
}

TEST_CASE("btrfs/file_system: a damaged root reference is an error to follow, and still listed") {
    Nested nested;
    reinterpret_cast<disk::btrfs_root_ref*>(nested.roots.at(Nested::ref_key()).data())->name_len = 0;
    nested.finish();
    auto volume = nested.volume.open();
    auto files = FileSystem::open(*volume, nullptr, "", {});
    REQUIRE(files);
    CHECK((*files)->lookup(top, "sub").error().cause == Cause::RootRefBad);
    std::vector<std::string> names;
    CHECK((*files)->readdir(top, 0, [&](const vfs::DirEntry& entry) {
        names.push_back(entry.name);
        return true;
    }));
    CHECK(names == std::vector<std::string>{"sub"});
}

TEST_CASE("btrfs/file_system: a name that leads to no inode is ENOENT to follow") {
    CraftedVolume crafted;
    auto items = crafted.items(fs_tree_objectid);
    support::add_name(items, first_free_objectid, 2, "gone", make_key(999, KeyType::InodeItem, 0),
                      ft_regular);
    crafted.set_items(fs_tree_objectid, items);
    auto volume = crafted.open();
    auto files = FileSystem::open(*volume, nullptr, "", {});
    REQUIRE(files);
    auto found = (*files)->lookup(top, "gone");
    REQUIRE(found);
    CHECK((*files)->getattr(*found).error().code() == Errno::NOENT);
}

TEST_CASE("btrfs/file_data: an inline extent of a file made longer is data up to its sector's end") {
    CraftedVolume crafted;
    auto items = crafted.items(fs_tree_objectid);
    items[make_key(257, KeyType::InodeItem, 0)] = support::inode_bytes(0100644, 10000);
    disk::btrfs_file_extent_item extent{};
    extent.generation = 1;
    extent.ram_bytes = 100;
    extent.type = file_extent_inline;
    Buffer data = support::item_bytes(extent);
    data.resize(disk::file_extent_inline_at);
    data.resize(disk::file_extent_inline_at + 100, u8{7});
    items[make_key(257, KeyType::ExtentData, 0)] = data;
    crafted.set_items(fs_tree_objectid, items);

    auto volume = crafted.open();
    auto opened = FileSystem::open(*volume, nullptr, "", {});
    REQUIRE(opened);
    FileSystem& files = **opened;
    NodeId file{fs_tree_objectid, InodeNo{257}};
    CHECK(files.seek(file, 0, vfs::Whence::Hole) == 4096);
    CHECK(files.seek(file, 200, vfs::Whence::Data) == 200);
    CHECK(files.seek(file, 4096, vfs::Whence::Hole) == 4096);
    CHECK(files.seek(file, 4096, vfs::Whence::Data).error().cause == Cause::NoDataBehind);
    std::vector<std::pair<u64, u64>> runs;
    CHECK(files.extents(file, [&](const vfs::FileExtent& run) {
        runs.emplace_back(run.file_offset, run.length);
        return true;
    }));
    CHECK(runs == std::vector<std::pair<u64, u64>>{{0, 100}, {4096, 8192}});
    Buffer bytes(5000, u8{1});
    REQUIRE(files.read(file, 98, bytes) == 5000);
    CHECK(bytes[1] == 7);
    CHECK(std::count(bytes.begin() + 2, bytes.end(), u8{0}) == 4998);
}
