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

// Where an extracted file goes: the page's download, or a file in the current directory (never over an
// existing one: "name (2)"). `size` in bytes, 0 when not known. The sink is then used on a worker thread.
Result<std::unique_ptr<ByteSink>> start_download(const std::string& name, u64 size);

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
