// SPDX-License-Identifier: MIT
#include "btrfs/xattr_edit.h"

#include "btrfs/writable_volume.h"

namespace glassfs::btrfs {

namespace {

u32 entry_bytes(std::string_view name, Bytes value) {
    return static_cast<u32>(sizeof(disk::btrfs_dir_item) + name.size() + value.size());
}

}  // namespace

Result<HashedEntry> find_xattr(Volume& volume, const TreeRoot& root, u64 inode, std::string_view name) {
    return find_hashed(volume, root, inode, KeyType::XattrItem, name);
}

bool has_room_for_xattr(const Geometry& geometry, const HashedEntry& found, std::string_view name,
                        Bytes value) {
    if (name.size() + value.size() > xattr_bytes_max(geometry)) return false;
    u32 others = found.item_size - found.size;
    return others == 0 || others + entry_bytes(name, value) <= shared_item_max(geometry);
}

Result<void> put_xattr(Transaction& tx, Tree& tree, u64 inode, const HashedEntry& found,
                       std::string_view name, Bytes value) {
    HashedEntry place = found;
    if (found.found()) {
        TRY(erase_hashed(tx, tree, inode, KeyType::XattrItem, found, name));
        place.item_size -= found.size;
        place.size = 0;
    }
    disk::btrfs_dir_item head{};
    head.transid = tx.generation().value;
    head.data_len = static_cast<u16>(value.size());
    head.name_len = static_cast<u16>(name.size());
    head.type = ft_xattr;
    return add_hashed(tx, tree, inode, KeyType::XattrItem, place, head, name, value);
}

Result<void> erase_xattr(Transaction& tx, Tree& tree, u64 inode, const HashedEntry& found,
                         std::string_view name) {
    return erase_hashed(tx, tree, inode, KeyType::XattrItem, found, name);
}

std::optional<CompressionWish> compression_wish(std::string_view value) {
    if (value.empty()) return CompressionWish::Default;
    if (value == "no" || value == "none") return CompressionWish::None;
    if (value.starts_with("zlib")) return CompressionWish::Zlib;
    if (value.starts_with("lzo")) return CompressionWish::Lzo;
    if (value.starts_with("zstd")) return CompressionWish::Zstd;
    return std::nullopt;
}

}  // namespace glassfs::btrfs
