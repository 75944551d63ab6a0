// SPDX-License-Identifier: MIT
// Guided tours: a few steps, each with a sentence and something that happens on a real volume. They can be
// left at any step; what they made stays.
#pragma once

#include "ui/model/lab.h"
#include "ui/model/session.h"

#include <functional>
#include <string>
#include <vector>

namespace glassfs::ui {

struct TourContext {
    Session& session;
    LabModel& lab;
};

struct TourStep {
    std::string title;                               // at most 75 characters
    std::function<void(TourContext&)> begin;         // what happens when the step is entered
    std::function<std::string(TourContext&)> words;  // with live numbers
    std::function<bool(TourContext&)> ready;         // what it shows is there; empty: at once
    std::function<void(TourContext&)> arrive;        // done once, when it is ready; may be empty
};

struct Tour {
    std::string id;     // "copy-on-write"
    std::string name;   // "Copy on write"
    std::string about;  // one line
    std::vector<TourStep> steps;
};

const std::vector<Tour>& tours();

// Where somebody is in a tour.
class TourGuide {
  public:
    // False: there is no such tour.
    bool start(TourContext, const std::string& id);
    void go(TourContext, int by);
    void leave() { tour_ = nullptr; }
    // Once a frame.
    void follow(TourContext);

    const Tour* tour() const { return tour_; }
    std::size_t at() const { return at_; }
    bool ready() const { return arrived_; }
    bool last() const { return tour_ != nullptr && at_ + 1 == tour_->steps.size(); }

  private:
    void enter(TourContext&);
    const Tour* tour_ = nullptr;
    std::size_t at_ = 0;
    bool arrived_ = false;
};

}  // namespace glassfs::ui
