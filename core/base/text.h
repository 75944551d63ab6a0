// SPDX-License-Identifier: MIT
// Small text helpers: numbers, UUIDs, escaped names, joined strings.
#pragma once

#include "base/bytes.h"

#include <array>
#include <string>

namespace glassfs {

using Uuid = std::array<u8, 16>;

// printf into a std::string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

std::string hex(u64 value);                     // "0x4000"
std::string hex_bytes(Bytes);                   // "00ff12"
std::string uuid_text(const Uuid&);             // "1a93394d-ba6b-4b90-87a0-650f3465ba60"
std::string grouped(u64 value);                 // "1,234,567"
std::string size_text(u64 bytes);               // "128 MiB", "1.4 KiB": three significant digits at most
std::string time_text(s64 seconds, u32 nanos);  // "2026-11-30 14:00:00.123456789" in UTC

// Bytes outside 0x21..0x7e, and '%', as %XX: the form of names in manifests and on a terminal.
std::string escaped(std::string_view raw);
// Well-formed UTF-8 with control characters and broken sequences replaced by U+FFFD: for the screen.
std::string printable(std::string_view raw);

}  // namespace glassfs
