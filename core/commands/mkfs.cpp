// SPDX-License-Identifier: MIT
// mkfs: a new file system on image files or devices. Everything is looked at before the first byte is
// written: options, what is there already, whether an image is in use.
#include "btrfs/mkfs.h"

#include "base/text.h"
#include "block/file_device.h"
#include "block/ram_device.h"
#include "btrfs/names.h"
#include "commands/host_images.h"
#include "commands/parse.h"
#include "commands/run.h"
#include "mount/format.h"
#include "mount/system_environment.h"

namespace glassfs::commands {

namespace {

Failure bad(std::string what) {
    return fail(Cause::InvalidArgument, std::move(what));
}

Result<std::optional<u64>> choice(const Arguments& given, std::string_view option,
                                  Result<u64> (*named)(const std::string&)) {
    if (!given.has(option)) return std::optional<u64>();
    auto value = named(given.value(option));
    if (!value) return bad("--" + std::string(option) + ": " + value.error().detail);
    return std::optional(*value);
}

Result<void> set_features(btrfs::MkfsOptions& options, std::string_view list) {
    while (!list.empty()) {
        std::string_view word = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), word.size() + 1));
        bool on = !word.starts_with('^');
        if (!on) word.remove_prefix(1);
        if (word == "no-holes")
            options.no_holes = on;
        else if (word == "free-space-tree")
            options.free_space_tree = on;
        else if (word == "block-group-tree")
            options.block_group_tree = on;
        else
            return bad("--features: no-holes, free-space-tree or block-group-tree, not " + escaped(word));
    }
    return {};
}

Result<Uuid> parse_uuid(std::string_view text) {
    Uuid uuid = {};
    std::string digits, lower;
    for (char c : text) {
        lower += static_cast<char>(c >= 'A' && c <= 'F' ? c | 0x20 : c);
        if (c != '-') digits += c;
    }
    bool good = digits.size() == 32;
    for (std::size_t i = 0; good && i < uuid.size(); ++i) {
        auto byte = parse_number("0x" + digits.substr(2 * i, 2));
        good = byte.has_value();
        if (good) uuid[i] = static_cast<u8>(*byte);
    }
    if (!good || uuid_text(uuid) != lower || uuid == Uuid{}) {
        return bad("--uuid: not a UUID: " + escaped(text));
    }
    return uuid;
}

Result<u32> block_bytes(const Arguments& given, std::string_view option, u32 otherwise) {
    u64 bytes = TRY(given.number(option, otherwise));
    if (bytes > btrfs::node_size_max) return bad("--" + std::string(option) + ": at most 64K");
    return static_cast<u32>(bytes);
}

Result<btrfs::MkfsOptions> options_of(const Arguments& given) {
    btrfs::MkfsOptions options;
    options.label = given.value("label");
    options.node_size = TRY(block_bytes(given, "nodesize", options.node_size));
    options.sector_size = TRY(block_bytes(given, "sectorsize", options.sector_size));
    auto checksum = TRY(choice(given, "checksum", mount::checksum_named));
    if (checksum) options.checksum = static_cast<ChecksumType>(*checksum);
    options.metadata_profile = TRY(choice(given, "metadata", mount::profile_named));
    options.data_profile = TRY(choice(given, "data", mount::profile_named));
    TRY(set_features(options, given.value("features")));
    if (given.has("uuid")) options.uuid = TRY(parse_uuid(given.value("uuid")));
    return options;
}

using Devices = std::vector<std::shared_ptr<block::Device>>;

// The bytes that the image will have. Fails for what it must not be made of.
Result<u64> check_image(const std::string& name, const Arguments& given) {
    HostImage image = look_at_image(name);
    if (image.kind == HostImage::Kind::Missing) {
        if (!given.has("size")) return fail(Cause::NotFound, "--size BYTES makes it");
        return given.number("size", 0);
    }
    auto device = TRY(block::FileDevice::open(name));
    TRY(refuse_image_in_use(name));
    std::string there = given.has("force") ? "" : mount::identify(*device);
    if (!there.empty()) return fail(Cause::Exists, "there is " + there + " on it, --force overwrites it");
    if (!given.has("size")) return device->size();
    if (image.kind == HostImage::Kind::BlockDevice) return bad("--size: a device has the size that it has");
    return given.number("size", 0);
}

Result<std::shared_ptr<block::Device>> prepared(const std::string& name, const Arguments& given) {
    using File = block::FileDevice;
    if (given.has("size")) return File::create(name, TRY(given.number("size", 0)));
    return File::open(name, File::Access::ReadWrite);
}

// What is wrong with the options must not cost an image its content.
Result<void> rehearse(const Devices& stand_ins, const btrfs::MkfsOptions& options) {
    SeededEnvironment environment(0);
    return btrfs::mkfs(stand_ins, options, environment);
}

std::unique_ptr<Environment> environment_of(u64 seed, bool seeded) {
    if (seeded) return std::make_unique<SeededEnvironment>(seed);
    return std::make_unique<mount::SystemEnvironment>();
}

}  // namespace

ExitCode run_mkfs(Invocation& invocation) {
    const Arguments& given = invocation.arguments;
    if (given.operands[0] != "btrfs") {
        return invocation.refuse("mkfs: which type? btrfs, not " + escaped(given.operands[0]));
    }
    std::vector<std::string> names = {given.operands[1]};
    if (given.has("device")) {
        const auto& more = given.options.find("device")->second;
        names.insert(names.end(), more.begin(), more.end());
    }
    auto options = options_of(given);
    auto size = given.number("size", 0), seed = given.number("seed", 0);
    if (!options || !size || !seed) {
        return invocation.refuse("mkfs: " + (!options ? options.error()
                                             : !size  ? size.error()
                                                      : seed.error())
                                                .detail);
    }
    Devices stand_ins, devices;
    for (const std::string& name : names) {
        auto bytes = check_image(name, given);
        if (bytes && is_same_image(name, std::span(names).first(stand_ins.size()))) {
            bytes = bad("given twice");
        }
        if (!bytes) {
            invocation.complain(name, bytes.error());
            return ExitCode::NotRun;
        }
        stand_ins.push_back(std::make_shared<block::RamDevice>(*bytes, name));
    }
    auto done = rehearse(stand_ins, *options);
    std::string failing = names[0];
    for (const std::string& name : names) {
        if (!done) break;
        failing = name;
        auto device = prepared(name, given);
        if (device)
            devices.push_back(*device);
        else
            done = fail(device.error());
    }
    if (done) done = btrfs::mkfs(devices, *options, *environment_of(*seed, given.has("seed")));
    auto volume = done ? mount::open(devices, {}) : fail(done.error());
    if (!volume) {
        invocation.complain(failing, volume.error());
        return ExitCode::NotRun;
    }
    Context context{invocation, **volume};
    return run_info(context);
}

}  // namespace glassfs::commands
