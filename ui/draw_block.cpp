// SPDX-License-Identifier: MIT
// Outlines, states and the small glyphs: Z0 and Z1. Rectangles without rounding where there may be many of
// them: a rounded one costs ten times the vertices.
#include "ui/draw_block.h"

#include "base/text.h"
#include "ui/fonts.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float rounding = 4;
constexpr float band = 6;      // top band, left spine
constexpr float slots_y = 34;  // of a node's slots, from its top
constexpr float slot_height = 20;
constexpr float side = 8;

ImVec2 min_of(Rect b) {
    return {b.x, b.y};
}
ImVec2 max_of(Rect b) {
    return {b.right(), b.bottom()};
}

void fill_box(ImDrawList* list, Rect b, Colour colour) {
    list->AddRectFilled(min_of(b), max_of(b), colour);
}

// Four thin rectangles: fewer vertices than a stroked path, and always on whole pixels.
void thin_border(ImDrawList* list, Rect b, Colour colour, float t) {
    fill_box(list, {b.x, b.y, b.w, t}, colour);
    fill_box(list, {b.x, b.bottom() - t, b.w, t}, colour);
    fill_box(list, {b.x, b.y + t, t, b.h - 2 * t}, colour);
    fill_box(list, {b.right() - t, b.y + t, t, b.h - 2 * t}, colour);
}

Colour address_colour(const BlockLook& look) {
    const Theme& t = theme();
    if (look.bad) return t.state(State::Bad).line;
    if (look.state == State::Clean) return t.text2;
    if (look.state == State::Old) return t.text3;
    return t.state(look.state).line;
}

// Where there is no room for all of an address its last digits stay: those of neighbours differ there.
std::string short_address(LogicalAddr addr, float width) {
    const std::string all = text("%llu", static_cast<unsigned long long>(addr.value));
    std::string shown = all;
    for (std::size_t cut = 1; cut + 2 < all.size() && text_width(Font::Mono12, shown) > width; ++cut) {
        shown = "…" + all.substr(cut);
    }
    return shown;
}

// The bars of a leaf, from the bottom up.
void draw_bars(ImDrawList* list, Rect b, const inspect::NodeRecord& record, float alpha) {
    u64 used = 0;
    for (u32 bytes : record.bytes_of) used += bytes;
    const u64 capacity = used + record.free_bytes;
    if (capacity == 0) return;
    const float scale = b.h / static_cast<float>(capacity);
    float y = b.bottom();
    for (std::size_t i = 0; i < inspect::item_class_count; ++i) {
        if (record.bytes_of[i] == 0) continue;
        const float height =
            std::min(std::max(1.0F, static_cast<float>(record.bytes_of[i]) * scale), y - b.y);
        y -= height;
        const Colour colour = theme().items[i];
        fill_box(list, {b.x, y, b.w, std::max(height - 0.6F, 0.6F)}, with_alpha(colour, alpha));
    }
}

}  // namespace

void dashed_line(ImDrawList* list, ImVec2 from, ImVec2 to, Colour colour, float thickness, float dash,
                 float gap) {
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const float length = std::sqrt(dx * dx + dy * dy);
    if (length <= 0) return;
    const float step = std::max(dash + gap, length / 400);  // bounded, however long the line
    for (float at = 0; at < length; at += step) {
        const float end = std::min(at + step * dash / (dash + gap), length);
        list->AddLine({from.x + dx * at / length, from.y + dy * at / length},
                      {from.x + dx * end / length, from.y + dy * end / length}, colour, thickness);
    }
}

void dashed_box(ImDrawList* list, Rect b, Colour colour, float thickness, float dash, float gap) {
    dashed_line(list, {b.x, b.y}, {b.right(), b.y}, colour, thickness, dash, gap);
    dashed_line(list, {b.right(), b.y}, {b.right(), b.bottom()}, colour, thickness, dash, gap);
    dashed_line(list, {b.right(), b.bottom()}, {b.x, b.bottom()}, colour, thickness, dash, gap);
    dashed_line(list, {b.x, b.bottom()}, {b.x, b.y}, colour, thickness, dash, gap);
}

void draw_frame(ImDrawList* list, Rect b, const BlockLook& look) {
    const StateColours& colours = theme().state(look.state);
    Colour background = colours.background;
    if (look.state == State::Clean && look.card)
        background = theme().panel;
    else if (look.state == State::Clean && look.hovered)
        background = theme().hover;
    list->AddRectFilled(min_of(b), max_of(b), background, rounding);
    const auto border = [&](float thickness) {
        list->AddRect(min_of(b), max_of(b), colours.line, rounding, 0, thickness);
    };
    switch (state_shape(look.state)) {
        case Shape::ThinBorder:
        case Shape::ThinBorderEmpty:
            border(1);
            break;
        case Shape::Border:
            border(2);
            break;
        case Shape::TopBand:
            border(2);
            list->AddRectFilled(min_of(b), {b.right(), b.y + band}, colours.line, 2);
            break;
        case Shape::CornerNotch: {
            border(2);
            const float size = std::min(18.0F, 0.3F * b.w);
            list->AddTriangleFilled({b.right() - size, b.y}, {b.right(), b.y}, {b.right(), b.y + size},
                                    colours.line);
            break;
        }
        case Shape::LeftSpine:
            border(2);
            list->AddRectFilled(min_of(b), {b.x + band, b.bottom()}, colours.line, 2);
            break;
        case Shape::DoubleBorder: {
            border(2);
            const Rect inner = b.inset(3, 3);
            list->AddRect(min_of(inner), max_of(inner), with_alpha(colours.line, 0.7F), 2);
            break;
        }
        case Shape::Flag:
            border(1);
            list->AddLine({b.x + 8, b.y - 10}, {b.x + 8, b.y + 2}, colours.line, 2);
            list->AddTriangleFilled({b.x + 8, b.y - 11}, {b.x + 20, b.y - 7}, {b.x + 8, b.y - 3},
                                    colours.line);
            break;
        case Shape::DashedStruck:
            dashed_box(list, b, colours.line, 1.8F, 6, 4);
            break;
        case Shape::GreyDashes:
            dashed_box(list, b, colours.line, 1.5F, 5, 4);
            break;
        case Shape::CrossedDashes:
            border(1);
            break;  // the dashes come with the overlay
        case Shape::OuterRing:
            border(1);
            break;  // as does the ring
    }
}

void draw_overlay(ImDrawList* list, Rect b, const BlockLook& look) {
    if (state_shape(look.state) == Shape::DashedStruck) {
        const Colour colour = theme().state(look.state).line;
        list->AddLine({b.x + 10, b.bottom() - 10}, {b.right() - 10, b.y + std::min(32.0F, 0.4F * b.h)},
                      colour, 1.6F);
    }
    if (look.bad || look.state == State::Bad) {
        const Colour colour = theme().state(State::Bad).line;
        const float top = b.h > 80 ? 30 : 5;
        dashed_line(list, {b.x + 6, b.y + top}, {b.right() - 6, b.bottom() - 6}, colour, 2, 6, 4);
        dashed_line(list, {b.right() - 6, b.y + top}, {b.x + 6, b.bottom() - 6}, colour, 2, 6, 4);
    }
    if (look.selected || look.state == State::Selected) {
        const Rect ring = b.inset(-3, -3);
        list->AddRect(min_of(ring), max_of(ring), theme().state(State::Selected).line, rounding + 2, 0, 2);
    }
}

void draw_swatch(ImDrawList* list, float x, float y, State state) {
    const Colour colour = theme().state(state).line;
    const Rect b{x + 0.5F, y - 5.5F, 11, 11};
    switch (state_shape(state)) {
        case Shape::TopBand:
            list->AddRectFilled({x, y - 6}, {x + 12, y + 6}, colour, 2);
            break;
        case Shape::CornerNotch:
            list->AddRect(min_of(b), max_of(b), colour, 2);
            list->AddTriangleFilled({b.right() - 7, b.y}, {b.right(), b.y}, {b.right(), b.y + 7}, colour);
            break;
        case Shape::LeftSpine:
            list->AddRect(min_of(b), max_of(b), colour, 2);
            fill_box(list, {x, y - 6, 4, 12}, colour);
            break;
        case Shape::DoubleBorder:
            list->AddRect(min_of(b), max_of(b), colour, 2, 0, 1.2F);
            list->AddRect({x + 3.5F, y - 2.5F}, {x + 8.5F, y + 2.5F}, colour, 0, 0, 1.2F);
            break;
        case Shape::Flag:
            list->AddLine({x + 2, y - 7}, {x + 2, y + 7}, colour, 1.6F);
            list->AddTriangleFilled({x + 2, y - 7}, {x + 12, y - 4}, {x + 2, y}, colour);
            break;
        case Shape::DashedStruck:
            dashed_box(list, b, colour, 1.4F, 3, 2);
            list->AddLine({x + 2, y + 4}, {x + 10, y - 4}, colour, 1.4F);
            break;
        case Shape::GreyDashes:
            dashed_box(list, b, colour, 1.4F, 3, 2);
            break;
        case Shape::CrossedDashes:
            list->AddRect(min_of(b), max_of(b), theme().line_strong, 2);
            dashed_line(list, {x + 1, y - 5}, {x + 11, y + 5}, colour, 1.4F, 3, 2);
            dashed_line(list, {x + 11, y - 5}, {x + 1, y + 5}, colour, 1.4F, 3, 2);
            break;
        case Shape::OuterRing:
            list->AddRect({x - 1, y - 7}, {x + 13, y + 7}, colour, 3, 0, 2);
            break;
        case Shape::Border:
            list->AddRect(min_of(b), max_of(b), colour, 2, 0, 1.6F);
            break;
        case Shape::ThinBorder:  // with something in it, unlike a free one
            list->AddRect(min_of(b), max_of(b), colour, 2);
            fill_box(list, {x + 3, y - 1, 6, 4}, theme().item(inspect::ItemClass::Inode));
            break;
        case Shape::ThinBorderEmpty:
            list->AddRect(min_of(b), max_of(b), colour, 2);
            break;
    }
}

void draw_cell(ImDrawList* list, Rect b, float fill, const BlockLook& look) {
    const Theme& t = theme();
    const State state = look.bad ? State::Bad : look.state;
    const bool marked = state != State::Clean;
    const Colour line = t.state(state).line;
    fill_box(list, b, look.hovered ? t.hover : t.panel);
    // Very narrow cells have no room for a border: what is left is the bar, in the colour of the state.
    const bool bordered = b.w >= 6;
    if (bordered && state_shape(state) != Shape::GreyDashes && state_shape(state) != Shape::DashedStruck) {
        thin_border(list, b, line, marked && b.w >= 10 ? 2 : 1);
    } else if (bordered) {
        dashed_box(list, b, line, 1, 3, 2);
    }
    const float inset = b.w >= 16 ? 5 : b.w >= 10 ? 3 : bordered ? 2 : 0;
    const float room = b.h - 2 * (bordered ? std::max(inset, 3.0F) : 0);
    const float height = std::max(room * std::clamp(fill, 0.0F, 1.0F), 1.0F);
    const float bottom = b.bottom() - (bordered ? std::max(inset, 3.0F) : 0);
    const bool solid = state == State::New || state == State::Dirty || state == State::Bad;
    const Colour bar = solid ? line : with_alpha(t.item(inspect::ItemClass::Inode), marked ? 1.0F : 0.6F);
    if (state != State::Free) fill_box(list, {b.x + inset, bottom - height, b.w - 2 * inset, height}, bar);
    if (b.w >= 8) {
        if (state_shape(state) == Shape::Flag) {
            list->AddTriangleFilled({b.x + 2, b.y - 6}, {b.x + 10, b.y - 3}, {b.x + 2, b.y}, line);
        }
        if (state_shape(state) == Shape::DashedStruck) {
            list->AddLine({b.x + 3, b.bottom() - 3}, {b.right() - 3, b.y + 3}, line, 1.4F);
        }
        if (state_shape(state) == Shape::DoubleBorder) thin_border(list, b.inset(3, 3), line, 1);
        if (state_shape(state) == Shape::LeftSpine) fill_box(list, {b.x, b.y, 4, b.h}, line);
        if (state_shape(state) == Shape::TopBand) fill_box(list, {b.x, b.y, b.w, 4}, line);
        if (state_shape(state) == Shape::CornerNotch) {
            list->AddTriangleFilled({b.right() - 7, b.y}, {b.right(), b.y}, {b.right(), b.y + 7}, line);
        }
    }
    if (state == State::Bad) {
        list->AddLine({b.x + 1, b.y + 1}, {b.right() - 1, b.bottom() - 1}, line, 1.4F);
        list->AddLine({b.right() - 1, b.y + 1}, {b.x + 1, b.bottom() - 1}, line, 1.4F);
    }
    if (look.selected || state == State::Selected)
        thin_border(list, b.inset(-3, -3), t.state(State::Selected).line, 2);
}

void draw_leaf(ImDrawList* list, Rect b, const inspect::NodeRecord& record, const BlockLook& look) {
    draw_frame(list, b, look);
    if (look.state == State::Free) return draw_overlay(list, b, look);
    const bool addressed = b.h > 60 && b.w >= 46;
    const float top = addressed ? 29.0F : 5.0F;
    const float spine = look.state == State::Log ? 4 : 0;
    if (look.state != State::Freed) {
        const Rect bars{b.x + 6 + spine, b.y + top, b.w - 12 - spine, b.h - top - 5};
        draw_bars(list, bars, record, look.alpha * (look.state == State::Old ? 0.4F : 0.9F));
    }
    if (addressed) {
        draw_text(list, Font::Mono12, b.x + 0.5F * b.w, b.y + 17,
                  with_alpha(address_colour(look), look.alpha), short_address(record.addr, b.w - 4),
                  Align::Centre);
    }
    draw_overlay(list, b, look);
}

float slot_x(Rect b, u32 slot, u32 slots) {
    const float width = (b.w - 2 * side) / static_cast<float>(std::max<u32>(slots, 1));
    return b.x + side + width * (static_cast<float>(std::min(slot, slots)) + 0.5F);
}

std::optional<u32> slot_at(Rect b, u32 slots, ImVec2 p) {
    const Rect row{b.x + side, b.y + slots_y, b.w - 2 * side, slot_height};
    if (slots == 0 || !row.contains(p.x, p.y)) return {};
    return std::min(static_cast<u32>((p.x - row.x) / row.w * static_cast<float>(slots)), slots - 1);
}

namespace {

void draw_slots(ImDrawList* list, Rect b, u32 slots, const SlotLook& slot, const BlockLook& look) {
    const Theme& t = theme();
    const float alpha = look.alpha;
    const Colour dark = look.hovered && look.state == State::Clean ? t.line : t.hover;
    const float width = (b.w - 2 * side) / static_cast<float>(std::max<u32>(slots, 1));
    const float y = b.y + slots_y;
    const float gap = width >= 10 ? 3 : width >= 5 ? 2 : width >= 3 ? 1 : width >= 1.5F ? 0.6F : 0;
    // Slots narrower than two pixels are drawn several at a time; a damaged block may claim billions.
    const auto most = static_cast<u32>(std::max(0.5F * (b.w - 2 * side), 1.0F));
    const u32 step = slots / most + (slots % most != 0 ? 1 : 0);
    const auto cell = [&](u32 first, u32 count, Colour colour) {
        const float w = std::max(width * static_cast<float>(count) - gap, 1.0F);
        fill_box(list, {b.x + side + width * static_cast<float>(first) + 0.5F * gap, y, w, slot_height},
                 colour);
    };
    for (u32 i = 0; i < slots; i += std::min(step, slots - i)) {
        const bool lit = i + step > slot.lit_first && i < slot.lit_last;
        cell(i, std::min(step, slots - i), with_alpha(lit ? t.line_strong : dark, alpha));
    }
    if (slot.hovered && *slot.hovered < slots) cell(*slot.hovered, 1, with_alpha(t.text3, alpha));
    if (slot.path && *slot.path < slots)
        cell(*slot.path, 1, with_alpha(t.state(State::Selected).line, alpha));
}

}  // namespace

void draw_node(ImDrawList* list, Rect b, const inspect::NodeRecord& record, const SlotLook& slot,
               const BlockLook& look) {
    draw_frame(list, b, look);
    const Theme& t = theme();
    const float spine = look.state == State::Log ? 4 : 0;
    const std::string addr = text("%llu", static_cast<unsigned long long>(record.addr.value));
    const float addr_width = text_width(Font::Mono13Bold, addr);
    const std::string caption = text("level %u · gen %s · %s keys", record.level,
                                     grouped(record.generation.value).c_str(), grouped(record.items).c_str());
    const float room = b.w - 20 - spine;
    const float line = b.h >= slots_y + slot_height ? 19 : 0.5F * b.h;
    const Colour colour = look.state == State::Clean && !look.bad ? t.text : address_colour(look);
    if (b.w >= 46) {
        draw_text_fit(list, Font::Mono13Bold, b.x + 10 + spine, b.y + line, room,
                      with_alpha(colour, look.alpha), addr);
    }
    if (room - addr_width - 12 >= text_width(Font::Caption, caption)) {
        draw_text(list, Font::Caption, b.right() - 10, b.y + line, with_alpha(t.text2, look.alpha), caption,
                  Align::Right);
    }
    if (b.h >= slots_y + slot_height) draw_slots(list, b, record.items, slot, look);
    draw_overlay(list, b, look);
}

}  // namespace glassfs::ui
