// SPDX-License-Identifier: MIT
// The waiting side of the mailbox, and the cache of granules.
#include "web/file_device.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <emscripten/threading.h>

namespace glassfs::web {

// What page/file_worker.js has as numbers.
static_assert(offsetof(FileMailbox, state) == 0 && offsetof(FileMailbox, dead) == 4);
static_assert(offsetof(FileMailbox, file) == 8 && offsetof(FileMailbox, length) == 12);
static_assert(offsetof(FileMailbox, at) == 16 && offsetof(FileMailbox, destination) == 24);
static_assert(offsetof(FileMailbox, failed) == 28 && offsetof(FileMailbox, message) == 32);

namespace {

constexpr std::size_t slice_limit = 8 << 20;  // bytes in one request: what the worker holds beside the copy

// The worker may die without a word (out of memory): look at `dead` now and then.
void wait_while(std::atomic<u32>& word, u32 value) {
    constexpr double patience_ms = 500;
    emscripten_futex_wait(&word, value, patience_ms);
}

}  // namespace

FileSet::FileSet() : mailbox_(new FileMailbox) {}

FileSet::~FileSet() {
    mailbox_->state.store(FileMailbox::Close);
    emscripten_futex_wake(&mailbox_->state, 1);
}

Result<void> FileSet::read(u32 file, u64 at, MutBytes out) {
    std::lock_guard lock(mutex_);
    if (mailbox_->dead.load()) return fail(Cause::DeviceReadFailed, std::string(mailbox_->message));
    mailbox_->file = file;
    mailbox_->at = static_cast<double>(at);
    mailbox_->length = static_cast<u32>(out.size());
    mailbox_->destination = static_cast<u32>(reinterpret_cast<std::uintptr_t>(out.data()));
    mailbox_->failed = 0;
    slices_.fetch_add(1, std::memory_order_relaxed);
    mailbox_->state.store(FileMailbox::Request);
    emscripten_futex_wake(&mailbox_->state, 1);
    while (mailbox_->state.load() == FileMailbox::Request) {
        if (mailbox_->dead.load()) return fail(Cause::DeviceReadFailed, std::string(mailbox_->message));
        wait_while(mailbox_->state, FileMailbox::Request);
    }
    mailbox_->state.store(FileMailbox::Idle);
    if (mailbox_->failed) return fail(Cause::DeviceReadFailed, std::string(mailbox_->message));
    return {};
}

FileDevice::FileDevice(std::shared_ptr<FileSet> set, u32 file, std::string name, u64 size)
    : set_(std::move(set)), file_(file), name_(std::move(name)), size_(size) {}

Result<void> FileDevice::read_file(u64 at, MutBytes out) {
    while (!out.empty()) {
        const std::size_t part = std::min(out.size(), slice_limit);
        TRY(set_->read(file_, at, out.first(part)));
        at += part;
        out = out.subspan(part);
    }
    return {};
}

Result<std::shared_ptr<const Buffer>> FileDevice::granule_at(u64 number) {
    if (auto kept = cache_.get(number)) return kept;
    const u64 begin = number * granule;
    auto fresh = std::make_shared<Buffer>(static_cast<std::size_t>(std::min(granule, size_ - begin)));
    TRY(read_file(begin, *fresh));
    cache_.put(number, fresh, fresh->size());
    return std::shared_ptr<const Buffer>(std::move(fresh));
}

Result<void> FileDevice::read(u64 at, MutBytes out) {
    TRY(block::check_range(*this, at, out.size()));
    // A long read gains nothing from granules, and would drive out those that short reads come back to.
    if (out.size() >= 2 * granule) return read_file(at, out);
    while (!out.empty()) {
        auto kept = TRY(granule_at(at / granule));
        const auto inside = static_cast<std::size_t>(at % granule);
        const std::size_t part = std::min(out.size(), kept->size() - inside);
        std::memcpy(out.data(), kept->data() + inside, part);
        at += part;
        out = out.subspan(part);
    }
    return {};
}

Result<void> FileDevice::write(u64, Bytes) {
    return fail(Cause::ReadOnly, name_);
}

}  // namespace glassfs::web
