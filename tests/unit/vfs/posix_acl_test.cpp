// SPDX-License-Identifier: MIT
// Expectations are what Linux 6.18 answers for the same values.
#include "vfs/posix_acl.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::vfs;

namespace {

constexpr u32 nobody = 0xffffffff;
constexpr u16 owner = 1, user = 2, group = 4, named_group = 8, mask = 16, other = 32;

const Acl only_mode = {{owner, 6, nobody}, {group, 4, nobody}, {other, 0, nobody}};
const Acl whole = {
    {owner, 7, nobody}, {user, 5, 1000}, {group, 4, nobody}, {mask, 6, nobody}, {other, 1, nobody}};

std::optional<Cause> cause_of(const Acl& acl) {
    auto checked = check_acl(acl);
    return checked ? std::nullopt : std::optional(checked.error().cause);
}

Acl without(Acl acl, std::size_t entry) {
    acl.erase(acl.begin() + static_cast<std::ptrdiff_t>(entry));
    return acl;
}

}  // namespace

TEST_CASE("posix_acl: values are a version and entries of eight bytes") {
    const Buffer bytes = {2, 0, 0,   0,   1,   0,   6,  0, 255, 255, 255, 255, 4,   0,
                          4, 0, 255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
    CHECK(acl_value(only_mode) == bytes);
    CHECK(parse_acl(bytes).value() == only_mode);
    CHECK(parse_acl(acl_value(whole)).value() == whole);
    CHECK(parse_acl({}).value().empty());
    CHECK(parse_acl(Bytes(bytes).first(4)).value().empty());
}

TEST_CASE("posix_acl: ids of entries that have none are not kept") {
    Acl ids = whole;
    ids[0].id = 5;
    ids[3].id = 8;
    CHECK(parse_acl(acl_value(ids)).value() == whole);
}

TEST_CASE("posix_acl: what is no list is refused at every length and with every tag") {
    const Buffer bytes = acl_value(whole);
    for (std::size_t length = 1; length < bytes.size(); ++length) {
        auto parsed = parse_acl(Bytes(bytes).first(length));
        INFO("length " << length);
        if (length % 8 == 4) {
            CHECK(parsed.value().size() == length / 8);
        } else {
            CHECK(parsed.error().cause == Cause::InvalidArgument);
        }
    }
    for (u16 tag = 0; tag < 80; ++tag) {
        const bool known =
            tag == owner || tag == user || tag == group || tag == named_group || tag == mask || tag == other;
        CHECK(parse_acl(acl_value({{tag, 1, 7}})).has_value() == known);
    }
    CHECK(parse_acl(acl_value({{user, 7, nobody}})).error().cause == Cause::InvalidArgument);
    Buffer version = bytes;
    version[0] = 3;
    CHECK(parse_acl(version).error().cause == Cause::NotSupported);
}

TEST_CASE("posix_acl: a list has owner, group, others, in order, and a mask when it names somebody") {
    CHECK(check_acl({}).has_value());
    CHECK(check_acl(only_mode).has_value());
    CHECK(check_acl(whole).has_value());
    for (std::size_t i = 0; i < 3; ++i) CHECK(cause_of(without(only_mode, i)) == Cause::InvalidArgument);
    CHECK(cause_of(without(whole, 3)) == Cause::InvalidArgument);
    CHECK(check_acl(without(whole, 1)).has_value());
    CHECK(cause_of({only_mode[1], only_mode[0], only_mode[2]}) == Cause::InvalidArgument);
    CHECK(cause_of({only_mode[0], only_mode[0], only_mode[1], only_mode[2]}) == Cause::InvalidArgument);
    Acl bits = only_mode;
    bits[1].perm = 8;
    CHECK(cause_of(bits) == Cause::InvalidArgument);
    Acl same_user = whole;
    same_user.insert(same_user.begin() + 1, {user, 1, 1000});
    CHECK(check_acl(same_user).has_value());
}

TEST_CASE("posix_acl: the mode shows the mask in the group's place") {
    CHECK(mode_of_acl(only_mode, 0100777) == 0100640);
    CHECK(mode_of_acl(whole, 0104000) == 0104761);
    CHECK(is_only_mode(only_mode));
    CHECK_FALSE(is_only_mode(whole));
    CHECK_FALSE(is_only_mode(without(whole, 1)));  // a mask alone is kept
}

TEST_CASE("posix_acl: chmod changes owner, mask and others, and the group where there is no mask") {
    Acl acl = whole;
    apply_mode_to_acl(acl, 0100752);
    CHECK(
        acl ==
        Acl{{owner, 7, nobody}, {user, 5, 1000}, {group, 4, nobody}, {mask, 5, nobody}, {other, 2, nobody}});
    acl = only_mode;
    apply_mode_to_acl(acl, 0123);
    CHECK(acl == Acl{{owner, 1, nobody}, {group, 2, nobody}, {other, 3, nobody}});
}

TEST_CASE("posix_acl: a new file gets the default list, without what was not asked for") {
    Acl acl = {
        {owner, 7, nobody}, {user, 5, 1000}, {group, 5, nobody}, {mask, 5, nobody}, {other, 0, nobody}};
    CHECK(inherit_acl(acl, 0100666) == 0100640);
    CHECK(
        acl ==
        Acl{{owner, 6, nobody}, {user, 5, 1000}, {group, 5, nobody}, {mask, 4, nobody}, {other, 0, nobody}});
    acl = {{owner, 7, nobody}, {group, 5, nobody}, {other, 1, nobody}};
    CHECK(inherit_acl(acl, 0107777) == 0107751);
    CHECK(is_only_mode(acl));
}
