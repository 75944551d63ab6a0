// SPDX-License-Identifier: MIT
// The waiting side of the mailbox.
#include "web/store_device.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <emscripten.h>
#include <emscripten/threading.h>
#include <map>

// $0 is how EM_ASM names its arguments.
#pragma clang diagnostic ignored "-Wdollar-in-identifier-extension"

namespace glassfs::web {

// What page/store_worker.js has as numbers.
static_assert(offsetof(StoreMailbox, state) == 0 && offsetof(StoreMailbox, revoked) == 4);
static_assert(offsetof(StoreMailbox, ended) == 8 && offsetof(StoreMailbox, operation) == 12);
static_assert(offsetof(StoreMailbox, device) == 16 && offsetof(StoreMailbox, address) == 20);
static_assert(offsetof(StoreMailbox, at) == 24 && offsetof(StoreMailbox, length) == 32);
static_assert(offsetof(StoreMailbox, outcome) == 40 && offsetof(StoreMailbox, message) == 48);
static_assert(offsetof(StoreMailbox, last_words) == 256);

namespace {

constexpr std::size_t request_limit = 16 << 20;  // bytes in one request: what a store may hold beside them

// Mailboxes whose workers have not ended yet. Touched on the main thread and by whoever makes a set.
std::mutex served_mutex;
std::map<StoreMailbox*, std::shared_ptr<StoreMailbox>> served;

// A request is answered within microseconds when the store has its bytes at hand: a short look saves the
// way through the scheduler, twice. Then it sleeps; the worker may end without a word, so it looks up now
// and then.
void wait_while(std::atomic<u32>& word, u32 value) {
    constexpr int looks = 2000;
    constexpr double patience_ms = 500;
    for (int i = 0; i < looks; ++i) {
        if (word.load(std::memory_order_acquire) != value) return;
    }
    emscripten_futex_wait(&word, value, patience_ms);
}

void wake_all(std::atomic<u32>& word) {
    constexpr int everybody = 1 << 30;
    emscripten_futex_wake(&word, everybody);
}

Cause cause_of(StoreMailbox::Operation operation) {
    switch (operation) {
        case StoreMailbox::Read:
            return Cause::DeviceReadFailed;
        case StoreMailbox::Flush:
            return Cause::DeviceFlushFailed;
        default:
            return Cause::DeviceWriteFailed;
    }
}

}  // namespace

StoreSet::StoreSet() : mailbox_(std::make_shared<StoreMailbox>()) {
    std::lock_guard lock(served_mutex);
    served.emplace(mailbox_.get(), mailbox_);
}

StoreSet::~StoreSet() {
    mailbox_->state.store(StoreMailbox::Close);
    wake_all(mailbox_->state);
}

Result<void> StoreSet::call(const Call& call) {
    std::lock_guard lock(mutex_);
    StoreMailbox& box = *mailbox_;
    auto refused = [&] { return fail(cause_of(call.operation), std::string(box.last_words)); };
    if (box.revoked.load() || box.ended.load()) return refused();
    box.operation = call.operation;
    box.device = call.device;
    box.at = static_cast<double>(call.at);
    box.length = static_cast<double>(call.length);
    box.address = static_cast<u32>(reinterpret_cast<std::uintptr_t>(call.address));
    box.outcome = StoreMailbox::Good;
    requests_.fetch_add(1, std::memory_order_relaxed);
    box.state.store(StoreMailbox::Request);
    wake_all(box.state);
    // Not given up when it is revoked meanwhile: the worker may be at the caller's bytes.
    while (box.state.load() == StoreMailbox::Request) {
        if (box.ended.load()) return refused();
        wait_while(box.state, StoreMailbox::Request);
    }
    box.state.store(StoreMailbox::Idle);
    if (box.outcome == StoreMailbox::Good) return {};
    return fail(box.outcome == StoreMailbox::NoSpace ? Cause::NoSpace : cause_of(call.operation),
                std::string(box.message));
}

Result<void> StoreSet::read(u32 device, u64 at, MutBytes out) {
    while (!out.empty()) {
        const std::size_t part = std::min(out.size(), request_limit);
        TRY(call({StoreMailbox::Read, device, at, part, out.data()}));
        at += part;
        out = out.subspan(part);
    }
    return {};
}

Result<void> StoreSet::write(u32 device, u64 at, Bytes data) {
    while (!data.empty()) {
        const std::size_t part = std::min(data.size(), request_limit);
        TRY(call({StoreMailbox::Write, device, at, part, data.data()}));
        at += part;
        data = data.subspan(part);
    }
    return {};
}

Result<void> StoreSet::flush(u32 device) {
    return call({StoreMailbox::Flush, device});
}

Result<void> StoreSet::discard(u32 device, u64 at, u64 length) {
    if (length == 0) return {};
    return call({StoreMailbox::Discard, device, at, length});
}

void tell_store_opened(const StoreMailbox* mailbox, const std::string& message) {
    MAIN_THREAD_ASYNC_EM_ASM(
        {
            Module.page.store_opened($0, UTF8ToString($1));
            _free($1);
        },
        mailbox, strdup(message.c_str()));
}

StoreDevice::StoreDevice(std::shared_ptr<StoreSet> set, u32 device, std::string name, u64 size)
    : set_(std::move(set)), device_(device), name_(std::move(name)), size_(size) {}

Result<void> StoreDevice::read(u64 at, MutBytes out) {
    TRY(block::check_range(*this, at, out.size()));
    return set_->read(device_, at, out);
}

Result<void> StoreDevice::write(u64 at, Bytes data) {
    TRY(block::check_range(*this, at, data.size()));
    return set_->write(device_, at, data);
}

Result<void> StoreDevice::flush() {
    return set_->flush(device_);
}

Result<void> StoreDevice::discard(u64 at, u64 length) {
    TRY(block::check_range(*this, at, length));
    return set_->discard(device_, at, length);
}

}  // namespace glassfs::web

// Called by the page, on the main thread.

using glassfs::web::StoreMailbox;

extern "C" {

// From now on the volume belongs to somebody else, or its worker could not be started: requests are refused
// with the message. The worker, if there is one, closes the store and ends.
EMSCRIPTEN_KEEPALIVE void glassfs_store_revoke(StoreMailbox* mailbox, const char* message) {
    if (mailbox->revoked.load()) return;
    std::strncpy(mailbox->last_words, message, sizeof mailbox->last_words - 1);
    mailbox->revoked.store(1);
    glassfs::web::wake_all(mailbox->state);
}

// The worker has ended, or never came to be; the page doesn't use the mailbox after this.
EMSCRIPTEN_KEEPALIVE void glassfs_store_ended(StoreMailbox* mailbox) {
    using namespace glassfs::web;
    std::shared_ptr<StoreMailbox> last;
    {
        std::lock_guard lock(served_mutex);
        auto found = served.find(mailbox);
        if (found == served.end()) return;
        last = std::move(found->second);
        served.erase(found);
    }
    last->ended.store(1);
    wake_all(last->state);
}

}  // extern "C"
