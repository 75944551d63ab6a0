// SPDX-License-Identifier: MIT
// What the person at the screen has chosen: workspace, selection, hover, open folders, theme. Plain data of
// the UI thread; every view reads and writes the same one, so that a block selected in one place is selected
// everywhere.
#pragma once

#include "inspect/inspector.h"
#include "ui/model/dialog.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace glassfs::ui {

enum class Workspace : u8 { Files = 1, Trees = 2, Log = 3, Space = 4, Extents = 5, Lab = 6 };
inline constexpr int workspace_count = 6;
const char* workspace_name(Workspace);
bool workspace_available(Workspace);  // the others are in the design, and not there yet

enum class ThemeChoice : u8 { Dark, Light };

struct ByteRange {  // of a block
    u32 offset = 0;
    u32 size = 0;
    bool contains(u32 byte) const { return byte >= offset && byte - offset < size; }
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct Selection {
    enum class Kind : u8 { Nothing, Superblock, Block, File };  // what the Inspector shows
    Kind kind = Kind::Nothing;
    u64 tree = 5;                      // shown in Trees: FS_TREE until another is chosen
    std::optional<LogicalAddr> block;  // stays set while a file is shown, so that Trees keeps its place
    std::optional<u32> slot;           // in `block`
    std::optional<ByteRange> bytes;    // of `block`: the field chosen
    std::optional<vfs::NodeId> node;
    std::string path;  // of `node`, as found: "/docs/hello.txt"
    friend bool operator==(const Selection&, const Selection&) = default;
};

// What the pointer is over; views highlight the same thing wherever they show it. Cleared at the begin of a
// frame.
struct Hover {
    std::optional<LogicalAddr> block;
    std::optional<u32> slot;
    std::optional<ByteRange> bytes;
    friend bool operator==(const Hover&, const Hover&) = default;
};

struct ViewState {
    Workspace workspace = Workspace::Files;
    ThemeChoice theme = ThemeChoice::Dark;
    float scale = 1.0F;  // 0.8 to 2
    bool reduced_motion = false;
    bool console_open = false;
    std::string console_input;
    bool volumes_open = false;  // the list of volumes, in place of an open volume's files
    DialogPtr dialog;           // what is being asked; null: nothing
    Selection selection;
    Hover hover;                      // of the last frame: read this one
    Hover next_hover;                 // of this frame: write this one
    std::set<vfs::NodeId> open_dirs;  // folders unfolded in the Navigator
    vfs::NodeId folder;               // shown in the Files stage's list
    std::string folder_path = "/";
    std::string wanted_path;  // to be selected as soon as it is resolved
    struct WantedKey {
        u64 tree = 0;
        KeyRef key;
    };
    std::optional<std::string> line_in_past;  // a command typed while the past is shown: what of it is asked
    std::set<u64> bookmarks;                  // positions of the recording
    std::optional<WantedKey> wanted_key;      // an item to be selected as soon as its leaf is known
    u32 rows_first = 0;                       // first row of the Navigator on the screen
    u32 rows_shown = 0;                       // how many; 0: not drawn yet

    // Each sets Selection::kind too, and clears what belonged to the former selection.
    void select_tree(u64 tree);
    void select_block(LogicalAddr);
    void select_slot(LogicalAddr, u32 slot);
    void select_bytes(ByteRange);
    void select_file(vfs::NodeId, std::string path);
    void select_superblock();
    void select_nothing();
    void set_scale(float);  // kept within 0.8 and 2
    // A new frame begins: what was hovered in the last one becomes readable.
    void begin_frame() {
        hover = next_hover;
        next_hover = {};
    }
    // What belongs to a volume, when another is opened. Theme, scale and workspace stay.
    void forget_volume();
};

}  // namespace glassfs::ui
