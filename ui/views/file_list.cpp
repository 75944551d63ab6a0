// SPDX-License-Identifier: MIT
// The files of one folder: name, size, when they were changed.
#include "base/text.h"
#include "imgui.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr float row_height = 26;

struct Columns {
    float size = 0;      // right edge
    float modified = 0;  // right edge; 0: not shown
    float mode = 0;      // left edge; 0: not shown
    float name_end = 0;
};

Columns columns_of(Rect r) {
    Columns c;
    float right = r.right() - 12;
    if (r.w > 560) {
        c.modified = right;
        right -= 150;
    }
    if (r.w > 720) {
        right -= 96;
        c.mode = right;
        right -= 16;
    }
    c.size = right;
    c.name_end = right - 110;
    return c;
}

void open_row(Ui& ui, const TreeRow& row) {
    ViewState& view = ui.view();
    view.select_file(row.id, row.path);
    if (row.type != vfs::FileType::Directory) return;
    view.folder = row.id;
    view.folder_path = row.path;
    view.open_dirs.insert(row.id);
}

void draw_entry(Ui& ui, const TreeRow& row, int id, Rect r, const Columns& columns) {
    const Theme& t = theme();
    const Selection& s = ui.view().selection;
    Touch touch = area(id, r);
    bool selected = row.kind == TreeRow::Kind::Entry && s.kind == Selection::Kind::File && s.node == row.id &&
                    s.path == row.path;
    if (selected)
        fill(r, t.accent_background, 5);
    else if (touch.hovered)
        fill(r, t.hover, 5);
    float y = r.centre_y();
    if (row.kind != TreeRow::Kind::Entry) {
        Colour ink = row.kind == TreeRow::Kind::Failed ? t.state(State::Bad).line : t.text3;
        draw_text_fit(canvas(), Font::Body, r.x + 34, y, r.w - 46, ink, row.name);
        if (touch.clicked && row.kind == TreeRow::Kind::More) ui.files.show_more(row.id);
        return;
    }
    bool folder = row.type == vfs::FileType::Directory;
    if (folder && ui.drag_over && !ui.drop_into.empty() && ui.drop_into == row.path)
        outline(r, t.accent, 5, 2);
    if (touch.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
        ui.view().select_file(row.id, row.path);
        ui.menu = Ui::Menu{ImGui::GetMousePos().x, ImGui::GetMousePos().y, row.path, row.type};
    }
    bool special = row.type != vfs::FileType::Regular && row.type != vfs::FileType::Symlink && !folder;
    icon(folder                               ? Icon::Folder
         : row.type == vfs::FileType::Symlink ? Icon::Link
         : special                            ? Icon::Special
                                              : Icon::File,
         r.x + 16, y, t.text3);
    std::string name = row.target.empty() ? row.name : row.name + " \xe2\x86\x92 " + row.target;
    bool cut = draw_text_fit(canvas(), selected ? Font::BodyBold : Font::Body, r.x + 34, y,
                             columns.name_end - r.x - 34, t.text, name);
    if (cut) tooltip_if(touch.hovered, name);
    if (row.attributes) {
        const vfs::Attributes& a = *row.attributes;
        std::string size = folder ? "" : special ? vfs::file_type_name(a.type) : grouped(a.size) + " B";
        draw_text(canvas(), Font::Mono12, columns.size, y, t.text2, size, Align::Right);
        if (columns.mode > 0) draw_text(canvas(), Font::Mono12, columns.mode, y, t.text3, mode_text(a.mode));
        if (columns.modified > 0) {
            std::string when = time_text(a.mtime.seconds, a.mtime.nanos).substr(0, 16);
            draw_text(canvas(), Font::Mono12, columns.modified, y, t.text3, when, Align::Right);
        }
    } else {
        draw_text(canvas(), Font::Caption, columns.size, y, t.state(State::Bad).line, "can't be read",
                  Align::Right);
    }
    if (touch.clicked) {
        ui.focus = Panel::Stage;
        open_row(ui, row);
    }
}

void walk(Ui& ui, const std::vector<TreeRow>& rows, Scroll& scroll) {
    int step = ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? -1 : 0;
    if (ImGui::IsKeyPressed(ImGuiKey_Backspace) || (ImGui::IsKeyPressed(ImGuiKey_LeftArrow))) {
        if (ui.view().folder_path != "/") ui.view().wanted_path = parent_path(ui.view().folder_path);
        return;
    }
    if (step == 0 || rows.empty()) return;
    std::ptrdiff_t at = -1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].path == ui.view().selection.path && rows[i].kind == TreeRow::Kind::Entry)
            at = static_cast<std::ptrdiff_t>(i);
    }
    std::ptrdiff_t to =
        std::clamp(at + step, std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(rows.size()) - 1);
    const TreeRow& row = rows[static_cast<std::size_t>(to)];
    if (row.kind != TreeRow::Kind::Entry) return;
    ui.view().select_file(row.id, row.path);
    scroll.reveal(scroll.top() + static_cast<float>(to) * row_height, row_height);
}

// The folder that files are held over.
void aim_drop(Ui& ui, const std::vector<TreeRow>& rows, Rect body, float top) {
    auto point = platform::drag();
    if (!point) return;
    const float scale = ui.view().scale;
    const float x = point->x / scale;
    const float y = point->y / scale;
    ui.drop_into.clear();
    if (!body.contains(x, y) || y < top) return;
    const auto row = static_cast<std::size_t>((y - top) / row_height);
    if (row < rows.size() && rows[row].type == vfs::FileType::Directory) ui.drop_into = rows[row].path;
}

}  // namespace

void draw_file_list(Ui& ui, Rect r) {
    const Theme& t = theme();
    ViewState& view = ui.view();
    if (view.folder == vfs::NodeId{}) view.folder = ui.session.root();
    const auto& rows = ui.files.folder(ui.session, view.folder, view.folder_path);
    Columns columns = columns_of(r);
    float x = r.x;
    if (view.folder_path != "/") {
        if (text_button("up", "Up", x + 4, r.y + 16)) view.wanted_path = parent_path(view.folder_path);
        x += 34;
    }
    std::string count = plural(rows.size(), "entry", "entries");
    float count_width = text_width(Font::Caption, count);
    float room = columns.name_end - x;
    draw_text_fit(canvas(), Font::ReasonBold, x, r.y + 16, room, t.text, printable(view.folder_path));
    if (columns.modified > 0)
        draw_text(canvas(), Font::Caption, columns.modified, r.y + 16, t.text3, "modified, UTC",
                  Align::Right);
    if (columns.modified > 0)
        draw_text(canvas(), Font::Caption, columns.size, r.y + 16, t.text3, "size", Align::Right);
    else if (count_width + 12 < r.right() - columns.name_end)
        draw_text(canvas(), Font::Caption, columns.size, r.y + 16, t.text3, count, Align::Right);
    Rect body{r.x, r.y + 34, r.w, r.h - 34};
    Scroll scroll("folder", body);
    if (ui.has_focus(Panel::Stage)) walk(ui, rows, scroll);
    if (ui.has_focus(Panel::Stage)) file_keys(ui);
    aim_drop(ui, rows, body, scroll.top());
    auto [first, last] = scroll.visible(rows.size(), row_height, scroll.top());
    for (std::size_t i = first; i < last && i < rows.size(); ++i) {
        TreeRow row = rows[i];  // a click may change the rows
        float y = scroll.top() + static_cast<float>(i) * row_height;
        draw_entry(ui, row, static_cast<int>(i), {r.x, y, r.w - 8, row_height}, columns);
    }
    const bool plain = ImGui::IsWindowHovered() && !ui.menu && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    if (plain) ui.menu = Ui::Menu{ImGui::GetMousePos().x, ImGui::GetMousePos().y};
    if (rows.empty())
        draw_text(canvas(), Font::Body, r.x + 8, scroll.top() + 16, t.text3, "This folder is empty.");
    scroll.content_height(static_cast<float>(rows.size()) * row_height);
}

}  // namespace glassfs::ui
