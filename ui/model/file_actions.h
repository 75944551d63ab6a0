// SPDX-License-Identifier: MIT
// What can be done to the selected file, and to the folder that is shown: the same in menus, by keys and in
// the mirror. Empty for a volume that can't be written to.
#pragma once

#include "ui/model/session.h"

namespace glassfs::ui {

struct FileAction {
    const char* label;
    const char* what;  // "new-folder", "new-file", "add-files", "edit", "rename", "delete"
    std::string path;  // that it is about
    const char* key;   // "N", "" when there is none
};

std::vector<FileAction> file_actions(Session&);
// The same for a file or folder in the folder that is shown.
std::vector<FileAction> file_actions(Session&, const std::string& path, vfs::FileType);

}  // namespace glassfs::ui
