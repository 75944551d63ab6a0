// SPDX-License-Identifier: MIT
#include "vfs/posix_acl.h"

#include "base/endian.h"

#include <algorithm>
#include <cstring>

namespace glassfs::vfs {

namespace {

constexpr u32 version = 2, no_id = 0xffffffff;
constexpr u16 user_obj = 0x01, user = 0x02, group_obj = 0x04, group = 0x08, mask = 0x10, other = 0x20;
constexpr u16 rwx = 7;
constexpr std::size_t header_bytes = 4, entry_bytes = 8;

bool has_id(u16 tag) {
    return tag == user || tag == group;
}

bool is_tag(u16 tag) {
    return has_id(tag) || tag == user_obj || tag == group_obj || tag == mask || tag == other;
}

std::size_t count(const Acl& acl, u16 tag) {
    auto matches = std::count_if(acl.begin(), acl.end(), [&](const AclEntry& e) { return e.tag == tag; });
    return static_cast<std::size_t>(matches);
}

// Where the rwx bits of an entry are in a mode; the mask's, if there is one, are there in the group's place.
u32 shift_in_mode(const Acl& acl, u16 tag) {
    constexpr u32 nowhere = 32;
    switch (tag) {
        case user_obj:
            return 6;
        case group_obj:
            return count(acl, mask) == 0 ? 3 : nowhere;
        case mask:
            return 3;
        case other:
            return 0;
        default:
            return nowhere;
    }
}

// Calls `visit` with each entry that the mode has as well, and its place there.
template <class Entries, class Visit>
void for_each_in_mode(Entries& acl, Visit visit) {
    for (auto& entry : acl) {
        u32 shift = shift_in_mode(acl, entry.tag);
        if (shift < 32) visit(entry, shift);
    }
}

}  // namespace

std::optional<AclKind> acl_kind(std::string_view xattr_name) {
    if (xattr_name == acl_access_xattr) return AclKind::Access;
    if (xattr_name == acl_default_xattr) return AclKind::Default;
    return std::nullopt;
}

Result<Acl> parse_acl(Bytes value) {
    Acl acl;
    if (value.empty()) return acl;
    if (value.size() < header_bytes) return fail(Cause::InvalidArgument, "too short for an access list");
    if (load<Le32>(value) != version) return fail(Cause::NotSupported, "another version of access lists");
    if ((value.size() - header_bytes) % entry_bytes != 0) {
        return fail(Cause::InvalidArgument, "an access list that ends inside of an entry");
    }
    for (std::size_t at = header_bytes; at < value.size(); at += entry_bytes) {
        AclEntry entry{load<Le16>(value, at), load<Le16>(value, at + 2), load<Le32>(value, at + 4)};
        if (!is_tag(entry.tag)) return fail(Cause::InvalidArgument, "an unknown entry in an access list");
        if (!has_id(entry.tag))
            entry.id = no_id;
        else if (entry.id == no_id)
            return fail(Cause::InvalidArgument, "an access list for nobody");
        acl.push_back(entry);
    }
    return acl;
}

Buffer acl_value(const Acl& acl) {
    Buffer out(header_bytes + acl.size() * entry_bytes);
    auto put = [&](std::size_t at, const auto& number) {
        std::memcpy(out.data() + at, &number, sizeof(number));
    };
    put(0, Le32(version));
    for (std::size_t i = 0; i < acl.size(); ++i) {
        const std::size_t at = header_bytes + i * entry_bytes;
        put(at, Le16(acl[i].tag));
        put(at + 2, Le16(acl[i].perm));
        put(at + 4, Le32(acl[i].id));
    }
    return out;
}

Result<void> check_acl(const Acl& acl) {
    if (acl.empty()) return {};
    const auto by_tag = [](const AclEntry& a, const AclEntry& b) { return a.tag < b.tag; };
    const bool in_order = std::is_sorted(acl.begin(), acl.end(), by_tag);
    const bool bits = std::all_of(acl.begin(), acl.end(), [](const AclEntry& e) { return e.perm <= rwx; });
    const bool named = count(acl, user) + count(acl, group) != 0;
    const bool each_once = count(acl, user_obj) == 1 && count(acl, group_obj) == 1 && count(acl, other) == 1;
    if (!in_order || !bits || !each_once || count(acl, mask) > 1 || (named && count(acl, mask) == 0)) {
        return fail(Cause::InvalidArgument, "not a complete access list in order");
    }
    return {};
}

u32 mode_of_acl(const Acl& acl, u32 mode) {
    for_each_in_mode(acl, [&](const AclEntry& entry, u32 shift) {
        mode = (mode & ~(u32{rwx} << shift)) | (u32{entry.perm} & rwx) << shift;
    });
    return mode;
}

bool is_only_mode(const Acl& acl) {
    return count(acl, user) + count(acl, group) + count(acl, mask) == 0;
}

u32 inherit_acl(Acl& acl, u32 mode) {
    for_each_in_mode(acl, [&](AclEntry& entry, u32 shift) {
        entry.perm = static_cast<u16>(entry.perm & (mode >> shift));
    });
    return mode_of_acl(acl, mode);
}

void apply_mode_to_acl(Acl& acl, u32 mode) {
    for_each_in_mode(
        acl, [&](AclEntry& entry, u32 shift) { entry.perm = static_cast<u16>((mode >> shift) & rwx); });
}

}  // namespace glassfs::vfs
