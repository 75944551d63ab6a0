// SPDX-License-Identifier: MIT
// Layout tables: an on-disk struct is declared once, as a list of fields with the offset that the
// specification gives each. The list yields the struct, a static_assert per offset and for the size, and a
// table of fields from which dumps, JSON and the inspector are drawn.
//
//   #define BTRFS_TIMESPEC(F) F(0, Le64, sec, show_dec) F(8, Le32, nsec, show_dec)
//   GLASSFS_LAYOUT(btrfs_timespec, 12, BTRFS_TIMESPEC)
//
// A field's type is u8, Le<T>, Be<T>, a std::array of u8 (through an alias: no commas), or another such
// struct.
#pragma once

#include "base/endian.h"

#include <array>
#include <cstddef>

namespace glassfs {

struct Layout;

struct ValueName {
    u64 value;
    const char* name;
};

enum class Form : u8 { Decimal, Hex, Flags, Enumeration, UuidText, Octets, Text, Mode, Nested };

// How a field's value is shown.
struct Show {
    Form form = Form::Decimal;
    std::span<const ValueName> names = {};
};

inline constexpr Show show_dec{Form::Decimal};
inline constexpr Show show_hex{Form::Hex};
inline constexpr Show show_uuid{Form::UuidText};
inline constexpr Show show_bytes{Form::Octets};
inline constexpr Show show_text{Form::Text};  // up to the first NUL
inline constexpr Show show_nested{Form::Nested};
constexpr Show show_flags(std::span<const ValueName> names) {
    return {Form::Flags, names};
}
constexpr Show show_enum(std::span<const ValueName> names) {
    return {Form::Enumeration, names};
}

struct FieldInfo {
    const char* name;
    u32 offset;  // bytes from the struct's begin
    u32 size;    // bytes
    Show show;
    bool big_endian;
    const Layout& (*nested)();  // the field's own table, or null
};

struct Layout {
    const char* name;
    u32 size;  // bytes
    std::span<const FieldInfo> fields;
};

namespace detail {
template <class T>
constexpr FieldInfo field_info(const char* name, u32 offset, Show show) {
    FieldInfo info{name, offset, sizeof(T), show, false, nullptr};
    if constexpr (requires { T::layout(); }) info.nested = &T::layout;
    if constexpr (requires { typename T::Value; }) {
        info.big_endian = std::is_same_v<T, Ordered<typename T::Value, std::endian::big>>;
    }
    return info;
}
}  // namespace detail

#define GLASSFS_LAYOUT_MEMBER(at, type_, name_, show_) type_ name_;
#define GLASSFS_LAYOUT_CHECK(at, type_, name_, show_) \
    static_assert(offsetof(Self, name_) == (at), "field is not where the specification has it");
#define GLASSFS_LAYOUT_INFO(at, type_, name_, show_) ::glassfs::detail::field_info<type_>(#name_, at, show_),

#define GLASSFS_LAYOUT(struct_, size_, LIST)                                          \
    struct struct_ {                                                                  \
        LIST(GLASSFS_LAYOUT_MEMBER)                                                   \
        static const ::glassfs::Layout& layout();                                     \
    };                                                                                \
    static_assert(sizeof(struct_) == (size_) && alignof(struct_) == 1);               \
    inline const ::glassfs::Layout& struct_::layout() {                               \
        using Self = struct_;                                                         \
        LIST(GLASSFS_LAYOUT_CHECK)                                                    \
        static constexpr ::glassfs::FieldInfo fields[] = {LIST(GLASSFS_LAYOUT_INFO)}; \
        static constexpr ::glassfs::Layout table{#struct_, sizeof(Self), fields};     \
        return table;                                                                 \
    }

}  // namespace glassfs
