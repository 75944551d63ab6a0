// SPDX-License-Identifier: MIT
// The native window as the UI's host.
#include "ui/platform_native.h"

#include "block/file_device.h"

#include <SDL.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace glassfs::ui::platform {

namespace {

std::vector<std::string> actions;
std::string state;
float density = 1;
std::FILE* dialog = nullptr;
Session* dialog_session = nullptr;
std::string dialog_answer;

class FileSink final : public ByteSink {
  public:
    FileSink(std::FILE* file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
    ~FileSink() override {
        if (!file_) return;
        std::fclose(file_);
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);  // unfinished
    }
    Result<void> write(Bytes bytes) override {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return {};
        return fail(Cause::DeviceWriteFailed, path_.string());
    }
    Result<void> finish() override {
        bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
        if (closed) return {};
        return fail(Cause::DeviceWriteFailed, path_.string());
    }

  private:
    std::FILE* file_;
    std::filesystem::path path_;
};

}  // namespace

void copy_text(const std::string& utf8) {
    SDL_SetClipboardText(utf8.c_str());
}

// zenity is what desktops have; without it, images are dropped on the window or named on the command line.
bool can_ask_for_image() {
    static const bool there = std::system("command -v zenity >/dev/null 2>&1") == 0;
    return there;
}

// The dialog is a process of its own: the window goes on drawing, and polls for its answer (wants_frame).
void ask_for_image(Session& session) {
    if (dialog) return;
    dialog =
        popen("zenity --file-selection --multiple --separator='\n' --title='Open an image' 2>/dev/null", "r");
    if (!dialog) return;
    fcntl(fileno(dialog), F_SETFL, O_NONBLOCK);
    dialog_session = &session;
    dialog_answer.clear();
}

void open_files(Session& session, std::vector<std::string> paths) {
    std::string name = std::filesystem::path(paths.front()).filename().string();
    auto make = [paths]() -> Result<Session::Devices> {
        Session::Devices devices;
        for (const std::string& path : paths) {
            devices.push_back(TRY(block::FileDevice::open(path)));
        }
        return devices;
    };
    session.open_from(std::move(make), std::move(name));
}

std::string share_address() {
    return "";
}

bool can_open_sample() {
    return false;
}
void open_sample(Session&) {}

const std::vector<KeptVolume>& kept_volumes() {
    static const std::vector<KeptVolume> none;
    return none;
}
void open_kept(Session&, const std::string&) {}
void remove_kept(const std::string&) {}
void new_volume(Session& session, const std::string& name) {
    session.create(name, new_volume_bytes, {.label = name, .node_size = new_volume_node_size});
}

Result<std::unique_ptr<ByteSink>> start_download(const std::string& name, u64) {
    std::filesystem::path wanted(name);
    std::string stem = wanted.stem().string();
    std::string extension = wanted.extension().string();
    for (int copy = 1; copy < 1000; ++copy) {
        std::filesystem::path path = copy == 1 ? name : stem + " (" + std::to_string(copy) + ")" + extension;
        std::FILE* file = std::fopen(path.c_str(), "wbx");
        if (file) return std::make_unique<FileSink>(file, path);
        if (errno != EEXIST) break;
    }
    return fail(Cause::DeviceWriteFailed, name + " can't be made in the current directory");
}

float device_pixel_ratio() {
    return density;
}
void set_density(float pixels_per_unit) {
    density = pixels_per_unit;
}
bool prefers_light() {
    return false;
}
bool prefers_reduced_motion() {
    return false;
}
bool is_page() {
    return false;
}
bool place_console_input(bool, float, float, float, float) {
    return false;
}
void publish_state(const std::string& json) {
    state = json;
}
const std::string& published_state() {
    return state;
}
void attach(Session&) {}
void push_action(std::string json) {
    actions.push_back(std::move(json));
}
std::vector<std::string> take_actions() {
    return std::exchange(actions, {});
}

namespace {
void poll_dialog() {
    if (!dialog) return;
    char piece[4096];
    ssize_t count = read(fileno(dialog), piece, sizeof piece);
    if (count > 0) dialog_answer.append(piece, static_cast<std::size_t>(count));
    if (count > 0 || (count < 0 && errno == EAGAIN)) return;
    pclose(std::exchange(dialog, nullptr));
    std::vector<std::string> paths;
    for (std::size_t at = 0; at < dialog_answer.size();) {
        std::size_t end = std::min(dialog_answer.find('\n', at), dialog_answer.size());
        if (end > at) paths.push_back(dialog_answer.substr(at, end - at));
        at = end + 1;
    }
    if (!paths.empty()) open_files(*dialog_session, std::move(paths));
}
}  // namespace

bool wants_frame() {
    poll_dialog();
    return !actions.empty();
}

}  // namespace glassfs::ui::platform
