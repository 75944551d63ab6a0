// SPDX-License-Identifier: MIT
// Files and folders of this computer, for Session::import().
#pragma once

#include "ui/model/session.h"

namespace glassfs::ui {

// Each path with everything below it, under its last name. Symlinks stay what they are; device nodes, sockets
// and pipes, and what can't be read, are left out and named.
ImportSource host_files(std::vector<std::string> paths);

}  // namespace glassfs::ui
