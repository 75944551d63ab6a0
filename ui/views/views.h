// SPDX-License-Identifier: MIT
// The panels. Each is one function in one file, draws into its rectangle of the window's one ImGui window,
// and knows of the others only what is in Ui.
#pragma once

#include "ui/layout.h"
#include "ui/model/file_tree.h"
#include "ui/model/headline.h"
#include "ui/model/inspector_model.h"
#include "ui/model/page_state.h"
#include "ui/model/space_model.h"
#include "ui/model/tour.h"
#include "ui/platform.h"

#include <tuple>

namespace glassfs::ui {

enum class Panel : u8 { Navigator, Stage, Inspector, Console };
inline constexpr int panel_count = 4;

// The Space workspace: which device, which place of it, and what the recording says of this moment.
struct SpaceUi {
    u64 device = 1;
    std::optional<u64> focus = {};  // byte of the device; nothing: the hint
    SpaceMoment moment = {};
    std::tuple<u64, u64, u64> moment_of = {};  // epoch, revision, position
    // A map may have a million dev extents: they are summed up once, not with each frame.
    std::vector<SpaceCell> cells = {};
    std::tuple<const void*, u64, std::size_t, std::tuple<u64, u64, u64>> cells_of = {};  // map, device, count
    KindCounts kinds = {};
    const void* kinds_of = nullptr;  // map
};

// What panels share within a frame, and keep from frame to frame.
struct Ui {
    Session& session;
    FileTree files = {};
    Headline headline = {};
    InspectorModel inspected = {};
    FrameStats stats = {};
    Layout layout = {};
    LayoutChoices choices = {};
    Panel focus = Panel::Stage;
    bool focus_moved = false;  // by Tab, in this frame: the panel shows it
    bool help_open = false;
    bool hex_preview = false;                                   // of a file: hex in place of text
    std::tuple<u64, vfs::NodeId, std::size_t> preview_of = {};  // epoch, file, columns of preview_lines
    std::vector<std::string> preview_lines = {};
    std::optional<ByteRange> bytes_revealed = {};  // in the inspector's hex
    std::vector<std::string> typed = {};  // commands, oldest first: the window's own input recalls them
    std::size_t recalled = 0;
    struct OutputRow {
        std::string words;
        u8 kind = 0;          // prompt, output, error: console.cpp
        bool behind = false;  // on the line of the row before
    };
    std::vector<OutputRow> output = {};  // of the console, made of the session's at revision output_of
    u64 output_of = 0;
    bool output_grew = false;
    bool playing = false;  // the timeline moves on by itself
    double played_at = 0;  // seconds, when it last did
    float steps_per_second = 4;
    bool drag_over = false;  // files are being dragged over the window
    SpaceUi space = {};
    std::unique_ptr<LabModel> lab_model = {};  // its thread begins with its first use
    TourGuide guide = {};
    SharedOpening shared = {};
    bool branch_wanted = false;
    bool save_wanted = false;         // of the recording, in the same way
    bool share_wanted = false;        // the link is to be copied: the app does it
    std::string tour_wanted = {};     // begins with the next frame
    std::string extract_wanted = {};  // this path is to be extracted: the app does it
    // Dialogs and verbs that were asked for in this frame, about a volume's id or a path: the app opens them.
    struct Wanted {
        std::string what;
        std::string of;
    };
    std::vector<Wanted> asks = {};
    std::vector<Wanted> verbs = {};
    struct Menu {
        float x = 0;
        float y = 0;
        std::string path = {};  // empty: of the folder that is shown
        vfs::FileType type = vfs::FileType::Unknown;
    };
    std::optional<Menu> menu = {};
    std::string drop_into = {};         // the folder under what is dragged; empty: the one that is shown
    std::shared_ptr<Job> watched = {};  // what it leaves out is told when it is done
    struct TextWanted {
        std::shared_ptr<Job> job = {};
        std::shared_ptr<std::string> text = {};
        std::string path = {};
    };
    TextWanted text_wanted = {};                                 // to be edited once it is read
    DialogPtr dialog_shown = {};                                 // in the frame before
    std::map<std::string, std::vector<char>> dialog_texts = {};  // of the window's own inputs, by field

    ViewState& view() { return session.view; }
    LabModel& lab() {
        if (!lab_model) lab_model = std::make_unique<LabModel>();
        return *lab_model;
    }
    std::shared_ptr<const LabSnapshot> lab_snapshot() const {
        return lab_model ? lab_model->snapshot() : std::make_shared<const LabSnapshot>();
    }
    bool lab_busy() const { return lab_model && lab_model->busy(); }
    bool open() { return session.state() == SessionState::Open; }
    // Keys count for a panel when it has the focus and no text is being typed.
    bool has_focus(Panel panel) const;
};

void draw_top_bar(Ui&);
void draw_navigator(Ui&);
void draw_headline(Ui&);
void draw_files_stage(Ui&);
void draw_space_stage(Ui&);
void draw_space_navigator(Ui&, Rect panel);
void draw_inspector(Ui&);
void draw_right_ground(const Ui&);  // of the panel that it is in
void draw_timeline(Ui&);
void draw_console(Ui&);
void draw_help(Ui&);
void draw_dialog(Ui&);
void draw_file_menu(Ui&);
// The timeline's own moves, also for keys: by steps, by operations.
void step_by(Ui&, int steps);
void operation_by(Ui&, int operations);
void toggle_bookmark(Ui&);  // at the moment that is shown
void change_speed(Ui&, int by);
// Keys of the file list: new, rename, delete, edit.
void file_keys(Ui&);
// Keys that work everywhere: workspaces, Tab, console, scale.
void handle_keys(Ui&);

// The file list, the preview and the picture of the Files stage, in their own files.
void draw_root_picture(Ui&, Rect);
void draw_file_list(Ui&, Rect);
void draw_preview(Ui&, Rect);
void draw_volumes(Ui&, Rect);

// A scrolled part of a panel, from its construction to the end of its scope.
class Scroll {
  public:
    Scroll(const char* id, Rect area);
    ~Scroll();
    Scroll(const Scroll&) = delete;
    Scroll& operator=(const Scroll&) = delete;
    float top() const { return top_; }  // screen y of the content's begin
    // Rows [first, last) of `count` rows of this height that can be seen, content beginning at `from`.
    std::pair<std::size_t, std::size_t> visible(std::size_t count, float row_height, float from) const;
    bool sees(float y, float height) const;
    void content_height(float height);   // call once at the end
    void reveal(float y, float height);  // scrolls so that it can be seen

  private:
    Rect area_;
    float top_ = 0;
};

}  // namespace glassfs::ui
