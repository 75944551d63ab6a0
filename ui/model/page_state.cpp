// SPDX-License-Identifier: MIT
#include "ui/model/page_state.h"

#include "base/text.h"
#include "ui/model/file_actions.h"
#include "ui/model/inspector_model.h"
#include "ui/model/moment.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace glassfs::ui {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t rows_unseen_max = 200;  // of a list whose place on the screen isn't known
constexpr std::size_t hex_rows_max = 64;
constexpr std::size_t blocks_max = 64;
constexpr std::size_t console_entries_max = 20;
constexpr std::size_t output_bytes_max = 8192;

std::string number(u64 value) {
    return std::to_string(value);
}
std::string tree_number(u64 id) {
    return std::to_string(static_cast<s64>(id));
}

const char* state_word(SessionState state) {
    switch (state) {
        case SessionState::Empty:
            return "empty";
        case SessionState::Opening:
            return "opening";
        case SessionState::Open:
            return "open";
        case SessionState::Failed:
            return "failed";
    }
    return "";
}

Json volume_json(Session& session) {
    Json out = {{"name", printable(session.name())}};
    auto info = session.info();
    if (!info) return out;
    out["format"] = info->format;
    out["label"] = printable(info->label);
    out["uuid"] = info->uuid;
    out["total"] = number(info->total);
    out["used"] = number(info->used);
    out["generation"] = number(info->generation.value);
    out["block_size"] = info->block_size;
    out["checksum_type"] = info->checksum_type;
    out["log_pending"] = info->log_pending;
    out["metadump"] = info->metadump;
    out["features"] = info->features;
    out["devices"] = Json::array();
    for (const auto& device : info->devices) {
        out["devices"].push_back({{"id", number(device.id)},
                                  {"name", printable(device.name)},
                                  {"size", number(device.size)},
                                  {"missing", device.missing}});
    }
    out["notes"] = info->notes;
    return out;
}

Json tabs_json(const ViewState& view) {
    Json tabs = Json::array();
    for (int i = 1; i <= workspace_count; ++i) {
        auto workspace = static_cast<Workspace>(i);
        tabs.push_back({{"id", i},
                        {"name", workspace_name(workspace)},
                        {"selected", view.workspace == workspace},
                        {"enabled", workspace_available(workspace)}});
    }
    return tabs;
}

Json file_row(const TreeRow& row, const Selection& selection) {
    bool folder = row.type == vfs::FileType::Directory;
    bool entry = row.kind == TreeRow::Kind::Entry;
    const char* kind = !entry                               ? "note"
                       : folder                             ? "dir"
                       : row.type == vfs::FileType::Symlink ? "symlink"
                                                            : "file";
    Json out = {{"id", printable(row.path) + (entry ? "" : "#more")},
                {"name", row.name},
                {"depth", row.depth},
                {"kind", kind},
                {"value", row.value},
                {"open", row.open},
                {"selected", entry && selection.kind == Selection::Kind::File && selection.node == row.id &&
                                 selection.path == row.path}};
    const char* verb = row.kind == TreeRow::Kind::More ? "more" : folder ? "toggle" : "path";
    out["action"] = {{"do", verb}, {"path", row.path}};
    return out;
}

// A row that leads to an item.
Json space_row(std::string name, std::string value, u64 tree, KeyRef key) {
    return {{"name", std::move(name)},
            {"depth", 0},
            {"value", std::move(value)},
            {"selected", false},
            {"action",
             {{"do", "key"},
              {"tree", number(tree)},
              {"objectid", number(key.objectid)},
              {"type", key.type},
              {"offset", number(key.offset)}}}};
}

constexpr u64 chunk_tree = 3, device_tree = 4;
constexpr u8 dev_item_key = 216, dev_extent_key = 204;

Json space_devices_json(Session& session) {
    Json rows = Json::array();
    auto space = session.space();
    if (!space) return rows;
    for (const auto& device : space->devices) {
        rows.push_back(space_row("Device " + number(device.id),
                                 size_text(device.allocated) + " of " + size_text(device.size) + " in " +
                                     number(device.dev_extents) + " dev extents",
                                 chunk_tree, {1, dev_item_key, device.id}));
    }
    return rows;
}

Json space_extents_json(Session& session) {
    Json rows = Json::array();
    auto space = session.space();
    if (!space) return rows;
    for (const auto& extent : space->dev_extents) {
        if (rows.size() == rows_unseen_max) break;
        const auto* chunk = extent.chunk ? &space->chunks[*extent.chunk] : nullptr;
        std::string what = size_text(extent.length);
        if (chunk) {
            what += std::string(", ") + space_kind_name(chunk->kind) + " " + std::string(chunk->profile) +
                    ", logical " + number(chunk->logical.value);
        }
        rows.push_back(space_row("Device " + number(extent.device) + " at " + number(extent.start.value),
                                 what, device_tree, {extent.device, dev_extent_key, extent.start.value}));
    }
    return rows;
}

Json navigator_json(Session& session, FileTree& files) {
    const ViewState& view = session.view;
    Json rows = Json::array();
    if (view.workspace == Workspace::Space)
        return {{"title", "Devices"}, {"rows", space_devices_json(session)}};
    if (view.workspace == Workspace::Trees) {
        auto trees = session.trees();
        for (std::size_t i = 0; trees && i < trees->size(); ++i) {
            const inspect::TreeInfo& tree = (*trees)[i];
            rows.push_back({{"id", tree_number(tree.id)},
                            {"name", printable(tree.name)},
                            {"depth", 0},
                            {"kind", "tree"},
                            {"value", tree.error ? "bad" : "level " + number(tree.level)},
                            {"selected", view.selection.tree == tree.id},
                            {"action", {{"do", "tree"}, {"id", tree_number(tree.id)}}}});
        }
        return {{"title", "Trees"}, {"rows", rows}};
    }
    const auto& all = files.rows(session);
    std::size_t first = view.rows_shown == 0 ? 0 : std::min<std::size_t>(view.rows_first, all.size());
    std::size_t count = view.rows_shown == 0 ? rows_unseen_max : view.rows_shown;
    std::size_t last = std::min(all.size(), first + count);
    for (std::size_t i = first; i < last; ++i) rows.push_back(file_row(all[i], view.selection));
    return {{"title", "Files"}, {"rows", rows}, {"first", first}, {"total", all.size()}};
}

Json blocks_json(Session& session) {
    Json rows = Json::array();
    auto map = session.tree_map(session.view.selection.tree);
    if (!map) return rows;
    // A window around the selected block, in the order of the walk.
    std::size_t middle = 0;
    for (std::size_t i = 0; i < map->size(); ++i) {
        if ((*map)[i].addr == session.view.selection.block) middle = i;
    }
    std::size_t first = middle > blocks_max / 2 ? middle - blocks_max / 2 : 0;
    for (std::size_t i = first; i < map->size() && rows.size() < blocks_max; ++i) {
        const inspect::NodeRecord& record = (*map)[i];
        std::string addr = number(record.addr.value);
        rows.push_back({{"name", (record.level == 0 ? "Leaf " : "Node ") + addr},
                        {"value", number(record.items) + " items, " + number(record.free_bytes) + " B free"},
                        {"level", record.level},
                        {"bad", record.bad},
                        {"selected", record.addr == session.view.selection.block},
                        {"action", {{"do", "block"}, {"addr", addr}}}});
    }
    return rows;
}

Json stage_json(Session& session, FileTree& files) {
    const ViewState& view = session.view;
    if (view.workspace == Workspace::Space) {
        return {{"title", "Dev extents"}, {"rows", space_extents_json(session)}};
    }
    if (view.workspace == Workspace::Trees) {
        return {{"title", "Blocks of tree " + tree_number(view.selection.tree)},
                {"rows", blocks_json(session)}};
    }
    Json rows = Json::array();
    vfs::NodeId folder = view.folder == vfs::NodeId{} ? session.root() : view.folder;
    for (const TreeRow& row : files.folder(session, folder, view.folder_path)) {
        if (rows.size() == rows_unseen_max) break;
        Json out = file_row(row, view.selection);
        if (row.kind == TreeRow::Kind::Entry) out["action"] = {{"do", "path"}, {"path", row.path}};
        rows.push_back(std::move(out));
    }
    return {{"title", printable(view.folder_path)}, {"rows", rows}};
}

Json items_json(Session& session) {
    Json items = Json::array();
    const Selection& selection = session.view.selection;
    if (selection.kind != Selection::Kind::Block || !selection.block) return items;
    auto view = session.block(*selection.block);
    if (!view) return items;
    for (const inspect::Item& item : view->items) {
        items.push_back(
            {{"slot", item.slot},
             {"key", item.key_text},
             {"type", item.type_name},
             {"summary", printable(item.summary)},
             {"offset", item.data_offset},
             {"size", item.data_size},
             {"selected", selection.slot == item.slot},
             {"action", {{"do", "slot"}, {"addr", number(view->addr.value)}, {"slot", item.slot}}}});
    }
    return items;
}

Json fields_json(const InspectorModel& m, const Selection& selection) {
    Json fields = Json::array();
    for (const InspectorSection& section : m.sections) {
        for (const InspectorRow& row : section.rows) {
            Json out = {{"name", row.name},
                        {"value", row.value},
                        {"meaning", row.meaning},
                        {"section", section.title},
                        {"depth", row.depth},
                        {"offset", row.bytes ? row.bytes->offset : 0},
                        {"size", row.bytes ? row.bytes->size : 0},
                        {"selected", row.bytes && selection.bytes == row.bytes}};
            if (row.position) {
                out["action"] = {{"do", "go_to"}, {"position", number(*row.position)}};
            } else if (row.bytes) {
                out["action"] = {{"do", "bytes"}, {"offset", row.bytes->offset}, {"size", row.bytes->size}};
            } else {
                out["action"] = {{"do", "copy"}, {"what", row.value}};
            }
            fields.push_back(std::move(out));
        }
    }
    return fields;
}

Json hex_json(const HexView& hex) {
    Json rows = Json::array();
    for (u32 i = 0; hex.raw && i < hex.rows() && i < hex_rows_max; ++i) {
        u32 at = hex.range.offset + i * HexView::row_bytes;
        u32 count = std::min(HexView::row_bytes, hex.range.offset + hex.range.size - at);
        Bytes bytes = Bytes(*hex.raw).subspan(at, count);
        rows.push_back({{"offset", at}, {"bytes", hex_row_bytes(bytes)}, {"text", hex_row_text(bytes)}});
    }
    return rows;
}

Json inspector_json(Session& session) {
    InspectorModel m = inspector_model(session);
    Json out = {{"kind", m.kind},       {"title", m.title},     {"subtitle", m.subtitle},
                {"trouble", m.trouble}, {"loading", m.loading}, {"hint", m.hint}};
    out["fields"] = fields_json(m, session.view.selection);
    out["items"] = items_json(session);
    out["hex"] = hex_json(m.hex);
    out["path"] = Json::array();
    for (const inspect::PathStep& step : m.path) {
        Json entry = {{"what", step.what}, {"place", step.place}};
        if (step.block && step.slot) {
            entry["action"] = {{"do", "slot"}, {"addr", number(step.block->value)}, {"slot", *step.slot}};
        } else if (step.block) {
            entry["action"] = {{"do", "block"}, {"addr", number(step.block->value)}};
        } else {
            entry["action"] = {{"do", "superblock"}};
        }
        out["path"].push_back(std::move(entry));
    }
    out["copies"] = Json::array();
    const Selection& selection = session.view.selection;
    if (selection.kind == Selection::Kind::Block && selection.block) {
        if (auto view = session.block(*selection.block)) {
            for (const inspect::Copy& copy : view->copies) {
                out["copies"].push_back({{"device", number(copy.device)},
                                         {"physical", number(copy.physical.value)},
                                         {"readable", copy.readable}});
            }
        }
    }
    std::string lines;
    for (const std::string& line : m.text) lines += line + "\n";
    out["text"] = lines;
    return out;
}

Json selection_json(const Selection& selection) {
    static constexpr const char* kinds[] = {"nothing", "superblock", "block", "file"};
    Json out = {{"kind", kinds[static_cast<unsigned>(selection.kind)]},
                {"tree", tree_number(selection.tree)}};
    if (selection.block) out["block"] = number(selection.block->value);
    if (selection.slot) out["slot"] = *selection.slot;
    if (selection.bytes) out["bytes"] = {selection.bytes->offset, selection.bytes->size};
    if (selection.node) out["path"] = selection.path;
    return out;
}

Json console_json(Session& session) {
    Json entries = Json::array();
    auto all = session.console();
    std::size_t first = all.size() > console_entries_max ? all.size() - console_entries_max : 0;
    for (std::size_t i = first; i < all.size(); ++i) {
        const ConsoleEntry& entry = all[i];
        entries.push_back({{"prompt", entry.prompt},
                           {"line", entry.line},
                           {"output", entry.output.substr(0, output_bytes_max)},
                           {"errors", entry.errors.substr(0, output_bytes_max)},
                           {"status", entry.status},
                           {"running", entry.running}});
    }
    Json completions = Json::array();
    if (session.view.console_open && !session.view.console_input.empty()) {
        if (auto lines = session.completions(session.view.console_input)) completions = *lines;
    }
    return {{"open", session.view.console_open},
            {"prompt", printable(session.prompt())},
            {"completions", completions},
            {"entries", entries}};
}

Json jobs_json(Session& session) {
    Json out = Json::array();
    for (const auto& job : session.jobs()) {
        bool done = job->done;
        out.push_back({{"title", job->title},
                       {"done", done},
                       {"bytes_done", job->bytes_done.load()},
                       {"bytes_total", job->bytes_total.load()},
                       {"files_done", job->files_done.load()},
                       {"files_total", job->files_total.load()},
                       {"files_failed", job->files_failed.load()},
                       {"failures", done ? job->failures : std::vector<std::string>()},
                       {"error", done && job->error ? job->error->message() : ""}});
    }
    return out;
}

Json timeline_json(Session& session) {
    constexpr std::size_t shown_max = 200;
    auto moment = moment_of(session);
    auto timeline = session.timeline();
    if (!timeline) return nullptr;
    Json out = {{"position", number(session.position())},
                {"first", number(timeline->first)},
                {"end", number(timeline->end)},
                {"operation", nullptr},
                {"operations", Json::array()},
                {"steps", Json::array()}};
    if (!moment) return out;
    const auto& operations = timeline->operations;
    out["operation"] = moment->operation;
    for (std::size_t i = operations.size() - std::min(shown_max, operations.size()); i < operations.size();
         ++i) {
        const TimelineOperation& operation = operations[i];
        out["operations"].push_back({{"name", printable(operation.name)},
                                     {"begin", number(operation.begin)},
                                     {"end", number(operation.end)},
                                     {"steps", operation.count}});
    }
    const TimelineOperation& current = operations[moment->operation];
    for (std::size_t i = 0; i < std::min<std::size_t>(current.count, shown_max); ++i) {
        const TimelineStep& step = timeline->steps[current.first + i];
        StepText text = step_text(step);
        out["steps"].push_back({{"letter", text.letter},
                                {"title", text.title},
                                {"reason", text.reason},
                                {"position", number(step.position)},
                                {"done", step.position <= session.position()}});
    }
    return out;
}

Json lab_json(const LabSnapshot* lab) {
    if (lab == nullptr || lab->device_bytes == 0) return nullptr;
    Json out = {{"running", lab->running},    {"cancelled", lab->cancelled},
                {"fraction", lab->fraction},  {"device_bytes", number(lab->device_bytes)},
                {"same_placements", nullptr}, {"error", lab->error ? lab->error->message() : ""},
                {"sides", Json::array()}};
    if (lab->same_placements) out["same_placements"] = *lab->same_placements;
    for (const LabSide& side : lab->sides) {
        out["sides"].push_back({{"mode", side.mode},
                                {"bytes", number(side.bytes)},
                                {"dev_extents", number(side.picture.dev_extents)},
                                {"hint", number(side.picture.hint)},
                                {"last_visited", number(side.picture.search.visited)},
                                {"visited", number(side.visited)},
                                {"leaves_read", number(side.leaves_read)},
                                {"searches", number(side.searches)},
                                {"full", side.full},
                                {"waits", side.waits}});
    }
    return out;
}

Json dialog_json(const Dialog& dialog) {
    constexpr std::size_t value_bytes_max = 8192;
    static constexpr const char* kinds[] = {"line", "text", "choice"};
    static constexpr const char* roles[] = {"plain", "primary", "danger"};
    Json out = {{"id", dialog.id},         {"title", dialog.title},       {"text", dialog.text},
                {"error", dialog.error},   {"waiting", dialog.waiting()}, {"fields", Json::array()},
                {"buttons", Json::array()}};
    for (const DialogField& field : dialog.fields) {
        out["fields"].push_back({{"id", field.id},
                                 {"label", field.label},
                                 {"kind", kinds[static_cast<unsigned>(field.kind)]},
                                 {"value", field.value.substr(0, value_bytes_max)},
                                 {"choices", field.choices},
                                 {"hint", field.hint},
                                 {"error", field.error}});
    }
    for (const DialogButton& button : dialog.buttons) {
        out["buttons"].push_back({{"id", button.id},
                                  {"label", button.label},
                                  {"role", roles[static_cast<unsigned>(button.role)]},
                                  {"enabled", button.enabled && !dialog.waiting()}});
    }
    return out;
}

Json tour_json(const TourGuide* guide) {
    if (guide == nullptr || guide->tour() == nullptr) return nullptr;
    const Tour& tour = *guide->tour();
    return {{"id", tour.id},
            {"step", guide->at()},
            {"steps", tour.steps.size()},
            {"title", tour.steps[guide->at()].title},
            {"ready", guide->ready()}};
}

Json action_json(const char* label, Json action) {
    return {{"label", label}, {"action", std::move(action)}};
}

Json kept_row_json(const KeptVolume& volume) {
    static constexpr const char* where[] = {"closed", "here", "elsewhere"};
    static constexpr const char* open_labels[] = {"Open", "Close", "Take over"};
    const auto place = static_cast<unsigned>(volume.where);
    const char* open_verb = volume.where == KeptVolume::Where::Here ? "close" : "open";
    auto verb = [&](const char* name) { return Json{{"do", "volume"}, {"verb", name}, {"id", volume.id}}; };
    auto ask = [&](const char* what) { return Json{{"do", "ask"}, {"what", what}, {"of", volume.id}}; };
    return {{"id", volume.id},
            {"name", printable(volume.name)},
            {"line", kept_line(volume)},
            {"size", number(volume.size)},
            {"stored", number(volume.stored)},
            {"where", where[place]},
            {"actions",
             {action_json(open_labels[place], verb(open_verb)), action_json("Rename", ask("rename-volume")),
              action_json("Duplicate", ask("duplicate-volume")), action_json("Export", verb("export")),
              action_json("Delete", ask("delete-volume"))}}};
}

Json volumes_json(const ViewState& view, const KeptState& kept) {
    Json out = {{"open", view.volumes_open},
                {"rows", Json::array()},
                {"line", storage_line(kept.storage)},
                {"available", kept.storage.available},
                {"persisted", kept.storage.persisted},
                {"asked", kept.storage.asked},
                {"error", kept.error},
                {"tasks", Json::array()}};
    for (const KeptVolume& volume : kept.volumes) out["rows"].push_back(kept_row_json(volume));
    for (const KeptTask& task : kept.tasks) {
        out["tasks"].push_back({{"title", task.title},
                                {"done", task.done},
                                {"of", task.of},
                                {"action", {{"do", "task"}, {"id", task.id}}}});
    }
    return out;
}

Json file_actions_json(Session& session) {
    Json out = Json::array();
    for (const FileAction& action : file_actions(session))
        out.push_back(action_json(action.label, {{"do", "ask"}, {"what", action.what}, {"of", action.path}}));
    return out;
}

}  // namespace

std::string page_state_json(Session& session, FileTree& files, const Headline& shown, const FrameStats& stats,
                            const PageExtras& extras) {
    const ViewState& view = session.view;
    SessionState state = session.state();
    Json out = {{"state", state_word(state)}, {"epoch", session.epoch()}, {"error", ""}};
    if (auto error = session.open_error()) out["error"] = error->message();
    out["workspace"] = workspace_name(view.workspace);
    out["theme"] = view.theme == ThemeChoice::Dark ? "dark" : "light";
    out["scale"] = view.scale;
    out["headline"] = {{"kind", shown.kind}, {"title", shown.title}, {"reason", shown.reason}};
    out["tabs"] = tabs_json(view);
    if (state == SessionState::Open) {
        out["volume"] = volume_json(session);
        out["navigator"] = navigator_json(session, files);
        out["stage"] = stage_json(session, files);
        out["inspector"] = inspector_json(session);
    }
    out["writable"] = session.writable();
    out["in_memory"] = session.in_memory();
    out["volumes"] = volumes_json(view, extras.kept ? *extras.kept : KeptState{});
    out["files"] = file_actions_json(session);
    out["dialog"] = view.dialog ? dialog_json(*view.dialog) : Json(nullptr);
    out["selection"] = selection_json(view.selection);
    out["console"] = console_json(session);
    out["jobs"] = jobs_json(session);
    out["timeline"] = timeline_json(session);
    out["share"] = share_text(session).value_or("");
    if (view.line_in_past) out["asked_in_past"] = *view.line_in_past;
    out["bookmarks"] = Json::array();
    for (u64 position : view.bookmarks) out["bookmarks"].push_back(number(position));
    out["lab"] = lab_json(extras.lab);
    out["tour"] = tour_json(extras.guide);
    out["stats"] = {{"frame_ms", stats.frame_ms},
                    {"frames", stats.frames},
                    {"revision", session.revision()},
                    {"busy", session.busy()}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace glassfs::ui
