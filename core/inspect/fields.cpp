// SPDX-License-Identifier: MIT
#include "inspect/fields.h"

#include "base/text.h"

#include <algorithm>

namespace glassfs::inspect {

namespace {

constexpr std::size_t octets_shown_max = 64;

const char* name_of(std::span<const ValueName> names, u64 value) {
    for (const ValueName& entry : names) {
        if (entry.value == value) return entry.name;
    }
    return nullptr;
}

std::string flag_names(std::span<const ValueName> names, u64 value) {
    std::string out;
    for (const ValueName& entry : names) {
        if ((value & entry.value) == 0) continue;
        out += (out.empty() ? "" : " | ") + std::string(entry.name);
        value &= ~entry.value;
    }
    if (value != 0) out += (out.empty() ? "" : " | ") + hex(value);
    return out;
}

std::string octets_text(Bytes bytes) {
    std::string out = hex_bytes(bytes.first(std::min(bytes.size(), octets_shown_max)));
    return bytes.size() > octets_shown_max ? out + "..." : out;
}

bool all_zero(Bytes bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](u8 b) { return b == 0; });
}

void show_number(Field& field, const FieldInfo& info, u64 number) {
    field.value =
        info.show.form == Form::Hex || info.show.form == Form::Flags ? hex(number) : std::to_string(number);
    if (info.show.form == Form::Flags) field.meaning = flag_names(info.show.names, number);
    if (info.show.form == Form::Enumeration) {
        if (const char* name = name_of(info.show.names, number)) field.meaning = name;
        // Special object ids are negative numbers in an unsigned field.
        if (info.size == 8 && number > ~0ULL - 512) field.value = std::to_string(static_cast<s64>(number));
    }
    if (info.show.form == Form::Mode) field.value = text("%06llo", static_cast<unsigned long long>(number));
}

}  // namespace

u64 field_number(const FieldInfo& info, Bytes bytes, std::size_t at) {
    u64 number = 0;
    for (u32 i = 0; i < info.size; ++i) {
        u32 from = info.big_endian ? info.size - 1 - i : i;
        number |= u64{bytes[at + info.offset + from]} << (8 * i);
    }
    return number;
}

bool append_fields(std::vector<Field>& out, const Layout& layout, Bytes bytes, std::size_t at, u8 depth) {
    for (const FieldInfo& info : layout.fields) {
        std::size_t begin = at + info.offset;
        if (begin > bytes.size() || bytes.size() - begin < info.size) return false;
        Field field{info.name, static_cast<u32>(begin), info.size, {}, {}, depth};
        Bytes own = bytes.subspan(begin, info.size);
        if (info.nested != nullptr) {
            out.push_back(std::move(field));
            append_fields(out, info.nested(), bytes, begin, static_cast<u8>(depth + 1));
            continue;
        }
        switch (info.show.form) {
            case Form::UuidText: {
                Uuid uuid;
                std::copy_n(own.begin(), uuid.size(), uuid.begin());
                field.value = uuid_text(uuid);
                break;
            }
            case Form::Octets:
                field.value = all_zero(own) ? "0" : octets_text(own);
                break;
            case Form::Text:
                field.value = printable(as_text(own.first(
                    static_cast<std::size_t>(std::find(own.begin(), own.end(), u8{0}) - own.begin()))));
                break;
            default:
                show_number(field, info, field_number(info, bytes, at));
        }
        out.push_back(std::move(field));
    }
    return true;
}

namespace {
Bytes cut(Bytes bytes, std::size_t at, std::size_t length) {
    if (at >= bytes.size()) return {};
    return bytes.subspan(at, std::min(length, bytes.size() - at));
}
}  // namespace

void append_text(std::vector<Field>& out, std::string name, Bytes bytes, std::size_t at, std::size_t length,
                 u8 depth) {
    Bytes own = cut(bytes, at, length);
    std::string meaning = own.size() < length ? "cut off" : "";
    out.push_back({std::move(name), static_cast<u32>(at), static_cast<u32>(own.size()),
                   printable(as_text(own)), std::move(meaning), depth});
}

void append_octets(std::vector<Field>& out, std::string name, Bytes bytes, std::size_t at, std::size_t length,
                   u8 depth) {
    Bytes own = cut(bytes, at, length);
    std::string meaning = own.size() < length ? "cut off" : std::to_string(own.size()) + " bytes";
    out.push_back({std::move(name), static_cast<u32>(at), static_cast<u32>(own.size()), octets_text(own),
                   std::move(meaning), depth});
}

}  // namespace glassfs::inspect
