// SPDX-License-Identifier: MIT
// The Trees workspace's stage: one tree as blocks, from all of it down to the hex of an item. Draws into the
// current ImGui window and handles pointer and keyboard there; what is chosen goes into Session::view.
#pragma once

#include "imgui.h"
#include "ui/model/session.h"

#include <memory>

namespace glassfs::ui {

class TreesStage {
  public:
    TreesStage();
    ~TreesStage();

    // Draws in the screen rectangle [min, max). Keys are handled only while `has_focus`.
    void draw(Session&, ImVec2 min, ImVec2 max, bool has_focus);
    // Something moves: another frame is due even without input.
    bool animating() const;

    struct State;

  private:
    std::unique_ptr<State> state_;
};

}  // namespace glassfs::ui
