// SPDX-License-Identifier: MIT
// The keys, over everything else.
#include "imgui.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

namespace glassfs::ui {

namespace {
struct Key {
    const char* key;
    const char* what;
};
constexpr Key keys[] = {
    {"1  2  4  6", "Files, Trees, Space, Lab"},
    {"Space", "Play or pause the recording"},
    {",  .", "One step back, on"},
    {"Shift \xe2\x86\x90 \xe2\x86\x92", "One operation back, on"},
    {"[  ]", "Slower, faster"},
    {"B", "Bookmark this moment, or forget it"},
    {"W", "Who wrote the selected bytes last"},
    {"Tab", "Next panel (Shift: the one before)"},
    {"\xe2\x86\x91 \xe2\x86\x93 \xe2\x86\x90 \xe2\x86\x92", "Walk files, blocks and items"},
    {"+  \xe2\x88\x92  0", "Zoom the tree in, out, to all of it"},
    {"Z", "Zoom to the selection"},
    {"N  Shift N", "New file, new folder in a writable volume"},
    {"E  F2  Del", "Edit, rename, delete the selected file"},
    {"`", "Console"},
    {"Ctrl O", "Open an image"},
    {"Ctrl +  Ctrl \xe2\x88\x92", "Scale of the interface"},
    {"T", "Light or dark"},
    {"Esc", "Back out"},
};
}  // namespace

void draw_help(Ui& ui) {
    if (!ui.help_open) return;
    const Theme& t = theme();
    float height = 56 + 28 * static_cast<float>(std::size(keys));
    float width = 420;
    Rect r{ui.layout.top.right() - width - 16, ui.layout.top.bottom() + 8, width, height};
    ImGui::SetNextWindowPos(ImVec2(r.x, r.y));
    ImGui::SetNextWindowSize(ImVec2(r.w, r.h));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, t.panel);
    ImGui::PushStyleColor(ImGuiCol_Border, t.line_strong);
    constexpr auto flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
    if (ImGui::Begin("Keys", nullptr, flags)) {
        draw_text(canvas(), Font::Card, r.x + 20, r.y + 26, t.text, "Keys");
        float y = r.y + 58;
        for (const Key& key : keys) {
            draw_text(canvas(), Font::Mono12, r.x + 20, y, t.text, key.key);
            draw_text(canvas(), Font::Body, r.x + 140, y, t.text2, key.what);
            y += 28;
        }
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered() &&
            !ImGui::IsWindowAppearing())
            ui.help_open = false;
    }
    ImGui::End();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
}

}  // namespace glassfs::ui
