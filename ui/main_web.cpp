// SPDX-License-Identifier: MIT
// The interface in a page: the browser calls for each frame, and a frame is drawn only if something has
// happened.
#include "ui/platform.h"
#include "ui/window.h"

#include <emscripten.h>
#include <emscripten/html5.h>

namespace {

// For as long as the page lives; nothing is destroyed, since other threads may still be at work when it goes.
glassfs::ui::Session* session = nullptr;
glassfs::ui::Window* window = nullptr;

void frame() {
    window->step();
}

}  // namespace

int main() {
    using namespace glassfs::ui;
    session = new Session;
    session->view.theme = platform::prefers_light() ? ThemeChoice::Light : ThemeChoice::Dark;
    session->view.reduced_motion = platform::prefers_reduced_motion();
    double width = 1280;
    double height = 800;
    emscripten_get_element_css_size("#canvas", &width, &height);
    WindowOptions options;
    options.width = static_cast<int>(width);
    options.height = static_cast<int>(height);
    options.fills_page = true;
    window = Window::make(*session, options).release();
    if (!window) return 1;
    platform::attach(*session);
    emscripten_set_main_loop(frame, 0, false);
    return 0;
}
