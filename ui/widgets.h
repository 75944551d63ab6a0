// SPDX-License-Identifier: MIT
// The few things that panels are made of, in the verbs of the mockups: text at a centre line, buttons, rows
// of name and value, dashes, icons. Positions are absolute (screen) layout units; `id`s are unique within a
// panel.
#pragma once

#include "ui/fonts.h"
#include "ui/layout.h"
#include "ui/theme.h"

#include <string>
#include <string_view>

namespace glassfs::ui {

ImDrawList* canvas();  // of the current window

void fill(Rect, Colour, float rounding = 0);
void outline(Rect, Colour, float rounding = 0, float width = 1);
void hline(float x1, float x2, float y, Colour);
void vline(float x, float y1, float y2, Colour);
void line(float x1, float y1, float x2, float y2, Colour, float width = 1);
void dashed_line(float x1, float y1, float x2, float y2, Colour, float width, float on, float off);
void dashed_outline(Rect, Colour, float width = 1.3F, float on = 6, float off = 5);
void triangle(float x1, float y1, float x2, float y2, float x3, float y3, Colour);
// From (x1, y1) down or up to (x2, y2), leaving and arriving vertically.
void link(float x1, float y1, float x2, float y2, Colour, float width);

struct Touch {
    bool hovered = false;
    bool clicked = false;
    bool double_clicked = false;
    bool held = false;
};
// An area that reacts to the pointer.
Touch area(const char* id, Rect);
Touch area(int id, Rect);

// For the thing just made: shown after a moment.
void tooltip_if(bool hovered, std::string_view text);

struct ButtonLook {
    bool primary = false;
    bool disabled = false;
    float width = 0;  // 0: as the label needs
    float height = 32;
    const char* tooltip = nullptr;
};
float button_width(std::string_view label);
// `y` is the vertical centre. Returns whether it was pressed.
bool button(const char* id, std::string_view label, float x, float y, const ButtonLook& = {});
// A word that is pressed like a button, drawn in the accent colour.
bool text_button(const char* id, std::string_view label, float x, float y, Align = Align::Left);
void pill(std::string_view text, float x, float y, Colour text_colour, Colour background, float* width);
// A key's name in a frame; right-aligned at x. Returns the width.
float key_cap(std::string_view text, float x, float y);

enum class Icon : u8 { Folder, File, Link, Special, Tree, Open, Closed, Up, Sun, Moon, Panel };
void icon(Icon, float x, float y, Colour);  // centred
void logo(float x, float y);                // left edge, vertical centre

// Text over several lines of `line_height`, from `top`. Returns the height.
float draw_wrapped(Font, float x, float top, float width, float line_height, Colour, std::string_view);

// The head line of a panel: "Trees            9".
void panel_head(Rect panel, std::string_view title, std::string_view right);

// A value that copies itself on click; true when it was clicked. Draws nothing but a hover background.
bool copyable(int id, Rect, std::string_view what);
// A message for the status strip ("Copied 5316608"), for two seconds.
void toast(std::string message);
std::string current_toast();  // empty when it is over
void copy_with_toast(std::string_view text, std::string_view shown);

}  // namespace glassfs::ui
