// SPDX-License-Identifier: MIT
// A frame of the Trees stage: take over what is new (tree, map, selection), plan the picture, handle input,
// draw. Input is matched against what the last frame drew, which is what the person saw.
#include "ui/views/trees_stage.h"

#include "base/text.h"
#include "ui/views/trees_state.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr double move_seconds = 0.22;
constexpr double fade_seconds = 0.12;

void forget(TreesStage::State& s, u64 epoch, u64 tree) {
    s = TreesStage::State{};
    s.epoch = epoch;
    s.tree = tree;
}

void take_map(TreesStage::State& s, Session& session) {
    auto map = session.tree_map(s.tree);
    if (map == s.map && (!map || map->size() == s.map_size)) return;
    s.map = std::move(map);
    s.map_size = s.map ? s.map->size() : 0;
    s.layout = s.map ? TreeLayout(*s.map) : TreeLayout();
    s.minimap = s.layout.minimap(static_cast<u32>(minimap_width));
    s.bytes_of = {};
    s.items = 0;
    s.bad = 0;
    for (u32 i = 0; i < s.layout.size(); ++i) {
        const inspect::NodeRecord& record = s.record(i);
        for (std::size_t c = 0; c < inspect::item_class_count; ++c) s.bytes_of[c] += record.bytes_of[c];
        if (record.level == 0) s.items += record.items;
        s.bad += record.bad ? 1 : 0;
    }
    s.focus = TreeLayout::none;
    s.seen = {};  // look for the selected block again
}

void take_trees(TreesStage::State& s, Session& session) {
    const auto trees = session.trees();
    if (!trees) return;
    for (const inspect::TreeInfo& tree : *trees) {
        if (tree.id == s.tree) s.is_log = tree.is_log;
    }
}

void take_moment(TreesStage::State& s, Session& session) {
    s.newer = session.newer_blocks();
    s.read_now.reset();
    auto timeline = session.timeline();
    if (!timeline || !session.in_past()) return;
    const std::size_t at = timeline->step_at(session.position());
    if (at == Timeline::none) return;
    const auto about = step_block(timeline->steps[at]);
    if (about && about->read) s.read_now = about->block;
}

// The block in focus is the selected one; without one in this tree, the first leaf, so that a picture of a
// whole tree shows one block from near.
void take_selection(TreesStage::State& s, const Selection& selection, float width, bool tween) {
    const bool same_block = selection.block == s.seen.block && s.focus != TreeLayout::none;
    if (selection == s.seen && s.focus != TreeLayout::none) return;
    const bool first = s.seen == Selection{};
    s.seen = selection;
    u32 focus = selection.block ? s.layout.find(*selection.block) : TreeLayout::none;
    const bool found = focus != TreeLayout::none;
    if (!found && s.layout.rows() > 0) focus = s.layout.row(s.layout.rows() - 1)[0];
    s.focus = focus;
    if (focus == TreeLayout::none) return;
    if (!same_block) s.detail_row = 0;
    if (found && !same_block && (s.moved || !first)) {
        const Camera there = reveal(s.moving.running() ? s.to : s.camera, s.layout, focus, width);
        if (there != s.camera) s.go(there, tween);
    }
}

void take_camera(TreesStage::State& s, float width) {
    if (s.layout.rows() == 0) return;
    const bool moving = s.moving.running();
    if (!s.moved && !moving) s.camera = s.to = fit(s.layout, width);
    if (moving) {
        s.camera = between(s.from, s.to, s.moving.progress());
    } else if (s.camera != s.to) {
        s.camera = s.to;
    }
    if (width != s.last_width) s.camera = s.to = clamped(s.camera, s.layout, width);
    s.last_width = width;
}

void take_zoom(TreesStage::State& s, Zoom zoom, bool tween) {
    if (zoom == s.zoom) return;
    s.zoom_before = s.zoom;
    s.zoom = zoom;
    if (tween) s.fading.start(fade_seconds);
}

void draw_nothing(const TreesFrame& f) {
    const Theme& t = theme();
    const float x = f.origin.x + 0.5F * f.width;
    const float y = f.origin.y + 0.5F * f.height;
    if (f.s.map && f.s.map->error) {
        draw_text(f.list, Font::Card, x, y - 12, t.text, "This tree can't be read.", Align::Centre);
        draw_text_fit(f.list, Font::Body, x, y + 12, f.width - 40, t.text2, f.s.map->error->message(),
                      Align::Centre);
    } else if (f.s.map && f.s.map->done) {
        draw_text(f.list, Font::Body, x, y, t.text2, "This tree has no blocks.", Align::Centre);
    } else if (f.session.state() == SessionState::Open) {
        draw_text(f.list, Font::Body, x, y, t.text2, "Reading the tree's blocks...", Align::Centre);
    }
}

// While a long walk goes on, and when it ended early.
void draw_walk(const TreesFrame& f) {
    const Theme& t = theme();
    const TreeMap& map = *f.s.map;
    if (map.error) {
        draw_text_fit(f.list, Font::Caption, f.origin.x + side_margin, f.origin.y + 10,
                      f.width - 2 * side_margin, t.state(State::Bad).line,
                      "Not all blocks can be read: " + map.error->message());
    } else if (!map.done) {
        draw_text(f.list, Font::Caption, f.origin.x + side_margin, f.origin.y + 10, t.text3,
                  "Reading: " + grouped(map.size()) + " blocks so far");
    }
}

}  // namespace

void TreesStage::State::go(Camera camera_wanted, bool tween) {
    from = camera;
    to = camera_wanted;
    moved = true;
    if (tween) {
        moving.start(move_seconds);
    } else {
        moving.stop();
        camera = to;
    }
}

TreesStage::TreesStage() : state_(std::make_unique<State>()) {}
TreesStage::~TreesStage() = default;

bool TreesStage::animating() const {
    return state_->moving.running() || state_->fading.running();
}

void TreesStage::draw(Session& session, ImVec2 min, ImVec2 max, bool has_focus) {
    State& s = *state_;
    const u64 tree = session.view.selection.tree;
    if (s.epoch != session.epoch() || s.tree != tree) forget(s, session.epoch(), tree);
    const bool tween = !session.view.reduced_motion;
    TreesFrame f{s, session, ImGui::GetWindowDrawList(), min, max.x - min.x, max.y - min.y, {}, {}};
    if (f.width < 60 || f.height < band_height + 60) return;
    take_map(s, session);
    take_trees(s, session);
    take_moment(s, session);
    take_selection(s, session.view.selection, f.width, tween);
    take_camera(s, f.width);

    ImGui::SetCursorScreenPos(min);
    ImGui::InvisibleButton("trees", {f.width, f.height}, ImGuiButtonFlags_MouseButtonLeft);
    f.list->PushClipRect(min, max, true);
    if (s.layout.rows() == 0) {
        draw_nothing(f);
        f.list->PopClipRect();
        return;
    }
    f.path = s.layout.path(s.focus);
    f.plan = plan_picture(s.layout, s.camera, {f.width, f.picture_height()}, s.focus);
    take_zoom(s, f.plan.zoom, tween);
    s.scroll = std::clamp(s.scroll, 0.0F, std::max(0.0F, f.plan.content_height - f.picture_height()));
    handle_pointer(f);
    if (has_focus) handle_keys(f);

    s.targets.clear();
    f.list->PushClipRect(min, {max.x, max.y - band_height}, true);
    draw_pointers(f);
    draw_rows(f);
    draw_neighbours(f);
    draw_card(f);
    draw_walk(f);
    f.list->PopClipRect();
    draw_band(f);
    f.list->PopClipRect();
}

}  // namespace glassfs::ui
