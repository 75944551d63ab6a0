// SPDX-License-Identifier: MIT
#include "btrfs/names.h"

#include "base/text.h"

namespace glassfs::btrfs {

namespace {
const char* find(std::span<const ValueName> names, u64 value) {
    for (const ValueName& entry : names) {
        if (entry.value == value) return entry.name;
    }
    return nullptr;
}
}  // namespace

std::string key_type_name(u8 type) {
    const char* name = find(key_type_names, type);
    return name != nullptr ? name : "UNKNOWN." + std::to_string(type);
}

std::string objectid_name(u64 objectid) {
    const char* name = find(objectid_names, objectid);
    return name != nullptr ? name : std::to_string(objectid);
}

std::string flags_text(u64 value, std::span<const ValueName> names) {
    std::string out;
    auto add = [&](const std::string& part) { out += (out.empty() ? "" : " | ") + part; };
    for (const ValueName& entry : names) {
        if ((value & entry.value) == 0) continue;
        add(entry.name);
        value &= ~entry.value;
    }
    if (value != 0) add(hex(value));
    return out.empty() ? "none" : out;
}

}  // namespace glassfs::btrfs
