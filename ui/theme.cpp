// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

// In the order of ItemClass: inode, ref, dir item, dir index, extent, inline, csum, root, device, chunk,
// pointer, other.
constexpr u32 dark_items[inspect::item_class_count] = {0x8E9CB2, 0x66768A, 0x87A08A, 0xA9BBA0,
                                                       0xB7A488, 0xD0BE9F, 0x73899A, 0xA79BB8,
                                                       0x9AA6A0, 0xC0B0A0, 0x5F6C7B, 0x5F6C7B};
constexpr u32 light_items[inspect::item_class_count] = {0x7687A0, 0x9DABBC, 0x7C9A80, 0x9DB494,
                                                        0xA99374, 0xC4AE88, 0x7F97A8, 0x9788AC,
                                                        0x8B9992, 0xB3A08D, 0x8C98A6, 0x8C98A6};

void set(Theme& t, State state, u32 line, u32 background) {
    t.states[static_cast<std::size_t>(state)] = {rgb(line), rgb(background)};
}

Theme make_dark() {
    Theme t;
    t.app = rgb(0x0E1217);
    t.panel = rgb(0x141920);
    t.raised = rgb(0x1B222B);
    t.hover = rgb(0x242D38);
    t.line = rgb(0x27303B);
    t.line_strong = rgb(0x3B4756);
    t.text = rgb(0xE8EDF3);
    t.text2 = rgb(0xAEB9C5);
    t.text3 = rgb(0x8A97A5);
    t.accent = rgb(0x8C9EFF);
    t.accent_background = rgb(0x23294A);
    t.on_accent = rgb(0x0E1217);
    t.good = rgb(0x35C4A0);
    set(t, State::Clean, 0x3B4756, 0x1B222B);
    set(t, State::New, 0xF2A33A, 0x33260F);
    set(t, State::Dirty, 0xF2A33A, 0x33260F);
    set(t, State::Read, 0x5FB8EE, 0x122A3A);
    set(t, State::Log, 0x2BAE8C, 0x0E2E28);
    set(t, State::Shared, 0xD690C4, 0x35202F);
    set(t, State::Hint, 0xF3E24D, 0x35320F);
    set(t, State::Freed, 0xEF7548, 0x3A1D13);
    set(t, State::Old, 0x7A8796, 0x171D24);
    set(t, State::Bad, 0xEF7548, 0x3A1D13);
    set(t, State::Free, 0x27303B, 0x10151B);
    set(t, State::Selected, 0xFFFFFF, 0x23294A);
    std::transform(std::begin(dark_items), std::end(dark_items), std::begin(t.items), rgb);
    return t;
}

Theme make_light() {
    Theme t;
    t.app = rgb(0xEEF1F5);
    t.panel = rgb(0xFFFFFF);
    t.raised = rgb(0xF4F6F9);
    t.hover = rgb(0xE6EBF1);
    t.line = rgb(0xD9E0E8);
    t.line_strong = rgb(0xB4BFCC);
    t.text = rgb(0x161C23);
    t.text2 = rgb(0x44505D);
    t.text3 = rgb(0x586472);
    t.accent = rgb(0x4053D6);
    t.accent_background = rgb(0xE3E7FF);
    t.on_accent = rgb(0xFFFFFF);
    t.good = rgb(0x0A7A60);
    set(t, State::Clean, 0xB4BFCC, 0xF4F6F9);
    set(t, State::New, 0x9A5200, 0xFCEBD3);
    set(t, State::Dirty, 0x9A5200, 0xFCEBD3);
    set(t, State::Read, 0x0A6FB0, 0xDDF0FC);
    set(t, State::Log, 0x075C47, 0xD8F3EB);
    set(t, State::Shared, 0xA0468A, 0xF8E4F2);
    set(t, State::Hint, 0x6A6200, 0xFBF6C9);
    set(t, State::Freed, 0x9A2A0C, 0xFCE3D9);
    set(t, State::Old, 0x77838F, 0xF1F3F6);
    set(t, State::Bad, 0x9A2A0C, 0xFCE3D9);
    set(t, State::Free, 0xD9E0E8, 0xFAFBFC);
    set(t, State::Selected, 0x101418, 0xE3E7FF);
    std::transform(std::begin(light_items), std::end(light_items), std::begin(t.items), rgb);
    return t;
}

ThemeChoice in_use = ThemeChoice::Dark;

double luminance(Colour colour) {
    double parts[3];
    for (unsigned i = 0; i < 3; ++i) {
        double c = (colour >> (8 * i) & 0xff) / 255.0;
        parts[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

}  // namespace

Shape state_shape(State state) {
    switch (state) {
        case State::Clean:
            return Shape::ThinBorder;
        case State::New:
            return Shape::TopBand;
        case State::Dirty:
            return Shape::CornerNotch;
        case State::Read:
            return Shape::Border;
        case State::Log:
            return Shape::LeftSpine;
        case State::Shared:
            return Shape::DoubleBorder;
        case State::Hint:
            return Shape::Flag;
        case State::Freed:
            return Shape::DashedStruck;
        case State::Old:
            return Shape::GreyDashes;
        case State::Bad:
            return Shape::CrossedDashes;
        case State::Free:
            return Shape::ThinBorderEmpty;
        case State::Selected:
            return Shape::OuterRing;
    }
    return Shape::ThinBorder;
}

const char* state_name(State state) {
    switch (state) {
        case State::Clean:
            return "same on disk";
        case State::New:
            return "new in this transaction";
        case State::Dirty:
            return "changed, not on disk";
        case State::Read:
            return "read this step";
        case State::Log:
            return "log";
        case State::Shared:
            return "shared";
        case State::Hint:
            return "hint";
        case State::Freed:
            return "freed";
        case State::Old:
            return "old, kept until commit";
        case State::Bad:
            return "bad checksum or content";
        case State::Free:
            return "free";
        case State::Selected:
            return "selected";
    }
    return "";
}

const Theme& theme(ThemeChoice choice) {
    static const Theme dark = make_dark();
    static const Theme light = make_light();
    return choice == ThemeChoice::Dark ? dark : light;
}

const Theme& theme() {
    return theme(in_use);
}
void use_theme(ThemeChoice choice) {
    in_use = choice;
}

double contrast(Colour a, Colour b) {
    double la = luminance(a);
    double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

}  // namespace glassfs::ui
