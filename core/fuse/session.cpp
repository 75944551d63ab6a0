// SPDX-License-Identifier: MIT
#include "fuse/session.h"

#include "base/text.h"
#include "fuse/server.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace glassfs::fuse {

namespace {

// What libfuse says of a failure, it says in text; the last line of it.
std::string& last_words() {
    static std::string words;
    return words;
}

void keep_words(fuse_log_level, const char* format, va_list values) {
    char line[512];
    std::vsnprintf(line, sizeof line, format, values);
    std::string_view words = line;
    while (words.ends_with('\n')) words.remove_suffix(1);
    if (!words.empty()) last_words() = words;
}

// Makes changes durable now and then while the session is served.
class RegularSync {
  public:
    RegularSync(Server& server, u32 seconds) : server_(server) {
        if (!server.read_only())
            thread_ = std::thread([this, seconds] { run(std::chrono::seconds(seconds)); });
    }
    ~RegularSync() {
        {
            std::lock_guard lock(mutex_);
            over_ = true;
        }
        wake_.notify_one();
        if (thread_.joinable()) thread_.join();
    }

  private:
    void run(std::chrono::seconds pause) {
        bool more = true;  // of what was deleted before the mount
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, pause, [this] { return over_; })) {
            if (!server_.take_changed() && !more) continue;
            if (auto done = server_.files().sync(); !done) server_.log("sync", done.error());
            more = clean_up(lock);
        }
    }

    // Whether there was anything to do, which a sync makes durable. Its pieces are short: the end doesn't
    // wait for all of them.
    bool clean_up(std::unique_lock<std::mutex>& lock) {
        for (bool any = false; !over_; any = true) {
            lock.unlock();
            auto more = server_.files().clean_up();
            lock.lock();
            if (!more) server_.log("clean_up", more.error());
            if (!more || !*more) return more && any;
        }
        return true;
    }

    Server& server_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool over_ = false;
    std::thread thread_;
};

// What of FUSE we want. Set-user-id bits that a write takes away, and truncation at opening, the kernel sends
// as requests of their own. Access lists it reads as xattrs and heeds; what new files inherit is the file
// system's business, and the umask with it.
void on_init(void* data, fuse_conn_info* connection) {
    auto& server = *static_cast<Server*>(data);
    server.open_unneeded = (connection->capable & FUSE_CAP_NO_OPEN_SUPPORT) != 0;
    server.opendir_unneeded = (connection->capable & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0;
    connection->want &= ~static_cast<unsigned>(FUSE_CAP_HANDLE_KILLPRIV | FUSE_CAP_ATOMIC_O_TRUNC);
    connection->want |= connection->capable & static_cast<unsigned>(FUSE_CAP_CACHE_SYMLINKS |
                                                                    FUSE_CAP_POSIX_ACL | FUSE_CAP_DONT_MASK);
}

class FuseSession final : public Session {
  public:
    FuseSession(vfs::FileSystem& files, SessionOptions options)
        : options_(std::move(options)), server_(files, options_) {}
    ~FuseSession() override {
        if (mounted_) fuse_session_unmount(session_);
        if (signals_) fuse_remove_signal_handlers(session_);
        if (session_ != nullptr) fuse_session_destroy(session_);
    }

    Result<void> start();
    Result<void> to_background() override;
    Result<void> serve() override;

  private:
    Result<void> make_session();

    SessionOptions options_;
    Server server_;
    fuse_session* session_ = nullptr;
    bool signals_ = false;
    bool mounted_ = false;
};

std::string mount_options(const SessionOptions& options) {
    char* text = nullptr;
    fuse_opt_add_opt_escaped(&text, ("fsname=" + options.source).c_str());  // it may hold commas
    std::string out = text == nullptr ? "" : text;
    free(text);
    out += ",subtype=glassfs,default_permissions";
    if (options.access == Access::ReadOnly) out += ",ro";
    if (geteuid() == 0) out += ",allow_other";  // as a mount is; others need leave in /etc/fuse.conf
    if (!options.further.empty()) out += "," + options.further;
    return out;
}

Result<void> FuseSession::make_session() {
    fuse_lowlevel_ops operations{};
    operations.init = on_init;
    add_reading(operations);
    add_listing(operations);
    add_writing(operations);
    std::string options = mount_options(options_);
    fuse_args arguments = FUSE_ARGS_INIT(0, nullptr);
    fuse_opt_add_arg(&arguments, "glassfs");
    fuse_opt_add_arg(&arguments, "-o");
    fuse_opt_add_arg(&arguments, options.c_str());
    session_ = fuse_session_new(&arguments, &operations, sizeof operations, &server_);
    fuse_opt_free_args(&arguments);
    if (session_ == nullptr) return fail(Cause::InvalidArgument, last_words());
    return {};
}

Result<void> FuseSession::start() {
    std::error_code error;
    auto status = std::filesystem::status(options_.directory, error);
    if (!std::filesystem::exists(status)) return fail(Cause::NotFound, printable(options_.directory));
    if (!std::filesystem::is_directory(status))
        return fail(Cause::NotADirectory, printable(options_.directory));
    // In the background the working directory is another.
    options_.directory = std::filesystem::canonical(options_.directory, error).string();
    if (error) return fail(Cause::NotFound, error.message());
    fuse_set_log_func(keep_words);
    TRY(make_session());
    signals_ = fuse_set_signal_handlers(session_) == 0;
    if (!signals_) return fail(Cause::NotPermitted, last_words());
    mounted_ = fuse_session_mount(session_, options_.directory.c_str()) == 0;
    if (!mounted_) return fail(Cause::NotPermitted, last_words());
    return {};
}

Result<void> FuseSession::to_background() {
    if (fuse_daemonize(0) != 0) return fail(Cause::OutOfMemory, "no process for the background");
    return {};
}

Result<void> FuseSession::serve() {
    Result<void> served;
    {
        RegularSync sync(server_, options_.sync_seconds);
        fuse_loop_config config{0, 10};
        int code = fuse_session_loop_mt(session_, &config);
        if (code < 0) served = fail(Cause::DeviceReadFailed, "/dev/fuse: " + last_words());
    }
    fuse_session_unmount(session_);
    mounted_ = false;
    server_.release_held();
    TRY(server_.files().sync());
    return served;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::mount(vfs::FileSystem& files, SessionOptions options) {
    auto session = std::make_unique<FuseSession>(files, std::move(options));
    TRY(session->start());
    return session;
}

}  // namespace glassfs::fuse
