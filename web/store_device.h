// SPDX-License-Identifier: MIT
// The block devices of a volume that lives in the browser: a file each in the origin private file system, or
// blocks in IndexedDB where the browser has no such files.
//
// Both are reached by JavaScript alone, and only a worker can wait there. So each open volume has a worker of
// its own, page/store_worker.js, and a mailbox in the shared memory:
//
//     a thread of the core                      mailbox                     page/store_worker.js
//     operation, device, range, address ----->  state = Request  --wakes--> handle.write(bytes, { at })
//     waits, as for a disk           <--wakes-- state = Done     <------- outcome, or a message
//
// A request is answered when the browser has done it, in the order of the requests; what was written is
// durable when a later flush has been answered with Good. The worker's own file says what flush means in
// either store. The page's main thread starts the worker and hears of its end; no request passes through it.
//
// One worker writes to a volume at a time (page/volumes.js holds a lock for it). When another one takes the
// volume over, this side is revoked: every request from then on fails, and nothing more reaches the store.
#pragma once

#include "block/device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace glassfs::web {

// The words that C++ and store_worker.js share; the offsets are written down in both.
struct StoreMailbox {
    enum State : u32 { Idle = 0, Request = 1, Done = 2, Close = 3 };
    enum Operation : u32 { Read = 0, Write = 1, Flush = 2, Discard = 3 };
    enum Outcome : u32 { Good = 0, NoSpace = 1, Failed = 2 };
    std::atomic<u32> state{Idle};
    std::atomic<u32> revoked{0};  // 1: requests are refused, `last_words` says why
    std::atomic<u32> ended{0};    // 1: no worker looks into this mailbox any more
    u32 operation = Read;
    u32 device = 0;   // index in the volume
    u32 address = 0;  // of the bytes in the shared memory
    double at = 0;    // bytes from the device's begin: exact up to 2^53
    double length = 0;
    u32 outcome = Good;
    u32 unused = 0;
    char message[208] = {};     // of a request that failed: UTF-8, ends with a zero
    char last_words[256] = {};  // of whoever revoked it, written before `revoked`
};
static_assert(sizeof(StoreMailbox) == 512);

// One volume's worker. Thread-safe: requests queue for the one mailbox. The worker ends with the set.
class StoreSet {
  public:
    StoreSet();
    StoreSet(const StoreSet&) = delete;
    StoreSet& operator=(const StoreSet&) = delete;
    ~StoreSet();

    // For whoever starts the worker. It stays until both the set and the worker have ended.
    StoreMailbox* mailbox() { return mailbox_.get(); }

    Result<void> read(u32 device, u64 at, MutBytes out);
    // Cause::NoSpace: the browser gives this page no more room.
    Result<void> write(u32 device, u64 at, Bytes data);
    Result<void> flush(u32 device);
    Result<void> discard(u32 device, u64 at, u64 length);
    u64 requests() const { return requests_.load(std::memory_order_relaxed); }

  private:
    struct Call {
        StoreMailbox::Operation operation;
        u32 device = 0;
        u64 at = 0;
        u64 length = 0;
        const void* address = nullptr;
    };
    Result<void> call(const Call&);

    std::mutex mutex_;
    std::shared_ptr<StoreMailbox> mailbox_;
    std::atomic<u64> requests_{0};
};

// To the page (Module.page.store_opened): the volume behind this mailbox is open, or `message` says why it
// isn't. From any thread.
void tell_store_opened(const StoreMailbox* mailbox, const std::string& message);

class StoreDevice final : public block::Device {
  public:
    // `device`: index in the volume. `size`: bytes, as the volume's record has it: what was never written is
    // zeros, and takes no room in the store.
    StoreDevice(std::shared_ptr<StoreSet> set, u32 device, std::string name, u64 size);

    u64 size() const override { return size_; }
    std::string name() const override { return name_; }
    bool read_only() const override { return false; }
    Result<void> read(u64 at, MutBytes out) override;
    Result<void> write(u64 at, Bytes data) override;
    Result<void> flush() override;
    Result<void> discard(u64 at, u64 length) override;

  private:
    std::shared_ptr<StoreSet> set_;
    u32 device_;
    std::string name_;
    u64 size_;
};

}  // namespace glassfs::web
