// SPDX-License-Identifier: MIT
// What the UI needs from its host: the native window (platform_native.cpp) or the page (web/platform_web.cpp
// and its JavaScript). Called on the UI thread except where said.
#pragma once

#include "ui/model/session.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace glassfs::ui::platform {

void copy_text(const std::string& utf8);  // to the clipboard

// Asks for image files (several: devices of one volume) and opens them in `session`, later. The window has no
// file dialog of its own everywhere: can_ask_for_image() says whether there is one.
bool can_ask_for_image();
void ask_for_image(Session& session);

// Opens image files that were dropped on the native window. (What is dropped on the page arrives through its
// script.)
void open_files(Session& session, std::vector<std::string> paths);

// Opens the sample volume in `session`, later; false when this host has none.
bool can_open_sample();
void open_sample(Session& session);

// Volumes that this host keeps for its user: a page's storage. What is known of them now.
struct KeptVolume {
    std::string id;
    std::string name;
    u64 bytes = 0;
    bool elsewhere = false;  // another tab has it open
};
const std::vector<KeptVolume>& kept_volumes();
// Opens one in `session`, later; takes it over from another tab if need be.
void open_kept(Session& session, const std::string& id);
void remove_kept(const std::string& id);
// Makes an empty volume and opens it in `session`: a kept one, or where nothing is kept, one in memory.
void new_volume(Session& session, const std::string& name);
inline constexpr u64 new_volume_bytes = 128ULL << 20;
inline constexpr u32 new_volume_node_size = 4096;  // small: a few files make a tree

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
