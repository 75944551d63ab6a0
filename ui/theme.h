// SPDX-License-Identifier: MIT
// All colours, and the shape that goes with each state. States are saturated, item types are grey-toned, and
// a state is never told by colour alone: whoever draws one draws its shape as well (state_shape). No ImGui
// here; a Colour has the byte order of its ImU32.
#pragma once

#include "inspect/inspector.h"
#include "ui/model/view_state.h"

namespace glassfs::ui {

using Colour = u32;  // R in the lowest byte, then G, B, A

constexpr Colour rgb(u32 rrggbb) {
    return 0xff000000U | (rrggbb & 0xff) << 16 | (rrggbb & 0xff00) | (rrggbb >> 16 & 0xff);
}
// The same colour, with its opacity multiplied (0..1).
constexpr Colour with_alpha(Colour colour, float alpha) {
    return (colour & 0x00ffffffU) | static_cast<Colour>(static_cast<float>(colour >> 24) * alpha + 0.5F)
                                        << 24;
}

enum class State : u8 { Clean, New, Dirty, Read, Log, Shared, Hint, Freed, Old, Bad, Free, Selected };
inline constexpr std::size_t state_count = 12;

enum class Shape : u8 {
    ThinBorder,       // clean: the outline of every block
    TopBand,          // new: solid, 6 px
    CornerNotch,      // dirty in place (ext4)
    Border,           // read: 2 px
    LeftSpine,        // log: solid, 6 px
    DoubleBorder,     // shared
    Flag,             // hint, cursor, bookmark
    DashedStruck,     // freed
    GreyDashes,       // old
    CrossedDashes,    // bad checksum or content
    ThinBorderEmpty,  // free
    OuterRing,        // selected: 2 px outside
};
Shape state_shape(State);
const char* state_name(State);  // "new in this transaction"

struct StateColours {
    Colour line = 0;        // the state's colour
    Colour background = 0;  // a tint for fills behind text
};

struct Theme {
    Colour app = 0;
    Colour panel = 0;
    Colour raised = 0;
    Colour hover = 0;
    Colour line = 0;
    Colour line_strong = 0;
    Colour text = 0;
    Colour text2 = 0;
    Colour text3 = 0;
    Colour accent = 0;  // buttons, tabs, progress
    Colour accent_background = 0;
    Colour on_accent = 0;  // text on `accent`
    Colour good = 0;       // the prompt, a volume that is open
    StateColours states[state_count] = {};
    Colour items[inspect::item_class_count] = {};

    const StateColours& state(State s) const { return states[static_cast<std::size_t>(s)]; }
    Colour item(inspect::ItemClass c) const { return items[static_cast<std::size_t>(c)]; }
};

const Theme& theme(ThemeChoice);
// Of the frame that is being drawn.
const Theme& theme();
void use_theme(ThemeChoice);

// WCAG 2 contrast ratio of two opaque colours: 1 to 21.
double contrast(Colour, Colour);

}  // namespace glassfs::ui
