// SPDX-License-Identifier: MIT
// The headline: what is on the screen, and why.
#include "ui/views/views.h"
#include "ui/widgets.h"

namespace glassfs::ui {

void draw_headline(Ui& ui) {
    const Theme& t = theme();
    Rect r = ui.layout.headline;
    const Headline& h = ui.headline;
    fill(r, t.app);
    hline(r.x, r.right(), r.bottom() - 1, t.line);
    Colour ink = t.text2;
    Colour back = t.hover;
    if (h.tone == Headline::Tone::Good) {
        ink = t.good;
        back = t.state(State::Log).background;
    }
    if (h.tone == Headline::Tone::Trouble) {
        ink = t.state(State::Bad).line;
        back = t.state(State::Bad).background;
    }
    float pill_width = 0;
    pill(h.kind, r.x + 20, r.y + 29, ink, back, &pill_width);
    float x = r.x + 20 + pill_width + 12;
    if (draw_text_fit(canvas(), Font::Headline, x, r.y + 29, r.right() - 20 - x, t.text, h.title)) {
        tooltip_if(area("title", {x, r.y + 14, r.right() - 20 - x, 30}).hovered, h.title);
    }
    float room = r.w - 40;
    if (!h.place.empty()) {
        float width = std::min(text_width(Font::Mono12, h.place), r.w * 0.4F);
        Rect place{r.right() - 20 - width, r.y + 48, width, 24};
        copyable(0, place, h.place);
        draw_text_fit(canvas(), Font::Mono12, r.right() - 20, r.y + 60, width, t.text3, h.place,
                      Align::Right);
        room -= width + 24;
    }
    if (draw_text_fit(canvas(), Font::Reason, r.x + 20, r.y + 60, room, t.text2, h.reason)) {
        tooltip_if(area("reason", {r.x + 20, r.y + 48, room, 24}).hovered, h.reason);
    }
}

}  // namespace glassfs::ui
