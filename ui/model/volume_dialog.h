// SPDX-License-Identifier: MIT
// The question for a new volume: what mkfs takes, checked by mkfs's own limits while it is typed.
#pragma once

#include "mount/format.h"
#include "ui/model/dialog.h"

namespace glassfs::ui {

struct NewVolume {
    std::string name;
    u64 device_bytes = 0;  // of each device
    u32 devices = 1;
    bool in_memory = false;  // although there is a place to keep it
    mount::FormatOptions format;
};

// "128 MiB", "1g", "1.5 GiB", "4096": bytes. Cause::InvalidArgument.
Result<u64> parse_size(const std::string& text);

// `can_keep`: there is a place to keep it; otherwise it is made in memory, and the dialog says so. `create`
// gives what to wait for.
using CreateVolume = std::function<DialogAnswer(const NewVolume&)>;
DialogPtr new_volume_dialog(bool can_keep, CreateVolume create);

// One line for a name; `apply` is called with a name that isn't empty.
DialogPtr name_dialog(std::string id, std::string title, std::string button, std::string name,
                      std::function<DialogAnswer(const std::string&)> apply,
                      std::function<std::string(const std::string&)> problem = {});

}  // namespace glassfs::ui
