// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <doctest/doctest.h>

using namespace glassfs;

TEST_CASE("base/text: numbers, bytes and UUIDs") {
    CHECK(text("%s-%03d", "a", 7) == "a-007");
    CHECK(text("%s", "") == "");
    CHECK(text("%s", std::string(5000, 'x').c_str()) == std::string(5000, 'x'));
    CHECK(hex(0) == "0x0");
    CHECK(hex(~u64{0}) == "0xffffffffffffffff");
    CHECK(hex_bytes(Buffer{0x00, 0xff, 0x12}) == "00ff12");
    CHECK(hex_bytes({}) == "");
    Uuid uuid{0x1a, 0x93, 0x39, 0x4d, 0xba, 0x6b, 0x4b, 0x90, 0x87, 0xa0, 0x65, 0x0f, 0x34, 0x65, 0xba, 0x60};
    CHECK(uuid_text(uuid) == "1a93394d-ba6b-4b90-87a0-650f3465ba60");
}

TEST_CASE("base/text: digits are grouped by three") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(1234567) == "1,234,567");
    CHECK(grouped(~u64{0}) == "18,446,744,073,709,551,615");
}

TEST_CASE("base/text: sizes have three significant digits at most, and the unit that fits") {
    CHECK(size_text(0) == "0 B");
    CHECK(size_text(1023) == "1023 B");
    CHECK(size_text(1024) == "1 KiB");
    CHECK(size_text(1434) == "1.4 KiB");
    CHECK(size_text(128ULL << 20) == "128 MiB");
    CHECK(size_text((1ULL << 20) - 1) == "1.0 MiB");  // never "1024 KiB"
    CHECK(size_text(1ULL << 50) == "1 PiB");
    CHECK(size_text(~u64{0}) == "16 EiB");
}

TEST_CASE("base/text: times are UTC, before 1970 and on leap days as well") {
    CHECK(time_text(0, 0) == "1970-01-01 00:00:00.000000000");
    CHECK(time_text(1'700'000'000, 123456789) == "2023-11-14 22:13:20.123456789");
    CHECK(time_text(-1, 999'999'999) == "1969-12-31 23:59:59.999999999");
    CHECK(time_text(951'782'400, 0) == "2000-02-29 00:00:00.000000000");
    CHECK(time_text(951'868'800, 0) == "2000-03-01 00:00:00.000000000");
    CHECK(time_text(4'107'542'400, 0) == "2100-03-01 00:00:00.000000000");  // 2100 is no leap year
    CHECK(time_text(-62'135'596'800, 0) == "0001-01-01 00:00:00.000000000");
    CHECK(time_text(15'032'385'535, 0) == "2446-05-10 22:38:55.000000000");  // the last that ext4 has
}

TEST_CASE("base/text: escaping leaves printable ASCII and is unambiguous") {
    CHECK(escaped("plain-name.txt") == "plain-name.txt");
    CHECK(escaped("a b%c\n") == "a%20b%25c%0A");
    CHECK(escaped("\xc3\xa9\x7f") == "%C3%A9%7F");
    CHECK(escaped(std::string_view("\0", 1)) == "%00");
}

TEST_CASE("base/text: what is shown is always well-formed UTF-8 without control characters") {
    const std::string bad = "\xef\xbf\xbd";
    CHECK(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9f") ==
          "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9f");
    CHECK(printable("a\tb\x7f") == "a" + bad + "b" + bad);
    CHECK(printable("\xc2\x9bx") == bad + "x");           // C1: a terminal would take it for an escape
    CHECK(printable("\xc3") == bad);                      // cut off
    CHECK(printable("\x80\xff") == bad + bad);            // no lead byte
    CHECK(printable("\xc0\xaf") == bad + bad);            // overlong
    CHECK(printable("\xe0\x80\xaf") == bad + bad + bad);  // overlong
    CHECK(printable("\xed\xa0\x80") == bad + bad + bad);  // a surrogate
    CHECK(printable("\xf4\x90\x80\x80") == bad + bad + bad + bad);  // beyond U+10FFFF
    CHECK(printable("\xf4\x8f\xbf\xbf") == "\xf4\x8f\xbf\xbf");
}
