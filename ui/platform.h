// SPDX-License-Identifier: MIT
// What the UI needs from its host: the native window (platform_native.cpp) or the page (web/platform_web.cpp
// and its JavaScript). Called on the UI thread except where said.
#pragma once

#include "ui/layout.h"
#include "ui/model/kept_volumes.h"
#include "ui/model/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace glassfs::ui::platform {

void copy_text(const std::string& utf8);  // to the clipboard

// Asks for image files (several: devices of one volume) and opens them in `session`, later. The window has no
// file dialog of its own everywhere: can_ask_for_image() says whether there is one.
bool can_ask_for_image();
void ask_for_image(Session& session);

// What was dropped, or chosen to be added. The app decides what becomes of it.
struct Drop {
    std::string name;                                        // "photos", "disk.img and 2 more"
    ImportSource source = {};                                // its files and folders
    std::function<Result<Session::Devices>()> devices = {};  // the files as devices; empty: there are folders
    bool image = false;                                      // one file that looks like an image
    std::string into = {};     // where to copy it, when it was chosen for a folder
    std::string problem = {};  // it can't be used at all
};
std::optional<Drop> take_drop();
// The window's system says that these were dropped on it. (A page hears of it through its own script.)
void drop_paths(std::vector<std::string> paths);
// Where files are being held over the window, in layout units.
struct DragPoint {
    float x = 0;
    float y = 0;
};
std::optional<DragPoint> drag();
// Asks for files to copy into the folder `into`; take_drop() has them later.
bool can_ask_for_files();
void ask_for_files(Session& session, const std::string& into);

// Opens the sample volume in `session`, later; false when this host has none.
bool can_open_sample();
void open_sample(Session& session);

// Volumes that this host keeps for its user, in a page's storage: what is known of them now.
const KeptState& kept();
// Asks the host for something about them (kept_request()); the number is for kept_outcome(). Volumes are
// opened in `session`, later.
u64 request_kept(Session& session, const std::string& json);
// "" once it is done, or what went wrong; nothing yet. The answer is given once.
std::optional<std::string> kept_outcome(u64 request);

// Where an extracted file goes: the page's download, or a file in the current directory (never over an
// existing one: "name (2)"). `size` in bytes, 0 when not known. The sink is then used on a worker thread.
Result<std::unique_ptr<ByteSink>> start_download(const std::string& name, u64 size);

// What a link to this program begins with, before the '#'.
std::string share_address();

float device_pixel_ratio();
bool prefers_light();
bool prefers_reduced_motion();
bool is_page();  // a few words differ: "in this tab"

// Where the console's text input lies, in CSS pixels of the canvas; the page puts a real DOM input there.
// Returns false when the host has none, and the UI draws its own.
bool place_console_input(bool visible, float x, float y, float width, float height);

// A line or several lines of text in a dialog, in layout units. The page puts a real DOM control there, whose
// changes come back as the action "field"; returns false when the host has none, and the UI draws its own.
// Called in each frame for each; end_text_places() takes away those that were not placed since.
struct TextPlace {
    const std::string& id;
    const std::string& label;
    const std::string& value;
    bool several_lines = false;
    Rect rect = {};
};
bool place_text(const TextPlace&, float scale);
void end_text_places();

// The state for tests and assistive technology changed (page_state.h): the page updates its DOM mirror.
void publish_state(const std::string& json);

// Called once, before the first frame: what is dropped on the page is opened in this session.
void attach(Session& session);

// Actions that came from the DOM mirror since the last call, as JSON for apply_action() (page_state.h). The
// app applies them at the begin of a frame, with their effects.
std::vector<std::string> take_actions();

// Asked once a frame: something changed outside (an answer of a dialog, the pixel ratio) and a frame is due.
bool wants_frame();

}  // namespace glassfs::ui::platform
