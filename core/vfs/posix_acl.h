// SPDX-License-Identifier: MIT
// POSIX access control lists, and how Linux keeps them and the mode in step. A list is the value of the
// extended attribute system.posix_acl_access (what holds for the inode) or system.posix_acl_default (of a
// directory: what new inodes in it begin with): a header with the version, then entries of a tag, rwx bits
// and a user or group id.
#pragma once

#include "base/error.h"

#include <optional>

namespace glassfs::vfs {

enum class AclKind : u8 { Access, Default };

struct AclEntry {
    u16 tag = 0;  // Linux's ACL_USER_OBJ, ...
    u16 perm = 0;
    u32 id = 0;  // of named users and groups; all ones for the others
    friend bool operator==(const AclEntry&, const AclEntry&) = default;
};
using Acl = std::vector<AclEntry>;  // empty: there is none

inline constexpr std::string_view acl_access_xattr = "system.posix_acl_access";
inline constexpr std::string_view acl_default_xattr = "system.posix_acl_default";
inline std::string_view acl_xattr(AclKind kind) {
    return kind == AclKind::Access ? acl_access_xattr : acl_default_xattr;
}
// Which list an attribute is, if it is one.
std::optional<AclKind> acl_kind(std::string_view xattr_name);

// The entries of a value. Cause::NotSupported for an unknown version, Cause::InvalidArgument for what is no
// list. An empty value, or one without entries, is no list at all.
Result<Acl> parse_acl(Bytes value);
Buffer acl_value(const Acl&);
// Cause::InvalidArgument unless the entries are in order, with one each for owner, group and others, and a
// mask if there are named ones.
Result<void> check_acl(const Acl&);

// The mode with the rwx bits that the list has for owner, mask (else group) and others.
u32 mode_of_acl(const Acl&, u32 mode);
// True if the list says no more than a mode can.
bool is_only_mode(const Acl&);
// What a new inode gets of its directory's default list, when `mode` was asked for: `acl` becomes its
// access list (to be kept unless is_only_mode()), the result its mode.
u32 inherit_acl(Acl&, u32 mode);
// The list after chmod.
void apply_mode_to_acl(Acl&, u32 mode);

}  // namespace glassfs::vfs
