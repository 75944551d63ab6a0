// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <doctest/doctest.h>
#include <set>

using namespace glassfs;
using namespace glassfs::ui;

namespace {
constexpr ThemeChoice both[] = {ThemeChoice::Dark, ThemeChoice::Light};
constexpr State states[] = {State::Clean, State::New,    State::Dirty, State::Read,
                            State::Log,   State::Shared, State::Hint,  State::Freed,
                            State::Old,   State::Bad,    State::Free,  State::Selected};
// Free is drawn as the absence of content, clean as a mere outline: neither has a colour to be read.
bool has_colour(State s) {
    return s != State::Clean && s != State::Free;
}
}  // namespace

TEST_CASE("ui/theme: contrast follows WCAG 2") {
    CHECK(contrast(rgb(0x000000), rgb(0xffffff)) == doctest::Approx(21.0));
    CHECK(contrast(rgb(0x777777), rgb(0xffffff)) == doctest::Approx(4.478).epsilon(0.001));
    CHECK(contrast(rgb(0x123456), rgb(0x123456)) == doctest::Approx(1.0));
}

TEST_CASE("ui/theme: every text colour can be read on every surface") {
    for (ThemeChoice choice : both) {
        const Theme& t = theme(choice);
        CHECK(contrast(t.text3, t.panel) >= 5.9);
        for (Colour surface : {t.app, t.panel, t.raised}) {
            CHECK(contrast(t.text, surface) >= 12);
            CHECK(contrast(t.text2, surface) >= 7);
            CHECK(contrast(t.text3, surface) >= 4.5);
        }
        CHECK(contrast(t.on_accent, t.accent) >= 4.5);
        CHECK(contrast(t.text, t.accent_background) >= 7);
    }
}

TEST_CASE("ui/theme: every state's colour stands out on a panel, and on its own tint") {
    for (ThemeChoice choice : both) {
        const Theme& t = theme(choice);
        for (State s : states) {
            if (!has_colour(s)) continue;
            double needed = s == State::Old ? 3 : 5;  // old is meant to recede
            CHECK_MESSAGE(contrast(t.state(s).line, t.panel) >= needed, state_name(s));
            CHECK_MESSAGE(contrast(t.state(s).line, t.state(s).background) >= (s == State::Old ? 3 : 4.5),
                          state_name(s));
        }
    }
}

TEST_CASE("ui/theme: no two states share a shape, so colour is never the only cue") {
    std::set<Shape> shapes;
    for (State s : states) shapes.insert(state_shape(s));
    CHECK(shapes.size() == state_count);
}

TEST_CASE("ui/theme: item types are greyer than states") {
    auto chroma = [](Colour c) {
        int r = static_cast<int>(c & 0xff), g = static_cast<int>(c >> 8 & 0xff),
            b = static_cast<int>(c >> 16 & 0xff);
        return std::max({r, g, b}) - std::min({r, g, b});
    };
    for (ThemeChoice choice : both) {
        const Theme& t = theme(choice);
        for (Colour item : t.items) CHECK(chroma(item) <= 64);
        for (State s : {State::New, State::Read, State::Log, State::Freed})
            CHECK(chroma(t.state(s).line) > 80);
    }
}

TEST_CASE("ui/theme: bytes of a colour are in ImGui's order") {
    CHECK(rgb(0x112233) == 0xff332211);
    CHECK(with_alpha(rgb(0x112233), 0.5F) == 0x80332211);
}
