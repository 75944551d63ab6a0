// SPDX-License-Identifier: MIT
// A whole small image: opened, inspected, walked, read and checked. The input is a list of 4 KiB blocks, each
// with its block number before it (16 bits, little-endian); checksums are made right, or nothing behind them
// would ever be reached. Seeds come from tests/fuzz/corpus.
#include "base/crc32c.h"
#include "block/ram_device.h"
#include "btrfs/disk.h"
#include "mount/mount.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace glassfs;

namespace {

constexpr std::size_t block_size = 4096;
constexpr u64 device_size = u64{1} << 28;  // 65,536 blocks

std::shared_ptr<block::Device> make_device(Bytes input) {
    auto device = std::make_shared<block::RamDevice>(device_size);
    constexpr std::size_t record = 2 + block_size;
    for (; input.size() >= record; input = input.subspan(record)) {
        u64 number = load<Le16>(input).get();
        Buffer block(input.begin() + 2, input.begin() + record);
        Le32 sum = crc32c(Bytes(block).subspan(sizeof(btrfs::disk::Csum)));
        std::memcpy(block.data(), &sum, sizeof sum);
        if (!device->write(number * block_size, block)) std::abort();
    }
    return device;
}

// Bounded, so that an image that unfolds without end shows as slow, not as endless.
struct Budget {
    int left;
    bool take() { return left-- > 0; }
};

void look_at_trees(inspect::Inspector& inspector, Budget& budget) {
    (void)inspector.info();
    (void)inspector.superblock();
    for (const auto& tree : inspector.trees()) {
        (void)inspector.walk_tree(tree.id, [&](const inspect::NodeRecord& node) {
            auto block = inspector.block(node.addr);
            for (u32 slot = 0; block && slot < block->items.size(); slot += 7) {
                (void)inspector.item_fields(node.addr, slot);
            }
            return budget.take();
        });
        (void)inspector.path_to_key(tree.id, {256, 1, 0});
    }
}

void look_at_file(vfs::FileSystem& files, vfs::NodeId id) {
    Buffer bytes(20000);
    (void)files.xattrs(id);
    (void)files.readlink(id);
    (void)files.read(id, 0, bytes);
    (void)files.read(id, 4095, MutBytes(bytes).first(3));
    (void)files.seek(id, 1, vfs::Whence::Hole);
    (void)files.seek(id, 1, vfs::Whence::Data);
    (void)files.extents(id, [](const vfs::FileExtent&) { return true; });
}

void look_at_files(vfs::FileSystem& files, Budget& budget) {
    std::vector<vfs::NodeId> todo{files.root()};
    std::set<vfs::NodeId> seen;
    while (!todo.empty()) {
        vfs::NodeId dir = todo.back();
        todo.pop_back();
        if (!seen.insert(dir).second) continue;
        (void)files.parent(dir);
        (void)files.readdir(dir, 0, [&](const vfs::DirEntry& entry) {
            (void)files.lookup(dir, entry.name);
            auto attributes = files.getattr(entry.id);
            if (attributes && attributes->type == vfs::FileType::Directory)
                todo.push_back(entry.id);
            else
                look_at_file(files, entry.id);
            return budget.take();
        });
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto volume = mount::open({make_device({data, size})});
    if (!volume) return 0;
    Budget budget{2000};
    look_at_trees((*volume)->inspector(), budget);
    budget.left = 500;
    look_at_files((*volume)->files(), budget);
    int steps = 20000;
    (void)(*volume)->check({}, [&](double) { return steps-- > 0; });
    return 0;
}
