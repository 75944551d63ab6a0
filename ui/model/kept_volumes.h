// SPDX-License-Identifier: MIT
// What a host keeps for its user, as far as it has said: volumes, room, and what it is at work on. A page
// says it as JSON (web/page/kept.js):
//
// {"volumes": [{"id", "name", "size", "stored", "devices": 1, "store": "opfs" | "indexeddb", "opened": 0,
//               "open": null | "here" | "elsewhere"}],
//  "storage": {"available": true, "why": "", "usage": 0, "quota": 0, "persisted": false, "asked": false},
//  "tasks": [{"id": 1, "title": "...", "done": 0, "of": 0}], "error": ""}
//
// Sizes in bytes, times in milliseconds since 1970.
#pragma once

#include "base/bytes.h"
#include "base/error.h"
#include "ui/model/volume_dialog.h"

#include <string>
#include <vector>

namespace glassfs::ui {

struct KeptVolume {
    enum class Where : u8 { Closed, Here, Elsewhere };  // who has it open: nobody, this tab, another one
    std::string id;
    std::string name;
    u64 size = 0;    // bytes of all its devices
    u64 stored = 0;  // bytes that it takes up in the browser
    u32 devices = 1;
    std::string store;
    s64 opened_ms = 0;  // 0: not known
    Where where = Where::Closed;
};

struct KeptStorage {
    bool available = false;  // volumes can be kept at all
    std::string why;         // they can't
    u64 usage = 0;
    u64 quota = 0;  // 0: not known
    bool persisted = false;
    bool asked = false;  // whether it will be kept
};

struct KeptTask {
    u64 id = 0;
    std::string title;
    u64 done = 0;  // bytes
    u64 of = 0;    // 0: not known
};

struct KeptState {
    std::vector<KeptVolume> volumes;
    KeptStorage storage;
    std::vector<KeptTask> tasks;
    std::string error;  // of what was asked for last
};

// What is asked of the host about a volume: "open" (from another tab as well), "close", "export" (a raw image
// of each device), "delete"; "rename" and "duplicate" with a name; "cancel-task" with a task's id;
// "open-address" with an image's address as the name.
std::string kept_request(const std::string& verb, const std::string& id, const std::string& name = "");
// To make one.
std::string create_request(const NewVolume&);

// Cause::InvalidArgument: not of this form.
Result<KeptState> parse_kept(const std::string& json);

// "12 MiB of 128 MiB · 2 devices · opened 2026-12-01 09:00 UTC"
std::string kept_line(const KeptVolume&);
// What the browser promises of it all: "14 MiB of at most 9.6 GiB. It may throw this away ..."
std::string storage_line(const KeptStorage&);

}  // namespace glassfs::ui
