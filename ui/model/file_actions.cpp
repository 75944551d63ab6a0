// SPDX-License-Identifier: MIT
#include "ui/model/file_actions.h"

namespace glassfs::ui {

std::vector<FileAction> file_actions(Session& session, const std::string& path, vfs::FileType type) {
    std::vector<FileAction> out;
    if (session.state() != SessionState::Open || !session.writable()) return out;
    const std::string& folder = session.view.folder_path;
    out = {{"New folder", "new-folder", folder, "Shift N"},
           {"New file", "new-file", folder, "N"},
           {"Add files", "add-files", folder, ""}};
    if (path.empty() || path == "/") return out;
    if (type == vfs::FileType::Regular) out.push_back({"Edit text", "edit", path, "E"});
    out.push_back({"Rename", "rename", path, "F2"});
    out.push_back({"Delete", "delete", path, "Del"});
    return out;
}

std::vector<FileAction> file_actions(Session& session) {
    const Selection& selection = session.view.selection;
    if (selection.kind != Selection::Kind::File || !selection.node)
        return file_actions(session, "", vfs::FileType::Unknown);
    auto attributes = session.attributes(*selection.node);
    return file_actions(session, selection.path, attributes ? attributes->type : vfs::FileType::Unknown);
}

}  // namespace glassfs::ui
