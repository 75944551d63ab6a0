// SPDX-License-Identifier: MIT
// Random operations that collide: few names, few directories, sizes around every limit. The n-th operation
// depends on the seed, on n and on the names that are there, so that a sequence goes on after a remount.
#pragma once

#include "side.h"

#include <bitset>

namespace glassfs::differential {

struct GeneratorOptions {
    u64 seed = 1;
    std::bitset<operation_kinds> enabled = std::bitset<operation_kinds>().set();
};

class Generator {
  public:
    explicit Generator(const GeneratorOptions&);
    Operation make(u64 number, Side& view);

  private:
    struct Seen {
        std::string name;
        vfs::FileType type = vfs::FileType::Unknown;
    };
    enum class Want : u8 { Any, Regular, Directory, NotDirectory };

    u64 below(u64 limit) { return random_.random() % limit; }
    bool chance(u64 percent) { return below(100) < percent; }
    u64 between(u64 low, u64 high) { return low + below(high - low + 1); }

    OperationKind pick_kind();
    std::string pick_name();
    std::vector<Seen> entries(Side&, const NodeRef& dir);
    NodeRef pick_dir(Side&);
    NodeRef pick_node(Side&, Want);
    std::optional<std::string> pick_entry(Side&, const NodeRef& dir, Want);
    std::string existing_or_any(Side&, const NodeRef& dir, Want);
    bool is_inode(Side&, const NodeRef& dir, const std::string& name, u64 number);
    NodeRef pick_subvolume(Side&);
    NodeRef child(const NodeRef& dir, const std::string& name);
    u64 size_of(Side&, const NodeRef&);
    vfs::FileType type_of(Side&, const NodeRef&);
    NodeRef pick_data(Side&);

    u64 pick_length();
    u64 pick_offset(u64 size);
    u32 pick_permissions();
    TimeSpec pick_time();
    std::string pick_xattr_name();
    std::string make_acl();

    void fill_new_name(Operation&, Side&);
    void fill_names(Operation&, Side&);
    void fill_many(Operation&, Side&);
    void fill_rename(Operation&, Side&);
    void fill_data(Operation&, Side&);
    void fill_clone(Operation&, Side&);
    void fill_attributes(Operation&, Side&);
    void fill_xattr(Operation&, Side&);
    void fill_subvolume(Operation&, Side&);
    void fill_handle(Operation&, Side&);

    GeneratorOptions options_;
    SeededEnvironment random_;
    std::vector<std::string> names_;
};

// Names of 40 letters with one name hash, which share an item of a directory.
std::vector<std::string> colliding_names(std::size_t count);

}  // namespace glassfs::differential
