// SPDX-License-Identifier: MIT
#include "ui/model/headline.h"

#include "base/text.h"
#include "ui/model/file_tree.h"

namespace glassfs::ui {

namespace {

constexpr std::size_t name_max = 34;

bool is_continuation(char c) {
    return (static_cast<u8>(c) & 0xc0) == 0x80;
}

const inspect::TreeInfo* find_tree(const std::vector<inspect::TreeInfo>& trees, u64 id) {
    for (const inspect::TreeInfo& tree : trees) {
        if (tree.id == id) return &tree;
    }
    return nullptr;
}

Headline of_volume(Session& session, bool in_page) {
    Headline h{"READ-ONLY", "", "", "", Headline::Tone::Good};
    auto info = session.info();
    std::string format = info ? info->format : "btrfs";
    h.title = in_page ? "This is a real " + format + " volume, read in this tab."
                      : "This is a real " + format + " volume, read in place.";
    if (session.writable()) {
        h.kind = "LIVE";
        h.title = "This is a real " + format + " volume, and it can be changed.";
    }
    if (!info) return h;
    h.reason = size_text(info->total) + ", " + size_text(info->used) + " used, generation " +
               std::to_string(info->generation.value) +
               (session.writable() ? ". Type a command below: each of its steps is kept."
                                   : ". Every block here is one on its device; nothing is written.");
    if (session.in_memory()) h.reason = "Running in memory: closing loses it. Export image keeps it.";
    if (info->log_pending)
        h.reason = "A log tree waits to be replayed: it is shown, and not applied.";
    else if (info->metadump)
        h.reason = "It is a metadata dump: every tree is there, the data of files is not.";
    else if (!info->notes.empty())
        h.reason = info->notes[0] + ".";
    return h;
}

Headline of_file(Session& session) {
    const Selection& selection = session.view.selection;
    Headline h{"FILE", "", "", selection.path, Headline::Tone::Calm};
    std::string name = short_name(printable(last_name(selection.path)), name_max);
    auto answer = session.attributes(*selection.node);
    if (const Error* error = answer.error()) {
        return {"ERROR", name + " can't be read.", error->message(), "", Headline::Tone::Trouble};
    }
    h.title = name + " is being read.";
    if (!answer) return h;
    std::string where = "Its inode is " + std::to_string(answer->id.ino.value) + " in tree " +
                        std::to_string(static_cast<s64>(answer->id.tree)) + ", written in generation " +
                        std::to_string(answer->generation) + ".";
    h.reason = where;
    switch (answer->type) {
        case vfs::FileType::Directory: {
            h.kind = "FOLDER";
            h.title = name + " is a folder.";
            auto page = session.directory(answer->id);
            if (!page) return h;
            std::string count = plural(page->rows.size(), "entry", "entries");
            h.title = name + " holds " + (page->last ? count : "more than " + count) + ".";
            return h;
        }
        case vfs::FileType::Symlink:
            h.kind = "LINK";
            h.title = name + " is a symbolic link.";
            return h;
        case vfs::FileType::Regular:
            break;
        default:
            h.title = name + " is a " + vfs::file_type_name(answer->type) + " node.";
            return h;
    }
    h.title = name + " holds " + plural(answer->size, "byte") + ".";
    auto extents = session.extents(answer->id);
    if (!extents) return h;
    const auto& list = extents->extents;
    if (answer->size == 0) {
        h.title = name + " is empty.";
    } else if (list.size() == 1 && list[0].kind == vfs::FileExtent::Kind::Inline) {
        h.title = name + " is stored inside its leaf.";
        h.reason = plural(answer->size, "byte") + " need no block of their own. " + where;
    } else {
        h.title =
            name + " lies in " + (extents->more ? "more than " : "") + plural(list.size(), "extent") + ".";
        h.reason = grouped(answer->size) + " bytes. " + where;
    }
    return h;
}

Headline of_block(Session& session) {
    const Selection& selection = session.view.selection;
    LogicalAddr addr = *selection.block;
    std::string number = std::to_string(addr.value);
    auto answer = session.block(addr);
    if (const Error* error = answer.error()) {
        return {"ERROR", "Block " + number + " can't be read.", error->message(), "",
                Headline::Tone::Trouble};
    }
    Headline h{"BLOCK", "Block " + number + " is being read.", "", hex(addr.value), Headline::Tone::Calm};
    if (!answer) return h;
    const inspect::BlockView& view = *answer;
    std::string what = (view.level == 0 ? "Leaf " : "Node ") + number;
    h.kind = view.level == 0 ? "LEAF" : "NODE";
    if (!view.checksum_ok()) {
        return {"ERROR", what + " has a bad checksum.",
                "Stored " + view.checksum_stored.substr(0, 16) + ", computed " +
                    view.checksum_computed.substr(0, 16) + " over its " + grouped(view.size) + " bytes.",
                hex(addr.value), Headline::Tone::Trouble};
    }
    if (view.error)
        return {"ERROR", what + " is damaged.", view.error->message(), hex(addr.value),
                Headline::Tone::Trouble};
    if (selection.slot && *selection.slot < view.items.size()) {
        const inspect::Item& item = view.items[*selection.slot];
        h.kind = view.level == 0 ? "ITEM" : "POINTER";
        h.title =
            short_name(text("Slot %u holds %s.", item.slot, item.key_text.c_str()), Headline::title_max);
        h.reason = plural(item.data_size, "byte") + " at " + hex(item.data_offset) + " of " + what;
        if (!item.summary.empty()) h.reason += ": " + short_name(printable(item.summary), 60);
        h.reason += ".";
        return h;
    }
    std::string things = plural(view.items.size(), view.level == 0 ? "item" : "pointer");
    h.title = what + " holds " + things + " and has " + grouped(view.free_bytes) + " B free.";
    h.reason =
        "Written in generation " + std::to_string(view.generation.value) + " for " + view.owner_name + ".";
    if (!view.items.empty()) {
        h.reason += " Keys " + view.items.front().key_text + " to " + view.items.back().key_text + ".";
    }
    return h;
}

Headline of_space(Session& session) {
    Headline h{"SPACE", "Chunks and dev extents are being read.", "", "", Headline::Tone::Calm};
    auto space = session.space();
    if (!space) return h;
    u64 size = 0, allocated = 0;
    for (const auto& device : space->devices) {
        size += device.size;
        allocated += device.allocated;
    }
    h.title = plural(space->dev_extents.size(), "dev extent") + " on " +
              plural(space->devices.size(), "device") + " hold the " + plural(space->chunks.size(), "chunk") +
              ".";
    h.reason = size_text(allocated) + " of " + size_text(size) +
               " are allocated. A chunk is a range of logical addresses; its stripes are dev extents.";
    return h;
}

Headline of_step(Session& session) {
    auto timeline = session.timeline();
    const std::size_t at = timeline->step_at(session.position());
    if (at == Timeline::none) {
        return {"BEGIN", "This is the volume before anything was done to it.",
                plural(timeline->steps.size(), "step") + " follow.", "", Headline::Tone::Calm};
    }
    StepText said = step_text(timeline->steps[at]);
    return {said.pill, said.title, said.reason, said.place, Headline::Tone::Calm};
}

Headline of_tree(Session& session) {
    u64 id = session.view.selection.tree;
    Headline h{"TREE", "Tree " + std::to_string(static_cast<s64>(id)) + " is being read.", "", "",
               Headline::Tone::Calm};
    auto trees = session.trees();
    const inspect::TreeInfo* tree = trees ? find_tree(*trees, id) : nullptr;
    if (!tree) return h;
    std::string name = short_name(printable(tree->name), name_max);
    if (tree->error) {
        return {"ERROR", name + " can't be read.", tree->error->message(), "", Headline::Tone::Trouble};
    }
    auto map = session.tree_map(id);
    h.title = name + " is being read.";
    if (!map) return h;
    h.title = name + (map->done ? " has " : " has at least ") + plural(map->size(), "block") + " in " +
              plural(tree->level + 1U, "level") + ".";
    h.reason = plural(map->leaves, "leaf", "leaves") + (map->leaves == 1 ? " holds " : " hold ") +
               plural(map->items, "item") + ". The root is " + std::to_string(tree->root.value) +
               ", generation " + std::to_string(tree->generation.value) + ".";
    if (map->bad > 0) {
        h.tone = Headline::Tone::Trouble;
        h.reason = plural(map->bad, "block") + (map->bad == 1 ? " is" : " are") +
                   " bad: drawn with crossed dashes. " + h.reason;
    }
    return h;
}

}  // namespace

std::string plural(u64 count, const char* one, const char* many) {
    if (count == 1) return std::string("1 ") + one;
    return grouped(count) + " " + (many ? std::string(many) : std::string(one) + "s");
}

std::size_t characters(const std::string& utf8) {
    std::size_t count = 0;
    for (char c : utf8) count += is_continuation(c) ? 0 : 1;
    return count;
}

std::string short_name(const std::string& utf8, std::size_t characters_max) {
    std::size_t count = characters(utf8);
    if (count <= characters_max) return utf8;
    std::size_t head = (characters_max - 1 + 1) / 2;
    std::size_t tail = characters_max - 1 - head;
    std::string out;
    std::string end;
    std::size_t at = 0;
    for (char c : utf8) {
        at += is_continuation(c) ? 0 : 1;
        if (at <= head) out += c;
        if (at > count - tail) end += c;
    }
    return out + "\xe2\x80\xa6" + end;
}

Headline lab_headline(const LabSnapshot& lab) {
    Headline h{"LAB", "Where is there room for a chunk? Two ways to look for it, side by side.",
               "Each chunk needs a free dev extent. A looks from the device's begin, B from a hint.",
               "chunkalloc", Headline::Tone::Calm};
    if (lab.device_bytes == 0) return h;
    const auto &a = lab.sides[0].picture.search, &b = lab.sides[1].picture.search;
    h.kind = lab.running ? "RUNNING" : lab.cancelled ? "PARTIAL" : "SEARCH";
    h.title =
        short_name("A looked at " + plural(a.visited, "dev extent") + ", B at " + grouped(b.visited) + ".",
                   Headline::title_max);
    h.reason = "The last search of each. A's began at " + size_text(a.start.value) + ", B's at its hint, " +
               size_text(b.start.value) + "; below a hint nothing of 16 MiB or more is free.";
    return h;
}

Headline headline(Session& session, bool in_page) {
    std::string name = short_name(printable(session.name()), name_max);
    switch (session.state()) {
        case SessionState::Empty:
            return {"OPEN", "Open a btrfs image to see inside of it.",
                    "It is read in place, nothing is written to it, and it never leaves this computer.", "",
                    Headline::Tone::Calm};
        case SessionState::Opening:
            return {"OPENING", name + " is being opened.", "Superblocks, chunks and trees are read first.",
                    "", Headline::Tone::Calm};
        case SessionState::Failed: {
            auto error = session.open_error();
            return {"ERROR", name + " can't be opened.", error ? error->message() : "", "",
                    Headline::Tone::Trouble};
        }
        case SessionState::Open:
            break;
    }
    if (auto error = session.moment_error()) {
        return {"ERROR", "That moment can't be shown: this is the present.", error->message(), "",
                Headline::Tone::Trouble};
    }
    if (session.in_past()) return of_step(session);
    const Selection& selection = session.view.selection;
    if (selection.kind == Selection::Kind::Block && selection.block) return of_block(session);
    if (session.view.workspace == Workspace::Trees) return of_tree(session);
    if (session.view.workspace == Workspace::Space) return of_space(session);
    if (selection.kind == Selection::Kind::File && selection.node) return of_file(session);
    return of_volume(session, in_page);
}

}  // namespace glassfs::ui
