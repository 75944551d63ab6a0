// SPDX-License-Identifier: MIT
#include "ui/model/volume_dialog.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace glassfs::ui {

namespace {

constexpr const char* automatic = "automatic";
constexpr const char* no_compression = "none";
constexpr u32 devices_max = 4;
constexpr u64 device_bytes_max = 1ULL << 50;  // positions are exact in a page up to 2^53

std::string given(const std::string& value, const char* otherwise) {
    return value == otherwise ? std::string() : value;
}

std::vector<std::string> choices_of(std::span<const std::string_view> names, const char* first) {
    std::vector<std::string> out;
    if (first) out.emplace_back(first);
    for (std::string_view name : names) out.emplace_back(name);
    return out;
}

NewVolume read_form(Dialog& d) {
    NewVolume out;
    out.name = d.value("name");
    out.devices = static_cast<u32>(d.value("devices")[0] - '0');
    out.in_memory = d.value("keep") == "in memory";
    out.format.label = out.name;
    out.format.node_size = static_cast<u32>(parse_size(d.value("node")).value_or(0));
    out.format.checksum = d.value("checksum");
    out.format.metadata_profile = given(d.value("metadata"), automatic);
    out.format.data_profile = given(d.value("data"), automatic);
    out.format.compression = given(d.value("compression"), no_compression);
    return out;
}

void check_profile(DialogField& field, const std::string& profile, u32 devices) {
    auto needed = mount::devices_needed(profile);
    if (profile.empty() || !needed || *needed <= devices) return;
    field.error = text("%s needs %u devices.", profile.c_str(), *needed);
}

void check_size(DialogField& field, NewVolume& wanted) {
    auto bytes = parse_size(field.value);
    auto least = mount::device_bytes_min(wanted.format, wanted.devices);
    if (!bytes) {
        field.error = "A number and a unit: 128 MiB, 4 GiB.";
        return;
    }
    wanted.device_bytes = *bytes;
    const std::string least_text = least ? grouped((*least + (1 << 20) - 1) >> 20) + " MiB" : "";
    if (least && *bytes < *least)
        field.error = "At least " + least_text + (wanted.devices > 1 ? " for each device." : ".");
    if (*bytes > device_bytes_max) field.error = "At most " + size_text(device_bytes_max) + ".";
    field.hint = "From " + least_text + " on" + (wanted.devices > 1 ? ", for each device" : "") +
                 ". Room is taken as files come.";
}

void check_form(Dialog& d) {
    for (DialogField& field : d.fields) field.error.clear();
    NewVolume wanted = read_form(d);
    DialogField& name = *d.field("name");
    if (wanted.name.empty()) name.error = "It needs a name.";
    if (wanted.name.size() > 255) name.error = "At most 255 bytes.";
    check_profile(*d.field("metadata"), wanted.format.metadata_profile, wanted.devices);
    check_profile(*d.field("data"), wanted.format.data_profile, wanted.devices);
    check_size(*d.field("size"), wanted);
    bool good = std::ranges::all_of(d.fields, [](const DialogField& f) { return f.error.empty(); });
    if (good) {
        // Whatever else mkfs would refuse.
        auto made = mount::check_format(std::vector<u64>(wanted.devices, wanted.device_bytes), wanted.format);
        if (!made) d.error = made.error().message();
        good = made.has_value();
    }
    if (DialogField* keep = d.field("keep"))
        keep->hint = wanted.in_memory ? "Closing it loses it, unless its image is exported." : "";
    d.button("create")->enabled = good;
}

}  // namespace

Result<u64> parse_size(const std::string& given_text) {
    std::string words;
    for (char c : given_text) {
        if (c != ' ') words += static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    char* rest = words.data();
    const bool digit = !words.empty() && words[0] >= '0' && words[0] <= '9' && !words.starts_with("0x");
    const double number = digit ? std::strtod(words.c_str(), &rest) : 0;
    std::string unit(rest);
    if (unit.ends_with("ib"))
        unit.resize(unit.size() - 2);
    else if (unit.size() == 2 && unit[1] == 'b')
        unit.resize(1);
    constexpr std::string_view units = "kmgt";
    const std::size_t power = unit.size() == 1 ? units.find(unit[0]) : std::string_view::npos;
    const bool plain = unit.empty() || unit == "b";
    if ((!plain && power == units.npos) || !(number > 0))
        return fail(Cause::InvalidArgument, "not a size: " + escaped(given_text));
    const double bytes = plain ? number : std::ldexp(number, 10 * (static_cast<int>(power) + 1));
    if (bytes >= 9e18) return fail(Cause::InvalidArgument, "too large: " + escaped(given_text));
    return static_cast<u64>(bytes);
}

DialogPtr new_volume_dialog(bool can_keep, CreateVolume create) {
    using Kind = DialogField::Kind;
    Dialog d{"new-volume", "New volume"};
    const auto profiles = choices_of(mount::profile_names(), automatic);
    d.fields = {
        {"name", "Name", "demo"},
        {"size", "Size of a device", "128 MiB"},
        {"devices", "Devices", "1", Kind::Choice, {"1", "2", "3", "4"}},
        {"metadata", "Metadata", automatic, Kind::Choice, profiles, "dup on one device, raid1 on several"},
        {"data", "Data", automatic, Kind::Choice, profiles, "single"},
        {"node", "Node size", "16 KiB", Kind::Choice, {"4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB"}},
        {"checksum", "Checksum", "crc32c", Kind::Choice, choices_of(mount::checksum_names(), nullptr)},
        {"compression", "Compression", no_compression, Kind::Choice,
         choices_of(mount::compression_names(), no_compression)},
    };
    static_assert(devices_max == 4);
    if (can_keep)
        d.fields.push_back(
            {"keep", "Kept", "in this browser", Kind::Choice, {"in this browser", "in memory"}});
    else
        d.text = "It runs in memory: closing it loses it, unless its image is exported.";
    d.buttons = {{"cancel", "Cancel"}, {"create", "Create", DialogButton::Role::Primary}};
    d.check = check_form;
    d.pressed = [create = std::move(create)](Dialog& form, const std::string& button) -> DialogAnswer {
        if (button != "create") return {};
        NewVolume wanted = read_form(form);
        wanted.device_bytes = parse_size(form.value("size")).value_or(0);
        return create(wanted);
    };
    return make_dialog(std::move(d));
}

DialogPtr name_dialog(std::string id, std::string title, std::string button, std::string name,
                      std::function<DialogAnswer(const std::string&)> apply,
                      std::function<std::string(const std::string&)> problem) {
    Dialog d{std::move(id), std::move(title)};
    d.fields = {{"name", "Name", std::move(name)}};
    d.buttons = {{"cancel", "Cancel"}, {"apply", std::move(button), DialogButton::Role::Primary}};
    d.check = [problem = std::move(problem)](Dialog& form) {
        DialogField& field = form.fields[0];
        field.error = field.value.empty() ? "It needs a name." : problem ? problem(field.value) : "";
        form.button("apply")->enabled = field.error.empty();
    };
    d.pressed = [apply = std::move(apply)](Dialog& form, const std::string& pressed) -> DialogAnswer {
        return pressed == "apply" ? apply(form.value("name")) : DialogAnswer{};
    };
    return make_dialog(std::move(d));
}

}  // namespace glassfs::ui
