// SPDX-License-Identifier: MIT
// Dialogs that need the host as well as the session, by the names of page_state.h's action "ask"; and verbs
// for volumes.
#pragma once

#include "ui/views/views.h"

namespace glassfs::ui {

// Opens the dialog "new-volume", "rename", ... about a volume's id or a path; what it is about may not be
// known yet: then it is asked for again in the next frame.
void open_dialog(Ui&, const std::string& what, const std::string& of);
// "open", "close", "export", "delete" for a kept volume by its id; "export" without one: the open volume.
void do_to_volume(Ui&, const std::string& verb, const std::string& id);
// What was asked for and takes a while: a text to edit, files being copied. Once a frame.
void follow_jobs(Ui&);
// A raw image of each device of the open volume.
void export_open_volume(Ui&);
// What was dropped: opened, copied into the volume, or asked about.
void handle_drop(Ui&, platform::Drop);

}  // namespace glassfs::ui
