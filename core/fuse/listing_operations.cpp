// SPDX-License-Identifier: MIT
// Directories. A position in one (telldir's) is 0 before ".", 1 behind it, 2 behind ".."; behind an entry it
// is the entry's cookie plus 2, so that it stays what it is whatever else comes and goes.
#include "fuse/server.h"

namespace glassfs::fuse {

namespace {

using vfs::NodeId;

constexpr u64 dots = 2;  // positions before the first entry's

enum class Plus : u8 { No, Yes };  // with attributes and nodeids, as if each name had been looked up

// What of a directory fits into one answer.
class Listing {
  public:
    Listing(fuse_req_t request, Server& server, std::size_t size, Plus plus)
        : request_(request), server_(server), buffer_(size), plus_(plus) {}

    // False when there is no room for it.
    bool add(const std::string& name, NodeId node, vfs::FileType type, u64 position) {
        fuse_entry_param entry{};
        bool counted = false;
        if (plus_ == Plus::Yes && position > dots) {
            auto found = server_.entry(node);
            // A damaged inode is listed by name; the kernel asks when somebody wants more.
            if (found) entry = *found;
            counted = found.has_value();
        }
        if (!counted) entry.attr = by_name(node, type);
        char* at = buffer_.data() + used_;
        std::size_t room = buffer_.size() - used_;
        auto off = static_cast<off_t>(position);
        std::size_t needed = plus_ == Plus::Yes
                                 ? fuse_add_direntry_plus(request_, at, room, name.c_str(), &entry, off)
                                 : fuse_add_direntry(request_, at, room, name.c_str(), &entry.attr, off);
        if (needed > room) {
            if (counted) server_.give_back(entry);
            return false;
        }
        if (counted) entries_.push_back(entry);
        used_ += needed;
        return true;
    }

    void reply() {
        if (fuse_reply_buf(request_, buffer_.data(), used_) == 0) return;
        for (const fuse_entry_param& entry : entries_) server_.give_back(entry);
    }
    bool empty() const { return used_ == 0; }

  private:
    struct stat by_name(NodeId node, vfs::FileType type) const {
        struct stat out {};
        out.st_ino = shown_ino(node, server_.files().root().tree);
        out.st_mode = mode_of_file_type(type);
        return out;
    }
    static u32 mode_of_file_type(vfs::FileType type) {
        switch (type) {
            case vfs::FileType::Regular:
                return S_IFREG;
            case vfs::FileType::Directory:
                return S_IFDIR;
            case vfs::FileType::CharDevice:
                return S_IFCHR;
            case vfs::FileType::BlockDevice:
                return S_IFBLK;
            case vfs::FileType::Fifo:
                return S_IFIFO;
            case vfs::FileType::Socket:
                return S_IFSOCK;
            case vfs::FileType::Symlink:
                return S_IFLNK;
            case vfs::FileType::Unknown:
                break;
        }
        return 0;
    }

    fuse_req_t request_;
    Server& server_;
    std::vector<char> buffer_;
    std::size_t used_ = 0;
    Plus plus_;
    std::vector<fuse_entry_param> entries_;  // that the kernel will count
};

Result<void> list(Server& server, NodeId dir, u64 position, Listing& listing) {
    if (position == 0 && !listing.add(".", dir, vfs::FileType::Directory, 1)) return {};
    if (position <= 1) {
        NodeId parent = server.files().parent(dir).value_or(dir);
        if (!listing.add("..", parent, vfs::FileType::Directory, 2)) return {};
    }
    u64 cookie = position > dots ? position - dots : 0;
    return server.files().readdir(dir, cookie, [&](const vfs::DirEntry& entry) {
        return listing.add(entry.name, entry.id, entry.type, entry.cookie + dots);
    });
}

void answer_list(fuse_req_t request, fuse_ino_t ino, std::size_t size, off_t at, Plus plus) {
    answer(request, "readdir", [&](Server& server) -> Result<void> {
        Listing listing(request, server, size, plus);
        auto done = list(server, TRY(server.nodes().node(ino)), static_cast<u64>(at), listing);
        if (!done && listing.empty()) return done;  // else what was read before is answered
        listing.reply();
        return {};
    });
}

void on_readdir(fuse_req_t request, fuse_ino_t ino, std::size_t size, off_t at, fuse_file_info*) {
    answer_list(request, ino, size, at, Plus::No);
}

void on_readdirplus(fuse_req_t request, fuse_ino_t ino, std::size_t size, off_t at, fuse_file_info*) {
    answer_list(request, ino, size, at, Plus::Yes);
}

void on_opendir(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
    file->cache_readdir = 1;
    file->keep_cache = 1;
    if (server_of(request).opendir_unneeded) {
        fuse_reply_err(request, ENOSYS);  // means: don't ask again, all can be opened
    } else {
        fuse_reply_open(request, file);
    }
}

}  // namespace

void add_listing(fuse_lowlevel_ops& operations) {
    operations.opendir = on_opendir;
    operations.readdir = on_readdir;
    operations.readdirplus = on_readdirplus;
}

}  // namespace glassfs::fuse
