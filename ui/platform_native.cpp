// SPDX-License-Identifier: MIT
// The native window as the UI's host.
#include "ui/platform_native.h"

#include "block/file_device.h"
#include "mount/mount.h"
#include "ui/import_native.h"

#include <SDL.h>
#include <algorithm>
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
std::string dialog_into;  // files are asked for, to be copied into this folder; empty: images to open
std::optional<Drop> dropped;

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
    Result<void> zeros(u64 count) override {
        if (fseeko(file_, static_cast<off_t>(count), SEEK_CUR) != 0)
            return fail(Cause::DeviceWriteFailed, path_.string());
        return {};
    }
    Result<void> finish() override {
        // A hole at the end makes the file no longer by itself.
        bool good = std::fflush(file_) == 0 && ftruncate(fileno(file_), ftello(file_)) == 0;
        good &= std::fclose(std::exchange(file_, nullptr)) == 0;
        if (good) return {};
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

namespace {
// The dialog is a process of its own: the window goes on drawing, and polls for its answer (wants_frame).
void ask(Session& session, const char* title, const std::string& into) {
    if (dialog) return;
    const std::string command = std::string("zenity --file-selection --multiple --separator='\n' --title='") +
                                title + "' 2>/dev/null";
    dialog = popen(command.c_str(), "r");
    if (!dialog) return;
    dialog_into = into;
    fcntl(fileno(dialog), F_SETFL, O_NONBLOCK);
    dialog_session = &session;
    dialog_answer.clear();
}
}  // namespace

void ask_for_image(Session& session) {
    ask(session, "Open an image", "");
}
bool can_ask_for_files() {
    return can_ask_for_image();
}
void ask_for_files(Session& session, const std::string& into) {
    ask(session, "Copy into the volume", into);
}

std::optional<Drop> take_drop() {
    return std::exchange(dropped, std::nullopt);
}
std::optional<DragPoint> drag() {
    return std::nullopt;  // SDL says where files were dropped only when they are
}

namespace {
std::string name_of(const std::vector<std::string>& paths) {
    const std::string first = std::filesystem::path(paths.front()).filename().string();
    return paths.size() == 1 ? first : first + " and " + std::to_string(paths.size() - 1) + " more";
}

Result<Session::Devices> devices_of(const std::vector<std::string>& paths) {
    Session::Devices devices;
    for (const std::string& path : paths) devices.push_back(TRY(block::FileDevice::open(path)));
    return devices;
}
}  // namespace

void drop_paths(std::vector<std::string> paths) {
    Drop drop{.name = name_of(paths), .source = host_files(paths)};
    const bool folders = std::ranges::any_of(paths, [](const std::string& path) {
        std::error_code ignored;
        return std::filesystem::is_directory(path, ignored);
    });
    if (!folders) drop.devices = [paths] { return devices_of(paths); };
    if (!folders && paths.size() == 1) {
        auto file = block::FileDevice::open(paths[0]);
        drop.image = file && !mount::identify(**file).empty();
    }
    dropped = std::move(drop);
}

void open_files(Session& session, std::vector<std::string> paths) {
    std::string name = name_of(paths);
    session.open_from([paths = std::move(paths)] { return devices_of(paths); }, std::move(name));
}

std::string share_address() {
    return "";
}

bool can_open_sample() {
    return false;
}
void open_sample(Session&) {}

// A window keeps nothing: its volumes are files, or in memory.
const KeptState& kept() {
    static const KeptState none;
    return none;
}
u64 request_kept(Session&, const std::string&) {
    return 0;
}
std::optional<std::string> kept_outcome(u64) {
    return "this window keeps no volumes";
}

bool place_text(const TextPlace&, float) {
    return false;
}
void end_text_places() {}

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
    if (paths.empty()) return;
    if (dialog_into.empty()) {
        open_files(*dialog_session, std::move(paths));
        return;
    }
    dropped = Drop{.name = name_of(paths), .source = host_files(paths), .into = dialog_into};
}
}  // namespace

bool wants_frame() {
    poll_dialog();
    return !actions.empty() || dropped.has_value();
}

}  // namespace glassfs::ui::platform
