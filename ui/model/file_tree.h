// SPDX-License-Identifier: MIT
// The Navigator's rows: the volume's folders, unfolded as far as ViewState::open_dirs says, read lazily page
// by page. Made anew only when something has changed.
#pragma once

#include "ui/model/session.h"

#include <map>

namespace glassfs::ui {

struct TreeRow {
    enum class Kind : u8 { Entry, More, Loading, Failed };
    Kind kind = Kind::Entry;
    u32 depth = 0;
    vfs::NodeId id;    // of the entry; else of the folder that it stands for
    std::string name;  // for the screen; of Failed: what is wrong
    std::string path;  // raw bytes
    vfs::FileType type = vfs::FileType::Unknown;
    bool open = false;
    std::string value;   // "14 B", a link's target
    std::string target;  // of a symlink, for the screen
    std::optional<vfs::Attributes> attributes;
};

class FileTree {
  public:
    // Rows of everything below the root.
    const std::vector<TreeRow>& rows(Session&);
    // Rows of one folder alone, without its subfolders'.
    const std::vector<TreeRow>& folder(Session&, vfs::NodeId, const std::string& path);
    // The next page of a folder that has a More row.
    void show_more(vfs::NodeId dir) {
        ++pages_[dir];
        ++changes_;
    }
    u64 entries() const { return entries_; }  // rows of kind Entry in rows()

  private:
    struct Listing {
        u64 revision = 0, epoch = 0, changes = 0;
        std::set<vfs::NodeId> open;
        vfs::NodeId dir;
        std::string path;
        std::vector<TreeRow> rows;
    };
    bool stale(Session&, const Listing&) const;
    void add(Session&, std::vector<TreeRow>&, vfs::NodeId dir, const std::string& path, u32 depth,
             bool unfold);

    Listing tree_, folder_;
    std::map<vfs::NodeId, u32> pages_;
    u64 pages_epoch_ = 0;
    u64 changes_ = 0;
    u64 entries_ = 0;
};

// "14 B", "1.4 K", "41.1 K": short sizes of the file lists.
std::string short_size(u64 bytes);
// As ls shows it: "-rw-r--r--".
std::string mode_text(u32 mode);
std::string join_path(const std::string& dir, const std::string& name);
std::string parent_path(const std::string& path);
std::string last_name(const std::string& path);  // "/" of the root

}  // namespace glassfs::ui
