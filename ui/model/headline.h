// SPDX-License-Identifier: MIT
// The sentence above the stage: what is on the screen, and why, in live numbers. The title has at most 75
// characters and begins with its subject.
#pragma once

#include "ui/model/lab.h"
#include "ui/model/session.h"

namespace glassfs::ui {

struct Headline {
    enum class Tone : u8 { Calm, Good, Trouble };
    static constexpr std::size_t title_max = 75;  // characters
    std::string kind;                             // of the pill: "READ-ONLY"
    std::string title;
    std::string reason;
    std::string place;  // at the right, grey: an address; a click copies it
    Tone tone = Tone::Calm;
};

Headline headline(Session&, bool in_page);
Headline lab_headline(const LabSnapshot&);
// A name shortened in its middle to at most so many characters: "a-very-l…name.txt".
std::string short_name(const std::string& utf8, std::size_t characters_max);
std::size_t characters(const std::string& utf8);
std::string plural(u64 count, const char* one, const char* many = nullptr);  // "1 item", "1,204 items"

}  // namespace glassfs::ui
