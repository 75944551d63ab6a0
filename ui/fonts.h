// SPDX-License-Identifier: MIT
// Inter for words, JetBrains Mono for anything on disk, at the sizes of the design. The atlas is built for
// one pixel density; a size here is in layout units and already multiplied with the UI scale by the atlas.
#pragma once

#include "imgui.h"
#include "ui/theme.h"

#include <string>
#include <string_view>

namespace glassfs::ui {

enum class Font : u8 {
    Caption,      // Inter 12, the smallest there is
    CaptionBold,  // Inter 12/600
    Body,         // Inter 13
    BodyBold,     // Inter 13/600
    Reason,       // Inter 14
    ReasonBold,   // Inter 14/600
    Card,         // Inter 15/600
    Object,       // Inter 17/600
    Headline,     // Inter 19/600
    Mono12,
    Mono13,
    Mono13Bold,
    Mono12Bold,
    Counter,  // Inter 26/600, for numbers
};
inline constexpr std::size_t font_count = 14;

// (Re)builds the atlas for `density` device pixels per layout unit. Before a frame; the back end's texture
// must be made anew afterwards.
void build_fonts(float density);
ImFont* font(Font);
float font_size(Font);  // layout units

enum class Align : u8 { Left, Centre, Right };

float text_width(Font, std::string_view);
// Draws one line; `y` is the vertical centre of the line, as in the mockups. Returns the width.
float draw_text(ImDrawList*, Font, float x, float y, Colour, std::string_view, Align = Align::Left);
// As draw_text(), but never wider than `width`: the end gives way to an ellipsis. Right-aligned text ends at
// x. Returns whether it was cut, so that the caller can offer the whole as a tooltip.
bool draw_text_fit(ImDrawList*, Font, float x, float y, float width, Colour, std::string_view,
                   Align = Align::Left);
// The text cut to `width` with an ellipsis at its end.
std::string fit_text(Font, std::string_view, float width);

}  // namespace glassfs::ui
