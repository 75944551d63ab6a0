// SPDX-License-Identifier: MIT
// Handing pieces to page/download.js, with back pressure.
#include "web/download.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <emscripten.h>
#include <emscripten/em_js.h>
#include <emscripten/threading.h>

// $0 is how EM_ASM names its arguments.
#pragma clang diagnostic ignored "-Wdollar-in-identifier-extension"

namespace glassfs::web {

struct Download::Shared {
    enum Outcome : u32 { Running = 0, Saved = 1, Declined = 2, NoSpace = 3, Failed = 4 };
    std::atomic<u32> in_flight{0};  // bytes
    std::atomic<u32> outcome{Running};
    char message[200] = {};
};

}  // namespace glassfs::web

using glassfs::u32;
using glassfs::u8;
using Shared = glassfs::web::Download::Shared;

// clang-format off
EM_JS(void, page_download_start, (Shared* download, const char* name, double size), {
    Module.page.download_start(download, UTF8ToString(name), size);
})
// clang-format on

extern "C" {

// The page has copied a piece.
EMSCRIPTEN_KEEPALIVE void glassfs_download_taken(Shared* download, u8* piece, u32 size) {
    std::free(piece);
    download->in_flight.fetch_sub(size);
    emscripten_futex_wake(&download->in_flight, 1);
}

// The file is saved, or will not be. `outcome` as in Shared.
EMSCRIPTEN_KEEPALIVE void glassfs_download_over(Shared* download, u32 outcome, const char* message) {
    std::strncpy(download->message, message, sizeof download->message - 1);
    download->outcome.store(outcome);
    emscripten_futex_wake(&download->outcome, 1);
    emscripten_futex_wake(&download->in_flight, 1);
}

// The writer is gone, and the page has heard it: the last call for this download.
EMSCRIPTEN_KEEPALIVE void glassfs_download_forget(Shared* download) {
    delete download;
}
}

namespace glassfs::web {

namespace {

constexpr double patience_ms = 500;  // a wake-up can't be lost; this only bounds the harm of a bug

}  // namespace

std::unique_ptr<Download> Download::start(const std::string& name, u64 size) {
    auto* shared = new Shared;
    page_download_start(shared, name.c_str(), static_cast<double>(size));
    return std::unique_ptr<Download>(new Download(shared));
}

Download::~Download() {
    MAIN_THREAD_ASYNC_EM_ASM({ Module.page.download_end($0, $1); }, shared_, finished_ ? 1 : 0);
}

Result<void> Download::result() const {
    switch (shared_->outcome.load()) {
        case Shared::Running:
        case Shared::Saved:
            return {};
        case Shared::Declined:
            return fail(Cause::Cancelled, "no place to save was chosen");
        case Shared::NoSpace:
            return fail(Cause::NoSpace, shared_->message);
        default:
            return fail(Cause::DeviceWriteFailed, shared_->message);
    }
}

Result<void> Download::write(Bytes bytes) {
    constexpr std::size_t piece_max = 4 << 20;
    while (!bytes.empty()) {
        const std::size_t part = std::min(bytes.size(), piece_max);
        for (u32 now = 0; (now = shared_->in_flight.load()) + part > in_flight_max;) {
            TRY(result());
            emscripten_futex_wait(&shared_->in_flight, now, patience_ms);
        }
        TRY(result());
        auto* piece = static_cast<u8*>(std::malloc(part));
        if (!piece) return fail(Cause::OutOfMemory);
        std::memcpy(piece, bytes.data(), part);
        shared_->in_flight.fetch_add(static_cast<u32>(part));
        MAIN_THREAD_ASYNC_EM_ASM({ Module.page.download_piece($0, $1, $2); }, shared_, piece, part);
        bytes = bytes.subspan(part);
    }
    return {};
}

Result<void> Download::finish() {
    finished_ = true;
    MAIN_THREAD_ASYNC_EM_ASM({ Module.page.download_finish($0); }, shared_);
    while (shared_->outcome.load() == Shared::Running) {
        emscripten_futex_wait(&shared_->outcome, Shared::Running, patience_ms);
    }
    return result();
}

}  // namespace glassfs::web
