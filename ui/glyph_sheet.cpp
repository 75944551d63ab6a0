// SPDX-License-Identifier: MIT
// The reference sheet of block glyphs, drawn with the very functions that draw the stages: one leaf at five
// zoom levels, then every state, step and item type. The leaf is put together here, byte for byte as btrfs
// would have it, so that the sheet needs no volume.
#include "base/text.h"
#include "ui/draw_block.h"
#include "ui/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glassfs::ui {

namespace {

using inspect::ItemClass;

constexpr u64 leaf_addr = 5316608;
constexpr u32 header_bytes = 101;
constexpr u32 item_bytes = 25;
constexpr u32 node_size = 4096;
constexpr std::string_view file_text = "# demo\nA small volume to look at.\n";

struct Line {
    u64 objectid;
    const char* type;
    u64 offset;
    ItemClass item_class;
    std::string summary;
    u32 size;
};

void put_number(Buffer& raw, u32 at, u64 value, u32 size) {
    for (u32 i = 0; i < size; ++i) raw[at + i] = static_cast<u8>(value >> (8 * i));
}

// An inline extent: generation, ram_bytes, compression, encryption, other_encoding, type, and the file's
// bytes.
void put_inline(Buffer& raw, u32 at, u32 size) {
    put_number(raw, at, 7, 8);
    put_number(raw, at + 8, size - 21, 8);
    for (u32 i = 0; i + 21 < size; ++i) raw[at + 21 + i] = static_cast<u8>(file_text[i % file_text.size()]);
}

std::vector<Line> sheet_lines() {
    std::vector<Line> lines;
    u64 inode = 283;
    lines.push_back({inode, "INODE_REF", 257, ItemClass::Ref, "notes-26.txt", 22});
    lines.push_back({inode, "EXTENT_DATA", 0, ItemClass::Inline, "inline 360 B", 381});
    for (u32 size : {282U, 84U, 183U, 75U}) {
        ++inode;
        lines.push_back({inode, "INODE_ITEM", 0, ItemClass::Inode, "", 160});
        lines.push_back({inode, "INODE_REF", 257, ItemClass::Ref,
                         text("notes-%u.txt", static_cast<u32>(inode - 257)), 22});
        lines.push_back({inode, "EXTENT_DATA", 0, ItemClass::Inline, text("inline %u B", size - 21), size});
    }
    lines.push_back({288, "INODE_ITEM", 0, ItemClass::Inode, "", 160});
    lines.push_back({288, "INODE_REF", 256, ItemClass::Ref, "README.md", 19});
    lines.push_back({288, "EXTENT_DATA", 0, ItemClass::Inline, "inline 1,420 B", 1441});
    lines.push_back({289, "INODE_ITEM", 0, ItemClass::Inode, "", 160});
    return lines;
}

inspect::BlockView sheet_leaf() {
    inspect::BlockView view;
    view.addr = LogicalAddr{leaf_addr};
    view.size = node_size;
    view.generation = Generation{7};
    view.capacity = node_size - header_bytes;
    auto raw = std::make_shared<Buffer>(node_size);
    u32 end = node_size;
    for (const Line& line : sheet_lines()) {
        inspect::Item item;
        item.slot = static_cast<u32>(view.items.size());
        item.type_name = line.type;
        item.key_text = text("%llu %s %llu", static_cast<unsigned long long>(line.objectid), line.type,
                             static_cast<unsigned long long>(line.offset));
        item.summary = line.summary;
        item.item_class = line.item_class;
        item.data_size = line.size;
        end -= line.size;
        item.data_offset = end;
        if (line.item_class == ItemClass::Inline) put_inline(*raw, end, line.size);
        view.used_bytes += line.size + item_bytes;
        view.items.push_back(item);
    }
    view.free_bytes = view.capacity - view.used_bytes;
    view.raw = raw;
    return view;
}

inspect::NodeRecord record_of(const inspect::BlockView& view) {
    inspect::NodeRecord record;
    record.addr = view.addr;
    record.generation = view.generation;
    record.items = static_cast<u32>(view.items.size());
    record.free_bytes = view.free_bytes;
    for (const inspect::Item& item : view.items) {
        record.bytes_of[static_cast<std::size_t>(item.item_class)] += item.data_size + item_bytes;
    }
    return record;
}

std::vector<inspect::Field> fields_of(const inspect::Item& item) {
    const u32 at = item.data_offset;
    const std::string data = grouped(item.data_size - 21);
    return {{"generation", at, 8, "7", "", 0},
            {"ram_bytes", at + 8, 8, data, "", 0},
            {"compression", at + 16, 1, "0", "none", 0},
            {"encryption", at + 17, 1, "0", "", 0},
            {"other_encoding", at + 18, 2, "0", "", 0},
            {"type", at + 20, 1, "0", "inline", 0},
            {"data", at + 21, item.data_size - 21, data + " B", "", 0}};
}

const char* short_name(State state) {
    constexpr const char* names[state_count] = {"Clean", "New, COWed", "Dirty in place", "Read",
                                                "Log",   "Shared",     "Hint",           "Freed",
                                                "Old",   "Bad",        "Free",           "Selected"};
    return names[static_cast<std::size_t>(state)];
}

const char* shape_name(Shape shape) {
    switch (shape) {
        case Shape::ThinBorder:
            return "thin border";
        case Shape::TopBand:
            return "top band";
        case Shape::CornerNotch:
            return "corner notch";
        case Shape::Border:
            return "border only";
        case Shape::LeftSpine:
            return "left spine";
        case Shape::DoubleBorder:
            return "double border";
        case Shape::Flag:
            return "flag";
        case Shape::DashedStruck:
            return "dashes, strike";
        case Shape::GreyDashes:
            return "grey dashes";
        case Shape::CrossedDashes:
            return "crossed";
        case Shape::ThinBorderEmpty:
            return "no data";
        case Shape::OuterRing:
            return "outer ring";
    }
    return "";
}

class Sheet {
  public:
    Sheet(ImDrawList* list, ImVec2 origin)
        : list_(list), at_(origin), leaf_(sheet_leaf()), record_(record_of(leaf_)) {}

    void draw() {
        list_->AddRectFilled(at_, {at_.x + 1600, at_.y + 1000}, t_.app);
        words(Font::Headline, 32, 40, t_.text, "Block glyphs");
        words(Font::Reason, 170, 40, t_.text2, "one leaf at five zoom levels, then every state");
        rule(70);
        zoom_levels();
        rule(496);
        states();
        rule(734);
        steps();
        item_types();
        nodes();
    }

  private:
    float words(Font f, float x, float y, Colour colour, std::string_view s, Align align = Align::Left) {
        return draw_text(list_, f, at_.x + x, at_.y + y, colour, s, align);
    }
    void rule(float y) { list_->AddLine({at_.x + 32, at_.y + y}, {at_.x + 1568, at_.y + y}, t_.line); }
    Rect box(float x, float y, float w, float h) const { return {at_.x + x, at_.y + y, w, h}; }
    void title(float x, const char* name, const char* widths, const char* shows) {
        words(Font::Card, x, 96, t_.text, name);
        words(Font::Caption, x, 117, t_.text3, widths);
        words(Font::Caption, x, 458, t_.text2, shows);
    }

    void zoom_levels();
    void states();
    void steps();
    void item_types();
    void nodes();

    ImDrawList* list_;
    ImVec2 at_;
    const Theme& t_ = theme();
    inspect::BlockView leaf_;
    inspect::NodeRecord record_;
};

void Sheet::zoom_levels() {
    title(32, "Z0", "under 40 px", "");
    for (u32 i = 0; i < 20; ++i) {
        BlockLook look;
        if (i == 7) look.state = State::New;
        if (i == 6 || i == 8) look.state = State::Read;
        if (i == 13) look.state = State::Shared;
        if (i == 14) look.bad = true;
        const float fill = 0.45F + 0.05F * static_cast<float>(i * 7 % 12);
        draw_cell(list_,
                  box(32 + 26 * static_cast<float>(i % 4), 140 + 34 * static_cast<float>(i / 4), 22, 30),
                  fill, look);
    }
    words(Font::Caption, 32, 330, t_.text2, "fill height");
    words(Font::Caption, 32, 348, t_.text2, "strongest state");
    title(176, "Z1", "40 to 140 px", "bars true to bytes");
    draw_leaf(list_, box(176, 140, 120, 300), record_, {});
    BlockLook card;
    card.card = true;
    title(336, "Z2", "140 to 400 px", "slot, key, name, size");
    const Rect z2 = box(336, 140, 310, 300);
    draw_frame(list_, z2, card);
    ItemLook items;
    items.selected = 16;
    items.first = first_to_show(items_box(z2, Usage::Inside), static_cast<u32>(leaf_.items.size()), 0, 16);
    draw_items(list_, z2, leaf_, items, {}, Usage::Inside);
    title(686, "Z3", "400 to 800 px", "decoded fields of one item");
    const Rect z3 = box(686, 140, 360, 300);
    draw_frame(list_, z3, card);
    const inspect::Item& item = leaf_.items[16];
    const auto fields = fields_of(item);
    words(Font::Mono13Bold, 698, 160, t_.text, item.key_text);
    words(Font::Caption, 1034, 160, t_.text2, "slot 16 of 18", Align::Right);
    list_->AddLine({z3.x, z3.y + header_height}, {z3.right(), z3.y + header_height}, t_.line);
    FieldLook look;
    look.hovered = ByteRange{fields[1].offset, fields[1].size};
    draw_fields(list_, {z3.x, z3.y + 48, z3.w, 250}, fields, look, 1);
    title(1086, "Z4", "over 800 px", "hex and meaning, linked both ways");
    const Rect z4 = box(1086, 140, 482, 300);
    draw_frame(list_, z4, card);
    words(Font::Mono13Bold, 1098, 160, t_.text,
          text("%llu + 0x%x", static_cast<unsigned long long>(leaf_addr), item.data_offset));
    words(Font::Caption, 1556, 160, t_.text2, "item 16, bytes 0 to 1,440", Align::Right);
    list_->AddLine({z4.x, z4.y + header_height}, {z4.right(), z4.y + header_height}, t_.line);
    draw_hex(list_, {z4.x, z4.y + 48, z4.w, 246}, *leaf_.raw, {item.data_offset, item.data_size}, fields,
             look, 1);
}

void Sheet::states() {
    words(Font::Card, 32, 524, t_.text, "States");
    words(Font::Caption, 100, 524, t_.text3,
          "colour and shape always together; item bars never change colour");
    constexpr State all[] = {State::Clean,  State::Read, State::New,  State::Dirty,
                             State::Shared, State::Log,  State::Old,  State::Freed,
                             State::Bad,    State::Free, State::Hint, State::Selected};
    float x = 32;
    for (State state : all) {
        BlockLook look;
        look.state = state;
        draw_leaf(list_, box(x, 552, 100, 110), record_, look);
        words(Font::Caption, x, 682, t_.text, short_name(state));
        words(Font::Caption, x, 700, t_.text3, shape_name(state_shape(state)));
        x += 128;
    }
}

void Sheet::steps() {
    struct Kind {
        const char* letter;
        const char* name;
        State state;
    };
    constexpr Kind kinds[] = {{"R", "read", State::Read},        {"A", "allocate", State::Clean},
                              {"C", "copy", State::New},         {"W", "write", State::New},
                              {"S", "split, move", State::New},  {"F", "free", State::Freed},
                              {"L", "log", State::Log},          {"H", "hint", State::Hint},
                              {"K", "cache hit", State::Shared}, {"D", "lock handover", State::Log},
                              {"Q", "queue", State::Clean}};
    words(Font::Card, 32, 760, t_.text, "Step kinds");
    float x = 32;
    for (const Kind& kind : kinds) {
        const StateColours& colours = t_.state(kind.state);
        const Rect b = box(x, 778, 30, 26);
        list_->AddRectFilled({b.x, b.y}, {b.right(), b.bottom()},
                             kind.state == State::Clean ? t_.hover : colours.background, 3);
        words(Font::Mono12Bold, x + 15, 791, kind.state == State::Clean ? t_.text2 : colours.line,
              kind.letter, Align::Centre);
        x += 60 + words(Font::Body, x + 38, 791, t_.text2, kind.name);
    }
}

void Sheet::item_types() {
    words(Font::Card, 32, 844, t_.text, "Item types");
    float x = 32;
    for (std::size_t i = 0; i < inspect::item_class_count; ++i) {
        const Rect b = box(x, 862, 22, 22);
        list_->AddRectFilled({b.x, b.y}, {b.right(), b.bottom()}, t_.items[i], 3);
        x += 48 +
             words(Font::Body, x + 30, 873, t_.text2, inspect::item_class_name(static_cast<ItemClass>(i)));
    }
}

void Sheet::nodes() {
    words(Font::Card, 1200, 760, t_.text, "A node at Z1");
    SlotLook slots;
    slots.lit_first = 2;
    slots.lit_last = 9;
    slots.path = 7;
    inspect::NodeRecord node = record_;
    node.addr = LogicalAddr{5267456};
    node.level = 1;
    node.items = 11;
    draw_node(list_, box(1200, 780, 200, 62), node, slots, {});
    BlockLook copied;
    copied.state = State::New;
    draw_node(list_, box(1412, 780, 156, 62), node, slots, copied);
}

}  // namespace

void draw_glyph_sheet(ImDrawList* list, ImVec2 origin) {
    Sheet(list, origin).draw();
}

}  // namespace glassfs::ui
