// SPDX-License-Identifier: MIT
// Gives dirty data of files its place on disk.
//
//   plan       what becomes inline, what is compressed                                       no step
//   place      what can be overwritten where it is; room for the rest                        a short step
//   transfer   checksums, and the bytes to the devices                                       no step
//   insert     old extents of the ranges dropped, new ones and checksums inserted, the       steps
//              size on disk grows as far as everything before it has its place
//
// The last part is what counts: a crash before the next commit leaves the files as they were, since new data
// went to space that is free on disk. Only NODATACOW overwrites what the last commit knows.
#pragma once

#include "btrfs/file_write.h"

namespace glassfs::btrfs {

class WriteBack {
  public:
    // Needs the exclusive locks of the files until run() is through.
    WriteBack(FileWriter& writer, const std::vector<InodePtr>& inodes);
    Result<void> run();

  private:
    enum class Kind : u8 {
        Plain,       // a new extent as it is
        Compressed,  // a new extent of `packed`
        Inline,      // `packed` is the whole file
        InPlace,     // overwrites its extent; nothing changes in the tree
        Unwritten,   // into a preallocated extent
    };
    // A stretch of dirty data on its way.
    struct Piece {
        Kind kind = Kind::Plain;
        u64 begin = 0;  // in the file
        u64 end = 0;
        DataExtent extent = {};
        u64 offset = 0;  // in the extent: InPlace, Unwritten
        Compression compression = Compression::None;
        Buffer packed = {};
        Buffer sums = {};
        bool placed = false;  // `extent` is ours and not referred to yet
        u64 bytes_on_disk() const { return kind == Kind::Compressed ? packed.size() : end - begin; }
    };
    struct File {
        InodePtr inode;
        u64 flags = 0;  // the inode's
        std::vector<Piece> pieces = {};
        bool summed() const { return (flags & inode_nodatasum) == 0; }
        // Where extents are looked at before new ones are made, Linux makes neither inline nor compressed
        // ones.
        bool looks_for_place() const { return (flags & (inode_nodatacow | inode_prealloc)) != 0; }
    };
    struct Entry {
        File* file;
        Piece* piece;  // null: all of the file is inserted
    };

    Result<void> drop_gone();  // deleted meanwhile
    Result<void> plan(File&);
    bool plan_inline(File&, Compression);
    void plan_compressed(File&, const FilePages::Range&, Compression);
    static void add_plain(File&, u64 begin, u64 end);
    Result<Compression> compression_of(const File&);

    Result<void> place();
    Result<void> place_all(Transaction&);
    Result<void> find_places(Transaction&, File&);
    Result<void> add_places(Transaction&, Tree&, const File&, const Piece&, std::vector<Piece>& out);
    Result<void> take_room(Transaction&, File&);
    void give_back(Transaction&);

    Result<void> transfer();
    class Output;
    Result<void> transfer(const File&, Piece&, Output&);

    Result<void> insert();
    Result<void> insert(std::span<const Entry>);
    Result<void> insert(Transaction&, const Entry&);
    Result<void> insert_sums(Transaction&, std::span<const Entry>);

    FileWriter& writer_;
    WritableVolume& store_;
    const u64 sector_;
    std::vector<File> files_;
    DataExtent room_;      // allocated and not given to a piece yet
    u64 room_wanted_ = 0;  // by the pieces that have none yet
};

}  // namespace glassfs::btrfs
