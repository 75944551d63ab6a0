// SPDX-License-Identifier: MIT
#include "ui/model/tour.h"

#include "base/text.h"
#include "ui/model/headline.h"
#include "ui/model/moment.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr u64 GiB = 1ULL << 30, TiB = 1ULL << 40, PiB = 1ULL << 50;

// ---- On a live volume

bool at_rest(TourContext& c) {
    const auto entries = c.session.console();
    return c.session.writable() && c.session.timeline() && !entries.empty() && !entries.back().running;
}

bool has_operation(TourContext& c, std::string_view command) {
    if (!at_rest(c)) return false;
    const auto timeline = c.session.timeline();
    return !timeline->operations.empty() &&
           timeline->operations.back().name.find(command) != std::string::npos;
}

// The first (or last) step of the last operation for which `is` holds; null: none.
const TimelineStep* find_step(const Timeline& line, bool last,
                              const std::function<bool(const trace::Event&)>& is) {
    if (line.operations.empty()) return nullptr;
    const TimelineOperation& operation = line.operations.back();
    const TimelineStep* found = nullptr;
    for (u32 i = operation.first; i < operation.first + operation.count; ++i) {
        if (!is(line.steps[i].event)) continue;
        found = &line.steps[i];
        if (!last) break;
    }
    return found;
}

bool is_copy(const trace::Event& e) {
    return std::holds_alternative<trace::CowBlock>(e);
}
bool is_commit(const trace::Event& e) {
    return std::holds_alternative<trace::TransactionCommit>(e);
}
bool is_superblock_write(const trace::Event& e) {
    const auto* write = std::get_if<trace::BlockWrite>(&e);
    return write != nullptr && write->physical.value == 65536;
}

void show_step(TourContext& c, bool last, const std::function<bool(const trace::Event&)>& is) {
    const auto timeline = c.session.timeline();
    if (!timeline) return;
    c.session.view.workspace = Workspace::Trees;
    if (const TimelineStep* step = find_step(*timeline, last, is)) show_moment(c.session, step->position);
}

// What the step that is shown says of itself.
std::string said_here(TourContext& c) {
    const auto moment = moment_of(c.session);
    if (!moment || moment->step == Timeline::none) return "";
    const StepText text = step_text(moment->timeline->steps[moment->step]);
    return text.title + " " + text.reason;
}

std::string copies_here(TourContext& c) {
    const auto moment = moment_of(c.session);
    if (!moment) return "";
    const TimelineOperation& operation = moment->timeline->operations.back();
    u64 copies = 0;
    for (u32 i = operation.first; i < operation.first + operation.count; ++i) {
        copies += is_copy(moment->timeline->steps[i].event) ? 1 : 0;
    }
    return plural(operation.count, "step") + ", " + plural(copies, "block") + " copied. ";
}

Tour copy_on_write() {
    Tour tour{
        "copy-on-write", "Copy on write", "A file is written, and no block that is in use changes.", {}};
    tour.steps.push_back(
        {"A new volume: a few small trees, all of them committed.",
         [](TourContext& c) {
             mount::FormatOptions options;
             options.label = "tour";
             options.node_size = 4096;
             c.session.create("tour", 128ULL << 20, options);
         },
         [](TourContext& c) {
             auto info = c.session.info();
             return !info ? std::string("It is being made.")
                          : size_text(info->total) + " in memory, generation " +
                                std::to_string(info->generation.value) + ", " + size_text(info->used) +
                                " used.";
         },
         [](TourContext& c) { return c.session.state() == SessionState::Open && c.session.writable(); },
         [](TourContext& c) {
             c.session.view.workspace = Workspace::Trees;
             c.session.view.select_tree(5);
         }});
    tour.steps.push_back({"A name is made. The leaf that will hold it is copied first.",
                          [](TourContext& c) { c.session.run_command("write /hello.txt \"hello, leaf\""); },
                          [](TourContext& c) { return copies_here(c) + said_here(c); },
                          [](TourContext& c) { return has_operation(c, "write"); },
                          [](TourContext& c) { show_step(c, false, is_copy); }});
    tour.steps.push_back({"Only the copy changes: the name's items go into it.",
                          {},
                          [](TourContext& c) { return said_here(c); },
                          {},
                          [](TourContext& c) {
                              show_step(c, true, [](const trace::Event& e) {
                                  const auto* item = std::get_if<trace::ItemInserted>(&e);
                                  return item != nullptr && item->tree == 5;
                              });
                          }});
    tour.steps.push_back({"Commit: every tree that changed gets new blocks, up to its root.",
                          [](TourContext& c) { c.session.run_command("sync"); },
                          [](TourContext& c) { return copies_here(c) + said_here(c); },
                          [](TourContext& c) { return has_operation(c, "sync"); },
                          [](TourContext& c) { show_step(c, true, is_commit); }});
    tour.steps.push_back(
        {"The superblock comes last, and points to the new trees.",
         {},
         [](TourContext& c) {
             return said_here(c) +
                    " Until here the old state was the volume: a crash would have left it whole.";
         },
         {},
         [](TourContext& c) { show_step(c, false, is_superblock_write); }});
    tour.steps.push_back({"The new state is the volume; the old blocks can be used again.",
                          {},
                          [](TourContext& c) {
                              auto info = c.session.info();
                              return info ? "Generation " + std::to_string(info->generation.value) +
                                                ". Step back with , and on with . or type a command below."
                                          : std::string();
                          },
                          {},
                          [](TourContext& c) {
                              if (auto timeline = c.session.timeline()) show_moment(c.session, timeline->end);
                          }});
    return tour;
}

// ---- In the Lab

bool lab_rests(TourContext& c) {
    return !c.lab.busy();
}

std::string visited_words(TourContext& c) {
    const auto s = c.lab.snapshot();
    if (s->running || c.lab.busy()) {
        return "Running: " + std::to_string(static_cast<int>(s->fraction * 100)) + " %.";
    }
    return "A looked at " + plural(s->sides[0].picture.search.visited, "dev extent") + ", B at " +
           grouped(s->sides[1].picture.search.visited) +
           ", and both found the same place: " + size_text(s->sides[1].picture.search.found.value) + ".";
}

std::string hint_words(TourContext& c) {
    return " B's hint is at " + size_text(c.lab.snapshot()->sides[1].picture.hint) + ".";
}

void to_lab(TourContext& c) {
    c.session.view.workspace = Workspace::Lab;
}

LabModel::Plan filled(u64 bytes) {
    LabModel::Plan plan;
    plan.device_bytes = PiB;
    plan.filled_bytes = bytes;
    return plan;
}

Tour chunk_allocation() {
    Tour tour{"chunk-allocation",
              "Where is there room on the device?",
              "Finding a free dev extent: from the begin, or from a hint.",
              {}};
    auto begin = [](u64 bytes) {
        return [bytes](TourContext& c) {
            to_lab(c);
            c.lab.start(filled(bytes));
        };
    };
    auto then = [](u64 gib) {
        return [gib](TourContext& c) {
            to_lab(c);
            c.lab.go_on(gib * GiB, 1);
        };
    };
    auto words = [](TourContext& c) { return visited_words(c) + hint_words(c); };
    tour.steps.push_back(
        {"An empty device of 1 PiB: the first chunk lands at its begin.", begin(0), words, lab_rests, {}});
    tour.steps.push_back({"4 TiB are used: A walks over all of it, B starts at its flag.",
                          begin(4 * TiB),
                          words,
                          lab_rests,
                          {}});
    tour.steps.push_back({"64 TiB: what A does has grown by sixteen, what B does has not.",
                          begin(64 * TiB),
                          words,
                          lab_rests,
                          {}});
    tour.steps.push_back(
        {"Each chunk of 1 GiB takes the hole at the flag, and moves it on.", then(1), words, lab_rests, {}});
    tour.steps.push_back({"3 GiB at 16 TiB are freed: the flag jumps back to that hole.",
                          [](TourContext& c) {
                              to_lab(c);
                              c.lab.punch(16 * TiB, 3 * GiB);
                          },
                          [](TourContext& c) {
                              return c.lab.busy()
                                         ? std::string("Running.")
                                         : "Nothing of 16 MiB or more is free before it." + hint_words(c);
                          },
                          lab_rests,
                          {}});
    tour.steps.push_back(
        {"The hole is filled: the next search has to walk once more.",
         then(4),
         [](TourContext& c) {
             const auto s = c.lab.snapshot();
             if (c.lab.busy()) return std::string("Running.");
             return "For these 4 GiB A looked at " + grouped(s->sides[0].last.dev_extents_visited) +
                    " dev extents, B at " + grouped(s->sides[1].last.dev_extents_visited) +
                    ". What such a walk proves moves the flag: the next one is short again." + hint_words(c);
         },
         lab_rests,
         {}});
    tour.steps.push_back(
        {"And so it is: one look, wherever the device is full.", then(1), words, lab_rests, {}});
    return tour;
}

}  // namespace

const std::vector<Tour>& tours() {
    static const std::vector<Tour> all = {copy_on_write(), chunk_allocation()};
    return all;
}

bool TourGuide::start(TourContext context, const std::string& id) {
    for (const Tour& tour : tours()) {
        if (tour.id != id) continue;
        tour_ = &tour;
        at_ = 0;
        enter(context);
        return true;
    }
    return false;
}

void TourGuide::go(TourContext context, int by) {
    if (tour_ == nullptr) return;
    if (by < 0 && at_ == 0) return;
    if (by > 0 && last()) {
        leave();
        return;
    }
    at_ = by < 0 ? at_ - 1 : at_ + 1;
    enter(context);
}

void TourGuide::enter(TourContext& context) {
    arrived_ = false;
    if (tour_->steps[at_].begin) tour_->steps[at_].begin(context);
}

void TourGuide::follow(TourContext context) {
    if (tour_ == nullptr || arrived_) return;
    const TourStep& step = tour_->steps[at_];
    if (step.ready && !step.ready(context)) return;
    arrived_ = true;
    if (step.arrive) step.arrive(context);
}

}  // namespace glassfs::ui
