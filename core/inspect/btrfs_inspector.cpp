// SPDX-License-Identifier: MIT
// Blocks and items as they lie on disk.
#include "inspect/btrfs_inspector.h"

#include "inspect/btrfs_items.h"
#include "inspect/fields.h"

#include <algorithm>

namespace glassfs::inspect {

using btrfs::Key;
using btrfs::TreeBlock;
namespace disk = btrfs::disk;

namespace {

// How many entries a header may claim before they leave the block.
u32 entries_inside(const TreeBlock& block) {
    u32 width = block.is_leaf() ? TreeBlock::item_size : TreeBlock::pointer_size;
    return std::min(block.nritems(), TreeBlock::capacity(block.size()) / width);
}

// The part of an item's data that lies inside of the block; empty if none does.
struct DataRange {
    u32 at = 0;
    u32 size = 0;
    bool whole = true;
};
DataRange data_range(const TreeBlock& leaf, u32 slot) {
    u64 at = u64{TreeBlock::header_size} + leaf.item(slot).offset;
    u64 size = leaf.item(slot).size;
    if (at >= leaf.size()) return {leaf.size(), 0, size == 0 && at == leaf.size()};
    u64 inside = std::min(size, leaf.size() - at);
    return {static_cast<u32>(at), static_cast<u32>(inside), inside == size};
}

}  // namespace

// Prefers what is newer in memory, then a copy that verifies, then any that can be read. Needs reading().
Result<BtrfsInspector::RawBlock> BtrfsInspector::read_any_copy(LogicalAddr addr) {
    if (addr.value % volume_.geometry().sector_size != 0)
        return fail(Cause::BlockUnaligned, {.block = addr.value});
    if (auto newer = TRY(volume_.newer_block(addr))) return RawBlock{*newer, {}, {}, true};
    u32 mirrors = volume_.mirrors(addr);
    if (mirrors == 0) return fail(Cause::ChunkMissing, {.block = addr.value});
    std::optional<RawBlock> best;
    std::optional<Error> read_error;
    std::vector<Copy> copies;
    for (u32 mirror = 0; mirror < mirrors; ++mirror) {
        Copy copy;
        if (!volume_.is_metadump()) {
            auto mapping = TRY(volume_.chunk_map().map(addr, volume_.geometry().node_size, mirror));
            copy.device = mapping.chunk->stripes[mapping.stripe].devid;
            copy.physical = mapping.physical;
        } else {
            copy = {1, PhysicalAddr{addr.value}, false};
        }
        auto bytes = volume_.read_raw_block(addr, mirror);
        copy.readable = bytes.has_value();
        bool rebuilt = mirror > 0 && mirrors > 1 && !volume_.is_metadump() &&
                       volume_.chunk_map().find(addr)->parity_stripes() > 0;
        if (!rebuilt) copies.push_back(copy);
        if (!bytes) {
            if (!read_error) read_error = bytes.error();
            continue;
        }
        TreeBlock block(addr, std::move(*bytes));
        std::optional<Error> error;
        if (auto good = volume_.verify_block(block); !good) error = good.error();
        if (!best || (best->error && !error)) best = RawBlock{std::move(block), {}, std::move(error), false};
    }
    if (!best) return fail(std::move(*read_error));
    best->copies = std::move(copies);
    return std::move(*best);
}

Item BtrfsInspector::make_item(const TreeBlock& block, u32 slot, bool check) {
    Item item;
    item.slot = slot;
    item.key = block.key(slot);
    item.type_name = btrfs::key_type_name(item.key.type);
    item.key_text = btrfs_key_text(item.key);
    if (!block.is_leaf()) {
        const auto& pointer = block.pointer(slot);
        item.item_class = ItemClass::Pointer;
        item.child = LogicalAddr{pointer.blockptr};
        item.child_generation = Generation{pointer.generation};
        item.summary = std::to_string(pointer.blockptr);
        item.data_offset = static_cast<u32>(block.entry_at(slot));
        item.data_size = TreeBlock::pointer_size;
        return item;
    }
    DataRange range = data_range(block, slot);
    Bytes data = block.bytes().subspan(range.at, range.size);
    item.data_offset = range.at;
    item.data_size = range.size;
    item.item_class = btrfs_item_class(item.key, data);
    item.summary = btrfs_item_summary(item.key, data);
    Where where{.block = block.addr().value, .slot = slot, .key = item.key};
    if (!range.whole) {
        item.error = Error{Cause::ItemOutOfBounds, where, {}};
    } else if (check) {
        if (auto good = btrfs::check_item(volume_.geometry(), block, slot); !good) item.error = good.error();
    }
    return item;
}

Result<BlockView> BtrfsInspector::block(LogicalAddr addr) {
    auto lock = volume_.reading();
    RawBlock raw = TRY(read_any_copy(addr));
    const TreeBlock& block = raw.block;
    BlockView view;
    view.addr = addr;
    view.size = block.size();
    view.level = block.level();
    view.generation = block.generation();
    view.owner = block.owner();
    view.owner_name = tree_name(block.owner());
    view.checksum_type = checksum_name(volume_.geometry().csum_type);
    ChecksumType type = volume_.geometry().csum_type;
    view.checksum_stored = hex_bytes(checksum_stored(type, block.header().csum).stored());
    view.checksum_computed = hex_bytes(checksum(type, block.bytes().subspan(sizeof(disk::Csum))).stored());
    view.copies = std::move(raw.copies);
    view.in_memory = raw.in_memory;
    append_fields(view.header, disk::btrfs_header::layout(), block.bytes(), 0);
    view.capacity = TreeBlock::capacity(block.size());
    u32 entries = entries_inside(block);
    bool sound = !raw.error;  // check_item() needs the block's structure to be valid
    for (u32 slot = 0; slot < entries; ++slot) {
        view.items.push_back(make_item(block, slot, sound));
        view.used_bytes +=
            block.is_leaf() ? TreeBlock::item_size + view.items.back().data_size : TreeBlock::pointer_size;
    }
    view.used_bytes = std::min(view.used_bytes, view.capacity);  // overlapping items of a damaged leaf
    view.free_bytes = view.capacity - view.used_bytes;
    view.error = std::move(raw.error);
    view.raw = std::make_shared<const Buffer>(block.bytes().begin(), block.bytes().end());
    return view;
}

Result<std::vector<Field>> BtrfsInspector::item_fields(LogicalAddr addr, u32 slot) {
    auto lock = volume_.reading();
    RawBlock raw = TRY(read_any_copy(addr));
    const TreeBlock& block = raw.block;
    if (slot >= entries_inside(block)) {
        return fail(Cause::InvalidArgument, {.block = addr.value, .slot = slot}, "no such item");
    }
    std::vector<Field> out;
    if (!block.is_leaf()) {
        append_fields(out, disk::btrfs_key_ptr::layout(), block.bytes(), block.entry_at(slot));
        return out;
    }
    append_fields(out, disk::btrfs_item::layout(), block.bytes(), block.entry_at(slot));
    DataRange range = data_range(block, slot);
    append_btrfs_item(out, block.key(slot), block.bytes(), range.at, range.size,
                      volume_.geometry().sector_size, checksum_size(volume_.geometry().csum_type));
    return out;
}

std::vector<Field> BtrfsInspector::superblock() {
    std::vector<Field> out;
    const auto& super = volume_.super();
    Bytes bytes(reinterpret_cast<const u8*>(&super), sizeof super);
    append_fields(out, disk::btrfs_super_block::layout(), bytes, 0);
    return out;
}

std::shared_ptr<const Buffer> BtrfsInspector::superblock_raw() {
    const u8* begin = reinterpret_cast<const u8*>(&volume_.super());
    return std::make_shared<const Buffer>(begin, begin + sizeof(disk::btrfs_super_block));
}

// Depth first with an explicit stack: the depth is bounded by the levels, which must fall by one at each
// step, and a block that is its own ancestor can't have a lower level.
struct BtrfsInspector::Walk {
    struct Todo {
        LogicalAddr addr;
        u32 parent;
        u32 slot;
        btrfs::BlockExpectation expect;
    };
    std::vector<Todo> stack;
    u32 visited = 0;
    std::optional<Key> last = {};  // the greatest key seen

    // Along the walk keys rise; only a first child begins with its parent's key. Each block has room for one
    // place in that order, so that nodes which share children can't make the walk endless.
    bool in_order(const Todo& todo) const {
        if (!last || !todo.expect.first_key) return true;
        return todo.slot == 0 ? *last <= *todo.expect.first_key : *last < *todo.expect.first_key;
    }
    void seen(const Key& key) {
        if (!last || *last < key) last = key;
    }
};

namespace {

void count_bytes(const TreeBlock& block, NodeRecord& record) {
    for (u32 slot = 0; slot < block.nritems(); ++slot) {
        if (!block.is_leaf()) {
            record.bytes_of[static_cast<std::size_t>(ItemClass::Pointer)] += TreeBlock::pointer_size;
            continue;
        }
        Bytes data = block.data(slot);
        auto item_class = static_cast<std::size_t>(btrfs_item_class(block.key(slot), data));
        record.bytes_of[item_class] += static_cast<u32>(data.size()) + TreeBlock::item_size;
    }
}

}  // namespace

Result<void> BtrfsInspector::walk_tree(u64 tree, const std::function<bool(const NodeRecord&)>& visit) {
    btrfs::TreeRoot root;
    {
        auto lock = volume_.reading();
        root = TRY(root_of(tree));
    }
    Walk walk;
    walk.stack.push_back({root.bytenr, 0, 0, root.expectation()});
    while (!walk.stack.empty()) {
        Walk::Todo todo = walk.stack.back();
        walk.stack.pop_back();
        u32 index = walk.visited++;
        bool in_order = walk.in_order(todo);
        NodeRecord record;
        record.addr = todo.addr;
        record.parent = todo.parent;
        record.slot = todo.slot;
        record.level = todo.expect.level.value_or(0);
        if (todo.expect.generation) record.generation = *todo.expect.generation;
        if (todo.expect.first_key) {
            record.first_key = *todo.expect.first_key;
            walk.seen(record.first_key);
        }
        auto lock = volume_.reading();  // of one block: a writer doesn't wait for the whole walk
        auto block = volume_.read_block(todo.addr, todo.expect);
        record.bad = !block || !in_order;
        if (!record.bad) {
            const TreeBlock& b = **block;
            record.items = b.nritems();
            record.free_bytes = b.free_bytes();
            record.generation = b.generation();
            if (b.nritems() > 0) {
                record.first_key = b.key(0);
                walk.seen(b.is_leaf() ? b.key(b.nritems() - 1) : b.key(0));
            }
            count_bytes(b, record);
            for (u32 slot = b.is_leaf() ? 0 : b.nritems(); slot-- > 0;) {
                const auto& pointer = b.pointer(slot);
                walk.stack.push_back(
                    {LogicalAddr{pointer.blockptr},
                     index,
                     slot,
                     {static_cast<u8>(b.level() - 1), Generation{pointer.generation}, b.key(slot)}});
            }
        }
        lock.unlock();
        if (!visit(record)) return {};
    }
    return {};
}

}  // namespace glassfs::inspect
