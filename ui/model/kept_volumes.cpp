// SPDX-License-Identifier: MIT
#include "ui/model/kept_volumes.h"

#include "base/text.h"

#include <nlohmann/json.hpp>

namespace glassfs::ui {

namespace {

using Json = nlohmann::json;

// A page's numbers are doubles; what isn't one, or is below zero, counts as 0.
u64 bytes(const Json& from, const char* name) {
    auto it = from.find(name);
    if (it == from.end() || !it->is_number()) return 0;
    const double value = it->get<double>();
    return value > 0 && value < 1.8e19 ? static_cast<u64>(value) : 0;
}
std::string word(const Json& from, const char* name) {
    auto it = from.find(name);
    return it != from.end() && it->is_string() ? it->get<std::string>() : std::string();
}
bool flag(const Json& from, const char* name) {
    auto it = from.find(name);
    return it != from.end() && it->is_boolean() && it->get<bool>();
}

const Json& member(const Json& from, const char* name) {
    static const Json nothing;
    auto it = from.find(name);
    return it != from.end() ? *it : nothing;
}

KeptVolume volume_of(const Json& json) {
    KeptVolume out;
    out.id = word(json, "id");
    out.name = word(json, "name");
    out.size = bytes(json, "size");
    out.stored = bytes(json, "stored");
    out.devices = static_cast<u32>(std::min<u64>(bytes(json, "devices"), 1024));
    out.store = word(json, "store");
    out.opened_ms = static_cast<s64>(bytes(json, "opened"));
    const std::string open = word(json, "open");
    out.where = open == "here"        ? KeptVolume::Where::Here
                : open == "elsewhere" ? KeptVolume::Where::Elsewhere
                                      : KeptVolume::Where::Closed;
    return out;
}

}  // namespace

Result<KeptState> parse_kept(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return fail(Cause::InvalidArgument, "kept volumes: not a JSON object");
    KeptState out;
    for (const Json& one : member(json, "volumes")) {
        if (one.is_object()) out.volumes.push_back(volume_of(one));
    }
    const Json& storage = member(json, "storage");
    if (storage.is_object()) {
        out.storage = {flag(storage, "available"), word(storage, "why"),       bytes(storage, "usage"),
                       bytes(storage, "quota"),    flag(storage, "persisted"), flag(storage, "asked")};
    }
    for (const Json& one : member(json, "tasks")) {
        if (one.is_object())
            out.tasks.push_back({bytes(one, "id"), word(one, "title"), bytes(one, "done"), bytes(one, "of")});
    }
    out.error = word(json, "error");
    return out;
}

std::string kept_request(const std::string& verb, const std::string& id, const std::string& name) {
    const Json out = {{"do", verb}, {"id", id}, {"name", name}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string create_request(const NewVolume& wanted) {
    const mount::FormatOptions& format = wanted.format;
    const Json out = {{"do", "create"},
                      {"name", wanted.name},
                      {"devices", std::vector<u64>(wanted.devices, wanted.device_bytes)},
                      {"format",
                       {{"label", format.label},
                        {"node_size", format.node_size},
                        {"checksum", format.checksum},
                        {"metadata", format.metadata_profile},
                        {"data", format.data_profile},
                        {"compression", format.compression}}}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string kept_line(const KeptVolume& volume) {
    constexpr const char* dot = " \xc2\xb7 ";
    std::string out = size_text(volume.stored) + " of " + size_text(volume.size);
    if (volume.devices > 1) out += dot + std::to_string(volume.devices) + " devices";
    if (volume.where == KeptVolume::Where::Elsewhere) return out + dot + "open in another tab";
    if (volume.where == KeptVolume::Where::Here) return out + dot + "open here";
    if (volume.opened_ms > 0)
        out += dot + ("opened " + time_text(volume.opened_ms / 1000, 0).substr(0, 16) + " UTC");
    return out;
}

std::string storage_line(const KeptStorage& storage) {
    if (!storage.available) {
        std::string where = storage.why.empty()
                                ? "Nothing is kept here"
                                : "This browser keeps nothing for this page (" + storage.why + ")";
        return where + ": new volumes run in memory, and closing loses them.";
    }
    std::string out = size_text(storage.usage) + " used";
    if (storage.quota > 0) out += " of at most " + size_text(storage.quota);
    if (storage.persisted) return out + ". The browser has promised to keep it.";
    return out + (storage.asked ? ". The browser was asked to keep it and has not promised: it may clear it "
                                  "when room gets short."
                                : ". The browser may clear it when room gets short.");
}

}  // namespace glassfs::ui
