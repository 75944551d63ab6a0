// SPDX-License-Identifier: MIT
// The content of a file of the model: which blocks of 4096 bytes hold data, which are allocated and
// unwritten, which are holes, and what Linux's btrfs turns into what. Pages are shared between clones and
// snapshots until one of them is written.
#pragma once

#include "vfs/file_system.h"

#include <array>
#include <map>
#include <memory>

namespace glassfs::support {

enum class SizeChange : u8 { Grow, Keep };

class ModelBlocks {
  public:
    static constexpr u64 block = 4096;  // bytes

    u64 size() const { return size_; }
    u64 allocated() const { return blocks_.size() * block; }  // bytes, also behind the end

    std::size_t read(u64 at, MutBytes out) const;
    void write(u64 at, Bytes data);
    void truncate(u64 size);
    void allocate(u64 at, u64 length, SizeChange);
    void zero_range(u64 at, u64 length, SizeChange);
    void punch(u64 at, u64 length);
    // The range is aligned but for its end, which may be the end of `from`; `from` may be this file.
    void clone(const ModelBlocks& from, u64 from_at, u64 length, u64 to_at);

    // `at` < size().
    std::optional<u64> seek(u64 at, vfs::Whence) const;
    // Runs of one kind in order, holes up to the end included, allocations behind the end too.
    void extents(const std::function<bool(const vfs::FileExtent&)>& visit) const;

  private:
    using Page = std::array<u8, block>;
    using Pages = std::map<u64, std::shared_ptr<Page>>;

    Page& data_page(u64 number);
    void zero(u64 begin, u64 end);
    void materialise_end();
    void grow_to(u64 end, SizeChange);
    bool is_data(u64 number) const;

    // A null page: allocated and unwritten. Bytes of a page behind the end of the file are zero.
    Pages blocks_;
    u64 size_ = 0;  // bytes
};

}  // namespace glassfs::support
