// SPDX-License-Identifier: MIT
#include "ui/fonts.h"

#include "assets/fonts.h"

#include <cmath>

namespace glassfs::ui {

namespace {

enum class Face : u8 { InterRegular, InterSemiBold, MonoRegular, MonoMedium };

struct Cut {
    Face face;
    float size;  // layout units
    bool all;    // every script in the font; else Latin alone, to keep the atlas small
};

constexpr Cut cuts[font_count] = {
    {Face::InterRegular, 12, true},   {Face::InterSemiBold, 12, true},  {Face::InterRegular, 13, true},
    {Face::InterSemiBold, 13, true},  {Face::InterRegular, 14, true},   {Face::InterSemiBold, 14, false},
    {Face::InterSemiBold, 15, false}, {Face::InterSemiBold, 17, true},  {Face::InterSemiBold, 19, true},
    {Face::MonoRegular, 12, true},    {Face::MonoRegular, 13, true},    {Face::MonoMedium, 13, true},
    {Face::MonoMedium, 12, false},    {Face::InterSemiBold, 26, false},
};

constexpr ImWchar latin[] = {0x20, 0x17f, 0x2010, 0x203a, 0x2190, 0x2199, 0x2212, 0x2212, 0xfffd, 0xfffd, 0};
// As assets/embed-font cuts them.
constexpr ImWchar scripts[] = {0x20,   0x17f,  0x370,  0x3ff,  0x400,  0x45f,  0x2010, 0x203a, 0x2070,
                               0x209c, 0x20ac, 0x20ac, 0x2116, 0x2122, 0x2190, 0x21e7, 0x2205, 0x2265,
                               0x2318, 0x23ce, 0x2500, 0x25ff, 0x2713, 0x2717, 0xfffd, 0xfffd, 0};

ImFont* fonts[font_count] = {};

assets::FontFile file_of(Face face) {
    switch (face) {
        case Face::InterRegular:
            return assets::inter_regular();
        case Face::InterSemiBold:
            return assets::inter_semibold();
        case Face::MonoRegular:
            return assets::mono_regular();
        case Face::MonoMedium:
            return assets::mono_medium();
    }
    return {};
}

constexpr float capital_height = 0.728F;  // of the em, in both faces
constexpr char ellipsis[] = "\xe2\x80\xa6";

}  // namespace

void build_fonts(float density) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    atlas.TexDesiredWidth = density > 1.5F ? 4096 : 2048;
    for (std::size_t i = 0; i < font_count; ++i) {
        const Cut& cut = cuts[i];
        assets::FontFile file = file_of(cut.face);
        ImFontConfig config;
        config.FontDataOwnedByAtlas = false;
        config.OversampleH = density > 1.5F ? 1 : 2;
        config.OversampleV = 1;
        config.EllipsisChar = 0x2026;
        // ImGui's size is ascender to descender; the design's is the em. Both fonts say how the two relate.
        bool mono = cut.face == Face::MonoRegular || cut.face == Face::MonoMedium;
        float em_to_line = mono ? 1.32F : 1.2102F;
        config.GlyphRanges = cut.all ? scripts : latin;
        fonts[i] =
            atlas.AddFontFromMemoryTTF(const_cast<unsigned char*>(file.data()), static_cast<int>(file.size()),
                                       std::round(cut.size * density * em_to_line), &config);
        fonts[i]->Scale = 1.0F / density;
        fonts[i]->FallbackChar = 0xfffd;
    }
    atlas.Build();
    ImGui::GetIO().FontDefault = fonts[static_cast<std::size_t>(Font::Body)];
}

ImFont* font(Font f) {
    return fonts[static_cast<std::size_t>(f)];
}

float font_size(Font f) {
    const ImFont* chosen = font(f);
    return chosen->FontSize * chosen->Scale;
}

float text_width(Font f, std::string_view s) {
    return font(f)->CalcTextSizeA(font_size(f), 1e9F, 0, s.data(), s.data() + s.size()).x;
}

float draw_text(ImDrawList* list, Font f, float x, float y, Colour colour, std::string_view s, Align align) {
    float size = font_size(f);
    float width = text_width(f, s);
    if (align == Align::Right) x -= width;
    if (align == Align::Centre) x -= width / 2;
    const ImGuiIO& io = ImGui::GetIO();
    float density = io.DisplayFramebufferScale.x;
    // On whole device pixels: glyphs are sharp only there. Capitals are centred on `y`, so that words and
    // mono stand on one line.
    x = std::round(x * density) / density;
    float baseline =
        std::round((y + cuts[static_cast<std::size_t>(f)].size * capital_height / 2) * density) / density;
    float top = baseline - font(f)->Ascent * font(f)->Scale;
    list->AddText(font(f), size, ImVec2(x, top), colour, s.data(), s.data() + s.size());
    return width;
}

std::string fit_text(Font f, std::string_view s, float width) {
    if (text_width(f, s) <= width) return std::string(s);
    float room = width - text_width(f, ellipsis);
    const char* rest = nullptr;
    if (room <= 0) return ellipsis;
    font(f)->CalcTextSizeA(font_size(f), room, 0, s.data(), s.data() + s.size(), &rest);
    return std::string(s.data(), rest) + ellipsis;
}

bool draw_text_fit(ImDrawList* list, Font f, float x, float y, float width, Colour colour, std::string_view s,
                   Align align) {
    std::string cut = fit_text(f, s, width);
    draw_text(list, f, x, y, colour, cut, align);
    return cut.size() != s.size() || cut != s;
}

}  // namespace glassfs::ui
