// SPDX-License-Identifier: MIT
// The page as the UI's host (ui/platform.h). The C++ side is thin: whatever the browser does is in
// page/*.js, which is reached as Module.page; the functions named glassfs_* are what the page calls.
#include "assets/fonts.h"
#include "mount/format.h"
#include "ui/platform.h"
#include "web/download.h"
#include "web/file_device.h"
#include "web/packed_image.h"
#include "web/page_calls.h"
#include "web/store_device.h"

#include <cstdlib>
#include <cstring>
#include <emscripten.h>
#include <emscripten/threading.h>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace glassfs::ui::platform {

namespace {

Session* session_of_page = nullptr;
bool frame_wanted = false;
std::vector<std::string> actions;
std::string console_text;  // what stands in the page's input

// The files the page is handing over, one call each, before they are opened together.
struct Arriving {
    std::shared_ptr<web::FileSet> set;
    Session::Devices devices;
};
Arriving arriving;

// Volumes that the browser keeps: those that the page is handing over, and the one that the session has.
struct ArrivingStore {
    std::shared_ptr<web::StoreSet> set;
    Session::Devices devices;
};
std::map<web::StoreMailbox*, ArrivingStore> arriving_stores;
web::StoreMailbox* open_store = nullptr;
u64 open_store_epoch = 0;

KeptState kept_state;
u64 requests = 0;
std::map<u64, std::string> outcomes;  // of requests, until they are fetched

// What is being dropped: one call for each file and folder.
struct ArrivingDrop {
    std::shared_ptr<web::FileSet> set;
    std::vector<ImportItem> items;
    Session::Devices devices;
};
ArrivingDrop arriving_drop;
std::optional<Drop> dropped;
std::optional<DragPoint> drag_point;
std::map<std::string, std::string> texts;  // that the page shows, by field
std::set<std::string> texts_placed;        // in this frame

// Opens the devices that have arrived, in the session's worker and after `prepare` has run there. The page is
// told how it ended.
void open_arrived(web::StoreMailbox* mailbox, const char* name,
                  std::function<Result<void>(const Session::Devices&)> prepare) {
    frame_wanted = true;
    Session::Devices devices = std::move(arriving_stores.extract(mailbox).mapped().devices);
    auto make = [devices = std::move(devices), prepare = std::move(prepare)]() -> Result<Session::Devices> {
        TRY(prepare(devices));
        return devices;
    };
    auto tell = [mailbox](const Error* error) {
        web::tell_store_opened(mailbox, error ? error->message() : "");
    };
    session_of_page->open_writable(std::move(make), name, std::move(tell));
    open_store = mailbox;
    open_store_epoch = session_of_page->epoch();
}

}  // namespace

void copy_text(const std::string& utf8) {
    page_copy_text(utf8.c_str());
}

bool can_ask_for_image() {
    return true;
}
void ask_for_image(Session& session) {
    session_of_page = &session;
    page_ask_for_image();
}

std::string share_address() {
    char* address = page_address();
    std::string out = address;
    std::free(address);
    return out;
}

bool can_open_sample() {
    return true;
}
void open_sample(Session& session) {
    session_of_page = &session;
    page_open_sample();
}

const KeptState& kept() {
    return kept_state;
}
u64 request_kept(Session& session, const std::string& json) {
    session_of_page = &session;
    page_request_kept(static_cast<double>(++requests), json.c_str());
    return requests;
}
std::optional<std::string> kept_outcome(u64 request) {
    auto found = outcomes.extract(request);
    return found.empty() ? std::nullopt : std::optional(std::move(found.mapped()));
}

std::optional<Drop> take_drop() {
    return std::exchange(dropped, std::nullopt);
}
// What is dropped on a page comes as File objects through page/files.js.
void drop_paths(std::vector<std::string>) {}
std::optional<DragPoint> drag() {
    return drag_point;
}
bool can_ask_for_files() {
    return true;
}
void ask_for_files(Session& session, const std::string& into) {
    session_of_page = &session;
    page_ask_for_files(into.c_str());
}

bool place_text(const TextPlace& place, float scale) {
    const Rect& r = place.rect;
    page_place_text(place.id.c_str(), place.label.c_str(), place.several_lines ? 1 : 0, r.x * scale,
                    r.y * scale, r.w * scale, r.h * scale, scale);
    texts_placed.insert(place.id);
    auto known = texts.find(place.id);
    if (known == texts.end() || known->second != place.value) {
        texts[place.id] = place.value;
        page_set_text(place.id.c_str(), place.value.c_str());
    }
    return true;
}
void end_text_places() {
    if (texts.empty()) return;
    std::erase_if(texts, [](const auto& entry) { return !texts_placed.contains(entry.first); });
    texts_placed.clear();
    page_end_text_places();
}

Result<std::unique_ptr<ByteSink>> start_download(const std::string& name, u64 size) {
    struct Sink final : ByteSink {
        explicit Sink(std::unique_ptr<web::Download> to) : download(std::move(to)) {}
        Result<void> write(Bytes bytes) override { return download->write(bytes); }
        Result<void> finish() override { return download->finish(); }
        std::unique_ptr<web::Download> download;
    };
    return std::make_unique<Sink>(web::Download::start(name, size));
}

float device_pixel_ratio() {
    return static_cast<float>(page_pixel_ratio());
}
bool prefers_light() {
    return page_prefers_light() != 0;
}
bool prefers_reduced_motion() {
    return page_prefers_reduced_motion() != 0;
}
bool is_page() {
    return true;
}

bool place_console_input(bool visible, float x, float y, float width, float height) {
    page_place_console_input(visible ? 1 : 0, x, y, width, height);
    // The canvas may have changed the line: an offered command was clicked.
    if (session_of_page && session_of_page->view.console_input != console_text) {
        console_text = session_of_page->view.console_input;
        page_set_console_text(console_text.c_str());
    }
    return true;
}

void publish_state(const std::string& json) {
    page_publish_state(json.c_str());
}

// A first visitor sees a living volume at once.
void attach(Session& session) {
    const assets::FontFile mono = assets::mono_regular();  // for the console's input, a piece of DOM
    page_use_mono_font(mono.data(), static_cast<int>(mono.size()));
    open_sample(session);
}

std::vector<std::string> take_actions() {
    return std::exchange(actions, {});
}

bool wants_frame() {
    return std::exchange(frame_wanted, false);
}

}  // namespace glassfs::ui::platform

// Called by the page, on the main thread.

using namespace glassfs;
namespace host = glassfs::ui::platform;

extern "C" {

EMSCRIPTEN_KEEPALIVE void glassfs_wake() {
    host::frame_wanted = true;
}

EMSCRIPTEN_KEEPALIVE void glassfs_action(const char* json) {
    host::actions.emplace_back(json);
    host::frame_wanted = true;
}

EMSCRIPTEN_KEEPALIVE void glassfs_console_input(const char* text) {
    host::console_text = text;
    if (host::session_of_page) host::session_of_page->view.console_input = text;
    host::frame_wanted = true;
}

// A new set of files: the page starts a worker that serves this mailbox, and names the files in its order.
EMSCRIPTEN_KEEPALIVE web::FileMailbox* glassfs_files_begin() {
    host::arriving = {std::make_shared<web::FileSet>(), {}};
    return host::arriving.set->mailbox();
}

EMSCRIPTEN_KEEPALIVE void glassfs_files_add(const char* name, double size) {
    auto& [set, devices] = host::arriving;
    devices.push_back(std::make_shared<web::FileDevice>(set, static_cast<u32>(devices.size()), name,
                                                        static_cast<u64>(size)));
}

EMSCRIPTEN_KEEPALIVE void glassfs_files_open(const char* name) {
    host::frame_wanted = true;
    auto ready = std::exchange(host::arriving, {});
    if (host::session_of_page) host::session_of_page->open(std::move(ready.devices), name);
}

// The worker of a set could not be started, or has failed: whoever waits for it gets the message.
EMSCRIPTEN_KEEPALIVE void glassfs_files_dead(web::FileMailbox* mailbox, const char* message) {
    std::strncpy(mailbox->message, message, sizeof mailbox->message - 1);
    mailbox->dead.store(1);
    emscripten_futex_wake(&mailbox->state, 1);
}

EMSCRIPTEN_KEEPALIVE void glassfs_files_closed(web::FileMailbox* mailbox) {
    delete mailbox;
}

// A volume that the browser keeps: the page starts a worker that serves this mailbox, names the devices in
// their order, and has them opened; or it drops what it has begun.
EMSCRIPTEN_KEEPALIVE web::StoreMailbox* glassfs_store_begin() {
    auto set = std::make_shared<web::StoreSet>();
    web::StoreMailbox* mailbox = set->mailbox();
    host::arriving_stores[mailbox].set = std::move(set);
    return mailbox;
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_add(web::StoreMailbox* mailbox, const char* name, double size) {
    auto& [set, devices] = host::arriving_stores.at(mailbox);
    devices.push_back(std::make_shared<web::StoreDevice>(set, static_cast<u32>(devices.size()), name,
                                                         static_cast<u64>(size)));
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_drop(web::StoreMailbox* mailbox) {
    host::arriving_stores.erase(mailbox);
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_open(web::StoreMailbox* mailbox, const char* name) {
    host::open_arrived(mailbox, name, [](const ui::Session::Devices&) -> Result<void> { return {}; });
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_format(web::StoreMailbox* mailbox, u32 node_size, const char* name,
                                               const char* label, const char* checksum, const char* metadata,
                                               const char* data, const char* compression) {
    mount::FormatOptions options;
    options.label = label;
    options.node_size = node_size;
    options.checksum = checksum;
    options.metadata_profile = metadata;
    options.data_profile = data;
    options.compression = compression;
    host::open_arrived(mailbox, name,
                       [options](const auto& devices) { return mount::format(devices, options); });
}

// What the page keeps (ui/model/kept_volumes.h).
EMSCRIPTEN_KEEPALIVE void glassfs_kept(const char* json) {
    if (auto state = ui::parse_kept(json)) host::kept_state = std::move(*state);
    host::frame_wanted = true;
}

EMSCRIPTEN_KEEPALIVE void glassfs_kept_done(double request, const char* message) {
    host::outcomes[static_cast<u64>(request)] = message;
    host::frame_wanted = true;
}

// Files and folders that are dropped: the page starts a worker that serves this mailbox, and names the files
// in its order, folders in between, each before what is in it.
EMSCRIPTEN_KEEPALIVE web::FileMailbox* glassfs_drop_begin() {
    host::arriving_drop = {std::make_shared<web::FileSet>(), {}, {}};
    return host::arriving_drop.set->mailbox();
}

EMSCRIPTEN_KEEPALIVE void glassfs_drop_add(const char* path, double size, double modified_ms, int folder) {
    auto& [set, items, devices] = host::arriving_drop;
    ui::ImportItem item;
    item.path = path;
    item.type = folder ? vfs::FileType::Directory : vfs::FileType::Regular;
    if (!folder) {
        item.size = static_cast<u64>(size);
        const auto ms = static_cast<s64>(modified_ms);
        item.mtime = TimeSpec{ms / 1000, static_cast<u32>(ms % 1000) * 1000000};
        auto device =
            std::make_shared<web::FileDevice>(set, static_cast<u32>(devices.size()), path, item.size);
        devices.push_back(device);
        item.open = [device]() -> Result<std::shared_ptr<block::Device>> { return device; };
    }
    items.push_back(std::move(item));
}

// `image`: one file that looks like one. `into`: the folder they were chosen for, or "".
EMSCRIPTEN_KEEPALIVE void glassfs_drop_end(const char* name, int image, const char* into) {
    auto [set, items, devices] = std::exchange(host::arriving_drop, {});
    host::Drop drop{.name = name, .image = image != 0, .into = into};
    if (devices.size() == items.size())
        drop.devices = [devices]() -> Result<ui::Session::Devices> { return devices; };
    drop.source = [all = std::move(items)](ui::Job&) -> Result<std::vector<ui::ImportItem>> { return all; };
    host::dropped = std::move(drop);
    host::frame_wanted = true;
}

EMSCRIPTEN_KEEPALIVE void glassfs_drop_failed(const char* name, const char* problem) {
    host::dropped = host::Drop{.name = name, .problem = problem};
    host::frame_wanted = true;
}

// Files are held over the page at this place, in CSS pixels; `over` 0: no longer.
EMSCRIPTEN_KEEPALIVE void glassfs_drag(int over, float x, float y) {
    host::drag_point.reset();
    if (over) host::drag_point = host::DragPoint{x, y};
    host::frame_wanted = true;
}

// What a person has typed into a field: it needn't be shown to them again.
EMSCRIPTEN_KEEPALIVE void glassfs_text_typed(const char* id, const char* value) {
    host::texts[id] = value;
}

// Lets go of the volume, synced, if the session still has it. The worker ends once nobody uses the devices.
EMSCRIPTEN_KEEPALIVE void glassfs_store_release(web::StoreMailbox* mailbox) {
    host::frame_wanted = true;
    if (host::open_store != mailbox || !host::session_of_page) return;
    if (host::open_store_epoch == host::session_of_page->epoch()) host::session_of_page->close();
}

// What was dropped or fetched can't even become a device.
EMSCRIPTEN_KEEPALIVE void glassfs_open_failed(const char* message, const char* name) {
    host::frame_wanted = true;
    if (host::session_of_page) {
        host::session_of_page->fail_open(Error{Cause::DeviceOpenFailed, {}, message}, name);
    }
}

// A packed image in memory that the page got with malloc(); it is unpacked on the volume's worker.
EMSCRIPTEN_KEEPALIVE void glassfs_open_packed(u8* bytes, u32 size, const char* name) {
    host::frame_wanted = true;
    std::shared_ptr<u8> owned(bytes, std::free);
    if (!host::session_of_page) return;
    auto unpack = [owned, size, label = std::string(name)]() -> Result<ui::Session::Devices> {
        ui::Session::Devices devices;
        devices.push_back(TRY(web::unpack_image(Bytes(owned.get(), size), label)));
        return devices;
    };
    host::session_of_page->open_from(std::move(unpack), name);
}

}  // extern "C"
