// SPDX-License-Identifier: MIT
// Failure as a value: Result<T> carries a T or an Error; TRY unwraps it or returns the error to the caller.
// An Error says why (Cause, which implies an errno) and where (device, block, slot, key), and nothing is
// thrown.
#pragma once

#include "base/bytes.h"
#include "base/cause.h"

#include <expected>
#include <optional>
#include <string>
#include <utility>

namespace glassfs {

// A btrfs key as three plain numbers, for messages; ext4 uses only `objectid` (an inode number).
struct KeyRef {
    u64 objectid = 0;
    u8 type = 0;
    u64 offset = 0;
    friend auto operator<=>(const KeyRef&, const KeyRef&) = default;
};

// Where something is wrong. Only what is known is set.
struct Where {
    std::optional<u64> device = {};  // device id
    std::optional<u64> block = {};   // logical address (btrfs) or block number (ext4) of the metadata block
    std::optional<u32> slot = {};    // index of the item in its block
    std::optional<KeyRef> key = {};
    std::optional<u64> tree = {};  // root objectid
    friend bool operator==(const Where&, const Where&) = default;
};

struct Error {
    Cause cause;
    Where where = {};
    std::string detail = {};  // live values: "level 9, at most 7"

    Errno code() const { return cause_errno(cause); }
    // One line: sentence, detail and place.
    std::string message() const;
};

template <class T>
using Result = std::expected<T, Error>;

using Failure = std::unexpected<Error>;

// return fail(Cause::NotFound, "no tree 300");
inline Failure fail(Cause cause, std::string detail = {}) {
    return Failure(Error{cause, {}, std::move(detail)});
}
inline Failure fail(Cause cause, Where where, std::string detail = {}) {
    return Failure(Error{cause, std::move(where), std::move(detail)});
}
inline Failure fail(Error error) {
    return Failure(std::move(error));
}

namespace detail {
template <class R>
auto unwrap(R&& result) {
    if constexpr (std::is_void_v<typename std::remove_cvref_t<R>::value_type>)
        return;
    else
        return std::move(*result);
}
}  // namespace detail

#define GLASSFS_JOIN_(a, b) a##b
#define GLASSFS_JOIN(a, b) GLASSFS_JOIN_(a, b)
#define GLASSFS_TRY_(name, ...)                                     \
    __extension__({                                                 \
        auto name = (__VA_ARGS__);                                  \
        if (!name) return ::glassfs::fail(std::move(name).error()); \
        ::glassfs::detail::unwrap(std::move(name));                 \
    })

// TRY(expr): the value of a Result, or return its error from the enclosing function (whose type is a Result).
// The value is moved out, never a reference into the Result.
#define TRY(...) GLASSFS_TRY_(GLASSFS_JOIN(try_result_, __COUNTER__), __VA_ARGS__)

// For our own bugs only, on in release as well; never for bytes that came from a disk.
#define GLASSFS_ASSERT(condition) \
    ((condition) ? void() : ::glassfs::assertion_failed(#condition, __FILE__, __LINE__))
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace glassfs
