// SPDX-License-Identifier: MIT
// The Files workspace's stage: how every path starts at the superblock, in the open volume's own blocks; the
// files of a folder beside the content of one; and where to drop another image.
#include "base/text.h"
#include "imgui.h"
#include "ui/platform.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float picture_height = 178;
constexpr float drop_height = 64;

void draw_drop(Ui& ui, Rect r, bool big) {
    const Theme& t = theme();
    bool over = ui.drag_over;
    if (over) fill(r, t.accent_background);
    dashed_outline(r, over ? t.accent : t.line_strong);
    float y = r.centre_y();
    icon(Icon::Up, r.x + 30, y, over ? t.accent : t.text2);
    bool asks = platform::can_ask_for_image();
    float right = r.right() - 16;
    if (asks) {
        right -= button_width("Open image");
        if (button("open-image", "Open image", right, y, {.primary = big}))
            platform::ask_for_image(ui.session);
        right -= 8;
    }
    if (platform::can_open_sample()) {
        right -= button_width("Open the sample");
        if (button("open-sample", "Open the sample", right, y)) platform::open_sample(ui.session);
        right -= 8;
    }
    float x = r.x + 54;
    const char* what = over  ? "Drop it to open it"
                       : big ? "Drop a btrfs image here"
                             : "Drop another image here";
    draw_text_fit(canvas(), Font::BodyBold, x, y - 9, right - x, t.text, what);
    draw_text_fit(
        canvas(), Font::Caption, x, y + 11, right - x, t.text2,
        "It is opened read-only and never leaves this computer. Several files: the devices of one volume.");
}

// Of a volume that can be written to: what is dropped is copied into it.
void draw_additions(Ui& ui, Rect r) {
    const Theme& t = theme();
    const bool over = ui.drag_over;
    if (over) fill(r, t.accent_background);
    dashed_outline(r, over ? t.accent : t.line_strong);
    const float y = r.centre_y();
    icon(Icon::Up, r.x + 30, y, over ? t.accent : t.text2);
    float right = r.right() - 16;
    auto offer = [&](const char* what, const char* label) {
        right -= button_width(label);
        const bool pressed = button(what, label, right, y);
        right -= 8;
        return pressed;
    };
    if (offer("export", "Export image")) ui.verbs.push_back({"export", ""});
    for (auto [what, label] : {std::pair("new-folder", "New folder"), std::pair("new-file", "New file")}) {
        if (offer(what, label)) ui.asks.push_back({what, ui.view().folder_path});
    }
    if (platform::can_ask_for_files() && offer("add-files", "Add files"))
        ui.asks.push_back({"add-files", ui.view().folder_path});
    const float x = r.x + 54;
    const std::string into = ui.drop_into.empty() ? ui.view().folder_path : ui.drop_into;
    draw_text_fit(canvas(), Font::BodyBold, x, y - 9, right - x, t.text,
                  over ? "Drop to copy" : "Drop files or folders here");
    draw_text_fit(canvas(), Font::Caption, x, y + 11, right - x, t.text2, "Copied into " + printable(into));
}

void draw_closed(Ui& ui, Rect stage) {
    const Theme& t = theme();
    Rect inner = stage.inset(20, 20);
    float y = inner.y + 12;
    SessionState state = ui.session.state();
    if (state == SessionState::Opening) {
        double seconds = ui.session.opening_seconds();
        if (seconds > 0.5)
            draw_text(canvas(), Font::Reason, inner.x, y, t.text2, text("Reading, %.0f s", seconds));
        return;
    }
    if (state == SessionState::Failed) {
        std::string name = printable(ui.session.name());
        draw_text_fit(canvas(), Font::ReasonBold, inner.x, y, inner.w, t.text, name);
        const char* what =
            "btrfs is read from whole devices, from partitions of a disk image and from metadumps.";
        draw_text_fit(canvas(), Font::Reason, inner.x, y + 24, inner.w, t.text2, what);
        y += 56;
    }
    draw_drop(ui, {inner.x, y, inner.w, std::min(100.0F, inner.bottom() - y)}, true);
    y += 120;
    if (y + 60 < inner.bottom()) draw_volumes(ui, {inner.x, y, inner.w, inner.bottom() - y});
}

}  // namespace

void draw_files_stage(Ui& ui) {
    Rect stage = ui.layout.stage;
    fill(stage, theme().app);
    if (!ui.open()) {
        draw_closed(ui, stage);
        return;
    }
    if (ui.view().volumes_open) {
        draw_volumes(ui, stage.inset(20, 16));
        return;
    }
    // The picture and the drop area give way when the stage is low.
    float y = stage.y;
    float bottom = stage.bottom() - 16;
    if (stage.h >= 420) {
        draw_root_picture(ui, {stage.x + 20, y, stage.w - 40, picture_height});
        y += picture_height;
    }
    if (stage.h >= 320) {
        const Rect drop{stage.x + 20, bottom - drop_height, stage.w - 40, drop_height};
        if (ui.session.writable())
            draw_additions(ui, drop);
        else
            draw_drop(ui, drop, false);
        bottom -= drop_height + 12;
    }
    Rect content{stage.x + 20, y + 4, stage.w - 40, bottom - y - 4};
    const Selection& selection = ui.view().selection;
    bool file_shown = selection.kind == Selection::Kind::File && selection.node && !ui.inspected.is_directory;
    if (!file_shown) {
        draw_file_list(ui, content);
        return;
    }
    float list = std::floor(content.w * (content.w > 700 ? 0.42F : 0.5F));
    draw_file_list(ui, {content.x, content.y, list - 16, content.h});
    vline(content.x + list, content.y + 6, content.bottom(), theme().line);
    draw_preview(ui, {content.x + list + 17, content.y, content.w - list - 17, content.h});
}

}  // namespace glassfs::ui
