// SPDX-License-Identifier: MIT
#include "ui/model/file_dialog.h"

#include "base/text.h"
#include "commands/script.h"
#include "ui/model/file_tree.h"
#include "ui/model/headline.h"
#include "ui/model/volume_dialog.h"

namespace glassfs::ui {

namespace {

using commands::quoted;
using Role = DialogButton::Role;

constexpr u64 subvolume_root = 256;  // inode number of a subvolume's top directory
constexpr std::size_t failures_shown = 12;

// Runs the command, and `then` when it went well.
DialogAnswer run(Session& session, const std::string& line, std::function<void()> then) {
    const u64 number = session.run_command(line);
    auto outcome = [&session, number, then = std::move(then)]() -> std::optional<std::string> {
        auto entry = session.command(number);
        if (!entry) return "";
        if (entry->running) return std::nullopt;
        if (entry->status == 0) {
            then();
            return "";
        }
        return entry->errors.empty() ? "It failed." : entry->errors.substr(0, entry->errors.find('\n'));
    };
    return {DialogAnswer::What::Wait, std::move(outcome)};
}

DialogAnswer make_named(Session& session, const char* command, const std::string& path) {
    auto then = [&session, path] { session.view.wanted_path = path; };
    return run(session, std::string(command) + " " + quoted(path), std::move(then));
}

std::string shown_name(const std::string& path) {
    return short_name(printable(last_name(path)), 40);
}

}  // namespace

std::string name_problem(const std::string& name) {
    if (name.empty()) return "It needs a name.";
    if (name.size() > 255) return "At most 255 bytes.";
    if (name.find('/') != name.npos) return "A name has no slash.";
    if (name == "." || name == "..") return "This name has a meaning of its own.";
    return "";
}

DialogPtr new_folder_dialog(Session& session, const std::string& folder) {
    return name_dialog(
        "new-folder", "New folder in " + short_name(printable(folder), 40), "Create", "",
        [&session, folder](const std::string& name) {
            return make_named(session, "mkdir", join_path(folder, name));
        },
        name_problem);
}

DialogPtr new_file_dialog(Session& session, const std::string& folder) {
    return name_dialog(
        "new-file", "New file in " + short_name(printable(folder), 40), "Create", "",
        [&session, folder](const std::string& name) {
            return make_named(session, "create", join_path(folder, name));
        },
        name_problem);
}

DialogPtr rename_dialog(Session& session, const std::string& path) {
    auto apply = [&session, path](const std::string& name) -> DialogAnswer {
        const std::string to = join_path(parent_path(path), name);
        if (to == path) return {};
        return run(session, "mv -n -T " + quoted(path) + " " + quoted(to), [&session, path, to] {
            ViewState& view = session.view;
            const bool inside = view.folder_path == path || view.folder_path.starts_with(path + "/");
            view.wanted_path = inside ? to + view.folder_path.substr(path.size()) : to;
        });
    };
    return name_dialog("rename", "Rename " + shown_name(path), "Rename", last_name(path), std::move(apply),
                       name_problem);
}

DialogPtr delete_dialog(Session& session, const std::string& path, const vfs::Attributes& file) {
    const bool folder = file.type == vfs::FileType::Directory;
    const bool subvolume = folder && file.id.ino.value == subvolume_root;
    Dialog d{"delete", "Delete " + shown_name(path) + "?"};
    d.text = subvolume ? "It is a subvolume: everything in it goes as well."
             : folder  ? "Everything in it goes as well."
                       : grouped(file.size) + " bytes.";
    d.buttons = {{"cancel", "Keep it"}, {"delete", "Delete", Role::Danger}};
    d.pressed = [&session, path, folder, subvolume](Dialog&, const std::string& button) -> DialogAnswer {
        if (button != "delete") return {};
        const char* command = subvolume ? "subvolume delete " : folder ? "rm -r " : "rm ";
        return run(session, command + quoted(path), [&session, path] {
            ViewState& view = session.view;
            view.select_nothing();
            if (view.folder_path == path || view.folder_path.starts_with(path + "/"))
                view.wanted_path = parent_path(path);
        });
    };
    return make_dialog(std::move(d));
}

DialogPtr text_dialog(Session& session, const std::string& path, const std::string& text) {
    Dialog d{"edit", short_name(printable(path), 60)};
    d.fields = {{"text", "Text", text, DialogField::Kind::Text}};
    d.buttons = {{"cancel", "Cancel"}, {"save", "Save", Role::Primary}};
    d.check = [](Dialog& form) {
        DialogField& field = form.fields[0];
        const u64 bytes = field.value.size();
        field.error = bytes > Session::text_bytes_max
                          ? grouped(bytes) + " bytes, at most " + grouped(Session::text_bytes_max) + "."
                          : "";
        field.hint = plural(bytes, "byte");
        form.button("save")->enabled = field.error.empty();
    };
    d.pressed = [&session, path](Dialog& form, const std::string& button) -> DialogAnswer {
        if (button != "save") return {};
        auto job = session.save_text(path, form.value("text"));
        return {DialogAnswer::What::Wait, [job]() -> std::optional<std::string> {
                    if (!job->done) return std::nullopt;
                    return job->error ? job->error->message() : "";
                }};
    };
    return make_dialog(std::move(d));
}

DialogPtr job_dialog(const Job& job) {
    const bool cancelled = job.error && job.error->cause == Cause::Cancelled;
    if (!job.error || cancelled) return nullptr;
    std::string text = plural(job.files_done, "file") + " of " + grouped(job.files_total) + " copied";
    text += job.files_failed > 0 ? ", " + grouped(job.files_failed) + " left out.\n" : ".\n";
    for (std::size_t i = 0; i < job.failures.size() && i < failures_shown; ++i)
        text += job.failures[i] + "\n";
    if (job.files_failed > failures_shown)
        text += "and " + grouped(job.files_failed - failures_shown) + " more";
    if (job.files_failed == 0) text += job.error->message();
    return message_dialog(job.files_failed > 0 ? "Not everything could be copied" : "Copying has stopped",
                          std::move(text));
}

DialogPtr past_dialog(Session& session) {
    Dialog d{"past", "This is a moment of the past"};
    d.text = "Files are changed in the present only.";
    d.buttons = {{"cancel", "Stay"}, {"go", "Go to the end", Role::Primary}};
    d.pressed = [&session](Dialog&, const std::string& button) -> DialogAnswer {
        auto timeline = session.timeline();
        if (button == "go" && timeline) session.go_to(timeline->end);
        return {};
    };
    return make_dialog(std::move(d));
}

}  // namespace glassfs::ui
