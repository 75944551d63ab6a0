// SPDX-License-Identifier: MIT
// A dialog, over everything between the top bar and the console. Its text fields are the page's own, where
// there is one; choices and buttons are drawn, and mirrored.
#include "base/text.h"
#include "imgui.h"
#include "ui/platform.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace glassfs::ui {

namespace {

constexpr float cell_height = 66;
constexpr float control_height = 30;
constexpr float foot_height = 60;

// The window's own input, where the host has none.
void draw_native_text(Ui& ui, DialogField& field, Rect r, bool several_lines) {
    auto& buffer = ui.dialog_texts[field.id];
    const std::size_t room = several_lines ? Session::text_bytes_max + 4096 : 1024;
    if (buffer.size() != room || std::strcmp(buffer.data(), field.value.c_str()) != 0) {
        buffer.assign(room, '\0');
        std::ranges::copy(field.value.substr(0, room - 1), buffer.begin());
    }
    ImGui::PushFont(font(several_lines ? Font::Mono13 : Font::Body));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8, several_lines ? 8 : 7));
    ImGui::PushStyleColor(ImGuiCol_FrameBg, 0U);
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, theme().accent_background);
    ImGui::SetCursorScreenPos(ImVec2(r.x, r.y));
    const std::string name = "##" + field.id;
    const bool first = ui.dialog_shown != ui.view().dialog && &field == &ui.view().dialog->fields[0];
    if (first) ImGui::SetKeyboardFocusHere();
    bool changed = false;
    if (several_lines) {
        changed = ImGui::InputTextMultiline(name.c_str(), buffer.data(), buffer.size(), ImVec2(r.w, r.h));
    } else {
        ImGui::SetNextItemWidth(r.w);
        changed = ImGui::InputText(name.c_str(), buffer.data(), buffer.size());
    }
    if (changed) set_field(*ui.view().dialog, field.id, buffer.data());
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

void draw_text_control(Ui& ui, DialogField& field, Rect r, bool seen) {
    const Theme& t = theme();
    const bool bad = !field.error.empty();
    const bool lines = field.kind == DialogField::Kind::Text;
    fill(r, t.app, 6);
    outline(r, bad ? t.state(State::Bad).line : t.line_strong, 6);
    if (!seen) return;
    const platform::TextPlace place{field.id, field.label, field.value, lines, r};
    if (!platform::place_text(place, ui.view().scale)) draw_native_text(ui, field, r, lines);
}

void draw_choices(Ui& ui, DialogField& field, float width) {
    const Theme& t = theme();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(4, 4));
    ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, 6);
    ImGui::PushStyleColor(ImGuiCol_PopupBg, t.raised);
    ImGui::PushStyleColor(ImGuiCol_Border, t.line_strong);
    if (ImGui::BeginPopup("choices")) {
        const ImVec2 from = ImGui::GetCursorScreenPos();
        float y = from.y;
        for (std::size_t i = 0; i < field.choices.size(); ++i, y += 26) {
            Rect row{from.x, y, width - 8, 26};
            Touch touch = area(static_cast<int>(i), row);
            const bool on = field.choices[i] == field.value;
            if (on || touch.hovered) fill(row, on ? t.accent_background : t.hover, 4);
            draw_text(canvas(), on ? Font::BodyBold : Font::Body, row.x + 8, row.centre_y(), t.text,
                      field.choices[i]);
            if (!touch.clicked) continue;
            set_field(*ui.view().dialog, field.id, std::string(field.choices[i]));
            ImGui::CloseCurrentPopup();
        }
        ImGui::EndPopup();
    }
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
}

void draw_choice_control(Ui& ui, DialogField& field, Rect r) {
    const Theme& t = theme();
    Touch touch = area("choice", r);
    fill(r, touch.hovered ? t.hover : t.raised, 6);
    outline(r, field.error.empty() ? t.line_strong : t.state(State::Bad).line, 6);
    draw_text_fit(canvas(), Font::Body, r.x + 10, r.centre_y(), r.w - 34, t.text, field.value);
    icon(Icon::Open, r.right() - 14, r.centre_y(), t.text2);
    if (touch.clicked) {
        ImGui::SetNextWindowPos(ImVec2(r.x, r.bottom() + 2));
        ImGui::OpenPopup("choices");
    }
    ImGui::SetNextWindowPos(ImVec2(r.x, r.bottom() + 2), ImGuiCond_Appearing);
    draw_choices(ui, field, r.w);
}

void draw_field(Ui& ui, DialogField& field, Rect r, bool seen) {
    const Theme& t = theme();
    ImGui::PushID(field.id.c_str());
    draw_text(canvas(), Font::CaptionBold, r.x, r.y + 8, t.text2, field.label);
    const bool lines = field.kind == DialogField::Kind::Text;
    Rect control{r.x, r.y + 18, r.w, lines ? r.h - 18 - 20 : control_height};
    if (field.kind == DialogField::Kind::Choice)
        draw_choice_control(ui, field, control);
    else
        draw_text_control(ui, field, control, seen);
    const bool bad = !field.error.empty();
    draw_text_fit(canvas(), Font::Caption, r.x, control.bottom() + 9, r.w,
                  bad ? t.state(State::Bad).line : t.text3, bad ? field.error : field.hint);
    ImGui::PopID();
}

void draw_fields(Ui& ui, Dialog& dialog, Rect r) {
    const bool one_text = dialog.fields.size() == 1 && dialog.fields[0].kind == DialogField::Kind::Text;
    if (one_text) {
        draw_field(ui, dialog.fields[0], {r.x, r.y, r.w - 10, r.h}, true);
        return;
    }
    const int columns = dialog.fields.size() > 2 && r.w > 400 ? 2 : 1;
    const float width = (r.w - 16.0F * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    Scroll scroll("fields", r);
    float y = scroll.top();
    for (std::size_t i = 0; i < dialog.fields.size(); ++i) {
        const int column = static_cast<int>(i) % columns;
        Rect cell{r.x + static_cast<float>(column) * (width + 16), y, width - 10, cell_height};
        const bool seen = cell.y >= r.y - 4 && cell.y + 48 <= r.bottom();
        draw_field(ui, dialog.fields[i], cell, seen);
        if (column == columns - 1) y += cell_height;
    }
    const std::size_t rows =
        (dialog.fields.size() + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
    scroll.content_height(static_cast<float>(rows) * cell_height);
}

void draw_buttons(Ui& ui, Dialog& dialog, Rect r) {
    float right = r.right();
    std::string pressed;
    for (std::size_t i = dialog.buttons.size(); i-- > 0;) {
        const DialogButton& one = dialog.buttons[i];
        right -= button_width(one.label);
        ButtonLook look{.primary = one.role == DialogButton::Role::Primary,
                        .disabled = !one.enabled || dialog.waiting()};
        if (button(one.id.c_str(), one.label, right, r.centre_y(), look)) pressed = one.id;
        if (one.role == DialogButton::Role::Danger)
            outline({right, r.centre_y() - 16, button_width(one.label), 32}, theme().state(State::Bad).line,
                    6, 1.5F);
        right -= 8;
    }
    const Theme& t = theme();
    const auto& tasks = platform::kept().tasks;
    std::string words = dialog.error;
    if (dialog.waiting() && !tasks.empty()) {
        const KeptTask& task = tasks.front();
        words = task.of > 0 ? size_text(task.done) + " of " + size_text(task.of) : printable(task.title);
        right -= 60;
        if (text_button("cancel-task", "Cancel", right + 8, r.centre_y()))
            platform::request_kept(ui.session, kept_request("cancel-task", std::to_string(task.id)));
    } else if (dialog.waiting()) {
        words = "Working";
    }
    Colour ink = dialog.error.empty() ? t.text3 : t.state(State::Bad).line;
    const bool cut =
        draw_text_fit(canvas(), Font::Caption, r.x, r.centre_y(), right - r.x - 8, ink, printable(words));
    Touch touch = area("words", {r.x, r.centre_y() - 12, std::max(1.0F, right - r.x - 8), 24});
    if (cut) tooltip_if(touch.hovered, printable(words));
    if (!pressed.empty()) press(ui.view().dialog, pressed);
}

float text_lines(const std::string& words, float width) {
    return draw_wrapped(Font::Reason, 0, -10000, width, 20, 0, words);
}

float draw_lines(const std::string& words, float x, float top, float width, float bottom) {
    float y = top;
    for (std::size_t at = 0; at < words.size() && y + 20 <= bottom;) {
        const std::size_t end = std::min(words.find('\n', at), words.size());
        y += draw_wrapped(Font::Reason, x, y, width, 20, theme().text2, words.substr(at, end - at));
        at = end + 1;
    }
    return y - top;
}

Rect panel_rect(const Dialog& dialog, Rect space) {
    const bool text = dialog.fields.size() == 1 && dialog.fields[0].kind == DialogField::Kind::Text;
    if (text) return space.inset(space.w > 800 ? 60 : 16, 16);
    const bool large = dialog.fields.size() > 2;
    const float width = std::min(large ? 640.0F : 480.0F, space.w - 32);
    float height = 58 + foot_height;
    for (std::size_t at = 0; at < dialog.text.size();) {
        const std::size_t end = std::min(dialog.text.find('\n', at), dialog.text.size());
        height += text_lines(dialog.text.substr(at, end - at), width - 40);
        at = end + 1;
    }
    if (!dialog.text.empty()) height += 12;
    const std::size_t rows = large ? (dialog.fields.size() + 1) / 2 : dialog.fields.size();
    height = std::min(height + static_cast<float>(rows) * cell_height + 4, space.h - 16);
    return {std::floor(space.x + (space.w - width) / 2), std::floor(space.y + (space.h - height) / 2), width,
            height};
}

}  // namespace

void draw_dialog(Ui& ui) {
    const DialogPtr dialog = ui.view().dialog;
    if (!dialog) {
        ui.dialog_texts.clear();
        ui.dialog_shown.reset();
        platform::end_text_places();
        return;
    }
    const Theme& t = theme();
    const float top = ui.layout.top.bottom();
    const float bottom = ui.layout.console.empty() ? ui.layout.stage.bottom() : ui.layout.console.y;
    const Rect space{0, top, ui.layout.top.w, bottom - top};
    ImGui::SetNextWindowPos(ImVec2(space.x, space.y));
    ImGui::SetNextWindowSize(ImVec2(space.w, space.h));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(t.app, 0.82F));
    constexpr auto flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                           ImGuiWindowFlags_NoScrollWithMouse;
    if (ImGui::Begin("Dialog", nullptr, flags)) {
        const Rect r = panel_rect(*dialog, space);
        fill(r, t.panel, 8);
        outline(r, t.line_strong, 8);
        draw_text_fit(canvas(), Font::Object, r.x + 20, r.y + 28, r.w - 40, t.text, dialog->title);
        float y = r.y + 54;
        if (!dialog->text.empty())
            y += draw_lines(dialog->text, r.x + 20, y, r.w - 40, r.bottom() - foot_height) + 12;
        const Rect fields{r.x + 20, y, r.w - 30, r.bottom() - foot_height - y};
        if (!dialog->fields.empty() && fields.h > 40) draw_fields(ui, *dialog, fields);
        draw_buttons(ui, *dialog, {r.x + 20, r.bottom() - foot_height, r.w - 40, foot_height});
    }
    ImGui::End();
    ImGui::PopStyleColor();
    ui.dialog_shown = dialog;
    platform::end_text_places();
}

}  // namespace glassfs::ui
