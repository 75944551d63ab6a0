// SPDX-License-Identifier: MIT
// A block device over a File that the user gave to the page: read in place, only the bytes that are asked
// for, whatever its size; nothing is copied or uploaded.
//
// Only JavaScript can read a File, and only in a worker can it do so while the caller waits. So each set of
// files (the devices of one volume) has a worker of its own, page/file_worker.js, and a mailbox in the
// shared memory:
//
//     a thread of the core                      mailbox                     page/file_worker.js
//     file, at, length, destination  -------->  state = Request  --wakes--> file.slice(at, at + length)
//     waits, as for a disk           <--wakes-- state = Done     <------- bytes, or a message
//
// The worker blocks on the mailbox and never returns to its event loop, so that neither the page's main
// thread nor a frame is ever part of a read. A slice costs about 0.1 ms however short it is: short reads
// fetch a granule around them, and granules are kept for a while.
#pragma once

#include "block/buffer_cache.h"
#include "block/device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace glassfs::web {

// The words that C++ and file_worker.js share; the offsets are written down in both.
struct FileMailbox {
    enum State : u32 { Idle = 0, Request = 1, Done = 2, Close = 3 };
    std::atomic<u32> state{Idle};
    std::atomic<u32> dead{0};  // the worker could not be started or has failed: `message` says why
    u32 file = 0;              // index in the set
    u32 length = 0;            // bytes
    double at = 0;             // bytes from the file's begin: exact up to 2^53
    u32 destination = 0;       // address in the shared memory
    u32 failed = 0;            // 1: not read, `message` says why
    char message[224] = {};    // UTF-8, ends with a zero
};
static_assert(sizeof(FileMailbox) == 256);

// One set of files and its worker. Thread-safe: requests queue for the one mailbox. The worker ends with
// the set.
class FileSet {
  public:
    FileSet();
    FileSet(const FileSet&) = delete;
    FileSet& operator=(const FileSet&) = delete;
    ~FileSet();

    // For whoever starts the worker. It outlives the set, because the worker looks into it once more to
    // learn that it has to end: the page deletes it when the worker says that it has.
    FileMailbox* mailbox() { return mailbox_; }
    // Cause::DeviceReadFailed with the browser's reason: the file was changed, moved or removed meanwhile.
    Result<void> read(u32 file, u64 at, MutBytes out);
    u64 slices() const { return slices_.load(std::memory_order_relaxed); }  // reads that reached the browser

  private:
    std::mutex mutex_;
    FileMailbox* mailbox_;
    std::atomic<u64> slices_{0};
};

class FileDevice final : public block::Device {
  public:
    static constexpr u64 granule = 64 << 10;      // bytes that a short read fetches
    static constexpr u64 cache_limit = 16 << 20;  // bytes of granules kept

    // `file`: index in the set. `size`: bytes, as the File said when it was given.
    FileDevice(std::shared_ptr<FileSet> set, u32 file, std::string name, u64 size);

    u64 size() const override { return size_; }
    std::string name() const override { return name_; }
    bool read_only() const override { return true; }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override { return {}; }
    Result<void> discard(u64, u64) override { return {}; }

  private:
    Result<void> read_file(u64 at, MutBytes out);
    Result<std::shared_ptr<const Buffer>> granule_at(u64 number);

    std::shared_ptr<FileSet> set_;
    u32 file_;
    std::string name_;
    u64 size_;
    block::BufferCache<Buffer> cache_{cache_limit};
};

}  // namespace glassfs::web
