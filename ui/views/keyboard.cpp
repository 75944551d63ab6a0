// SPDX-License-Identifier: MIT
// Keys that work everywhere. Letters and digits count only while no text is being typed.
#include "imgui.h"
#include "ui/platform.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

namespace glassfs::ui {

namespace {

bool panel_there(const Ui& ui, Panel panel) {
    switch (panel) {
        case Panel::Navigator:
            return !(ui.layout.rail ? ui.layout.overlay : ui.layout.navigator).empty();
        case Panel::Inspector:
            return !ui.layout.inspector.empty();
        case Panel::Console:
            return ui.choices.console_open;
        case Panel::Stage:
            return true;
    }
    return false;
}

void next_panel(Ui& ui, int step) {
    int at = static_cast<int>(ui.focus);
    for (int i = 0; i < panel_count; ++i) {
        at = (at + step + panel_count) % panel_count;
        if (panel_there(ui, static_cast<Panel>(at))) break;
    }
    ui.focus = static_cast<Panel>(at);
    ui.focus_moved = true;
}

void back_out(Ui& ui) {
    ViewState& view = ui.view();
    if (ui.help_open)
        ui.help_open = false;
    else if (ui.choices.navigator_over)
        ui.choices.navigator_over = false;
    else if (view.volumes_open)
        view.volumes_open = false;
    else if (view.selection.bytes)
        view.selection.bytes.reset();
    else if (view.selection.slot)
        view.selection.slot.reset();
    else
        view.select_nothing();
}

// The step that wrote the selected bytes last, before the one that is shown.
void show_last_writer(Ui& ui) {
    for (const InspectorSection& section : ui.inspected.sections) {
        for (const InspectorRow& row : section.rows) {
            if (!row.position || *row.position == ui.session.position()) continue;
            show_moment(ui.session, *row.position);
            return;
        }
    }
    toast("Nothing in the recording wrote that before.");
}

void control_keys(Ui& ui) {
    ViewState& view = ui.view();
    if (ImGui::IsKeyPressed(ImGuiKey_O) && platform::can_ask_for_image()) platform::ask_for_image(ui.session);
    bool plus = ImGui::IsKeyPressed(ImGuiKey_Equal) || ImGui::IsKeyPressed(ImGuiKey_KeypadAdd);
    bool minus = ImGui::IsKeyPressed(ImGuiKey_Minus) || ImGui::IsKeyPressed(ImGuiKey_KeypadSubtract);
    if (plus) view.set_scale(view.scale + 0.1F);
    if (minus) view.set_scale(view.scale - 0.1F);
    if (ImGui::IsKeyPressed(ImGuiKey_0)) view.set_scale(1);
}

}  // namespace

bool Ui::has_focus(Panel panel) const {
    return focus == panel && !ImGui::GetIO().WantTextInput && !session.view.dialog && !menu;
}

void handle_keys(Ui& ui) {
    const ImGuiIO& io = ImGui::GetIO();
    ViewState& view = ui.view();
    ui.focus_moved = false;
    if (view.dialog) {
        if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) press(view.dialog, "cancel");
        const bool lines = view.dialog && !view.dialog->fields.empty() &&
                           view.dialog->fields[0].kind == DialogField::Kind::Text;
        const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false);
        const bool save = io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_S, false);
        if (view.dialog && ((enter && (!lines || io.KeyCtrl)) || save)) press(view.dialog, "primary");
        return;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_GraveAccent, false)) {
        view.console_open = !view.console_open;
        ui.focus = view.console_open ? Panel::Console : Panel::Stage;
        return;
    }
    if (io.KeyCtrl || io.KeySuper) {
        control_keys(ui);
        return;
    }
    if (io.WantTextInput) return;
    if (ImGui::IsKeyPressed(ImGuiKey_Tab)) next_panel(ui, io.KeyShift ? -1 : 1);
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) back_out(ui);
    if (!ui.layout.timeline.empty() && io.KeyShift) {
        if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) operation_by(ui, -1);
        if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) operation_by(ui, 1);
    }
    if (!ui.layout.timeline.empty() && ui.has_focus(Panel::Stage)) {
        if (ImGui::IsKeyPressed(ImGuiKey_Space, false)) ui.playing = !ui.playing;
        if (ImGui::IsKeyPressed(ImGuiKey_Comma)) step_by(ui, -1);
        if (ImGui::IsKeyPressed(ImGuiKey_Period)) step_by(ui, 1);
        if (ImGui::IsKeyPressed(ImGuiKey_B, false)) toggle_bookmark(ui);
        if (ImGui::IsKeyPressed(ImGuiKey_LeftBracket)) change_speed(ui, -1);
        if (ImGui::IsKeyPressed(ImGuiKey_RightBracket)) change_speed(ui, 1);
        if (ImGui::IsKeyPressed(ImGuiKey_W, false)) show_last_writer(ui);
    }
    for (int i = 1; i <= workspace_count; ++i) {
        auto workspace = static_cast<Workspace>(i);
        bool pressed = ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_0 + i), false);
        if (pressed && workspace_available(workspace)) view.workspace = workspace;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_T, false)) {
        view.theme = view.theme == ThemeChoice::Dark ? ThemeChoice::Light : ThemeChoice::Dark;
    }
}

}  // namespace glassfs::ui
