// SPDX-License-Identifier: MIT
#include "ui/model/inspector_model.h"

#include "base/text.h"
#include "ui/model/file_tree.h"
#include "ui/model/headline.h"
#include "ui/model/preview.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

using Tone = InspectorRow::Tone;

constexpr u32 header_bytes = 101;  // shown when no item is chosen: a btrfs block header
constexpr std::size_t text_lines_max = 40;

InspectorRow row(std::string name, std::string value, std::string meaning = {}, Tone tone = Tone::Normal) {
    return {std::move(name), std::move(value), std::move(meaning), {}, 0, tone};
}

InspectorRow row_of(const inspect::Field& field) {
    InspectorRow r = row(printable(field.name), printable(field.value), printable(field.meaning));
    if (field.size > 0) r.bytes = ByteRange{field.offset, field.size};
    r.depth = field.depth;
    return r;
}

std::string bytes_text(u64 bytes) {
    return grouped(bytes) + " B";
}

void set_hex(HexView& hex, std::shared_ptr<const Buffer> raw, ByteRange range, std::string title) {
    if (!raw || range.offset >= raw->size()) return;
    range.size = static_cast<u32>(std::min<u64>(range.size, raw->size() - range.offset));
    hex.raw = std::move(raw);
    hex.range = range;
    hex.title = std::move(title);
}

void add_names(HexView& hex, const std::vector<InspectorRow>& rows) {
    for (const InspectorRow& r : rows) {
        if (r.bytes) hex.names.push_back(r);
    }
}

InspectorSection block_section(const inspect::BlockView& view) {
    InspectorSection section;
    auto& rows = section.rows;
    std::string owner = std::to_string(static_cast<s64>(view.owner));
    rows.push_back(row("Owner", view.owner_name.empty() ? owner : view.owner_name + " (" + owner + ")"));
    rows.push_back(row("Level", std::to_string(view.level), view.level == 0 ? "leaf" : "node"));
    rows.push_back(row("Generation", std::to_string(view.generation.value)));
    rows.push_back(row(view.level == 0 ? "Items" : "Pointers", grouped(view.items.size())));
    rows.push_back(row("Used", grouped(view.used_bytes) + " of " + bytes_text(view.capacity)));
    rows.push_back(row("Free", bytes_text(view.free_bytes)));
    if (view.in_memory) {
        rows.push_back(row("Checksum", view.checksum_type, "set at the commit"));
        return section;
    }
    bool good = view.checksum_ok();
    rows.push_back(row("Checksum", view.checksum_type, good ? "stored and computed agree" : "does not fit",
                       good ? Tone::Normal : Tone::Bad));
    rows.push_back(row("stored", view.checksum_stored, {}, good ? Tone::Normal : Tone::Bad));
    rows.push_back(row("computed", view.checksum_computed, {}, good ? Tone::Good : Tone::Bad));
    return section;
}

InspectorSection copies_section(const inspect::BlockView& view) {
    InspectorSection section{"Copies on devices", grouped(view.copies.size()), {}};
    for (const inspect::Copy& copy : view.copies) {
        section.rows.push_back(
            row("device " + std::to_string(copy.device), "at " + std::to_string(copy.physical.value),
                copy.readable ? "" : "can't be read", copy.readable ? Tone::Normal : Tone::Bad));
    }
    return section;
}

void describe_item(Session& session, const inspect::BlockView& view, const inspect::Item& item,
                   InspectorModel& m) {
    InspectorSection section;
    section.title = text("%s %u: %s", view.level == 0 ? "Item" : "Pointer", item.slot, item.key_text.c_str());
    section.note = bytes_text(item.data_size);
    if (!item.summary.empty()) section.rows.push_back(row("Summary", printable(item.summary)));
    if (item.error) section.rows.push_back(row("Problem", item.error->message(), {}, Tone::Bad));
    auto fields = session.item_fields(view.addr, item.slot);
    if (fields) {
        for (const inspect::Field& field : *fields) section.rows.push_back(row_of(field));
    } else if (const Error* error = fields.error()) {
        section.rows.push_back(row("Problem", error->message(), {}, Tone::Bad));
    } else {
        m.loading = true;
    }
    u32 end = item.data_offset + item.data_size;
    set_hex(m.hex, view.raw, {item.data_offset, item.data_size},
            "Bytes " + hex(item.data_offset) + " to " + hex(end == 0 ? 0 : end - 1));
    m.hex.note = text("item %u", item.slot);
    add_names(m.hex, section.rows);
    m.sections.insert(m.sections.begin(), std::move(section));
}

constexpr std::size_t writers_shown = 6;

// Who wrote what is selected: bytes, an item with its header, or the whole block.
void describe_writers(Session& session, const inspect::BlockView& view, InspectorModel& m) {
    auto timeline = session.timeline();
    if (!timeline) return;
    const Selection& selection = session.view.selection;
    ByteRange range{0, view.size};
    InspectorSection section{"Written by", "the whole block", {}};
    if (selection.bytes) {
        range = *selection.bytes;
        section.note = plural(range.size, "byte") + " at " + hex(range.offset);
    } else if (selection.slot && *selection.slot < view.items.size()) {
        const inspect::Item& item = view.items[*selection.slot];
        range = {item.data_offset, item.data_size};
        section.note = "the data of slot " + std::to_string(item.slot);
    }
    if (range.size == 0) return;
    for (const BlockWriter& writer :
         writers_of(*timeline, view.addr, range.offset, range.size, session.position(), writers_shown)) {
        const TimelineStep& step = timeline->steps[writer.step];
        const std::string operation = printable(timeline->operations[step.operation].name);
        InspectorRow one =
            row(writer.from ? "copied from " + std::to_string(writer.from->value) : step_text(step).title,
                short_name(operation, 18));
        one.position = step.position;
        section.rows.push_back(std::move(one));
    }
    if (section.rows.empty()) {
        section.rows.push_back(row("before the recording", "", "", InspectorRow::Tone::Dim));
    }
    m.sections.push_back(std::move(section));
}

void describe_block(Session& session, InspectorModel& m) {
    LogicalAddr addr = *session.view.selection.block;
    auto answer = session.block(addr);
    m.kind = "block";
    m.title = "Block " + std::to_string(addr.value);
    m.subtitle = hex(addr.value);
    if (const Error* error = answer.error()) {
        m.trouble = error->message();
        return;
    }
    if (!answer) {
        m.loading = true;
        return;
    }
    const inspect::BlockView& view = *answer;
    m.kind = view.level == 0 ? "leaf" : "node";
    m.title = (view.level == 0 ? "Leaf " : "Node ") + std::to_string(addr.value);
    m.subtitle +=
        " \xc2\xb7 " + size_text(view.size) + " \xc2\xb7 generation " + std::to_string(view.generation.value);
    if (view.error) m.trouble = view.error->message();
    m.sections.push_back(block_section(view));
    m.sections.push_back(copies_section(view));
    describe_writers(session, view, m);
    auto slot = session.view.selection.slot;
    const inspect::Item* chosen = slot && *slot < view.items.size() ? &view.items[*slot] : nullptr;
    if (chosen) {
        describe_item(session, view, *chosen, m);
        return;
    }
    InspectorSection header{"Header", bytes_text(header_bytes), {}};
    for (const inspect::Field& field : view.header) header.rows.push_back(row_of(field));
    set_hex(m.hex, view.raw, {0, header_bytes}, text("Bytes 0 to %u", header_bytes - 1));
    m.hex.note = "header";
    add_names(m.hex, header.rows);
    m.sections.push_back(std::move(header));
}

void describe_superblock(Session& session, InspectorModel& m) {
    m.kind = "superblock";
    m.title = "Superblock";
    m.subtitle = "the newest valid copy";
    auto answer = session.superblock();
    m.loading = answer.pending();
    if (!answer) return;
    InspectorSection section{"Fields", grouped(answer->fields.size()), {}};
    for (const inspect::Field& field : answer->fields) section.rows.push_back(row_of(field));
    u32 size = answer->raw ? static_cast<u32>(answer->raw->size()) : 0;
    set_hex(m.hex, answer->raw, {0, size}, text("Bytes 0 to %u", size == 0 ? 0 : size - 1));
    add_names(m.hex, section.rows);
    m.sections.push_back(std::move(section));
}

std::string extent_line(const vfs::FileExtent& extent) {
    using Kind = vfs::FileExtent::Kind;
    std::string line = grouped(extent.length) + " B";
    if (extent.kind == Kind::Hole) return line + " hole";
    if (extent.kind == Kind::Inline) line += " inline";
    if (extent.kind == Kind::Unwritten) line += " unwritten";
    if (extent.kind != Kind::Inline) line += " at " + std::to_string(extent.physical);
    if (std::string_view(extent.compression) != "none") line += std::string(" ") + extent.compression;
    return line;
}

void describe_extents(Session& session, vfs::NodeId node, InspectorModel& m) {
    auto answer = session.extents(node);
    if (!answer) return;
    const auto& list = answer->extents;
    bool stored_inline = list.size() == 1 && list[0].kind == vfs::FileExtent::Kind::Inline;
    std::string count = grouped(list.size()) + (answer->more ? " or more" : "");
    m.sections[0].rows.push_back(row("Extents", stored_inline ? "1 inline" : count));
    m.subtitle += stored_inline  ? ", stored inside its leaf"
                  : list.empty() ? ""
                                 : text(", %s extent%s", count.c_str(), list.size() == 1 ? "" : "s");
    if (list.empty() || stored_inline) return;
    InspectorSection section{"Extents", "file offset, place", {}};
    constexpr std::size_t shown_max = 12;
    for (std::size_t i = 0; i < list.size() && i < shown_max; ++i) {
        section.rows.push_back(row(grouped(list[i].file_offset), extent_line(list[i])));
    }
    if (list.size() > shown_max)
        section.rows.push_back(row(grouped(list.size() - shown_max) + " more", "", {}, Tone::Dim));
    m.sections.push_back(std::move(section));
}

void describe_attributes(const vfs::Attributes& a, InspectorModel& m) {
    auto& rows = m.sections.emplace_back().rows;
    rows.push_back(row("Inode", std::to_string(a.id.ino.value)));
    rows.push_back(row("Tree", std::to_string(a.id.tree)));
    rows.push_back(row("Mode", mode_text(a.mode), text("%o", a.mode)));
    rows.push_back(row("Owner, group", text("%u, %u", a.uid, a.gid)));
    rows.push_back(row("Links", grouped(a.nlink)));
    rows.push_back(row("Size", bytes_text(a.size), a.size < 1024 ? "" : size_text(a.size)));
    rows.push_back(row("On disk", bytes_text(a.bytes)));
    rows.push_back(row("Generation", std::to_string(a.generation)));
    rows.push_back(row("Modified", time_text(a.mtime.seconds, a.mtime.nanos)));
    if (a.type == vfs::FileType::CharDevice || a.type == vfs::FileType::BlockDevice) {
        rows.push_back(row("Device", text("%u, %u", a.rdev.major, a.rdev.minor)));
    }
}

void describe_content(Session& session, const vfs::Attributes& a, InspectorModel& m) {
    if (a.type == vfs::FileType::Symlink) {
        if (auto target = session.readlink(a.id)) {
            m.text_title = "Target";
            m.text.push_back(printable(*target));
        }
    }
    if (a.type != vfs::FileType::Regular || a.size == 0) return;
    auto bytes = session.file_bytes(a.id, 0);
    if (const Error* error = bytes.error()) m.trouble = error->message();
    if (!bytes || !looks_like_text(bytes->data)) return;
    m.text_title = "Text";
    m.text = text_lines(bytes->data, text_lines_max);
}

void describe_file(Session& session, InspectorModel& m) {
    vfs::NodeId node = *session.view.selection.node;
    m.node = node;
    m.kind = "file";
    m.title = printable(last_name(session.view.selection.path));
    auto answer = session.attributes(node);
    if (const Error* error = answer.error()) m.trouble = error->message();
    m.loading = answer.pending();
    if (!answer) return;
    const vfs::Attributes& a = *answer;
    m.is_directory = a.type == vfs::FileType::Directory;
    m.kind = m.is_directory ? "folder" : vfs::file_type_name(a.type);
    m.subtitle = m.is_directory                     ? "folder"
                 : a.type == vfs::FileType::Regular ? grouped(a.size) + " bytes"
                                                    : m.kind;
    describe_attributes(a, m);
    if (a.type == vfs::FileType::Regular) describe_extents(session, node, m);
    if (auto xattrs = session.xattrs(node); xattrs && !xattrs->empty()) {
        InspectorSection section{"Extended attributes", grouped(xattrs->size()), {}};
        for (const vfs::Xattr& xattr : *xattrs) {
            section.rows.push_back(
                row(printable(xattr.name), printable(as_text(xattr.value)), bytes_text(xattr.value.size())));
        }
        m.sections.push_back(std::move(section));
    }
    if (auto path = session.path_to(node)) m.path = *path;
    describe_content(session, a, m);
}

}  // namespace

const InspectorRow* HexView::name_at(u32 byte) const {
    const InspectorRow* best = nullptr;
    for (const InspectorRow& r : names) {
        if (r.bytes->contains(byte) && (!best || r.bytes->size <= best->bytes->size)) best = &r;
    }
    return best;
}

InspectorModel inspector_model(Session& session) {
    InspectorModel m;
    const Selection& selection = session.view.selection;
    bool open = session.state() == SessionState::Open;
    if (open && selection.kind == Selection::Kind::Block && selection.block) describe_block(session, m);
    if (open && selection.kind == Selection::Kind::File && selection.node) describe_file(session, m);
    if (open && selection.kind == Selection::Kind::Superblock) describe_superblock(session, m);
    if (m.title.empty()) m.hint = open ? "Click a block to see its bytes." : "Open an image to look inside.";
    return m;
}

std::string hex_row_bytes(Bytes bytes) {
    std::string out;
    for (u8 b : bytes) out += text(out.empty() ? "%02x" : " %02x", b);
    return out;
}

std::string hex_row_text(Bytes bytes) {
    std::string out;
    for (u8 b : bytes) {
        if (b >= 0x20 && b < 0x7f)
            out += static_cast<char>(b);
        else
            out += "\xc2\xb7";
    }
    return out;
}

std::string inspector_text(const InspectorModel& m) {
    std::string out = m.title + "\n" + m.subtitle + "\n";
    if (!m.trouble.empty()) out += m.trouble + "\n";
    for (const InspectorSection& section : m.sections) {
        out += "\n";
        if (!section.title.empty()) out += section.title + "\n";
        for (const InspectorRow& r : section.rows) {
            out += std::string(2U * r.depth, ' ') + r.name + ": " + r.value;
            if (!r.meaning.empty()) out += " (" + r.meaning + ")";
            out += "\n";
        }
    }
    if (!m.path.empty()) out += "\nHow to reach its bytes\n";
    for (const inspect::PathStep& step : m.path) out += step.what + ": " + step.place + "\n";
    if (m.hex.raw) out += "\n" + m.hex.title + "\n";
    for (u32 i = 0; m.hex.raw && i < m.hex.rows(); ++i) {
        u32 at = m.hex.range.offset + i * HexView::row_bytes;
        u32 count = std::min(HexView::row_bytes, m.hex.range.offset + m.hex.range.size - at);
        Bytes bytes = Bytes(*m.hex.raw).subspan(at, count);
        out += text("%04x  %-23s  ", at, hex_row_bytes(bytes).c_str()) + hex_row_text(bytes) + "\n";
    }
    return out;
}

}  // namespace glassfs::ui
