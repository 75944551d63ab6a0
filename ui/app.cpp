// SPDX-License-Identifier: MIT
#include "ui/app.h"

#include "base/text.h"
#include "imgui.h"
#include "ui/ask.h"
#include "ui/draw_block.h"
#include "ui/model/file_dialog.h"
#include "ui/platform.h"
#include "ui/views/lab_view.h"
#include "ui/views/trees_stage.h"
#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

struct App::State {
    Ui ui;
    TreesStage trees = {};
    u64 drawn_revision = 0;
    u64 modelled_revision = 0;  // of headline and inspector
    Selection modelled_selection = {};
    Workspace modelled_workspace = Workspace::Files;
    bool lab_headline = false;  // is shown in place of the session's
    u64 published_revision = 0;
    double published_at = -1;
    std::string published = {};
    std::string pending_extract = {};
    std::shared_ptr<const LabSnapshot> drawn_lab = {};
    bool glyphs = false;
    bool held_over = false;  // files are, over the native window
};

App::App(Session& session) : state_(new State{.ui = Ui{session}}) {}
App::~App() = default;

namespace {

void style() {
    const Theme& t = theme();
    ImGuiStyle& s = ImGui::GetStyle();
    s.WindowPadding = ImVec2(0, 0);
    s.WindowBorderSize = 0;
    s.ChildBorderSize = 0;
    s.PopupBorderSize = 1;
    s.WindowMinSize = ImVec2(1, 1);
    s.ItemSpacing = ImVec2(0, 0);
    s.AntiAliasedLinesUseTex = true;
    s.HoverDelayNormal = 0.45F;
    s.ScrollbarRounding = 4;
    s.Colors[ImGuiCol_Text] = ImGui::ColorConvertU32ToFloat4(t.text);
    s.Colors[ImGuiCol_WindowBg] = ImGui::ColorConvertU32ToFloat4(t.app);
}

// Drags the edge of a side panel; widths snap to three sizes.
void drag_edge(PanelSize& size, const float (&widths)[3], float edge_x, Rect panel, bool from_right) {
    Touch touch = area(from_right ? "edge-right" : "edge-left", {edge_x - 3, panel.y, 6, panel.h});
    if (touch.hovered || touch.held) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        fill({edge_x - 1, panel.y, 2, panel.h}, theme().accent);
    }
    if (!touch.held) return;
    float x = ImGui::GetMousePos().x;
    size = snapped(widths, from_right ? panel.right() - x : x - panel.x);
}

void focus_mark(Ui& ui) {
    if (!ui.focus_moved) return;
    Rect r;
    switch (ui.focus) {
        case Panel::Navigator:
            r = ui.layout.rail ? ui.layout.overlay : ui.layout.navigator;
            break;
        case Panel::Stage:
            r = ui.layout.stage;
            break;
        case Panel::Inspector:
            r = ui.layout.inspector;
            break;
        case Panel::Console:
            r = ui.layout.console;
            break;
    }
    outline(r.inset(1, 1), theme().accent, 0, 2);
}

}  // namespace

void App::extract(const std::string& path) {
    Ui& ui = state_->ui;
    auto node = ui.session.resolve(path);
    auto attributes = node ? ui.session.attributes(*node) : Answer<vfs::Attributes>();
    if (node.error() || attributes.error()) {
        toast((node.error() ? node.error() : attributes.error())->message());
        return;
    }
    if (!attributes) {
        state_->pending_extract = path;  // again when the answer is there
        return;
    }
    bool folder = attributes->type == vfs::FileType::Directory;
    bool file = attributes->type == vfs::FileType::Regular;
    if (!folder && !file) {
        toast(std::string("A ") + vfs::file_type_name(attributes->type) + " has no bytes to extract.");
        return;
    }
    std::string name = path == "/" ? ui.session.name() : last_name(path);
    if (folder) name = (path == "/" ? name.substr(0, name.find('.')) : name) + ".tar";
    name = printable(name);
    auto sink = platform::start_download(name, folder ? 0 : attributes->size);
    if (!sink) {
        toast(sink.error().message());
        return;
    }
    ui.session.extract(*node, name, std::move(*sink));
}

namespace {

void follow_tour(Ui& ui) {
    if (!ui.tour_wanted.empty()) {
        const std::string id = std::exchange(ui.tour_wanted, {});
        if (!ui.guide.start({ui.session, ui.lab()}, id)) toast("There is no tour " + printable(id) + ".");
    }
    if (ui.guide.tour() != nullptr) ui.guide.follow({ui.session, ui.lab()});
}

void save_recording(Ui& ui) {
    const std::string name = printable(ui.session.name()) + ".glass";
    auto sink = platform::start_download(name, 0);
    if (sink)
        ui.session.save_recording(name, std::move(*sink));
    else
        toast(sink.error().message());
}

void branch(Ui& ui) {
    auto line = std::exchange(ui.view().line_in_past, std::nullopt);
    if (!line) return;
    auto state = branch_here(ui.session, *line);
    if (state)
        ui.shared.start(ui.session, std::move(*state));
    else
        toast(state.error().detail);
}

void share(Ui& ui) {
    auto text = share_text(ui.session);
    if (!text) {
        toast(text.error().detail);
        return;
    }
    copy_with_toast(platform::share_address() + "#" + *text, "the link to this picture");
}

void apply_lab_action(Ui& ui, const ActionEffect& effect) {
    if (effect.lab_plan) ui.lab().start(*effect.lab_plan);
    if (effect.lab_more) ui.lab().go_on(effect.lab_more->first, effect.lab_more->second);
    if (effect.lab_cancel) ui.lab().cancel();
    if (!effect.tour.empty()) ui.tour_wanted = effect.tour;
    if (effect.tour_next && ui.guide.ready()) ui.guide.go({ui.session, ui.lab()}, 1);
    if (effect.tour_leave) ui.guide.leave();
    if (effect.share) share(ui);
    if (effect.save_recording) save_recording(ui);
    if (effect.branch) branch(ui);
    if (effect.bookmark) toggle_bookmark(ui);
    if (effect.shared) ui.shared.start(ui.session, *effect.shared);
}

void apply_actions(App& app, Ui& ui) {
    for (const std::string& json : platform::take_actions()) {
        auto effect = apply_action(ui.session, ui.files, json);
        if (!effect) {
            toast(effect.error().message());
            continue;
        }
        if (!effect->copy.empty()) copy_with_toast(effect->copy, effect->copy);
        if (effect->copy_inspector)
            copy_with_toast(inspector_text(inspector_model(ui.session)), "the inspector as text");
        if (!effect->extract_path.empty()) app.extract(effect->extract_path);
        apply_lab_action(ui, *effect);
        if (!effect->ask.empty()) ui.asks.push_back({effect->ask, effect->of});
        if (!effect->verb.empty()) ui.verbs.push_back({effect->verb, effect->of});
    }
}

// Dialogs, and what was done to volumes and files by them.
void follow_dialogs(Ui& ui) {
    for (const Ui::Wanted& one : std::exchange(ui.asks, {})) open_dialog(ui, one.what, one.of);
    for (const Ui::Wanted& one : std::exchange(ui.verbs, {})) do_to_volume(ui, one.what, one.of);
    if (auto drop = platform::take_drop()) {
        handle_drop(ui, std::move(*drop));
        ui.drop_into.clear();
    }
    poll(ui.view().dialog);
    follow_jobs(ui);
}

}  // namespace

void App::frame(float width, float height, double cpu_ms) {
    State& s = *state_;
    Ui& ui = s.ui;
    Session& session = ui.session;
    s.drawn_lab = ui.lab_snapshot();
    ++ui.stats.frames;
    ui.stats.frame_ms = ui.stats.frames < 5 ? cpu_ms : ui.stats.frame_ms * 0.9 + cpu_ms * 0.1;
    use_theme(session.view.theme);
    style();
    session.view.begin_frame();
    apply_actions(*this, ui);
    if (auto error = session.follow_wanted_path()) toast(error->message());
    if (auto error = session.follow_wanted_key()) toast(error->message());
    if (!s.pending_extract.empty()) extract(std::exchange(s.pending_extract, {}));
    follow_dialogs(ui);
    ui.drag_over = s.held_over || platform::drag().has_value();
    handle_keys(ui);
    follow_tour(ui);
    if (std::exchange(ui.share_wanted, false)) share(ui);
    if (std::exchange(ui.save_wanted, false)) save_recording(ui);
    if (std::exchange(ui.branch_wanted, false)) branch(ui);
    ui.shared.follow(session);

    ui.choices.console_open = session.view.console_open;
    ui.choices.timeline = session.timeline() != nullptr;
    ui.layout = lay_out(width, height, ui.choices);
    bool changed = s.modelled_revision != session.revision() ||
                   s.modelled_selection != session.view.selection ||
                   s.modelled_workspace != session.view.workspace || s.lab_headline;
    if (changed) {
        s.lab_headline = session.view.workspace == Workspace::Lab;
        s.modelled_revision = session.revision();
        s.modelled_selection = session.view.selection;
        s.modelled_workspace = session.view.workspace;
        ui.headline = headline(session, platform::is_page());
        ui.inspected = inspector_model(session);
    }
    if (session.view.workspace == Workspace::Lab) ui.headline = lab_headline(*s.drawn_lab);
    s.drawn_revision = session.revision();
    draw(width, height);
    if (!ui.extract_wanted.empty()) extract(std::exchange(ui.extract_wanted, {}));
    publish();
}

void App::draw(float width, float height) {
    State& s = *state_;
    Ui& ui = s.ui;
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    constexpr auto flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                           ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse;
    ImGui::Begin("GlassFS", nullptr, flags);
    draw_top_bar(ui);
    draw_headline(ui);
    Rect stage = ui.layout.stage;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        ImVec2 at = ImGui::GetMousePos();
        if (stage.contains(at.x, at.y)) ui.focus = Panel::Stage;
        if (ui.layout.inspector.contains(at.x, at.y)) ui.focus = Panel::Inspector;
    }
    bool trees = ui.view().workspace == Workspace::Trees && ui.open();
    if (trees) {
        fill(stage, theme().app);
        s.trees.draw(ui.session, ImVec2(stage.x, stage.y), ImVec2(stage.right(), stage.bottom()),
                     ui.has_focus(Panel::Stage));
    } else if (ui.view().workspace == Workspace::Space && ui.open()) {
        draw_space_stage(ui);
    } else if (ui.view().workspace == Workspace::Lab) {
        draw_lab_stage(ui);
    } else {
        draw_files_stage(ui);
    }
    if (ui.view().workspace == Workspace::Lab)
        draw_lab_compare(ui);
    else
        draw_inspector(ui);
    draw_tour_card(ui);
    draw_navigator(ui);
    draw_timeline(ui);
    draw_console(ui);
    if (!ui.layout.rail && !ui.layout.reader) {
        drag_edge(ui.choices.navigator, navigator_widths, ui.layout.navigator.right(), ui.layout.navigator,
                  false);
    }
    if (!ui.layout.sheet && !ui.layout.reader) {
        drag_edge(ui.choices.inspector, inspector_widths, ui.layout.inspector.x, ui.layout.inspector, true);
    }
    focus_mark(ui);
    ImGui::End();
    draw_help(ui);
    draw_file_menu(ui);
    draw_dialog(ui);
    if (s.glyphs) draw_glyph_sheet(ImGui::GetForegroundDrawList(), {0, 0});
}

// The DOM mirror is for people and tests, not for every frame: ten times a second while things change.
void App::publish() {
    constexpr double publish_every = 0.1;
    State& s = *state_;
    double now = ImGui::GetTime();
    if (s.published_at >= 0 && now - s.published_at < publish_every) return;
    s.published_at = now;
    std::string json = page_state_json(s.ui.session, s.ui.files, s.ui.headline, s.ui.stats,
                                       {s.drawn_lab.get(), &s.ui.guide, &platform::kept()});
    std::size_t stats = json.rfind("\"stats\"");  // changes with every frame, and says nothing new
    std::string what = json.substr(0, stats);
    if (what == s.published) return;
    s.published = std::move(what);
    platform::publish_state(json);
}

bool App::animating() const {
    bool fading = !current_toast().empty();
    bool publishing = ImGui::GetTime() - state_->published_at < 0.2;
    const Ui& ui = state_->ui;
    const bool lab = ui.lab_busy() || (ui.lab_model && ui.lab_snapshot() != state_->drawn_lab);
    const bool rebuilding = ui.shared.under_way();
    const bool touring = ui.guide.tour() != nullptr && !ui.guide.ready();
    return state_->trees.animating() || fading || publishing || lab || touring || rebuilding || ui.playing ||
           !ui.asks.empty() || state_->ui.session.state() == SessionState::Opening;
}

void App::show_glyphs(bool show) {
    state_->glyphs = show;
}
void App::set_drag_over(bool over) {
    state_->held_over = over;
}

bool App::stale() const {
    return state_->drawn_revision != state_->ui.session.revision();
}

}  // namespace glassfs::ui
