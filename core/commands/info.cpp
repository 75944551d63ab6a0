// SPDX-License-Identifier: MIT
// info: the volume as a whole.
#include "base/text.h"
#include "commands/json.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

std::string info_document(const inspect::VolumeInfo& info, const Result<vfs::StatFs>& space) {
    JsonObject out;
    out.add("format", info.format).add("label", info.label).add("uuid", info.uuid);
    out.add("total", info.total).add("used", info.used);
    if (space) out.add("free", space->free);
    out.add("block_size", info.block_size).add("sector_size", info.sector_size);
    out.add("generation", info.generation.value).add("checksum_type", info.checksum_type);
    JsonArray features, notes, devices;
    for (const auto& feature : info.features) features.add(feature);
    for (const auto& note : info.notes) notes.add(note);
    for (const auto& device : info.devices) {
        JsonObject one;
        one.add("id", device.id).add("uuid", device.uuid).add("size", device.size).add("used", device.used);
        one.add("name", device.name).add("missing", device.missing);
        devices.raw(one.str());
    }
    out.raw("features", features.str()).raw("devices", devices.str());
    out.add("log_pending", info.log_pending).add("metadump", info.metadump).raw("notes", notes.str());
    return out.line();
}

std::string bytes_text(u64 bytes) {
    return size_text(bytes) + " (" + grouped(bytes) + " bytes)";
}

}  // namespace

ExitCode run_info(Context& context) {
    inspect::VolumeInfo info = context.volume.inspector().info();
    Result<vfs::StatFs> space = context.volume.files().statfs();
    if (context.json()) {
        context.out(info_document(info, space));
        return ExitCode::Done;
    }
    std::string out;
    auto line = [&](const char* name, const std::string& value) {
        out += coloured(text("%-12s", name), Colour::Dim, context.style) + " " + value + "\n";
    };
    line("format", info.format);
    line("label", info.label.empty() ? "(none)" : name_text(info.label, context.style));
    line("uuid", info.uuid);
    line("size", bytes_text(info.total));
    line("used", bytes_text(info.used));
    if (space) line("free", bytes_text(space->free));
    line("block size", text("%u bytes, sectors of %u", info.block_size, info.sector_size));
    line("checksums", info.checksum_type);
    line("generation", std::to_string(info.generation.value));
    std::string features;
    for (const auto& feature : info.features) features += (features.empty() ? "" : " ") + feature;
    line("features", features.empty() ? "(none)" : features);
    line("log", info.log_pending ? "pending: not replayed, what it holds is not shown" : "none");
    if (info.metadump) line("data", "not here: this is a metadata dump");
    for (const auto& device : info.devices) {
        std::string what = device.missing ? coloured("MISSING", Colour::Red, context.style)
                                          : name_text(device.name, context.style);
        line(text("device %llu", static_cast<unsigned long long>(device.id)).c_str(),
             what + ", " + size_text(device.size) + ", " + size_text(device.used) + " allocated");
    }
    for (const auto& note : info.notes) line("note", note);
    context.out(out);
    return ExitCode::Done;
}

}  // namespace glassfs::commands
