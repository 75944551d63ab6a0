// SPDX-License-Identifier: MIT
#include "ui/model/share.h"

#include "base/compression.h"
#include "base/endian.h"
#include "ui/model/moment.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace glassfs::ui {

namespace {

using Json = nlohmann::json;

constexpr std::string_view prefix = "g1.";
constexpr std::size_t json_max = 64 << 10;  // bytes
constexpr std::size_t commands_max = 2000;
constexpr u64 volume_bytes_max = 1ULL << 50;
constexpr u64 devices_max = 16;
constexpr const char* too_long = "So many commands don't fit into a link.";
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string base64url(Bytes bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        u32 bits = 0;
        for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? bytes[i + k] : 0U);
        for (std::size_t k = 0; k <= count; ++k) out += alphabet[bits >> (18 - 6 * k) & 63];
    }
    return out;
}

std::optional<Buffer> from_base64url(std::string_view text) {
    Buffer out;
    u32 bits = 0;
    std::size_t have = 0;
    for (char c : text) {
        const std::size_t value = alphabet.find(c);
        if (value == alphabet.npos) return std::nullopt;
        bits = bits << 6 | static_cast<u32>(value);
        if ((have += 6) < 8) continue;
        have -= 8;
        out.push_back(static_cast<u8>(bits >> have));
    }
    return out;
}

bool is_read(const trace::Event& event) {
    return std::holds_alternative<trace::TreeBlockRead>(event) ||
           std::holds_alternative<trace::BlockRead>(event);
}

Failure bad(const char* what) {
    return fail(Cause::InvalidArgument, std::string("the link: ") + what);
}

Json to_json(const SharedState& s) {
    Json out = {{"bytes", s.origin.bytes},
                {"devices", s.origin.devices},
                {"seed", s.origin.seed},
                {"name", s.origin.name},
                {"label", s.origin.options.label},
                {"node", s.origin.options.node_size},
                {"checksum", s.origin.options.checksum},
                {"metadata", s.origin.options.metadata_profile},
                {"data", s.origin.options.data_profile},
                {"commands", s.origin.commands},
                {"workspace", static_cast<int>(s.workspace)},
                {"tree", s.tree}};
    if (!s.place.present) out["at"] = {s.place.operation, s.place.step};
    if (s.block) out["block"] = s.block->value;
    if (s.slot) out["slot"] = *s.slot;
    return out;
}

std::string word(const Json& json, const char* name) {
    auto it = json.find(name);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}
std::optional<u64> number(const Json& json, const char* name) {
    auto it = json.find(name);
    return it != json.end() && it->is_number_unsigned() ? std::optional(it->get<u64>()) : std::nullopt;
}

Result<VolumeOrigin> origin_of(const Json& json) {
    VolumeOrigin out;
    auto bytes = number(json, "bytes"), seed = number(json, "seed"), node = number(json, "node");
    if (!bytes || !seed || !node) return bad("it doesn't say how the volume was made");
    out.bytes = *bytes;
    out.devices = static_cast<u32>(std::min(number(json, "devices").value_or(1), devices_max + 1));
    if (out.bytes > volume_bytes_max || out.devices == 0 || out.devices > devices_max || *node > 65536) {
        return bad("no such volume can be made");
    }
    out.seed = *seed;
    out.name = word(json, "name");
    out.options = {word(json, "label"), static_cast<u32>(*node), word(json, "checksum"),
                   word(json, "metadata"), word(json, "data")};
    auto commands = json.find("commands");
    if (commands == json.end() || !commands->is_array() || commands->size() > commands_max) {
        return bad("its commands aren't a list");
    }
    for (const Json& line : *commands) {
        if (!line.is_string()) return bad("a command that is no text");
        out.commands.push_back(line.get<std::string>());
    }
    return out;
}

}  // namespace

SharedPlace shared_place(const Timeline& line, u64 position) {
    SharedPlace place;
    if (position >= line.end || line.operations.empty()) return place;
    place.present = false;
    const std::size_t at = line.step_at(position);
    if (at == Timeline::none) return place;
    place.operation = line.steps[at].operation;
    const TimelineOperation& operation = line.operations[static_cast<std::size_t>(place.operation)];
    for (std::size_t i = operation.first; i <= at; ++i) place.step += is_read(line.steps[i].event) ? 0 : 1;
    return place;
}

u64 position_of(const Timeline& line, const SharedPlace& place) {
    if (place.present || place.operation >= line.operations.size()) return line.end;
    const TimelineOperation& operation = line.operations[static_cast<std::size_t>(place.operation)];
    u64 left = place.step, position = operation.begin;
    for (std::size_t i = operation.first; left > 0 && i < operation.first + operation.count; ++i) {
        if (is_read(line.steps[i].event)) continue;
        position = line.steps[i].position;
        --left;
    }
    return position;
}

Result<std::string> share_text(Session& session) {
    auto origin = session.origin();
    if (!origin) {
        return fail(Cause::InvalidArgument,
                    "Only a volume that was made here, in memory, can be rebuilt from a link.");
    }
    std::size_t length = 0;
    for (const std::string& line : origin->commands) length += line.size();
    if (length > json_max) return fail(Cause::InvalidArgument, too_long);
    SharedState state{*origin,
                      {},
                      session.view.workspace,
                      session.view.selection.tree,
                      session.view.selection.block,
                      session.view.selection.slot};
    if (auto timeline = session.timeline()) state.place = shared_place(*timeline, session.position());
    const std::string json = to_json(state).dump(-1, ' ', false, Json::error_handler_t::replace);
    Buffer packed(4 + json.size() + 64);
    const Le32 json_length(static_cast<u32>(json.size()));
    std::memcpy(packed.data(), &json_length, sizeof(json_length));
    auto size = json.size() > json_max
                    ? Result<std::size_t>(fail(Cause::NoSpace))
                    : compress(Compression::Zlib, 9, as_bytes(json), MutBytes(packed).subspan(4), 4096);
    std::string text = size ? std::string(prefix) + base64url(Bytes(packed).first(4 + *size)) : std::string();
    if (!size || text.size() > share_text_max) {
        return fail(Cause::InvalidArgument, too_long);
    }
    return text;
}

Result<SharedState> branch_here(Session& session, std::string line) {
    auto origin = session.origin();
    auto moment = moment_of(session);
    if (!origin || !moment) {
        return fail(Cause::InvalidArgument, "Only a volume that was made here, in memory, can be branched.");
    }
    // Operations are commands, but for the oldest, which may be forgotten.
    const std::size_t forgotten =
        origin->commands.size() - std::min(origin->commands.size(), moment->timeline->operations.size());
    const std::size_t kept = session.position() <= moment->timeline->operations[moment->operation].begin
                                 ? moment->operation
                                 : moment->operation + 1;
    origin->commands.resize(std::min(origin->commands.size(), forgotten + kept));
    origin->commands.push_back(std::move(line));
    return SharedState{std::move(*origin), {}, session.view.workspace, session.view.selection.tree, {}, {}};
}

Result<SharedState> parse_share(std::string_view text) {
    if (!text.starts_with(prefix) || text.size() > share_text_max) return bad("no such format is known");
    auto packed = from_base64url(text.substr(prefix.size()));
    if (!packed || packed->size() < 4) return bad("it was cut or changed");
    const u32 size = load<Le32>(*packed);
    if (size > json_max) return bad("it was cut or changed");
    Buffer json_bytes(size);
    auto got = decompress(Compression::Zlib, Bytes(*packed).subspan(4), json_bytes, 4096);
    if (!got || *got != size) return bad("it was cut or changed");
    const Json json = Json::parse(json_bytes.begin(), json_bytes.end(), nullptr, false);
    if (!json.is_object()) return bad("it was cut or changed");
    SharedState out;
    out.origin = TRY(origin_of(json));
    const u64 workspace = number(json, "workspace").value_or(1);
    if (workspace >= 1 && workspace <= workspace_count) out.workspace = static_cast<Workspace>(workspace);
    if (!workspace_available(out.workspace)) out.workspace = Workspace::Files;
    out.tree = number(json, "tree").value_or(5);
    if (auto block = number(json, "block")) out.block = LogicalAddr{*block};
    if (auto slot = number(json, "slot"); slot && *slot < 65536) out.slot = static_cast<u32>(*slot);
    if (auto at = json.find("at"); at != json.end() && at->is_array() && at->size() == 2 &&
                                   (*at)[0].is_number_unsigned() && (*at)[1].is_number_unsigned()) {
        out.place = {(*at)[0].get<u64>(), (*at)[1].get<u64>(), false};
    }
    return out;
}

void SharedOpening::start(Session& session, SharedState state) {
    state_ = std::move(state);
    sent_ = 0;
    session.create(state_->origin.name, state_->origin.bytes, state_->origin.options, state_->origin.seed,
                   state_->origin.devices);
    epoch_ = session.epoch();
}

void SharedOpening::follow(Session& session) {
    if (!state_) return;
    if (session.epoch() != epoch_ || session.state() == SessionState::Failed) {
        state_.reset();  // another volume was opened meanwhile, or the session says what is wrong
        return;
    }
    if (session.state() != SessionState::Open) return;
    if (sent_ < state_->origin.commands.size()) {
        for (; sent_ < state_->origin.commands.size(); ++sent_) {
            session.run_command(state_->origin.commands[sent_]);
        }
        return;
    }
    const auto entries = session.console();
    if (!entries.empty() && entries.back().running) return;
    const auto timeline = session.timeline();
    if (!timeline) return;
    session.go_to(position_of(*timeline, state_->place));
    session.view.workspace = state_->workspace;
    session.view.select_tree(state_->tree);
    if (state_->block) session.view.select_block(*state_->block);
    if (state_->block && state_->slot) session.view.select_slot(*state_->block, *state_->slot);
    state_.reset();
    return;
}

}  // namespace glassfs::ui
