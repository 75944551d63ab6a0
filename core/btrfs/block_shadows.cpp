// SPDX-License-Identifier: MIT
#include "btrfs/block_shadows.h"

#include <algorithm>
#include <cstring>

namespace glassfs::btrfs {

namespace {

// Equal bytes between two differing ranges that are cheaper to record than a further event.
constexpr std::size_t gap_max = 32;

}  // namespace

void BlockShadows::touch(const std::shared_ptr<TreeBlock>& block) {
    if (!on_) return;
    auto same = [&](const auto& other) { return other == block; };
    if (std::ranges::find_if(touched_, same) == touched_.end()) touched_.push_back(block);
}

void BlockShadows::record() {
    if (!on_) return;
    for (const auto& block : touched_) compare(*block, Why::EventFollows);
}

void BlockShadows::end_step() {
    if (!on_) return;
    for (const auto& block : touched_) compare(*block, Why::ByItself);
    touched_.clear();
}

void BlockShadows::drop(LogicalAddr addr) {
    if (!on_) return;
    std::erase_if(touched_, [&](const auto& block) { return block->addr() == addr; });
    std::lock_guard lock(mutex_);
    auto found = shadows_.find(addr.value);
    if (found == shadows_.end()) return;
    trace_.change(trace::memory_device, PhysicalAddr{addr.value}, std::move(found->second),
                  [&] { return trace::TreeBlockClean{addr}; });
    shadows_.erase(found);
}

std::map<u64, Buffer> BlockShadows::copies() const {
    std::lock_guard lock(mutex_);
    return shadows_;
}

void BlockShadows::compare(const TreeBlock& block, Why why) {
    std::lock_guard lock(mutex_);
    auto [found, fresh] = shadows_.try_emplace(block.addr().value);
    if (fresh) found->second.resize(block.size());
    const Bytes now = block.bytes();
    const Buffer& then = found->second;
    if (std::memcmp(now.data(), then.data(), now.size()) == 0) return;
    for (std::size_t at = 0; at < now.size();) {
        auto [a, b] = std::mismatch(now.begin() + static_cast<std::ptrdiff_t>(at), now.end(),
                                    then.begin() + static_cast<std::ptrdiff_t>(at));
        if (a == now.end()) break;
        const auto begin = static_cast<std::size_t>(a - now.begin());
        std::size_t end = begin + 1;
        for (std::size_t i = end; i < now.size() && i - end < gap_max; ++i) {
            if (now[i] != then[i]) end = i + 1;
        }
        changed(block, begin, end, why);
        at = end;
    }
}

void BlockShadows::changed(const TreeBlock& block, std::size_t begin, std::size_t end, Why why) {
    Buffer& shadow = shadows_.at(block.addr().value);
    const auto first = shadow.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = shadow.begin() + static_cast<std::ptrdiff_t>(end);
    Buffer before(first, last);
    std::ranges::copy(block.bytes().subspan(begin, end - begin), first);
    trace_.change(trace::memory_device, PhysicalAddr{block.addr().value + begin}, std::move(before), [&] {
        return trace::TreeBlockChanged{block.owner(),
                                       block.addr(),
                                       block.level(),
                                       static_cast<u32>(begin),
                                       static_cast<u32>(end - begin),
                                       u8{why == Why::ByItself}};
    });
}

}  // namespace glassfs::btrfs
