// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <cstdarg>
#include <cstdio>

namespace glassfs {

std::string text(const char* format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = std::vsnprintf(nullptr, 0, format, args);
    va_end(args);
    std::string out(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
    std::vsnprintf(out.data(), out.size() + 1, format, again);
    va_end(again);
    return out;
}

std::string hex(u64 value) {
    return text("0x%llx", static_cast<unsigned long long>(value));
}

std::string hex_bytes(Bytes bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (u8 b : bytes) {
        out += digits[b >> 4];
        out += digits[b & 15];
    }
    return out;
}

std::string uuid_text(const Uuid& uuid) {
    std::string plain = hex_bytes(uuid);
    for (std::size_t at : {20U, 16U, 12U, 8U}) plain.insert(at, "-");
    return plain;
}

std::string grouped(u64 value) {
    std::string out = std::to_string(value);
    for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
    return out;
}

std::string size_text(u64 bytes) {
    static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1023.5 && unit < 6) {
        value /= 1024;
        ++unit;
    }
    bool whole = value == static_cast<double>(static_cast<u64>(value));
    return text(whole || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

// Days since 1970-01-01 to year, month, day in the proleptic Gregorian calendar. Counting from a 1st of March
// puts the leap day last in its year, so that months have a fixed offset.
std::string time_text(s64 seconds, u32 nanos) {
    s64 days = seconds / 86400;
    s64 rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        --days;
    }
    s64 z = days + 719468;
    s64 era = (z >= 0 ? z : z - 146096) / 146097;
    s64 day_of_era = z - era * 146097;
    s64 year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    s64 day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    s64 shifted_month = (5 * day_of_year + 2) / 153;
    s64 day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    s64 month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    s64 year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
    using LL = long long;
    return text("%04lld-%02lld-%02lld %02lld:%02lld:%02lld.%09u", static_cast<LL>(year),
                static_cast<LL>(month), static_cast<LL>(day), static_cast<LL>(rest / 3600),
                static_cast<LL>(rest / 60 % 60), static_cast<LL>(rest % 60), nanos);
}

std::string escaped(std::string_view raw) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    out.reserve(raw.size());
    for (char c : raw) {
        u8 b = static_cast<u8>(c);
        if (b >= 0x21 && b <= 0x7e && b != '%') {
            out += c;
        } else {
            out += '%';
            out += digits[b >> 4];
            out += digits[b & 15];
        }
    }
    return out;
}

namespace {
// The length of the well-formed UTF-8 sequence at the head of `raw`, or 0. (Unicode 15, table 3-7)
std::size_t utf8_length(std::string_view raw) {
    auto at = [&](std::size_t i) { return static_cast<u8>(raw[i]); };
    u8 lead = at(0);
    std::size_t length = lead < 0x80                   ? 1
                         : lead >= 0xc2 && lead < 0xe0 ? 2
                         : lead >= 0xe0 && lead < 0xf0 ? 3
                         : lead >= 0xf0 && lead < 0xf5 ? 4
                                                       : 0;
    if (length == 0 || raw.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xc0) != 0x80) return 0;
    }
    bool overlong = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xf0 && at(1) < 0x90);
    bool outside = (lead == 0xed && at(1) > 0x9f) || (lead == 0xf4 && at(1) > 0x8f);
    return overlong || outside ? 0 : length;
}
}  // namespace

std::string printable(std::string_view raw) {
    std::string out;
    out.reserve(raw.size());
    while (!raw.empty()) {
        std::size_t length = utf8_length(raw);
        u8 lead = static_cast<u8>(raw[0]);
        bool control = length == 1 && (lead < 0x20 || lead == 0x7f);
        bool c1_control = length == 2 && lead == 0xc2 && static_cast<u8>(raw[1]) < 0xa0;
        if (length == 0 || control || c1_control)
            out += "\xef\xbf\xbd";
        else
            out += raw.substr(0, length);
        raw.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

}  // namespace glassfs
