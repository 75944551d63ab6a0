// SPDX-License-Identifier: MIT
#include "ui/window.h"

#include "imgui.h"
#include "imgui_impl_opengl3.h"
#include "imgui_impl_sdl2.h"
#include "ui/fonts.h"
#include "ui/platform.h"

#include <SDL.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#ifdef IMGUI_IMPL_OPENGL_ES3
#include <GLES3/gl3.h>
#else
#include <SDL_opengl.h>
#endif

namespace glassfs::ui {

namespace {
using Clock = std::chrono::steady_clock;
constexpr int frames_after_input = 3;  // hover and tooltips settle in them
}  // namespace

struct Window::State {
    Session& session;
    WindowOptions options;
    SDL_Window* window = nullptr;
    SDL_GLContext context = nullptr;
    std::unique_ptr<App> app = {};
    Uint32 wake_event = 0;
    float fonts_density = 0;
    int frames_due = frames_after_input;
    double cpu_ms = 0;
    std::vector<std::string> dropped = {};

    float density() const;
    std::optional<SDL_Event> held_press = {};  // for the next frame

    bool handle(SDL_Event&);
    bool handle_all();
    void draw();
};

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {}

float Window::State::density() const {
    if (options.density > 0) return options.density;
    return platform::device_pixel_ratio();
}

std::unique_ptr<Window> Window::make(Session& session, const WindowOptions& options) {
    SDL_SetMainReady();
    SDL_SetHint(SDL_HINT_VIDEO_HIGHDPI_DISABLED, "0");
    SDL_SetHint(SDL_HINT_EMSCRIPTEN_KEYBOARD_ELEMENT, "#canvas");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        std::fprintf(stderr, "glassfs-window: %s\n", SDL_GetError());
        return nullptr;
    }
#ifdef IMGUI_IMPL_OPENGL_ES3
    const char* shaders = "#version 300 es";
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_ES);
#else
    const char* shaders = "#version 150";
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 2);
#endif
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    auto state = std::make_unique<State>(State{session, options});
    Uint32 flags = SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    if (options.hidden) flags |= SDL_WINDOW_HIDDEN;
    state->window = SDL_CreateWindow("GlassFS", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, options.width,
                                     options.height, flags);
    if (state->window) state->context = SDL_GL_CreateContext(state->window);
    if (!state->context) {
        std::fprintf(stderr, "glassfs-window: %s\n", SDL_GetError());
        return nullptr;
    }
    if (!options.fills_page) SDL_SetWindowMinimumSize(state->window, 640, 480);
    SDL_GL_SetSwapInterval(1);
    state->wake_event = SDL_RegisterEvents(1);
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    ImGui_ImplSDL2_InitForOpenGL(state->window, state->context);
    ImGui_ImplOpenGL3_Init(shaders);
    state->app = std::make_unique<App>(session);
    SDL_EventState(SDL_DROPFILE, SDL_ENABLE);
    return std::unique_ptr<Window>(new Window(std::move(state)));
}

Window::~Window() {
    if (!state_) return;
    state_->session.set_notify(nullptr);
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplSDL2_Shutdown();
    ImGui::DestroyContext();
    SDL_GL_DeleteContext(state_->context);
    SDL_DestroyWindow(state_->window);
    SDL_Quit();
}

// Returns false when the window is to close.
bool Window::State::handle(SDL_Event& event) {
    if (event.type == SDL_QUIT) return false;
    if (event.type == wake_event) return true;  // stale() says whether there is something to draw
    frames_due = frames_after_input;
    if (event.type == SDL_DROPBEGIN) app->set_drag_over(true);
    if (event.type == SDL_DROPFILE) {
        dropped.emplace_back(event.drop.file);
        SDL_free(event.drop.file);
        return true;
    }
    if (event.type == SDL_DROPCOMPLETE) {
        app->set_drag_over(false);
        if (!dropped.empty()) platform::drop_paths(std::exchange(dropped, {}));
        return true;
    }
    float scale = session.view.scale;
    if (event.type == SDL_MOUSEMOTION) {
        event.motion.x = static_cast<int>(std::lround(static_cast<float>(event.motion.x) / scale));
        event.motion.y = static_cast<int>(std::lround(static_cast<float>(event.motion.y) / scale));
    }
    ImGui_ImplSDL2_ProcessEvent(&event);
    return true;
}

void Window::State::draw() {
    auto begin = Clock::now();
    float pixel_ratio = density();
    float scale = session.view.scale;
    float wanted = pixel_ratio * scale;
    if (std::abs(wanted - fonts_density) > 0.001F) {
        build_fonts(wanted);
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        fonts_density = wanted;
    }
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplSDL2_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    int width = 0;
    int height = 0;
    SDL_GetWindowSize(window, &width, &height);
    io.DisplaySize = ImVec2(static_cast<float>(width) / scale, static_cast<float>(height) / scale);
    int pixels_x = 0;
    int pixels_y = 0;
    SDL_GL_GetDrawableSize(window, &pixels_x, &pixels_y);
    float ratio = width > 0 ? static_cast<float>(pixels_x) / static_cast<float>(width) : 1;
    io.DisplayFramebufferScale = ImVec2(ratio * scale, ratio * scale);
    if (scale != 1 && SDL_GetMouseFocus() == window) {
        int x = 0;
        int y = 0;
        SDL_GetMouseState(&x, &y);
        io.AddMousePosEvent(static_cast<float>(x) / scale, static_cast<float>(y) / scale);
    }
    ImGui::NewFrame();
    app->frame(io.DisplaySize.x, io.DisplaySize.y, cpu_ms);
    ImGui::Render();
    cpu_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    glViewport(0, 0, pixels_x, pixels_y);
    ImVec4 clear = ImGui::ColorConvertU32ToFloat4(theme().app);
    glClearColor(clear.x, clear.y, clear.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Window::draw_now() {
    state_->draw();
}

// The events up to the next frame. An area under others takes a press only if the pointer was over it in the
// frame before, so a press that comes with its motion, as a tap does, waits for a frame in between.
bool Window::State::handle_all() {
    bool moved = false;
    SDL_Event event;
    while (held_press || SDL_PollEvent(&event)) {
        if (held_press) {
            event = *std::exchange(held_press, std::nullopt);
        } else if (event.type == SDL_MOUSEBUTTONDOWN && moved) {
            held_press = event;
            return true;
        }
        moved = moved || event.type == SDL_MOUSEMOTION;
        if (!handle(event)) return false;
    }
    return true;
}

bool Window::step() {
    State& s = *state_;
    if (!s.handle_all()) return false;
    bool due = s.frames_due > 0 || s.app->stale() || s.app->animating() || platform::wants_frame();
    if (!due) return true;
    if (s.frames_due > 0) --s.frames_due;
    s.draw();
    SDL_GL_SwapWindow(s.window);
    return true;
}

void Window::wait() {
    State& s = *state_;
    if (s.frames_due > 0 || s.held_press || s.app->stale() || s.app->animating()) return;
    SDL_WaitEventTimeout(nullptr, 200);  // the host may have news that come without an event
}

void Window::wake() {
    SDL_Event event = {};
    event.type = state_->wake_event;
    SDL_PushEvent(&event);
}

Buffer Window::pixels(int* width, int* height) {
    SDL_GL_GetDrawableSize(state_->window, width, height);
    auto w = static_cast<std::size_t>(*width);
    auto h = static_cast<std::size_t>(*height);
    Buffer bottom_up(w * h * 4);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, *width, *height, GL_RGBA, GL_UNSIGNED_BYTE, bottom_up.data());
    Buffer rgb(w * h * 3);
    for (std::size_t y = 0; y < h; ++y) {
        for (std::size_t x = 0; x < w; ++x) {
            for (std::size_t i = 0; i < 3; ++i)
                rgb[(y * w + x) * 3 + i] = bottom_up[((h - 1 - y) * w + x) * 4 + i];
        }
    }
    return rgb;
}

App& Window::app() {
    return *state_->app;
}

}  // namespace glassfs::ui
