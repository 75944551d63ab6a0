// SPDX-License-Identifier: MIT
// The extent tree's items, written. References stand inline in the extent item while they fit, sorted (see
// extent_item_checker.cpp); from the first one that doesn't on, new ones get items of their own.
#include "btrfs/extent_tree.h"

#include "btrfs/block_edit.h"
#include "btrfs/csum_tree.h"
#include "btrfs/cursor.h"
#include "btrfs/free_space_tree.h"
#include "btrfs/tree_edit.h"
#include "btrfs/writable_volume.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr std::size_t head_size = sizeof(disk::btrfs_extent_item);

bool is_shared(const ExtentRef& ref) {
    return ref.type == KeyType::SharedBlockRef || ref.type == KeyType::SharedDataRef;
}

// By what inline references of one type are sorted (falling), and where a keyed one has its key's offset.
u64 sort_number(const ExtentRef& ref) {
    if (is_shared(ref)) return ref.parent;
    if (ref.type == KeyType::ExtentDataRef) return extent_data_ref_hash(ref.root, ref.objectid, ref.offset);
    return ref.root;
}

bool same(const ExtentRef& a, const ExtentRef& b) {
    if (a.type != b.type) return false;
    if (is_shared(a)) return a.parent == b.parent;
    if (a.type == KeyType::ExtentDataRef) {
        return a.root == b.root && a.objectid == b.objectid && a.offset == b.offset;
    }
    return a.root == b.root;
}

Buffer inline_ref(const ExtentRef& ref, u32 count) {
    Buffer out;
    auto put = [&](const auto& part) {
        Bytes bytes = bytes_of(part);
        out.insert(out.end(), bytes.begin(), bytes.end());
    };
    out.reserve(32);
    if (ref.type == KeyType::ExtentDataRef) {
        out.push_back(static_cast<u8>(ref.type));
        put(disk::btrfs_extent_data_ref{ref.root, ref.objectid, ref.offset, count});
        return out;
    }
    put(disk::btrfs_extent_inline_ref{static_cast<u8>(ref.type), is_shared(ref) ? ref.parent : ref.root});
    if (ref.type == KeyType::SharedDataRef) put(disk::btrfs_shared_data_ref{count});
    return out;
}

std::size_t inline_size(KeyType type) {
    if (type == KeyType::ExtentDataRef) return 1 + sizeof(disk::btrfs_extent_data_ref);
    std::size_t plain = sizeof(disk::btrfs_extent_inline_ref);
    return type == KeyType::SharedDataRef ? plain + sizeof(disk::btrfs_shared_data_ref) : plain;
}

bool counts(KeyType type) {
    return type == KeyType::ExtentDataRef || type == KeyType::SharedDataRef;
}

// Where a counting reference has its count: the last four bytes, inline or keyed.
u32 count_at_end(Bytes bytes) {
    return load<Le32>(bytes, bytes.size() - sizeof(Le32));
}
void set_count_at_end(MutBytes bytes, u32 count) {
    Le32 value(count);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

// One extent whose item is being changed.
class ExtentChange {
  public:
    ExtentChange(Transaction& tx, Tree& tree, const RefHead& head) : tx_(tx), tree_(tree), head_(head) {}

    Result<void> run();

  private:
    struct Place {
        std::size_t at = 0;    // of the inline reference in the item's data
        std::size_t size = 0;  // 0: not there, and `at` is where it belongs
    };

    Result<void> insert_item();
    Result<bool> find();
    Result<Place> find_inline(const ExtentRef&);
    Result<bool> has_keyed_refs();
    Result<void> add(const ExtentRef&, u32 count);
    Result<void> drop(const ExtentRef&, u32 count);
    Result<void> add_keyed(const ExtentRef&, u32 count);
    Result<bool> change_refs(s64 change);
    Result<void> free_extent();
    Key keyed(const ExtentRef& ref) const {
        return {head_.addr.value, static_cast<u8>(ref.type), sort_number(ref)};
    }
    Failure missing(const ExtentRef& ref) const {
        return fail(Cause::RefMissing, {.block = head_.addr.value, .tree = tree_.id()},
                    key_type_name(static_cast<u8>(ref.type)) + " of " +
                        std::to_string(is_shared(ref) ? ref.parent : ref.root));
    }

    Transaction& tx_;
    Tree& tree_;
    const RefHead& head_;
    Key key_;        // of the extent's item
    EditPath path_;  // to it, after find()
};

// Tree blocks may have the old kind of key, with the length, also where new ones get the short kind.
Result<bool> ExtentChange::find() {
    if (head_.kind == ExtentKind::TreeBlock && tx_.geometry().has(incompat_skinny_metadata)) {
        key_ = make_key(head_.addr.value, KeyType::MetadataItem, head_.level);
        if (TRY(find_for_change(tx_, tree_, key_, 0, path_))) return true;
    }
    key_ = make_key(head_.addr.value, KeyType::ExtentItem, head_.length);
    return find_for_change(tx_, tree_, key_, 0, path_);
}

Result<void> ExtentChange::insert_item() {
    const bool data = head_.kind == ExtentKind::Data;
    const bool skinny = !data && tx_.geometry().has(incompat_skinny_metadata);
    const RefChange& first = head_.changes.front();
    u32 refs = counts(first.ref.type) ? static_cast<u32>(first.change) : 1;
    u64 flags = (data ? extent_flag_data : extent_flag_tree_block) | head_.set_flags;
    disk::btrfs_extent_item item{refs, tx_.generation().value, flags};
    Buffer bytes(bytes_of(item).begin(), bytes_of(item).end());
    if (!data && !skinny) {
        disk::btrfs_tree_block_info info{};
        info.level = head_.level;
        // Its key is the block's first one; a block that is not in memory any more was never there long.
        auto block = TRY(tx_.volume().read_block(head_.addr));
        if (block->nritems() > 0) info.key = to_disk_key(block->key(0));
        bytes.insert(bytes.end(), bytes_of(info).begin(), bytes_of(info).end());
    }
    Buffer ref = inline_ref(first.ref, refs);
    bytes.insert(bytes.end(), ref.begin(), ref.end());
    Key key = skinny ? make_key(head_.addr.value, KeyType::MetadataItem, head_.level)
                     : make_key(head_.addr.value, KeyType::ExtentItem, head_.length);
    TRY(btrfs::insert_item(tx_, tree_, key, bytes));
    BlockGroup* group = tx_.store().groups().find(head_.addr);
    GLASSFS_ASSERT(group != nullptr);
    tx_.store().groups().reserved_to_used(head_.addr, head_.length);
    auto& super = tx_.store().super();
    super.bytes_used = super.bytes_used + head_.length;
    return free_space_removed(tx_, *group, head_.addr, head_.length);
}

// Needs find().
Result<ExtentChange::Place> ExtentChange::find_inline(const ExtentRef& wanted) {
    Bytes data = path_.data();
    std::size_t at = head_size;
    const auto& item = view<disk::btrfs_extent_item>(data);
    if ((item.flags & extent_flag_tree_block) != 0 && type_of(key_) == KeyType::ExtentItem) {
        at += sizeof(disk::btrfs_tree_block_info);
    }
    InlineRefs refs(key_, data);
    while (auto ref = refs.next()) {
        if (same(*ref, wanted)) return Place{at, inline_size(ref->type)};
        bool behind =
            ref->type > wanted.type || (ref->type == wanted.type && sort_number(*ref) < sort_number(wanted));
        if (behind) return Place{at, 0};
        at += inline_size(ref->type);
    }
    if (refs.broken()) return fail(Cause::ExtentItemBad, {.key = key_, .tree = tree_.id()});
    return Place{at, 0};
}

Result<bool> ExtentChange::has_keyed_refs() {
    Cursor cursor(tx_.volume(), tree_.root);
    Key first = make_key(head_.addr.value, KeyType::ExtentOwnerRef, 0);
    if (!TRY(cursor.seek(first))) return false;
    return cursor.key().objectid == head_.addr.value && type_of(cursor.key()) < KeyType::BlockGroupItem;
}

// Changes the extent item's total. True: nobody refers to the extent any more.
Result<bool> ExtentChange::change_refs(s64 change) {
    if (!TRY(find())) return fail(Cause::RefMissing, {.block = head_.addr.value}, "no extent item");
    auto& item = *reinterpret_cast<disk::btrfs_extent_item*>(path_.changed_data().data());
    if (change < 0 && item.refs < static_cast<u64>(-change)) {
        return fail(Cause::RefCountWrong, {.key = key_, .tree = tree_.id()});
    }
    item.refs = item.refs + static_cast<u64>(change);
    return item.refs == 0;
}

Result<void> ExtentChange::add_keyed(const ExtentRef& ref, u32 count) {
    for (Key key = keyed(ref);; ++key.offset) {  // different references may hash to the same number
        EditPath path;
        u32 size = ref.type == KeyType::ExtentDataRef ? sizeof(disk::btrfs_extent_data_ref)
                   : counts(ref.type)                 ? sizeof(disk::btrfs_shared_data_ref)
                                                      : 0;
        if (!TRY(find_for_change(tx_, tree_, key, TreeBlock::item_size + size, path))) {
            insert_at(tx_, tree_, path, key, size, [&](MutBytes data) {
                if (ref.type == KeyType::ExtentDataRef) {
                    disk::btrfs_extent_data_ref item{ref.root, ref.objectid, ref.offset, count};
                    std::copy(bytes_of(item).begin(), bytes_of(item).end(), data.begin());
                } else if (size != 0) {
                    set_count_at_end(data, count);
                }
            });
            return {};
        }
        if (ref.type != KeyType::ExtentDataRef) {
            if (size == 0)
                return fail(Cause::RefCountWrong, {.key = key, .tree = tree_.id()}, "twice the same");
            set_count_at_end(path.changed_data(), count_at_end(path.data()) + count);
            return {};
        }
        const auto& there = view<disk::btrfs_extent_data_ref>(path.data());
        if (there.root == ref.root && there.objectid == ref.objectid && there.offset == ref.offset) {
            set_count_at_end(path.changed_data(), there.count + count);
            return {};
        }
    }
}

Result<void> ExtentChange::add(const ExtentRef& ref, u32 count) {
    TRY(change_refs(static_cast<s64>(counts(ref.type) ? count : 1)));
    Place place = TRY(find_inline(ref));
    if (place.size != 0) {
        if (!counts(ref.type))
            return fail(Cause::RefCountWrong, {.key = key_, .tree = tree_.id()}, "twice the same");
        MutBytes there = path_.changed_data().subspan(place.at, place.size);
        set_count_at_end(there, count_at_end(there) + count);
        return {};
    }
    Buffer bytes = inline_ref(ref, count);
    const u32 size_max = tx_.geometry().node_size / 16 - TreeBlock::item_size;
    const u32 old = static_cast<u32>(path_.data().size());
    if (old + bytes.size() >= size_max || TRY(has_keyed_refs())) return add_keyed(ref, count);
    TRY(find_for_change(tx_, tree_, key_, static_cast<u32>(bytes.size()), path_));
    MutBytes data = resize_at(path_, old + static_cast<u32>(bytes.size()));
    std::memmove(data.data() + place.at + bytes.size(), data.data() + place.at, old - place.at);
    std::copy(bytes.begin(), bytes.end(), data.begin() + static_cast<std::ptrdiff_t>(place.at));
    return {};
}

Result<void> ExtentChange::drop(const ExtentRef& ref, u32 count) {
    bool last = TRY(change_refs(-static_cast<s64>(counts(ref.type) ? count : 1)));
    Place place = TRY(find_inline(ref));
    if (place.size != 0) {
        MutBytes data = path_.changed_data();
        MutBytes there = data.subspan(place.at, place.size);
        u32 had = counts(ref.type) ? count_at_end(there) : 1;
        if (had < count) return missing(ref);
        if (had > count) {
            set_count_at_end(there, had - count);
        } else if (!last) {
            std::size_t behind = place.at + place.size;
            std::memmove(data.data() + place.at, data.data() + behind, data.size() - behind);
            resize_at(path_, static_cast<u32>(data.size() - place.size));
        }
        return last ? free_extent() : Result<void>{};
    }
    for (Key key = keyed(ref);; ++key.offset) {
        EditPath path;
        if (!TRY(find_for_change(tx_, tree_, key, 0, path))) return missing(ref);
        if (ref.type == KeyType::ExtentDataRef) {
            const auto& there = view<disk::btrfs_extent_data_ref>(path.data());
            bool mine =
                there.root == ref.root && there.objectid == ref.objectid && there.offset == ref.offset;
            if (!mine) continue;
        }
        u32 had = counts(ref.type) ? count_at_end(path.data()) : 1;
        if (had < count) return missing(ref);
        if (had > count)
            set_count_at_end(path.changed_data(), had - count);
        else
            TRY(erase_at(tx_, tree_, path));
        break;
    }
    return last ? free_extent() : Result<void>{};
}

// Its item goes; the space is pinned until the commit is durable, since the last one still refers to it.
Result<void> ExtentChange::free_extent() {
    if (!TRY(find())) return fail(Cause::RefMissing, {.block = head_.addr.value}, "no extent item");
    TRY(erase_at(tx_, tree_, path_));
    WritableVolume& store = tx_.store();
    BlockGroup* group = store.groups().find(head_.addr);
    if (group == nullptr || group->used < head_.length) {
        return fail(Cause::UsedBytesWrong, {.block = head_.addr.value}, "of the block group");
    }
    if (head_.kind == ExtentKind::Data) TRY(erase_checksums(tx_, head_.addr, head_.length));
    store.groups().used_to_pinned(head_.addr, head_.length);
    auto& super = store.super();
    super.bytes_used = super.bytes_used - head_.length;
    store.trace([&] { return trace::ExtentFree{head_.addr, head_.length, 1}; });
    return free_space_added(tx_, *group, head_.addr, head_.length);
}

Result<void> ExtentChange::run() {
    std::size_t done = 0;
    if (head_.is_new) {
        GLASSFS_ASSERT(!head_.changes.empty());
        TRY(insert_item());
        done = 1;
    } else if (head_.set_flags != 0) {
        if (!TRY(find())) return fail(Cause::RefMissing, {.block = head_.addr.value}, "no extent item");
        auto& item = *reinterpret_cast<disk::btrfs_extent_item*>(path_.changed_data().data());
        item.flags = item.flags | head_.set_flags;
    }
    for (std::size_t i = done; i < head_.changes.size(); ++i) {
        const RefChange& change = head_.changes[i];
        if (change.change > 0) TRY(add(change.ref, static_cast<u32>(change.change)));
    }
    for (std::size_t i = done; i < head_.changes.size(); ++i) {
        const RefChange& change = head_.changes[i];
        if (change.change < 0) TRY(drop(change.ref, static_cast<u32>(-change.change)));
    }
    return {};
}

}  // namespace

Result<void> apply_ref_head(Transaction& tx, const RefHead& head) {
    Tree* tree = TRY(tx.tree(extent_tree_objectid));
    TRY(ExtentChange(tx, *tree, head).run());
    tx.store().trace([&] { return trace::DelayedRefRun{head.addr, static_cast<u64>(head.total())}; });
    return {};
}

Result<std::optional<ExtentItemInfo>> read_extent_item(Transaction& tx, LogicalAddr addr, u8 level) {
    Tree* tree = TRY(tx.tree(extent_tree_objectid));
    Cursor cursor(tx.volume(), tree->root);
    bool found = TRY(cursor.seek(make_key(addr.value, KeyType::ExtentItem, 0)));
    while (found && cursor.key().objectid == addr.value &&
           cursor.key().type <= static_cast<u8>(KeyType::MetadataItem)) {
        bool skinny = type_of(cursor.key()) == KeyType::MetadataItem;
        if (!skinny || cursor.key().offset == level) {
            TRY(cursor.check());
            const auto& item = view<disk::btrfs_extent_item>(cursor.data());
            return std::optional<ExtentItemInfo>({item.refs, item.flags});
        }
        found = TRY(cursor.next());
    }
    return std::optional<ExtentItemInfo>{};
}

}  // namespace glassfs::btrfs
