// SPDX-License-Identifier: MIT
// The timeline: transport, the operations that were done, and the steps of the one that is looked at.
#include "base/text.h"
#include "imgui.h"
#include "ui/model/moment.h"
#include "ui/views/device_map.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float label_width = 92;
constexpr float operation_height = 26;
constexpr float step_height = 28;
constexpr float operation_width = 132;
constexpr float step_width_min = 30;
constexpr float step_width_max = 92;

constexpr float speeds[] = {1, 4, 20, 100};

// A flag for each bookmark in (from, to].
bool has_bookmark(Ui& ui, u64 from, u64 to) {
    const auto& all = ui.view().bookmarks;
    auto at = all.upper_bound(from);
    return at != all.end() && *at <= to;
}

// A press that began in this row goes on as a drag over it.
bool dragged_over(Rect row, Rect box) {
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) return false;
    const ImVec2 began = ImGui::GetIO().MouseClickedPos[0], now = ImGui::GetMousePos();
    return row.contains(began.x, began.y) && now.x >= box.x && now.x < box.right() + 3;
}

// What a step's letter is drawn in: states' colours, with the letter as the second cue.
Colour step_colour(const std::string& letter) {
    const Theme& t = theme();
    if (letter == "R") return t.state(State::Read).line;
    if (letter == "C" || letter == "W" || letter == "S") return t.state(State::New).line;
    if (letter == "F") return t.state(State::Freed).line;
    if (letter == "H") return t.state(State::Hint).line;
    return t.text2;
}

// How many of `count` boxes are shown, and from which: the current one stays in the middle third.
struct Window {
    std::size_t first = 0;
    std::size_t count = 0;
    float width = 0;
};
Window window_of(std::size_t count, std::size_t current, float room, float narrow, float wide) {
    Window w;
    const auto fit = std::max<std::size_t>(1, static_cast<std::size_t>(room / narrow));
    w.count = std::min(count, fit);
    w.width = std::min(wide, room / static_cast<float>(std::max<std::size_t>(1, w.count)));
    const std::size_t half = w.count / 2;
    w.first = current > half ? std::min(current - half, count - w.count) : 0;
    return w;
}

bool transport(const char* id, const char* label, float& x, float y, const char* tip, bool primary = false) {
    const float w = button_width(label);
    bool pressed = button(id, label, x, y, {.primary = primary, .height = 28, .tooltip = tip});
    x += w + 6;
    return pressed;
}

void draw_transport(Ui& ui, Rect r, const Moment& moment) {
    const Theme& t = theme();
    const Timeline& line = *moment.timeline;
    float x = r.x + 16;
    const float y = r.y + 24;
    if (transport("first", "|<", x, y, "To the beginning")) show_moment(ui.session, line.first);
    if (transport("back", "<", x, y, "One step back (,)")) step_by(ui, -1);
    if (transport("play", ui.playing ? "Pause" : "Play", x, y, "Space", true)) {
        ui.playing = !ui.playing;
        if (ui.playing && !ui.session.in_past()) {
            show_moment(ui.session, line.operations[moment.operation].begin);
        }
    }
    if (transport("on", ">", x, y, "One step on (.)")) step_by(ui, 1);
    if (transport("over", "Over", x, y, "To the end of the next operation (Shift and right arrow)")) {
        operation_by(ui, 1);
    }
    if (transport("last", ">|", x, y, "To the present")) show_moment(ui.session, line.end);
    x += 10;
    for (float speed : speeds) {
        const std::string label = std::to_string(static_cast<int>(speed)) + "/s";
        const bool on = ui.steps_per_second == speed;
        Rect box{x, y - 12, text_width(Font::Mono12, label) + 14, 24};
        Touch touch = area(label.c_str(), box);
        if (on) fill(box, t.accent_background, 5);
        draw_text(canvas(), Font::Mono12, box.x + 7, y, on ? t.text : t.text3, label);
        if (touch.clicked) ui.steps_per_second = speed;
        tooltip_if(touch.hovered, "Steps a second");
        x = box.right() + 4;
    }
    x += 14;
    const std::string total =
        plural(line.steps.size(), "step") + " of " + plural(line.operations.size(), "operation");
    const float save_width = button_width("Save");
    if (button("save", "Save", r.right() - 16 - save_width, y,
               {.height = 28, .tooltip = "The recording as a file, to be opened and played anywhere"})) {
        ui.save_wanted = true;
    }
    const float total_width = text_width(Font::Caption, total) + save_width + 12;
    draw_text(canvas(), Font::Caption, r.right() - 28 - save_width, y, t.text3, total, Align::Right);
    const TimelineOperation& operation = line.operations[moment.operation];
    std::string where = text("Operation %zu of %zu: ", moment.operation + 1, line.operations.size()) +
                        printable(operation.name);
    if (moment.step != Timeline::none && line.steps[moment.step].operation == moment.operation) {
        where += text(", step %zu of %u", moment.step - operation.first + 1, operation.count);
    }
    draw_text_fit(canvas(), Font::BodyBold, x, y, r.right() - 32 - total_width - x, t.text, where);
}

void draw_operations(Ui& ui, Rect r, const Moment& moment) {
    const Theme& t = theme();
    const Timeline& line = *moment.timeline;
    const float y = r.y + 46;
    draw_text(canvas(), Font::Caption, r.x + 16, y + operation_height / 2, t.text2, "Operations");
    const float left = r.x + label_width;
    const Window w =
        window_of(line.operations.size(), moment.operation, r.right() - 16 - left, 84, operation_width);
    for (std::size_t i = w.first; i < w.first + w.count; ++i) {
        const TimelineOperation& operation = line.operations[i];
        Rect box{std::round(left + static_cast<float>(i - w.first) * w.width), y, std::round(w.width) - 3,
                 operation_height};
        Touch touch = area(static_cast<int>(10000 + i), box);
        const bool on = i == moment.operation;
        fill(box, on ? t.accent_background : touch.hovered ? t.hover : t.raised, 4);
        outline(box, on ? t.accent : t.line, 4);
        if (operation.commits) {  // a diamond: something became durable
            const float dx = box.right() - 9;
            canvas()->AddNgonFilled({dx, box.y}, 5, t.text3, 4);
        }
        draw_text_fit(canvas(), on ? Font::BodyBold : Font::Caption, box.x + 8, box.centre_y(), box.w - 16,
                      on ? t.text : t.text2, printable(operation.name));
        tooltip_if(touch.hovered, printable(operation.name) + "\n" + plural(operation.count, "step"));
        if (has_bookmark(ui, operation.begin, operation.end)) {
            draw_flag(box.x + 4, box.y + 2, 12, t.state(State::Hint).line);
        }
        if (touch.clicked) show_moment(ui.session, operation.end);
    }
}

void draw_steps(Ui& ui, Rect r, const Moment& moment) {
    const Theme& t = theme();
    const Timeline& line = *moment.timeline;
    const TimelineOperation& operation = line.operations[moment.operation];
    const float y = r.y + 82;
    draw_text(canvas(), Font::Caption, r.x + 16, y + step_height / 2, t.text2, "Steps");
    const float left = r.x + label_width;
    const bool here = moment.step != Timeline::none && moment.step >= operation.first &&
                      moment.step < operation.first + operation.count;
    const std::size_t current = here ? moment.step - operation.first : 0;
    const Window w =
        window_of(operation.count, current, r.right() - 16 - left, step_width_min, step_width_max);
    std::string said = operation.count == 0 ? "This operation changed and read nothing." : "";
    float said_x = left;
    for (std::size_t i = w.first; i < w.first + w.count; ++i) {
        const TimelineStep& step = line.steps[operation.first + i];
        const StepText text = step_text(step);
        Rect box{std::round(left + static_cast<float>(i - w.first) * w.width), y, std::round(w.width) - 3,
                 step_height};
        Touch touch = area(static_cast<int>(20000 + i), box);
        const Colour colour = step_colour(text.letter);
        const bool done = step.position <= ui.session.position();
        const bool on = here && i == current && ui.session.in_past();
        fill(box, on ? colour : with_alpha(colour, touch.hovered ? 0.35F : done ? 0.22F : 0.1F), 3);
        outline(box, on ? t.state(State::Selected).line : with_alpha(colour, 0.5F), 3, on ? 2 : 1);
        draw_text(canvas(), Font::Mono12, box.x + box.w / 2, box.centre_y(), on ? t.app : colour, text.letter,
                  Align::Centre);
        tooltip_if(touch.hovered, text.title + "\n" + text.reason);
        const bool dragged = dragged_over({left, y, r.right() - left, step_height}, box);
        if (ui.view().bookmarks.contains(step.position)) {
            draw_flag(box.x + 4, box.y + 2, 12, t.state(State::Hint).line);
        }
        if (touch.clicked || (dragged && !on)) show_moment(ui.session, step.position);
        if (!on) continue;
        said = text.title;
        said_x = box.x;
        triangle(box.x + box.w / 2 - 5, y + step_height + 8, box.x + box.w / 2 + 5, y + step_height + 8,
                 box.x + box.w / 2, y + step_height + 2, t.state(State::Selected).line);
    }
    const float width = text_width(Font::BodyBold, said);
    said_x = std::clamp(said_x, left, std::max(left, r.right() - 16 - width));
    draw_text_fit(canvas(), Font::BodyBold, said_x, y + step_height + 20, r.right() - 16 - said_x, t.text,
                  said);
}

// A command typed in the past: work goes on only at the end, or on another branch.
void draw_question(Ui& ui, Rect r) {
    const Theme& t = theme();
    const std::string line = printable(*ui.view().line_in_past);
    draw_text_fit(canvas(), Font::Card, r.x + 16, r.y + 26, r.w - 32, t.text,
                  "This is the past. Where shall \xe2\x80\x9c" + short_name(line, 60) + "\xe2\x80\x9d run?");
    const bool can_branch = ui.session.origin().has_value();
    draw_text_fit(
        canvas(), Font::Body, r.x + 16, r.y + 50, r.w - 32, t.text2,
        can_branch ? "A branch begins behind the operation that is shown; what was done after it is left out."
                   : "This volume is kept: it can't be branched, only gone on with at its end.");
    float x = r.x + 16;
    const float y = r.y + 86;
    if (button("branch", "Branch here", x, y, {.primary = can_branch, .disabled = !can_branch})) {
        ui.branch_wanted = true;
    }
    x += button_width("Branch here") + 8;
    if (button("end", "Go to the end and run it", x, y, {.primary = !can_branch})) run_at_end(ui.session);
    x += button_width("Go to the end and run it") + 8;
    if (button("forget", "Cancel", x, y)) ui.view().line_in_past.reset();
}

void play(Ui& ui) {
    if (!ui.playing) return;
    const double now = ImGui::GetTime();
    if (now - ui.played_at < 1.0 / static_cast<double>(ui.steps_per_second)) return;
    ui.played_at = now;
    step_by(ui, 1);
    if (!ui.session.in_past()) ui.playing = false;
}

}  // namespace

void toggle_bookmark(Ui& ui) {
    if (!ui.session.timeline()) return;
    auto& all = ui.view().bookmarks;
    const u64 here = ui.session.position();
    if (all.erase(here) == 0) all.insert(here);
}

void change_speed(Ui& ui, int by) {
    std::ptrdiff_t at =
        std::find(std::begin(speeds), std::end(speeds), ui.steps_per_second) - std::begin(speeds);
    at = std::clamp<std::ptrdiff_t>(at + by, 0, std::ssize(speeds) - 1);
    ui.steps_per_second = speeds[at];
}

void step_by(Ui& ui, int steps) {
    if (auto moment = moment_of(ui.session)) show_moment(ui.session, position_of_step(*moment, steps));
}

void operation_by(Ui& ui, int operations) {
    if (auto moment = moment_of(ui.session)) {
        show_moment(ui.session, position_of_operation(*moment, operations));
    }
}

void draw_timeline(Ui& ui) {
    const Theme& t = theme();
    Rect r = ui.layout.timeline;
    if (r.empty()) {
        ui.playing = false;
        return;
    }
    fill(r, t.panel);
    hline(r.x, r.right(), r.y, t.line);
    ImGui::PushID("timeline");
    if (ui.view().line_in_past) {
        draw_question(ui, r);
    } else if (auto moment = moment_of(ui.session)) {
        play(ui);
        draw_transport(ui, r, *moment);
        draw_operations(ui, r, *moment);
        draw_steps(ui, r, *moment);
    } else {
        draw_text(canvas(), Font::Body, r.x + 16, r.y + 30, t.text2,
                  "Nothing has been done to this volume yet. Try:  mkdir /photos");
    }
    ImGui::PopID();
}

}  // namespace glassfs::ui
