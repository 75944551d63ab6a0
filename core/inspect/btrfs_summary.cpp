// SPDX-License-Identifier: MIT
// An item in a few words, as it stands on one line of a block.
#include "base/text.h"
#include "inspect/btrfs_items.h"

#include <algorithm>

namespace glassfs::inspect {

using namespace btrfs;

const char* item_class_name(ItemClass item_class) {
    static constexpr const char* names[item_class_count] = {"inode",  "ref",         "dir item", "dir index",
                                                            "extent", "inline data", "checksum", "root",
                                                            "device", "chunk",       "pointer",  "other"};
    return names[static_cast<std::size_t>(item_class)];
}

ItemClass btrfs_item_class(const Key& key, Bytes data) {
    switch (type_of(key)) {
        case KeyType::InodeItem:
        case KeyType::OrphanItem:
            return ItemClass::Inode;
        case KeyType::InodeRef:
        case KeyType::InodeExtref:
        case KeyType::RootRef:
        case KeyType::RootBackref:
        case KeyType::TreeBlockRef:
        case KeyType::ExtentDataRef:
        case KeyType::SharedBlockRef:
        case KeyType::SharedDataRef:
        case KeyType::ExtentOwnerRef:
            return ItemClass::Ref;
        case KeyType::DirItem:
        case KeyType::XattrItem:
            return ItemClass::DirItem;
        case KeyType::DirIndex:
        case KeyType::DirLogItem:
        case KeyType::DirLogIndex:
            return ItemClass::DirIndex;
        case KeyType::ExtentData:
            return data.size() > 20 && data[20] == file_extent_inline ? ItemClass::Inline : ItemClass::Extent;
        case KeyType::ExtentItem:
        case KeyType::MetadataItem:
        case KeyType::FreeSpaceInfo:
        case KeyType::FreeSpaceExtent:
        case KeyType::FreeSpaceBitmap:
            return ItemClass::Extent;
        case KeyType::ExtentCsum:
            return ItemClass::Csum;
        case KeyType::RootItem:
        case KeyType::UuidKeySubvol:
        case KeyType::UuidKeyReceivedSubvol:
            return ItemClass::Root;
        case KeyType::DevExtent:
        case KeyType::DevItem:
        case KeyType::PersistentItem:
        case KeyType::DevReplace:
            return ItemClass::Device;
        case KeyType::ChunkItem:
        case KeyType::BlockGroupItem:
        case KeyType::RaidStripe:
            return ItemClass::Chunk;
        default:
            return ItemClass::Other;
    }
}

namespace {

// The objectid of some items is a plain number (an inode, an address, a device), of others one of the named
// ids.
std::string objectid_text(const Key& key) {
    bool address = type_of(key) == KeyType::ExtentItem || type_of(key) == KeyType::MetadataItem ||
                   type_of(key) == KeyType::BlockGroupItem || type_of(key) == KeyType::FreeSpaceInfo ||
                   type_of(key) == KeyType::FreeSpaceExtent || type_of(key) == KeyType::FreeSpaceBitmap ||
                   type_of(key) == KeyType::DevExtent || type_of(key) == KeyType::TreeBlockRef ||
                   type_of(key) == KeyType::ExtentDataRef || type_of(key) == KeyType::SharedBlockRef ||
                   type_of(key) == KeyType::SharedDataRef || type_of(key) == KeyType::UuidKeySubvol ||
                   type_of(key) == KeyType::UuidKeyReceivedSubvol || type_of(key) == KeyType::QgroupInfo ||
                   type_of(key) == KeyType::QgroupLimit || type_of(key) == KeyType::QgroupRelation ||
                   type_of(key) == KeyType::PersistentItem || type_of(key) == KeyType::DevReplace ||
                   type_of(key) == KeyType::DevItem;
    bool tree = type_of(key) == KeyType::RootItem || type_of(key) == KeyType::RootRef ||
                type_of(key) == KeyType::RootBackref || key.objectid > last_free_objectid;
    return tree && !address ? objectid_name(key.objectid) : std::to_string(key.objectid);
}

template <class T>
bool fits(Bytes data) {
    return data.size() >= sizeof(T);
}

template <class T>
std::string first_name(Bytes data) {
    if (!fits<T>(data)) return {};
    std::size_t length = std::min<std::size_t>(view<T>(data).name_len, data.size() - sizeof(T));
    return printable(as_text(data.subspan(sizeof(T), length)));
}

std::string inode_summary(Bytes data) {
    if (!fits<disk::btrfs_inode_item>(data)) return {};
    const auto& inode = view<disk::btrfs_inode_item>(data);
    const char* type = vfs::file_type_name(vfs::file_type_of_mode(inode.mode));
    return text("%s %04o, %s", type, inode.mode & 07777U, size_text(inode.size).c_str());
}

std::string extent_data_summary(Bytes data) {
    if (data.size() < disk::file_extent_inline_at) return {};
    const auto& extent = view<disk::btrfs_file_extent_item>(data);
    std::string packed = extent.compression == 0 ? ""
                         : extent.compression <= 3
                             ? std::string(" ") + compression_names[extent.compression].name
                             : " compression " + std::to_string(extent.compression);
    if (extent.type == file_extent_inline) {
        return "inline " + grouped(data.size() - disk::file_extent_inline_at) + " B" + packed;
    }
    if (!fits<disk::btrfs_file_extent_item>(data)) return {};
    std::string length = size_text(extent.num_bytes);
    if (extent.disk_bytenr == 0) return "hole " + length;
    std::string place = std::to_string(extent.disk_bytenr) + " +" + length + packed;
    return extent.type == file_extent_prealloc ? "prealloc " + place : place;
}

std::string extent_item_summary(const Key& key, Bytes data) {
    if (!fits<disk::btrfs_extent_item>(data)) return {};
    const auto& extent = view<disk::btrfs_extent_item>(data);
    std::string refs = extent.refs == 1 ? "1 ref" : grouped(extent.refs) + " refs";
    if (type_of(key) == KeyType::MetadataItem)
        return "tree block, level " + std::to_string(key.offset) + ", " + refs;
    bool tree_block = (extent.flags & extent_flag_tree_block) != 0;
    return (tree_block ? "tree block, " : "data " + size_text(key.offset) + ", ") + refs;
}

std::string chunk_summary(Bytes data) {
    if (!fits<disk::btrfs_chunk>(data)) return {};
    const auto& chunk = view<disk::btrfs_chunk>(data);
    return flags_text(chunk.type, block_group_flag_names) + ", " + size_text(chunk.length);
}

std::string space_summary(const Key& key, Bytes data) {
    switch (type_of(key)) {
        case KeyType::ExtentItem:
        case KeyType::MetadataItem:
            return extent_item_summary(key, data);
        case KeyType::ChunkItem:
            return chunk_summary(data);
        case KeyType::DevItem:
            return fits<disk::btrfs_dev_item>(data) ? size_text(view<disk::btrfs_dev_item>(data).total_bytes)
                                                    : std::string();
        case KeyType::DevExtent:
            return fits<disk::btrfs_dev_extent>(data)
                       ? "chunk " + std::to_string(view<disk::btrfs_dev_extent>(data).chunk_offset) + ", " +
                             size_text(view<disk::btrfs_dev_extent>(data).length)
                       : std::string();
        case KeyType::BlockGroupItem:
            return fits<disk::btrfs_block_group_item>(data)
                       ? flags_text(view<disk::btrfs_block_group_item>(data).flags, block_group_flag_names) +
                             ", used " + size_text(view<disk::btrfs_block_group_item>(data).used)
                       : std::string();
        case KeyType::FreeSpaceInfo:
            return fits<disk::btrfs_free_space_info>(data)
                       ? grouped(view<disk::btrfs_free_space_info>(data).extent_count) + " free extents"
                       : std::string();
        case KeyType::FreeSpaceExtent:
        case KeyType::FreeSpaceBitmap:
            return size_text(key.offset);
        default:
            return {};
    }
}

}  // namespace

std::string btrfs_key_text(const Key& key) {
    // A special id as the offset (of a root item of a log tree, say) reads better signed.
    std::string offset =
        key.offset > last_free_objectid ? objectid_name(key.offset) : std::to_string(key.offset);
    if (key.offset == ~0ULL) offset = "-1";
    return objectid_text(key) + " " + key_type_name(key.type) + " " + offset;
}

std::string btrfs_item_summary(const Key& key, Bytes data) {
    switch (type_of(key)) {
        case KeyType::InodeItem:
            return inode_summary(data);
        case KeyType::InodeRef:
            return first_name<disk::btrfs_inode_ref>(data);
        case KeyType::InodeExtref:
            return first_name<disk::btrfs_inode_extref>(data);
        case KeyType::DirItem:
        case KeyType::DirIndex:
        case KeyType::XattrItem:
            return first_name<disk::btrfs_dir_item>(data);
        case KeyType::RootRef:
        case KeyType::RootBackref:
            return first_name<disk::btrfs_root_ref>(data);
        case KeyType::ExtentData:
            return extent_data_summary(data);
        case KeyType::ExtentCsum:
            return size_text(data.size()) + " of checksums";
        case KeyType::RootItem:
            return data.size() >= disk::root_item_legacy_size
                       ? "root at " + std::to_string(view<disk::btrfs_root_item>(data).bytenr)
                       : std::string();
        case KeyType::DirLogItem:
        case KeyType::DirLogIndex:
            return fits<disk::btrfs_dir_log_item>(data)
                       ? "to index " + std::to_string(view<disk::btrfs_dir_log_item>(data).end)
                       : std::string();
        default:
            return space_summary(key, data);
    }
}

}  // namespace glassfs::inspect
