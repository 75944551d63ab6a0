// SPDX-License-Identifier: MIT
// What can be done to a file: a menu at the pointer, and the same by keys.
#include "imgui.h"
#include "ui/model/file_actions.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr float item_height = 28;
constexpr float menu_width = 200;

bool wanted_by_key(const FileAction& action) {
    const std::string_view key = action.key;
    const bool shift = ImGui::GetIO().KeyShift;
    if (key == "N") return !shift && ImGui::IsKeyPressed(ImGuiKey_N, false);
    if (key == "Shift N") return shift && ImGui::IsKeyPressed(ImGuiKey_N, false);
    if (key == "E") return !shift && ImGui::IsKeyPressed(ImGuiKey_E, false);
    if (key == "F2") return ImGui::IsKeyPressed(ImGuiKey_F2, false);
    return key == "Del" && ImGui::IsKeyPressed(ImGuiKey_Delete, false);
}

}  // namespace

void file_keys(Ui& ui) {
    for (const FileAction& action : file_actions(ui.session)) {
        if (wanted_by_key(action)) ui.asks.push_back({action.what, action.path});
    }
}

void draw_file_menu(Ui& ui) {
    if (!ui.menu) return;
    const auto actions = file_actions(ui.session, ui.menu->path, ui.menu->type);
    const float height = static_cast<float>(actions.size() + 1) * item_height + 12;
    const float x = std::min(ui.menu->x, ui.layout.top.w - menu_width - 8);
    const float screen = std::max(ui.layout.console.bottom(), ui.layout.stage.bottom());
    const float y = std::min(ui.menu->y, screen - height - 8);
    const Theme& t = theme();
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(menu_width, height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, t.raised);
    ImGui::PushStyleColor(ImGuiCol_Border, t.line_strong);
    constexpr auto flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
    bool close = false;
    if (ImGui::Begin("File", nullptr, flags)) {
        float row_y = y + 6;
        auto item = [&](int id, const char* label, const char* key) {
            Rect row{x + 4, row_y, menu_width - 8, item_height};
            row_y += item_height;
            Touch touch = area(id, row);
            if (touch.hovered) fill(row, t.hover, 4);
            draw_text(canvas(), Font::Body, row.x + 10, row.centre_y(), t.text, label);
            draw_text(canvas(), Font::Mono12, row.right() - 8, row.centre_y(), t.text3, key, Align::Right);
            return touch.clicked;
        };
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (!item(static_cast<int>(i), actions[i].label, actions[i].key)) continue;
            ui.asks.push_back({actions[i].what, actions[i].path});
            close = true;
        }
        if (item(-1, "Extract", "")) {
            ui.extract_wanted = ui.menu->path.empty() ? ui.view().folder_path : ui.menu->path;
            close = true;
        }
        const bool outside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
        close |= outside && !ImGui::IsWindowAppearing();
    }
    ImGui::End();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    if (close || ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ui.menu.reset();
}

}  // namespace glassfs::ui
