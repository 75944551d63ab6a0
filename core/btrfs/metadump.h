// SPDX-License-Identifier: MIT
// A metadata dump as `btrfs-image` writes it, as a device addressed by logical address.
//
// The file is a row of clusters. A cluster begins with one 1024-byte block: magic, its own position, the
// number of items, the compression; then (logical address, stored bytes) for each item. The items' bytes
// follow back to back, each a run of metadata (zlib-compressed by itself if the cluster says so); the next
// cluster begins at the next multiple of 1024. The first item is the superblock, at 64 KiB.
#pragma once

#include "block/device.h"

#include <map>
#include <memory>
#include <mutex>

namespace glassfs::btrfs {

class MetadumpDevice final : public block::Device {
  public:
    static bool probe(block::Device&);
    // Reads the clusters' headers; the items' bytes are read when asked for. Cause::MetadumpBad.
    static Result<std::shared_ptr<MetadumpDevice>> open(std::shared_ptr<block::Device>);

    u64 size() const override { return size_; }  // end of the last item's possible reach
    std::string name() const override { return file_->name(); }
    bool read_only() const override { return true; }
    Result<void> read(u64 at, MutBytes out) override;  // Cause::DataNotInDump outside of the items
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override { return {}; }
    Result<void> discard(u64 at, u64 length) override;

  private:
    struct Item {
        u64 at = 0;      // in the dump file
        u32 stored = 0;  // bytes there
        bool compressed = false;
    };

    MetadumpDevice(std::shared_ptr<block::Device> file, u64 item_bytes_max)
        : file_(std::move(file)), item_bytes_max_(item_bytes_max) {}
    Result<void> read_clusters(u64 magic);
    Result<u64> read_cluster(u64 at, u64 magic);  // returns the next one's position
    Result<std::shared_ptr<const Buffer>> item_bytes(u64 logical, const Item&);  // of a compressed one

    std::shared_ptr<block::Device> file_;
    u64 item_bytes_max_;
    u64 size_ = 0;
    std::map<u64, Item> items_;  // by logical address
    std::mutex mutex_;
    u64 last_logical_ = 0;  // of last_bytes_: neighbours are read one after the other
    std::shared_ptr<const Buffer> last_bytes_;
};

}  // namespace glassfs::btrfs
