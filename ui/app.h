// SPDX-License-Identifier: MIT
// One frame of the whole interface, from the session's state to ImGui's draw lists. Knows neither SDL nor the
// page.
#pragma once

#include "ui/views/views.h"

#include <memory>

namespace glassfs::ui {

class App {
  public:
    explicit App(Session&);
    ~App();

    // Between ImGui::NewFrame() and ImGui::Render(). Size in layout units. `cpu_ms`: what the last frame
    // took.
    void frame(float width, float height, double cpu_ms);
    // Another frame is due even without input: something moves, or fades.
    bool animating() const;
    void set_drag_over(bool over);
    // Shows the reference sheet of block glyphs (1600 x 1000) over everything.
    void show_glyphs(bool show);
    // What the session and the person changed since the last frame that was drawn.
    bool stale() const;
    // Keeps the file or folder (as tar) at this path.
    void extract(const std::string& path);

  private:
    void draw(float width, float height);
    void publish();
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace glassfs::ui
