// SPDX-License-Identifier: MIT
// One of the two file systems that are compared, with the inodes that are held in it.
#pragma once

#include "operation.h"

#include <array>
#include <functional>

namespace glassfs::differential {

// What an operation answers: an error, or what it found or did, as text that must be the same on both sides.
struct Outcome {
    Errno code = Errno::OK;
    std::string answer;
    friend bool operator==(const Outcome&, const Outcome&) = default;
    std::string text() const;
};

class Side {
  public:
    // `forget` is called after each operation.
    Side(vfs::FileSystem& files, std::function<void()> forget) : files_(files), forget_(std::move(forget)) {}

    vfs::FileSystem& files() { return files_; }
    void forget() { forget_(); }
    Outcome run(const Operation&);
    bool is_held(std::size_t handle) const { return handles_[handle].has_value(); }
    void release_all();

    Result<vfs::NodeId> resolve(const NodeRef&);
    // The inodes that an operation may change, in a fixed order; no value where there is none.
    std::vector<std::optional<vfs::NodeId>> touched_by(const Operation&);

  private:
    Result<std::string> apply(const Operation&);
    Result<std::string> apply_to_names(const Operation&);
    Result<std::string> apply_to_file(const Operation&);
    Result<std::string> apply_to_inode(const Operation&);
    Result<std::string> apply_to_many(const Operation&);
    Result<std::string> apply_to_handle(const Operation&);
    Result<std::string> list(vfs::NodeId dir);

    vfs::FileSystem& files_;
    std::function<void()> forget_;
    std::array<std::optional<vfs::NodeId>, handle_count> handles_;
};

}  // namespace glassfs::differential
