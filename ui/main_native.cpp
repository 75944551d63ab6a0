// SPDX-License-Identifier: MIT
// glassfs-window: the interface as a window of the desktop. With --screenshot it draws, runs a script, saves
// the picture and ends: for tests, and for the documentation.
#include "base/text.h"
#include "imgui.h"
#include "ui/platform_native.h"
#include "ui/png.h"
#include "ui/window.h"

#include <SDL.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace glassfs;
using namespace glassfs::ui;

namespace {

constexpr const char* usage =
    "glassfs-window [IMAGE...]        several images: the devices of one volume\n"
    "  --size WxH                     of the window (1600x1000)\n"
    "  --theme dark|light\n"
    "  --density N                    device pixels per unit (1)\n"
    "  --script STEPS                 steps separated by newlines: an action as JSON "
    "(ui/model/page_state.h), or\n"
    "                                 click X,Y | double X,Y | move X,Y | wheel N | key NAME\n"
    "  --screenshot FILE.png          run the script, save the picture, end\n"
    "  --glyphs                       the reference sheet of block glyphs, in place of a volume\n"
    "  --print-state                  the page's state as JSON, at the end\n";

struct Options {
    std::vector<std::string> images;
    WindowOptions window;
    ThemeChoice theme = ThemeChoice::Dark;
    float density = 1;
    std::string script;
    std::string screenshot;
    bool print_state = false;
    bool glyphs = false;
};

bool parse_value(Options& o, std::string_view name, const char* value) {
    if (name == "--size") return std::sscanf(value, "%dx%d", &o.window.width, &o.window.height) == 2;
    if (name == "--theme") {
        o.theme = std::string_view(value) == "light" ? ThemeChoice::Light : ThemeChoice::Dark;
        return o.theme == ThemeChoice::Light || std::string_view(value) == "dark";
    }
    if (name == "--density") return (o.density = std::strtof(value, nullptr)) > 0;
    if (name == "--script")
        o.script = value;
    else if (name == "--screenshot")
        o.screenshot = value;
    else
        return false;
    return true;
}

bool parse(Options& o, int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::string_view name = argv[i];
        if (name == "--print-state")
            o.print_state = true;
        else if (name == "--glyphs")
            o.glyphs = true;
        else if (!name.starts_with("--"))
            o.images.emplace_back(name);
        else if (i + 1 >= argc || !parse_value(o, name, argv[++i]))
            return false;
    }
    return true;
}

// Frames until nothing is read, nothing moves and what was read is drawn.
void settle(Window& window, Session& session) {
    int calm = 0;
    for (int i = 0; i < 2000 && calm < 6; ++i) {
        SDL_PumpEvents();
        window.draw_now();
        bool quiet = !session.busy() && !window.app().stale() && session.state() != SessionState::Opening;
        calm = quiet ? calm + 1 : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(quiet ? 40 : 10));
    }
}

// The screen's real pointer: ImGui's back end asks for it in every frame.
void point(float x, float y) {
    SDL_WarpMouseInWindow(SDL_GL_GetCurrentWindow(), static_cast<int>(x), static_cast<int>(y));
    SDL_PumpEvents();
    ImGui::GetIO().AddMousePosEvent(x, y);
}

void press(Window& window, int button, int clicks) {
    ImGuiIO& io = ImGui::GetIO();
    for (int i = 0; i < clicks; ++i) {
        io.AddMouseButtonEvent(button, true);
        window.draw_now();
        io.AddMouseButtonEvent(button, false);
        window.draw_now();
    }
}

void press_key(Window& window, const char* name) {
    for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
        if (std::strcmp(ImGui::GetKeyName(static_cast<ImGuiKey>(key)), name) != 0) continue;
        ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(key), true);
        window.draw_now();
        ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(key), false);
        window.draw_now();
    }
}

void run_step(Window& window, const std::string& step) {
    float x = 0;
    float y = 0;
    char name[64] = "";
    ImGuiIO& io = ImGui::GetIO();
    if (step.starts_with("{"))
        platform::push_action(step);
    else if (std::sscanf(step.c_str(), "wheel %f", &y) == 1)
        io.AddMouseWheelEvent(0, y);
    else if (std::sscanf(step.c_str(), "key %63s", name) == 1)
        press_key(window, name);
    else if (std::sscanf(step.c_str(), "%*s %f,%f", &x, &y) == 2) {
        point(x, y);
        window.draw_now();
        window.draw_now();
        if (step.starts_with("click")) press(window, 0, 1);
        if (step.starts_with("double")) press(window, 0, 2);
    } else {
        std::fprintf(stderr, "glassfs-window: unknown step: %s\n", step.c_str());
    }
}

int run_script(Window& window, Session& session, const Options& o) {
    point(static_cast<float>(o.window.width - 1), 52);  // out of the way: it would light what it is over
    settle(window, session);
    std::size_t at = 0;
    while (at < o.script.size()) {
        std::size_t end = std::min(o.script.find('\n', at), o.script.size());
        if (end > at) run_step(window, o.script.substr(at, end - at));
        at = end + 1;
        settle(window, session);
    }
    int width = 0;
    int height = 0;
    Buffer rgb = window.pixels(&width, &height);
    auto written = o.screenshot.empty() ? Result<void>() : write_png(o.screenshot, width, height, rgb);
    if (!written) std::fprintf(stderr, "glassfs-window: %s\n", written.error().message().c_str());
    if (o.print_state) std::printf("%s\n", platform::published_state().c_str());
    return written ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    if (!parse(o, argc, argv)) {
        std::fputs(usage, stderr);
        return 2;
    }
    Session session;
    session.view.theme = o.theme;
    platform::set_density(o.density);
    bool scripted = !o.screenshot.empty() || o.print_state;
    auto window = Window::make(session, o.window);
    if (!window) return 2;
    window->app().show_glyphs(o.glyphs);
    session.set_notify([&window] { window->wake(); });
    if (!o.images.empty()) platform::open_files(session, o.images);
    int status = 0;
    if (scripted) {
        status = run_script(*window, session, o);
    } else {
        while (window->step()) window->wait();
    }
    session.set_notify(nullptr);
    return status;
}
