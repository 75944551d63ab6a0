// SPDX-License-Identifier: MIT
// The navigator: the volume's files in the Files workspace, its trees in Trees. In a narrow window a rail of
// icons that opens it over the stage.
#include "base/text.h"
#include "imgui.h"
#include "ui/platform.h"
#include "ui/views/lab_view.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr float row_height = 26;

void choose_file(Ui& ui, const TreeRow& row) {
    ViewState& view = ui.view();
    view.select_file(row.id, row.path);
    bool folder = row.type == vfs::FileType::Directory;
    if (folder) {
        view.folder = row.id;
        view.folder_path = row.path;
    } else {
        view.wanted_path = row.path;  // the list beside it shows the folder that it is in
    }
}

void toggle(Ui& ui, const TreeRow& row) {
    auto& open = ui.view().open_dirs;
    if (!open.erase(row.id)) open.insert(row.id);
}

Icon icon_of(vfs::FileType type) {
    switch (type) {
        case vfs::FileType::Directory:
            return Icon::Folder;
        case vfs::FileType::Symlink:
            return Icon::Link;
        case vfs::FileType::Regular:
            return Icon::File;
        default:
            return Icon::Special;
    }
}

bool is_selected(Ui& ui, const TreeRow& row) {
    const Selection& s = ui.view().selection;
    return row.kind == TreeRow::Kind::Entry && s.kind == Selection::Kind::File && s.node == row.id &&
           s.path == row.path;
}

void draw_file_row(Ui& ui, const TreeRow& row, int id, Rect panel, float y) {
    const Theme& t = theme();
    float x = panel.x + 18 + static_cast<float>(std::min(row.depth, 10U)) * 20;
    Rect r{panel.x + 8, y - 13, panel.w - 16, row_height};
    Touch touch = area(id, r);
    bool selected = is_selected(ui, row);
    if (selected)
        fill(r, t.accent_background, 5);
    else if (touch.hovered)
        fill(r, t.hover, 5);
    bool folder = row.type == vfs::FileType::Directory;
    float value_width = 0;
    if (!row.value.empty()) {
        value_width = std::min(text_width(Font::Mono12, row.value), 92.0F) + 10;
        draw_text_fit(canvas(), Font::Mono12, panel.right() - 20, y, value_width - 10, t.text3, row.value,
                      Align::Right);
    }
    if (row.kind == TreeRow::Kind::Entry) {
        if (folder) icon(row.open ? Icon::Open : Icon::Closed, x + 4, y, t.text3);
        icon(icon_of(row.type), x + 20, y, t.text3);
    }
    bool entry = row.kind == TreeRow::Kind::Entry;
    Colour ink = entry ? t.text : row.kind == TreeRow::Kind::Failed ? t.state(State::Bad).line : t.text3;
    float room = panel.right() - 20 - value_width - (x + 36);
    bool cut =
        draw_text_fit(canvas(), selected ? Font::BodyBold : Font::Body, x + 36, y, room, ink, row.name);
    if (cut || !row.target.empty())
        tooltip_if(touch.hovered, row.target.empty() ? row.name : row.name + " \xe2\x86\x92 " + row.target);
    if (!touch.clicked) return;
    ui.focus = Panel::Navigator;
    if (row.kind == TreeRow::Kind::More) ui.files.show_more(row.id);
    if (!entry) return;
    if (folder && (ImGui::GetMousePos().x < x + 12 || selected || !row.open)) toggle(ui, row);
    choose_file(ui, row);
}

void walk_files(Ui& ui, const std::vector<TreeRow>& rows, Scroll& scroll, float from) {
    int step = 0;
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) step = 1;
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) step = -1;
    bool right = ImGui::IsKeyPressed(ImGuiKey_RightArrow) || ImGui::IsKeyPressed(ImGuiKey_Enter);
    bool left = ImGui::IsKeyPressed(ImGuiKey_LeftArrow);
    if (step == 0 && !left && !right) return;
    std::ptrdiff_t at = -1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (is_selected(ui, rows[i])) at = static_cast<std::ptrdiff_t>(i);
    }
    if (step != 0) {
        std::ptrdiff_t to =
            std::clamp(at + step, std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(rows.size()) - 1);
        if (to < 0 || rows[static_cast<std::size_t>(to)].kind != TreeRow::Kind::Entry) return;
        choose_file(ui, rows[static_cast<std::size_t>(to)]);
        scroll.reveal(from + static_cast<float>(to) * row_height, row_height);
        return;
    }
    if (at < 0) return;
    const TreeRow& row = rows[static_cast<std::size_t>(at)];
    bool folder = row.type == vfs::FileType::Directory;
    if (folder && row.open != right) toggle(ui, row);
}

void draw_files(Ui& ui, Rect panel) {
    const auto& rows = ui.files.rows(ui.session);
    std::string count = ui.open() ? plural(ui.files.entries(), "item") : "";
    panel_head(panel, "Files", count);
    float foot = ui.open() ? 60 : 0;
    Rect list{panel.x, panel.y + 37, panel.w - 1, panel.h - 37 - foot};
    {
        Scroll scroll("files", list);
        auto [first, last] = scroll.visible(rows.size(), row_height, scroll.top());
        ui.view().rows_first = static_cast<u32>(first);
        ui.view().rows_shown = static_cast<u32>(std::max<std::size_t>(last - first, 1));
        if (ui.has_focus(Panel::Navigator)) walk_files(ui, rows, scroll, scroll.top());
        for (std::size_t i = first; i < last; ++i) {
            TreeRow row = rows[i];  // a click may change the rows
            draw_file_row(ui, row, static_cast<int>(i), panel,
                          scroll.top() + static_cast<float>(i) * row_height + 13);
        }
        scroll.content_height(static_cast<float>(rows.size()) * row_height);
    }
    if (foot == 0) return;
    hline(panel.x, panel.right() - 1, panel.bottom() - foot, theme().line);
    float y = panel.bottom() - foot / 2;
    const Selection& s = ui.view().selection;
    bool file = s.kind == Selection::Kind::File && s.node;
    float width = (panel.w - 32 - 8) / 2;
    ButtonLook look{.disabled = !file, .width = width, .tooltip = "The selected file, or a folder as tar"};
    if (button("extract", "Extract", panel.x + 16, y, look)) ui.extract_wanted = s.path;
    ButtonLook all{.width = width, .tooltip = "Everything, as tar"};
    if (button("extract-all", "Extract all", panel.x + 24 + width, y, all)) ui.extract_wanted = "/";
}

std::string tree_id(u64 id) {
    return std::to_string(static_cast<s64>(id));
}

void draw_tree_row(Ui& ui, const inspect::TreeInfo& tree, int id, Rect panel, float y) {
    const Theme& t = theme();
    Rect r{panel.x + 8, y - 13, panel.w - 16, row_height};
    Touch touch = area(id, r);
    bool selected = ui.view().selection.tree == tree.id;
    if (selected) {
        fill(r, t.accent_background, 5);
        fill({r.x, r.y + 4, 3, r.h - 8}, t.accent, 1.5F);
    } else if (touch.hovered) {
        fill(r, t.hover, 5);
    }
    std::string number = tree_id(tree.id);
    std::string value = tree.error ? "bad" : std::to_string(tree.level + 1);
    if (tree.level <= 1 || selected) {
        auto map = tree.error ? nullptr : ui.session.tree_map(tree.id);
        if (map && map->done)
            value = grouped(map->size());
        else if (map)
            value = grouped(map->size()) + "+";
        else
            value = tree.error ? "bad" : "\xe2\x80\xa6";
    } else if (!tree.error) {
        value = std::to_string(tree.level + 1) + " levels";
    }
    draw_text(canvas(), Font::Mono12, panel.x + 38, y, t.text3, fit_text(Font::Mono12, number, 34),
              Align::Right);
    float value_width = text_width(Font::Mono12, value);
    Colour value_ink = tree.error ? t.state(State::Bad).line : t.text3;
    draw_text(canvas(), Font::Mono12, panel.right() - 20, y, value_ink, value, Align::Right);
    std::string name = printable(tree.name);
    float room = panel.right() - 30 - value_width - (panel.x + 48);
    bool cut = draw_text_fit(canvas(), selected ? Font::Mono13Bold : Font::Mono13, panel.x + 48, y, room,
                             selected ? t.text : t.text2, name);
    std::string tip = tree.error ? name + ": " + tree.error->message() : cut ? name : "";
    tooltip_if(touch.hovered, tip);
    if (touch.clicked) {
        ui.focus = Panel::Navigator;
        ui.view().select_tree(tree.id);
        ui.choices.navigator_over = false;
    }
}

void walk_trees(Ui& ui, const std::vector<inspect::TreeInfo>& trees) {
    bool down = ImGui::IsKeyPressed(ImGuiKey_DownArrow);
    bool up = ImGui::IsKeyPressed(ImGuiKey_UpArrow);
    if (!down && !up) return;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        if (trees[i].id != ui.view().selection.tree) continue;
        if (down && i + 1 < trees.size()) ui.view().select_tree(trees[i + 1].id);
        if (up && i > 0) ui.view().select_tree(trees[i - 1].id);
        return;
    }
}

void draw_trees(Ui& ui, Rect panel) {
    auto trees = ui.session.trees();
    panel_head(panel, "Trees", trees ? grouped(trees->size()) : "");
    if (!trees) return;
    if (ui.has_focus(Panel::Navigator)) walk_trees(ui, *trees);
    Rect list{panel.x, panel.y + 37, panel.w - 1, panel.h - 37};
    Scroll scroll("trees", list);
    auto [first, last] = scroll.visible(trees->size(), row_height, scroll.top());
    for (std::size_t i = first; i < last; ++i) {
        draw_tree_row(ui, (*trees)[i], static_cast<int>(i), panel,
                      scroll.top() + static_cast<float>(i) * row_height + 13);
    }
    float y = scroll.top() + static_cast<float>(trees->size()) * row_height;
    draw_text_fit(canvas(), Font::Caption, panel.x + 16, y + 18, panel.w - 32, theme().text3,
                  "Last column: blocks in the tree");
    scroll.content_height(static_cast<float>(trees->size()) * row_height + 40);
}

void draw_rail(Ui& ui) {
    const Theme& t = theme();
    Rect rail = ui.layout.navigator;
    fill(rail, t.panel);
    vline(rail.right() - 1, rail.y, rail.bottom(), t.line);
    bool files = ui.view().workspace == Workspace::Files;
    const char* what = files                                     ? "Files"
                       : ui.view().workspace == Workspace::Space ? "Devices"
                       : ui.view().workspace == Workspace::Lab   ? "Experiments"
                                                                 : "Trees";
    Rect r{rail.x + 7, rail.y + 8, 34, 34};
    Touch touch = area("rail", r);
    if (ui.choices.navigator_over)
        fill(r, t.accent_background, 6);
    else if (touch.hovered)
        fill(r, t.hover, 6);
    icon(files ? Icon::Folder : Icon::Tree, r.x + 17, r.y + 17, t.text2);
    if (touch.clicked) ui.choices.navigator_over = !ui.choices.navigator_over;
    tooltip_if(touch.hovered, what);
}

}  // namespace

void draw_navigator(Ui& ui) {
    const Theme& t = theme();
    Rect panel = ui.layout.rail ? ui.layout.overlay : ui.layout.navigator;
    if (ui.layout.rail) draw_rail(ui);
    if (panel.empty()) return;
    fill(panel, t.panel);
    vline(panel.right() - 1, panel.y, panel.bottom(), t.line);
    if (ui.view().workspace == Workspace::Trees)
        draw_trees(ui, panel);
    else if (ui.view().workspace == Workspace::Space)
        draw_space_navigator(ui, panel);
    else if (ui.view().workspace == Workspace::Lab)
        draw_lab_navigator(ui, panel);
    else
        draw_files(ui, panel);
}

}  // namespace glassfs::ui
