// SPDX-License-Identifier: MIT
// Actions that come back from the page's DOM mirror (page_state.h).
#include "ui/model/moment.h"
#include "ui/model/page_state.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace glassfs::ui {

namespace {

using Json = nlohmann::json;

std::string word(const Json& action, const char* name) {
    auto it = action.find(name);
    return it != action.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// A number, or a string of decimal digits (negative: two's complement, as tree ids are written).
std::optional<u64> number(const Json& action, const char* name) {
    auto it = action.find(name);
    if (it == action.end()) return std::nullopt;
    if (it->is_number_unsigned()) return it->get<u64>();
    if (!it->is_string()) return std::nullopt;
    const std::string& digits = it->get_ref<const std::string&>();
    const char* end = digits.data() + digits.size();
    if (digits.starts_with('-')) {
        s64 value = 0;
        auto [rest, code] = std::from_chars(digits.data(), end, value);
        if (code != std::errc() || rest != end) return std::nullopt;
        return static_cast<u64>(value);
    }
    u64 value = 0;
    auto [rest, code] = std::from_chars(digits.data(), end, value);
    if (code != std::errc() || rest != end) return std::nullopt;
    return value;
}

Failure unknown(const std::string& what) {
    return fail(Cause::InvalidArgument, "unknown action: " + what);
}

bool select_workspace(ViewState& view, const std::string& name) {
    for (int i = 1; i <= workspace_count; ++i) {
        auto workspace = static_cast<Workspace>(i);
        if (name != workspace_name(workspace) || !workspace_available(workspace)) continue;
        view.workspace = workspace;
        return true;
    }
    return false;
}

bool change_looks(ViewState& view, const std::string& verb, const Json& action) {
    if (verb == "workspace") return select_workspace(view, word(action, "name"));
    if (verb == "theme") {
        std::string name = word(action, "name");
        if (name == "light") view.theme = ThemeChoice::Light;
        if (name == "dark") view.theme = ThemeChoice::Dark;
        return name == "light" || name == "dark";
    }
    if (verb == "scale") {
        auto it = action.find("value");
        if (it == action.end() || !it->is_number()) return false;
        view.set_scale(it->get<float>());
        return true;
    }
    auto it = action.find("open");
    if (verb != "console" || it == action.end() || !it->is_boolean()) return false;
    view.console_open = it->get<bool>();
    return true;
}

bool select(Session& session, const std::string& verb, const Json& action) {
    ViewState& view = session.view;
    auto addr = number(action, "addr");
    if (verb == "superblock") {
        view.select_superblock();
        return true;
    }
    if (verb == "tree") {
        auto id = number(action, "id");
        if (id) view.workspace = Workspace::Trees;
        if (id) view.select_tree(*id);
        return id.has_value();
    }
    if (verb == "block") {
        if (addr) view.select_block(LogicalAddr{*addr});
        return addr.has_value();
    }
    if (verb == "key") {
        auto tree = number(action, "tree"), objectid = number(action, "objectid");
        auto type = number(action, "type"), offset = number(action, "offset");
        if (!tree || !objectid || !type || *type > 255 || !offset) return false;
        view.selection.tree = *tree;
        view.wanted_key = {*tree, {*objectid, static_cast<u8>(*type), *offset}};
        return true;
    }
    if (verb == "slot") {
        auto slot = number(action, "slot");
        if (!addr || !slot) return false;
        view.select_slot(LogicalAddr{*addr}, static_cast<u32>(*slot));
        return true;
    }
    auto offset = number(action, "offset");
    auto size = number(action, "size");
    if (verb != "bytes" || !offset || !size) return false;
    view.select_bytes({static_cast<u32>(*offset), static_cast<u32>(*size)});
    return true;
}

Result<void> open_path(Session& session, FileTree& files, const std::string& verb, const std::string& path) {
    if (!path.starts_with('/')) return fail(Cause::InvalidArgument, "a path begins with a slash");
    ViewState& view = session.view;
    if (verb == "path") {
        view.workspace = Workspace::Files;
        view.wanted_path = path;
        return {};
    }
    for (const TreeRow& row : files.rows(session)) {
        bool more = row.kind == TreeRow::Kind::More;
        if (row.path != path || more != (verb == "more")) continue;
        vfs::NodeId id = row.id;
        if (more) {
            files.show_more(id);
            return {};
        }
        if (!view.open_dirs.erase(id)) view.open_dirs.insert(id);
        view.wanted_path = path;
        return {};
    }
    return fail(Cause::NotFound, path);
}

// False: it is none of these.
bool ask_lab(const std::string& verb, const Json& action, ActionEffect& effect) {
    if (verb == "branch") {
        effect.branch = true;
    } else if (verb == "bookmark") {
        effect.bookmark = true;
    } else if (verb == "save_recording") {
        effect.save_recording = true;
    } else if (verb == "lab") {
        LabModel::Plan plan;
        plan.device_bytes = number(action, "device").value_or(plan.device_bytes);
        plan.filled_bytes = number(action, "filled").value_or(0);
        plan.step_bytes = number(action, "step").value_or(plan.step_bytes);
        plan.steps_max = number(action, "steps").value_or(~u64{0});
        plan.baseline_bytes_max = number(action, "baseline").value_or(~u64{0});
        effect.lab_plan = plan;
    } else if (verb == "lab_more") {
        effect.lab_more = {number(action, "step").value_or(1ULL << 30), number(action, "steps").value_or(1)};
    } else if (verb == "lab_cancel") {
        effect.lab_cancel = true;
    } else if (verb == "share") {
        effect.share = true;
    } else if (verb == "tour") {
        effect.tour = word(action, "id");
    } else if (verb == "tour_next") {
        effect.tour_next = true;
    } else if (verb == "tour_leave") {
        effect.tour_leave = true;
    } else {
        return false;
    }
    return true;
}

// What is about volumes and dialogs. False: it is none of these, or not complete.
bool manage(Session& session, const std::string& verb, const Json& action, ActionEffect& effect) {
    ViewState& view = session.view;
    effect.of = word(action, verb == "ask" ? "of" : "id");
    if (verb == "ask") {
        effect.ask = word(action, "what");
        return !effect.ask.empty();
    }
    if (verb == "volume") {
        effect.verb = word(action, "verb");
        return !effect.verb.empty() && !effect.of.empty();
    }
    if (verb == "export") {
        effect.verb = "export";
        return true;
    }
    if (verb == "volumes") {
        auto it = action.find("open");
        view.volumes_open = it != action.end() && it->is_boolean() && it->get<bool>();
        if (view.volumes_open) view.workspace = Workspace::Files;
        return true;
    }
    if (verb == "field") return view.dialog && set_field(*view.dialog, effect.of, word(action, "value"));
    if (verb == "press") return press(view.dialog, effect.of);
    if (verb != "task" || !number(action, "id")) return false;
    effect.verb = "cancel-task";
    effect.of = std::to_string(*number(action, "id"));
    return true;
}

}  // namespace

Result<ActionEffect> apply_action(Session& session, FileTree& files, const std::string& json) {
    Json action = Json::parse(json, nullptr, false);
    if (!action.is_object()) return fail(Cause::InvalidArgument, "an action is a JSON object");
    std::string verb = word(action, "do");
    ActionEffect effect;
    if (verb == "workspace" || verb == "theme" || verb == "scale" || verb == "console") {
        if (!change_looks(session.view, verb, action)) return unknown(json);
    } else if (verb == "path" || verb == "toggle" || verb == "more") {
        TRY(open_path(session, files, verb, word(action, "path")));
    } else if (verb == "extract") {
        effect.extract_path = word(action, "path");
    } else if (verb == "command") {
        session.view.console_open = true;
        run_or_ask(session, word(action, "line"));
    } else if (verb == "copy") {
        effect.copy_inspector = word(action, "what") == "inspector";
        if (!effect.copy_inspector) effect.copy = word(action, "what");
    } else if (verb == "cancel") {
        session.cancel_command();
        for (const auto& job : session.jobs()) job->cancel = true;
    } else if (verb == "close") {
        session.close();
    } else if (verb == "new") {
        mount::FormatOptions options;
        options.label = word(action, "name");
        options.node_size = static_cast<u32>(number(action, "node_size").value_or(4096));
        options.checksum = word(action, "checksum");
        options.metadata_profile = word(action, "metadata");
        options.data_profile = word(action, "data");
        session.create(options.label, number(action, "size").value_or(128ULL << 20), options,
                       number(action, "seed").value_or(1),
                       static_cast<u32>(number(action, "devices").value_or(1)));
    } else if (verb == "shared") {
        effect.shared = TRY(parse_share(word(action, "text")));
    } else if (verb == "run_at_end") {
        run_at_end(session);
    } else if (verb == "forget_line") {
        session.view.line_in_past.reset();
    } else if (verb == "edit") {
        if (!session.edit_in_memory())
            return fail(Cause::InvalidArgument, "nothing that can be edited is open");
    } else if (verb == "go_to") {
        if (!number(action, "position")) return unknown(json);
        show_moment(session, *number(action, "position"));
    } else if (!manage(session, verb, action, effect) && !ask_lab(verb, action, effect) &&
               !select(session, verb, action)) {
        return unknown(json);
    }
    return effect;
}

}  // namespace glassfs::ui
