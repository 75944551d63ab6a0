// SPDX-License-Identifier: MIT
// Beside the Lab's stage: what can be run, and what came out, A and B compared.
#include "base/text.h"
#include "imgui.h"
#include "ui/views/lab_view.h"
#include "ui/widgets.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr u64 GiB = 1ULL << 30, TiB = 1ULL << 40, PiB = 1ULL << 50;
constexpr LabChoice choices[] = {
    {"4T", "4 TiB, both to the end", {4 * TiB, 0, 32 * GiB, ~0ULL, ~0ULL}},
    {"64T", "64 TiB, both to the end", {64 * TiB, 0, 256 * GiB, ~0ULL, ~0ULL}},
    {"1P", "1 PiB, A up to 32 TiB", {PiB, 0, TiB, ~0ULL, 32 * TiB}},
};

std::string micros(u64 ns) {
    return text("%.1f \xc2\xb5s", static_cast<double>(ns) / 1e3);
}

std::string ratio_text(double a, double b) {
    if (b <= 0) return "\xe2\x80\x93";
    return a / b < 100 ? text("%.1f x", a / b) : grouped(static_cast<u64>(a / b)) + " x";
}

void draw_choice(Ui& ui, const LabChoice& choice, Rect panel, float y, bool disabled) {
    Rect r{panel.x + 16, y, panel.w - 33, 32};
    if (button(choice.id, choice.words, r.x, y + 16, {.disabled = disabled, .width = r.w})) {
        ui.lab().start(choice.plan);
    }
}

// A value over the volume's size, both sides, on logarithmic scales' y.
struct Chart {
    Rect area;
    double x_max = 1, y_max = 1;  // bytes; dev extents a search
    float x(double bytes) const { return area.x + area.w * static_cast<float>(bytes / x_max); }
    float y(double value) const {
        const double part = std::log10(1 + value) / std::log10(1 + y_max);
        return area.bottom() - area.h * static_cast<float>(std::clamp(part, 0.0, 1.0));
    }
};

double per_search(const lab::ChunkallocStep& step) {
    return step.searches == 0
               ? 0
               : static_cast<double>(step.dev_extents_visited) / static_cast<double>(step.searches);
}

void draw_growth(const LabSnapshot& lab, Rect r) {
    const Theme& t = theme();
    Chart chart{{r.x + 44, r.y + 6, r.w - 60, r.h - 26}};
    chart.x_max = static_cast<double>(std::max<u64>(1, std::max(lab.sides[0].bytes, lab.sides[1].bytes)));
    chart.y_max = 10;
    for (const LabSide& side : lab.sides) {
        for (const auto& step : side.steps) chart.y_max = std::max(chart.y_max, per_search(step));
    }
    for (double value = 1; value <= chart.y_max * 10; value *= 10) {
        if (value > chart.y_max) break;
        hline(chart.area.x, chart.area.right(), chart.y(value), t.line);
        draw_text(canvas(), Font::Mono12, chart.area.x - 8, chart.y(value), t.text3,
                  value >= 1000 ? text("%.0f k", value / 1000) : text("%.0f", value), Align::Right);
    }
    draw_text(canvas(), Font::Mono12, chart.area.x, r.bottom() - 6, t.text3, "0");
    draw_text(canvas(), Font::Mono12, chart.area.right(), r.bottom() - 6, t.text3,
              size_text(static_cast<u64>(chart.x_max)), Align::Right);
    for (std::size_t i = 0; i < 2; ++i) {
        const Colour colour = t.state(i == 0 ? State::Read : State::Hint).line;
        const auto& steps = lab.sides[i].steps;
        for (std::size_t k = 1; k < steps.size(); ++k) {
            line(chart.x(static_cast<double>(steps[k - 1].bytes_end)), chart.y(per_search(steps[k - 1])),
                 chart.x(static_cast<double>(steps[k].bytes_end)), chart.y(per_search(steps[k])), colour, 2);
        }
        if (steps.empty()) continue;
        const float x = chart.x(static_cast<double>(steps.back().bytes_end)),
                    y = chart.y(per_search(steps.back()));
        canvas()->AddCircleFilled({x, y}, 4, colour, 12);
        draw_text(canvas(), Font::CaptionBold, std::min(x + 8, r.right() - 12), y - (i == 0 ? 9.0F : -9.0F),
                  colour, i == 0 ? "A" : "B");
    }
}

// Bars of both sides for each power of two of nanoseconds: A above, B below the line.
void draw_histogram(const LabSnapshot& lab, Rect r) {
    const Theme& t = theme();
    std::size_t first = Histogram::bucket_count, last = 0;
    u64 most = 1;
    for (const LabSide& side : lab.sides) {
        for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
            const u64 count = side.search_times.buckets()[i];
            if (count == 0) continue;
            first = std::min(first, i);
            last = std::max(last, i);
            most = std::max(most, count);
        }
    }
    if (first > last) return;
    const float middle = r.y + (r.h - 18) / 2;
    const float width = r.w / static_cast<float>(last - first + 1);
    for (std::size_t i = first; i <= last; ++i) {
        const float x = r.x + static_cast<float>(i - first) * width;
        for (std::size_t s = 0; s < 2; ++s) {
            const u64 count = lab.sides[s].search_times.buckets()[i];
            if (count == 0) continue;
            const double part =
                std::log2(1 + static_cast<double>(count)) / std::log2(1 + static_cast<double>(most));
            const float h = std::max(2.0F, static_cast<float>(part) * ((r.h - 18) / 2 - 2));
            const Colour colour = t.state(s == 0 ? State::Read : State::Hint).line;
            fill(s == 0 ? Rect{x, middle - h, width - 2, h} : Rect{x, middle + 1, width - 2, h}, colour, 1);
            Touch touch = area(static_cast<int>(500 + i * 2 + s), {x, r.y, width, r.h - 18});
            tooltip_if(touch.hovered, std::string(s == 0 ? "A: " : "B: ") + grouped(count) +
                                          " searches below " + micros(u64{1} << i));
        }
    }
    hline(r.x, r.right(), middle, t.line_strong);
    draw_text(canvas(), Font::Mono12, r.x, r.bottom() - 7, t.text3,
              micros(first == 0 ? 0 : u64{1} << (first - 1)));
    draw_text(canvas(), Font::Mono12, r.right(), r.bottom() - 7, t.text3, micros(u64{1} << last),
              Align::Right);
}

struct Table {
    Rect panel;
    float y = 0;
    void row(const char* name, const std::string& a, const std::string& b, const std::string& ratio) {
        const Theme& t = theme();
        const float right = panel.right() - 16;
        draw_text_fit(canvas(), Font::Body, panel.x + 16, y + 11, panel.w * 0.34F, t.text2, name);
        draw_text(canvas(), Font::Mono12, right - 142, y + 11, t.text, a, Align::Right);
        draw_text(canvas(), Font::Mono12, right - 62, y + 11, t.text, b, Align::Right);
        draw_text(canvas(), Font::Mono12, right, y + 11, t.text3, ratio, Align::Right);
        y += 24;
    }
};

double number(u64 value) {
    return static_cast<double>(value);
}

void draw_totals(const LabSnapshot& lab, Table& table) {
    const Theme& t = theme();
    const LabSide &a = lab.sides[0], &b = lab.sides[1];
    table.row("", "A", "B", "A / B");
    table.row("Looked at", grouped(a.visited), grouped(b.visited),
              ratio_text(number(a.visited), number(b.visited)));
    table.row("Leaves read", grouped(a.leaves_read), grouped(b.leaves_read),
              ratio_text(number(a.leaves_read), number(b.leaves_read)));
    table.row("Searches", grouped(a.searches), grouped(b.searches), "");
    const u64 mean_a = a.search_times.mean_ns(), mean_b = b.search_times.mean_ns();
    table.row("A search", micros(mean_a), micros(mean_b), ratio_text(number(mean_a), number(mean_b)));
    table.row("All of it", text("%.2f s", number(a.ns) / 1e9), text("%.2f s", number(b.ns) / 1e9),
              a.bytes == b.bytes ? ratio_text(number(a.ns), number(b.ns)) : "");
    const bool known = lab.same_placements.has_value();
    const char* words = !known                 ? "Not compared: the sides aren't equally full."
                        : *lab.same_placements ? "Same dev extents, in the same order."
                                               : "The sides placed dev extents differently.";
    const Colour colour = !known ? t.text3 : *lab.same_placements ? t.good : t.state(State::Bad).line;
    draw_text_fit(canvas(), Font::BodyBold, table.panel.x + 16, table.y + 14, table.panel.w - 32, colour,
                  words);
    table.y += 32;
}

}  // namespace

std::span<const LabChoice> lab_choices() {
    return choices;
}

void draw_lab_navigator(Ui& ui, Rect panel) {
    const Theme& t = theme();
    panel_head(panel, "Experiments", "1");
    ImGui::PushID("lab-navigator");
    float y = panel.y + 44;
    Rect chosen{panel.x + 8, y, panel.w - 17, 46};
    fill(chosen, t.accent_background, 5);
    draw_text(canvas(), Font::Mono13Bold, chosen.x + 10, y + 15, t.text, "chunkalloc");
    draw_text_fit(canvas(), Font::Caption, chosen.x + 10, y + 33, chosen.w - 20, t.text2, "room for a chunk");
    y += 60;
    draw_text(canvas(), Font::BodyBold, panel.x + 16, y + 10, t.text, "Run");
    y += 26;
    for (const LabChoice& choice : lab_choices()) {
        draw_choice(ui, choice, panel, y, ui.lab_busy());
        y += 38;
    }
    y += 10;
    draw_text(canvas(), Font::BodyBold, panel.x + 16, y + 10, t.text, "Tours");
    y += 26;
    for (const Tour& tour : tours()) {
        Rect r{panel.x + 16, y, panel.w - 33, 32};
        if (button(tour.id.c_str(), tour.name == "Copy on write" ? "Copy on write" : "Room on the device",
                   r.x, y + 16, {.width = r.w, .tooltip = tour.about.c_str()})) {
            ui.tour_wanted = tour.id;
        }
        y += 38;
    }
    y += 8;
    hline(panel.x + 16, panel.right() - 17, y, t.line);
    y += 12;
    draw_text(canvas(), Font::BodyBold, panel.x + 16, y + 10, t.text, "From the patch mail");
    y += 26;
    // Facts of the experiment's announcement, on its author's machine: not measured here.
    for (const char* fact : {"fallocate of 1 PiB, 1 TiB a time:", "5 hours \xe2\x86\x92 15 to 20 minutes",
                             "one search, 4 TiB used:", "132.9 \xe2\x86\x92 2.5 \xc2\xb5s"}) {
        draw_text_fit(canvas(), Font::Caption, panel.x + 16, y + 9, panel.w - 32, t.text2, fact);
        y += 19;
    }
    ImGui::PopID();
}

void draw_lab_compare(Ui& ui) {
    const Theme& t = theme();
    const Rect panel = ui.layout.inspector;
    if (panel.empty()) return;
    draw_right_ground(ui);
    panel_head(panel, "Compare", "");
    const auto lab = ui.lab_snapshot();
    if (lab->device_bytes == 0) {
        draw_text_fit(canvas(), Font::Body, panel.x + 16, panel.y + 60, panel.w - 32, t.text2,
                      "Nothing has been run yet.");
        return;
    }
    ImGui::PushID("compare");
    {
        Scroll scroll("compare", {panel.x, panel.y + 37, panel.w - 1, panel.h - 37});
        Table table{panel, scroll.top() + 6};
        draw_totals(*lab, table);
        float y = table.y + 4;
        draw_text(canvas(), Font::BodyBold, panel.x + 16, y + 10, t.text, "Dev extents looked at, a search");
        draw_growth(*lab, {panel.x + 16, y + 24, panel.w - 32, 170});
        y += 206;
        draw_text(canvas(), Font::BodyBold, panel.x + 16, y + 10, t.text,
                  "Time of a search: A above, B below");
        draw_histogram(*lab, {panel.x + 16, y + 24, panel.w - 32, 130});
        y += 162;
        draw_text_fit(canvas(), Font::Caption, panel.x + 16, y + 8, panel.w - 32, t.text3,
                      "Counts repeat exactly; times are this machine's.");
        scroll.content_height(y + 28 - scroll.top());
    }
    ImGui::PopID();
}

void draw_tour_card(Ui& ui) {
    const Tour* tour = ui.guide.tour();
    if (tour == nullptr) return;
    const Theme& t = theme();
    const Rect stage = ui.layout.stage;
    const TourStep& step = tour->steps[ui.guide.at()];
    TourContext context{ui.session, ui.lab()};
    const std::string words = step.words ? step.words(context) : "";
    const Rect card{stage.x + 16, stage.bottom() - 132, stage.w - 32, 116};
    // Over everything of the stage: a click on it must not reach what is below.
    area("tour-card", card);
    fill(card, t.panel, 8);
    outline(card, t.accent, 8, 1.5F);
    ImGui::PushID("tour");
    const std::string where = tour->name + text(", %zu of %zu", ui.guide.at() + 1, tour->steps.size());
    draw_text_fit(canvas(), Font::Caption, card.x + 16, card.y + 17, card.w - 32, t.accent, where);
    draw_text_fit(canvas(), Font::Card, card.x + 16, card.y + 37, card.w - 32, t.text, step.title);
    draw_wrapped(Font::Body, card.x + 16, card.y + 50, card.w - 32 - 210, 18, t.text2, words);
    const bool last = ui.guide.last();
    const char* next = last ? "Done" : "Next";
    float x = card.right() - 16 - button_width(next);
    if (button("next", next, x, card.bottom() - 28, {.primary = true, .disabled = !ui.guide.ready()})) {
        ui.guide.go(context, 1);
    }
    x -= button_width("Leave") + 8;
    if (!last && button("leave", "Leave", x, card.bottom() - 28)) ui.guide.leave();
    ImGui::PopID();
}

}  // namespace glassfs::ui
