// SPDX-License-Identifier: MIT
// For each rule of the tree checker one crafted item or block that breaks only that rule. The unbroken one
// must pass, and the error must name cause, block, slot and key.
#include "btrfs/tree_checker.h"

#include "base/crc32c.h"
#include "btrfs/extent_ref.h"
#include "support/leaf_builder.h"

#include <doctest/doctest.h>
#include <functional>

using namespace glassfs;
using namespace glassfs::btrfs;
using namespace glassfs::btrfs::disk;
using namespace glassfs::support;

namespace {

constexpr u64 max_u64 = ~0ULL;

// The item under test lies behind a first item with the least key, or behind `before`.
struct Situation {
    Geometry geometry = crafted_geometry();
    u64 owner = fs_tree_objectid;
    CraftedItem before{{0, 0, 0}, {}};
};

Result<void> check_crafted(const Situation& situation, const CraftedItem& item) {
    TreeBlock leaf(crafted_addr, crafted_leaf({situation.before, item}, situation.owner));
    auto structure = check_structure(situation.geometry, leaf);
    REQUIRE(structure.has_value());
    return check_item(situation.geometry, leaf, 1);
}

void passes(const Situation& situation, const CraftedItem& item) {
    auto result = check_crafted(situation, item);
    if (!result) FAIL_CHECK(result.error().message());
}

void fails(const Situation& situation, const CraftedItem& item, Cause cause) {
    auto result = check_crafted(situation, item);
    REQUIRE(!result);
    INFO(result.error().message());
    CHECK(std::string(cause_name(result.error().cause)) == cause_name(cause));
    CHECK(result.error().where.block == crafted_addr.value);
    CHECK(result.error().where.slot == 1u);
    CHECK(result.error().where.key == item.key);
}

using Change = std::function<void(CraftedItem&)>;

struct Rule {
    const char* name;
    Cause cause;
    Change change;
};

// `good` passes; each change alone makes it fail.
void each_breaks(const Situation& situation, const CraftedItem& good, const std::vector<Rule>& rules) {
    passes(situation, good);
    for (const Rule& rule : rules) {
        INFO(rule.name);
        CraftedItem item = good;
        rule.change(item);
        fails(situation, item, rule.cause);
    }
}

u32 name_hash(std::string_view name) {
    return crc32c_raw(~u32{1}, as_bytes(name));
}

template <class T>
T zeroed() {
    T value;
    std::memset(static_cast<void*>(&value), 0, sizeof(T));
    return value;
}

CraftedItem good_inode() {
    auto inode = zeroed<btrfs_inode_item>();
    inode.generation = 7;
    inode.transid = 9;
    inode.nlink = 1;
    inode.mode = 0100644;
    return {make_key(257, KeyType::InodeItem, 0), bytes_of(inode)};
}

CraftedItem good_ref() {
    auto ref = zeroed<btrfs_inode_ref>();
    ref.index = 2;
    ref.name_len = 4;
    return {make_key(257, KeyType::InodeRef, 256), joined(bytes_of(ref), "name")};
}

CraftedItem good_extref() {
    auto ref = zeroed<btrfs_inode_extref>();
    ref.parent_objectid = 256;
    ref.index = 2;
    ref.name_len = 4;
    return {make_key(257, KeyType::InodeExtref, crc32c_raw(256, as_bytes("name"))),
            joined(bytes_of(ref), "name")};
}

CraftedItem good_dir_item(KeyType type = KeyType::DirItem) {
    auto entry = zeroed<btrfs_dir_item>();
    entry.location = disk_key(make_key(257, KeyType::InodeItem, 0));
    entry.transid = 7;
    entry.name_len = 4;
    entry.type = ft_regular;
    u64 offset = type == KeyType::DirItem ? name_hash("name") : 2;
    return {make_key(256, type, offset), joined(bytes_of(entry), "name")};
}

CraftedItem good_xattr() {
    auto entry = zeroed<btrfs_dir_item>();
    entry.name_len = 6;
    entry.data_len = 3;
    entry.type = ft_xattr;
    return {make_key(257, KeyType::XattrItem, name_hash("user.a")), joined(bytes_of(entry), "user.axyz")};
}

CraftedItem good_extent(u8 type = file_extent_regular) {
    auto extent = zeroed<btrfs_file_extent_item>();
    extent.generation = 7;
    extent.ram_bytes = 16384;
    extent.type = type;
    extent.disk_bytenr = 0x1000000;
    extent.disk_num_bytes = 16384;
    extent.offset = 4096;
    extent.num_bytes = 8192;
    return {make_key(257, KeyType::ExtentData, 8192), bytes_of(extent)};
}

CraftedItem good_inline_extent() {
    CraftedItem item = good_extent(file_extent_inline);
    item.key.offset = 0;
    item.data.resize(file_extent_inline_at + 5);
    item.at<btrfs_file_extent_item>().ram_bytes = 5;
    return item;
}

CraftedItem good_root() {
    auto root = zeroed<btrfs_root_item>();
    root.generation = 50;
    root.generation_v2 = 50;
    root.bytenr = 0x2000000;
    root.refs = 1;
    return {make_key(256, KeyType::RootItem, 0), bytes_of(root)};
}

Buffer inline_block_ref(KeyType type, u64 number) {
    auto ref = zeroed<btrfs_extent_inline_ref>();
    ref.type = static_cast<u8>(type);
    ref.offset = number;
    return bytes_of(ref);
}

Buffer inline_data_ref(u64 root, u64 objectid, u64 offset, u32 count) {
    auto ref = zeroed<btrfs_extent_data_ref>();
    ref.root = root;
    ref.objectid = objectid;
    ref.offset = offset;
    ref.count = count;
    return joined(Buffer{static_cast<u8>(KeyType::ExtentDataRef)}, bytes_of(ref));
}

CraftedItem good_extent_item(u64 flags, u64 refs, const Buffer& inline_refs) {
    auto extent = zeroed<btrfs_extent_item>();
    extent.refs = refs;
    extent.generation = 50;
    extent.flags = flags;
    bool data = flags == extent_flag_data;
    Key key = make_key(0x1000000, data ? KeyType::ExtentItem : KeyType::MetadataItem, data ? 8192 : 0);
    return {key, joined(bytes_of(extent), inline_refs)};
}

CraftedItem good_chunk() {
    auto chunk = zeroed<btrfs_chunk>();
    chunk.length = 8 << 20;
    chunk.owner = extent_tree_objectid;
    chunk.stripe_len = stripe_length;
    chunk.type = block_group_data | block_group_raid1;
    chunk.sector_size = 4096;
    chunk.num_stripes = 2;
    auto stripe = zeroed<btrfs_stripe>();
    stripe.devid = 1;
    stripe.offset = 1 << 20;
    return {make_key(256, KeyType::ChunkItem, 0x1000000),
            joined(joined(bytes_of(chunk), bytes_of(stripe)), bytes_of(stripe))};
}

Situation in_tree(u64 owner) {
    Situation situation;
    situation.owner = owner;
    return situation;
}

}  // namespace

TEST_CASE("btrfs/tree checker: an inode item fails by each of its rules") {
    auto inode = [](CraftedItem& item) -> btrfs_inode_item& { return item.at<btrfs_inode_item>(); };
    each_breaks(
        {}, good_inode(),
        {
            {"number", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 255; }},
            {"key offset", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = 1; }},
            {"size", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }},
            {"generation", Cause::InodeItemBad, [&](CraftedItem& item) { inode(item).generation = 102; }},
            {"transid", Cause::InodeItemBad, [&](CraftedItem& item) { inode(item).transid = 102; }},
            {"mode bits", Cause::InodeItemBad, [&](CraftedItem& item) { inode(item).mode = 01100644; }},
            {"mode type", Cause::InodeItemBad, [&](CraftedItem& item) { inode(item).mode = 0170644; }},
            {"flags", Cause::InodeItemBad, [&](CraftedItem& item) { inode(item).flags = 0x1000; }},
            {"linked directory", Cause::InodeItemBad,
             [&](CraftedItem& item) {
                 inode(item).mode = 040755;
                 inode(item).nlink = 2;
             }},
        });
}

TEST_CASE("btrfs/tree checker: the log tree's blocks may be one generation newer than the superblock") {
    CraftedItem item = good_inode();
    item.at<btrfs_inode_item>().generation = 101;
    passes(in_tree(tree_log_objectid), item);
}

TEST_CASE("btrfs/tree checker: inode references fail by each of their rules") {
    each_breaks({}, good_ref(),
                {
                    {"too short", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(10); }},
                    {"rest", Cause::InodeRefBad, [](CraftedItem& item) { item.data.push_back(0); }},
                    {"empty name", Cause::InodeRefBad,
                     [](CraftedItem& item) { item.at<btrfs_inode_ref>().name_len = 0; }},
                    {"name beyond item", Cause::InodeRefBad,
                     [](CraftedItem& item) { item.at<btrfs_inode_ref>().name_len = 5; }},
                    {"long name", Cause::InodeRefBad,
                     [](CraftedItem& item) {
                         item.data.resize(sizeof(btrfs_inode_ref) + 256);
                         item.at<btrfs_inode_ref>().name_len = 256;
                     }},
                });
    each_breaks({}, good_extref(),
                {
                    {"inode", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 7; }},
                    {"too short", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(18); }},
                    {"rest", Cause::InodeRefBad, [](CraftedItem& item) { item.data.push_back(0); }},
                    {"name beyond item", Cause::InodeRefBad,
                     [](CraftedItem& item) { item.at<btrfs_inode_extref>().name_len = 5; }},
                    {"hash", Cause::InodeRefBad, [](CraftedItem& item) { ++item.key.offset; }},
                });
    CraftedItem several = good_ref();
    several.data = joined(several.data, good_ref().data);
    passes({}, several);
}

TEST_CASE("btrfs/tree checker: directory entries fail by each of their rules") {
    auto entry = [](CraftedItem& item) -> btrfs_dir_item& { return item.at<btrfs_dir_item>(); };
    std::vector<Rule> rules = {
        {"directory", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 7; }},
        {"too short", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(30); }},
        {"rest", Cause::DirItemBad, [](CraftedItem& item) { item.data.push_back(0); }},
        {"empty name", Cause::DirItemBad, [&](CraftedItem& item) { entry(item).name_len = 0; }},
        {"name beyond item", Cause::DirItemBad, [&](CraftedItem& item) { entry(item).name_len = 5; }},
        {"data", Cause::DirItemBad,
         [&](CraftedItem& item) {
             item.data.push_back(0);
             entry(item).data_len = 1;
         }},
        {"unknown type", Cause::DirItemBad, [&](CraftedItem& item) { entry(item).type = 9; }},
        {"an xattr's type", Cause::DirItemBad, [&](CraftedItem& item) { entry(item).type = ft_xattr; }},
        {"leads to no inode number", Cause::DirItemBad,
         [&](CraftedItem& item) { entry(item).location.objectid = 8; }},
        {"leads to an offset", Cause::DirItemBad,
         [&](CraftedItem& item) { entry(item).location.offset = 1; }},
        {"leads to another item", Cause::DirItemBad,
         [&](CraftedItem& item) { entry(item).location.type = 84; }},
        {"leads to the extent tree", Cause::DirItemBad,
         [&](CraftedItem& item) {
             entry(item).location = disk_key(make_key(2, KeyType::RootItem, max_u64));
         }},
    };
    each_breaks({}, good_dir_item(KeyType::DirIndex), rules);
    rules.push_back({"hash", Cause::DirHashBad, [](CraftedItem& item) { ++item.key.offset; }});
    each_breaks({}, good_dir_item(), rules);
}

TEST_CASE("btrfs/tree checker: every name in a directory item must have the item's hash") {
    CraftedItem item = good_dir_item();
    item.data = joined(item.data, item.data);
    passes({}, item);
    item.data.back() = 'x';  // the second name
    fails({}, item, Cause::DirHashBad);
}

TEST_CASE("btrfs/tree checker: xattrs fail by each of their rules") {
    auto entry = [](CraftedItem& item) -> btrfs_dir_item& { return item.at<btrfs_dir_item>(); };
    each_breaks(
        {}, good_xattr(),
        {
            {"type", Cause::XattrBad, [&](CraftedItem& item) { entry(item).type = ft_regular; }},
            {"value beyond item", Cause::XattrBad, [&](CraftedItem& item) { entry(item).data_len = 4; }},
            {"empty name", Cause::XattrBad, [&](CraftedItem& item) { entry(item).name_len = 0; }},
            {"hash", Cause::DirHashBad, [](CraftedItem& item) { ++item.key.offset; }},
        });
}

TEST_CASE("btrfs/tree checker: verity, orphan and log items fail by each of their rules") {
    CraftedItem verity{make_key(257, KeyType::VerityDescItem, 0), Buffer(25)};
    each_breaks({}, verity,
                {{"inode", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 7; }},
                 {"size", Cause::ItemSize, [](CraftedItem& item) { item.data.push_back(0); }}});
    CraftedItem merkle{make_key(257, KeyType::VerityMerkleItem, 2048), Buffer(2048)};
    each_breaks({}, merkle, {{"empty", Cause::ItemSize, [](CraftedItem& item) { item.data.clear(); }}});
    CraftedItem orphan{make_key(orphan_objectid, KeyType::OrphanItem, 257), {}};
    each_breaks({}, orphan,
                {{"objectid", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 256; }},
                 {"size", Cause::ItemSize, [](CraftedItem& item) { item.data.push_back(0); }}});
    CraftedItem log{make_key(256, KeyType::DirLogIndex, 5), bytes_of(Le64(9))};
    each_breaks(in_tree(tree_log_objectid), log,
                {{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }},
                 {"inode", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 7; }},
                 {"range", Cause::LogItemBad, [](CraftedItem& item) { item.at<Le64>() = 4; }}});
}

TEST_CASE("btrfs/tree checker: regular and preallocated extents fail by each of their rules") {
    auto extent = [](CraftedItem& item) -> btrfs_file_extent_item& {
        return item.at<btrfs_file_extent_item>();
    };
    std::vector<Rule> rules = {
        {"inode", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 7; }},
        {"file offset", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = 8193; }},
        {"head cut", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(20); }},
        {"size", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }},
        {"compression", Cause::CompressionUnknown, [&](CraftedItem& item) { extent(item).compression = 4; }},
        {"encryption", Cause::FileExtentBad, [&](CraftedItem& item) { extent(item).encryption = 1; }},
        {"type", Cause::FileExtentBad, [&](CraftedItem& item) { extent(item).type = 3; }},
        {"ram_bytes", Cause::FileExtentBad, [&](CraftedItem& item) { extent(item).ram_bytes = 16385; }},
        {"disk_bytenr", Cause::FileExtentBad,
         [&](CraftedItem& item) { extent(item).disk_bytenr = 0x1000001; }},
        {"disk_num_bytes", Cause::FileExtentBad,
         [&](CraftedItem& item) { extent(item).disk_num_bytes = 16385; }},
        {"offset", Cause::FileExtentBad, [&](CraftedItem& item) { extent(item).offset = 4097; }},
        {"num_bytes", Cause::FileExtentBad, [&](CraftedItem& item) { extent(item).num_bytes = 8191; }},
        {"beyond the extent", Cause::FileExtentBad,
         [&](CraftedItem& item) { extent(item).num_bytes = 16384; }},
        {"file range overflows", Cause::FileExtentBad,
         [&](CraftedItem& item) { item.key.offset = max_u64 - 4095; }},
        {"disk range overflows", Cause::FileExtentBad,
         [&](CraftedItem& item) { extent(item).disk_bytenr = max_u64 - 4095; }},
    };
    each_breaks({}, good_extent(), rules);
    each_breaks({}, good_extent(file_extent_prealloc), rules);
}

TEST_CASE("btrfs/tree checker: inline extents fail by each of their rules") {
    auto extent = [](CraftedItem& item) -> btrfs_file_extent_item& {
        return item.at<btrfs_file_extent_item>();
    };
    each_breaks({}, good_inline_extent(),
                {
                    {"file offset", Cause::FileExtentBad, [](CraftedItem& item) { item.key.offset = 4096; }},
                    {"length", Cause::FileExtentBad, [&](CraftedItem& item) { extent(item).ram_bytes = 6; }},
                    {"compressed length", Cause::FileExtentBad,
                     [&](CraftedItem& item) {
                         extent(item).compression = 1;
                         extent(item).ram_bytes = 4097;
                     }},
                });
    CraftedItem compressed = good_inline_extent();
    extent(compressed).compression = 2;
    extent(compressed).ram_bytes = 4096;
    passes({}, compressed);
}

TEST_CASE("btrfs/tree checker: a file extent must not begin inside of the one before") {
    Situation situation;
    situation.before = good_extent();
    situation.before.key.offset = 0;  // up to 8192
    passes(situation, good_extent());
    situation.before.at<btrfs_file_extent_item>().num_bytes = 12288;
    fails(situation, good_extent(), Cause::FileExtentOverlap);
    situation.owner = tree_log_objectid;
    passes(situation, good_extent());
}

TEST_CASE("btrfs/tree checker: checksum items fail by each of their rules") {
    Situation situation = in_tree(csum_tree_objectid);
    CraftedItem item{make_key(extent_csum_objectid, KeyType::ExtentCsum, 0x1000000), Buffer(8)};
    each_breaks(situation, item,
                {
                    {"objectid", Cause::KeyBad, [](CraftedItem& it) { it.key.objectid = 256; }},
                    {"address", Cause::KeyBad, [](CraftedItem& it) { ++it.key.offset; }},
                    {"size", Cause::ItemSize, [](CraftedItem& it) { it.data.resize(7); }},
                    {"empty", Cause::ItemSize, [](CraftedItem& it) { it.data.clear(); }},
                    {"overflow", Cause::CsumItemBad, [](CraftedItem& it) { it.key.offset = max_u64 - 4095; }},
                });
    situation.before = {make_key(extent_csum_objectid, KeyType::ExtentCsum, 0x1000000 - 4096), Buffer(4)};
    passes(situation, item);
    situation.before.data.resize(8);
    fails(situation, item, Cause::CsumItemBad);
}

TEST_CASE("btrfs/tree checker: root items fail by each of their rules, the legacy ones as well") {
    auto root = [](CraftedItem& item) -> btrfs_root_item& { return item.at<btrfs_root_item>(); };
    std::vector<Rule> rules = {
        {"root 0", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 0; }},
        {"size", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(300); }},
        {"generation", Cause::RootItemBad, [&](CraftedItem& item) { root(item).generation = 102; }},
        {"last_snapshot", Cause::RootItemBad, [&](CraftedItem& item) { root(item).last_snapshot = 102; }},
        {"bytenr", Cause::RootItemBad, [&](CraftedItem& item) { root(item).bytenr = 0x2000001; }},
        {"level", Cause::RootItemBad, [&](CraftedItem& item) { root(item).level = 8; }},
        {"drop_level", Cause::RootItemBad, [&](CraftedItem& item) { root(item).drop_level = 8; }},
        {"flags", Cause::RootItemBad, [&](CraftedItem& item) { root(item).flags = 2; }},
    };
    CraftedItem legacy = good_root();
    legacy.data.resize(root_item_legacy_size);
    each_breaks(in_tree(root_tree_objectid), legacy, rules);
    rules.push_back(
        {"generation_v2", Cause::RootItemBad, [&](CraftedItem& item) { root(item).generation_v2 = 102; }});
    each_breaks(in_tree(root_tree_objectid), good_root(), rules);
}

TEST_CASE("btrfs/tree checker: root references, UUID items and cache headers fail by each of their rules") {
    Situation situation = in_tree(root_tree_objectid);
    auto ref = zeroed<btrfs_root_ref>();
    ref.dirid = 256;
    ref.name_len = 3;
    auto field = [](CraftedItem& item) -> btrfs_root_ref& { return item.at<btrfs_root_ref>(); };
    for (KeyType type : {KeyType::RootRef, KeyType::RootBackref}) {
        each_breaks(situation, {make_key(5, type, 256), joined(bytes_of(ref), "sub")},
                    {{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(18); }},
                     {"rest", Cause::RootRefBad, [](CraftedItem& item) { item.data.push_back(0); }},
                     {"name", Cause::RootRefBad, [&](CraftedItem& item) { field(item).name_len = 4; }},
                     {"dirid", Cause::RootRefBad, [&](CraftedItem& item) { field(item).dirid = 0; }}});
    }
    each_breaks(in_tree(uuid_tree_objectid), {make_key(11, KeyType::UuidKeySubvol, 22), bytes_of(Le64(256))},
                {{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }},
                 {"empty", Cause::ItemSize, [](CraftedItem& item) { item.data.clear(); }},
                 {"subvolume", Cause::UuidItemBad, [](CraftedItem& item) { item.at<Le64>() = 2; }}});
    auto header = zeroed<btrfs_free_space_header>();
    header.location = disk_key(make_key(260, KeyType::InodeItem, 0));
    each_breaks(situation, {make_key(free_space_objectid, KeyType::Untyped, 0x1000000), bytes_of(header)},
                {{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }},
                 {"objectid", Cause::ItemTypeUnknown, [](CraftedItem& item) { item.key.objectid = 256; }},
                 {"location", Cause::FreeSpaceBad,
                  [](CraftedItem& item) { item.at<btrfs_free_space_header>().location.type = 84; }}});
}

TEST_CASE("btrfs/tree checker: a data extent item fails by each of its rules") {
    auto extent = [](CraftedItem& item) -> btrfs_extent_item& { return item.at<btrfs_extent_item>(); };
    auto ref = [](CraftedItem& item) -> btrfs_extent_data_ref& { return item.at<btrfs_extent_data_ref>(25); };
    each_breaks(
        in_tree(extent_tree_objectid), good_extent_item(extent_flag_data, 2, inline_data_ref(5, 257, 0, 2)),
        {
            {"version 0", Cause::UnsupportedFeature, [](CraftedItem& item) { item.data.resize(4); }},
            {"head cut", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(23); }},
            {"both kinds", Cause::ExtentItemBad, [&](CraftedItem& item) { extent(item).flags = 3; }},
            {"no kind", Cause::ExtentItemBad, [&](CraftedItem& item) { extent(item).flags = 0; }},
            {"generation", Cause::ExtentItemBad, [&](CraftedItem& item) { extent(item).generation = 102; }},
            {"address", Cause::KeyBad, [](CraftedItem& item) { ++item.key.objectid; }},
            {"length", Cause::KeyBad, [](CraftedItem& item) { ++item.key.offset; }},
            {"no length", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = 0; }},
            {"overflow", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = max_u64 - 4095; }},
            {"too few refs", Cause::ExtentItemBad, [&](CraftedItem& item) { extent(item).refs = 1; }},
            {"ref type", Cause::ExtentRefBad, [](CraftedItem& item) { item.data[24] = 77; }},
            {"ref cut", Cause::ExtentRefBad, [](CraftedItem& item) { item.data.pop_back(); }},
            {"ref of a tree block", Cause::ExtentRefBad,
             [](CraftedItem& item) {
                 item.data.resize(24);
                 item.data = joined(item.data, inline_block_ref(KeyType::TreeBlockRef, 5));
             }},
            {"ref count", Cause::ExtentRefBad, [&](CraftedItem& item) { ref(item).count = 0; }},
            {"ref offset", Cause::ExtentRefBad, [&](CraftedItem& item) { ref(item).offset = 1; }},
        });
}

TEST_CASE("btrfs/tree checker: a tree block's extent item fails by each of its rules") {
    Situation situation = in_tree(extent_tree_objectid);
    CraftedItem skinny =
        good_extent_item(extent_flag_tree_block, 1, inline_block_ref(KeyType::SharedBlockRef, 0x2000000));
    each_breaks(situation, skinny,
                {
                    {"level", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = 8; }},
                    {"address", Cause::KeyBad, [](CraftedItem& item) { ++item.key.objectid; }},
                    {"data", Cause::ExtentItemBad,
                     [](CraftedItem& item) { item.at<btrfs_extent_item>().flags = extent_flag_data; }},
                    {"parent", Cause::ExtentRefBad, [](CraftedItem& item) { ++item.data[25]; }},
                });
    situation.geometry.incompat = incompat_mixed_backref;
    fails(situation, skinny, Cause::ExtentItemBad);
    CraftedItem full = skinny;
    full.key = make_key(0x1000000, KeyType::ExtentItem, 16384);
    full.data =
        joined(Buffer(full.data.begin(), full.data.begin() + 24), bytes_of(zeroed<btrfs_tree_block_info>()));
    each_breaks(situation, full,
                {
                    {"length", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = 8192; }},
                    {"level", Cause::ExtentItemBad,
                     [](CraftedItem& item) { item.at<btrfs_tree_block_info>(24).level = 8; }},
                    {"info cut", Cause::ExtentRefBad, [](CraftedItem& item) { item.data.pop_back(); }},
                });
}

TEST_CASE("btrfs/tree checker: inline references must be in order") {
    Situation situation = in_tree(extent_tree_objectid);
    Buffer low = inline_block_ref(KeyType::TreeBlockRef, 5);
    Buffer high = inline_block_ref(KeyType::TreeBlockRef, 256);
    Buffer shared = inline_block_ref(KeyType::SharedBlockRef, 0x2000000);
    passes(situation, good_extent_item(extent_flag_tree_block, 3, joined(joined(high, low), shared)));
    fails(situation, good_extent_item(extent_flag_tree_block, 3, joined(joined(low, high), shared)),
          Cause::ExtentRefBad);
    fails(situation, good_extent_item(extent_flag_tree_block, 2, joined(shared, low)), Cause::ExtentRefBad);
    bool first_is_greater = extent_data_ref_hash(5, 257, 0) > extent_data_ref_hash(5, 258, 0);
    Buffer greater = inline_data_ref(5, first_is_greater ? 257 : 258, 0, 1);
    Buffer less = inline_data_ref(5, first_is_greater ? 258 : 257, 0, 1);
    passes(situation, good_extent_item(extent_flag_data, 2, joined(greater, less)));
    fails(situation, good_extent_item(extent_flag_data, 2, joined(less, greater)), Cause::ExtentRefBad);
}

TEST_CASE("btrfs/tree checker: an extent must not begin inside of the one before") {
    Situation situation = in_tree(extent_tree_objectid);
    CraftedItem item = good_extent_item(extent_flag_data, 1, inline_data_ref(5, 257, 0, 1));
    situation.before = item;
    situation.before.key.objectid -= 8192;
    passes(situation, item);
    situation.before.key.offset = 12288;
    fails(situation, item, Cause::ExtentOverlap);
    situation.before.key = make_key(item.key.objectid - 8192, KeyType::MetadataItem, 0);
    fails(situation, item, Cause::ExtentOverlap);
}

TEST_CASE("btrfs/tree checker: keyed references fail by each of their rules") {
    Situation situation = in_tree(extent_tree_objectid);
    Rule address{"address", Cause::KeyBad, [](CraftedItem& item) { ++item.key.objectid; }};
    Rule longer{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.push_back(0); }};
    Rule parent{"parent", Cause::ExtentRefBad, [](CraftedItem& item) { ++item.key.offset; }};
    each_breaks(situation, {make_key(0x1000000, KeyType::TreeBlockRef, 5), {}}, {address, longer});
    each_breaks(situation, {make_key(0x1000000, KeyType::SharedBlockRef, 0x2000000), {}},
                {address, longer, parent});
    Rule no_count{"count", Cause::ExtentRefBad, [](CraftedItem& item) { item.at<Le32>() = 0; }};
    each_breaks(situation, {make_key(0x1000000, KeyType::SharedDataRef, 0x2000000), bytes_of(Le32(1))},
                {address, longer, parent, no_count});
    auto ref = zeroed<btrfs_extent_data_ref>();
    ref.root = 5;
    ref.objectid = 257;
    ref.count = 1;
    auto field = [](CraftedItem& item) -> btrfs_extent_data_ref& { return item.at<btrfs_extent_data_ref>(); };
    each_breaks(situation, {make_key(0x1000000, KeyType::ExtentDataRef, 12345), bytes_of(ref)},
                {address,
                 longer,
                 {"count", Cause::ExtentRefBad, [&](CraftedItem& item) { field(item).count = 0; }},
                 {"offset", Cause::ExtentRefBad, [&](CraftedItem& item) { field(item).offset = 1; }}});
    fails(situation, {make_key(0x1000000, KeyType::ExtentRefV0, 5), Buffer(28)}, Cause::UnsupportedFeature);
    fails(situation, {make_key(0x1000000, KeyType::ExtentOwnerRef, 5), {}}, Cause::ItemTypeUnknown);
}

TEST_CASE("btrfs/tree checker: block groups and free space fail by each of their rules") {
    Situation situation = in_tree(extent_tree_objectid);
    auto group = zeroed<btrfs_block_group_item>();
    group.used = 4096;
    group.chunk_objectid = 256;
    group.flags = block_group_data | block_group_dup;
    auto field = [](CraftedItem& item) -> btrfs_block_group_item& {
        return item.at<btrfs_block_group_item>();
    };
    Rule address{"address", Cause::KeyBad, [](CraftedItem& item) { ++item.key.objectid; }};
    Rule length{"length", Cause::KeyBad, [](CraftedItem& item) { ++item.key.offset; }};
    Rule empty{"no length", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = 0; }};
    Rule longer{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.push_back(0); }};
    each_breaks(
        situation, {make_key(0x1000000, KeyType::BlockGroupItem, 0x800000), bytes_of(group)},
        {address,
         length,
         empty,
         longer,
         {"chunk_objectid", Cause::BlockGroupBad, [&](CraftedItem& item) { field(item).chunk_objectid = 1; }},
         {"used", Cause::BlockGroupBad, [&](CraftedItem& item) { field(item).used = 0x800001; }},
         {"profiles", Cause::BlockGroupBad, [&](CraftedItem& item) { field(item).flags = 1 | 8 | 16; }},
         {"contents", Cause::BlockGroupBad, [&](CraftedItem& item) { field(item).flags = 8; }},
         {"mixed", Cause::BlockGroupBad, [&](CraftedItem& item) { field(item).flags = 5; }},
         {"unknown bits", Cause::BlockGroupBad,
          [&](CraftedItem& item) { field(item).flags = 1 | 1 << 20; }}});
    situation = in_tree(free_space_tree_objectid);
    each_breaks(situation, {make_key(0x1000000, KeyType::FreeSpaceInfo, 0x800000), Buffer(8)},
                {address, length, empty, longer, {"flags", Cause::FreeSpaceBad, [](CraftedItem& item) {
                                                      item.at<Le32>(4) = 2;
                                                  }}});
    each_breaks(situation, {make_key(0x1000000, KeyType::FreeSpaceExtent, 0x2000), {}},
                {address, length, empty, longer});
    each_breaks(situation, {make_key(0x1000000, KeyType::FreeSpaceBitmap, 9 * 4096), Buffer(2)},
                {address, length, empty, longer, {"too small", Cause::ItemSize, [](CraftedItem& item) {
                                                      item.data.pop_back();
                                                  }}});
}

TEST_CASE("btrfs/tree checker: chunks fail by each of their rules") {
    auto chunk = [](CraftedItem& item) -> btrfs_chunk& { return item.at<btrfs_chunk>(); };
    auto type = [&](u64 value) { return [=](CraftedItem& item) { chunk(item).type = value; }; };
    each_breaks(
        in_tree(chunk_tree_objectid), good_chunk(),
        {
            {"objectid", Cause::ChunkBad, [](CraftedItem& item) { item.key.objectid = 255; }},
            {"address", Cause::ChunkBad, [](CraftedItem& item) { ++item.key.offset; }},
            {"head cut", Cause::ItemSize, [](CraftedItem& item) { item.data.resize(40); }},
            {"stripe cut", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }},
            {"no stripes", Cause::ChunkBad, [&](CraftedItem& item) { chunk(item).num_stripes = 0; }},
            {"sector size", Cause::ChunkBad, [&](CraftedItem& item) { chunk(item).sector_size = 512; }},
            {"no length", Cause::ChunkBad, [&](CraftedItem& item) { chunk(item).length = 0; }},
            {"length", Cause::ChunkBad, [&](CraftedItem& item) { chunk(item).length = 4097; }},
            {"overflow", Cause::ChunkBad, [&](CraftedItem& item) { item.key.offset = max_u64 - 4095; }},
            {"too long", Cause::ChunkBad, [&](CraftedItem& item) { chunk(item).length = 1ULL << 48; }},
            {"stripe_len", Cause::ChunkBad, [&](CraftedItem& item) { chunk(item).stripe_len = 4096; }},
            {"unknown type", Cause::ChunkBad, type(block_group_data | 1 << 20)},
            {"two profiles", Cause::ChunkBad, type(block_group_data | block_group_raid1 | block_group_dup)},
            {"no contents", Cause::ChunkBad, type(block_group_raid1)},
            {"system and data", Cause::ChunkBad, type(3 | block_group_raid1)},
            {"mixed without feature", Cause::ChunkBad, type(5 | block_group_raid1)},
            {"single of two stripes", Cause::ChunkBad, type(block_group_data)},
            {"RAID10 without sub stripes", Cause::ChunkBad, type(block_group_data | block_group_raid10)},
            {"RAID6 of two stripes", Cause::ChunkBad, type(block_group_data | block_group_raid6)},
            {"RAID1C3 of two stripes", Cause::ChunkBad, type(block_group_data | block_group_raid1c3)},
            {"RAID1C4 of two stripes", Cause::ChunkBad, type(block_group_data | block_group_raid1c4)},
        });
    Situation mixed = in_tree(chunk_tree_objectid);
    mixed.geometry.incompat |= incompat_mixed_groups;
    CraftedItem item = good_chunk();
    chunk(item).type = 5 | block_group_raid1;
    passes(mixed, item);
}

TEST_CASE("btrfs/tree checker: devices and dev extents fail by each of their rules") {
    auto device = zeroed<btrfs_dev_item>();
    device.devid = 1;
    device.total_bytes = 1 << 30;
    device.bytes_used = 1 << 20;
    auto device_of = [](CraftedItem& item) -> btrfs_dev_item& { return item.at<btrfs_dev_item>(); };
    each_breaks(
        in_tree(chunk_tree_objectid), {make_key(1, KeyType::DevItem, 1), bytes_of(device)},
        {{"objectid", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 2; }},
         {"size", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }},
         {"devid", Cause::DevItemBad, [&](CraftedItem& item) { device_of(item).devid = 2; }},
         {"used", Cause::DevItemBad, [&](CraftedItem& item) { device_of(item).bytes_used = 2ULL << 30; }}});
    auto extent = zeroed<btrfs_dev_extent>();
    extent.chunk_tree = 3;
    extent.chunk_objectid = 256;
    extent.chunk_offset = 0x1000000;
    extent.length = 8 << 20;
    CraftedItem item{make_key(1, KeyType::DevExtent, 16 << 20), bytes_of(extent)};
    auto extent_of = [](CraftedItem& it) -> btrfs_dev_extent& { return it.at<btrfs_dev_extent>(); };
    Situation situation = in_tree(dev_tree_objectid);
    each_breaks(
        situation, item,
        {{"size", Cause::ItemSize, [](CraftedItem& it) { it.data.pop_back(); }},
         {"chunk_tree", Cause::DevExtentBad, [&](CraftedItem& it) { extent_of(it).chunk_tree = 2; }},
         {"chunk_objectid", Cause::DevExtentBad, [&](CraftedItem& it) { extent_of(it).chunk_objectid = 1; }},
         {"chunk_offset", Cause::DevExtentBad, [&](CraftedItem& it) { extent_of(it).chunk_offset = 1; }},
         {"physical", Cause::DevExtentBad, [](CraftedItem& it) { ++it.key.offset; }},
         {"no length", Cause::DevExtentBad, [&](CraftedItem& it) { extent_of(it).length = 0; }},
         {"length", Cause::DevExtentBad, [&](CraftedItem& it) { extent_of(it).length = 4097; }},
         {"overflow", Cause::DevExtentBad, [](CraftedItem& it) { it.key.offset = max_u64 - 4095; }}});
    situation.before = item;
    situation.before.key.offset = 8 << 20;
    passes(situation, item);
    extent_of(situation.before).length = 9 << 20;
    fails(situation, item, Cause::DevExtentBad);
}

TEST_CASE("btrfs/tree checker: raid stripes need their feature, an aligned range and whole strides") {
    Situation situation = in_tree(raid_stripe_tree_objectid);
    CraftedItem item{make_key(0x1000000, KeyType::RaidStripe, 0x10000), Buffer(32)};
    fails(situation, item, Cause::ChunkBad);
    situation.geometry.incompat |= incompat_raid_stripe_tree;
    each_breaks(situation, item,
                {{"address", Cause::KeyBad, [](CraftedItem& it) { ++it.key.objectid; }},
                 {"length", Cause::KeyBad, [](CraftedItem& it) { ++it.key.offset; }},
                 {"size", Cause::ItemSize, [](CraftedItem& it) { it.data.pop_back(); }},
                 {"empty", Cause::ItemSize, [](CraftedItem& it) { it.data.clear(); }}});
}

TEST_CASE("btrfs/tree checker: quota items fail by each of their rules") {
    Situation situation = in_tree(quota_tree_objectid);
    Rule size{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.push_back(0); }};
    auto status = [](std::size_t bytes) {
        CraftedItem item{make_key(0, KeyType::QgroupStatus, 0), Buffer(bytes)};
        item.at<Le64>() = 1;
        return item;
    };
    for (std::size_t bytes : {32U, 40U}) {
        each_breaks(situation, status(bytes),
                    {size,
                     {"key", Cause::KeyBad, [](CraftedItem& item) { item.key.offset = 1; }},
                     {"version", Cause::QgroupItemBad, [](CraftedItem& item) { item.at<Le64>() = 2; }}});
    }
    Rule objectid{"objectid", Cause::KeyBad, [](CraftedItem& item) { item.key.objectid = 1; }};
    each_breaks(situation, {make_key(0, KeyType::QgroupInfo, 5), Buffer(40)}, {size, objectid});
    each_breaks(situation, {make_key(0, KeyType::QgroupLimit, 5), Buffer(40)}, {size, objectid});
    each_breaks(situation, {make_key(5, KeyType::QgroupRelation, 1ULL << 48), {}}, {size});
}

TEST_CASE("btrfs/tree checker: balance and replacement items have their size, statistics any size") {
    Situation situation = in_tree(root_tree_objectid);
    Rule size{"size", Cause::ItemSize, [](CraftedItem& item) { item.data.pop_back(); }};
    each_breaks(situation, {make_key(balance_objectid, KeyType::TemporaryItem, 0), Buffer(448)}, {size});
    each_breaks(situation, {make_key(0, KeyType::DevReplace, 0), Buffer(72)}, {size});
    passes(situation, {make_key(0, KeyType::PersistentItem, 1), Buffer(32)});
    passes(situation, {make_key(0, KeyType::PersistentItem, 1), Buffer(48)});
    passes(situation, {make_key(300, KeyType::StringItem, 0), Buffer(3)});
}

TEST_CASE("btrfs/tree checker: unknown item types are named as such") {
    fails({}, {{257, 77, 0}, Buffer(3)}, Cause::ItemTypeUnknown);
}

namespace {

void structure_fails(const Buffer& bytes, Cause cause, std::optional<u32> slot = {},
                     Geometry geometry = crafted_geometry()) {
    auto result = check_structure(geometry, TreeBlock(crafted_addr, bytes));
    REQUIRE(!result);
    INFO(result.error().message());
    CHECK(std::string(cause_name(result.error().cause)) == cause_name(cause));
    CHECK(result.error().where.block == crafted_addr.value);
    CHECK(result.error().where.slot == slot);
    CHECK(result.error().where.key.has_value() == slot.has_value());
}

}  // namespace

TEST_CASE("btrfs/tree checker: a block's header fails by each of its rules") {
    Buffer good = crafted_leaf({good_inode(), good_ref()});
    CHECK(check_structure(crafted_geometry(), TreeBlock(crafted_addr, good)).has_value());
    auto broken = [&](Cause cause, auto&& change) {
        Buffer block = good;
        change(header_of(block));
        structure_fails(block, cause);
    };
    broken(Cause::BlockBytenr, [](btrfs_header& header) { header.bytenr = 0; });
    broken(Cause::BlockFsid, [](btrfs_header& header) { header.fsid[15] = 1; });
    broken(Cause::BlockLevel, [](btrfs_header& header) { header.level = 8; });
    broken(Cause::BlockOwner, [](btrfs_header& header) { header.owner = 0; });
    broken(Cause::BlockItemCount, [](btrfs_header& header) { header.nritems = 652; });
    broken(Cause::BlockItemCount, [](btrfs_header& header) { header.nritems = 0xffffffff; });
    broken(Cause::BlockItemCount, [](btrfs_header& header) { header.nritems = 0; });
    Buffer empty = crafted_leaf({}, csum_tree_objectid);
    CHECK(check_structure(crafted_geometry(), TreeBlock(crafted_addr, empty)).has_value());
    header_of(empty).level = 1;
    structure_fails(empty, Cause::BlockItemCount);
}

TEST_CASE("btrfs/tree checker: a leaf's item table fails by each of its rules") {
    Buffer good = crafted_leaf({good_inode(), good_ref(), good_extent()});
    auto broken = [&](Cause cause, u32 slot, auto&& change) {
        Buffer block = good;
        change(block);
        structure_fails(block, cause, slot);
    };
    broken(Cause::KeyOrder, 1, [](Buffer& block) { item_of(block, 1).key.objectid = 256; });
    broken(Cause::KeyOrder, 2, [](Buffer& block) { item_of(block, 2).key = item_of(block, 1).key; });
    broken(Cause::ItemOutOfBounds, 0, [](Buffer& block) { item_of(block, 0).size = 161; });
    broken(Cause::ItemOutOfBounds, 1, [](Buffer& block) { item_of(block, 1).offset = 0xffffffff; });
    broken(Cause::ItemOutOfBounds, 2, [](Buffer& block) { item_of(block, 2).offset = 74; });
    broken(Cause::ItemOverlap, 0, [](Buffer& block) { item_of(block, 0).size = 159; });
    broken(Cause::ItemOverlap, 1, [](Buffer& block) { item_of(block, 1).size = 15; });
    broken(Cause::ItemOverlap, 2,
           [](Buffer& block) { item_of(block, 2).offset = item_of(block, 2).offset - 1; });
}

TEST_CASE("btrfs/tree checker: a node's pointers fail by each of their rules") {
    Key first = make_key(256, KeyType::InodeItem, 0);
    Key second = make_key(300, KeyType::InodeItem, 0);
    CHECK(check_structure(crafted_geometry(),
                          TreeBlock(crafted_addr, crafted_node({{first, 0x100000}, {second, 0x200000}}))));
    structure_fails(crafted_node({{first, 0x100000}, {second, 0}}), Cause::PointerBad, 1);
    structure_fails(crafted_node({{first, 0x100000}, {second, 0x200001}}), Cause::PointerBad, 1);
    structure_fails(crafted_node({{second, 0x100000}, {first, 0x200000}}), Cause::KeyOrder, 1);
    structure_fails(crafted_node({{first, 0x100000}, {first, 0x200000}}), Cause::KeyOrder, 1);
}

namespace {

btrfs_super_block good_super() {
    auto super = zeroed<btrfs_super_block>();
    super.magic = super_magic;
    super.bytenr = super_offsets[0];
    super.generation = 10;
    super.root = 0x1000000;
    super.chunk_root = 0x1400000;
    super.total_bytes = 1 << 30;
    super.bytes_used = 6 * 16384;
    super.num_devices = 1;
    super.sectorsize = 4096;
    super.nodesize = 16384;
    super.leafsize = 16384;
    super.stripesize = 4096;
    super.sys_chunk_array_size = 97;
    return super;
}

}  // namespace

TEST_CASE("btrfs/tree checker: a superblock fails by each of its rules and names the field") {
    CHECK(check_superblock(good_super(), super_offsets[0]).has_value());
    auto broken = [](Cause cause, std::string_view field, auto&& change) {
        btrfs_super_block super = good_super();
        change(super);
        auto result = check_superblock(super, super_offsets[0]);
        REQUIRE(!result);
        INFO(result.error().message());
        CHECK(std::string(cause_name(result.error().cause)) == cause_name(cause));
        CHECK(result.error().detail.starts_with(field));
        CHECK(result.error().where.block == super_offsets[0]);
    };
    auto bad_field = [&](std::string_view field, auto&& change) {
        broken(Cause::SuperblockFieldBad, field, change);
    };
    broken(Cause::SuperblockBad, "no magic", [](btrfs_super_block& super) { super.magic = 1; });
    bad_field("bytenr", [](btrfs_super_block& super) { super.bytenr = super_offsets[1]; });
    bad_field("csum_type", [](btrfs_super_block& super) { super.csum_type = 4; });
    bad_field("dev_item.fsid", [](btrfs_super_block& super) { super.dev_item.fsid[0] = 1; });
    bad_field("sectorsize", [](btrfs_super_block& super) { super.sectorsize = 0; });
    bad_field("sectorsize", [](btrfs_super_block& super) { super.sectorsize = 2048; });
    bad_field("sectorsize", [](btrfs_super_block& super) { super.sectorsize = 5000; });
    bad_field("nodesize", [](btrfs_super_block& super) { super.nodesize = 0; });
    bad_field("nodesize", [](btrfs_super_block& super) { super.nodesize = 2048; });
    bad_field("nodesize", [](btrfs_super_block& super) { super.nodesize = 131072; });
    bad_field("leafsize", [](btrfs_super_block& super) { super.leafsize = 4096; });
    bad_field("stripesize", [](btrfs_super_block& super) { super.stripesize = 0; });
    bad_field("bytes_used", [](btrfs_super_block& super) { super.bytes_used = 6 * 16384 - 1; });
    bad_field("num_devices", [](btrfs_super_block& super) { super.num_devices = 0; });
    bad_field("sys_chunk_array_size", [](btrfs_super_block& super) { super.sys_chunk_array_size = 96; });
    bad_field("sys_chunk_array_size", [](btrfs_super_block& super) { super.sys_chunk_array_size = 2049; });
    bad_field("root_level", [](btrfs_super_block& super) { super.root_level = 8; });
    bad_field("chunk_root_level", [](btrfs_super_block& super) { super.chunk_root_level = 8; });
    bad_field("log_root_level", [](btrfs_super_block& super) { super.log_root_level = 8; });
    bad_field("root ", [](btrfs_super_block& super) { super.root = 1; });
    bad_field("chunk_root ", [](btrfs_super_block& super) { super.chunk_root = 1; });
    bad_field("log_root ", [](btrfs_super_block& super) { super.log_root = 1; });
    bad_field("compat_ro_flags", [](btrfs_super_block& super) { super.compat_ro_flags = 8; });
}
