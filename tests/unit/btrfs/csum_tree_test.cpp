// SPDX-License-Identifier: MIT
#include "btrfs/csum_tree.h"

#include "block/ram_device.h"
#include "btrfs/cursor.h"
#include "btrfs/mkfs.h"
#include "btrfs/writable_volume.h"

#include <doctest/doctest.h>
#include <map>
#include <random>

using namespace glassfs;
using namespace glassfs::btrfs;

namespace {

constexpr u64 sector = 4096;

// A volume whose checksum tree is filled and emptied without data.
class CsumVolume {
  public:
    explicit CsumVolume(const MkfsOptions& options) {
        std::vector<std::shared_ptr<block::Device>> devices{
            std::make_shared<block::RamDevice>(u64{256} << 20, "ram")};
        REQUIRE(mkfs(devices, options, environment_));
        auto volume = Volume::open(devices, {});
        REQUIRE(volume);
        volume_ = std::move(*volume);
        auto store = WritableVolume::open(*volume_, environment_, {}, {});
        REQUIRE(store);
        store_ = std::move(*store);
    }

    std::size_t width() const { return checksum_size(volume_->geometry().csum_type); }

    void insert(u64 addr, u32 count, u8 value) {
        auto tx = store_->begin({.items = 8});
        REQUIRE(tx);
        REQUIRE(insert_checksums(*tx, LogicalAddr{addr}, Buffer(count * width(), value)));
        tx->done();
    }
    void erase(u64 addr, u64 length) {
        auto tx = store_->begin({.items = 8});
        REQUIRE(tx);
        REQUIRE(erase_checksums(*tx, LogicalAddr{addr}, length));
        tx->done();
    }
    void commit() { REQUIRE(store_->commit()); }

    // Sector address to the first byte of its checksum. Items must be in order and well formed.
    std::map<u64, u8> read() const {
        std::map<u64, u8> out;
        auto lock = volume_->reading();
        u64 end = 0;
        auto done =
            for_each_item(*volume_, *volume_->tree_root(csum_tree_objectid), {}, {~0ULL, 0xff, ~0ULL},
                          [&](const Cursor& at) -> Result<bool> {
                              TRY(at.check());
                              if (at.key().offset < end) return fail(Cause::CsumItemBad, "overlap");
                              end = at.key().offset;
                              for (std::size_t i = 0; i < at.data().size(); i += width(), end += sector) {
                                  out[end] = at.data()[i];
                              }
                              return true;
                          });
        REQUIRE_MESSAGE(done, done.error().message());
        return out;
    }
    // "4096: 3, 65536: 1": where items begin, and how many checksums they have.
    std::string items() const {
        std::string out;
        auto lock = volume_->reading();
        REQUIRE(for_each_item(*volume_, *volume_->tree_root(csum_tree_objectid), {}, {~0ULL, 0xff, ~0ULL},
                              [&](const Cursor& at) -> Result<bool> {
                                  if (!out.empty()) out += ", ";
                                  out += std::to_string(at.key().offset / sector) + ": " +
                                         std::to_string(at.data().size() / width());
                                  return true;
                              }));
        return out;
    }

  private:
    SeededEnvironment environment_{3};
    std::unique_ptr<Volume> volume_;
    std::unique_ptr<WritableVolume> store_;
};

}  // namespace

TEST_CASE("btrfs/csum_tree: neighbours go to the end of the item before, up to the greatest size") {
    CsumVolume volume({});
    volume.insert(100 * sector, 3, 1);
    volume.insert(103 * sector, 2, 2);
    CHECK(volume.items() == "100: 5");
    volume.insert(98 * sector, 2, 3);  // in front: an item of its own
    CHECK(volume.items() == "98: 2, 100: 5");
    volume.insert(200 * sector, 4050, 4);
    volume.insert(4250 * sector, 10, 5);
    // 16 KiB nodes hold 4057 of 4 bytes in one item.
    CHECK(volume.items() == "98: 2, 100: 5, 200: 4057, 4257: 3");
    CHECK(volume.read().size() == 7 + 4060);
}

TEST_CASE("btrfs/csum_tree: erasing cuts items at the front, at the end, and in the middle") {
    CsumVolume volume({});
    volume.insert(100 * sector, 10, 1);
    volume.erase(95 * sector, 7 * sector);
    CHECK(volume.items() == "102: 8");
    volume.erase(108 * sector, 100 * sector);
    CHECK(volume.items() == "102: 6");
    volume.erase(104 * sector, sector);
    CHECK(volume.items() == "102: 2, 105: 3");
    volume.insert(104 * sector, 1, 2);
    CHECK(volume.items() == "102: 3, 105: 3");
    volume.insert(103 * sector, 3, 7);  // stale ones give way
    CHECK(volume.items() == "102: 4, 106: 2");
    volume.erase(103 * sector, sector * 4);
    volume.erase(0, 1000 * sector);
    CHECK(volume.items() == "");
}

TEST_CASE("btrfs/csum_tree: random insertions and erasures leave what a map has") {
    for (auto [node_size, checksum] :
         {std::pair(16384U, ChecksumType::Crc32c), std::pair(4096U, ChecksumType::Sha256),
          std::pair(65536U, ChecksumType::Xxhash64)}) {
        CAPTURE(node_size);
        MkfsOptions options;
        options.node_size = node_size;
        options.checksum = checksum;
        CsumVolume volume(options);
        std::minstd_rand random(node_size);
        std::map<u64, u8> expected;
        for (u32 i = 0; i < 600; ++i) {
            u64 begin = random() % 20'000;
            u32 count = static_cast<u32>(1 + (random() % 3 == 0 ? random() % 6000 : random() % 20));
            if (random() % 3 != 0) {
                u8 value = static_cast<u8>(random());
                // Only where nothing is, but for a few.
                if (random() % 10 != 0) {
                    auto next = expected.lower_bound(begin * sector);
                    if (next != expected.end()) {
                        count = static_cast<u32>(std::min<u64>(count, next->first / sector - begin));
                    }
                }
                if (count == 0) continue;
                volume.insert(begin * sector, count, value);
                for (u32 n = 0; n < count; ++n) expected[(begin + n) * sector] = value;
            } else {
                volume.erase(begin * sector, count * sector);
                expected.erase(expected.lower_bound(begin * sector),
                               expected.lower_bound((begin + count) * sector));
            }
            if (i % 50 == 0) volume.commit();
            if (i % 10 == 0) REQUIRE((volume.read() == expected));
        }
        REQUIRE((volume.read() == expected));
    }
}
