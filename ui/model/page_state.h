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
//   "timeline": null | {"position", "first", "end", "operation", "operations": [{"name", "begin", "end",
//   "steps"}], "steps": [{"letter", "title", "reason", "position", "done"}]} (the last 200 operations; the
//   steps of the current one, at most 200),
//   "stats": {"frame_ms", "frames", "revision", "busy"}
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
// "path" is resolved by the volume's thread: the selection follows when the answer is there. "cancel" stops
// the running command and all extractions.
#pragma once

#include "ui/model/file_tree.h"
#include "ui/model/headline.h"
#include "ui/model/session.h"

#include <string>

namespace glassfs::ui {

struct FrameStats {
    double frame_ms = 0;  // of CPU time, mean of the last frames
    u64 frames = 0;       // drawn so far
};

std::string page_state_json(Session&, FileTree&, const Headline&, const FrameStats&);

// What an action asks of the host; the rest is done in the session.
struct ActionEffect {
    std::string copy;          // goes to the clipboard
    std::string extract_path;  // this path is to be extracted
    bool copy_inspector = false;
};
// Cause::InvalidArgument when the JSON or the action isn't one that is known.
Result<ActionEffect> apply_action(Session&, FileTree&, const std::string& json);

}  // namespace glassfs::ui
