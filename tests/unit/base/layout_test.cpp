// SPDX-License-Identifier: MIT
#include "base/layout.h"

#include <doctest/doctest.h>

using namespace glassfs;

namespace {

using Name = std::array<u8, 5>;
constexpr ValueName kind_names[] = {{1, "ONE"}, {2, "TWO"}};

#define INNER(F) F(0, u8, kind, show_enum(kind_names)) F(1, Be32, number, show_hex)
GLASSFS_LAYOUT(inner, 5, INNER)

#define OUTER(F)                     \
    F(0, Le16, length, show_dec)     \
    F(2, inner, nested, show_nested) \
    F(7, Name, name, show_text)
GLASSFS_LAYOUT(outer, 12, OUTER)

}  // namespace

TEST_CASE("base/layout: one list gives the struct and the table that describes it") {
    const Layout& table = outer::layout();
    CHECK(table.name == std::string_view("outer"));
    CHECK(table.size == 12);
    REQUIRE(table.fields.size() == 3);
    CHECK(table.fields[0].name == std::string_view("length"));
    CHECK(table.fields[0].size == 2);
    CHECK(table.fields[0].show.form == Form::Decimal);
    CHECK(!table.fields[0].big_endian);
    CHECK(!table.fields[0].nested);
    CHECK(table.fields[1].offset == 2);
    REQUIRE((table.fields[1].nested == &inner::layout));
    CHECK(table.fields[2].offset == 7);
    CHECK(table.fields[2].size == 5);
    const Layout& inside = table.fields[1].nested();
    CHECK(inside.fields[1].big_endian);
    CHECK(inside.fields[0].show.names.size() == 2);
    CHECK(inside.fields[0].show.names[1].name == std::string_view("TWO"));

    Buffer bytes{0x34, 0x12, 2, 0, 0, 1, 0, 'h', 'e', 'l', 'l', 'o'};
    auto value = load<outer>(bytes);
    CHECK(value.length == 0x1234);
    CHECK(value.nested.kind == 2);
    CHECK(value.nested.number == 256);
    CHECK(value.name[4] == 'o');
}
