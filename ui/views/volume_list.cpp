// SPDX-License-Identifier: MIT
// The volumes that this host keeps, what they take up, and what can be done with them.
#include "base/text.h"
#include "imgui.h"
#include "ui/platform.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr float row_height = 56;

// Buttons from the right edge, in the order given; returns how far they reach to the left.
struct RowButton {
    const char* id;
    const char* label;
    bool primary = false;
};
std::string draw_row_buttons(float& right, float y, std::initializer_list<RowButton> buttons) {
    std::string pressed;
    for (const RowButton& one : buttons) {
        right -= button_width(one.label) - 8;
        ButtonLook look{.primary = one.primary, .width = button_width(one.label) - 8, .height = 26};
        if (button(one.id, one.label, right, y, look)) pressed = one.id;
        right -= 6;
    }
    return pressed;
}

void draw_row_frame(Rect row, float right, const std::string& name, const std::string& line) {
    const Theme& t = theme();
    const float room = right - row.x - 22;
    draw_text_fit(canvas(), Font::BodyBold, row.x + 14, row.y + 17, room, t.text, name);
    draw_text_fit(canvas(), Font::Caption, row.x + 14, row.y + 37, room, t.text2, line);
}

void draw_kept(Ui& ui, const KeptVolume& volume, Rect row) {
    const Theme& t = theme();
    fill(row, t.raised, 6);
    outline(row, volume.where == KeptVolume::Where::Here ? t.accent : t.line, 6);
    const bool here = volume.where == KeptVolume::Where::Here;
    const char* verb = here ? "Close" : volume.where == KeptVolume::Where::Elsewhere ? "Take over" : "Open";
    float right = row.right() - 12;
    const std::string pressed = draw_row_buttons(right, row.centre_y(),
                                                 {{"delete-volume", "Delete"},
                                                  {"export", "Export"},
                                                  {"duplicate-volume", "Duplicate"},
                                                  {"rename-volume", "Rename"},
                                                  {here ? "close" : "open", verb, !here}});
    draw_row_frame(row, right, printable(volume.name), kept_line(volume));
    if (pressed.ends_with("-volume"))
        ui.asks.push_back({pressed, volume.id});
    else if (!pressed.empty())
        ui.verbs.push_back({pressed, volume.id});
}

// What is open and kept nowhere.
void draw_unkept(Ui& ui, Rect row) {
    const Theme& t = theme();
    fill(row, t.raised, 6);
    outline(row, t.accent, 6);
    float right = row.right() - 12;
    const std::string pressed =
        draw_row_buttons(right, row.centre_y(),
                         {{"close", "Close"}, {"export", "Export image"}, {"back", "Back to it", true}});
    const std::string name = printable(ui.session.name());
    draw_row_frame(
        row, right, name.empty() ? "Unnamed" : name,
        ui.session.in_memory() ? "Running in memory. Closing loses it." : "An image, open for reading.");
    if (pressed == "back") ui.view().volumes_open = false;
    if (pressed == "export") ui.verbs.push_back({pressed, ""});
    if (pressed == "close") ui.session.close();
}

float draw_tasks(Ui& ui, Rect r) {
    const Theme& t = theme();
    float y = r.y;
    for (const KeptTask& task : platform::kept().tasks) {
        ImGui::PushID(static_cast<int>(task.id));
        std::string words = printable(task.title);
        if (task.of > 0) words += ": " + size_text(task.done) + " of " + size_text(task.of);
        draw_text_fit(canvas(), Font::Caption, r.x, y + 12, r.w - 80, t.text2, words);
        if (text_button("cancel", "Cancel", r.right(), y + 12, Align::Right))
            platform::request_kept(ui.session, kept_request("cancel-task", std::to_string(task.id)));
        ImGui::PopID();
        y += 26;
    }
    return y - r.y;
}

}  // namespace

void draw_volumes(Ui& ui, Rect r) {
    const Theme& t = theme();
    const KeptState kept = platform::kept();
    float right = r.right() - button_width("New volume");
    if (button("new-here", "New volume", right, r.y + 16, {.primary = true}))
        ui.asks.push_back({"new-volume", ""});
    if (platform::is_page()) {
        right -= button_width("Open address") + 8;
        if (button("open-address", "Open address", right, r.y + 16)) ui.asks.push_back({"open-address", ""});
    }
    draw_text_fit(canvas(), Font::Object, r.x, r.y + 16, right - r.x - 16, t.text,
                  platform::is_page() ? "Volumes in this browser" : "Volumes");
    float y = r.y + 42;
    y += draw_wrapped(Font::Caption, r.x, y, r.w, 17, t.text2, storage_line(kept.storage)) + 8;
    if (!kept.error.empty()) {
        y +=
            draw_wrapped(Font::Caption, r.x, y, r.w, 17, t.state(State::Bad).line, printable(kept.error)) + 8;
    }
    y += draw_tasks(ui, {r.x, y, r.w, 0});
    Scroll scroll("kept", {r.x, y, r.w, r.bottom() - y});
    float row_y = scroll.top();
    const bool one_is_here = std::ranges::any_of(
        kept.volumes, [](const KeptVolume& v) { return v.where == KeptVolume::Where::Here; });
    if (ui.open() && !one_is_here) {
        draw_unkept(ui, {r.x, row_y, r.w - 12, row_height});
        row_y += row_height + 8;
    }
    for (const KeptVolume& volume : kept.volumes) {
        ImGui::PushID(volume.id.c_str());
        if (scroll.sees(row_y, row_height)) draw_kept(ui, volume, {r.x, row_y, r.w - 12, row_height});
        ImGui::PopID();
        row_y += row_height + 8;
    }
    if (kept.volumes.empty() && !ui.open())
        draw_text(canvas(), Font::Body, r.x, row_y + 16, t.text3, "There is no volume yet.");
    scroll.content_height(row_y - scroll.top() + 24);
}

}  // namespace glassfs::ui
