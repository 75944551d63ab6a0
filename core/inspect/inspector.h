// SPDX-License-Identifier: MIT
// A volume's metadata as something to look at: trees, blocks, items and fields, whichever format it has. All
// values are copies computed from the real bytes (through the layout tables), so a view may keep them, hand
// them to another thread and compare them. Nothing here changes the volume. Thread-safe.
#pragma once

#include "base/error.h"
#include "base/strong.h"
#include "vfs/file_system.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace glassfs::inspect {

// What an item is, as far as colour goes.
enum class ItemClass : u8 {
    Inode,
    Ref,
    DirItem,
    DirIndex,
    Extent,
    Inline,
    Csum,
    Root,
    Device,
    Chunk,
    Pointer,
    Other
};
inline constexpr std::size_t item_class_count = 12;
const char* item_class_name(ItemClass);  // "inode", "ref", "dir item", ...

// The id that stands for the log tree of a subvolume, which has none of its own: no tree on disk has bit 62
// alone.
inline constexpr u64 log_tree_flag = 1ULL << 62;
constexpr u64 log_tree_id(u64 subvolume) {
    return log_tree_flag | subvolume;
}

// "FS_TREE"; a subvolume by its number alone.
std::string tree_id_name(u64 tree);
std::string key_type_word(u8 type);  // "INODE_ITEM"

struct TreeInfo {
    u64 id = 0;        // root objectid (as u64: -9 is 18446744073709551607)
    std::string name;  // "FS_TREE", "LOG_TREE", or a subvolume's name "256 home"
    LogicalAddr root;
    u8 level = 0;
    Generation generation;
    bool is_subvolume = false;
    bool is_log = false;
    std::optional<Error> error;  // the root item or block can't be used
};

// One field of a structure, decoded. Fields of a nested struct follow it with a greater depth.
struct Field {
    std::string name;
    u32 offset = 0;  // bytes from the begin of the block (or of the superblock)
    u32 size = 0;    // bytes
    std::string value;
    std::string meaning;  // names of flags or enumerators, sizes, times; may be empty
    u8 depth = 0;
};

struct Item {
    u32 slot = 0;
    KeyRef key;
    std::string type_name;  // "INODE_ITEM"
    std::string key_text;   // "288 EXTENT_DATA 0"
    std::string summary;    // a name, "inline 360 B", "12845056 +4096", a child's address
    ItemClass item_class = ItemClass::Other;
    u32 data_offset = 0;               // bytes from the begin of the block
    u32 data_size = 0;                 // bytes of item data; in a node: of the key pointer
    std::optional<LogicalAddr> child;  // in a node
    Generation child_generation;
    std::optional<Error> error;  // what the tree checker says of this item
};

struct Copy {  // where a block lies on devices
    u64 device = 0;
    PhysicalAddr physical;
    bool readable = false;
};

struct BlockView {
    LogicalAddr addr;
    u32 size = 0;  // bytes
    u8 level = 0;
    Generation generation;
    u64 owner = 0;
    std::string owner_name;
    u32 free_bytes = 0;  // a leaf's; in a node: of unused pointers
    u32 used_bytes = 0;
    u32 capacity = 0;  // bytes for items: free + used
    std::string checksum_type;
    std::string checksum_stored;    // hex
    std::string checksum_computed;  // hex
    std::vector<Copy> copies;
    bool in_memory = false;     // newer than the devices: not written, checksum not computed yet
    std::vector<Field> header;  // the block header's fields
    std::vector<Item> items;
    std::shared_ptr<const Buffer> raw;
    std::optional<Error> error;  // checksum or checker: what can be shown is shown all the same
    bool checksum_ok() const { return in_memory || checksum_stored == checksum_computed; }
};

// One block of a tree, small: a million-item tree has some 20,000 of these.
struct NodeRecord {
    LogicalAddr addr;
    u32 parent = 0;  // index of the parent's record; the root's own index for the root
    u32 slot = 0;    // in the parent
    u32 items = 0;
    u32 free_bytes = 0;
    KeyRef first_key;
    Generation generation;
    u8 level = 0;
    bool bad = false;                              // checksum or checker
    std::array<u32, item_class_count> bytes_of{};  // item data and headers by class
};

// A way from the superblock to something, for "How to reach its bytes".
struct PathStep {
    std::string what;   // "superblock", "ROOT_TREE", "FS_TREE", "leaf", "data"
    std::string place;  // "at 64 KiB", "5332992, slot 3"
    std::optional<LogicalAddr> block;
    std::optional<u32> slot;
};

struct VolumeInfo {
    std::string format;  // "btrfs"
    std::string label;
    std::string uuid;
    u64 total = 0;       // bytes
    u64 used = 0;        // bytes
    u32 block_size = 0;  // node size
    u32 sector_size = 0;
    Generation generation;
    std::string checksum_type;
    std::vector<std::string> features;
    struct DeviceInfo {
        u64 id = 0;
        std::string uuid;
        u64 size = 0;  // bytes
        u64 used = 0;
        std::string name;  // of the file given, or empty when missing
        bool missing = false;
    };
    std::vector<DeviceInfo> devices;
    bool log_pending = false;        // a log tree waits to be replayed
    bool metadump = false;           // file data is not there
    std::vector<std::string> notes;  // "second superblock is older", "device 2 is missing"
};

// Where logical addresses lie on the devices: chunks, as they are in memory, and dev extents, as the device
// tree has them.
struct SpaceMap {
    enum class Kind : u8 { Data, Metadata, System, Mixed };
    struct Device {
        u64 id = 0;
        u64 size = 0;       // bytes
        u64 allocated = 0;  // bytes in dev extents
        u64 dev_extents = 0;
        bool missing = false;
    };
    struct Stripe {
        u64 device = 0;
        PhysicalAddr physical;
    };
    struct Chunk {
        LogicalAddr logical;
        u64 length = 0;  // logical bytes
        Kind kind = Kind::Data;
        std::string_view profile = {};  // "single", "DUP"; a literal
        std::optional<u64> used = {};   // bytes in extents; not asked for in volumes with very many chunks
        u32 first_stripe = 0;           // index in `stripes`
        u32 stripe_count = 0;
        u64 stripe_bytes = 0;  // on each device
    };
    struct DevExtent {
        u64 device = 0;
        PhysicalAddr start;
        u64 length = 0;                 // bytes
        std::optional<u32> chunk = {};  // index in `chunks`; nothing: none that is known
    };
    std::vector<Device> devices;         // by id
    std::vector<Chunk> chunks;           // by logical address
    std::vector<Stripe> stripes;         // of the chunks, in their order
    std::vector<DevExtent> dev_extents;  // by device and position
    u64 device_tree_leaves = 0;
};
const char* space_kind_name(SpaceMap::Kind);  // "data", "metadata", "system", "mixed"

class Inspector {
  public:
    virtual ~Inspector() = default;

    virtual VolumeInfo info() = 0;
    virtual std::vector<Field> superblock() = 0;  // offsets from its begin
    virtual std::shared_ptr<const Buffer> superblock_raw() = 0;
    virtual std::vector<TreeInfo> trees() = 0;  // by id, logs behind their subvolume
    // Decodes a block even when its checksum or content is bad (then BlockView::error is set). An Error only
    // when no copy can be read at all, or the address can't be one of a block.
    virtual Result<BlockView> block(LogicalAddr) = 0;
    // Fields of one item (key and data), offsets from the begin of the block.
    virtual Result<std::vector<Field>> item_fields(LogicalAddr, u32 slot) = 0;
    // Every block of a tree, parents before children, in key order within a level's subtree (depth first).
    // Blocks that can't be read come with `bad` set. Stops when `visit` returns false.
    virtual Result<void> walk_tree(u64 tree, const std::function<bool(const NodeRecord&)>& visit) = 0;
    // Root to leaf: where this inode's items (the first of them) are.
    virtual Result<std::vector<PathStep>> path_to(vfs::NodeId) = 0;
    // Root to leaf for a key: the last step's slot is the first item at or behind it.
    virtual Result<std::vector<PathStep>> path_to_key(u64 tree, KeyRef key) = 0;
    // Cause::NoSuchOperation for formats without chunks.
    virtual Result<SpaceMap> space() { return fail(Cause::NoSuchOperation); }
};

}  // namespace glassfs::inspect
