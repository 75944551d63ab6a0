// SPDX-License-Identifier: MIT
#include "btrfs/block_edit.h"

#include "btrfs/leaf_builder.h"

namespace glassfs::btrfs {

namespace {

template <class T>
T& mutable_view(TreeBlock& block, std::size_t at) {
    return *reinterpret_cast<T*>(block.bytes_to_change().data() + at);
}

disk::btrfs_item& item_of(TreeBlock& leaf, u32 slot) {
    return mutable_view<disk::btrfs_item>(leaf, leaf.entry_at(slot));
}

// Where the data of the items before `slot` begins, from the block's begin: item data lies back to front.
u32 data_end(const TreeBlock& leaf, u32 slot) {
    return slot == 0 ? leaf.size() : leaf.data_at(slot - 1);
}
u32 data_begin(const TreeBlock& leaf) {
    return data_end(leaf, leaf.nritems());
}

void move_bytes(TreeBlock& block, std::size_t from, std::size_t to, std::size_t count) {
    u8* base = block.bytes_to_change().data();
    std::memmove(base + to, base + from, count);
}

// Adds `delta` (modulo 2^32) to the data offsets of the items [first, end).
void shift_offsets(TreeBlock& leaf, u32 first, u32 end, u32 delta) {
    for (u32 slot = first; slot < end; ++slot) {
        auto& item = item_of(leaf, slot);
        item.offset = item.offset + delta;
    }
}

// What is no longer used is zeroed, so that the same operations give the same bytes.
void zero(TreeBlock& block, std::size_t begin, std::size_t end) {
    std::memset(block.bytes_to_change().data() + begin, 0, end - begin);
}

}  // namespace

u32 leaf_item_bytes(const TreeBlock& leaf, u32 first, u32 end) {
    return (end - first) * TreeBlock::item_size + data_end(leaf, first) - data_end(leaf, end);
}

MutBytes leaf_data(TreeBlock& leaf, u32 slot) {
    return leaf.bytes_to_change().subspan(leaf.data_at(slot), leaf.item(slot).size);
}

void set_key(TreeBlock& block, u32 slot, const Key& key) {
    mutable_view<disk::btrfs_disk_key>(block, block.entry_at(slot)) = to_disk_key(key);
}

MutBytes leaf_insert(TreeBlock& leaf, u32 slot, const Key& key, u32 size) {
    const u32 n = leaf.nritems();
    GLASSFS_ASSERT(slot <= n && leaf.free_bytes() >= TreeBlock::item_size + size);
    const u32 begin = data_begin(leaf);
    const u32 end = data_end(leaf, slot);
    move_bytes(leaf, begin, begin - size, end - begin);
    shift_offsets(leaf, slot, n, 0U - size);
    move_bytes(leaf, leaf.entry_at(slot), leaf.entry_at(slot + 1), (n - slot) * TreeBlock::item_size);
    item_of(leaf, slot) = {to_disk_key(key), end - size - TreeBlock::header_size, size};
    header_of(leaf).nritems = n + 1;
    MutBytes data = leaf_data(leaf, slot);
    std::memset(data.data(), 0, data.size());
    return data;
}

void leaf_erase(TreeBlock& leaf, u32 slot, u32 count) {
    const u32 n = leaf.nritems();
    GLASSFS_ASSERT(slot + count <= n);
    const u32 begin = data_begin(leaf);
    const u32 gap_end = data_end(leaf, slot);
    const u32 gap_begin = data_end(leaf, slot + count);
    const u32 gap = gap_end - gap_begin;
    move_bytes(leaf, begin, begin + gap, gap_begin - begin);
    shift_offsets(leaf, slot + count, n, gap);
    move_bytes(leaf, leaf.entry_at(slot + count), leaf.entry_at(slot),
               (n - slot - count) * TreeBlock::item_size);
    header_of(leaf).nritems = n - count;
    zero(leaf, leaf.entry_at(n - count), leaf.entry_at(n));
    zero(leaf, begin, begin + gap);
}

MutBytes leaf_resize(TreeBlock& leaf, u32 slot, u32 size) {
    const u32 n = leaf.nritems();
    const u32 old = leaf.item(slot).size;
    const u32 begin = data_begin(leaf);
    const u32 at = leaf.data_at(slot);
    GLASSFS_ASSERT(slot < n && (size <= old || leaf.free_bytes() >= size - old));
    const u32 kept = std::min(old, size);
    // The data behind this item's in the list (before it in memory), and its own front, move together.
    move_bytes(leaf, begin, begin + old - size, at - begin + kept);
    shift_offsets(leaf, slot, n, old - size);
    item_of(leaf, slot).size = size;
    MutBytes data = leaf_data(leaf, slot);
    if (size > old) std::memset(data.data() + old, 0, size - old);
    if (size < old) zero(leaf, begin, begin + old - size);
    return data;
}

void leaf_move_tail(TreeBlock& leaf, u32 first, TreeBlock& right) {
    const u32 n = leaf.nritems(), moved = n - first, kept = right.nritems();
    if (moved == 0) return;
    const u32 from = data_begin(leaf);
    const u32 bytes = data_end(leaf, first) - from;
    GLASSFS_ASSERT(right.free_bytes() >= bytes + moved * TreeBlock::item_size);
    // Front of `right`: its items' data move down, theirs go to the block's end.
    const u32 right_begin = data_begin(right);
    move_bytes(right, right_begin, right_begin - bytes, right.size() - right_begin);
    shift_offsets(right, 0, kept, 0U - bytes);
    move_bytes(right, right.entry_at(0), right.entry_at(moved), kept * TreeBlock::item_size);
    std::memcpy(right.bytes_to_change().data() + right.size() - bytes, leaf.bytes().data() + from, bytes);
    std::memcpy(right.bytes_to_change().data() + right.entry_at(0),
                leaf.bytes().data() + leaf.entry_at(first), moved * TreeBlock::item_size);
    header_of(right).nritems = kept + moved;
    shift_offsets(right, 0, moved, right.size() - bytes - from);
    header_of(leaf).nritems = first;
    zero(leaf, leaf.entry_at(first), leaf.entry_at(n));
    zero(leaf, from, from + bytes);
}

void leaf_move_head(TreeBlock& leaf, u32 count, TreeBlock& left) {
    const u32 kept = left.nritems();
    if (count == 0) return;
    const u32 from = data_end(leaf, count);
    const u32 bytes = leaf.size() - from;
    GLASSFS_ASSERT(left.free_bytes() >= bytes + count * TreeBlock::item_size);
    const u32 to = data_begin(left) - bytes;
    std::memcpy(left.bytes_to_change().data() + to, leaf.bytes().data() + from, bytes);
    std::memcpy(left.bytes_to_change().data() + left.entry_at(kept), leaf.bytes().data() + leaf.entry_at(0),
                count * TreeBlock::item_size);
    header_of(left).nritems = kept + count;
    shift_offsets(left, kept, kept + count, to - from);
    leaf_erase(leaf, 0, count);
}

void node_set_pointer(TreeBlock& node, u32 slot, LogicalAddr child, Generation generation) {
    auto& pointer = mutable_view<disk::btrfs_key_ptr>(node, node.entry_at(slot));
    pointer.blockptr = child.value;
    pointer.generation = generation.value;
}

void node_insert(TreeBlock& node, u32 slot, const Key& key, LogicalAddr child, Generation generation) {
    const u32 n = node.nritems();
    GLASSFS_ASSERT(slot <= n && n < node_pointers_max(node.size()));
    move_bytes(node, node.entry_at(slot), node.entry_at(slot + 1), (n - slot) * TreeBlock::pointer_size);
    header_of(node).nritems = n + 1;
    set_key(node, slot, key);
    node_set_pointer(node, slot, child, generation);
}

void node_erase(TreeBlock& node, u32 slot) {
    const u32 n = node.nritems();
    GLASSFS_ASSERT(slot < n);
    move_bytes(node, node.entry_at(slot + 1), node.entry_at(slot), (n - slot - 1) * TreeBlock::pointer_size);
    header_of(node).nritems = n - 1;
    zero(node, node.entry_at(n - 1), node.entry_at(n));
}

void node_move_tail(TreeBlock& node, u32 first, TreeBlock& right) {
    const u32 n = node.nritems(), moved = n - first, kept = right.nritems();
    GLASSFS_ASSERT(kept + moved <= node_pointers_max(right.size()));
    move_bytes(right, right.entry_at(0), right.entry_at(moved), kept * TreeBlock::pointer_size);
    std::memcpy(right.bytes_to_change().data() + right.entry_at(0),
                node.bytes().data() + node.entry_at(first), moved * TreeBlock::pointer_size);
    header_of(right).nritems = kept + moved;
    header_of(node).nritems = first;
    zero(node, node.entry_at(first), node.entry_at(n));
}

void node_move_head(TreeBlock& node, u32 count, TreeBlock& left) {
    const u32 n = node.nritems(), kept = left.nritems();
    GLASSFS_ASSERT(count <= n && kept + count <= node_pointers_max(left.size()));
    std::memcpy(left.bytes_to_change().data() + left.entry_at(kept), node.bytes().data() + node.entry_at(0),
                count * TreeBlock::pointer_size);
    header_of(left).nritems = kept + count;
    move_bytes(node, node.entry_at(count), node.entry_at(0), (n - count) * TreeBlock::pointer_size);
    header_of(node).nritems = n - count;
    zero(node, node.entry_at(n - count), node.entry_at(n));
}

}  // namespace glassfs::btrfs
