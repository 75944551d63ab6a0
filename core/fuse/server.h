// SPDX-License-Identifier: MIT
// What answers the kernel's requests: libfuse's functions of a session, and what they share.
#pragma once

#include "fuse/node_table.h"
#include "fuse/session.h"

#include <atomic>

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>

namespace glassfs::fuse {

class Server {
  public:
    Server(vfs::FileSystem& files, const SessionOptions& options);

    vfs::FileSystem& files() { return files_; }
    NodeTable& nodes() { return nodes_; }
    bool read_only() const { return options_.access == Access::ReadOnly; }
    // How long the kernel may rely on names and attributes without asking again, in seconds. Nobody else
    // changes them.
    double names_timeout() const { return 3600; }
    double attributes_timeout() const { return read_only() ? 3600 : 1; }

    // An inode as stat(2) has it.
    Result<struct stat> stat_of(vfs::NodeId node) { return to_stat(TRY(files_.getattr(node))); }
    // A name's inode for the kernel, which counts it. give_back() when the answer didn't reach it.
    Result<fuse_entry_param> entry(vfs::NodeId node);
    void give_back(const fuse_entry_param& entry) { forget(entry.ino, 1); }
    void forget(Nodeid nodeid, u64 count);
    // Before a name may lose its inode.
    void hold_victim(vfs::NodeId dir, std::string_view name);
    // At the end: the kernel asks nothing more.
    void release_held();

    // Opening and closing need no requests: what the kernel knows is there.
    bool open_unneeded = false;
    bool opendir_unneeded = false;

    // Since the last take_changed(), something was written.
    void note_change() { changed_.store(true, std::memory_order_relaxed); }
    bool take_changed() { return changed_.exchange(false, std::memory_order_relaxed); }

    void log(const char* what, const Error& error) const;

  private:
    void release(vfs::NodeId node);
    struct stat to_stat(const vfs::Attributes& attributes) const;

    vfs::FileSystem& files_;
    const SessionOptions& options_;
    NodeTable nodes_;
    u64 root_tree_;
    std::atomic<bool> changed_ = false;
};

inline Server& server_of(fuse_req_t request) {
    return *static_cast<Server*>(fuse_req_userdata(request));
}

// Runs answer(server), which answers the request or says why not.
template <class F>
void answer(fuse_req_t request, const char* what, F&& answer_it) {
    Server& server = server_of(request);
    Result<void> done = answer_it(server);
    if (done) return;
    server.log(what, done.error());
    fuse_reply_err(request, static_cast<int>(done.error().code()));
}

// The same for requests whose answer is that it is done; what `act(server)` changed becomes durable in time.
template <class F>
void change(fuse_req_t request, const char* what, F&& act) {
    answer(request, what, [&](Server& server) -> Result<void> {
        TRY(act(server));
        server.note_change();
        fuse_reply_err(request, 0);
        return {};
    });
}

// Answers with a name's inode.
Result<void> reply_with_entry(fuse_req_t request, Server& server, vfs::NodeId node);

// Fill in libfuse's table of functions.
void add_reading(fuse_lowlevel_ops& operations);
void add_listing(fuse_lowlevel_ops& operations);
void add_writing(fuse_lowlevel_ops& operations);

}  // namespace glassfs::fuse
