// SPDX-License-Identifier: MIT
// How every path starts at the superblock: superblock, root tree, the files' tree and its leaves, of the
// volume that is open. Every box is a real block and leads to it.
#include "base/text.h"
#include "ui/draw_block.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr std::size_t leaves_max = 10;

struct Children {
    std::vector<std::size_t> shown;  // records
    std::size_t total = 0;           // children of the root
    u64 leaves = 0;                  // in the whole tree
};

Children children_of_root(const TreeMap& map) {
    Children out;
    for (std::size_t i = 1; i < map.size(); ++i) {
        const inspect::NodeRecord& record = map[i];
        out.leaves += record.level == 0 ? 1 : 0;
        if (record.parent != 0) continue;
        ++out.total;
        if (out.shown.size() < leaves_max) out.shown.push_back(i);
    }
    return out;
}

bool box(const char* id, Rect r, std::string_view name, std::string_view value, bool selected) {
    const Theme& t = theme();

    Touch touch = area(id, r);
    fill(r, touch.hovered ? t.hover : t.raised, 4);
    outline(r, selected ? t.state(State::Selected).line : t.line_strong, 4, selected ? 2.0F : 1.0F);
    float value_width = text_width(Font::Mono12, value);
    draw_text_fit(canvas(), Font::Mono13Bold, r.x + 12, r.centre_y(), r.w - 30 - value_width, t.text, name);
    draw_text(canvas(), Font::Mono12, r.right() - 12, r.centre_y(), t.text2, value, Align::Right);
    if (touch.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    return touch.clicked;
}

void arrow(float x1, float x2, float y, Colour colour) {
    line(x1, y, x2 - 7, y, colour, 1.6F);
    triangle(x2, y, x2 - 9, y - 4, x2 - 9, y + 4, colour);
}

bool is_selected(Ui& ui, LogicalAddr addr) {
    const Selection& s = ui.view().selection;
    return s.kind == Selection::Kind::Block && s.block == addr;
}

void draw_leaves(Ui& ui, const TreeMap& map, const Children& children, Rect root, float left, float right,
                 float y) {
    constexpr float height = 74;
    constexpr float gap = 9;
    std::size_t count = children.shown.size();
    if (count == 0) return;
    auto n = static_cast<float>(count);
    float width = std::min(72.0F, (right - left - gap * (n - 1)) / n);
    float x0 = right - (width * n + gap * (n - 1));
    const Theme& t = theme();
    float slot_width = (root.w - 28) / static_cast<float>(children.total);
    for (std::size_t i = 0; i < count; ++i) {
        auto at = static_cast<float>(i);
        const inspect::NodeRecord& record = map[children.shown[i]];
        float x = x0 + at * (width + gap);
        link(root.x + 14 + slot_width * (at + 0.5F), root.bottom(), x + width / 2, y, t.line_strong, 1.4F);
        Touch touch = area(static_cast<int>(i), {x, y, width, height});
        BlockLook look;
        look.bad = record.bad;
        look.hovered = touch.hovered;
        look.selected = is_selected(ui, record.addr);
        if (record.level == 0)
            draw_leaf(canvas(), {x, y, width, height}, record, look);
        else
            draw_node(canvas(), {x, y, width, height}, record, {}, look);
        std::string name = (record.level == 0 ? "Leaf " : "Node ") + std::to_string(record.addr.value);
        tooltip_if(touch.hovered, name + "\n" + plural(record.items, "item") + ", " +
                                      grouped(record.free_bytes) + " B free");
        if (touch.clicked) ui.view().select_block(record.addr);
        if (touch.double_clicked) {
            ui.view().workspace = Workspace::Trees;
            ui.view().selection.tree = map.tree;
        }
    }
    if (children.total > count) {
        std::string more = grouped(children.total - count) + " more to the right";
        draw_text(canvas(), Font::Caption, right, y + height + 14, t.text3, more, Align::Right);
    }
}

const inspect::TreeInfo* tree_of(const std::vector<inspect::TreeInfo>& trees, u64 id) {
    auto it = std::find_if(trees.begin(), trees.end(), [id](const auto& tree) { return tree.id == id; });
    return it == trees.end() ? nullptr : &*it;
}

void draw_words(float x, float y, float width) {
    const Theme& t = theme();
    const char* words =
        "Every path starts at the superblock. It names the root tree, that names the others, down to these "
        "blocks.";
    draw_wrapped(Font::Reason, x, y - 11, width, 22, t.text2, words);
}

}  // namespace

void draw_root_picture(Ui& ui, Rect r) {
    const Theme& t = theme();
    auto info = ui.session.info();
    auto trees = ui.session.trees();
    if (!info || !trees) return;
    float y = r.y + 18;
    const Selection& s = ui.view().selection;
    Rect super{r.x, y, 162, 34};
    std::string generation = "gen " + std::to_string(info->generation.value);
    if (box("superblock", super, "superblock", generation, s.kind == Selection::Kind::Superblock))
        ui.view().select_superblock();
    const inspect::TreeInfo* root_tree = tree_of(*trees, 1);
    Rect root_box{super.right() + 32, y, 184, 34};
    if (root_tree && root_box.right() < r.right() - 220) {
        arrow(super.right() + 2, root_box.x - 3, y + 17, t.text3);
        std::string addr = std::to_string(root_tree->root.value);
        if (box("root-tree", root_box, "ROOT_TREE", addr, is_selected(ui, root_tree->root)))
            ui.view().select_block(root_tree->root);
    }
    u64 files_id = ui.session.root().tree;
    const inspect::TreeInfo* files = tree_of(*trees, files_id);
    auto map = files && !files->error ? ui.session.tree_map(files_id) : nullptr;
    if (!map || map->size() == 0) return;
    Children children = children_of_root(*map);
    float leaves_left = r.x + std::min(330.0F, r.w * 0.36F);
    draw_words(r.x, y + 66, leaves_left - r.x - 16);
    float root_width = std::min(280.0F, r.right() - root_box.right() - 60);
    float middle = (leaves_left + r.right()) / 2;
    float root_x = std::clamp(middle - root_width / 2, root_box.right() + 44, r.right() - root_width);
    Rect root{root_x, y, root_width, 34};
    arrow(root_box.right() + 2, root.x - 3, y + 17, t.text3);
    std::string below =
        children.total == 0 ? "one leaf" : plural(children.leaves, "leaf", "leaves") + (map->done ? "" : "+");
    draw_leaves(ui, *map, children, root, leaves_left, r.right(), y + 68);
    bool selected = is_selected(ui, (*map)[0].addr);
    if (box("files-tree", root, printable(files->name), below, selected))
        ui.view().select_block((*map)[0].addr);
}

}  // namespace glassfs::ui
