// SPDX-License-Identifier: MIT
// The page's state as JSON, for tests and for the DOM mirror that assistive technology reads; and the actions
// that come back from there. The mirror shows what is visible, no more: rows outside of the view are left
// out.
//
// {
//   "state": "empty" | "opening" | "open" | "failed", "epoch": 1, "error": "one line",
//   "workspace": "Files", "theme": "dark", "scale": 1,
//   "headline": {"kind": "READ", "title": "...", "reason": "..."},
//   "volume": {"name", "format", "label", "uuid", "total", "used", "generation", "block_size",
//   "checksum_type",
//              "devices": [{"id", "name", "size", "missing"}], "notes": [...]},
//   "tabs": [{"id": 1, "name": "Files", "selected": true, "enabled": true}],
//   "navigator": {"title": "Files", "rows": [{"id": "/docs", "name", "depth", "kind":
//   "dir|file|symlink|tree",
//                 "open": true, "selected": false, "value": "14 B", "action": {...}}]},
//   "stage": {"title": "...", "rows": [{"name", "value", "action": {...}}]},
//   "inspector": {"title", "subtitle", "fields": [{"name", "value", "meaning", "offset", "size", "depth",
//                 "selected", "action": {...}}], "items": [...], "hex": [{"offset": 0, "bytes": "d3 44 ..",
//                 "text": "..."}], "path": [{"what", "place"}], "copies": [...], "text": "..."},
//   "selection": {"kind", "tree", "block", "slot", "bytes": [offset, size], "path"},
//   "console": {"open": false, "prompt": "demo:/ $", "completions": ["ls /docs/"], "entries": [{"line",
//   "output", "errors", "status", "running"}]}, "jobs": [{"title", "done", "bytes_done", "bytes_total",
//   "files_done", "files_failed", "error"}],
//   "writable": true, "in_memory": false,
//   "volumes": {"open": false, "rows": [{"id", "name", "line", "where": "closed|here|elsewhere", "actions":
//               [{"label", "action"}]}], "line": "14 MiB used of ...", "error": "", "tasks": [{"title",
//               "done", "of", "action"}]},
//   "files": [{"label", "action"}]: what can be done to what is selected, or to the folder shown
//   "dialog": null | {"id", "title", "text", "error", "waiting", "fields": [{"id", "label", "kind":
//             "line|text|choice", "value", "choices", "hint", "error"}], "buttons": [{"id", "label", "role",
//             "enabled"}]}
//   "timeline": null | {"position", "first", "end", "operation", "operations": [{"name", "begin", "end",
//   "steps"}], "steps": [{"letter", "title", "reason", "position", "done"}]} (the last 200 operations; the
//   steps of the current one, at most 200),
//   "lab": null | {"running", "cancelled", "fraction", "device_bytes", "same_placements": null | true |
//   false, "error", "sides": [{"mode", "bytes", "dev_extents", "hint", "last_visited", "visited",
//   "leaves_read", "searches", "full", "waits"}]} (A, B), "share": the text of the link, or "" where there
//   can be none, "tour": null | {"id", "step", "steps", "title", "ready"}, "stats": {"frame_ms", "frames",
//   "revision", "busy"}
// }
//
// "epoch" is another number for each volume opened or closed: whoever opens one waits for an epoch other than
// the one before. "state" alone can't tell, because what is published may still be of the volume that was
// open.
//
// Block addresses and other 64-bit numbers are strings of decimal digits: JavaScript's numbers can't hold
// them. An action is sent back as it came; the ones known:
//   {"do": "workspace", "name": "Trees"}     {"do": "theme", "name": "light"}      {"do": "scale",
//   "value": 1.25}
//   {"do": "tree", "id": "5"}                {"do": "block", "addr": "5316608"}    {"do": "slot", "addr":
//   "..", "slot": 3}
//   {"do": "bytes", "offset": 80, "size": 8} {"do": "superblock"}                  {"do": "path", "path":
//   "/docs/a"}
//   {"do": "toggle", "path": "/docs"}        {"do": "extract", "path": "/docs"}    {"do": "command", "line":
//   "ls /"}
//   {"do": "console", "open": true}          {"do": "copy", "what": "inspector"}   {"do": "cancel"}
//   {"do": "close"}                          {"do": "more", "path": "/many"}
//   {"do": "new", "name": "demo", "size": "134217728", "node_size": 4096}: a volume in memory
//   {"do": "edit"}: the open volume, for writing in memory      {"do": "go_to", "position": "124"}
//   {"do": "key", "tree": "4", "objectid": "1", "type": 204, "offset": "1048576"}: selects this item
//   {"do": "lab", "device": "4398046511104", "filled": "0", "step": "1073741824", "steps": 1, "baseline":
//   "0"}: runs the experiment; without "steps" until the volumes are full, "baseline" is where side A stops
//   {"do": "lab_more", "step": "1073741824", "steps": 1}        {"do": "lab_cancel"}
//   a "command" in the past asks first ("asked_in_past" in the state): {"do": "branch"}, {"do": "run_at_end"}
//   or {"do": "forget_line"}         {"do": "bookmark"}: set or removed at this moment
//   {"do": "save_recording"}: as a file that can be opened again
//   {"do": "share"}: copies the link            {"do": "shared", "text": "g1."}: rebuilds what one says
//   {"do": "tour", "id": "copy-on-write"}    {"do": "tour_next"}                   {"do": "tour_leave"}
//   {"do": "volumes", "open": true}: the list of kept volumes
//   {"do": "volume", "verb": "open" | "close" | "export" | "delete", "id": "..."}    {"do": "export"}: the
//   open one
//   {"do": "ask", "what": "new-volume" | "rename-volume" | "duplicate-volume" | "delete-volume" |
//   "new-folder" |
//    "new-file" | "rename" | "delete" | "edit" | "add-files", "of": id of a volume, or a path}: a dialog
//   {"do": "field", "id": "size", "value": "1 GiB"}    {"do": "press", "id": "create"}: of the dialog
//   {"do": "task", "id": 1}: cancels work on a kept volume
// "path" is resolved by the volume's thread: the selection follows when the answer is there. "cancel" stops
// the running command and all extractions.
#pragma once

#include "ui/model/file_tree.h"
#include "ui/model/headline.h"
#include "ui/model/kept_volumes.h"
#include "ui/model/session.h"
#include "ui/model/share.h"
#include "ui/model/tour.h"

#include <string>

namespace glassfs::ui {

struct FrameStats {
    double frame_ms = 0;  // of CPU time, mean of the last frames
    u64 frames = 0;       // drawn so far
};

// What isn't the session's; null: not there.
struct PageExtras {
    const LabSnapshot* lab = nullptr;
    const TourGuide* guide = nullptr;
    const KeptState* kept = nullptr;
};
std::string page_state_json(Session&, FileTree&, const Headline&, const FrameStats&, const PageExtras& = {});

// What an action asks of the host; the rest is done in the session.
struct ActionEffect {
    std::string copy;          // goes to the clipboard
    std::string extract_path;  // this path is to be extracted
    bool copy_inspector = false;
    std::optional<LabModel::Plan> lab_plan = {};
    std::optional<std::pair<u64, u64>> lab_more = {};  // bytes of a step, steps
    bool lab_cancel = false;
    std::string tour = {};  // to begin
    bool share = false;     // the link is to be copied
    bool save_recording = false;
    bool branch = false;                     // from the moment that is shown, with view.line_in_past
    bool bookmark = false;                   // set or removed at this moment
    std::optional<SharedState> shared = {};  // to be rebuilt
    bool tour_next = false;
    bool tour_leave = false;
    // A dialog that the host takes part in, or a verb for a kept volume; with the volume's id, or a path.
    std::string ask = {};
    std::string verb = {};
    std::string of = {};
};
// Cause::InvalidArgument when the JSON or the action isn't one that is known.
Result<ActionEffect> apply_action(Session&, FileTree&, const std::string& json);

}  // namespace glassfs::ui
