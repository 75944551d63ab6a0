// SPDX-License-Identifier: MIT
#include "ui/model/dialog.h"

#include <algorithm>
#include <utility>

namespace glassfs::ui {

DialogField* Dialog::field(std::string_view name) {
    auto it = std::ranges::find(fields, name, &DialogField::id);
    return it == fields.end() ? nullptr : &*it;
}

std::string Dialog::value(std::string_view name) {
    const DialogField* found = field(name);
    return found ? found->value : std::string();
}

DialogButton* Dialog::button(std::string_view name) {
    auto it = std::ranges::find(buttons, name, &DialogButton::id);
    return it == buttons.end() ? nullptr : &*it;
}

DialogPtr make_dialog(Dialog dialog) {
    auto out = std::make_shared<Dialog>(std::move(dialog));
    if (out->check) out->check(*out);
    return out;
}

bool set_field(Dialog& dialog, const std::string& name, std::string value) {
    DialogField* field = dialog.field(name);
    if (!field) return false;
    if (field->kind == DialogField::Kind::Choice && std::ranges::count(field->choices, value) == 0)
        return false;
    field->value = std::move(value);
    dialog.error.clear();
    if (dialog.check) dialog.check(dialog);
    return true;
}

bool press(DialogPtr& dialog, const std::string& name) {
    const DialogPtr now = dialog;  // `pressed` may open another one
    if (!now || now->waiting()) return false;
    auto primary = std::ranges::find(now->buttons, DialogButton::Role::Primary, &DialogButton::role);
    const bool by_enter = name == "primary" && primary != now->buttons.end();
    const DialogButton* button = by_enter ? &*primary : now->button(name);
    if (!button || !button->enabled) return false;
    now->error.clear();
    const std::string pressed = button->id;
    DialogAnswer answer = now->pressed ? now->pressed(*now, pressed) : DialogAnswer{};
    if (answer.what == DialogAnswer::What::Wait) now->waiting_for = std::move(answer.outcome);
    if (answer.what == DialogAnswer::What::Close && dialog == now) dialog.reset();
    return true;
}

void poll(DialogPtr& dialog) {
    const DialogPtr now = dialog;
    if (!now || !now->waiting()) return;
    std::optional<std::string> outcome = now->waiting_for();
    if (!outcome) return;
    now->waiting_for = nullptr;
    now->error = std::move(*outcome);
    if (now->error.empty() && dialog == now) dialog.reset();
}

DialogPtr message_dialog(std::string title, std::string text) {
    Dialog out{"message", std::move(title), std::move(text)};
    out.buttons = {{"cancel", "Close", DialogButton::Role::Primary}};
    return make_dialog(std::move(out));
}

}  // namespace glassfs::ui
