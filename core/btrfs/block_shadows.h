// SPDX-License-Identifier: MIT
// What a recording knows of the tree blocks in memory. A transaction changes bytes of blocks in place, at
// many small places; a recording needs what they were before. So there is a second copy of each changed
// block, its content as of the last event, and before the next event the two are compared:
//
//     step changes bytes -> record(): differing ranges become TreeBlockChanged, with their bytes from before
//                        -> the event that did it (CowBlock, LeafSplit, ItemInserted ...)
//
// In the recording these blocks are a device of their own, trace::memory_device, addressed by logical
// address: there it holds a block from its first change to the commit that writes it. Costs nothing unless
// the tracer wants images.
#pragma once

#include "btrfs/tree_block.h"
#include "trace/trace.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace glassfs::btrfs {

class BlockShadows {
  public:
    explicit BlockShadows(trace::Tracer tracer) : trace_(tracer), on_(tracer.wants_images()) {}

    // The block may be changed from now on until end_step().
    void touch(const std::shared_ptr<TreeBlock>& block);
    void record();
    void end_step();
    // The block is no longer in memory: written by a commit, or freed before.
    void drop(LogicalAddr);

    // The blocks as the last event left them, by address. Any thread.
    std::map<u64, Buffer> copies() const;

  private:
    enum class Why : u8 { EventFollows, ByItself };
    void compare(const TreeBlock& block, Why why);
    void changed(const TreeBlock& block, std::size_t begin, std::size_t end, Why why);

    trace::Tracer trace_;
    bool on_;
    std::vector<std::shared_ptr<TreeBlock>> touched_;
    mutable std::mutex mutex_;  // guards what follows
    std::map<u64, Buffer> shadows_;
};

}  // namespace glassfs::btrfs
