// SPDX-License-Identifier: MIT
// Fields of each item type: the fixed part through its layout table, then names, references and stripes.
#include "inspect/btrfs_items.h"

#include "inspect/fields.h"

#include <algorithm>

namespace glassfs::inspect {

using namespace btrfs;

namespace {

// Walks through one item's bytes, appending fields; stops silently at the end, and says what was cut.
class Decoder {
  public:
    Decoder(std::vector<Field>& out, Bytes block, std::size_t at, std::size_t size)
        : out_(out),
          block_(block.first(std::min(block.size(), at + size))),
          at_(std::min(at, block_.size())) {}

    std::size_t left() const { return block_.size() - at_; }
    Bytes rest() const { return block_.subspan(at_); }

    template <class T>
    bool put(u8 depth = 0) {
        bool whole = append_fields(out_, T::layout(), block_, at_, depth);
        if (!whole) append_octets(out_, "cut off", block_, at_, left(), depth);
        at_ = whole ? at_ + sizeof(T) : block_.size();
        return whole;
    }
    // A struct that grew over the years: items of old kernels end earlier.
    template <class T>
    void put_growing() {
        append_fields(out_, T::layout(), block_, at_);
        skip(sizeof(T));
    }
    // The struct at the current position, which must fit.
    template <class T>
    const T& peek() const {
        return view<T>(block_, at_);
    }
    template <class T>
    bool fits() const {
        return left() >= sizeof(T);
    }
    void group(std::string name, std::size_t size) {
        u32 shown = static_cast<u32>(std::min(size, left()));
        out_.push_back({std::move(name), static_cast<u32>(at_), shown, {}, {}, 0});
    }
    void text(std::string name, std::size_t length, u8 depth = 0) {
        append_text(out_, std::move(name), block_, at_, length, depth);
        at_ += std::min(length, left());
    }
    void octets(std::string name, std::size_t length, u8 depth = 0) {
        append_octets(out_, std::move(name), block_, at_, length, depth);
        at_ += std::min(length, left());
    }
    // One byte that is a key type.
    void key_type(std::string name, u8 depth) {
        std::string meaning = key_type_name(block_[at_]);
        out_.push_back({std::move(name), static_cast<u32>(at_), 1, std::to_string(block_[at_]),
                        std::move(meaning), depth});
        at_ += 1;
    }
    void skip(std::size_t length) { at_ += std::min(length, left()); }

  private:
    std::vector<Field>& out_;
    Bytes block_;
    std::size_t at_;
};

std::string numbered(const char* what, u32 index) {
    return std::string(what) + " " + std::to_string(index);
}

// Entries of a fixed part with a name behind it, as long as there are bytes.
template <class T>
void put_references(Decoder& d) {
    for (u32 i = 0; d.fits<T>(); ++i) {
        std::size_t length = d.peek<T>().name_len;
        d.group(numbered("ref", i), sizeof(T) + length);
        d.put<T>(1);
        d.text("name", length, 1);
    }
}

void put_dir_entries(Decoder& d) {
    for (u32 i = 0; d.fits<disk::btrfs_dir_item>(); ++i) {
        std::size_t name_len = d.peek<disk::btrfs_dir_item>().name_len;
        std::size_t data_len = d.peek<disk::btrfs_dir_item>().data_len;
        d.group(numbered("entry", i), sizeof(disk::btrfs_dir_item) + name_len + data_len);
        d.put<disk::btrfs_dir_item>(1);
        d.text("name", name_len, 1);
        if (data_len > 0) d.octets("data", data_len, 1);
    }
}

void put_file_extent(std::vector<Field>& out, Decoder& d) {
    bool is_inline = d.left() > 20 && d.rest()[20] == file_extent_inline;
    if (!is_inline) {
        d.put<disk::btrfs_file_extent_item>();
        return;
    }
    std::size_t before = out.size();
    std::size_t left = d.left();
    d.put<disk::btrfs_file_extent_item>();
    d.skip(d.left());
    // Behind `type` an inline extent has its data where others have more fields.
    u32 data_begin = out[before].offset + static_cast<u32>(disk::file_extent_inline_at);
    while (out.size() > before && (out.back().offset >= data_begin || out.back().name == "cut off"))
        out.pop_back();
    u32 length = static_cast<u32>(left - disk::file_extent_inline_at);
    out.push_back({"data", data_begin, length, std::to_string(length) + " bytes", "inline", 0});
}

void put_inline_refs(Decoder& d) {
    for (u32 i = 0; d.left() > 0; ++i) {
        auto type = static_cast<KeyType>(d.rest()[0]);
        std::size_t extra = type == KeyType::ExtentDataRef
                                ? sizeof(disk::btrfs_extent_data_ref) - sizeof(Le64)
                            : type == KeyType::SharedDataRef ? sizeof(disk::btrfs_shared_data_ref)
                                                             : 0;
        d.group(numbered("inline ref", i) + " " + key_type_name(static_cast<u8>(type)),
                sizeof(disk::btrfs_extent_inline_ref) + extra);
        if (type == KeyType::ExtentDataRef) {
            d.key_type("type", 1);
            if (!d.put<disk::btrfs_extent_data_ref>(1)) return;
            continue;
        }
        if (!d.put<disk::btrfs_extent_inline_ref>(1)) return;
        if (type == KeyType::SharedDataRef && !d.put<disk::btrfs_shared_data_ref>(1)) return;
    }
}

void put_extent_item(const Key& key, Decoder& d) {
    if (!d.fits<disk::btrfs_extent_item>()) {
        d.octets("refs (version 0)", d.left());
        return;
    }
    u64 flags = d.peek<disk::btrfs_extent_item>().flags;
    d.put<disk::btrfs_extent_item>();
    if (type_of(key) == KeyType::ExtentItem && (flags & extent_flag_tree_block) != 0) {
        d.put<disk::btrfs_tree_block_info>();
    }
    put_inline_refs(d);
}

void put_chunk(Decoder& d) {
    d.put<disk::btrfs_chunk>();
    for (u32 i = 0; d.fits<disk::btrfs_stripe>(); ++i) {
        d.group(numbered("stripe", i), sizeof(disk::btrfs_stripe));
        d.put<disk::btrfs_stripe>(1);
    }
}

template <class T>
void put_array(Decoder& d, const char* what) {
    for (u32 i = 0; d.fits<T>(); ++i) {
        d.group(numbered(what, i), sizeof(T));
        d.put<T>(1);
    }
}

void put_checksums(const Key& key, Decoder& d, u32 sector_size, std::size_t csum_size) {
    for (u64 sector = key.offset; d.left() >= csum_size && csum_size > 0; sector += sector_size) {
        d.octets("csum of " + std::to_string(sector), csum_size);
    }
}

void put_space_item(const Key& key, Decoder& d) {
    switch (type_of(key)) {
        case KeyType::ExtentItem:
        case KeyType::MetadataItem:
            put_extent_item(key, d);
            break;
        case KeyType::ExtentDataRef:
            d.put<disk::btrfs_extent_data_ref>();
            break;
        case KeyType::SharedDataRef:
            d.put<disk::btrfs_shared_data_ref>();
            break;
        case KeyType::ExtentOwnerRef:
            d.put<disk::btrfs_extent_owner_ref>();
            break;
        case KeyType::BlockGroupItem:
            d.put<disk::btrfs_block_group_item>();
            break;
        case KeyType::FreeSpaceInfo:
            d.put<disk::btrfs_free_space_info>();
            break;
        case KeyType::FreeSpaceBitmap:
            d.octets("bitmap", d.left());
            break;
        case KeyType::DevExtent:
            d.put<disk::btrfs_dev_extent>();
            break;
        case KeyType::DevItem:
            d.put<disk::btrfs_dev_item>();
            break;
        case KeyType::ChunkItem:
            put_chunk(d);
            break;
        case KeyType::RaidStripe:
            put_array<disk::btrfs_raid_stride>(d, "stride");
            break;
        case KeyType::PersistentItem:
            d.put_growing<disk::btrfs_dev_stats_item>();
            break;
        case KeyType::DevReplace:
            d.put<disk::btrfs_dev_replace_item>();
            break;
        case KeyType::TemporaryItem:
            if (d.fits<disk::btrfs_balance_item>()) d.put<disk::btrfs_balance_item>();
            break;
        default:
            break;
    }
}

void put_other_item(const Key& key, Decoder& d) {
    switch (type_of(key)) {
        case KeyType::QgroupStatus:
            d.put_growing<disk::btrfs_qgroup_status_item>();
            break;
        case KeyType::QgroupInfo:
            d.put<disk::btrfs_qgroup_info_item>();
            break;
        case KeyType::QgroupLimit:
            d.put<disk::btrfs_qgroup_limit_item>();
            break;
        case KeyType::UuidKeySubvol:
        case KeyType::UuidKeyReceivedSubvol:
            put_array<disk::btrfs_uuid_entry>(d, "subvolume");
            break;
        case KeyType::StringItem:
            d.text("string", d.left());
            break;
        case KeyType::VerityDescItem:
            if (key.offset == 0) d.put<disk::btrfs_verity_descriptor_item>();
            break;
        case KeyType::Untyped:
            if (key.objectid == free_space_objectid) d.put<disk::btrfs_free_space_header>();
            break;
        default:
            put_space_item(key, d);
            break;
    }
}

}  // namespace

void append_btrfs_item(std::vector<Field>& out, const Key& key, Bytes block, std::size_t at, std::size_t size,
                       u32 sector_size, std::size_t csum_size) {
    Decoder d(out, block, at, size);
    switch (type_of(key)) {
        case KeyType::InodeItem:
            d.put<disk::btrfs_inode_item>();
            break;
        case KeyType::InodeRef:
            put_references<disk::btrfs_inode_ref>(d);
            break;
        case KeyType::InodeExtref:
            put_references<disk::btrfs_inode_extref>(d);
            break;
        case KeyType::XattrItem:
        case KeyType::DirItem:
        case KeyType::DirIndex:
            put_dir_entries(d);
            break;
        case KeyType::DirLogItem:
        case KeyType::DirLogIndex:
            d.put<disk::btrfs_dir_log_item>();
            break;
        case KeyType::ExtentData:
            put_file_extent(out, d);
            break;
        case KeyType::ExtentCsum:
            put_checksums(key, d, sector_size, csum_size);
            break;
        case KeyType::RootItem:
            d.put_growing<disk::btrfs_root_item>();
            break;
        case KeyType::RootRef:
        case KeyType::RootBackref:
            put_references<disk::btrfs_root_ref>(d);
            break;
        default:
            put_other_item(key, d);
            break;
    }
    if (d.left() > 0) d.octets("further bytes", d.left());
}

}  // namespace glassfs::inspect
