// SPDX-License-Identifier: MIT
#include "imgui.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

Scroll::Scroll(const char* id, Rect area) : area_(area) {
    const Theme& t = theme();
    ImGui::SetCursorScreenPos(ImVec2(area.x, area.y));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, 8);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, 0U);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, 0U);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, t.line_strong);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarGrabHovered, t.text3);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarGrabActive, t.text2);
    ImGui::BeginChild(id, ImVec2(std::max(1.0F, area.w), std::max(1.0F, area.h)), 0, ImGuiWindowFlags_NoNav);
    top_ = area.y - ImGui::GetScrollY();
}

Scroll::~Scroll() {
    ImGui::EndChild();
    ImGui::PopStyleColor(5);
    ImGui::PopStyleVar(2);
}

std::pair<std::size_t, std::size_t> Scroll::visible(std::size_t count, float row_height, float from) const {
    float first = std::floor((area_.y - from) / row_height);
    float last = std::ceil((area_.bottom() - from) / row_height);
    float max = static_cast<float>(count);
    first = std::clamp(first, 0.0F, max);
    last = std::clamp(last, first, max);
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

bool Scroll::sees(float y, float height) const {
    return y + height > area_.y && y < area_.bottom();
}

void Scroll::content_height(float height) {
    ImGui::SetCursorScreenPos(ImVec2(area_.x, top_));
    ImGui::Dummy(ImVec2(1, height));
}

void Scroll::reveal(float y, float height) {
    float scroll = ImGui::GetScrollY();
    if (y < area_.y) ImGui::SetScrollY(scroll - (area_.y - y));
    if (y + height > area_.bottom()) ImGui::SetScrollY(scroll + y + height - area_.bottom());
}

}  // namespace glassfs::ui
