// SPDX-License-Identifier: MIT
// The walk keeps where it is and the text that is still to go. A symlink puts its target in front of that
// text, so nesting needs no recursion and the limit on symlinks bounds everything.
#include "vfs/path_walk.h"

#include <algorithm>

namespace glassfs::vfs {
namespace {

std::size_t slashes_at(std::string_view text) {
    return std::min(text.find_first_not_of('/'), text.size());
}

class Walk {
  public:
    Walk(FileSystem& files, NodeId start, FollowLast follow_last)
        : files_(files), at_(start), follow_last_(follow_last) {}

    Result<NodeId> run(std::string_view path) {
        if (path.empty()) return fail(Cause::NotFound, "empty path");
        if (path.size() > path_length_max) return fail(Cause::NameTooLong, "path");
        put_in_front(path);
        // From here on at_ is a directory while text is left: step() goes to nothing else unless it was the
        // last.
        if (!rest_.empty() && TRY(files_.getattr(at_)).type != FileType::Directory) {
            return fail(Cause::NotADirectory, rest_);
        }
        while (!rest_.empty()) TRY(step());
        return at_;
    }

  private:
    // `text` comes before what is still to go; an absolute one restarts at the root.
    void put_in_front(std::string_view text) {
        if (text.starts_with('/')) at_ = files_.root();
        text.remove_prefix(slashes_at(text));
        rest_.insert(0, text);
        // What an absolute target leaves of "link/rest" is "/rest", which must not restart at the root.
        rest_.erase(0, slashes_at(rest_));
    }

    // Takes one component and the slashes behind it off the text, and goes there.
    Result<void> step() {
        std::string name = rest_.substr(0, rest_.find('/'));
        bool slash = name.size() < rest_.size();
        if (name == ".") return advance(at_, name);
        if (name == "..") return advance(at_ == files_.root() ? at_ : TRY(files_.parent(at_)), name);
        if (name.size() > name_length_max) return fail(Cause::NameTooLong, name);

        NodeId found = TRY(files_.lookup(at_, name));
        FileType type = TRY(files_.getattr(found)).type;
        if (type == FileType::Symlink && (slash || follow_last_ == FollowLast::Yes))
            return follow(found, name);
        if (slash && type != FileType::Directory) return fail(Cause::NotADirectory, name);
        return advance(found, name);
    }

    Result<void> advance(NodeId to, const std::string& name) {
        at_ = to;
        rest_.erase(0, name.size());
        rest_.erase(0, slashes_at(rest_));
        return {};
    }

    Result<void> follow(NodeId symlink, const std::string& name) {
        if (++followed_ > symlinks_max) return fail(Cause::TooManySymlinks, name);
        std::string target = TRY(files_.readlink(symlink));
        if (target.empty()) return fail(Cause::NotFound, name + " is an empty symlink");
        rest_.erase(0, name.size());
        put_in_front(target);
        return {};
    }

    FileSystem& files_;
    NodeId at_;
    FollowLast follow_last_;
    std::string rest_;
    unsigned followed_ = 0;
};

}  // namespace

Result<NodeId> resolve(FileSystem& files, NodeId start, std::string_view path, FollowLast follow_last) {
    return Walk(files, start, follow_last).run(path);
}

Result<NodeId> resolve(FileSystem& files, std::string_view path, FollowLast follow_last) {
    return resolve(files, files.root(), path, follow_last);
}

}  // namespace glassfs::vfs
