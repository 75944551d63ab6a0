// SPDX-License-Identifier: MIT
#include "ui/model/view_state.h"

#include <algorithm>

namespace glassfs::ui {

const char* workspace_name(Workspace workspace) {
    switch (workspace) {
        case Workspace::Files:
            return "Files";
        case Workspace::Trees:
            return "Trees";
        case Workspace::Log:
            return "Log";
        case Workspace::Space:
            return "Space";
        case Workspace::Extents:
            return "Extents";
        case Workspace::Lab:
            return "Lab";
    }
    return "";
}

bool workspace_available(Workspace workspace) {
    return workspace == Workspace::Files || workspace == Workspace::Trees || workspace == Workspace::Space ||
           workspace == Workspace::Lab;
}

void ViewState::select_tree(u64 tree) {
    selection = {};
    selection.tree = tree;
}

void ViewState::select_block(LogicalAddr addr) {
    if (selection.block != addr) {
        selection.slot.reset();
        selection.bytes.reset();
    }
    selection.kind = Selection::Kind::Block;
    selection.block = addr;
}

void ViewState::select_slot(LogicalAddr addr, u32 slot) {
    select_block(addr);
    if (selection.slot != slot) selection.bytes.reset();
    selection.slot = slot;
}

void ViewState::select_bytes(ByteRange range) {
    selection.bytes = range;
}

void ViewState::select_file(vfs::NodeId node, std::string path) {
    if (selection.kind != Selection::Kind::File) selection.bytes.reset();
    selection.kind = Selection::Kind::File;
    selection.node = node;
    selection.path = std::move(path);
}

void ViewState::select_superblock() {
    selection.kind = Selection::Kind::Superblock;
    selection.bytes.reset();
}

void ViewState::select_nothing() {
    u64 tree = selection.tree;
    selection = {};
    selection.tree = tree;
}

void ViewState::set_scale(float wanted) {
    scale = std::clamp(wanted, 0.8F, 2.0F);
}

void ViewState::forget_volume() {
    selection = {};
    hover = {};
    next_hover = {};
    open_dirs.clear();
    folder = {};
    folder_path = "/";
    wanted_path.clear();
    wanted_key.reset();
    line_in_past.reset();
    bookmarks.clear();
    rows_first = 0;
    volumes_open = false;
    dialog.reset();
}

}  // namespace glassfs::ui
