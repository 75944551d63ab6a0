// SPDX-License-Identifier: MIT
// The top bar: the volume, the workspaces, theme and help.
#include "base/text.h"
#include "ui/platform.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

std::string volume_meta(Ui& ui) {
    switch (ui.session.state()) {
        case SessionState::Opening:
            return "opening";
        case SessionState::Failed:
            return "could not be opened";
        case SessionState::Empty:
            return "";
        case SessionState::Open:
            break;
    }
    auto info = ui.session.info();
    if (!info) return "reading";
    constexpr const char* dot = " \xc2\xb7 ";
    return info->format + dot + size_text(info->total) + dot + "gen " +
           std::to_string(info->generation.value);
}

// Returns its right edge.
float draw_volume(Ui& ui, float x, float right_max) {
    const Theme& t = theme();
    SessionState state = ui.session.state();
    auto info = ui.session.info();
    std::string name = info && !info->label.empty() ? info->label : ui.session.name();
    name = state == SessionState::Empty ? "No volume" : short_name(printable(name), 24);
    std::string meta = volume_meta(ui);
    float name_width = text_width(Font::BodyBold, name);
    float meta_width = meta.empty() ? 0 : text_width(Font::Caption, meta) + 8;
    if (x + name_width + meta_width + 40 > right_max) {
        meta_width = 0;
        meta.clear();
    }
    Rect chip{x, 10, name_width + meta_width + 38, 28};
    Touch touch = area("volume", chip);
    fill(chip, touch.hovered ? t.hover : t.raised, 6);
    outline(chip, t.line_strong, 6);
    Colour dot = state == SessionState::Open     ? t.good
                 : state == SessionState::Failed ? t.state(State::Bad).line
                                                 : t.text3;
    if (state == SessionState::Open)
        canvas()->AddCircleFilled({x + 14, 24}, 4, dot, 16);
    else
        canvas()->AddCircle({x + 14, 24}, 4, dot, 16, 1.5F);
    draw_text(canvas(), Font::BodyBold, x + 25, 24, t.text, name);
    draw_text(canvas(), Font::Caption, x + 33 + name_width, 24, t.text2, meta);
    if (touch.clicked && state == SessionState::Open) ui.view().select_superblock();
    std::string tip = printable(ui.session.name());
    if (info) tip += "\n" + info->uuid + "\nShow its superblock";
    if (state != SessionState::Empty) tooltip_if(touch.hovered, tip);
    return chip.right();
}

float tab_width(int i, bool named) {
    if (!named) return 34;
    return text_width(Font::BodyBold, workspace_name(static_cast<Workspace>(i))) + 44;
}

float tabs_width(bool named) {
    float width = 0;
    for (int i = 1; i <= workspace_count; ++i) {
        width += tab_width(i, named || workspace_available(static_cast<Workspace>(i))) + 4;
    }
    return width - 4;
}

void draw_tab(Ui& ui, int i, float x, float w, bool named) {
    const Theme& t = theme();
    auto workspace = static_cast<Workspace>(i);
    bool on = ui.view().workspace == workspace;
    bool there = workspace_available(workspace);
    Rect r{x, 8, w, 32};
    Touch touch = area(i, r);
    if (on)
        fill(r, t.accent_background, 6);
    else if (touch.hovered && there)
        fill(r, t.hover, 6);
    Colour ink = on ? t.text : there ? t.text2 : t.text3;
    float number_x = named ? x + 14 : x + w / 2;
    draw_text(canvas(), Font::Mono12, number_x, 24, on ? t.accent : t.text3, std::to_string(i),
              Align::Centre);
    if (named)
        draw_text(canvas(), Font::BodyBold, x + 26, 24, with_alpha(ink, there ? 1 : 0.75F),
                  workspace_name(workspace));
    if (touch.clicked && there) ui.view().workspace = workspace;
    if (!there) tooltip_if(touch.hovered, std::string(workspace_name(workspace)) + ": not yet");
}

void draw_tabs(Ui& ui, float left, float right) {
    bool named = tabs_width(true) <= right - left;
    float width = tabs_width(named);
    float x = std::max(left, std::min(500.0F, right - width));
    for (int i = 1; i <= workspace_count; ++i) {
        bool name_shown = named || workspace_available(static_cast<Workspace>(i));
        float w = tab_width(i, name_shown);
        draw_tab(ui, i, x, w, name_shown);
        x += w + 4;
    }
}

}  // namespace

void draw_top_bar(Ui& ui) {
    const Theme& t = theme();
    Rect bar = ui.layout.top;
    fill(bar, t.panel);
    hline(bar.x, bar.right(), bar.bottom() - 1, t.line);
    logo(16, 24);
    float x = 132;
    if (bar.w >= 700)
        draw_text(canvas(), Font::Card, 48, 24, t.text, "GlassFS");
    else
        x = 52;

    float right = bar.right() - 16;
    Rect help{right - 22, 13, 22, 22};
    Touch help_touch = area("help", help);
    canvas()->AddCircle({right - 11, 24}, 11, help_touch.hovered ? t.text2 : t.line_strong, 24);
    draw_text(canvas(), Font::BodyBold, right - 11, 24, t.text2, "?", Align::Centre);
    if (help_touch.clicked) ui.help_open = !ui.help_open;
    tooltip_if(help_touch.hovered, "Keys");

    Rect looks{right - 66, 10, 32, 28};
    Touch looks_touch = area("theme", looks);
    fill(looks, looks_touch.hovered ? t.hover : t.raised, 6);
    outline(looks, t.line_strong, 6);
    bool dark = ui.view().theme == ThemeChoice::Dark;
    icon(dark ? Icon::Sun : Icon::Moon, looks.x + 16, 24, t.text2);
    if (looks_touch.clicked) ui.view().theme = dark ? ThemeChoice::Light : ThemeChoice::Dark;
    tooltip_if(looks_touch.hovered, dark ? "Light theme" : "Dark theme");
    right = looks.x - 8;

    if (ui.session.origin() && bar.w >= 1100) {
        right -= button_width("Share");
        const char* tip = "Copy a link that rebuilds this picture anywhere";
        if (button("share", "Share", right, 24, {.height = 28, .tooltip = tip})) ui.share_wanted = true;
        right -= 8;
    }
    if (platform::can_ask_for_image() && bar.w >= 1200) {
        float w = button_width("Open image");
        right -= w;
        if (button("open", "Open image", right, 24, {.height = 28})) platform::ask_for_image(ui.session);
    }
    if (bar.w >= 1280) {
        float w = button_width("New volume");
        right -= w + 8;
        if (button("new", "New volume", right, 24, {.height = 28, .tooltip = "An empty btrfs, to work in"}))
            ui.asks.push_back({"new-volume", ""});
    }
    if (bar.w >= 900) {
        float w = button_width("Volumes");
        right -= w + 8;
        if (button("volumes", "Volumes", right, 24,
                   {.height = 28, .tooltip = "Those that are kept, and new ones"})) {
            ui.view().volumes_open = !ui.view().volumes_open;
            ui.view().workspace = Workspace::Files;
        }
    }
    if (bar.w >= 900 && ui.open() && !ui.session.writable()) {
        float w = button_width("Edit");
        right -= w + 8;
        const char* tip = "Open it for writing in memory; the image stays as it is";
        if (button("edit", "Edit", right, 24, {.height = 28, .tooltip = tip})) ui.session.edit_in_memory();
    }
    float chip = draw_volume(ui, x, bar.w < 700 ? right : right - tabs_width(false) - 16);
    draw_tabs(ui, chip + 16, right - 16);
}

}  // namespace glassfs::ui
