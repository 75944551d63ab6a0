// SPDX-License-Identifier: MIT
// What the core reports while it works: plain structs of copied values, in one variant. They are named after
// the kernel's tracepoints and functions where those exist. An event is added with the code that emits it: a
// struct here with its name and fields, and an entry in the variant; text and files follow from the fields.
#pragma once

#include "base/strong.h"

#include <string>
#include <variant>

namespace glassfs::trace {

// A device answered a read. Emitted by block/traced_device.h.
struct BlockRead {
    u64 device = 0;  // the number that the traced device was given: btrfs' devid
    PhysicalAddr physical;
    u64 length = 0;  // bytes

    static constexpr const char* name = "BlockRead";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("physical", e.physical), f("length", e.length);
    }
    friend bool operator==(const BlockRead&, const BlockRead&) = default;
};

struct BlockWrite {
    u64 device = 0;
    PhysicalAddr physical;
    u64 length = 0;  // bytes

    static constexpr const char* name = "BlockWrite";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("physical", e.physical), f("length", e.length);
    }
    friend bool operator==(const BlockWrite&, const BlockWrite&) = default;
};

struct BlockDiscard {
    u64 device = 0;
    PhysicalAddr physical;
    u64 length = 0;  // bytes

    static constexpr const char* name = "BlockDiscard";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("physical", e.physical), f("length", e.length);
    }
    friend bool operator==(const BlockDiscard&, const BlockDiscard&) = default;
};

// Everything written to the device before is durable.
struct BlockFlush {
    u64 device = 0;

    static constexpr const char* name = "BlockFlush";
    static void fields(auto& e, auto&& f) { f("device", e.device); }
    friend bool operator==(const BlockFlush&, const BlockFlush&) = default;
};

// A btrfs tree block came from a device (not from the cache) and passed its checks.
struct TreeBlockRead {
    LogicalAddr logical;
    u8 level = 0;
    Generation generation;
    u64 owner = 0;  // tree id in its header

    static constexpr const char* name = "TreeBlockRead";
    static void fields(auto& e, auto&& f) {
        f("logical", e.logical), f("level", e.level), f("generation", e.generation), f("owner", e.owner);
    }
    friend bool operator==(const TreeBlockRead&, const TreeBlockRead&) = default;
};

// ---- btrfs, writing. Trees and objects are ids; keys are (objectid, type, offset).

// A tree block was copied to a new place on its first change in this transaction.
struct CowBlock {
    u64 tree = 0;
    u8 level = 0;
    LogicalAddr from;
    LogicalAddr to;

    static constexpr const char* name = "CowBlock";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("level", e.level), f("from", e.from), f("to", e.to);
    }
    friend bool operator==(const CowBlock&, const CowBlock&) = default;
};

// A leaf was full: its items from slot `cut` on went to a new leaf.
struct LeafSplit {
    u64 tree = 0;
    LogicalAddr left;
    LogicalAddr right;
    u32 cut = 0;
    u32 items_moved = 0;

    static constexpr const char* name = "LeafSplit";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("left", e.left), f("right", e.right), f("cut", e.cut);
        f("items_moved", e.items_moved);
    }
    friend bool operator==(const LeafSplit&, const LeafSplit&) = default;
};

struct NodeSplit {
    u64 tree = 0;
    u8 level = 0;
    LogicalAddr left;
    LogicalAddr right;
    u32 pointers_moved = 0;

    static constexpr const char* name = "NodeSplit";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("level", e.level), f("left", e.left), f("right", e.right);
        f("pointers_moved", e.pointers_moved);
    }
    friend bool operator==(const NodeSplit&, const NodeSplit&) = default;
};

// Items went to a neighbouring leaf that had room.
struct LeafPushed {
    u64 tree = 0;
    LogicalAddr from;
    LogicalAddr to;
    u32 items_moved = 0;

    static constexpr const char* name = "LeafPushed";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("from", e.from), f("to", e.to), f("items_moved", e.items_moved);
    }
    friend bool operator==(const LeafPushed&, const LeafPushed&) = default;
};

// Everything of one block went to its neighbour, and the block out of the tree.
struct BlockMerged {
    u64 tree = 0;
    u8 level = 0;
    LogicalAddr from;
    LogicalAddr into;

    static constexpr const char* name = "BlockMerged";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("level", e.level), f("from", e.from), f("into", e.into);
    }
    friend bool operator==(const BlockMerged&, const BlockMerged&) = default;
};

// A tree grew by a level.
struct RootInserted {
    u64 tree = 0;
    u8 level = 0;  // the new root's
    LogicalAddr root;

    static constexpr const char* name = "RootInserted";
    static void fields(auto& e, auto&& f) { f("tree", e.tree), f("level", e.level), f("root", e.root); }
    friend bool operator==(const RootInserted&, const RootInserted&) = default;
};

// A root with a single pointer gave way to its child.
struct RootDropped {
    u64 tree = 0;
    u8 level = 0;  // the new root's
    LogicalAddr root;

    static constexpr const char* name = "RootDropped";
    static void fields(auto& e, auto&& f) { f("tree", e.tree), f("level", e.level), f("root", e.root); }
    friend bool operator==(const RootDropped&, const RootDropped&) = default;
};

struct ItemInserted {
    u64 tree = 0;
    LogicalAddr leaf;
    u32 slot = 0;
    u64 objectid = 0;
    u8 type = 0;
    u64 offset = 0;
    u32 size = 0;  // bytes of data

    static constexpr const char* name = "ItemInserted";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("leaf", e.leaf), f("slot", e.slot), f("objectid", e.objectid);
        f("type", e.type), f("offset", e.offset), f("size", e.size);
    }
    friend bool operator==(const ItemInserted&, const ItemInserted&) = default;
};

struct ItemDeleted {
    u64 tree = 0;
    LogicalAddr leaf;
    u32 slot = 0;
    u64 objectid = 0;
    u8 type = 0;
    u64 offset = 0;

    static constexpr const char* name = "ItemDeleted";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("leaf", e.leaf), f("slot", e.slot), f("objectid", e.objectid);
        f("type", e.type), f("offset", e.offset);
    }
    friend bool operator==(const ItemDeleted&, const ItemDeleted&) = default;
};

// Room was taken from a block group, for a tree block or file data.
struct ExtentAlloc {
    LogicalAddr logical;
    u64 length = 0;
    u64 block_group = 0;
    u64 flags = 0;  // of the block group

    static constexpr const char* name = "ExtentAlloc";
    static void fields(auto& e, auto&& f) {
        f("logical", e.logical), f("length", e.length), f("block_group", e.block_group), f("flags", e.flags);
    }
    friend bool operator==(const ExtentAlloc&, const ExtentAlloc&) = default;
};

// The last reference is gone. What the last commit still uses stays pinned until the next one.
struct ExtentFree {
    LogicalAddr logical;
    u64 length = 0;
    u8 pinned = 0;

    static constexpr const char* name = "ExtentFree";
    static void fields(auto& e, auto&& f) {
        f("logical", e.logical), f("length", e.length), f("pinned", e.pinned);
    }
    friend bool operator==(const ExtentFree&, const ExtentFree&) = default;
};

// A change of an extent's references was put off until the extent tree is updated.
struct DelayedRefAdd {
    LogicalAddr logical;
    u8 type = 0;  // of the reference, a key type
    u64 root_or_parent = 0;
    u64 change = 0;  // two's complement

    static constexpr const char* name = "DelayedRefAdd";
    static void fields(auto& e, auto&& f) {
        f("logical", e.logical), f("type", e.type), f("root_or_parent", e.root_or_parent);
        f("change", e.change);
    }
    friend bool operator==(const DelayedRefAdd&, const DelayedRefAdd&) = default;
};

struct DelayedRefRun {
    LogicalAddr logical;
    u64 references = 0;  // after it

    static constexpr const char* name = "DelayedRefRun";
    static void fields(auto& e, auto&& f) { f("logical", e.logical), f("references", e.references); }
    friend bool operator==(const DelayedRefRun&, const DelayedRefRun&) = default;
};

// Tree blocks in memory that no commit has written yet are a device of this number, addressed by logical
// address; members of a volume count from 1.
inline constexpr u64 memory_device = 0;

// Bytes of a tree block in memory changed. What they were goes with the event.
struct TreeBlockChanged {
    u64 tree = 0;  // owner in its header
    LogicalAddr block;
    u8 level = 0;
    u32 offset = 0;  // of the block's bytes
    u32 length = 0;
    u8 by_itself = 0;  // 1: no event follows that says why; the bytes of an item were set

    static constexpr const char* name = "TreeBlockChanged";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("block", e.block), f("level", e.level), f("offset", e.offset);
        f("length", e.length), f("by_itself", e.by_itself);
    }
    friend bool operator==(const TreeBlockChanged&, const TreeBlockChanged&) = default;
};

// A tree block is no longer newer in memory than on the devices: a commit wrote it, or it was freed.
struct TreeBlockClean {
    LogicalAddr block;

    static constexpr const char* name = "TreeBlockClean";
    static void fields(auto& e, auto&& f) { f("block", e.block); }
    friend bool operator==(const TreeBlockClean&, const TreeBlockClean&) = default;
};

// A tree's root is another block now, in memory; the root item or superblock follows with the commit.
struct TreeRootMoved {
    u64 tree = 0;
    LogicalAddr root;
    u8 level = 0;
    Generation generation;

    static constexpr const char* name = "TreeRootMoved";
    static void fields(auto& e, auto&& f) {
        f("tree", e.tree), f("root", e.root), f("level", e.level), f("generation", e.generation);
    }
    friend bool operator==(const TreeRootMoved&, const TreeRootMoved&) = default;
};

struct TransactionCommit {
    Generation generation;
    u64 rounds = 0;  // until delayed references, block groups and roots stood still
    u64 blocks = 0;  // tree blocks to write

    static constexpr const char* name = "TransactionCommit";
    static void fields(auto& e, auto&& f) {
        f("generation", e.generation), f("rounds", e.rounds), f("blocks", e.blocks);
    }
    friend bool operator==(const TransactionCommit&, const TransactionCommit&) = default;
};

struct ChunkAlloc {
    u64 logical = 0;
    u64 length = 0;
    u64 type = 0;  // block group flags
    u64 stripes = 0;

    static constexpr const char* name = "ChunkAlloc";
    static void fields(auto& e, auto&& f) {
        f("logical", e.logical), f("length", e.length), f("type", e.type), f("stripes", e.stripes);
    }
    friend bool operator==(const ChunkAlloc&, const ChunkAlloc&) = default;
};

struct ChunkRemove {
    u64 logical = 0;
    u64 length = 0;

    static constexpr const char* name = "ChunkRemove";
    static void fields(auto& e, auto&& f) { f("logical", e.logical), f("length", e.length); }
    friend bool operator==(const ChunkRemove&, const ChunkRemove&) = default;
};

// A search for a free dev extent.
struct DevExtentSearch {
    u64 device = 0;
    u64 wanted = 0;
    PhysicalAddr start;  // where it began
    u64 visited = 0;     // dev extents looked at
    PhysicalAddr found;
    u64 found_length = 0;  // less than wanted: the largest hole there is

    static constexpr const char* name = "DevExtentSearch";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("wanted", e.wanted), f("start", e.start), f("visited", e.visited);
        f("found", e.found), f("found_length", e.found_length);
    }
    friend bool operator==(const DevExtentSearch&, const DevExtentSearch&) = default;
};

// A device's hint went to another place: "no free extent of 16 MiB or more starts below".
struct AllocHintMoved {
    u64 device = 0;
    PhysicalAddr from;
    PhysicalAddr to;
    u8 reason = 0;  // btrfs::HintMove

    static constexpr const char* name = "AllocHintMoved";
    static void fields(auto& e, auto&& f) {
        f("device", e.device), f("from", e.from), f("to", e.to), f("reason", e.reason);
    }
    friend bool operator==(const AllocHintMoved&, const AllocHintMoved&) = default;
};

using Event = std::variant<BlockRead, BlockWrite, BlockDiscard, BlockFlush, TreeBlockRead, CowBlock,
                           LeafSplit, NodeSplit, LeafPushed, BlockMerged, RootInserted, RootDropped,
                           ItemInserted, ItemDeleted, ExtentAlloc, ExtentFree, DelayedRefAdd, DelayedRefRun,
                           TransactionCommit, ChunkAlloc, ChunkRemove, DevExtentSearch, AllocHintMoved,
                           TreeBlockChanged, TreeBlockClean, TreeRootMoved>;

inline constexpr std::size_t event_type_count = std::variant_size_v<Event>;

// The index of an event type in the variant, for counters.
template <class E, std::size_t I = 0>
constexpr std::size_t event_index() {
    if constexpr (std::is_same_v<E, std::variant_alternative_t<I, Event>>)
        return I;
    else
        return event_index<E, I + 1>();
}

const char* event_name(std::size_t index);  // "BlockRead"; the index must be below event_type_count
inline const char* event_name(const Event& event) {
    return event_name(event.index());
}
std::string event_text(const Event&);  // "BlockRead device=1 physical=65536 length=4096"

}  // namespace glassfs::trace
