// SPDX-License-Identifier: MIT
// The last lines of the stage: the legend of what is on the picture, and the minimap of the whole tree.
#include "base/text.h"
#include "ui/views/trees_state.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

struct Entry {
    bool is_state = false;
    State state = State::Clean;
    inspect::ItemClass item = inspect::ItemClass::Other;
    std::string label;
    float width() const { return (is_state ? 18.0F : 11.0F) + text_width(Font::Caption, label) + 14; }
};

// Only what is in this tree: a legend of absent things explains nothing.
std::vector<Entry> entries_of(const TreesFrame& f) {
    std::vector<Entry> entries;
    const auto state = [&](State which, const char* label) { entries.push_back({true, which, {}, label}); };
    if (f.session.view.selection.block) state(State::Selected, "selected");
    if (f.s.newer && !f.s.newer->empty()) state(State::New, "new in this transaction");
    if (f.s.read_now) state(State::Read, "read by this step");
    if (f.s.is_log) state(State::Log, "log tree");
    if (f.s.bad > 0) state(State::Bad, "bad checksum or content");
    for (std::size_t i = 0; i < inspect::item_class_count; ++i) {
        const auto item = static_cast<inspect::ItemClass>(i);
        if (item == inspect::ItemClass::Pointer) continue;  // a node's slots, drawn as such
        if (f.s.bytes_of[i] > 0) entries.push_back({false, {}, item, inspect::item_class_name(item)});
    }
    return entries;
}

void draw_legend(TreesFrame& f, float left, float right, float bottom) {
    const Theme& t = theme();
    const std::vector<Entry> entries = entries_of(f);
    float total = 0;
    for (const Entry& entry : entries) total += entry.width();
    float x = left;
    float y = total > right - left ? bottom - 20 : bottom;
    for (const Entry& entry : entries) {
        if (x > left && x + entry.width() - 14 > right) {
            if (y >= bottom) break;  // no third line
            x = left;
            y = bottom;
        }
        if (entry.is_state)
            draw_swatch(f.list, x, y, entry.state);
        else
            f.list->AddRectFilled({x, y - 6}, {x + 5, y + 6}, t.item(entry.item), 1);
        draw_text(f.list, Font::Caption, x + (entry.is_state ? 18.0F : 11.0F), y, t.text2, entry.label);
        x += entry.width();
    }
}

void draw_minimap(TreesFrame& f) {
    const Theme& t = theme();
    const Rect box = minimap_box(f);
    f.list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, t.panel, 2);
    const double units = std::max<u32>(f.s.layout.width(), 1);
    const auto x_of = [&](double unit) { return box.x + static_cast<float>(unit / units) * box.w; };
    for (const Cell& cell : f.s.minimap) {
        const float left = x_of(cell.begin);
        const float right = std::max(x_of(cell.end) - (f.s.minimap.size() <= 80 ? 1.0F : 0.0F), left + 0.8F);
        const float height = std::max((box.h - 8) * cell.fill, 1.0F);
        f.list->AddRectFilled({left, box.bottom() - height}, {right, box.bottom()},
                              cell.bad > 0 ? t.state(State::Bad).line : t.line_strong);
        if (cell.bad > 0) {  // a tick: bad blocks are few, and their columns may be low
            const float x = 0.5F * (left + right);
            f.list->AddTriangleFilled({x - 3, box.y}, {x + 3, box.y}, {x, box.y + 5},
                                      t.state(State::Bad).line);
        }
    }
    if (f.s.focus != TreeLayout::none) {
        const float x = x_of(f.s.layout.centre(f.s.focus));
        f.list->AddLine({x, box.y}, {x, box.bottom()}, t.text2, 1);
    }
    const float left = std::clamp(x_of(f.s.camera.to_unit(0, f.width)), box.x, box.right() - 3);
    const float right = std::clamp(x_of(f.s.camera.to_unit(f.width, f.width)), left + 3, box.right());
    f.list->AddRect({left, box.y - 2}, {right, box.bottom() + 2}, t.state(State::Selected).line, 2, 0, 1.5F);
}

}  // namespace

Rect minimap_box(const TreesFrame& f) {
    const float width = std::min(minimap_width, 0.4F * f.width);
    return {std::round(f.origin.x + f.width - 20 - width),
            std::round(f.origin.y + f.height - 12 - minimap_height), width, minimap_height};
}

void draw_band(TreesFrame& f) {
    const Rect map = minimap_box(f);
    draw_legend(f, f.origin.x + 20, map.x - 24, f.origin.y + f.height - 20);
    draw_minimap(f);
}

}  // namespace glassfs::ui
