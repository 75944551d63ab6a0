// SPDX-License-Identifier: MIT
// File data in memory that has no place on disk yet: delayed allocation. What is dirty is whole sectors, each
// with all its bytes, in runs that touch but never overlap. Where in the file there is no run, the tree's
// items say what it holds.
//
// Under the inode's lock: exclusively to change them, shared to read them. size() alone is like Inode::item:
// read under Volume::reading(), changed inside of steps.
#pragma once

#include "btrfs/inode_table.h"

#include <atomic>
#include <memory>

namespace glassfs::btrfs {

class FilePages {
  public:
    // From a file offset (a multiple of the sector size) to the bytes from there on.
    using Runs = std::map<u64, Buffer>;

    // `size`: the file's. `order`: of becoming dirty, among the volume's files. `total`: the dirty bytes of
    // all of them, kept up to date.
    FilePages(u32 sector_size, u64 size, u64 order, std::shared_ptr<std::atomic<u64>> total);
    ~FilePages();
    FilePages(const FilePages&) = delete;
    FilePages& operator=(const FilePages&) = delete;

    // The file's size as everybody sees it. The one in Inode::item goes to disk and follows when all data
    // before it has: so a crash never leaves zeros in the place of data.
    u64 size() const { return size_; }
    void set_size(u64 size) { size_ = size; }
    u64 order() const { return order_; }

    const Runs& runs() const { return runs_; }
    bool empty() const { return runs_.empty(); }
    u64 bytes() const { return bytes_; }  // dirty ones
    bool is_dirty(u64 at) const;          // the sector that holds this byte
    // How many bytes of a range aren't dirty.
    u64 clean_bytes(u64 begin, u64 end) const;

    // The sectors that are touched must be dirty already where `data` doesn't fill them.
    void write(u64 at, Bytes data);
    // Zeros what is dirty of the range.
    void zero(u64 begin, u64 end);
    // Forgets whole sectors.
    void drop(u64 begin, u64 end);
    // Copies what is dirty of the range over `out`.
    void read(u64 at, MutBytes out) const;
    // The first dirty range that ends behind `at`, as far as runs touch; nothing: there is none.
    struct Range {
        u64 begin = 0;
        u64 end = 0;
    };
    std::optional<Range> next_range(u64 at) const;

  private:
    static constexpr std::size_t run_bytes_max = 1U << 20;

    Runs::iterator at_or_behind(u64 at);  // the first run that ends behind `at`
    void add_run(u64 begin, Bytes data);
    void count(s64 change);

    u64 sector_;
    u64 size_;
    u64 order_;
    u64 bytes_ = 0;
    std::shared_ptr<std::atomic<u64>> total_;
    Runs runs_;
};

// The file's size, with what isn't on disk yet. Needs Volume::reading() or a step.
inline u64 size_of(const Inode& inode) {
    return inode.pages != nullptr ? inode.pages->size() : inode.item.size.get();
}
// The bytes that it occupies or will occupy (stat's blocks): those of its extents, and dirty ones where there
// is no extent yet. Needs the inode's lock (shared will do) and Volume::reading() or a step.
Result<u64> allocated_bytes(Volume&, const Inode&);

}  // namespace glassfs::btrfs
