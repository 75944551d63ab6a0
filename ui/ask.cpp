// SPDX-License-Identifier: MIT
#include "ui/ask.h"

#include "base/text.h"
#include "ui/model/file_dialog.h"
#include "ui/model/headline.h"
#include "ui/model/volume_dialog.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

using Role = DialogButton::Role;

const KeptVolume* kept_volume(const std::string& id) {
    const auto& volumes = platform::kept().volumes;
    auto found = std::ranges::find(volumes, id, &KeptVolume::id);
    return found == volumes.end() ? nullptr : &*found;
}

DialogAnswer wait_for_host(Ui& ui, const std::string& request) {
    const u64 number = platform::request_kept(ui.session, request);
    return {DialogAnswer::What::Wait, [number] { return platform::kept_outcome(number); }};
}

DialogPtr ask_new_volume(Ui& ui) {
    auto create = [&ui](const NewVolume& wanted) -> DialogAnswer {
        if (!wanted.in_memory && platform::kept().storage.available)
            return wait_for_host(ui, create_request(wanted));
        ui.session.create(wanted.name, wanted.device_bytes, wanted.format, wanted.devices);
        return {};
    };
    return new_volume_dialog(platform::kept().storage.available, std::move(create));
}

DialogPtr ask_address(Ui& ui) {
    Dialog d{"open-address", "Open an image from an address"};
    d.text = "The server must answer byte ranges: only what is looked at is fetched.";
    d.fields = {{"address", "Address", ""}};
    d.buttons = {{"cancel", "Cancel"}, {"open", "Open", Role::Primary}};
    d.check = [](Dialog& form) { form.button("open")->enabled = !form.value("address").empty(); };
    d.pressed = [&ui](Dialog& form, const std::string& button) -> DialogAnswer {
        if (button != "open") return {};
        return wait_for_host(ui, kept_request("open-address", "", form.value("address")));
    };
    return make_dialog(std::move(d));
}

DialogPtr ask_about_volume(Ui& ui, const std::string& what, const std::string& id) {
    const KeptVolume* volume = kept_volume(id);
    if (!volume) return message_dialog("There is no such volume", "It may have been deleted in another tab.");
    const std::string shown = short_name(printable(volume->name), 40);
    if (what == "delete-volume") {
        Dialog d{"delete-volume", "Delete " + shown + "?"};
        d.text = size_text(volume->stored) + " are freed. It can't be brought back.";
        d.buttons = {{"cancel", "Keep it"}, {"delete", "Delete", Role::Danger}};
        d.pressed = [&ui, id](Dialog&, const std::string& button) -> DialogAnswer {
            return button == "delete" ? wait_for_host(ui, kept_request("delete", id)) : DialogAnswer{};
        };
        return make_dialog(std::move(d));
    }
    const bool rename = what == "rename-volume";
    auto apply = [&ui, id, rename](const std::string& name) {
        return wait_for_host(ui, kept_request(rename ? "rename" : "duplicate", id, name));
    };
    auto problem = [](const std::string& name) -> std::string {
        return name.size() > 255 ? "At most 255 bytes." : "";
    };
    return name_dialog(what, (rename ? "Rename " : "Duplicate ") + shown, rename ? "Rename" : "Duplicate",
                       rename ? volume->name : volume->name + " copy", std::move(apply), problem);
}

// Null: the file isn't known yet.
DialogPtr ask_to_delete(Ui& ui, const std::string& path) {
    auto node = ui.session.resolve(path);
    auto file = node ? ui.session.attributes(*node) : Answer<vfs::Attributes>();
    const Error* error = node.error() ? node.error() : file.error();
    if (error) return message_dialog(printable(path), error->message());
    return file ? delete_dialog(ui.session, path, *file) : nullptr;
}

// Opens the text once it is there.
void ask_to_edit(Ui& ui, const std::string& path) {
    auto text = std::make_shared<std::string>();
    ui.text_wanted = {ui.session.load_text(path, text), text, path};
}

bool about_files(const std::string& what) {
    constexpr const char* all[] = {"new-folder", "new-file", "rename", "delete", "edit", "add-files"};
    return std::ranges::count(all, what) > 0;
}

void copy_in(Ui& ui, const platform::Drop& drop, const std::string& into) {
    ui.watched = ui.session.import(drop.source, into, drop.name);
}

}  // namespace

void open_dialog(Ui& ui, const std::string& what, const std::string& of) {
    Session& session = ui.session;
    DialogPtr& dialog = ui.view().dialog;
    const std::string folder = of.empty() ? ui.view().folder_path : of;
    if (what == "new-volume") {
        dialog = ask_new_volume(ui);
    } else if (what == "open-address") {
        dialog = ask_address(ui);
    } else if (what.ends_with("-volume")) {
        dialog = ask_about_volume(ui, what, of);
    } else if (!about_files(what)) {
        toast("Nothing is known of " + what);
    } else if (!ui.open() || !session.writable()) {
        dialog =
            message_dialog("This volume is open for reading only", "Edit opens it for writing, in memory.");
    } else if (session.in_past()) {
        dialog = past_dialog(session);
    } else if (what == "new-folder") {
        dialog = new_folder_dialog(session, folder);
    } else if (what == "new-file") {
        dialog = new_file_dialog(session, folder);
    } else if (what == "rename") {
        dialog = rename_dialog(session, of);
    } else if (what == "add-files") {
        if (platform::can_ask_for_files()) platform::ask_for_files(session, folder);
    } else if (what == "edit") {
        ask_to_edit(ui, of);
    } else if (DialogPtr asked = ask_to_delete(ui, of)) {
        dialog = std::move(asked);
    } else {
        ui.asks.push_back({what, of});
    }
}

void follow_jobs(Ui& ui) {
    DialogPtr& dialog = ui.view().dialog;
    if (ui.text_wanted.job && ui.text_wanted.job->done && !dialog) {
        const Ui::TextWanted text = std::exchange(ui.text_wanted, {});
        dialog = text.job->error ? message_dialog("This can't be edited as text", text.job->error->message())
                                 : text_dialog(ui.session, text.path, *text.text);
    }
    if (ui.watched && ui.watched->done && !dialog) dialog = job_dialog(*std::exchange(ui.watched, nullptr));
}

void export_open_volume(Ui& ui) {
    const std::vector<u64> sizes = ui.session.device_sizes();
    if (sizes.empty()) {
        toast("Nothing that has an image is open.");
        return;
    }
    const std::string name = printable(ui.session.name());
    const std::string stem = name.substr(0, name.rfind('.'));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::string file =
            sizes.size() > 1 ? stem + "-" + std::to_string(i + 1) + ".img" : stem + ".img";
        auto sink = platform::start_download(file, sizes[i]);
        if (!sink) {
            toast(sink.error().message());
            return;
        }
        ui.session.export_image(i, file, std::move(*sink));
    }
}

void do_to_volume(Ui& ui, const std::string& verb, const std::string& id) {
    const KeptVolume* volume = kept_volume(id);
    const bool here = volume && volume->where == KeptVolume::Where::Here;
    if (verb == "export" && (id.empty() || here)) {
        export_open_volume(ui);
    } else if (verb == "delete") {
        open_dialog(ui, "delete-volume", id);
    } else {
        platform::request_kept(ui.session, kept_request(verb, id));
    }
}

void handle_drop(Ui& ui, platform::Drop drop) {
    Session& session = ui.session;
    if (!drop.problem.empty()) {
        ui.view().dialog = message_dialog(printable(drop.name), drop.problem);
        return;
    }
    const std::string into = !drop.into.empty()      ? drop.into
                             : !ui.drop_into.empty() ? ui.drop_into
                                                     : ui.view().folder_path;
    const bool copies = ui.open() && session.writable();
    if (!copies) {
        if (drop.devices)
            session.open_from(drop.devices, drop.name);
        else
            ui.view().dialog = message_dialog(
                "A folder can't be opened",
                "Drop an image file, or all devices of one volume together. Folders are copied into a volume "
                "that is open for writing: make one, and drop it there.");
        return;
    }
    if (session.in_past()) {
        ui.view().dialog = past_dialog(session);
        return;
    }
    if (!drop.image || !drop.devices) {
        copy_in(ui, drop, into);
        return;
    }
    Dialog d{"drop", "Open " + short_name(printable(drop.name), 40) + ", or copy it?"};
    d.text = "It looks like an image. Opening it closes this volume" +
             std::string(session.in_memory() ? ", which is in memory and would be lost." : ".");
    d.buttons = {{"cancel", "Cancel"},
                 {"open", "Open it"},
                 {"copy", "Copy it into " + short_name(printable(into), 24), Role::Primary}};
    d.pressed = [&ui, drop, into](Dialog&, const std::string& button) -> DialogAnswer {
        if (button == "open") ui.session.open_from(drop.devices, drop.name);
        if (button == "copy") copy_in(ui, drop, into);
        return {};
    };
    ui.view().dialog = make_dialog(std::move(d));
}

}  // namespace glassfs::ui
