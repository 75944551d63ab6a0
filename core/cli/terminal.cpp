// SPDX-License-Identifier: MIT
// Standard output and standard error.
#include "cli/terminal.h"

#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace glassfs::cli {

namespace {

constexpr std::size_t pending_max = 1 << 16;

bool colours_wanted(const std::string& colour) {
    if (colour == "always") return true;
    if (colour == "never") return false;
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    bool dumb = !term || std::strcmp(term, "dumb") == 0;
    return !(no_color && *no_color) && !dumb && ::isatty(STDOUT_FILENO);
}

}  // namespace

Terminal::Terminal(const std::string& colour)
    : style_{.colour = colours_wanted(colour), .escape_names = ::isatty(STDOUT_FILENO) != 0},
      progress_wanted_(::isatty(STDERR_FILENO) != 0) {
    std::signal(SIGPIPE, SIG_IGN);
}

Terminal::~Terminal() {
    clear_progress();
    flush();
}

void Terminal::write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {
            // Node makes pipes non-blocking and can't poll them: look again when the reader had time to read.
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        if (written < 0) {
            // The reader had enough: nobody is left to tell, and nothing went wrong.
            if (errno == EPIPE) std::_Exit(0);
            if (descriptor == STDOUT_FILENO) {
                std::string why = text("glassfs: standard output: %s\n", std::strerror(errno));
                write_all(STDERR_FILENO, why);
            }
            std::_Exit(static_cast<int>(commands::ExitCode::NotRun));
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void Terminal::out(std::string_view bytes) {
    if (progress_shown_ && style_.escape_names) clear_progress();
    if (pending_.size() + bytes.size() <= pending_max) {
        pending_ += bytes;
        if (style_.escape_names) flush();
        return;
    }
    flush();
    write_all(STDOUT_FILENO, bytes);
}

void Terminal::flush() {
    write_all(STDOUT_FILENO, pending_);
    pending_.clear();
}

void Terminal::err(std::string_view bytes) {
    clear_progress();
    flush();
    write_all(STDERR_FILENO, bytes);
}

void Terminal::clear_progress() {
    if (progress_shown_) write_all(STDERR_FILENO, "\r\x1b[K");
    progress_shown_ = false;
}

bool Terminal::progress(double fraction, std::string_view what) {
    if (!progress_wanted_) return true;
    Clock::time_point now = Clock::now();
    if (now - begin_ < std::chrono::seconds(1) || now - shown_ < std::chrono::milliseconds(100)) return true;
    shown_ = now;
    progress_shown_ = true;
    std::string words = printable(what.substr(0, 60));
    std::string line = fraction < 0 ? words : text("%3.0f %% ", 100 * std::min(1.0, fraction)) + words;
    write_all(STDERR_FILENO, "\r\x1b[K" + line);
    return true;
}

}  // namespace glassfs::cli
