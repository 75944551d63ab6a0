// SPDX-License-Identifier: MIT
// A file's content as text or hex, read as far as it is scrolled to.
#include "ui/model/preview.h"

#include "base/text.h"
#include "imgui.h"
#include "ui/views/views.h"
#include "ui/widgets.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr float line_height = 20;
constexpr std::size_t row_bytes_wide = 16;
constexpr u64 rows_max = 4'000'000;  // float positions stay exact enough to scroll by

void draw_hex_line(u64 at, Bytes bytes, u64 row_bytes, float x, float y) {
    const Theme& t = theme();
    float cell = text_width(Font::Mono12, "0");
    draw_text(canvas(), Font::Mono12, x, y, t.text3, text("%08llx", static_cast<unsigned long long>(at)));
    draw_text(canvas(), Font::Mono12, x + cell * 10, y, t.text, hex_row_bytes(bytes));
    float text_x = x + cell * (10 + 3 * static_cast<float>(row_bytes) + 1);
    draw_text(canvas(), Font::Mono12, text_x, y, t.text2, hex_row_text(bytes));
}

void draw_hex_preview(Ui& ui, Rect body, const vfs::Attributes& a) {
    float cell = text_width(Font::Mono12, "0");
    std::size_t row_bytes = body.w > cell * 76 ? row_bytes_wide : 8;
    auto rows = static_cast<std::size_t>(std::min<u64>((a.size + row_bytes - 1) / row_bytes, rows_max));
    Scroll scroll("hex", body);
    auto [first, last] = scroll.visible(rows, line_height, scroll.top());
    for (std::size_t i = first; i < last; ++i) {
        u64 at = u64{i} * row_bytes;
        float y = scroll.top() + static_cast<float>(i) * line_height + line_height / 2;
        auto granule = ui.session.file_bytes(a.id, at);
        if (const Error* error = granule.error()) {
            draw_text_fit(canvas(), Font::Body, body.x, y, body.w, theme().state(State::Bad).line,
                          error->message());
            break;
        }
        if (!granule || at - granule->offset >= granule->data.size()) continue;
        Bytes rest = Bytes(granule->data).subspan(static_cast<std::size_t>(at - granule->offset));
        draw_hex_line(at, rest.first(std::min<std::size_t>(row_bytes, rest.size())), row_bytes, body.x, y);
    }
    scroll.content_height(static_cast<float>(rows) * line_height);
}

void draw_text_preview(Ui& ui, Rect body, const FileBytes& bytes, u64 size) {
    auto columns = static_cast<std::size_t>(std::max(20.0F, (body.w - 12) / text_width(Font::Mono12, "0")));
    std::tuple now(ui.session.epoch(), *ui.view().selection.node, columns);
    if (ui.preview_of != now) ui.preview_lines = text_lines(bytes.data, 4000, columns);
    ui.preview_of = now;
    const auto& lines = ui.preview_lines;
    Scroll scroll("text", body);
    auto [first, last] = scroll.visible(lines.size(), line_height, scroll.top());
    for (std::size_t i = first; i < last; ++i) {
        float y = scroll.top() + static_cast<float>(i) * line_height + line_height / 2;
        draw_text_fit(canvas(), Font::Mono12, body.x, y, body.w - 8, theme().text2, lines[i]);
    }
    float height = static_cast<float>(lines.size()) * line_height;
    if (size > bytes.data.size()) {
        std::string rest = grouped(size - bytes.data.size()) + " B more: see Hex";
        draw_text(canvas(), Font::Caption, body.x, scroll.top() + height + 12, theme().text3, rest);
        height += 24;
    }
    scroll.content_height(height);
}

}  // namespace

void draw_preview(Ui& ui, Rect r) {
    const Theme& t = theme();
    const Selection& s = ui.view().selection;
    auto attributes = ui.session.attributes(*s.node);
    if (!attributes) return;
    draw_text_fit(canvas(), Font::ReasonBold, r.x, r.y + 16, r.w - 120, t.text, printable(last_name(s.path)));
    Rect body{r.x, r.y + 36, r.w, r.h - 36};
    if (attributes->type == vfs::FileType::Symlink) {
        auto target = ui.session.readlink(*s.node);
        if (target)
            draw_text_fit(canvas(), Font::Mono13, r.x, body.y + 10, r.w, t.text2,
                          "\xe2\x86\x92 " + printable(*target));
        return;
    }
    if (attributes->type != vfs::FileType::Regular) return;
    if (attributes->size == 0) {
        draw_text(canvas(), Font::Body, r.x, body.y + 10, t.text3, "This file is empty.");
        return;
    }
    auto bytes = ui.session.file_bytes(*s.node, 0);
    if (const Error* error = bytes.error()) {
        draw_text_fit(canvas(), Font::Body, r.x, body.y + 10, r.w, t.state(State::Bad).line,
                      error->message());
        return;
    }
    if (!bytes) return;
    bool as_words = looks_like_text(bytes->data);
    if (as_words) {
        const char* other = ui.hex_preview ? "Text" : "Hex";
        if (text_button("other", other, r.right() - 8, r.y + 16, Align::Right))
            ui.hex_preview = !ui.hex_preview;
    } else {
        draw_text(canvas(), Font::Caption, r.right() - 8, r.y + 16, t.text3, "not text", Align::Right);
    }
    if (as_words && !ui.hex_preview)
        draw_text_preview(ui, body, *bytes, attributes->size);
    else
        draw_hex_preview(ui, body, *attributes);
}

}  // namespace glassfs::ui
