// SPDX-License-Identifier: MIT
// The glyphs that can be read: the list of items (Z2), an item's fields (Z3) and its hex (Z4). Each has a
// function that says which row is at a point, from the same arithmetic that draws it.
#include "base/text.h"
#include "ui/draw_block.h"
#include "ui/fonts.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float usage_room = 46;  // of the bar with its numbers, inside of a block

std::string number(u64 value) {
    return text("%llu", static_cast<unsigned long long>(value));
}

void row_light(ImDrawList* list, Rect b, float y, float height, Colour colour) {
    list->AddRectFilled({b.x + 6, y}, {b.right() - 6, y + height}, colour, 3);
}

// Where the columns of the list are; from the widest text that is shown.
struct Columns {
    float slot = 0;  // right edge
    float key = 0;
    float value = 0;  // 0: none
    float size = 0;   // right edge
    float key_width = 0, value_width = 0;
};

std::string size_text_of(const inspect::Item& item) {
    return item.child ? "gen " + grouped(item.child_generation.value) : grouped(item.data_size);
}

Columns columns_of(Rect b, const inspect::BlockView& view, const ItemRows& rows) {
    Columns c;
    float key = 0;
    float size = 0;
    for (u32 i = rows.first; i < rows.first + rows.count; ++i) {
        key = std::max(key, text_width(Font::Mono12, view.items[i].key_text));
        size = std::max(size, text_width(Font::Mono12, size_text_of(view.items[i])));
    }
    const float slot = text_width(Font::Mono12, number(view.items.size()));
    c.slot = b.x + 18 + std::max(slot, 14.0F);
    c.key = c.slot + 10;
    const bool with_size = b.w >= 190;
    c.size = b.right() - 14;
    const float room = c.size - c.key - (with_size ? size + 12 : 0);
    c.key_width = std::min(key, room);
    const float rest = room - c.key_width - 20;
    if (rest >= 60) {
        c.value = c.key + c.key_width + 18;
        c.value_width = c.key + room - c.value;
        if (c.value_width < 40) c.value = 0;
    }
    if (!with_size) c.size = 0;
    return c;
}

void draw_row(ImDrawList* list, Rect b, const Columns& c, const inspect::Item& item, float y, float alpha) {
    const Theme& t = theme();
    const Colour bar = item.error ? t.state(State::Bad).line : t.item(item.item_class);
    list->AddRectFilled({b.x + 10, y - 8}, {b.x + 14, y + 8}, with_alpha(bar, alpha));
    draw_text(list, Font::Mono12, c.slot, y, with_alpha(t.text3, alpha), number(item.slot), Align::Right);
    const Colour key = item.error ? t.state(State::Bad).line : t.text;
    draw_text_fit(list, Font::Mono12, c.key, y, c.key_width, with_alpha(key, alpha), item.key_text);
    if (c.value > 0) {
        draw_text_fit(list, Font::Caption, c.value, y, c.value_width, with_alpha(t.text2, alpha),
                      printable(item.summary));
    }
    if (c.size > 0) {
        draw_text(list, Font::Mono12, c.size, y, with_alpha(t.text2, alpha), size_text_of(item),
                  Align::Right);
    }
    if (item.error) {  // struck through as well: the colour alone doesn't say it
        dashed_line(list, {b.x + 18, y}, {b.right() - 14, y},
                    with_alpha(t.state(State::Bad).line, 0.6F * alpha), 1, 4, 3);
    }
}

u64 bytes_of(const inspect::BlockView& view, u32 first, u32 last) {
    u64 sum = 0;
    for (u32 i = first; i < last; ++i) sum += view.items[i].data_size;
    return sum;
}

void draw_more(ImDrawList* list, Rect b, const Columns& c, float y, u32 count, u64 bytes, const char* where,
               float alpha) {
    const Theme& t = theme();
    draw_text_fit(list, Font::Caption, c.key, y, b.right() - 14 - c.key, with_alpha(t.text3, alpha),
                  grouped(count) + " more " + where);
    if (c.size > 0 && b.w >= 260) {
        draw_text(list, Font::Mono12, c.size, y, with_alpha(t.text3, alpha), grouped(bytes), Align::Right);
    }
}

std::string value_of(const inspect::Field& field) {
    if (field.meaning.empty()) return field.value;
    return field.value.empty() ? field.meaning : field.value + ", " + field.meaning;
}

bool touches(const std::optional<ByteRange>& range, u32 offset, u32 size) {
    return range && range->size > 0 && offset < range->offset + range->size && range->offset < offset + size;
}

}  // namespace

std::optional<u32> ItemRows::slot_at(float at) const {
    if (at < y || count == 0) return {};
    const auto row = static_cast<u32>((at - y) / row_height);
    if (row >= count) return {};
    return first + row;
}

int ItemRows::more_at(float at) const {
    if (!counted) return 0;
    if (above > 0 && at >= y - row_height && at < y) return -1;
    const float end = y + row_height * static_cast<float>(count);
    return below > 0 && at >= end && at < end + row_height ? 1 : 0;
}

ItemRows item_rows(Rect box, u32 items, u32 first) {
    ItemRows rows;
    rows.box = box;
    const auto fitting = static_cast<u32>(std::max(box.h / ItemRows::row_height, 1.0F));
    rows.y = box.y;
    if (items <= fitting) {
        rows.count = items;
        return rows;
    }
    // A row says what is left out above, another one what is left out below.
    rows.counted = fitting > 2;
    const u32 line = rows.counted ? 1 : 0;
    rows.first = std::min(first, items - 1);
    if (rows.counted && rows.first == 1) rows.first = 0;
    u32 room = fitting - (rows.first > 0 ? line : 0);
    if (items - rows.first <= room)
        rows.first = items - room;
    else
        room -= line;
    rows.count = room;
    rows.above = rows.first;
    rows.below = items - rows.first - rows.count;
    if (rows.above > 0 && rows.counted) rows.y += ItemRows::row_height;
    return rows;
}

u32 first_to_show(Rect box, u32 items, u32 first, u32 slot) {
    const ItemRows rows = item_rows(box, items, first);
    if (slot < rows.first) return slot;
    if (slot < rows.first + rows.count) return rows.first;
    // So that it is the last row.
    u32 wanted = slot + 1 - std::min(slot + 1, rows.count);
    while (wanted < slot) {
        const ItemRows moved = item_rows(box, items, wanted);
        if (slot < moved.first + moved.count) break;
        ++wanted;
    }
    return wanted;
}

void draw_header(ImDrawList* list, Rect b, const inspect::BlockView& view, const BlockLook& look) {
    const Theme& t = theme();
    const Colour colour = look.bad ? t.state(State::Bad).line : t.text;
    const std::string addr = number(view.addr.value);
    draw_text_fit(list, Font::Mono13Bold, b.x + 12, b.y + 20, b.w - 24, with_alpha(colour, look.alpha), addr);
    const bool leaf = view.level == 0;
    const std::string counts =
        grouped(view.items.size()) + (leaf ? " item" : " key") + (view.items.size() == 1 ? "" : "s");
    const std::string generation = "gen " + grouped(view.generation.value) + " · ";
    const float room = b.w - 24 - text_width(Font::Mono13Bold, addr) - 12;
    for (const std::string& caption :
         {(leaf ? "leaf · " : text("level %u · ", view.level)) + generation + counts, generation + counts,
          counts}) {
        if (text_width(Font::Caption, caption) > room) continue;
        draw_text(list, Font::Caption, b.right() - 12, b.y + 20, with_alpha(t.text2, look.alpha), caption,
                  Align::Right);
        break;
    }
    list->AddLine({b.x, b.y + header_height}, {b.right(), b.y + header_height},
                  with_alpha(t.line, look.alpha));
}

Rect items_box(Rect b, Usage usage) {
    const float top = header_height + 6;
    return {b.x, b.y + top, b.w, b.h - top - (usage == Usage::Inside ? usage_room : 6)};
}

void draw_items(ImDrawList* list, Rect b, const inspect::BlockView& view, const ItemLook& items,
                const BlockLook& look, Usage usage) {
    draw_header(list, b, view, look);
    const Rect box = items_box(b, usage);
    const ItemRows rows = item_rows(box, static_cast<u32>(view.items.size()), items.first);
    if (view.items.empty()) {
        draw_text(list, Font::Caption, b.x + 12, box.y + 12, with_alpha(theme().text3, look.alpha),
                  view.level == 0 ? "No items" : "No keys");
    }
    const Columns c = columns_of(b, view, rows);
    const float half = 0.5F * ItemRows::row_height;
    for (u32 slot = rows.first; slot < rows.first + rows.count; ++slot) {
        const float y = std::round(rows.row_centre(slot));
        const bool selected = items.selected == slot;
        if (selected || items.hovered == slot) {
            row_light(list, b, y - 11, 22, with_alpha(selected ? theme().hover : theme().raised, look.alpha));
        }
        if (selected)
            list->AddRectFilled({b.x + 3, y - 8}, {b.x + 6, y + 8}, theme().state(State::Selected).line, 1);
        draw_row(list, b, c, view.items[slot], y, look.alpha);
    }
    if (rows.counted && rows.above > 0) {
        draw_more(list, b, c, rows.y - half, rows.above, bytes_of(view, 0, rows.first), "above", look.alpha);
    }
    if (rows.counted && rows.below > 0) {
        const u32 last = rows.first + rows.count;
        const auto all = static_cast<u32>(view.items.size());
        draw_more(list, b, c, rows.y + ItemRows::row_height * static_cast<float>(rows.count) + half,
                  rows.below, bytes_of(view, last, all), "below", look.alpha);
    }
    if (usage == Usage::Inside) draw_usage(list, {b.x + 12, b.bottom() - 38, b.w - 24, 30}, view, look.alpha);
}

void draw_usage(ImDrawList* list, Rect b, const inspect::BlockView& view, float alpha) {
    const Theme& t = theme();
    const float part =
        view.capacity == 0 ? 0 : static_cast<float>(view.used_bytes) / static_cast<float>(view.capacity);
    list->AddRectFilled({b.x, b.y}, {b.right(), b.y + 6}, with_alpha(t.hover, alpha), 3);
    const float used = b.w * std::clamp(part, 0.0F, 1.0F);
    if (used >= 1) {
        const Colour bar = t.item(inspect::ItemClass::Inode);
        list->AddRectFilled({b.x, b.y}, {b.x + used, b.y + 6}, with_alpha(bar, alpha),
                            std::min(3.0F, 0.5F * used));
    }
    const std::string free_bytes = grouped(view.free_bytes) + " B free";
    const float free_width = draw_text(list, Font::Caption, b.right(), b.y + 20, with_alpha(t.text2, alpha),
                                       free_bytes, Align::Right);
    const std::string used_bytes = grouped(view.used_bytes) + " of " + grouped(view.capacity) + " B used";
    if (text_width(Font::Caption, used_bytes) <= b.w - free_width - 12) {
        draw_text(list, Font::Caption, b.x, b.y + 20, with_alpha(t.text2, alpha), used_bytes);
    }
}

u32 rows_that_fit(Rect b, float row_height) {
    return static_cast<u32>(std::max(b.h / row_height, 0.0F));
}

void draw_fields(ImDrawList* list, Rect b, std::span<const inspect::Field> fields, const FieldLook& look,
                 float alpha) {
    const Theme& t = theme();
    const u32 fitting = rows_that_fit(b, field_height);
    for (u32 i = 0; i < fitting && look.first_row + i < fields.size(); ++i) {
        const inspect::Field& field = fields[look.first_row + i];
        const float top = b.y + field_height * static_cast<float>(i);
        const float y = std::round(top + 0.5F * field_height);
        const bool selected = look.selected == ByteRange{field.offset, field.size};
        const bool hovered = look.hovered == ByteRange{field.offset, field.size};
        if (selected || hovered) {
            row_light(list, b, top + 1, field_height - 2, with_alpha(hovered ? t.hover : t.raised, alpha));
        }
        const float indent = 14 + 14 * static_cast<float>(std::min<u8>(field.depth, 4));
        const std::string value = printable(value_of(field));
        const float name_width = std::min(text_width(Font::Body, field.name), 0.5F * (b.w - indent - 14));
        draw_text_fit(list, Font::Body, b.x + indent, y, name_width + 1, with_alpha(t.text2, alpha),
                      field.name);
        draw_text_fit(list, Font::Mono13, b.right() - 14, y, b.w - indent - name_width - 26,
                      with_alpha(t.text, alpha), value, Align::Right);
    }
}

const inspect::Field* field_at(Rect b, std::span<const inspect::Field> fields, u32 first_row, ImVec2 p) {
    if (!b.contains(p.x, p.y)) return nullptr;
    const auto row = static_cast<u32>((p.y - b.y) / field_height);
    if (row >= rows_that_fit(b, field_height)) return nullptr;
    return first_row + row < fields.size() ? &fields[first_row + row] : nullptr;
}

const inspect::Field* field_of_byte(std::span<const inspect::Field> fields, u32 byte) {
    const inspect::Field* best = nullptr;
    for (const inspect::Field& field : fields) {
        if (byte < field.offset || byte - field.offset >= field.size) continue;
        if (!best || field.size <= best->size) best = &field;
    }
    return best;
}

namespace {

constexpr float hex_x = 58;       // of the first byte, from the left edge
constexpr float hex_char = 7.8F;  // one character of the 13 px mono font
constexpr float hex_step = 3 * hex_char;
constexpr float text_x = hex_x + hex_step * static_cast<float>(hex_per_row) + 14;

// Names of the fields that begin in a row; a struct's own name gives way to those of its first fields.
std::string names_in_row(std::span<const inspect::Field> fields, u32 begin, u32 end) {
    std::string names;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const inspect::Field& field = fields[i];
        if (field.offset < begin || field.offset >= end || field.size == 0) continue;
        const bool nested = i + 1 < fields.size() && fields[i + 1].depth > field.depth;
        if (nested) continue;
        if (!names.empty()) names += ", ";
        names += field.name;
    }
    return names;
}

void draw_hex_row(ImDrawList* list, Rect b, float y, Bytes row, u32 at, const FieldLook& look, float alpha) {
    const Theme& t = theme();
    draw_text(list, Font::Mono13, b.x + 14, y, with_alpha(t.text3, alpha), text("%04x", at));
    const bool with_text = b.w >= text_x + 8 * hex_char + 8;
    for (u32 i = 0; i < row.size(); ++i) {
        const bool hovered = look.hovered && look.hovered->contains(at + i);
        const bool selected = look.selected && look.selected->contains(at + i);
        const float x = b.x + hex_x + hex_step * static_cast<float>(i);
        if (hovered || selected) {
            list->AddRectFilled({x - 3, y - 11}, {x + 2 * hex_char + 4, y + 11},
                                with_alpha(hovered ? t.line_strong : t.accent_background, alpha), 2);
        }
        const Colour colour = hovered || selected ? t.text : t.text2;
        draw_text(list, Font::Mono13, x, y, with_alpha(colour, alpha), text("%02x", row[i]));
        if (!with_text) continue;
        const char shown = row[i] >= 0x20 && row[i] < 0x7f ? static_cast<char>(row[i]) : 0;
        draw_text(list, Font::Mono13, b.x + text_x + hex_char * static_cast<float>(i), y,
                  with_alpha(t.text3, alpha), shown ? std::string_view(&shown, 1) : std::string_view("·"));
    }
}

}  // namespace

void draw_hex(ImDrawList* list, Rect b, Bytes block, ByteRange range, std::span<const inspect::Field> fields,
              const FieldLook& look, float alpha) {
    const auto all = static_cast<u32>(block.size());
    const u32 begin = std::min(range.offset, all);
    const u32 end = begin + std::min(range.size, all - begin);
    const u32 fitting = rows_that_fit(b, field_height);
    const bool with_text = b.w >= text_x + 8 * hex_char + 8;
    const float names_x = with_text ? text_x + 8 * hex_char + 14 : text_x;
    for (u32 i = 0; i < fitting; ++i) {
        const u32 at = begin + (look.first_row + i) * hex_per_row;
        if (at >= end) break;
        const u32 stop = std::min(at + hex_per_row, end);
        const float y = std::round(b.y + field_height * (static_cast<float>(i) + 0.5F));
        draw_hex_row(list, b, y, block.subspan(at, stop - at), at, look, alpha);
        const std::string names = names_in_row(fields, at, stop);
        const float room = b.w - names_x - 14;
        if (names.empty() || room < 40) continue;
        const bool lit = touches(look.hovered, at, stop - at) || touches(look.selected, at, stop - at);
        draw_text_fit(list, lit ? Font::CaptionBold : Font::Caption, b.right() - 14, y, room,
                      with_alpha(lit ? theme().text : theme().text2, alpha), names, Align::Right);
    }
}

std::optional<u32> byte_at(Rect b, ByteRange range, u32 first_row, ImVec2 p) {
    if (!b.contains(p.x, p.y)) return {};
    const float x = p.x - b.x - hex_x + 0.5F * hex_char;
    const float x_text = p.x - b.x - text_x;
    u32 column = hex_per_row;
    if (x >= 0 && x < hex_step * static_cast<float>(hex_per_row))
        column = static_cast<u32>(x / hex_step);
    else if (x_text >= 0 && x_text < hex_char * static_cast<float>(hex_per_row))
        column = static_cast<u32>(x_text / hex_char);
    const auto row = static_cast<u32>((p.y - b.y) / field_height);
    if (column >= hex_per_row || row >= rows_that_fit(b, field_height)) return {};
    const u32 at = (first_row + row) * hex_per_row + column;
    if (at >= range.size) return {};
    return range.offset + at;
}

}  // namespace glassfs::ui
