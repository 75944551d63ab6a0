// SPDX-License-Identifier: MIT
// What the Inspector says about the thing selected, as data: the panel draws it, the DOM mirror lists it and
// "Copy as text" writes it, so that all three say the same.
#pragma once

#include "ui/model/session.h"

namespace glassfs::ui {

struct InspectorRow {
    enum class Tone : u8 { Normal, Dim, Good, Bad };
    std::string name;
    std::string value;
    std::string meaning;             // flags, enumerators, sizes: may be empty
    std::optional<ByteRange> bytes;  // of the block (or superblock), when it is a field on disk
    u8 depth = 0;
    Tone tone = Tone::Normal;
    std::optional<u64> position = {};  // leads to a step of the recording: for Session::go_to()
};

struct InspectorSection {
    std::string title;
    std::string note;  // at the right: "header 101 B"
    std::vector<InspectorRow> rows;
};

struct HexView {
    static constexpr u32 row_bytes = 8;
    std::shared_ptr<const Buffer> raw;  // null: none
    ByteRange range;                    // shown of it
    std::vector<InspectorRow> names;    // ranges with names, by offset
    std::string title;                  // "Bytes 0 to 111"
    std::string note;
    u32 rows() const { return (range.size + row_bytes - 1) / row_bytes; }
    // The innermost named range that holds the byte, or null.
    const InspectorRow* name_at(u32 byte) const;
};

struct InspectorModel {
    std::string kind;      // "leaf", "node", "file", "superblock": right of the panel's title
    std::string title;     // "Leaf 5251072"
    std::string subtitle;  // "0x502000 · generation 8"
    std::string trouble;   // an error in one line; may be empty
    std::string hint;      // when nothing is selected: what to do
    bool loading = false;
    std::vector<InspectorSection> sections;
    std::vector<inspect::PathStep> path;  // how to reach its bytes
    HexView hex;
    std::optional<vfs::NodeId> node;  // of a file
    bool is_directory = false;
    std::string text_title;  // "Text" or "Names"
    std::vector<std::string> text;
};

InspectorModel inspector_model(Session&);
std::string inspector_text(const InspectorModel&);
// "20 00 50" and "··P" of a row.
std::string hex_row_bytes(Bytes);
std::string hex_row_text(Bytes);

}  // namespace glassfs::ui
