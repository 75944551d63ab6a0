// SPDX-License-Identifier: MIT
#include "ui/widgets.h"

#include "base/text.h"
#include "ui/platform.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {
std::string toast_text;
double toast_until = 0;

ImVec2 v(float x, float y) {
    return {x, y};
}
ImVec2 min_of(Rect r) {
    return {r.x, r.y};
}
ImVec2 max_of(Rect r) {
    return {r.right(), r.bottom()};
}
}  // namespace

ImDrawList* canvas() {
    return ImGui::GetWindowDrawList();
}

void fill(Rect r, Colour colour, float rounding) {
    if (!r.empty()) canvas()->AddRectFilled(min_of(r), max_of(r), colour, rounding);
}

void outline(Rect r, Colour colour, float rounding, float width) {
    canvas()->AddRect(min_of(r), max_of(r), colour, rounding, 0, width);
}

void hline(float x1, float x2, float y, Colour colour) {
    fill({x1, std::floor(y), x2 - x1, 1}, colour);
}
void vline(float x, float y1, float y2, Colour colour) {
    fill({std::floor(x), y1, 1, y2 - y1}, colour);
}

void line(float x1, float y1, float x2, float y2, Colour colour, float width) {
    canvas()->AddLine(v(x1, y1), v(x2, y2), colour, width);
}

void dashed_line(float x1, float y1, float x2, float y2, Colour colour, float width, float on, float off) {
    float length = std::hypot(x2 - x1, y2 - y1);
    if (length <= 0) return;
    float ux = (x2 - x1) / length;
    float uy = (y2 - y1) / length;
    for (float at = 0; at < length; at += on + off) {
        float end = std::min(at + on, length);
        line(x1 + ux * at, y1 + uy * at, x1 + ux * end, y1 + uy * end, colour, width);
    }
}

void dashed_outline(Rect r, Colour colour, float width, float on, float off) {
    dashed_line(r.x, r.y, r.right(), r.y, colour, width, on, off);
    dashed_line(r.x, r.bottom(), r.right(), r.bottom(), colour, width, on, off);
    dashed_line(r.x, r.y, r.x, r.bottom(), colour, width, on, off);
    dashed_line(r.right(), r.y, r.right(), r.bottom(), colour, width, on, off);
}

void triangle(float x1, float y1, float x2, float y2, float x3, float y3, Colour colour) {
    canvas()->AddTriangleFilled(v(x1, y1), v(x2, y2), v(x3, y3), colour);
}

void link(float x1, float y1, float x2, float y2, Colour colour, float width) {
    float bend = (y2 - y1) * 0.55F;
    canvas()->AddBezierCubic(v(x1, y1), v(x1, y1 + bend), v(x2, y2 - bend), v(x2, y2), colour, width);
}

namespace {
Touch touch_of_last(bool pressed) {
    Touch t;
    t.clicked = pressed;
    t.hovered = ImGui::IsItemHovered();
    t.held = ImGui::IsItemActive();
    t.double_clicked = t.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    return t;
}
}  // namespace

Touch area(const char* id, Rect r) {
    if (r.empty()) return {};
    ImGui::SetCursorScreenPos(min_of(r));
    ImGui::SetNextItemAllowOverlap();
    return touch_of_last(ImGui::InvisibleButton(id, ImVec2(r.w, r.h)));
}

Touch area(int id, Rect r) {
    ImGui::PushID(id);
    Touch touch = area("area", r);
    ImGui::PopID();
    return touch;
}

void tooltip_if(bool hovered, std::string_view text) {
    if (!hovered || text.empty() || ImGui::GetCurrentContext() == nullptr) return;
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal | ImGuiHoveredFlags_NoSharedDelay)) return;
    const Theme& t = theme();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(10, 7));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6);
    ImGui::PushStyleColor(ImGuiCol_PopupBg, t.raised);
    ImGui::PushStyleColor(ImGuiCol_Border, t.line_strong);
    ImGui::PushStyleColor(ImGuiCol_Text, t.text);
    if (ImGui::BeginTooltip()) {
        ImGui::PushFont(font(Font::Caption));
        ImGui::PushTextWrapPos(420);
        ImGui::TextUnformatted(text.data(), text.data() + text.size());
        ImGui::PopTextWrapPos();
        ImGui::PopFont();
        ImGui::EndTooltip();
    }
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(2);
}

float button_width(std::string_view label) {
    return std::ceil(text_width(Font::BodyBold, label)) + 28;
}

bool button(const char* id, std::string_view label, float x, float y, const ButtonLook& look) {
    const Theme& t = theme();
    float w = look.width > 0 ? look.width : button_width(label);
    Rect r{x, y - look.height / 2, w, look.height};
    Touch touch = area(id, r);
    bool lit = touch.hovered && !look.disabled;
    Colour back = look.primary ? t.accent : lit ? t.line : t.hover;
    if (look.primary && lit) back = with_alpha(back, 0.88F);
    fill(r, look.disabled ? t.raised : back, 6);
    if (!look.primary || look.disabled) outline(r, lit ? t.text3 : t.line_strong, 6);
    Colour ink = look.disabled ? t.text3 : look.primary ? t.on_accent : t.text;
    draw_text(canvas(), Font::BodyBold, x + w / 2, y, ink, label, Align::Centre);
    if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (look.tooltip) tooltip_if(touch.hovered, look.tooltip);
    return touch.clicked && !look.disabled;
}

bool text_button(const char* id, std::string_view label, float x, float y, Align align) {
    float w = text_width(Font::CaptionBold, label);
    float left = align == Align::Right ? x - w : align == Align::Centre ? x - w / 2 : x;
    Touch touch = area(id, {left - 4, y - 12, w + 8, 24});
    Colour ink = theme().accent;
    draw_text(canvas(), Font::CaptionBold, left, y, ink, label);
    if (touch.hovered) {
        hline(left, left + w, y + 8, ink);
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    return touch.clicked;
}

void pill(std::string_view s, float x, float y, Colour text_colour, Colour background, float* width) {
    float w = text_width(Font::CaptionBold, s) + 16;
    fill({x, y - 12, w, 24}, background, 5);
    draw_text(canvas(), Font::CaptionBold, x + 8, y, text_colour, s);
    if (width) *width = w;
}

float key_cap(std::string_view s, float x, float y) {
    const Theme& t = theme();
    float w = text_width(Font::Mono12, s) + 12;
    Rect r{x - w, y - 10, w, 20};
    fill(r, t.raised, 4);
    outline(r, t.line_strong, 4);
    draw_text(canvas(), Font::Mono12, r.x + 6, y, t.text2, s);
    return w;
}

void icon(Icon which, float x, float y, Colour c) {
    ImDrawList* list = canvas();
    const Theme& t = theme();
    switch (which) {
        case Icon::Folder:
            fill({x - 6.5F, y - 4, 13, 9}, t.item(inspect::ItemClass::DirItem), 1);
            fill({x - 6.5F, y - 6, 6, 3}, t.item(inspect::ItemClass::DirItem), 1);
            break;
        case Icon::File:
            outline({x - 5, y - 6, 10, 12}, c, 1, 1.2F);
            break;
        case Icon::Link:
            outline({x - 5, y - 6, 10, 12}, c, 1, 1.2F);
            line(x - 2, y + 2, x + 2, y - 2, c, 1.4F);
            triangle(x + 3, y - 3, x + 2.5F, y + 1, x - 1, y - 2.5F, c);
            break;
        case Icon::Special:
            list->AddCircle(v(x, y), 5, c, 16, 1.2F);
            break;
        case Icon::Tree:
            outline({x - 3, y - 8, 6, 5}, c, 1, 1.3F);
            outline({x - 9, y + 3, 6, 5}, c, 1, 1.3F);
            outline({x + 3, y + 3, 6, 5}, c, 1, 1.3F);
            line(x, y - 3, x - 6, y + 3, c, 1.2F);
            line(x, y - 3, x + 6, y + 3, c, 1.2F);
            break;
        case Icon::Open:
            triangle(x - 4, y - 3, x + 4, y - 3, x, y + 3, c);
            break;
        case Icon::Closed:
            triangle(x - 3, y - 4, x + 3, y, x - 3, y + 4, c);
            break;
        case Icon::Up:
            triangle(x, y - 9, x + 8, y + 1, x - 8, y + 1, c);
            fill({x - 2.5F, y, 5, 9}, c);
            break;
        case Icon::Sun:
            list->AddCircleFilled(v(x, y), 3.6F, c, 16);
            for (int i = 0; i < 8; ++i) {
                float a = static_cast<float>(i) * 0.785398F;
                line(x + std::cos(a) * 5.6F, y + std::sin(a) * 5.6F, x + std::cos(a) * 8, y + std::sin(a) * 8,
                     c, 1.4F);
            }
            break;
        case Icon::Moon:
            list->PathArcTo(v(x, y), 6.5F, 0.6F, 4.9F, 20);
            list->PathBezierCubicCurveTo(v(x - 2, y - 1), v(x, y + 3), v(x + 5.4F, y + 3.6F), 12);
            list->PathStroke(c, 0, 1.6F);
            break;
        case Icon::Panel:
            outline({x - 8, y - 6, 16, 12}, c, 2, 1.3F);
            line(x - 3, y - 6, x - 3, y + 6, c, 1.3F);
            break;
    }
}

void logo(float x, float y) {
    const Theme& t = theme();
    ImDrawList* list = canvas();
    fill({x, y - 11, 22, 22}, t.accent, 5);
    line(x + 11, y - 5, x + 5.5F, y + 4, t.on_accent, 1.6F);
    line(x + 11, y - 5, x + 16.5F, y + 4, t.on_accent, 1.6F);
    list->AddCircleFilled(v(x + 11, y - 5), 2.8F, t.on_accent, 16);
    list->AddCircleFilled(v(x + 5.5F, y + 4.5F), 2.8F, t.on_accent, 16);
    list->AddCircleFilled(v(x + 16.5F, y + 4.5F), 2.8F, t.on_accent, 16);
}

void panel_head(Rect panel, std::string_view title, std::string_view right) {
    const Theme& t = theme();
    draw_text(canvas(), Font::CaptionBold, panel.x + 16, panel.y + 20, t.text2, title);
    if (!right.empty()) {
        float room = panel.w - 48 - text_width(Font::CaptionBold, title);
        draw_text_fit(canvas(), Font::Caption, panel.right() - 16, panel.y + 20, room, t.text3, right,
                      Align::Right);
    }
}

float draw_wrapped(Font f, float x, float top, float width, float line_height, Colour ink,
                   std::string_view s) {
    float y = top;
    while (!s.empty()) {
        const char* end =
            font(f)->CalcWordWrapPositionA(font(f)->Scale, s.data(), s.data() + s.size(), width);
        std::size_t length = std::max<std::size_t>(1, static_cast<std::size_t>(end - s.data()));
        draw_text(canvas(), f, x, y + line_height / 2, ink, s.substr(0, length));
        s.remove_prefix(std::min(s.size(), length));
        while (s.starts_with(' ')) s.remove_prefix(1);
        y += line_height;
    }
    return y - top;
}

bool copyable(int id, Rect r, std::string_view what) {
    Touch touch = area(id, r);
    if (touch.hovered) {
        fill(r, with_alpha(theme().line_strong, 0.45F), 3);
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (touch.clicked) copy_with_toast(what, what);
    return touch.clicked;
}

void toast(std::string message) {
    toast_text = std::move(message);
    toast_until = ImGui::GetTime() + 2;
}

std::string current_toast() {
    return ImGui::GetTime() < toast_until ? toast_text : std::string();
}

void copy_with_toast(std::string_view what, std::string_view shown) {
    platform::copy_text(std::string(what));
    constexpr std::size_t shown_max = 40;
    std::string brief = printable(shown.substr(0, shown_max));
    toast("Copied " + brief + (shown.size() > shown_max ? "\xe2\x80\xa6" : ""));
}

}  // namespace glassfs::ui
