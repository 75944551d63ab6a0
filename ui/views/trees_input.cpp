// SPDX-License-Identifier: MIT
// Pointer and keyboard of the Trees stage.
//
// Pointer: wheel zooms where it is; Shift+wheel, or dragging up and down over a list, scrolls it; dragging
// pans; a click selects a block or an item; a double click looks closer. Keys: left and right walk along a
// level; up and down walk the tree, and from a leaf on its items; Enter follows a pointer or enters a block;
// + - 0 Z zoom. Escape is handled for all panels, in keyboard.cpp.
#include "base/text.h"
#include "ui/views/trees_state.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

bool tween(const TreesFrame& f) {
    return !f.session.view.reduced_motion;
}

u32 first_listed(const TreesFrame& f, LogicalAddr addr) {
    const auto found = f.s.listed.find(addr);
    return found == f.s.listed.end() ? 0 : found->second;
}

void list_from(TreesFrame& f, LogicalAddr addr, u32 first) {
    if (f.s.listed.size() > 256) f.s.listed.clear();
    f.s.listed[addr] = first;
}

// The list that is drawn of this block, if there is one.
const Target* items_target(const TreesFrame& f, u32 record) {
    for (auto it = f.s.targets.rbegin(); it != f.s.targets.rend(); ++it) {
        if (it->kind == Target::Kind::Items && it->record == record) return &*it;
    }
    return nullptr;
}

void point_at_items(const TreesFrame& f, const Target& target, ImVec2 p, Pointed& out) {
    const u32 items = f.s.record(target.record).items;
    const ItemRows rows = item_rows(target.box, items, target.first);
    out.slot = rows.slot_at(p.y);
    out.more = rows.more_at(p.y);
}

void point_at_detail(const TreesFrame& f, const Target& target, ImVec2 p, Pointed& out) {
    const auto fields = f.session.item_fields(f.s.addr(target.record), target.slot);
    const inspect::Field* field = nullptr;
    if (target.kind == Target::Kind::Fields) {
        if (fields) field = field_at(target.box, *fields, target.first, p);
    } else if (const auto byte = byte_at(target.box, target.range, target.first, p)) {
        out.bytes = ByteRange{*byte, 1};
        if (fields) field = field_of_byte(*fields, *byte);
    }
    if (field) out.bytes = ByteRange{field->offset, field->size};
}

// In a row of cells the place alone says which block it is: there may be more blocks than pixels.
void point_at_row(const TreesFrame& f, ImVec2 p, Pointed& out) {
    const double unit = f.s.camera.to_unit(double(p.x - f.origin.x), f.width);
    for (unsigned r = 0; r < f.plan.rows.size(); ++r) {
        const RowPlan& row = f.plan.rows[r];
        if (row.zoom != Zoom::Z0) continue;
        const Rect line = f.on_screen(0, row.y - 4, f.width, row.height + 8);
        if (line.contains(p.x, p.y)) out.record = f.s.layout.at(r, unit);
    }
}

std::string describe(const TreesFrame& f, u32 record) {
    const inspect::NodeRecord& block = f.s.record(record);
    std::string text_of = text("%s %llu · gen %s\n%s %s · %s B free", block.level == 0 ? "Leaf" : "Node",
                               static_cast<unsigned long long>(block.addr.value),
                               grouped(block.generation.value).c_str(), grouped(block.items).c_str(),
                               block.level == 0 ? "items" : "keys", grouped(block.free_bytes).c_str());
    text_of += text("\nfrom key (%llu %u %llu)", static_cast<unsigned long long>(block.first_key.objectid),
                    block.first_key.type, static_cast<unsigned long long>(block.first_key.offset));
    if (block.bad) text_of += "\nbad checksum or content";
    return text_of;
}

void show_tooltip(const TreesFrame& f) {
    const Pointed& p = f.pointed;
    if (p.record == TreeLayout::none || p.slot || p.bytes || p.more != 0) return;
    if (p.target && p.target->kind != Target::Kind::Block) {
        if (p.target->kind != Target::Kind::Node) return;
    }
    if (p.target && p.target->box.w >= 200) return;  // everything can be read there
    tooltip_if(true, describe(f, p.record));
}

void pan_to_map(TreesFrame& f, float x) {
    const Rect map = minimap_box(f);
    const double part = std::clamp((double(x) - double(map.x)) / double(map.w), 0.0, 1.0);
    Camera camera = f.s.camera;
    camera.centre = part * f.s.layout.width();
    f.s.go(clamped(camera, f.s.layout, f.width), false);
}

void scroll_rows(TreesFrame& f, const Target& target, float rows) {
    f.s.dragged_rows += rows;
    const float whole = std::trunc(f.s.dragged_rows);
    f.s.dragged_rows -= whole;
    if (whole == 0) return;
    const auto moved = [&](u32 first) {
        return static_cast<u32>(std::max(static_cast<float>(first) + whole, 0.0F));
    };
    if (target.kind == Target::Kind::Items) {
        const u32 items = f.s.record(target.record).items;
        const ItemRows rows_now = item_rows(target.box, items, target.first);
        const u32 first = item_rows(target.box, items, moved(rows_now.first)).first;
        // Row 1 can't be the first (the line that says so would take its place): step over it.
        list_from(f, f.s.addr(target.record), whole > 0 && first == rows_now.first ? first + 2 : first);
    } else {
        f.s.detail_row = moved(target.first);
    }
}

void drag(TreesFrame& f, ImVec2 delta) {
    if (f.s.dragging_map) return pan_to_map(f, ImGui::GetIO().MousePos.x);
    Camera camera = f.s.camera;
    camera.centre -= double(delta.x) / camera.pitch;
    if (delta.x != 0) f.s.go(clamped(camera, f.s.layout, f.width), false);
    const Target* target = f.pointed.target;
    const bool listed = target && (target->kind == Target::Kind::Items ||
                                   target->kind == Target::Kind::Fields || target->kind == Target::Kind::Hex);
    if (listed)
        scroll_rows(f, *target, -delta.y / ItemRows::row_height);
    else
        f.s.scroll -= delta.y;
}

void click(TreesFrame& f) {
    const Pointed& p = f.pointed;
    ViewState& view = f.session.view;
    if (p.record == TreeLayout::none) return;
    const LogicalAddr addr = f.s.addr(p.record);
    if (p.more != 0 && p.target) {
        const u32 items = f.s.record(p.record).items;
        const ItemRows rows = item_rows(p.target->box, items, p.target->first);
        list_from(f, addr,
                  p.more > 0 ? rows.first + rows.count : rows.first - std::min(rows.first, rows.count));
        return;
    }
    const bool detail =
        p.target && (p.target->kind == Target::Kind::Fields || p.target->kind == Target::Kind::Hex);
    if (detail && p.bytes) {
        if (view.selection.block != addr || view.selection.slot != p.target->slot)
            view.select_slot(addr, p.target->slot);
        view.select_bytes(*p.bytes);
    } else if (p.slot) {
        f.s.detail_row = 0;
        view.select_slot(addr, *p.slot);
    } else if (!detail) {
        select_record(f, p.record);
    }
}

void double_click(TreesFrame& f) {
    u32 record = f.pointed.record;
    if (record == TreeLayout::none || f.pointed.more != 0) return;
    // A slot of a node leads to its child.
    if (f.pointed.slot && f.s.record(record).level > 0) {
        const auto [first, count] = f.s.layout.children(record);
        for (u32 rank = first; rank < first + count; ++rank) {
            const u32 child = f.s.layout.row(f.s.layout.row_of(record) + 1)[rank];
            if (f.s.record(child).slot != *f.pointed.slot) continue;
            record = child;
            break;
        }
        if (record != f.pointed.record) f.session.view.select_block(f.s.addr(record));
    }
    f.s.go(closer(f.s.moving.running() ? f.s.to : f.s.camera, f.s.layout, record, f.width), tween(f));
}

void wheel(TreesFrame& f) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseWheelH != 0) {
        Camera camera = f.s.camera;
        camera.centre -= 60.0 * double(io.MouseWheelH) / camera.pitch;
        f.s.go(clamped(camera, f.s.layout, f.width), false);
    }
    if (io.MouseWheel == 0) return;
    const Target* target = f.pointed.target;
    const bool listed = target && target->kind != Target::Kind::Block && target->kind != Target::Kind::Node;
    if (io.KeyShift && listed) return scroll_rows(f, *target, -3 * io.MouseWheel);
    if (io.KeyShift) {
        f.s.scroll -= 40 * io.MouseWheel;
        return;
    }
    const double factor = std::pow(1.25, double(io.MouseWheel));
    f.s.go(zoomed_at(f.s.camera, factor, io.MousePos.x - f.origin.x, f.s.layout, f.width), false);
}

}  // namespace

Pointed point_at(const TreesFrame& f, ImVec2 p) {
    Pointed out;
    if (minimap_box(f).inset(-4, -4).contains(p.x, p.y)) {
        out.on_map = true;
        return out;
    }
    if (p.y >= f.origin.y + f.picture_height()) return out;
    point_at_row(f, p, out);
    for (auto it = f.s.targets.rbegin(); it != f.s.targets.rend(); ++it) {
        if (!it->box.contains(p.x, p.y) || it->record >= f.s.layout.size()) continue;
        out.target = &*it;
        out.record = it->record;
        if (it->kind == Target::Kind::Node) out.slot = slot_at(it->box, f.s.record(it->record).items, p);
        if (it->kind == Target::Kind::Items) point_at_items(f, *it, p, out);
        if (it->kind == Target::Kind::Fields || it->kind == Target::Kind::Hex)
            point_at_detail(f, *it, p, out);
        break;
    }
    return out;
}

void handle_pointer(TreesFrame& f) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool active = ImGui::IsItemActive();
    if (ImGui::IsItemHovered() || active) f.pointed = point_at(f, io.MousePos);
    if (f.pointed.record != TreeLayout::none && !f.s.dragging) {
        Hover& hover = f.session.view.next_hover;
        hover.block = f.s.addr(f.pointed.record);
        hover.slot = f.pointed.slot;
        hover.bytes = f.pointed.bytes;
        if (f.pointed.target && f.pointed.target->kind >= Target::Kind::Fields)
            hover.slot = f.pointed.target->slot;
        show_tooltip(f);
    }
    if (ImGui::IsItemHovered()) wheel(f);
    if (ImGui::IsItemActivated()) {
        f.s.dragging = false;
        f.s.dragging_map = f.pointed.on_map;
        f.s.dragged_rows = 0;
        if (f.pointed.on_map) pan_to_map(f, io.MousePos.x);
    }
    if (active && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
        f.s.dragging = true;
        drag(f, io.MouseDelta);
    }
    if (ImGui::IsItemDeactivated()) {
        const bool clicked = !f.s.dragging && !f.s.dragging_map && ImGui::IsItemHovered();
        f.s.dragging = f.s.dragging_map = false;
        if (clicked) click(f);
    }
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) double_click(f);
    if (f.s.dragging) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

void select_record(TreesFrame& f, u32 record) {
    if (record == TreeLayout::none) return;
    Selection& selection = f.session.view.selection;
    f.session.view.select_block(f.s.addr(record));
    // The block itself, even when it was selected before because of an item in it.
    selection.slot.reset();
    selection.bytes.reset();
}

namespace {

void walk_along(TreesFrame& f, s64 steps) {
    const auto row = f.s.layout.row(f.s.layout.row_of(f.s.focus));
    const s64 rank = static_cast<s64>(f.s.layout.rank_of(f.s.focus)) + steps;
    select_record(f,
                  row[static_cast<std::size_t>(std::clamp<s64>(rank, 0, static_cast<s64>(row.size()) - 1))]);
}

void walk_items(TreesFrame& f, s64 steps) {
    const inspect::NodeRecord& block = f.s.record(f.s.focus);
    const auto slot = f.selected_slot(f.s.focus);
    if (block.items == 0) return;
    const s64 last = static_cast<s64>(block.items) - 1;
    const s64 wanted = slot ? static_cast<s64>(*slot) + steps : 0;
    if (wanted < 0 && steps == -1) return select_record(f, f.s.focus);  // out of the list
    const auto to = static_cast<u32>(std::clamp<s64>(wanted, 0, last));
    f.s.detail_row = 0;
    f.session.view.select_slot(block.addr, to);
    if (const Target* target = items_target(f, f.s.focus)) {
        list_from(f, block.addr, first_to_show(target->box, block.items, first_listed(f, block.addr), to));
    }
}

u32 child_at(const TreesFrame& f, u32 record, std::optional<u32> slot) {
    const auto [first, count] = f.s.layout.children(record);
    if (count == 0) return TreeLayout::none;
    const auto row = f.s.layout.row(f.s.layout.row_of(record) + 1);
    if (!slot) return row[first + count / 2];
    for (u32 rank = first; rank < first + count; ++rank) {
        if (f.s.record(row[rank]).slot == *slot) return row[rank];
    }
    return TreeLayout::none;
}

void walk_down(TreesFrame& f) {
    const bool leaf = f.s.record(f.s.focus).level == 0;
    if (f.selected_slot(f.s.focus) || leaf) return walk_items(f, 1);
    select_record(f, child_at(f, f.s.focus, {}));
}

void walk_up(TreesFrame& f) {
    if (f.selected_slot(f.s.focus)) return walk_items(f, -1);
    select_record(f, f.s.layout.parent(f.s.focus));
}

void enter(TreesFrame& f) {
    const auto slot = f.selected_slot(f.s.focus);
    if (slot && f.s.record(f.s.focus).level > 0) return select_record(f, child_at(f, f.s.focus, slot));
    if (!slot) walk_items(f, 0);
}

void zoom_keys(TreesFrame& f) {
    const Camera now = f.s.moving.running() ? f.s.to : f.s.camera;
    const auto x = static_cast<float>(now.to_x(f.s.layout.centre(f.s.focus), f.width));
    const float anchor = x > 0 && x < f.width ? x : 0.5F * f.width;
    const auto by = [&](double factor) {
        f.s.go(zoomed_at(now, factor, anchor, f.s.layout, f.width), tween(f));
    };
    if (ImGui::IsKeyPressed(ImGuiKey_Equal) || ImGui::IsKeyPressed(ImGuiKey_KeypadAdd)) by(1.5);
    if (ImGui::IsKeyPressed(ImGuiKey_Minus) || ImGui::IsKeyPressed(ImGuiKey_KeypadSubtract)) by(1 / 1.5);
    if (ImGui::IsKeyPressed(ImGuiKey_0, false) || ImGui::IsKeyPressed(ImGuiKey_Keypad0, false)) {
        f.s.go(fit(f.s.layout, f.width), tween(f));
        f.s.moved = false;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Z, false)) f.s.go(closer(now, f.s.layout, f.s.focus, f.width), tween(f));
}

}  // namespace

void handle_keys(TreesFrame& f) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.KeyCtrl || io.KeyAlt || io.KeySuper || f.s.focus == TreeLayout::none) return;
    zoom_keys(f);
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) walk_along(f, -1);
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) walk_along(f, 1);
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) walk_down(f);
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) walk_up(f);
    if (ImGui::IsKeyPressed(ImGuiKey_PageDown)) walk_items(f, 10);
    if (ImGui::IsKeyPressed(ImGuiKey_PageUp) && f.selected_slot(f.s.focus)) walk_items(f, -10);
    if (ImGui::IsKeyPressed(ImGuiKey_Home)) walk_along(f, -(s64{1} << 32));
    if (ImGui::IsKeyPressed(ImGuiKey_End)) walk_along(f, s64{1} << 32);
    if (ImGui::IsKeyPressed(ImGuiKey_Enter, false)) enter(f);
}

}  // namespace glassfs::ui
