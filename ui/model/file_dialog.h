// SPDX-License-Identifier: MIT
// Questions about the files of a volume that can be written to. Each becomes a command of the console's
// grammar, so that the recording shows what was done; the dialog stays until the command has ended.
#pragma once

#include "ui/model/dialog.h"
#include "ui/model/session.h"

namespace glassfs::ui {

// What is wrong with a file's name; empty: nothing.
std::string name_problem(const std::string& name);

DialogPtr new_folder_dialog(Session&, const std::string& folder);
DialogPtr new_file_dialog(Session&, const std::string& folder);
DialogPtr rename_dialog(Session&, const std::string& path);
DialogPtr delete_dialog(Session&, const std::string& path, const vfs::Attributes&);
DialogPtr text_dialog(Session&, const std::string& path, const std::string& text);
// What a finished job has left out; null when there is nothing to say.
DialogPtr job_dialog(const Job&);
// Files can't be changed at a moment of the past.
DialogPtr past_dialog(Session&);

}  // namespace glassfs::ui
