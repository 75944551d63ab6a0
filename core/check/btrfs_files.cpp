// SPDX-License-Identifier: MIT
// The tree is read once in key order. An inode's own items are judged when the next inode begins; names meet
// at the end, in one sorted list.
#include "check/btrfs_files.h"

#include "base/xxhash64.h"

#include <algorithm>
#include <tuple>

namespace glassfs::check {

namespace disk = btrfs::disk;

namespace {

constexpr u32 mode_type_mask = 0170000, mode_directory = 0040000, mode_regular = 0100000,
              mode_symlink = 0120000;

u8 dir_type_of_mode(u32 mode) {
    switch (mode & mode_type_mask) {
        case 0100000:
            return btrfs::ft_regular;
        case 0040000:
            return btrfs::ft_dir;
        case 0020000:
            return btrfs::ft_chrdev;
        case 0060000:
            return btrfs::ft_blkdev;
        case 0010000:
            return btrfs::ft_fifo;
        case 0140000:
            return btrfs::ft_sock;
        case 0120000:
            return btrfs::ft_symlink;
        default:
            return btrfs::ft_unknown;
    }
}

// What stays of an inode until the names are compared.
struct InodeBrief {
    u64 number = 0;
    u32 nlink = 0;
    u8 type = btrfs::ft_unknown;
    bool has_item = false;
};

enum class NameKind : u8 { DirItem, DirIndex, Ref };

struct NameRecord {
    u64 inode = 0;
    u64 dir = 0;
    u64 name_hash = 0;  // 64 bits of the whole name
    u64 index = 0;      // not of a DirItem
    NameKind kind = NameKind::DirItem;
    u8 type = btrfs::ft_unknown;  // not of a Ref
    auto name() const { return std::tie(inode, dir, name_hash); }
    auto order() const { return std::tie(inode, dir, name_hash, kind, index); }
};

// The inode that is being read.
struct Inode {
    u64 number = 0;
    bool has_item = false;
    disk::btrfs_inode_item item = {};
    Where where;
    u64 name_bytes = 0;   // of DIR_ITEM and DIR_INDEX
    u64 found_bytes = 0;  // of file extents
    u64 covered_to = 0;   // file offset up to which extents leave no gap
    u64 extents_end = 0;  // file offset
    bool has_names = false;
    bool has_root_ref = false;  // the root directory's ".."
    bool has_extents = false;
    bool gap = false;
    bool csum_found = false;
    u64 csum_missing = 0;  // bytes

    u32 type() const { return item.mode & mode_type_mask; }
};

class FileCheck {
  public:
    FileCheck(const FileCheckParts& parts, const RootRecord& record)
        : parts_(parts), findings_(parts.reader.findings()), tree_(record.root.id) {}

    void run(const RootRecord& record);

  private:
    void visit(const ItemView&);
    void begin_inode(const ItemView&);
    void end_inode();
    void check_contents();
    void read_dir_item(const ItemView&);
    void read_refs(const ItemView&);
    void read_extrefs(const ItemView&);
    void read_extent(const ItemView&);
    void count_csums(const disk::btrfs_file_extent_item&);
    void compare_names();
    void check_name(const NameRecord* first, const NameRecord* last, const InodeBrief* inode);
    void check_links(const InodeBrief&, u64 links);
    bool is_orphan(u64 inode) const { return std::binary_search(orphans_.begin(), orphans_.end(), inode); }
    Where at_inode(u64 inode) const {
        return {.key = btrfs::make_key(inode, KeyType::InodeItem, 0), .tree = tree_};
    }

    const FileCheckParts& parts_;
    Findings& findings_;
    u64 tree_;
    std::optional<Inode> inode_;
    std::vector<InodeBrief> inodes_;  // by number
    std::vector<NameRecord> names_;
    std::vector<u64> orphans_;  // sorted: keys of ORPHAN items come in order
};

void FileCheck::run(const RootRecord& record) {
    u64 node_size = parts_.reader.volume().geometry().node_size;
    bool count_quota = parts_.quota.wanted() && is_subvolume(tree_);
    walk_tree(parts_.reader, record.root, record.drop, [&](const BlockPtr& block) {
        if (count_quota) parts_.quota.note(tree_, block->addr().value, node_size);
        if (block->is_leaf())
            for_each_item(parts_.reader, *block, tree_, [&](const ItemView& item) { visit(item); });
        return true;
    });
    end_inode();
    if (record.drop || record.deleted()) return;  // names of what is gone remain
    bool has_root = std::any_of(inodes_.begin(), inodes_.end(), [](const InodeBrief& inode) {
        return inode.number == btrfs::first_free_objectid && inode.has_item;
    });
    if (!has_root)
        findings_.problem(Cause::InodeMissing, at_inode(btrfs::first_free_objectid), "no root directory");
    compare_names();
}

void FileCheck::visit(const ItemView& item) {
    if (type_of(item.key) == KeyType::OrphanItem) {
        orphans_.push_back(item.key.offset);
        return;
    }
    bool file =
        item.key.objectid >= btrfs::first_free_objectid && item.key.objectid <= btrfs::last_free_objectid;
    if (!file) return;  // the inode number cache
    if (!inode_ || inode_->number != item.key.objectid) {
        end_inode();
        begin_inode(item);
    }
    switch (type_of(item.key)) {
        case KeyType::InodeItem:
            inode_->has_item = true;
            inode_->item = load<disk::btrfs_inode_item>(item.data);
            return;
        case KeyType::DirItem:
        case KeyType::DirIndex:
            return read_dir_item(item);
        case KeyType::InodeRef:
            return read_refs(item);
        case KeyType::InodeExtref:
            return read_extrefs(item);
        case KeyType::ExtentData:
            return read_extent(item);
        default:
            return;
    }
}

void FileCheck::begin_inode(const ItemView& item) {
    inode_.emplace();
    inode_->number = item.key.objectid;
    inode_->where = item.where();
}

void FileCheck::read_dir_item(const ItemView& item) {
    bool index = type_of(item.key) == KeyType::DirIndex;
    inode_->has_names = true;
    for (std::size_t at = 0; at < item.data.size();) {
        const auto& entry = view<disk::btrfs_dir_item>(item.data, at);
        at += sizeof(entry);
        u64 hash = xxhash64(item.data.subspan(at, entry.name_len));
        at += std::size_t{entry.name_len} + entry.data_len;
        inode_->name_bytes += entry.name_len;
        Key location = btrfs::to_key(entry.location);
        if (type_of(location) == KeyType::RootItem) {
            using Kind = SubvolumeName::Kind;
            parts_.roots.note_name({tree_, location.objectid, item.key.objectid, item.key.offset, hash,
                                    index ? Kind::DirIndex : Kind::DirItem, item.where()});
            continue;
        }
        names_.push_back({location.objectid, item.key.objectid, hash, index ? item.key.offset : 0,
                          index ? NameKind::DirIndex : NameKind::DirItem, entry.type});
    }
}

void FileCheck::read_refs(const ItemView& item) {
    for (std::size_t at = 0; at < item.data.size();) {
        const auto& ref = view<disk::btrfs_inode_ref>(item.data, at);
        at += sizeof(ref);
        Bytes name = item.data.subspan(at, ref.name_len);
        at += ref.name_len;
        bool root_itself =
            item.key.objectid == btrfs::first_free_objectid && item.key.offset == item.key.objectid;
        if (root_itself) {
            inode_->has_root_ref = true;
            bool good = as_text(name) == ".." && ref.index == 0;
            if (!good)
                findings_.problem(Cause::InodeRefBad, item.where(), "the root directory's is not \"..\", 0");
            continue;
        }
        names_.push_back({item.key.objectid, item.key.offset, xxhash64(name), ref.index, NameKind::Ref});
    }
}

void FileCheck::read_extrefs(const ItemView& item) {
    for (std::size_t at = 0; at < item.data.size();) {
        const auto& ref = view<disk::btrfs_inode_extref>(item.data, at);
        at += sizeof(ref);
        u64 hash = xxhash64(item.data.subspan(at, ref.name_len));
        at += ref.name_len;
        names_.push_back({item.key.objectid, ref.parent_objectid, hash, ref.index, NameKind::Ref});
    }
}

void FileCheck::read_extent(const ItemView& item) {
    // Only as many bytes as an inline extent's head are sure to be there.
    const auto& extent = view<disk::btrfs_file_extent_item>(item.data);
    bool is_inline = extent.type == btrfs::file_extent_inline;
    u64 sector = parts_.reader.volume().geometry().sector_size;
    u64 begin = item.key.offset;
    u64 length = is_inline ? (extent.ram_bytes + sector - 1) / sector * sector : extent.num_bytes.get();
    inode_->has_extents = true;
    u64 newest = parts_.reader.volume().geometry().generation;
    if (extent.generation > newest) {
        findings_.problem(Cause::FileExtentBad, item.where(),
                          say("generation ", extent.generation.get(), ", at most ", newest));
    }
    if (begin < inode_->extents_end) {
        findings_.problem(Cause::FileExtentOverlap, item.where(),
                          say("the extent before ends at ", inode_->extents_end));
    }
    if (begin > inode_->extents_end) inode_->gap = true;
    if (!inode_->gap) inode_->covered_to = begin + length;
    inode_->extents_end = std::max(inode_->extents_end, begin + length);
    if (is_inline) {
        inode_->found_bytes += extent.ram_bytes;
        return;
    }
    if (extent.disk_bytenr == 0) return;
    inode_->found_bytes += extent.num_bytes;
    if (extent.type == btrfs::file_extent_regular) count_csums(extent);
    if (parts_.quota.wanted() && is_subvolume(tree_)) {
        parts_.quota.note(tree_, extent.disk_bytenr, extent.disk_num_bytes);
    }
}

// Of a compressed extent everything is read, of another only the part that the file uses.
void FileCheck::count_csums(const disk::btrfs_file_extent_item& extent) {
    Range range{extent.disk_bytenr, extent.disk_bytenr + extent.disk_num_bytes};
    if (extent.compression == 0) {
        range.begin += extent.offset;
        range.end = range.begin + extent.num_bytes;
    }
    u64 covered = parts_.csums.covered(range);
    if (covered > 0) inode_->csum_found = true;
    inode_->csum_missing += range.end - range.begin - covered;
}

void FileCheck::check_contents() {
    const Inode& inode = *inode_;
    const disk::btrfs_inode_item& item = inode.item;
    u32 type = inode.type();
    bool has_data = type == mode_regular || type == mode_symlink;
    if (inode.has_names && type != mode_directory) {
        findings_.problem(Cause::InodeModeWrong, inode.where, "directory entries in what is no directory");
    }
    if (inode.has_extents && !has_data) {
        findings_.problem(Cause::InodeModeWrong, inode.where, "file extents in what is no file");
    }
    if (type == mode_directory && inode.name_bytes != item.size) {
        findings_.problem(Cause::InodeSizeWrong, inode.where,
                          say("size ", item.size.get(), ", its names have ", inode.name_bytes));
    }
    if (has_data && inode.found_bytes != item.nbytes) {
        findings_.problem(Cause::InodeBytesWrong, inode.where,
                          say("nbytes ", item.nbytes.get(), ", its extents have ", inode.found_bytes));
    }
    if (type == mode_symlink && (item.size == 0 || inode.extents_end < item.size)) {
        findings_.problem(Cause::InodeSizeWrong, inode.where,
                          say("symlink of ", item.size.get(), " bytes without text"));
    }
    bool no_holes = parts_.reader.volume().geometry().has(btrfs::incompat_no_holes);
    if (type == mode_regular && item.nlink > 0 && !no_holes && inode.covered_to < item.size) {
        findings_.problem(
            Cause::FileExtentGap, inode.where,
            say("size ", item.size.get(), ", extents go on without a gap up to ", inode.covered_to));
    }
    if (!is_subvolume(tree_) || !parts_.csums.usable() || type != mode_regular) return;
    bool unsummed = (item.flags & btrfs::inode_nodatasum) != 0;
    if (unsummed && inode.csum_found) {
        findings_.problem(Cause::CsumUnused, inode.where, "an inode with NODATASUM has checksums");
    }
    if (!unsummed && inode.csum_missing > 0) {
        findings_.problem(Cause::CsumMissing, inode.where, say(inode.csum_missing, " bytes"));
    }
}

void FileCheck::end_inode() {
    if (!inode_) return;
    constexpr u64 never_on_symlinks = btrfs::inode_immutable | btrfs::inode_append;
    u32 mode = inode_->item.mode;
    inodes_.push_back({inode_->number, inode_->item.nlink, inode_->has_item ? dir_type_of_mode(mode) : u8{0},
                       inode_->has_item});
    if (inode_->number == btrfs::first_free_objectid && !inode_->has_root_ref) {
        findings_.problem(Cause::DirItemUnpaired, inode_->where, "the root directory has no INODE_REF");
    }
    if (inode_->has_item) {
        check_contents();
        if (inode_->type() == mode_symlink && (inode_->item.flags & never_on_symlinks) != 0) {
            findings_.problem(Cause::InodeItemBad, inode_->where,
                              say("symlink with flags ", hex(inode_->item.flags)));
        }
    } else {
        findings_.problem(Cause::InodeMissing, inode_->where);
    }
    inode_.reset();
}

// Names come sorted by inode, as inodes do: the two lists are gone through side by side.
void FileCheck::compare_names() {
    std::sort(names_.begin(), names_.end(),
              [](const NameRecord& a, const NameRecord& b) { return a.order() < b.order(); });
    auto inode = inodes_.begin();
    auto name = names_.begin();
    while (inode != inodes_.end() || name != names_.end()) {
        u64 number = name == names_.end()     ? inode->number
                     : inode == inodes_.end() ? name->inode
                                              : std::min(name->inode, inode->number);
        const InodeBrief* brief = inode != inodes_.end() && inode->number == number ? &*inode++ : nullptr;
        u64 links = 0;
        while (name != names_.end() && name->inode == number) {
            auto last = name;
            while (last != names_.end() && last->name() == name->name()) ++last;
            links += name->kind == NameKind::DirItem ? 1 : 0;
            check_name(&*name, &*name + (last - name), brief);
            name = last;
        }
        if (brief != nullptr && brief->has_item) check_links(*brief, links);
    }
}

// One name of one inode: [first, last) in the order DirItem, DirIndex, Ref.
void FileCheck::check_name(const NameRecord* first, const NameRecord* last, const InodeBrief* inode) {
    std::array<const NameRecord*, 3> by_kind = {};
    Where where = at_inode(first->inode);
    std::string place = say("in directory ", first->dir);
    for (const NameRecord* name = first; name != last; ++name) {
        const NameRecord*& slot = by_kind[static_cast<std::size_t>(name->kind)];
        if (slot != nullptr) findings_.problem(Cause::DirItemUnpaired, where, "twice " + place);
        slot = name;
    }
    const auto& [item, index, ref] = by_kind;
    if (inode == nullptr || !inode->has_item) {
        if (item != nullptr || index != nullptr) findings_.problem(Cause::DirEntryDangling, where, place);
        return;
    }
    if (item == nullptr) findings_.problem(Cause::DirItemUnpaired, where, "no DIR_ITEM " + place);
    if (index == nullptr) findings_.problem(Cause::DirItemUnpaired, where, "no DIR_INDEX " + place);
    if (ref == nullptr) findings_.problem(Cause::DirItemUnpaired, where, "no INODE_REF " + place);
    if (index != nullptr && ref != nullptr && index->index != ref->index) {
        findings_.problem(Cause::DirItemUnpaired, where,
                          say("DIR_INDEX ", index->index, " but INODE_REF ", ref->index, " ", place));
    }
    for (const NameRecord* entry : {item, index}) {
        if (entry == nullptr || entry->type == inode->type) continue;
        findings_.problem(Cause::InodeModeWrong, where, say("entry of type ", entry->type, " ", place));
        break;
    }
}

void FileCheck::check_links(const InodeBrief& inode, u64 links) {
    if (inode.number == btrfs::first_free_objectid) return;  // no directory of this tree names its root
    Where where = at_inode(inode.number);
    if (inode.nlink == 0 && links == 0) {
        if (!is_orphan(inode.number))
            findings_.problem(Cause::InodeOrphan, where, "no links and no orphan item");
        return;
    }
    if (links == 0) return findings_.problem(Cause::InodeOrphan, where, say("nlink ", inode.nlink));
    if (links != inode.nlink) {
        findings_.problem(Cause::LinkCountWrong, where, say("nlink ", inode.nlink, ", found ", links));
    }
}

}  // namespace

void check_files(const FileCheckParts& parts, const RootRecord& record) {
    FileCheck(parts, record).run(record);
}

}  // namespace glassfs::check
