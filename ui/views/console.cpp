// SPDX-License-Identifier: MIT
// The console strip: the command line's own commands on the open volume, with what they print; and at its
// right end the status. The page lays a real DOM input over it, the window draws ImGui's.
#include "base/text.h"
#include "commands/command_table.h"
#include "imgui.h"
#include "ui/platform.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cstdio>

namespace glassfs::ui {

namespace {

constexpr float line_height = 20;
constexpr std::size_t offers_max = 6;
constexpr std::size_t lines_max = 4000;

void run(Ui& ui) {
    std::string& input = ui.view().console_input;
    if (input.empty()) return;
    run_or_ask(ui.session, input);
    if (ui.typed.empty() || ui.typed.back() != input) ui.typed.push_back(input);
    ui.recalled = ui.typed.size();
    input.clear();
}

int on_edit(ImGuiInputTextCallbackData* data) {
    Ui& ui = *static_cast<Ui*>(data->UserData);
    std::string to;
    if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
        bool up = data->EventKey == ImGuiKey_UpArrow;
        if (up && ui.recalled > 0)
            --ui.recalled;
        else if (!up && ui.recalled < ui.typed.size())
            ++ui.recalled;
        else
            return 0;
        if (ui.recalled < ui.typed.size()) to = ui.typed[ui.recalled];
    } else {
        auto lines =
            ui.session.completions(std::string(data->Buf, static_cast<std::size_t>(data->BufTextLen)));
        if (!lines || lines->empty()) return 0;
        to = lines->front();
    }
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, to.c_str());
    return 0;
}

void draw_input(Ui& ui, float x, float y, float width) {
    const Theme& t = theme();
    float scale = ui.view().scale;
    if (platform::place_console_input(true, x * scale, (y - 12) * scale, width * scale, 24 * scale)) return;
    char buffer[1024];
    std::string& input = ui.view().console_input;
    std::snprintf(buffer, sizeof buffer, "%s", input.c_str());
    ImGui::PushFont(font(Font::Mono13));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 3));
    ImGui::PushStyleColor(ImGuiCol_FrameBg, 0U);
    ImGui::PushStyleColor(ImGuiCol_Text, t.text);
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, t.accent_background);
    ImGui::SetCursorScreenPos(ImVec2(x, y - font_size(Font::Mono13) / 2 - 3));
    ImGui::SetNextItemWidth(width);
    if (ui.focus == Panel::Console && !ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
    constexpr auto flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory |
                           ImGuiInputTextFlags_CallbackCompletion;
    bool entered = ImGui::InputText("##command", buffer, sizeof buffer, flags, on_edit, &ui);
    if (ImGui::IsItemActivated()) ui.focus = Panel::Console;
    input = buffer;
    std::erase(input, '`');  // its key opens and closes the console
    if (entered) run(ui);
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

// From the right edge: what the key ` does, then the status. Returns how far it reaches to the left.
float draw_status(Ui& ui, Rect strip, float y, const char* verb) {
    const Theme& t = theme();
    float x = strip.right() - 16;
    x -= key_cap("`", x, y) + 8;
    float verb_width = text_width(Font::Caption, verb);
    Touch touch =
        area("console-toggle", {x - verb_width - 6, y - 14, strip.right() - x + verb_width - 4, 28});
    draw_text(canvas(), Font::Caption, x, y, touch.hovered ? t.text : t.text3, verb, Align::Right);
    if (touch.clicked) {
        ui.view().console_open = !ui.view().console_open;
        ui.focus = ui.view().console_open ? Panel::Console : Panel::Stage;
    }
    x -= verb_width + 24;
    std::string message = current_toast();
    Colour ink = t.good;
    if (message.empty()) {
        ink = t.text3;
        message = text("%.1f ms a frame", ui.stats.frame_ms);
        if (ui.session.busy()) message = "reading \xc2\xb7 " + message;
    }
    draw_text(canvas(), Font::Caption, x, y, ink, message, Align::Right);
    return x - text_width(Font::Caption, message) - 20;
}

std::string job_line(const Job& job) {
    if (job.done && job.error) return job.title + ": " + job.error->message();
    if (job.files_total > 0) {
        std::string files = job.title + ": " + grouped(job.files_done) + " of " +
                            plural(job.files_total, "file") + ", " + size_text(job.bytes_done);
        if (job.done) files += ", done";
        if (job.files_failed > 0) files += ", " + grouped(job.files_failed) + " left out";
        return files;
    }
    std::string line = job.title + ": " + size_text(job.bytes_done);
    if (job.bytes_total > 0) line += " of " + size_text(job.bytes_total);
    if (job.done) line += ", done";
    if (job.files_failed > 0) line += ", " + plural(job.files_failed, "file") + " left out";
    return line;
}

// The newest extraction; returns where free room begins.
float draw_job(Ui& ui, float x, float right, float y) {
    auto jobs = ui.session.jobs();
    if (jobs.empty()) return x;
    const Theme& t = theme();
    Job& job = *jobs.back();
    std::string words = job_line(job);
    float width = std::min(text_width(Font::Caption, words), right - x - 70);
    if (width < 60) return x;
    Colour ink = job.done ? (job.error ? t.state(State::Bad).line : t.good) : t.text2;
    draw_text_fit(canvas(), Font::Caption, x, y, width, ink, words);
    x += width + 12;
    if (!job.done) {
        if (job.bytes_total > 0) {
            double part = static_cast<double>(job.bytes_done) / static_cast<double>(job.bytes_total);
            fill({x - width - 12, y + 11, width, 2}, t.line_strong);
            fill({x - width - 12, y + 11, width * static_cast<float>(std::min(1.0, part)), 2}, t.accent);
        }
        if (text_button("cancel-job", "Cancel", x, y)) job.cancel = true;
        x += 60;
    }
    return x;
}

struct OutputLine {
    std::string words;
    enum class Kind : u8 { Prompt, Output, Error } kind = Kind::Output;
    float indent = 0;
};

void add_lines(std::vector<OutputLine>& out, const std::string& from, OutputLine::Kind kind) {
    std::size_t at = 0;
    while (at < from.size() && out.size() < lines_max) {
        std::size_t end = std::min(from.find('\n', at), from.size());
        out.push_back({printable(from.substr(at, end - at)), kind, 0});
        at = end + 1;
    }
}

std::vector<OutputLine> output_lines(Ui& ui) {
    std::vector<OutputLine> lines;
    for (const ConsoleEntry& entry : ui.session.console()) {
        lines.push_back({printable(entry.prompt), OutputLine::Kind::Prompt, 0});
        lines.push_back({printable(entry.line), OutputLine::Kind::Prompt, 1});
        add_lines(lines, entry.output, OutputLine::Kind::Output);
        add_lines(lines, entry.errors, OutputLine::Kind::Error);
        if (entry.truncated) lines.push_back({"more output was left out", OutputLine::Kind::Error, 0});
    }
    return lines;
}

void draw_output(Ui& ui, Rect r) {
    const Theme& t = theme();
    if (ui.output_of != ui.session.revision()) {
        ui.output.clear();
        for (OutputLine& line_out : output_lines(ui)) {
            ui.output.push_back(
                {std::move(line_out.words), static_cast<u8>(line_out.kind), line_out.indent > 0});
        }
        ui.output_grew = true;
    }
    ui.output_of = ui.session.revision();
    Scroll scroll("output", r);
    float y = scroll.top();
    float x_after = 0;
    for (const Ui::OutputRow& row : ui.output) {
        auto kind = static_cast<OutputLine::Kind>(row.kind);
        if (row.behind) y -= line_height;  // a command stands behind its prompt
        if (scroll.sees(y, line_height)) {
            float x = r.x + (row.behind ? x_after : 0);
            Colour ink = kind == OutputLine::Kind::Error    ? t.state(State::Bad).line
                         : kind == OutputLine::Kind::Output ? t.text2
                         : row.behind                       ? t.text
                                                            : t.good;
            draw_text_fit(canvas(), Font::Mono13, x, y + line_height / 2, r.right() - x - 12, ink, row.words);
        }
        if (kind == OutputLine::Kind::Prompt && !row.behind)
            x_after = text_width(Font::Mono13, row.words) + 10;
        y += line_height;
    }
    float height = y - scroll.top();
    scroll.content_height(height);
    if (ui.output_grew) ImGui::SetScrollY(height);
    ui.output_grew = false;
}

const char* summary_of(const std::string& line) {
    std::string name = line.substr(0, line.find(' '));
    const commands::Command* command = commands::find_command(name);
    return command && line.size() <= name.size() + 1 ? command->summary : "";
}

void draw_offers(Ui& ui, Rect r) {
    const Theme& t = theme();
    const std::string& input = ui.view().console_input;
    std::vector<std::string> lines;
    if (input.empty()) {
        for (const commands::Command& command : commands::all_commands()) {
            if (command.in_console && lines.size() < offers_max)
                lines.push_back(std::string(command.name) + " ");
        }
    } else if (auto answer = ui.session.completions(input)) {
        lines.assign(answer->begin(),
                     answer->begin() + static_cast<std::ptrdiff_t>(std::min(answer->size(), offers_max)));
    }
    if (lines.empty()) return;
    Rect box{r.x, r.y, r.w, static_cast<float>(lines.size()) * 27 + 14};
    fill(box, t.raised, 6);
    outline(box, t.line_strong, 6);
    float y = box.y + 20;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Rect row{box.x + 6, y - 13, box.w - 12, 26};
        Touch touch = area(static_cast<int>(i), row);
        bool first = i == 0 && !input.empty();
        if (first || touch.hovered) fill(row, first ? t.accent_background : t.hover, 4);
        draw_text_fit(canvas(), Font::Mono13, box.x + 16, y, box.w * 0.5F, first ? t.text : t.text2,
                      printable(lines[i]));
        float left = box.x + 16 + std::max(120.0F, text_width(Font::Mono13, lines[i]) + 16);
        draw_text_fit(canvas(), Font::Body, left, y, box.right() - left - 50, t.text2, summary_of(lines[i]));
        if (first) draw_text(canvas(), Font::Mono12, box.right() - 16, y, t.text3, "Tab", Align::Right);
        if (touch.clicked) ui.view().console_input = lines[i];
        y += 27;
    }
}

void draw_open(Ui& ui, Rect strip) {
    const Theme& t = theme();
    float y = strip.y + 20;
    draw_text(canvas(), Font::CaptionBold, strip.x + 16, y, t.text2, "Console");
    float status = draw_status(ui, strip, y, "Close");
    float x = draw_job(ui, strip.x + 80, status, y);
    if (x < strip.x + 90)
        draw_text_fit(canvas(), Font::Caption, x, y, status - x, t.text3,
                      "Tab completes, \xe2\x86\x91 recalls, help lists the commands");
    float offers = strip.w > 900 ? 460 : 0;
    float width = strip.w - 32 - (offers > 0 ? offers + 24 : 0);
    draw_output(ui, {strip.x + 16, strip.y + 38, width, strip.h - 38 - 34});
    std::string prompt = printable(ui.session.prompt());
    float line_y = strip.bottom() - 19;
    float prompt_width = draw_text(canvas(), Font::Mono13, strip.x + 16, line_y, t.good, prompt);
    draw_input(ui, strip.x + 26 + prompt_width, line_y, width - prompt_width - 10);
    if (offers > 0) draw_offers(ui, {strip.right() - offers - 16, strip.y + 40, offers, strip.h - 50});
}

}  // namespace

void draw_console(Ui& ui) {
    const Theme& t = theme();
    Rect strip = ui.layout.console;
    if (strip.empty()) {
        platform::place_console_input(false, 0, 0, 0, 0);
        return;
    }
    fill(strip, t.app);
    hline(strip.x, strip.right(), strip.y, t.line);
    if (ui.choices.console_open && strip.h > 120) {
        draw_open(ui, strip);
        return;
    }
    platform::place_console_input(false, 0, 0, 0, 0);
    float y = strip.y + 18;
    float status = draw_status(ui, strip, y, "Console");
    std::string prompt = printable(ui.session.prompt());
    float x = strip.x + 16 + std::min(text_width(Font::Mono13, prompt), strip.w * 0.3F);
    draw_text_fit(canvas(), Font::Mono13, strip.x + 16, y, strip.w * 0.3F, t.good, prompt);
    fill({x + 8, y - 8, 8, 16}, t.text2);
    x = draw_job(ui, x + 32, status, y);
    auto entries = ui.session.console();
    std::string last = entries.empty() ? "" : entries.back().line;
    Touch touch = area("console-line", {strip.x + 8, strip.y + 4, std::max(40.0F, x - strip.x), 28});
    if (!last.empty() && status - x > 60)
        draw_text_fit(canvas(), Font::Mono13, x, y, status - x, t.text3, printable(last));
    if (touch.clicked) {
        ui.view().console_open = true;
        ui.focus = Panel::Console;
    }
}

}  // namespace glassfs::ui
