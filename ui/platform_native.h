// SPDX-License-Identifier: MIT
// What the native program adds to platform.h: scripted actions, for tests and screenshots.
#pragma once

#include "ui/platform.h"

#include <string>

namespace glassfs::ui::platform {

// Opens image files: the devices of one volume.
void open_files(Session& session, std::vector<std::string> paths);

void push_action(std::string json);
const std::string& published_state();  // the last JSON of publish_state()
void set_density(float pixels_per_unit);

}  // namespace glassfs::ui::platform
