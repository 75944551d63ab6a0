// SPDX-License-Identifier: MIT
// What platform_web.cpp calls in the page: each is a function of Module.page (page/shell.js). A definition
// may exist once in a program, so nobody else includes this.
#pragma once

#include <emscripten/em_js.h>

// clang-format off
EM_JS(void, page_copy_text, (const char* text), { Module.page.copy_text(UTF8ToString(text)); })
EM_JS(void, page_ask_for_image, (), { Module.page.ask_for_image(); })
EM_JS(char*, page_address, (), { return stringToNewUTF8(Module.page.address()); })
EM_JS(void, page_open_sample, (), { Module.page.open_sample(); })
EM_JS(void, page_request_kept, (double number, const char* json), {
    Module.page.request_kept(number, UTF8ToString(json));
})
EM_JS(void, page_ask_for_files, (const char* into), { Module.page.ask_for_files(UTF8ToString(into)); })
EM_JS(void, page_place_text, (const char* id, const char* label, int lines, float x, float y, float width,
                              float height, float scale), {
    Module.page.place_text(UTF8ToString(id), UTF8ToString(label), lines !== 0, x, y, width, height, scale);
})
EM_JS(void, page_set_text, (const char* id, const char* value), {
    Module.page.set_text(UTF8ToString(id), UTF8ToString(value));
})
EM_JS(void, page_end_text_places, (), { Module.page.end_text_places(); })
EM_JS(double, page_pixel_ratio, (), { return window.devicePixelRatio || 1; })
EM_JS(int, page_prefers_light, (), { return Module.page.prefers_light() ? 1 : 0; })
EM_JS(int, page_prefers_reduced_motion, (), {
    return matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 0;
})
EM_JS(void, page_place_console_input, (int visible, float x, float y, float width, float height), {
    Module.page.place_console_input(visible !== 0, x, y, width, height);
})
EM_JS(void, page_set_console_text, (const char* text), { Module.page.set_console_text(UTF8ToString(text)); })
EM_JS(void, page_use_mono_font, (const unsigned char* bytes, int size), {
    Module.page.use_mono_font(HEAPU8.slice(bytes, bytes + size));
})
EM_JS(void, page_publish_state, (const char* json), { Module.page.publish_state(UTF8ToString(json)); })
// clang-format on
