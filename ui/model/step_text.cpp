// SPDX-License-Identifier: MIT
// A sentence for every kind of step, made of its real values.
#include "base/text.h"
#include "inspect/inspector.h"
#include "ui/model/headline.h"
#include "ui/model/timeline.h"

namespace glassfs::ui {

namespace {

std::string at(LogicalAddr addr) {
    return std::to_string(addr.value);
}
std::string place_on(u64 device, PhysicalAddr physical) {
    return "device " + std::to_string(device) + " at " + std::to_string(physical.value);
}
std::string block_word(u8 level, bool first) {
    return level == 0 ? (first ? "Leaf " : "leaf ") : (first ? "Node " : "node ");
}
std::string tree(u64 id) {
    return inspect::tree_id_name(id);
}
std::string group_word(u64 flags) {
    return (flags & 1) != 0 ? "data" : (flags & 2) != 0 ? "system" : "metadata";
}
std::string key(u64 objectid, u8 type, u64 offset) {
    return std::to_string(objectid) + " " + inspect::key_type_word(type) + " " + std::to_string(offset);
}
const char* why_hint_moved(u8 reason) {
    constexpr const char* words[] = {"the dev extents were read at mount",
                                     "the search walked past everything before",
                                     "the chunk took the hole that it pointed to",
                                     "space in front of it was freed", "the device changed its size"};
    return reason < std::size(words) ? words[reason] : "it was set anew";
}

struct Teller {
    const TimelineStep& step;

    StepText operator()(const trace::BlockRead& e) const {
        return {"R", "READ", "The device is read: " + plural(e.length, "byte") + ".",
                "From " + place_on(e.device, e.physical) + ".", ""};
    }
    StepText operator()(const trace::BlockWrite& e) const {
        const bool super = e.length == 4096 && (e.physical.value == 65536 || e.physical.value == 67108864 ||
                                                e.physical.value == 274877906944);
        if (super) {
            return {"W", "WRITE", "The superblock goes to the device: the new state is the volume now.",
                    "A copy at " + size_text(e.physical.value) + " of device " + std::to_string(e.device) +
                        "; a crash before left the old state whole.",
                    ""};
        }
        return {"W", "WRITE", plural(e.length, "byte") + " go to the device.",
                "To " + place_on(e.device, e.physical) + "; they are durable after the next flush.", ""};
    }
    StepText operator()(const trace::BlockDiscard& e) const {
        return {"F", "DISCARD", "The device is told that " + size_text(e.length) + " are no longer needed.",
                "On " + place_on(e.device, e.physical) + ".", ""};
    }
    StepText operator()(const trace::BlockFlush& e) const {
        return {"\xe2\x9c\x93", "FLUSH", "Device " + std::to_string(e.device) + " makes all writes durable.",
                "Nothing that was written before can be lost or come after what is written next.", ""};
    }
    StepText operator()(const trace::TreeBlockRead& e) const {
        return {"R", "READ", block_word(e.level, true) + at(e.logical) + " of " + tree(e.owner) + " is read.",
                "Its checksum and structure are right; it was written in generation " +
                    std::to_string(e.generation.value) + ".",
                ""};
    }
    StepText operator()(const trace::CowBlock& e) const {
        return {
            "C", "COPY",
            block_word(e.level, true) + at(e.from) + " of " + tree(e.tree) + " is copied to change it.",
            "The copy is " + at(e.to) + "; the old block stays as it is until the commit has been written.",
            ""};
    }
    StepText operator()(const trace::LeafSplit& e) const {
        return {"S", "SPLIT",
                "Leaf " + at(e.left) + " is full: " + plural(e.items_moved, "item") + " go to a new leaf.",
                "From slot " + std::to_string(e.cut) + " on they are in leaf " + at(e.right) + " of " +
                    tree(e.tree) + " now.",
                ""};
    }
    StepText operator()(const trace::NodeSplit& e) const {
        return {
            "S", "SPLIT",
            "Node " + at(e.left) + " is full: " + plural(e.pointers_moved, "pointer") + " go to a new node.",
            "They are in node " + at(e.right) + ", level " + std::to_string(e.level) + " of " + tree(e.tree) +
                ".",
            ""};
    }
    StepText operator()(const trace::LeafPushed& e) const {
        return {"S", "MOVE",
                plural(e.items_moved, "item") + " move to the neighbouring leaf " + at(e.to) + ".",
                "Leaf " + at(e.from) + " of " + tree(e.tree) + " had no room; its neighbour had.", ""};
    }
    StepText operator()(const trace::BlockMerged& e) const {
        return {"S", "MERGE",
                block_word(e.level, true) + at(e.from) + " is emptied into its neighbour " + at(e.into) + ".",
                "Both fit into one block of " + tree(e.tree) + ", so one is freed.", ""};
    }
    StepText operator()(const trace::RootInserted& e) const {
        return {"S", "GROW", tree(e.tree) + " grows by a level: its root was split.",
                "The new root is node " + at(e.root) + " at level " + std::to_string(e.level) + ".", ""};
    }
    StepText operator()(const trace::RootDropped& e) const {
        return {"S", "SHRINK", tree(e.tree) + " loses a level: its root had one child left.",
                "The root is block " + at(e.root) + " at level " + std::to_string(e.level) + " now.", ""};
    }
    StepText operator()(const trace::ItemInserted& e) const {
        return {
            "W", "INSERT",
            short_name("Item " + key(e.objectid, e.type, e.offset) + " goes into leaf " + at(e.leaf) + ".",
                       Headline::title_max),
            "Slot " + std::to_string(e.slot) + " of " + tree(e.tree) + " has " + plural(e.size, "byte") +
                " of data for it.",
            ""};
    }
    StepText operator()(const trace::ItemDeleted& e) const {
        return {"W", "DELETE",
                short_name("Item " + key(e.objectid, e.type, e.offset) + " leaves leaf " + at(e.leaf) + ".",
                           Headline::title_max),
                "It was in slot " + std::to_string(e.slot) + " of " + tree(e.tree) + ".", ""};
    }
    StepText operator()(const trace::ExtentAlloc& e) const {
        return {
            "A", "ALLOCATE",
            size_text(e.length) + " of " + group_word(e.flags) + " space are taken at " + at(e.logical) + ".",
            "They lie in the block group that begins at " + std::to_string(e.block_group) + ".", ""};
    }
    StepText operator()(const trace::ExtentFree& e) const {
        return {"F", "FREE", "The " + size_text(e.length) + " at " + at(e.logical) + " have no user left.",
                e.pinned != 0 ? "The last commit still uses them: they can be taken again after the next one."
                              : "They never came to the device: they can be taken again at once.",
                ""};
    }
    StepText operator()(const trace::DelayedRefAdd& e) const {
        return {"Q", "QUEUE", "A change of " + at(e.logical) + "'s references is queued.",
                "The extent tree hears of it at the commit, summed up with others.", ""};
    }
    StepText operator()(const trace::DelayedRefRun& e) const {
        return {
            "Q", "REFERENCES",
            "The extent tree hears that " + at(e.logical) + " has " + plural(e.references, "reference") + ".",
            e.references == 0 ? "Nobody uses it any more." : "Queued changes were summed up to this.", ""};
    }
    StepText operator()(const trace::TransactionCommit& e) const {
        return {"\xe2\x9c\x93", "COMMIT",
                "Generation " + std::to_string(e.generation.value) +
                    " is complete: " + plural(e.blocks, "block") + " will be written.",
                "References, block groups and roots stood still after " + plural(e.rounds, "round") +
                    "; the superblocks come last.",
                ""};
    }
    StepText operator()(const trace::ChunkAlloc& e) const {
        return {"A", "CHUNK", "A " + group_word(e.type) + " chunk of " + size_text(e.length) + " is made.",
                "Logical " + std::to_string(e.logical) + " on, in " + plural(e.stripes, "stripe") + ".", ""};
    }
    StepText operator()(const trace::ChunkRemove& e) const {
        return {"F", "CHUNK", "The empty chunk of " + size_text(e.length) + " is removed.",
                "It began at logical " + std::to_string(e.logical) + "; its dev extents are free again.", ""};
    }
    StepText operator()(const trace::DevExtentSearch& e) const {
        return {"H", "SEARCH",
                "Device " + std::to_string(e.device) + " has room for " + size_text(e.wanted) + " at " +
                    std::to_string(e.found.value) + ".",
                "The search began at " + std::to_string(e.start.value) + " and looked at " +
                    plural(e.visited, "dev extent") + ".",
                ""};
    }
    StepText operator()(const trace::AllocHintMoved& e) const {
        return {"H", "HINT",
                "The hint of device " + std::to_string(e.device) + " moves to " + size_text(e.to.value) + ".",
                std::string("It was at ") + size_text(e.from.value) + "; " + why_hint_moved(e.reason) + ".",
                ""};
    }
    StepText operator()(const trace::TreeBlockChanged& e) const {
        u64 bytes = 0;
        for (const auto& change : step.changes) bytes += change.length;
        return {"W", "WRITE",
                plural(bytes, "byte") + " change in " + block_word(e.level, false) + at(e.block) + " of " +
                    tree(e.tree) + ".",
                plural(step.changes.size(), "range") + ", the first at byte " +
                    std::to_string(step.changes.empty() ? e.offset : step.changes.front().offset) + ".",
                ""};
    }
    StepText operator()(const trace::TreeBlockClean& e) const {
        return {"\xe2\x9c\x93", "CLEAN", "Block " + at(e.block) + " is on the devices now.",
                "Memory and devices hold the same.", ""};
    }
    StepText operator()(const trace::TreeRootMoved& e) const {
        return {
            "W", "ROOT", "The root of " + tree(e.tree) + " is block " + at(e.root) + " now.",
            "Level " + std::to_string(e.level) + ", generation " + std::to_string(e.generation.value) + ".",
            ""};
    }
};

struct BlockOf {
    using Found = std::optional<StepBlock>;
    Found operator()(const trace::TreeBlockRead& e) const { return StepBlock{e.owner, e.logical, true}; }
    Found operator()(const trace::CowBlock& e) const { return StepBlock{e.tree, e.to, false}; }
    Found operator()(const trace::LeafSplit& e) const { return StepBlock{e.tree, e.right, false}; }
    Found operator()(const trace::NodeSplit& e) const { return StepBlock{e.tree, e.right, false}; }
    Found operator()(const trace::LeafPushed& e) const { return StepBlock{e.tree, e.to, false}; }
    Found operator()(const trace::BlockMerged& e) const { return StepBlock{e.tree, e.into, false}; }
    Found operator()(const trace::RootInserted& e) const { return StepBlock{e.tree, e.root, false}; }
    Found operator()(const trace::RootDropped& e) const { return StepBlock{e.tree, e.root, false}; }
    Found operator()(const trace::ItemInserted& e) const { return StepBlock{e.tree, e.leaf, false}; }
    Found operator()(const trace::ItemDeleted& e) const { return StepBlock{e.tree, e.leaf, false}; }
    Found operator()(const trace::TreeBlockChanged& e) const { return StepBlock{e.tree, e.block, false}; }
    Found operator()(const auto&) const { return std::nullopt; }
};

}  // namespace

StepText step_text(const TimelineStep& step) {
    StepText text = std::visit(Teller{step}, step.event);
    text.title = short_name(text.title, Headline::title_max);
    text.place = trace::event_name(step.event);
    return text;
}

std::optional<StepBlock> step_block(const TimelineStep& step) {
    return std::visit(BlockOf{}, step.event);
}

}  // namespace glassfs::ui
