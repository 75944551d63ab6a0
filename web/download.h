// SPDX-License-Identifier: MIT
// A file that the page saves on the user's computer, written as a stream from a worker thread. The bytes go
// to the main thread in pieces (page/download.js collects them in a Blob, or writes them straight into a
// file where the browser can and it pays); the writer waits when too many are on their way.
#pragma once

#include "base/bytes.h"
#include "base/error.h"

#include <memory>
#include <string>

namespace glassfs::web {

class Download {
  public:
    static constexpr u32 in_flight_max = 32 << 20;  // bytes handed over and not yet taken

    // On the main thread, in answer to a user's gesture. `size` in bytes, 0 when not known.
    static std::unique_ptr<Download> start(const std::string& name, u64 size);
    // Destroyed without finish(): what was written is thrown away.
    ~Download();
    Download(const Download&) = delete;
    Download& operator=(const Download&) = delete;

    // On any thread but the main one. Cause::Cancelled when the user declined the file, Cause::NoSpace or
    // Cause::DeviceWriteFailed when it can't be written.
    Result<void> write(Bytes);
    Result<void> finish();  // returns when the browser has the whole file

    struct Shared;

  private:
    explicit Download(Shared* shared) : shared_(shared) {}
    Result<void> result() const;

    Shared* shared_;  // deleted by the page after it has heard the end
    bool finished_ = false;
};

}  // namespace glassfs::web
