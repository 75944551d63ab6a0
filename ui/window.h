// SPDX-License-Identifier: MIT
// SDL's window with OpenGL in it and ImGui's back ends: what the native program and the page have in common.
// Draws only when something has happened.
#pragma once

#include "ui/app.h"

#include <memory>
#include <string>

namespace glassfs::ui {

struct WindowOptions {
    int width = 1600;  // of the window, in its own units
    int height = 1000;
    bool hidden = false;
    bool fills_page = false;  // the window is the page's canvas
    float density = 0;        // device pixels per unit; 0: ask the host
};

class Window {
  public:
    // Null, with a message on stderr, when there is no OpenGL.
    static std::unique_ptr<Window> make(Session&, const WindowOptions&);
    ~Window();

    // Handles what has happened and draws if needed. False: the window was closed.
    bool step();
    // Waits for input, news from the session, or the next frame of an animation.
    void wait();
    void wake();  // from any thread
    void draw_now();
    // The pixels of the last frame, RGB, top row first.
    Buffer pixels(int* width, int* height);
    App& app();

  private:
    struct State;
    explicit Window(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

}  // namespace glassfs::ui
