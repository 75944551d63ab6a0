// SPDX-License-Identifier: MIT
// A question to the person at the screen: fields, what is wrong with them, buttons. One at a time, in
// ViewState::dialog; drawn by views/dialog.cpp and mirrored as DOM controls, and both change it through the
// functions here. No ImGui.
//
//     set_field()  -->  check(): errors, hints, enabled buttons
//     press()      -->  pressed(): closes it, keeps it open, or names work to wait for
//     poll()       -->  once that work is done, closes, or says why it failed
#pragma once

#include "base/bytes.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace glassfs::ui {

struct DialogField {
    enum class Kind : u8 { Line, Text, Choice };  // Text: several lines
    std::string id;
    std::string label;
    std::string value;  // of a choice: one of `choices`
    Kind kind = Kind::Line;
    std::vector<std::string> choices = {};
    std::string hint = {};   // under it, when nothing is wrong
    std::string error = {};  // what is wrong: one line
};

struct DialogButton {
    enum class Role : u8 { Plain, Primary, Danger };
    std::string id;
    std::string label;
    Role role = Role::Plain;
    bool enabled = true;
};

struct Dialog;

struct DialogAnswer {
    enum class What : u8 { Close, Stay, Wait };
    What what = What::Close;
    // Of Wait: nothing yet, "" when it went well, or what went wrong. Asked once a frame.
    std::function<std::optional<std::string>()> outcome = {};
};

struct Dialog {
    std::string id;     // "new-volume"
    std::string title;  // a question or a name, one line
    std::string text = {};
    std::vector<DialogField> fields = {};
    std::vector<DialogButton> buttons = {};  // Esc presses "cancel", Enter the primary one
    std::function<void(Dialog&)> check = {};
    std::function<DialogAnswer(Dialog&, const std::string& button)> pressed = {};

    std::string error = {};  // of the whole
    std::function<std::optional<std::string>()> waiting_for = {};

    DialogField* field(std::string_view name);
    std::string value(std::string_view name);  // "" when there is no such field
    DialogButton* button(std::string_view name);
    bool waiting() const { return waiting_for != nullptr; }
};

using DialogPtr = std::shared_ptr<Dialog>;

// Runs the first check. Never null.
DialogPtr make_dialog(Dialog);
// False when there is no such field, or a choice has no such value.
bool set_field(Dialog&, const std::string& field, std::string value);
// False when there is no such button or it isn't enabled; "primary" is the one that Enter presses. `dialog`
// becomes null when it is closed.
bool press(DialogPtr& dialog, const std::string& button);
// Once a frame.
void poll(DialogPtr& dialog);

// A message with one button.
DialogPtr message_dialog(std::string title, std::string text);

}  // namespace glassfs::ui
