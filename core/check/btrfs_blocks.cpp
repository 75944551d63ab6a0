// SPDX-License-Identifier: MIT
#include "check/btrfs_blocks.h"

namespace glassfs::check {

namespace {

// What a parent says of a block, compared with one copy of it.
std::string wrong_identity(const TreeBlock& block, const btrfs::BlockExpectation& expect) {
    if (expect.level && *expect.level != block.level()) return say("level ", block.level());
    if (expect.generation && *expect.generation != block.generation()) {
        return say("generation ", block.generation().value, ", expected ", expect.generation->value);
    }
    if (expect.first_key && (block.nritems() == 0 || block.key(0) != *expect.first_key))
        return "other first key";
    return "";
}

}  // namespace

// A copy that can't be used is worth a warning only while another can: read() reports when none is left.
void BlockReader::verify_copies(LogicalAddr addr, const btrfs::BlockExpectation& expect, u64 tree) {
    u32 copies = volume_.mirrors(addr);
    if (copies < 2) return;
    std::vector<Error> bad;
    u32 missing = 0;
    for (u32 mirror = 0; mirror < copies; ++mirror) {
        Where where{.block = addr.value, .tree = tree};
        auto raw = volume_.read_raw_block(addr, mirror);
        if (!raw) {
            missing += raw.error().cause == Cause::DeviceMissing ? 1 : 0;
            if (raw.error().cause != Cause::DeviceMissing) bad.push_back({raw.error().cause, where, "copy"});
            continue;
        }
        TreeBlock block(addr, std::move(*raw));
        if (auto good = volume_.verify_block(block); !good) {
            bad.push_back({good.error().cause, where, say("copy ", mirror, ": ", good.error().detail)});
        } else if (std::string wrong = wrong_identity(block, expect); !wrong.empty()) {
            bad.push_back({Cause::BlockGeneration, where, say("copy ", mirror, ": ", wrong)});
        }
    }
    if (bad.size() + missing >= copies) return;
    for (Error& error : bad) findings_.warning(std::move(error));
}

void BlockReader::verify_items(const TreeBlock& leaf, u64 tree) {
    for (u32 slot = 0; slot < leaf.nritems(); ++slot) {
        auto good = btrfs::check_item(volume_.geometry(), leaf, slot);
        if (good) continue;
        bad_items_.insert({leaf.addr().value, slot});
        Error error = std::move(good).error();
        error.where.tree = tree;
        findings_.problem(std::move(error));
    }
}

BlockPtr BlockReader::read(LogicalAddr addr, const btrfs::BlockExpectation& expect, u64 tree) {
    auto [seen, first] = seen_.try_emplace(addr.value, true);
    if (!seen->second) return nullptr;
    if (first) verify_copies(addr, expect, tree);
    auto block = volume_.read_block(addr, expect);
    if (!block) {
        // Of a block that can't be used by itself one report is enough; that it doesn't fit to a parent is
        // told of each parent, and its items have not been looked at yet.
        if (!volume_.read_block(addr))
            seen->second = false;
        else if (first)
            seen_.erase(seen);
        Error error = std::move(block).error();
        error.where.tree = tree;
        findings_.problem(std::move(error));
        return nullptr;
    }
    if (first) {
        ++findings_.report().blocks_read;
        if ((*block)->is_leaf()) verify_items(**block, tree);
    }
    return *block;
}

bool is_dropped(const TreeBlock& node, u32 slot, const std::optional<DropState>& drop) {
    if (!drop || node.level() < drop->level || node.level() == 0) return false;
    if (node.level() == drop->level) return node.key(slot) < drop->progress;
    return slot + 1 < node.nritems() && node.key(slot + 1) <= drop->progress;
}

namespace {

struct Step {
    BlockPtr block;
    u32 slot = 0;
    std::optional<Key> end;  // keys of the block must be below
};

void check_range(Findings& findings, const Step& step, u64 tree) {
    const TreeBlock& block = *step.block;
    if (!step.end || block.nritems() == 0 || block.key(block.nritems() - 1) < *step.end) return;
    u32 slot = block.nritems() - 1;
    findings.problem(Cause::KeyOrder,
                     {.block = block.addr().value, .slot = slot, .key = block.key(slot), .tree = tree},
                     "the key belongs into a later block");
}

}  // namespace

void walk_tree(BlockReader& reader, const TreeRoot& root, const std::optional<DropState>& drop,
               const std::function<bool(const BlockPtr&)>& visit) {
    std::vector<Step> path;
    auto enter = [&](const BlockPtr& block, std::optional<Key> end) {
        if (block == nullptr) return;
        Step step{block, 0, end};
        check_range(reader.findings(), step, root.id);
        if (visit(block) && !block->is_leaf()) path.push_back(std::move(step));
    };
    enter(reader.read(root.bytenr, root.expectation(), root.id), std::nullopt);
    while (!path.empty() && !reader.findings().cancelled()) {
        Step& step = path.back();
        const TreeBlock& node = *step.block;
        u32 slot = step.slot++;
        if (slot >= node.nritems() || (step.end && node.key(slot) >= *step.end)) {
            path.pop_back();
            continue;
        }
        if (is_dropped(node, slot, drop)) continue;
        std::optional<Key> end = slot + 1 < node.nritems() ? std::optional(node.key(slot + 1)) : step.end;
        if (end && step.end && *step.end < *end) end = step.end;
        const auto& pointer = node.pointer(slot);
        btrfs::BlockExpectation expect{static_cast<u8>(node.level() - 1), Generation{pointer.generation},
                                       node.key(slot)};
        enter(reader.read(LogicalAddr{pointer.blockptr}, expect, root.id), end);
    }
}

void for_each_item(BlockReader& reader, const TreeBlock& leaf, u64 tree,
                   const std::function<void(const ItemView&)>& visit) {
    for (u32 slot = 0; slot < leaf.nritems(); ++slot) {
        if (reader.item_usable(leaf, slot)) visit({leaf, slot, leaf.key(slot), leaf.data(slot), tree});
    }
}

void for_each_item(BlockReader& reader, const TreeRoot& root,
                   const std::function<void(const ItemView&)>& visit) {
    walk_tree(reader, root, std::nullopt, [&](const BlockPtr& block) {
        if (block->is_leaf()) for_each_item(reader, *block, root.id, visit);
        return true;
    });
}

}  // namespace glassfs::check
